//! `outfeed`: writes values to the host's stream.
//!
//! Meaning: inputs become the next values of the outfeed; result = a token. Inputs I1 inputs (tensors), I2 token, I3 outfeed_config. Constraints: I1, I2.
//! Kind: effect. Numerics: values as they are.
//! Example: `%1 = hlo.outfeed %x, %0 {outfeed_config = ""} : (tensor<2xi64>, !hlo.token) -> !hlo.token`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{Effect, EvalContext, Stop},
    hlo::after_all::latest,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Outfeed {
    pub outfeed_config: String,
}

/// Values and a token at the end; violations of I1, I2.
pub fn values_and_token(cx: &InferContext<'_>) -> Result<(), Vec<String>> {
    match cx.operands.split_last() {
        Some((Type::Token, values)) if values.iter().all(|t| *t != Type::Token) => Ok(()),
        Some((Type::Token, _)) => Err(vec!["I1: only the last operand may be a token".to_string()]),
        Some(_) | None => Err(vec!["I2: the last operand must be a token".to_string()]),
    }
}

impl OpDef for Outfeed {
    const NAME: &'static str = "outfeed";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Outfeed {
        Outfeed { outfeed_config: reader.opt_str("outfeed_config").unwrap_or_default() }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("outfeed_config", self.outfeed_config.as_str())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        values_and_token(cx)?;
        Ok(vec![Type::Token])
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let values = operands[..operands.len().saturating_sub(1)].to_vec();
        cx.events.effects.push(Effect { kind: "outfeed".to_string(), values });
        Ok(vec![Value::Token(latest(operands) + 1)])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact; values.len()])
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(Outfeed { outfeed_config: "feed".to_string() }, &[ty, Type::Token], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
        tensor::Tensor,
        types::ElementType,
    };

    #[test]
    fn values_are_seen_outside_and_the_token_moves_on() {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let x = Value::from(Tensor::from_i64s(&[1], &ElementType::I32, &[7]));
        let got = Outfeed { outfeed_config: String::new() }.eval(&[x.clone(), Value::Token(3)], &[], &mut cx).unwrap();
        assert_eq!(got, [Value::Token(4)]);
        assert_eq!(events.effects, [Effect { kind: "outfeed".to_string(), values: vec![x] }]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = || Type::tensor([2], ElementType::F32);
        let infer = |operands: &[Type]| Outfeed { outfeed_config: String::new() }.infer(&InferContext { operands, declared: &[], regions: &[] });
        assert!(infer(&[f(), Type::Token]).is_ok());
        assert!(infer(&[Type::Token, Type::Token]).unwrap_err()[0].starts_with("I1"));
        assert!(infer(&[f()]).unwrap_err()[0].starts_with("I2"));
    }
}
