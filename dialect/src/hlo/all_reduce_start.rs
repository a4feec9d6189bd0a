//! `all_reduce_start` (HLO): starts `all_reduce`; `all_reduce_done` gives its results.
//!
//! Meaning: results = all_reduce(operands).
//! Inputs and constraints: those of `all_reduce`; C0 the declared results are as said.
//! Kind: control. Numerics: those of `all_reduce`.
//! Example: `%1 = hlo.all_reduce_start %0 {..} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{all_reduce::AllReduce, region_bound},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllReduceStart {
    pub op: AllReduce,
}

impl OpDef for AllReduceStart {
    const NAME: &'static str = "all_reduce_start";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AllReduceStart {
        AllReduceStart { op: AllReduce::from_attributes(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.op.to_attributes()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        self.op.infer(cx)
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        self.op.eval(operands, results, cx)
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let ty = Type::tensor(s.dims(), element.clone());
        let groups = crate::hlo::collective::Groups { replica_groups: vec![vec![0]], ..Default::default() };
        crate::hlo::all_reduce::sample_reduction(AllReduceStart { op: AllReduce { groups } }, &ty, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hlo::grid_test_runner::{Grid, ints}, types::ElementType as E};

    #[test]
    fn the_sum_of_the_group() {
        let groups = crate::hlo::collective::Groups { replica_groups: vec![vec![0, 1]], ..Default::default() };
        let op = AllReduceStart { op: AllReduce { groups } };
        let got = Grid { replicas: 2, partitions: 1 }.run(&op, &[vec![ints(&[1], &[7])], vec![ints(&[1], &[8])]]);
        assert_eq!(got.concat(), [ints(&[1], &[15]), ints(&[1], &[15])]);
        let t = Type::tensor([1], E::I64);
        let wrong = op.infer(&InferContext { operands: &[t], declared: &[], regions: &[] });
        assert!(wrong.unwrap_err()[0].contains("region"));
    }
}
