//! Quantized values (StableHLO specification, quantized element types): (stored - zero_point) * scale in the expressed type, and back.
//!
//! An op on quantized tensors is dequantize, the op in the expressed type, quantize. Dequantizing is exact in the ring; quantizing rounds to an
//! integer, which is chosen on the IEEE plane and has no residue.

use crate::{
    eval::{EvalContext, Stop},
    planes::{Planes, ring},
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, QuantizedType, TensorType, Type},
};
use std::sync::Arc;

/// Quantization parameters of a tensor type.
pub fn parameters(element: &ElementType) -> Option<&Arc<QuantizedType>> {
    match element {
        ElementType::Quantized(q) => Some(q),
        _ => None,
    }
}

/// Whether an operand or result is quantized.
pub fn involved(operands: &[Value], results: &[Type]) -> bool {
    let quantized = |e: &ElementType| parameters(e).is_some();
    operands
        .iter()
        .any(|v| v.as_tensor().is_some_and(|t| quantized(t.element())))
        || results
            .iter()
            .any(|t| t.as_tensor().is_some_and(|t| quantized(&t.element)))
}

/// What the elements of a type stand for: the expressed type of a quantized one, else the type itself.
pub fn expressed_element(element: &ElementType) -> &ElementType {
    parameters(element).map_or(element, |q| &q.expressed)
}

/// The type with its expressed element type.
pub fn expressed(ty: &Type) -> Type {
    match ty.as_tensor().and_then(|t| parameters(&t.element)) {
        Some(q) => match ty {
            Type::Tensor(t) => t.with_element(q.expressed.clone()).into(),
            Type::Token | Type::Tuple(_) => ty.clone(),
        },
        None => ty.clone(),
    }
}

/// Number of the scale of each element.
fn channels(q: &QuantizedType, dims: &[u64]) -> impl Fn(usize) -> usize {
    let last = q.scales.len().min(q.zero_points.len()).saturating_sub(1);
    let (stride, size) = match q.axis.map(|a| a as usize) {
        Some(axis) if axis < dims.len() => (
            row_major_strides(dims)[axis].max(1) as usize,
            dims[axis].max(1) as usize,
        ),
        Some(_) | None => (1, 1),
    };
    move |i| (i / stride % size).min(last)
}

/// Every value rounded to `element`.
fn rounded(element: &ElementType, values: Vec<f64>) -> Vec<f64> {
    match element {
        ElementType::F64 => values,
        _ => Tensor::from_f64s(&[values.len() as u64], element, &values)
            .to_f64s()
            .into_owned(),
    }
}

/// Values in the expressed type; a tensor that is not quantized as it is.
pub fn dequantize(t: &Tensor, planes: Planes) -> Tensor {
    let Some(q) = parameters(t.element()) else {
        return t.clone();
    };
    if q.scales.is_empty() || q.zero_points.is_empty() {
        return Tensor::splat_f64(t.dims(), &q.expressed, f64::NAN);
    }
    let channel = channels(q, t.dims());
    let scales = rounded(&q.expressed, q.scales.clone());
    let distance: Vec<i64> = t
        .to_i64s()
        .iter()
        .enumerate()
        .map(|(i, v)| v.wrapping_sub(q.zero_points[channel(i)]))
        .collect();
    let scale = |i: usize| scales[channel(i)];
    let values = rounded(&q.expressed, distance.iter().map(|d| *d as f64).collect());
    let values: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, d)| d * scale(i))
        .collect();
    let out = Tensor::from_f64s(t.dims(), &q.expressed, &values);
    match planes {
        Planes::IeeeOnly => out,
        Planes::IeeeAndRing => {
            let residues: Vec<u32> = distance
                .iter()
                .enumerate()
                .map(|(i, d)| {
                    ring::mul_residues(ring::embed_i128(i128::from(*d)), ring::embed_f64(scale(i)))
                })
                .collect();
            out.with_ring(Some(crate::buffer::Buffer::from_slice(&residues)))
        }
    }
}

/// round_nearest_even(clamp(storage_min, x / scale + zero_point, storage_max)), each step in the expressed type; NaN is stored as 0, as StableHLO's
/// interpreter does.
pub fn quantize(t: &Tensor, q: &Arc<QuantizedType>) -> Tensor {
    let element = ElementType::Quantized(q.clone());
    if q.scales.is_empty() || q.zero_points.is_empty() {
        return Tensor::from_i64s(t.dims(), &element, &vec![0; t.len()]);
    }
    let channel = channels(q, t.dims());
    let scales = rounded(&q.expressed, q.scales.clone());
    let x = t.to_f64s();
    let scaled = (0..t.len()).map(|i| x[i] / scales[channel(i)]).collect();
    let shifted = rounded(&q.expressed, scaled);
    let shifted = (0..t.len())
        .map(|i| shifted[i] + q.zero_points[channel(i)] as f64)
        .collect();
    let (low, high) = (
        q.storage_min as f64,
        (q.storage_max as f64).max(q.storage_min as f64),
    );
    let stored: Vec<i64> = rounded(&q.expressed, shifted)
        .iter()
        .map(|v| {
            // Clamped once more as an integer: in f32 the largest i32 rounds up. NaN converts to the integer 0.
            (v.clamp(low, high).round_ties_even() as i64)
                .clamp(q.storage_min, q.storage_max.max(q.storage_min))
        })
        .collect();
    Tensor::from_i64s(t.dims(), &element, &stored)
}

/// `dequantize_op_quantize` of the specification, and `hybrid_dequantize_then_op` where the results are not quantized: runs `op` on dequantized
/// operands with expressed result types and quantizes its results.
pub fn dequantize_op_quantize(
    operands: &[Value],
    results: &[Type],
    cx: &mut EvalContext<'_>,
    op: impl FnOnce(&[Value], &[Type], &mut EvalContext<'_>) -> Result<Vec<Value>, Stop>,
) -> Result<Vec<Value>, Stop> {
    let operands: Vec<Value> = operands
        .iter()
        .map(|v| match v {
            Value::Tensor(t) => dequantize(t, cx.planes).into(),
            Value::Token(_) | Value::Tuple(_) => v.clone(),
        })
        .collect();
    let types: Vec<Type> = results.iter().map(expressed).collect();
    let values = op(&operands, &types, cx)?;
    Ok(values
        .into_iter()
        .zip(results)
        .map(|(v, ty)| {
            let wanted = ty.as_tensor().and_then(|t| parameters(&t.element));
            match (&v, wanted) {
                (Value::Tensor(t), Some(q)) => quantize(t, q).into(),
                (Value::Tensor(_) | Value::Token(_) | Value::Tuple(_), _) => v,
            }
        })
        .collect())
}

/// Numbers of the quantization constraints of a contraction in its op's specification.
pub struct ContractionTags {
    pub is_quantized: &'static str,
    pub storage: &'static str,
    pub expressed: &'static str,
    pub per_tensor: &'static str,
    pub hybrid: &'static str,
}

/// Violations of the quantization constraints that dot_general and convolution share; none when nothing is quantized.
pub fn contraction(
    lhs: &TensorType,
    rhs: &TensorType,
    result: &TensorType,
    tags: &ContractionTags,
) -> Vec<String> {
    let all = [lhs, rhs, result].map(|t| parameters(&t.element));
    let mut wrong = vec![];
    match all {
        [None, None, None] => {}
        [Some(a), Some(b), Some(c)] => {
            if a.storage != b.storage {
                wrong.push(format!("{}: storage types differ: {} and {}", tags.storage, a.storage, b.storage));
            }
            if a.expressed != b.expressed || a.expressed != c.expressed {
                wrong.push(format!("{}: expressed types differ: {a}, {b}, {c}", tags.expressed));
            }
            if b.axis.is_none() && c.axis.is_some() {
                wrong.push(format!("{}: rhs is per tensor, the result must be too", tags.per_tensor));
            }
        }
        [None, Some(b), None] => {
            if lhs.element != b.expressed || result.element != b.expressed {
                wrong.push(format!(
                    "{}: lhs, the expressed type of rhs and the result must agree: {}, {}, {}",
                    tags.hybrid, lhs.element, b.expressed, result.element
                ));
            }
        }
        [_, None, _] | [None, Some(_), Some(_)] | [Some(_), Some(_), None] => wrong.push(format!(
            "{}: lhs and result must both be quantized or both not, and rhs with them: {lhs}, {rhs}, {result}",
            tags.is_quantized
        )),
    }
    for (q, t) in all.iter().zip([lhs, rhs, result]) {
        let Some(q) = q else { continue };
        let per_axis = q.axis.map(|a| t.dims.get(a as usize));
        let fits = match per_axis {
            None => q.scales.len() == 1,
            Some(Some(Dim::Static(n))) => q.scales.len() as u64 == *n,
            Some(Some(Dim::Dynamic { .. })) => true,
            Some(None) => false,
        };
        if !fits || q.scales.len() != q.zero_points.len() {
            wrong.push(format!("{q} has {} scales for {t}", q.scales.len()));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_axis() -> Arc<QuantizedType> {
        Arc::new(QuantizedType {
            storage: ElementType::I8,
            storage_min: -128,
            storage_max: 127,
            expressed: ElementType::F32,
            axis: Some(0),
            scales: vec![0.1, 0.5],
            zero_points: vec![-30, -20],
        })
    }

    #[test]
    fn the_example_of_the_specification() {
        let q = per_axis();
        let x = Tensor::from_slice(&[2], ElementType::F32, &[4.0f32, 15.0]);
        let stored = quantize(&x, &q);
        assert_eq!(stored.to_i64s().as_ref(), [10, 10]);
        let back = dequantize(&stored, Planes::IeeeAndRing);
        assert_eq!(back.as_slice::<f32>(), [40.0 * 0.1f32, 15.0]);
        // The residue is exact: 40 times the f32 nearest to 0.1, not the rounded product.
        let want = ring::mul_residues(40, ring::embed_f64(f64::from(0.1f32)));
        assert_eq!(back.ring(), Some(&[want, 15][..]));
    }

    #[test]
    fn values_clamp_to_the_storage_range_and_ties_go_to_even() {
        let mut q = (*per_axis()).clone();
        (q.axis, q.scales, q.zero_points) = (None, vec![1.0], vec![0]);
        let x = [1e9f32, -1e9, 2.5, 3.5, f32::NAN];
        let x = Tensor::from_slice(&[5], ElementType::F32, &x);
        let stored = quantize(&x, &Arc::new(q));
        assert_eq!(stored.to_i64s().as_ref(), [127, -128, 2, 4, 0]);
    }
}
