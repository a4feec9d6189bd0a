//! `recv`: receives values from a channel.
//!
//! Meaning: results = the next values that the source of this process (source_target_pairs) or the host sent on the channel, then a token. HLO's first
//! half of a transfer gives the tuple (values.., context, token); the values are received by `recv_done`. Until then they are zeros, the context is 1 +
//! the flat number of the sender (0: the host, 2^32 - 1: no one) and the token the number of the channel.
//! Inputs I1 token, I2 channel_id, I3 channel_type, I4 is_host_transfer, I5 source_target_pairs. Constraints: C1 pairs have two numbers; C2, C3 sources,
//! targets unique; C4 not negative; C5 channel_type is that of the transfer; I1; results are tensors and a token.
//! Kind: effect. Numerics: values as given.
//! Example: `%1:2 = hlo.recv %0 {channel_id = 1, channel_type = 1, source_target_pairs = [[0, 1]]} : (!hlo.token) -> (tensor<2xi64>, !hlo.token)`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{Effect, EvalContext, Route, Stop, Trap},
    hlo::{
        after_all::latest,
        collective::zeros_like,
        region_bound, shape,
        transfer::Transfer,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recv {
    pub transfer: Transfer,
}

/// Context of a transfer that no one sends.
pub const NO_SENDER: u32 = u32::MAX;

/// The next values of a route, which must have these types; seen as an effect.
pub fn receive(route: Route, types: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
    let values = cx.runner.receive(route, types)?;
    if values.len() != types.len() || values.iter().zip(types).any(|(v, t)| !v.ty().compatible(t)) {
        return Err(Stop::Trap(Trap::ShapeMismatch(format!("channel {} holds values of other types", route.channel))));
    }
    cx.events.effects.push(Effect { kind: format!("recv on channel {}", route.channel), values: values.clone() });
    Ok(values)
}

impl OpDef for Recv {
    const NAME: &'static str = "recv";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Recv {
        Recv { transfer: Transfer::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.transfer.attributes()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let mut wrong = self.transfer.violations();
        if cx.operands != [Type::Token] {
            wrong.push("I1: expected one token".to_string());
        }
        let flat = match cx.declared {
            [Type::Tuple(parts)] => &parts[..],
            all => all,
        };
        let fits = matches!(flat.split_last(), Some((Type::Token, payload)) if payload.iter().all(|t| t.as_tensor().is_some()));
        if !fits {
            wrong.push("results must be tensors and a token".to_string());
        }
        if wrong.is_empty() { Ok(cx.declared.to_vec()) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let route = self.transfer.receiving(&cx.runner.process());
        let zeros = |types: &[Type]| -> Result<Vec<Value>, Stop> {
            let one = |i: usize, t: &Type| -> Result<Value, Stop> {
                let element = t.as_tensor().map_or(ElementType::F32, |t| t.element.clone());
                let dims = shape::result_dims(types, i)?;
                let like = Tensor::from_i64s(&dims, &element, &vec![0; crate::tensor::count(&dims)]);
                Ok(zeros_like(&like, cx.planes).into())
            };
            types.iter().enumerate().map(|(i, t)| one(i, t)).collect()
        };
        match results {
            [Type::Tuple(parts)] => {
                let payload = &parts[..parts.len().saturating_sub(2)];
                let sender = match route.map(|r| r.ends) {
                    Some(Some((source, _))) => 1 + source as u32,
                    None => NO_SENDER,
                    Some(None) => 0,
                };
                let context = Tensor::from_slice(&[], ElementType::U32, &[sender]).into();
                let values = zeros(payload)?.into_iter().chain([context, Value::Token(self.transfer.channel_id as u64)]);
                Ok(vec![Value::Tuple(values.collect())])
            }
            _ => {
                let payload = &results[..results.len().saturating_sub(1)];
                let mut values = match route {
                    Some(route) => receive(route, payload, cx)?,
                    None => zeros(payload)?,
                };
                values.push(Value::Token(latest(operands) + 1));
                Ok(values)
            }
        }
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let transfer = Transfer { channel_id: 1, channel_type: 3, is_host_transfer: true, source_target_pairs: vec![] };
        Sampler::single(Recv { transfer }, &[Type::Token], &[ty, Type::Token])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
    };

    fn op(pairs: &[&[i64]], channel_type: i64) -> Recv {
        let source_target_pairs = pairs.iter().map(|p| p.to_vec()).collect();
        Recv { transfer: Transfer { channel_id: 1, channel_type, is_host_transfer: false, source_target_pairs } }
    }

    #[test]
    fn a_process_that_no_one_sends_to_gets_zeros() {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let results = [Type::tensor([2], ElementType::I32), Type::Token];
        let got = op(&[&[0, 1]], 1).eval(&[Value::Token(0)], &results, &mut cx).unwrap();
        assert_eq!(got, [Tensor::from_i64s(&[2], &ElementType::I32, &[0, 0]).into(), Value::Token(1)]);
        assert!(op(&[&[1, 0]], 1).eval(&[Value::Token(0)], &results, &mut cx).is_err(), "one process alone receives nothing");
    }

    #[test]
    fn each_constraint_is_checked() {
        let good = [Type::tensor([2], ElementType::F32), Type::Token];
        let infer = |op: Recv, operands: &[Type], declared: &[Type]| op.infer(&InferContext { operands, declared, regions: &[] });
        assert!(infer(op(&[], 1), &[Type::Token], &good).is_ok());
        for (tag, got) in [
            ("C1", infer(op(&[&[0]], 1), &[Type::Token], &good)),
            ("C2", infer(op(&[&[0, 1], &[0, 2]], 1), &[Type::Token], &good)),
            ("C3", infer(op(&[&[0, 1], &[2, 1]], 1), &[Type::Token], &good)),
            ("C4", infer(op(&[&[-1, 1]], 1), &[Type::Token], &good)),
            ("C5", infer(op(&[], 3), &[Type::Token], &good)),
            ("I1", infer(op(&[], 1), &[], &good)),
            ("results", infer(op(&[], 1), &[Type::Token], &good[..1])),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
