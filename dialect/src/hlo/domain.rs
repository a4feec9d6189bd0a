//! `domain` (HLO): the border of two sharding domains.
//!
//! Meaning: result = operand. Inputs I1 operand (any value), I2 kind, I3 entry, I4 exit (what HLO says of the two domains). Constraints: C1 one operand;
//! C2 type(result) = type(operand).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.domain %0 {kind = "sharding"} : tensor<2xf32>`.

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
pub struct Domain {
    pub kind: String,
    pub entry: String,
    pub exit: String,
}

impl OpDef for Domain {
    const NAME: &'static str = "domain";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Domain {
        let mut text = |name: &str| reader.opt_str(name).unwrap_or_default();
        Domain { kind: text("kind"), entry: text("entry"), exit: text("exit") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("kind", self.kind.as_str()).with("entry", self.entry.as_str()).with("exit", self.exit.as_str())
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
        let op = Domain { kind: "sharding".to_string(), entry: "{replicated}".to_string(), exit: String::new() };
        Sampler::single(op, &[Type::tensor(s.dims(), s.element(|_| true))], &[])
    }
}
