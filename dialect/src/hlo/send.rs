//! `send`: sends values along a channel.
//!
//! Meaning: inputs go to the targets that source_target_pairs name for this process, or to the host; result = a token. HLO's first half of a transfer
//! gives the tuple (inputs.., context, token) that `send_done` takes.
//! Inputs I1 inputs (tensors), I2 token, I3 channel_id, I4 channel_type, I5 is_host_transfer, I6 source_target_pairs. Constraints: C1 pairs have two
//! numbers; C2, C3 sources, targets unique; C4 not negative; C5 channel_type is that of the transfer; I1, I2.
//! Kind: effect. Numerics: values as they are.
//! Example: `%1 = hlo.send %x, %0 {channel_id = 1, channel_type = 1, source_target_pairs = [[0, 1]]} : (tensor<2xi64>, !hlo.token) -> !hlo.token`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{Effect, EvalContext, Stop},
    hlo::{after_all::latest, outfeed::values_and_token, transfer::Transfer},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Send {
    pub transfer: Transfer,
}

impl OpDef for Send {
    const NAME: &'static str = "send";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Send {
        Send { transfer: Transfer::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.transfer.attributes()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let mut wrong = self.transfer.violations();
        wrong.extend(values_and_token(cx).err().into_iter().flatten());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        match cx.declared {
            [Type::Tuple(parts)] if parts.len() > cx.operands.len() && parts.last() == Some(&Type::Token) => Ok(cx.declared.to_vec()),
            _ => Ok(vec![Type::Token]),
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let inputs = operands[..operands.len().saturating_sub(1)].to_vec();
        for route in self.transfer.sending(&cx.runner.process()) {
            cx.runner.send(route, inputs.clone())?;
        }
        cx.events.effects.push(Effect { kind: format!("send on channel {}", self.transfer.channel_id), values: inputs.clone() });
        let token = Value::Token(latest(operands) + 1);
        match results {
            [Type::Tuple(_)] => {
                let context = Tensor::from_slice(&[], ElementType::U32, &[0u32]).into();
                Ok(vec![Value::Tuple(inputs.into_iter().chain([context, token]).collect())])
            }
            _ => Ok(vec![token]),
        }
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact; values.len()])
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let transfer = Transfer { channel_id: 1, channel_type: 1, is_host_transfer: false, source_target_pairs: vec![vec![0, 1]] };
        Sampler::single(Send { transfer }, &[ty, Type::Token], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_constraint_is_checked() {
        let f = || Type::tensor([2], ElementType::F32);
        let op = |pairs: &[&[i64]], channel_type| Send {
            transfer: Transfer { channel_id: 1, channel_type, is_host_transfer: false, source_target_pairs: pairs.iter().map(|p| p.to_vec()).collect() },
        };
        let infer = |op: Send, operands: &[Type]| op.infer(&InferContext { operands, declared: &[], regions: &[] });
        let good = [f(), Type::Token];
        assert_eq!(infer(op(&[&[0, 1]], 1), &good), Ok(vec![Type::Token]));
        for (tag, got) in [
            ("C1", infer(op(&[&[0]], 1), &good)),
            ("C2", infer(op(&[&[0, 1], &[0, 2]], 1), &good)),
            ("C3", infer(op(&[&[0, 1], &[2, 1]], 1), &good)),
            ("C4", infer(op(&[&[-1, 1]], 1), &good)),
            ("C5", infer(op(&[], 2), &good)),
            ("I2", infer(op(&[], 1), &[f()])),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
