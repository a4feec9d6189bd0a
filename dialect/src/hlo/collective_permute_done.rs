//! `collective_permute_done` (HLO): the results of `collective_permute_start`.
//!
//! Meaning: as `async_done`. Inputs I1 operands (what `collective_permute_start` gave, flat). Constraints: C1 as `async_done`.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.collective_permute_done %1#0, %1#1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::async_done::AsyncDone,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectivePermuteDone;

impl OpDef for CollectivePermuteDone {
    const NAME: &'static str = "collective_permute_done";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> CollectivePermuteDone {
        CollectivePermuteDone
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        AsyncDone.infer(cx)
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        AsyncDone.eval(operands, results, cx)
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        AsyncDone.bound(operands, results, values, cx)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(CollectivePermuteDone, &[ty.clone(), ty.clone(), Type::tensor([], ElementType::U32)], &[ty])
    }
}
