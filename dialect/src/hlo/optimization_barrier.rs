//! `optimization_barrier`: passes values through; operations before it are done before those after it.
//!
//! Meaning: result = operand. Inputs I1 operand (tensors or tokens). Constraints: C1 type(result) = type(operand).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1:2 = hlo.optimization_barrier %a, %b : tensor<f32>, tensor<f32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::region_bound,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OptimizationBarrier;

impl OpDef for OptimizationBarrier {
    const NAME: &'static str = "optimization_barrier";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> OptimizationBarrier {
        OptimizationBarrier
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(cx.operands.to_vec()) // C1
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(operands.to_vec())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::passed(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let types: Vec<Type> = (0..s.range(0, 3)).map(|_| Type::tensor(s.dims(), s.element(|_| true))).collect();
        Sampler::single(OptimizationBarrier, &types, &[])
    }
}
