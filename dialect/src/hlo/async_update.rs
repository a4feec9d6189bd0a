//! `async_update` (HLO): a step of an asynchronous computation.
//!
//! Meaning: results = operands. Inputs I1 operands (what `async_start` gave). Constraints: C1 result types are the operands'.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2:3 = hlo.async_update %1#0, %1#1, %1#2 : (tensor<2xf32>, tensor<2xf32>, tensor<ui32>) -> ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::region_bound,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AsyncUpdate;

impl OpDef for AsyncUpdate {
    const NAME: &'static str = "async_update";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> AsyncUpdate {
        AsyncUpdate
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
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(AsyncUpdate, &[ty.clone(), ty, Type::tensor([], ElementType::U32)], &[])
    }
}
