//! `uniform_quantize`: converts to a quantized type.
//!
//! Meaning: result = quantize(operand, type(result)), a quantized operand dequantized first: round_nearest_even(clamp(storage_min, x / scale +
//! zero_point, storage_max)).
//! Inputs I1 operand (float or quantized tensor). Constraints: C1 shape(result) = shape(operand); C2 expressed_type(result) is the operand's element
//! type, or its expressed type; I1 the element types' kinds.
//! Kind: selection: the integer is chosen on the IEEE plane and has no residue. Numerics: each step rounds in the expressed type.
//! Example: `%1 = hlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{quantization, region_bound, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, QuantizedType, Type},
};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UniformQuantize;

/// A random per-tensor quantized type.
pub fn sample_type(s: &mut Sampler) -> Arc<QuantizedType> {
    let (storage, storage_min, storage_max) = s.pick(&[(ElementType::I8, -128, 127), (ElementType::U8, 0, 255), (ElementType::I4, -8, 7)]).clone();
    Arc::new(QuantizedType {
        storage,
        storage_min,
        storage_max,
        expressed: ElementType::F32,
        axis: None,
        scales: vec![s.range(1, 64) as f64 / 16.0],
        zero_points: vec![s.range(0, 5) as i64],
    })
}

impl OpDef for UniformQuantize {
    const NAME: &'static str = "uniform_quantize";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> UniformQuantize {
        UniformQuantize
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        let Some(q) = quantization::parameters(&result.element) else { return Err(vec![format!("I1: the result must be quantized, got {result}")]) };
        let source = quantization::parameters(&operand.element).map_or(&operand.element, |q| &q.expressed);
        let mut wrong = vec![];
        if !source.is_float() {
            wrong.push(format!("I1: the operand must be of float or quantized type, got {operand}"));
        }
        if *source != q.expressed {
            wrong.push(format!("C2: the expressed type {} must be {source}", q.expressed));
        }
        match shape::same_dims(&[operand, result]) {
            Ok(dims) if wrong.is_empty() => Ok(vec![result.with_dims(dims).into()]),
            Ok(_) => Err(wrong),
            Err(e) => {
                wrong.push(format!("C1: {}", e.join("; ")));
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = quantization::dequantize(shape::operand(operands, 0)?, cx.planes);
        let q = results.first().and_then(Type::as_tensor).and_then(|t| quantization::parameters(&t.element));
        let q = q.ok_or_else(|| Stop::internal("uniform_quantize without quantized result"))?;
        Ok(vec![quantization::quantize(&operand, q).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, q) = (s.dims(), sample_type(s));
        Sampler::single(UniformQuantize, &[Type::tensor(dims.clone(), q.expressed.clone())], &[Type::tensor(dims, ElementType::Quantized(q))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
        tensor::Tensor,
    };

    fn q(scale: f64, zero: i64) -> ElementType {
        ElementType::Quantized(Arc::new(QuantizedType {
            storage: ElementType::I8,
            storage_min: -128,
            storage_max: 127,
            expressed: ElementType::F32,
            axis: None,
            scales: vec![scale],
            zero_points: vec![zero],
        }))
    }

    #[test]
    fn floats_and_quantized_tensors_are_quantized() {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let x = Tensor::from_slice(&[2], ElementType::F32, &[4.0f32, 15.0]).with_embedded_ring();
        let first = UniformQuantize.eval(&[x.into()], &[Type::tensor([2], q(0.5, -20))], &mut cx).unwrap();
        assert_eq!(first[0].as_tensor().unwrap().to_i64s().as_ref(), [-12, 10]);
        // 4.0 / 0.25 + 3 and 15.0 / 0.25 + 3.
        let again = UniformQuantize.eval(&first, &[Type::tensor([2], q(0.25, 3))], &mut cx).unwrap();
        assert_eq!(again[0].as_tensor().unwrap().to_i64s().as_ref(), [19, 63]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |operand: Type, result: Type| UniformQuantize.infer(&InferContext { operands: &[operand], declared: &[result], regions: &[] });
        let f = |n: u64| Type::tensor([n], ElementType::F32);
        assert!(infer(f(2), Type::tensor([2], q(1.0, 0))).is_ok());
        assert!(infer(f(2), Type::tensor([3], q(1.0, 0))).unwrap_err()[0].starts_with("C1"));
        assert!(infer(Type::tensor([2], ElementType::F16), Type::tensor([2], q(1.0, 0))).unwrap_err()[0].starts_with("C2"));
        assert!(infer(f(2), f(2)).unwrap_err()[0].starts_with("I1"));
        assert!(infer(Type::tensor([2], ElementType::I8), Type::tensor([2], q(1.0, 0))).unwrap_err()[0].starts_with("I1"));
    }
}
