//! `recv_done` (HLO): waits for the values of a `recv`.
//!
//! Meaning: results = the values and a token; the operand names the sender in its context and the channel in its token (see `recv`). Inputs I1 operand
//! (tuple of values, context, token). Constraints: I1; the results are the values and a token.
//! Kind: effect. Numerics: values as given.
//! Example: `%1:2 = hlo.recv_done %0 : (tuple<tensor<2xf32>, tensor<ui32>, !hlo.token>) -> (tensor<2xf32>, !hlo.token)`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Route, Stop},
    hlo::{collective::flat, recv::{NO_SENDER, receive}, region_bound},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecvDone;

impl OpDef for RecvDone {
    const NAME: &'static str = "recv_done";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(_: &mut AttributeReader<'_>) -> RecvDone {
        RecvDone
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match cx.operands {
            [Type::Tuple(parts)] if parts.len() >= 2 && parts.last() == Some(&Type::Token) => {
                Ok(parts[..parts.len() - 2].iter().cloned().chain([Type::Token]).collect())
            }
            _ => Err(vec!["I1: expected the tuple of a recv".to_string()]),
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let [Value::Tuple(parts)] = operands else { return Err(Stop::internal("recv_done of no tuple")) };
        let [payload @ .., context, Value::Token(channel)] = &parts[..] else { return Err(Stop::internal("recv_done of another tuple")) };
        let sender = region_bound::scalar(Some(context)).ok_or_else(|| Stop::internal("recv_done without context"))? as u64;
        let ends = (sender > 0).then(|| (sender - 1, flat(&cx.runner.process())));
        let types = &results[..results.len().saturating_sub(1)];
        let mut values = if sender == u64::from(NO_SENDER) { payload.to_vec() } else { receive(Route { channel: *channel as i64, ends }, types, cx)? };
        values.push(Value::Token(1));
        Ok(values)
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let parts = vec![ty, Type::tensor([], ElementType::U32), Type::Token];
        Sampler::single(RecvDone, &[Type::tuple(parts)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
        tensor::Tensor,
    };

    #[test]
    fn a_transfer_without_sender_keeps_its_zeros() {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let zeros = Value::from(Tensor::from_i64s(&[2], &ElementType::I32, &[0, 0]));
        let tuple = |sender: u32| Value::Tuple(vec![zeros.clone(), Tensor::from_slice(&[], ElementType::U32, &[sender]).into(), Value::Token(7)]);
        let results = [zeros.ty(), Type::Token];
        assert_eq!(RecvDone.eval(&[tuple(NO_SENDER)], &results, &mut cx).unwrap()[0], zeros);
        assert!(RecvDone.eval(&[tuple(0)], &results, &mut cx).is_err(), "no host");
    }

    #[test]
    fn the_operand_is_the_tuple_of_a_recv() {
        let infer = |operand: Type| RecvDone.infer(&InferContext { operands: &[operand], declared: &[], regions: &[] });
        assert!(infer(Type::tuple(vec![Type::Token])).unwrap_err()[0].starts_with("I1"));
        assert!(infer(Type::Token).unwrap_err()[0].starts_with("I1"));
    }
}
