//! `domain` (HLO): the border of two sharding domains.
//!
//! Meaning: result = operand. Inputs I1 operand (any value); what HLO says of the domains stays beside the op. Constraints: C1 one operand; C2
//! type(result) = type(operand).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.domain %0 : tensor<2xf32>`.

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
pub struct Domain;

impl OpDef for Domain {
    const NAME: &'static str = "domain";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Domain {
        Domain
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match cx.operands {
            [operand] => Ok(vec![operand.clone()]), // C2
            _ => Err(vec![format!("C1: expected 1 operand, got {}", cx.operands.len())]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(operands.to_vec())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::passed(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        Sampler::single(Domain, &[Type::tensor(s.dims(), s.element(|_| true))], &[])
    }
}
