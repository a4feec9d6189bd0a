//! `reshape`: the same elements in the same row-major order under other dimensions.
//!
//! Meaning: result[result_index] = operand[operand_index] where both indices have the same row-major position.
//! Inputs I1 operand. Constraints: C1 element types agree (a quantized axis may move); C2 the numbers of elements agree; C3 the quantized axis keeps
//! its size and the numbers of elements before and after it.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.reshape %0 : (tensor<2x3xf32>) -> tensor<3x2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reshape;

/// C1, C3 of `reshape` and `dynamic_reshape`.
pub fn element_violations(operand: &TensorType, result: &TensorType) -> Vec<String> {
    if !movement::same_element(&operand.element, &result.element) {
        return vec![format!("C1: element types differ: {operand} and {result}")];
    }
    let around = |t: &TensorType| match &t.element {
        ElementType::Quantized(q) => q.axis.map(|axis| {
            let dims = t.static_dims().unwrap_or_default();
            let axis = axis as usize;
            (dims.iter().take(axis).product::<u64>(), dims.get(axis).copied(), dims.iter().skip(axis + 1).product::<u64>())
        }),
        _ => None,
    };
    if operand.static_dims().is_some() && result.static_dims().is_some() && around(operand) != around(result) {
        return vec![format!("C3: the quantized axis of {operand} does not fit that of {result}")];
    }
    vec![]
}

/// Concrete dimensions of the declared result for `n` elements: one unknown size follows from the others.
fn result_dims(results: &[Type], n: u64) -> Result<Vec<u64>, Stop> {
    let declared = results.first().and_then(Type::as_tensor).ok_or_else(|| Stop::internal("reshape without a result type"))?;
    let known = |d: &Dim| if let Dim::Static(n) = d { Some(*n) } else { None };
    let product: u64 = declared.dims.iter().filter_map(known).product();
    let unknown = declared.dims.iter().filter(|d| known(d).is_none()).count();
    if unknown == 0 && product == n {
        return Ok(declared.dims.iter().filter_map(known).collect());
    }
    if unknown != 1 || product == 0 || !n.is_multiple_of(product) {
        return Err(movement::mismatch(format!("{n} elements do not fit {declared}")));
    }
    let dims: Vec<u64> = declared.dims.iter().map(|d| known(d).unwrap_or(n / product)).collect();
    movement::check_declared(&dims, results, 0)?;
    Ok(dims)
}

impl OpDef for Reshape {
    const NAME: &'static str = "reshape";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Reshape {
        Reshape
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        let mut wrong = element_violations(operand, result);
        if let (Some(a), Some(b)) = (operand.elements(), result.elements())
            && a != b
        {
            wrong.push(format!("C2: {operand} has {a} elements, {result} has {b}"));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(result.clone())]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let dims = result_dims(results, operand.len() as u64)?;
        Ok(vec![movement::retyped(operand.reshaped(&dims), results, 0).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![operands.first().map_or(Bound::Exact, |o| o.error.clone())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        // Merge some neighbours and insert some size-1 dimensions.
        let mut result: Vec<u64> = vec![];
        for d in &dims {
            match result.last_mut() {
                Some(last) if s.range(0, 1) == 0 => *last *= d,
                Some(_) | None => result.push(*d),
            }
            if s.range(0, 3) == 0 {
                result.push(1);
            }
        }
        Sampler::single(Reshape, &[Type::tensor(dims, element.clone())], &[Type::tensor(result, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, types::QuantizedType};
    use std::sync::Arc;

    #[test]
    fn keeps_row_major_order_in_both_planes() {
        let out = eval(Reshape, &[floats(&[2, 3], &[1., 2., 3., 4., 5., 6.])], &[f32s(&[3, 2])]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<f32>()), (&[3u64, 2][..], &[1f32, 2., 3., 4., 5., 6.][..]));
        assert_eq!(out[0].ring(), Some(&[1, 2, 3, 4, 5, 6][..]));
        assert_eq!(eval(Reshape, &[ints(&[1, 1], &[7])], &[i32s(&[])]).unwrap()[0].as_slice::<i32>(), [7]);
        assert_eq!(eval(Reshape, &[ints(&[0, 4], &[])], &[i32s(&[2, 0])]).unwrap()[0].dims(), [2, 0]);
    }

    #[test]
    fn one_unknown_size_follows_from_the_others() {
        let declared: Type = TensorType { dims: vec![Dim::Dynamic { bound: Some(3) }, Dim::Static(2)], element: ElementType::I32, layout: None }.into();
        assert_eq!(eval(Reshape, &[ints(&[6], &[1, 2, 3, 4, 5, 6])], std::slice::from_ref(&declared)).unwrap()[0].dims(), [3, 2]);
        assert!(eval(Reshape, &[ints(&[8], &[0; 8])], std::slice::from_ref(&declared)).is_err());
        assert!(eval(Reshape, &[ints(&[5], &[0; 5])], &[declared]).is_err());
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", Reshape, &[i32s(&[2])], &[f32s(&[2])]);
        assert_violates("C2", Reshape, &[i32s(&[2])], &[i32s(&[3])]);
        let quantized = |axis: u64, dims: [u64; 2]| {
            let q = QuantizedType {
                storage: ElementType::I8,
                storage_min: -128,
                storage_max: 127,
                expressed: ElementType::F32,
                axis: Some(axis),
                scales: vec![1.0, 2.0],
                zero_points: vec![0, 0],
            };
            Type::tensor(dims, ElementType::Quantized(Arc::new(q)))
        };
        assert_eq!(violated(Reshape, &[quantized(0, [2, 3])], &[quantized(0, [2, 3])]), Vec::<String>::new());
        assert_violates("C3", Reshape, &[quantized(0, [2, 3])], &[quantized(1, [3, 2])]);
    }
}
