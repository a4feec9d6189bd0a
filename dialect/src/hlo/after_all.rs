//! `after_all`: joins chains of effects: what follows comes after everything before the operands.
//!
//! Meaning: result = a token after all input tokens. Inputs I1 inputs (tokens). Constraints: I1 only.
//! Kind: effect order. Numerics: none.
//! Example: `%2 = hlo.after_all %0, %1 : !hlo.token`.

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
pub struct AfterAll;

/// The latest position among the tokens of `values`, 0 without one.
pub fn latest(values: &[Value]) -> u64 {
    let position = |v: &Value| match v {
        Value::Token(n) => *n,
        Value::Tensor(_) => 0,
        Value::Tuple(parts) => latest(parts),
    };
    values.iter().map(position).max().unwrap_or(0)
}

impl OpDef for AfterAll {
    const NAME: &'static str = "after_all";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(_: &mut AttributeReader<'_>) -> AfterAll {
        AfterAll
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match cx.operands.iter().find(|t| **t != Type::Token) {
            Some(other) => Err(vec![format!("I1: inputs must be tokens, got {other}")]),
            None => Ok(vec![Type::Token]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![Value::Token(latest(operands))])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact; values.len()])
    }

    fn sample(s: &mut Sampler) -> Program {
        let inputs = vec![Type::Token; s.range(0, 3) as usize];
        Sampler::single(AfterAll, &inputs, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_token_is_taken_and_tensors_are_refused() {
        assert_eq!(latest(&[Value::Token(3), Value::Token(7), Value::Tuple(vec![Value::Token(5)])]), 7);
        let f = Type::tensor([], crate::types::ElementType::F32);
        let wrong = AfterAll.infer(&InferContext { operands: &[Type::Token, f], declared: &[], regions: &[] });
        assert!(wrong.unwrap_err()[0].starts_with("I1"));
    }
}
