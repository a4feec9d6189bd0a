//! `create_token`: the start of a chain of effects.
//!
//! Meaning: result = a token that nothing precedes. No inputs.
//! Kind: effect order. Numerics: none.
//! Example: `%0 = hlo.create_token : !hlo.token`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CreateToken;

impl OpDef for CreateToken {
    const NAME: &'static str = "create_token";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(_: &mut AttributeReader<'_>) -> CreateToken {
        CreateToken
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if cx.operands.is_empty() { Ok(vec![Type::Token]) } else { Err(vec![format!("expected no operands, got {}", cx.operands.len())]) }
    }

    fn eval(&self, _: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![Value::Token(0)])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact; values.len()])
    }

    fn sample(_: &mut Sampler) -> Program {
        Sampler::single(CreateToken, &[], &[])
    }
}
