//! Pieces that movement and indexing ops share: index values, sizes known only at run time, element types under a new shape.

use crate::{
    eval::{Stop, Trap},
    hlo::shape,
    op::{InferContext, RegionType},
    tensor::{Tensor, Value},
    types::{Dim, ElementType, TensorType, Type},
};
use std::sync::Arc;

/// Largest tensor that a size known only at run time may ask for, in bytes.
const LARGEST: u64 = 1 << 34;

/// Elements of an index tensor of any integer type; u64 values beyond i64 become i64::MAX, which lies as far out of every range.
pub fn indices(t: &Tensor) -> Vec<i64> {
    match t.element() {
        ElementType::U64 => t
            .as_slice::<u64>()
            .iter()
            .map(|v| i64::try_from(*v).unwrap_or(i64::MAX))
            .collect(),
        _ => t.to_i64s().into_owned(),
    }
}

/// The one element of a scalar index operand.
pub fn index(t: &Tensor) -> Result<i64, Stop> {
    indices(t)
        .first()
        .copied()
        .ok_or_else(|| mismatch(format!("an index must be a scalar, got {}", t.ty())))
}

/// The tested program asks for shapes that do not fit at run time.
pub fn mismatch(message: impl Into<String>) -> Stop {
    Stop::Trap(Trap::ShapeMismatch(message.into()))
}

/// Sizes computed by the program as dimensions: not negative, and of a tensor that can exist.
pub fn checked_dims(sizes: &[i64], element: &ElementType) -> Result<Vec<u64>, Stop> {
    let dims: Option<Vec<u64>> = sizes.iter().map(|s| u64::try_from(*s).ok()).collect();
    let dims = dims.ok_or_else(|| mismatch(format!("negative size in {sizes:?}")))?;
    // Strides are computed without the zero sizes in mind, so these do not excuse the others.
    let bytes = dims
        .iter()
        .filter(|d| **d > 0)
        .try_fold(element.storage_bytes() as u64, |a, d| a.checked_mul(*d));
    if bytes.is_some_and(|n| n <= LARGEST) {
        Ok(dims)
    } else {
        Err(Stop::Trap(Trap::MemoryLimit(LARGEST)))
    }
}

/// Checks concrete `dims` against declared type `i`: equal where that is static, at most the bound where it states one.
pub fn check_declared(dims: &[u64], results: &[Type], i: usize) -> Result<(), Stop> {
    let Some(declared) = results.get(i).and_then(Type::as_tensor) else {
        return Err(Stop::internal(format!("result {i} is not a tensor")));
    };
    let fits = |(size, d): (&u64, &Dim)| match d {
        Dim::Static(n) => size == n,
        Dim::Dynamic { bound } => bound.is_none_or(|b| *size <= b),
    };
    if dims.len() == declared.rank() && dims.iter().zip(&declared.dims).all(fits) {
        Ok(())
    } else {
        Err(mismatch(format!(
            "result {i} has sizes {dims:?}, declared {declared}"
        )))
    }
}

/// Whether a movement may give `result` from `operand`: equal, or quantized alike up to the axis and its parameters.
pub fn same_element(operand: &ElementType, result: &ElementType) -> bool {
    match (operand, result) {
        (ElementType::Quantized(a), ElementType::Quantized(b)) => {
            a.storage == b.storage && a.expressed == b.expressed
        }
        (a, b) => a == b,
    }
}

/// `t` as the element type of declared result `i`: only quantized types, whose axis moves with the shape, may differ.
pub fn retyped(t: Tensor, results: &[Type], i: usize) -> Tensor {
    match results.get(i).and_then(Type::as_tensor) {
        Some(declared)
            if declared.element != *t.element() && same_element(t.element(), &declared.element) =>
        {
            t.with_element_bits(declared.element.clone())
        }
        Some(_) | None => t,
    }
}

/// The most precise dimensions that an inferred and, where there is one, the declared result allow.
pub fn joined_with_declared(dims: Vec<Dim>, cx: &InferContext<'_>, i: usize) -> Vec<Dim> {
    let Some(declared) = cx.declared.get(i).and_then(Type::as_tensor) else {
        return dims;
    };
    if declared.rank() != dims.len() {
        return dims;
    }
    dims.iter()
        .zip(&declared.dims)
        .map(|(a, b)| shape::join_dims(*a, *b).unwrap_or(*a))
        .collect()
}

/// The declared result as it is where it can stand for the inferred one (it may name a layout or the quantized axis), else the inferred one.
pub fn or_declared(inferred: TensorType, cx: &InferContext<'_>, i: usize) -> Type {
    let fits = |declared: &Arc<TensorType>| {
        same_element(&inferred.element, &declared.element)
            && Type::from(declared.with_element(inferred.element.clone()))
                .compatible(&inferred.clone().into())
    };
    match cx.declared.get(i).and_then(Type::as_tensor) {
        Some(declared) if fits(declared) => TensorType {
            dims: joined_with_declared(inferred.dims.clone(), cx, i),
            ..(**declared).clone()
        }
        .into(),
        Some(_) | None => inferred.into(),
    }
}

/// The declared result of an op whose sizes a shape operand gives: `shape_operand` has one entry per dimension. Without a declared type all sizes are
/// unknown.
pub fn declared_or_unknown(
    cx: &InferContext<'_>,
    shape_operand: &TensorType,
    element: &ElementType,
    tag: &str,
) -> Result<TensorType, Vec<String>> {
    match cx.declared.first().and_then(Type::as_tensor) {
        Some(t) if is_size_list(shape_operand, t.rank()) => Ok((**t).clone()),
        Some(t) => Err(vec![format!(
            "{tag}: {shape_operand} does not give the sizes of {t}"
        )]),
        None => match shape_operand.static_dims().as_deref() {
            Some([rank]) if shape_operand.element.is_integer() && *rank <= 64 => Ok(TensorType {
                dims: vec![Dim::Dynamic { bound: None }; *rank as usize],
                element: element.clone(),
                layout: None,
            }),
            Some(_) | None => Err(vec![format!("{tag}: {shape_operand} does not give sizes")]),
        },
    }
}

/// Sizes that operand `i` gives, checked against the declared result.
pub fn computed_dims(
    operands: &[Value],
    i: usize,
    element: &ElementType,
    results: &[Type],
) -> Result<Vec<u64>, Stop> {
    let dims = checked_dims(&indices(shape::operand(operands, i)?), element)?;
    check_declared(&dims, results, 0)?;
    Ok(dims)
}

/// Entries are unique.
pub fn is_unique(entries: &[i64]) -> bool {
    (1..entries.len()).all(|i| !entries[..i].contains(&entries[i]))
}

/// Entries do not decrease.
pub fn is_sorted(entries: &[i64]) -> bool {
    entries.windows(2).all(|w| w[0] <= w[1])
}

/// Entries lie in 0..rank.
pub fn in_rank(entries: &[i64], rank: usize) -> bool {
    entries.iter().all(|d| *d >= 0 && *d < rank as i64)
}

/// Operand `i` is a one-dimensional tensor of integers with `n` elements (any number where its size is dynamic).
pub fn is_size_list(t: &TensorType, n: usize) -> bool {
    t.element.is_integer()
        && t.rank() == 1
        && shape::join_dims(t.dims[0], Dim::Static(n as u64)).is_some()
}

/// Scalars of one integer type.
pub fn are_start_indices(types: &[&Arc<TensorType>]) -> bool {
    types
        .iter()
        .all(|t| t.rank() == 0 && t.element.is_integer() && t.element == types[0].element)
}

/// Row-major list of the offsets `i0*strides[0] + i1*strides[1] + ..` of all indices of `dims`.
pub fn offsets(dims: &[u64], strides: &[i64]) -> Vec<i64> {
    dims.iter()
        .zip(strides)
        .fold(vec![0], |outer, (size, stride)| {
            let mut out = Vec::with_capacity(outer.len() * *size as usize);
            for base in outer {
                out.extend((0..*size as i64).map(|i| base + i * stride));
            }
            out
        })
}

/// Whether a region may compute on `to` where its operand has `from`: the same kind of number, at least as wide (StableHLO `is_promotable`).
pub fn is_promotable(from: &ElementType, to: &ElementType) -> bool {
    match (from, to) {
        (ElementType::Quantized(a), ElementType::Quantized(b)) => {
            a.storage == b.storage && is_promotable(&a.expressed, &b.expressed)
        }
        _ => from == to || (from.class() == to.class() && from.bits() <= to.bits()),
    }
}

/// Element types of the `n` operands a body promotes to: it must take 2n scalars E0, .., En-1, E0, .., En-1 and give n scalars E0, .., En-1.
pub fn body_elements(body: &RegionType, operands: &[&ElementType]) -> Option<Vec<ElementType>> {
    let scalar = |t: &Type| {
        t.as_tensor()
            .filter(|t| t.rank() == 0)
            .map(|t| t.element.clone())
    };
    let arguments: Vec<ElementType> = body.arguments.iter().map(scalar).collect::<Option<_>>()?;
    let results: Vec<ElementType> = body.results.iter().map(scalar).collect::<Option<_>>()?;
    let n = operands.len();
    let fits = arguments.len() == 2 * n
        && results.len() == n
        && arguments[..n] == results
        && arguments[n..] == results;
    (fits
        && operands
            .iter()
            .zip(&results)
            .all(|(from, to)| is_promotable(from, to)))
    .then_some(results)
}

/// `t` with the element type `element` that a body promoted it to; the ring plane holds the same numbers.
pub fn promoted(t: &Tensor, element: &ElementType) -> Result<Tensor, Stop> {
    if t.element() == element {
        return Ok(t.clone());
    }
    let wider = |float: bool| {
        element.bits() >= t.element().bits()
            && (element.is_float() == float)
            && (element.class() == t.element().class())
    };
    if wider(true) {
        let ring = t.ring_buffer().cloned();
        Ok(Tensor::from_f64s(t.dims(), element, &t.to_f64s()).with_ring(ring))
    } else if wider(false) && element.is_integer() {
        Ok(Tensor::from_i64s(t.dims(), element, &t.to_i64s()))
    } else {
        Err(Stop::unsupported(format!(
            "promotion of {} to {element} by a region",
            t.element()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsigned_indices_are_not_negative() {
        let large = Tensor::from_slice(&[2], ElementType::U64, &[u64::MAX, 3]);
        assert_eq!(indices(&large), [i64::MAX, 3]);
        assert_eq!(
            indices(&Tensor::from_slice(&[1], ElementType::U8, &[200u8])),
            [200]
        );
        assert_eq!(
            indices(&Tensor::from_slice(&[1], ElementType::I8, &[-56i8])),
            [-56]
        );
    }

    #[test]
    fn offsets_run_in_row_major_order() {
        assert_eq!(offsets(&[2, 3], &[10, -1]), [0, -1, -2, 10, 9, 8]);
        assert_eq!(offsets(&[], &[]), [0]);
        assert!(offsets(&[3, 0], &[1, 1]).is_empty());
    }

    #[test]
    fn sizes_from_the_program_are_checked() {
        assert!(checked_dims(&[2, -1], &ElementType::F32).is_err());
        assert!(checked_dims(&[i64::MAX, i64::MAX], &ElementType::F32).is_err());
        assert!(checked_dims(&[i64::MAX, i64::MAX, 0], &ElementType::F32).is_err());
        assert_eq!(checked_dims(&[7, 0], &ElementType::F32).unwrap(), [7, 0]);
    }
}
