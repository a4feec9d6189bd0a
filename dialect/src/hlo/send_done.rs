//! `send_done` (HLO): waits for a `send`.
//!
//! Meaning: result = the token of the tuple that `send` gave. Inputs I1 operand (tuple). Constraints: I1 a tuple that ends with a token.
//! Kind: effect order. Numerics: none.
//! Example: `%1 = hlo.send_done %0 : (tuple<tensor<2xf32>, tensor<ui32>, !hlo.token>) -> !hlo.token`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::after_all::latest,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SendDone;

impl OpDef for SendDone {
    const NAME: &'static str = "send_done";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(_: &mut AttributeReader<'_>) -> SendDone {
        SendDone
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match cx.operands {
            [Type::Tuple(parts)] if parts.last() == Some(&Type::Token) => Ok(vec![Type::Token]),
            _ => Err(vec!["I1: expected the tuple of a send".to_string()]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![Value::Token(latest(operands) + 1)])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact; values.len()])
    }

    fn sample(s: &mut Sampler) -> Program {
        let parts = vec![Type::tensor(s.dims(), s.element(|_| true)), Type::tensor([], ElementType::U32), Type::Token];
        Sampler::single(SendDone, &[Type::tuple(parts)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operand_is_the_tuple_of_a_send() {
        let infer = |operand: Type| SendDone.infer(&InferContext { operands: &[operand], declared: &[], regions: &[] });
        assert_eq!(infer(Type::tuple(vec![Type::Token])), Ok(vec![Type::Token]));
        assert!(infer(Type::tuple(vec![])).unwrap_err()[0].starts_with("I1"));
        assert!(infer(Type::Token).unwrap_err()[0].starts_with("I1"));
    }
}
