//! `infeed`: reads values from the host's stream.
//!
//! Meaning: results = the next values of the infeed, then a token. Inputs I1 token, I2 infeed_config, layout. Constraints: C1 at least one result; C2 all
//! but the last are tensors; C3 the last is a token.
//! Kind: effect. Numerics: values as given.
//! Example: `%1:2 = hlo.infeed %0 {infeed_config = ""} : (!hlo.token) -> (tensor<2x2xi64>, !hlo.token)`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{Effect, EvalContext, Stop, Trap},
    hlo::{after_all::latest, region_bound},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Infeed {
    pub infeed_config: String,
    pub layout: Option<Attribute>,
}

impl OpDef for Infeed {
    const NAME: &'static str = "infeed";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Infeed {
        Infeed { infeed_config: reader.opt_str("infeed_config").unwrap_or_default(), layout: reader.take("layout") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("infeed_config", self.infeed_config.as_str()).with_some("layout", self.layout.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if cx.operands != [Type::Token] {
            return Err(vec!["I1: expected one token".to_string()]);
        }
        let Some((last, payload)) = cx.declared.split_last() else { return Err(vec!["C1: expected at least one result".to_string()]) };
        let mut wrong = vec![];
        if payload.iter().any(|t| t.as_tensor().is_none()) {
            wrong.push("C2: results before the token must be tensors".to_string());
        }
        if *last != Type::Token {
            wrong.push(format!("C3: the last result must be a token, got {last}"));
        }
        if wrong.is_empty() { Ok(cx.declared.to_vec()) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let payload = &results[..results.len().saturating_sub(1)];
        let mut values = cx.runner.infeed(&self.infeed_config, payload)?;
        if values.len() != payload.len() || values.iter().zip(payload).any(|(v, t)| !v.ty().compatible(t)) {
            return Err(Stop::Trap(Trap::ShapeMismatch("the infeed holds values of other types".to_string())));
        }
        cx.events.effects.push(Effect { kind: "infeed".to_string(), values: values.clone() });
        values.push(Value::Token(latest(operands) + 1));
        Ok(values)
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(Infeed { infeed_config: "feed".to_string(), layout: None }, &[Type::Token], &[ty, Type::Token])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ElementType;

    #[test]
    fn each_constraint_is_checked() {
        let f = || Type::tensor([2], ElementType::F32);
        let infer = |operands: &[Type], declared: &[Type]| Infeed { infeed_config: String::new(), layout: None }.infer(&InferContext { operands, declared, regions: &[] });
        assert!(infer(&[Type::Token], &[f(), Type::Token]).is_ok());
        assert!(infer(&[f()], &[f(), Type::Token]).unwrap_err()[0].starts_with("I1"));
        assert!(infer(&[Type::Token], &[]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(&[Type::Token], &[Type::Token, Type::Token]).unwrap_err()[0].starts_with("C2"));
        assert!(infer(&[Type::Token], &[f()]).unwrap_err()[0].starts_with("C3"));
    }
}
