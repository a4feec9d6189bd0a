//! `uniform_dequantize`: converts a quantized tensor to its expressed type.
//!
//! Meaning: result = (operand - zero_point) * scale. Inputs I1 operand (quantized tensor). Constraints: C1 shape(result) = shape(operand); C2
//! element_type(result) = expressed_type(operand).
//! Kind: arithmetic: exact in the ring. Numerics: each step rounds in the expressed type.
//! Example: `%1 = hlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, subnormal_roundoff, unit_roundoff},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise::rounded, quantization, region_bound, shape, uniform_quantize::sample_type},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UniformDequantize;

impl OpDef for UniformDequantize {
    const NAME: &'static str = "uniform_dequantize";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> UniformDequantize {
        UniformDequantize
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let Some(q) = quantization::parameters(&operand.element) else { return Err(vec![format!("I1: the operand must be quantized, got {operand}")]) };
        Ok(vec![operand.with_element(q.expressed.clone()).with_dims(operand.dims.clone()).into()]) // C1, C2
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![quantization::dequantize(shape::operand(operands, 0)?, cx.planes).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        if operands.iter().any(|o| !o.error.is_exact()) {
            return Ok(region_bound::undetermined(values));
        }
        // One rounding of the difference, one of the scale, one of the product.
        let result = shape::operand(values, 0)?;
        let (u, tiny) = (unit_roundoff(result.element()), subnormal_roundoff(result.element()));
        let errors = result.to_f64s().iter().map(|v| rounded(*v, 2.1 * u * v.abs(), u, tiny)).collect();
        Ok(vec![Bound::absolute(errors)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, q) = (s.dims(), sample_type(s));
        Sampler::single(UniformDequantize, &[Type::tensor(dims, ElementType::Quantized(q))], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_constraint_is_checked() {
        let q = sample_type(&mut Sampler::new(1, 4));
        let infer = |operand: Type| UniformDequantize.infer(&InferContext { operands: &[operand], declared: &[], regions: &[] });
        assert_eq!(infer(Type::tensor([2], ElementType::Quantized(q))), Ok(vec![Type::tensor([2], ElementType::F32)]));
        assert!(infer(Type::tensor([2], ElementType::I8)).unwrap_err()[0].starts_with("I1"));
    }
}
