//! `collective_permute_start` (HLO): starts `collective_permute`; `collective_permute_done` gives its results.
//!
//! Meaning: results = operands, collective_permute(operands), contexts, flat.
//! Inputs and constraints: those of `collective_permute`; C0 the declared results are as said.
//! Kind: movement. Numerics: those of `collective_permute`.
//! Example: `%1 = hlo.collective_permute_start %0 {..} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        collective_permute::CollectivePermute,
        async_start::{context, is_context},
        if_::fits,
        region_bound,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectivePermuteStart {
    pub op: CollectivePermute,
}

impl OpDef for CollectivePermuteStart {
    const NAME: &'static str = "collective_permute_start";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CollectivePermuteStart {
        CollectivePermuteStart { op: CollectivePermute::from_attributes(reader) }
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
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let op = CollectivePermute { source_target_pairs: vec![vec![0, 0]], channel_id: 0 };
        Sampler::single(CollectivePermuteStart { op }, std::slice::from_ref(&ty), &[ty.clone(), ty.clone(), Type::tensor([], ElementType::U32)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hlo::grid_test_runner::{Grid, ints}, types::ElementType as E};

    #[test]
    fn operands_come_first() {
        let op = CollectivePermuteStart { op: CollectivePermute { source_target_pairs: vec![vec![0, 1]], channel_id: 0 } };
        let got = Grid { replicas: 2, partitions: 1 }.run(&op, &[vec![ints(&[1], &[7])], vec![ints(&[1], &[8])]]);
        assert_eq!(got[1], [ints(&[1], &[8]), ints(&[1], &[7])]);
        let t = Type::tensor([1], E::I64);
        let wrong = op.infer(&InferContext { operands: std::slice::from_ref(&t), declared: std::slice::from_ref(&t), regions: &[] });
        assert!(wrong.unwrap_err()[0].starts_with("C0"));
    }
}
