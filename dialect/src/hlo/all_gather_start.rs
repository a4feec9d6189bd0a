//! `all_gather_start` (HLO): starts `all_gather`; `all_gather_done` gives its results.
//!
//! Meaning: results = operands, all_gather(operands), contexts, flat.
//! Inputs and constraints: those of `all_gather`; C0 the declared results are as said.
//! Kind: movement. Numerics: those of `all_gather`.
//! Example: `%1 = hlo.all_gather_start %0 {..} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        all_gather::AllGather,
        async_start::{context, is_context},
        if_::fits,
        region_bound,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllGatherStart {
    pub op: AllGather,
}

impl OpDef for AllGatherStart {
    const NAME: &'static str = "all_gather_start";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AllGatherStart {
        AllGatherStart { op: AllGather::from_attributes(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.op.to_attributes()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let n = cx.operands.len();
        let inner = cx.declared.get(n..).unwrap_or_default();
        let results = self.op.infer(&InferContext { operands: cx.operands, declared: &inner[..n.min(inner.len())], regions: cx.regions })?;
        let whole = [cx.operands, &results].concat();
        if cx.declared.is_empty() {
            return Ok(whole);
        }
        let m = whole.len();
        if cx.declared.len() >= m && fits(&whole, &cx.declared[..m]) && cx.declared[m..].iter().all(is_context) {
            Ok([&whole, &cx.declared[m..]].concat())
        } else {
            Err(vec!["C0: the results must be the operands, the results of the collective and contexts".to_string()])
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let n = operands.len();
        let values = self.op.eval(operands, results.get(n..2 * n).unwrap_or_default(), cx)?;
        let contexts = results.iter().skip(2 * n).map(|t| context(t, n));
        Ok(operands.iter().cloned().chain(values).chain(contexts).collect())
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor([s.range(1, 3)], s.element(|_| true));
        let groups = crate::hlo::collective::Groups { replica_groups: vec![vec![0]], ..Default::default() };
        Sampler::single(AllGatherStart { op: AllGather { all_gather_dim: 0, groups } }, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hlo::grid_test_runner::{Grid, ints}, types::ElementType as E};

    #[test]
    fn operands_come_first() {
        let groups = crate::hlo::collective::Groups { replica_groups: vec![vec![0, 1]], ..Default::default() };
        let op = AllGatherStart { op: AllGather { all_gather_dim: 0, groups } };
        let got = Grid { replicas: 2, partitions: 1 }.run(&op, &[vec![ints(&[1], &[7])], vec![ints(&[1], &[8])]]);
        assert_eq!(got[1], [ints(&[1], &[8]), ints(&[2], &[7, 8])]);
        let t = Type::tensor([1], E::I64);
        let wrong = op.infer(&InferContext { operands: std::slice::from_ref(&t), declared: std::slice::from_ref(&t), regions: &[] });
        assert!(wrong.unwrap_err()[0].starts_with("C0"));
    }
}
