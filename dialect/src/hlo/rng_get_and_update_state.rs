//! `rng_get_and_update_state` (HLO): the state of the module's random number generator, which goes on by `delta`.
//!
//! Meaning: result = the low and high word of the state before; the state after = the state before + delta, modulo 2^128. XLA's first state is 0x7012395
//! (xla/service/llvm_ir/llvm_util.cc). Inputs I1 delta. Constraints: C1 the result is a tensor<2xui64>.
//! Kind: effect: a use changes what the next one gives. Numerics: exact. The state of a run begins anew; XLA keeps it from run to run of one executable.
//! Example: `%0 = hlo.rng_get_and_update_state {delta = 64} : tensor<2xui64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::shape,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Dim, ElementType, Type},
};

const FIRST_STATE: u128 = 0x0701_2395;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RngGetAndUpdateState {
    pub delta: i64,
}

impl OpDef for RngGetAndUpdateState {
    const NAME: &'static str = "rng_get_and_update_state";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> RngGetAndUpdateState {
        RngGetAndUpdateState { delta: reader.int("delta") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("delta", self.delta)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::tensors(cx, 0)?;
        let result = shape::declared(cx, 0)?;
        if result.element != ElementType::U64 || result.dims[..] != [Dim::Static(2)] {
            return Err(vec![format!("C1: the result must be a tensor<2xui64>, got {result}")]);
        }
        Ok(vec![Type::Tensor(result.clone())])
    }

    fn eval(&self, _: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let state = FIRST_STATE.wrapping_add(cx.events.generator_steps);
        cx.events.generator_steps = cx.events.generator_steps.wrapping_add(self.delta as i128 as u128);
        Ok(vec![Tensor::from_slice(&[2], ElementType::U64, &[state as u64, (state >> 64) as u64]).into()])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact])
    }

    fn sample(s: &mut Sampler) -> Program {
        let delta = s.range(1, 100) as i64;
        Sampler::single(RngGetAndUpdateState { delta }, &[], &[Type::tensor([2], ElementType::U64)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        eval_test_runner::assert_violates,
        planes::Planes,
    };

    #[test]
    fn each_use_sees_what_the_last_one_left() {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut draw = |delta| {
            let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
            let got = RngGetAndUpdateState { delta }.eval(&[], &[], &mut cx).unwrap();
            got[0].as_tensor().unwrap().as_slice::<u64>().to_vec()
        };
        assert_eq!(draw(64), [0x0701_2395, 0]);
        assert_eq!(draw(-0x0701_23d6), [0x0701_23d5, 0]);
        assert_eq!(draw(2), [u64::MAX, u64::MAX]);
        assert_eq!(draw(1), [1, 0]);
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", RngGetAndUpdateState { delta: 1 }, &[], &[Type::tensor([2], ElementType::I64)]);
        assert_violates("C1", RngGetAndUpdateState { delta: 1 }, &[], &[Type::tensor([3], ElementType::U64)]);
    }
}
