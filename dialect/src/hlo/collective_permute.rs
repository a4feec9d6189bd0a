//! `collective_permute`: sends operands from process to process.
//!
//! Meaning: results = the operands of the process that source_target_pairs name as the source of this one; zeros without such a pair.
//! Inputs I1 operands, I2 source_target_pairs (replicas of a partition, or with a positive channel partitions of a replica), I3 channel_id.
//! Constraints: C1 pairs have two numbers; C2 sources unique; C3 targets unique; C4 not negative; C5 result types are the operands'.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.collective_permute %0 {source_target_pairs = [[0, 1], [1, 2]]} : (tensor<2x2xi64>) -> tensor<2x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        collective::{self, Groups, non_default, read_rows, rows_attribute},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectivePermute {
    pub source_target_pairs: Vec<Vec<i64>>,
    /// 0: none.
    pub channel_id: i64,
}

/// Violations of pairs: C1 to C4.
pub fn pair_violations(pairs: &[Vec<i64>]) -> Vec<String> {
    let mut wrong = vec![];
    if pairs.iter().any(|p| p.len() != 2) {
        return vec![format!("C1: source_target_pairs {pairs:?} must be pairs")];
    }
    for (tag, end) in [("C2", 0), ("C3", 1)] {
        if (1..pairs.len()).any(|i| pairs[..i].iter().any(|p| p[end] == pairs[i][end])) {
            wrong.push(format!("{tag}: source_target_pairs {pairs:?} repeat a number"));
        }
    }
    if pairs.iter().flatten().any(|n| *n < 0) {
        wrong.push(format!("C4: source_target_pairs {pairs:?} must not be negative"));
    }
    wrong
}

impl OpDef for CollectivePermute {
    const NAME: &'static str = "collective_permute";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CollectivePermute {
        CollectivePermute {
            source_target_pairs: read_rows(reader, "source_target_pairs").unwrap_or_default(),
            channel_id: reader.opt_int("channel_id").unwrap_or(0),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("source_target_pairs", rows_attribute(&self.source_target_pairs)).with_some("channel_id", non_default(self.channel_id))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::tensors(cx, cx.operands.len())?;
        let wrong = pair_violations(&self.source_target_pairs);
        if wrong.is_empty() { Ok(cx.operands.to_vec()) } else { Err(wrong) } // C5
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        // Everyone who may send or receive meets: all replicas of the partition, or all partitions of the replica.
        let groups = Groups { channel_id: self.channel_id, ..Groups::default() };
        let group = groups.group(groups.moving(), cx)?;
        let me = collective::position(&group, cx) as i64;
        let all = groups.meet(&group, operands.to_vec(), cx)?;
        let source = self.source_target_pairs.iter().find(|p| p.get(1) == Some(&me)).and_then(|p| usize::try_from(p[0]).ok());
        match source.and_then(|s| all.get(s)) {
            Some(values) => Ok(values.clone()),
            None => (0..operands.len()).map(|i| Ok(collective::zeros_like(shape::operand(operands, i)?, cx.planes).into())).collect(),
        }
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(CollectivePermute { source_target_pairs: vec![vec![0, 0]], channel_id: 0 }, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        types::ElementType,
    };

    fn op(pairs: &[&[i64]], channel_id: i64) -> CollectivePermute {
        CollectivePermute { source_target_pairs: pairs.iter().map(|p| p.to_vec()).collect(), channel_id }
    }

    #[test]
    fn the_example_of_the_specification_and_partitions() {
        let three: Vec<_> = (1..4).map(|i| vec![ints(&[2], &[i, 10 * i])]).collect();
        let pairs: &[&[i64]] = &[&[0, 1], &[1, 2]];
        let got = Grid { replicas: 3, partitions: 1 }.run(&op(pairs, 0), &three);
        let want = [ints(&[2], &[0, 0]), ints(&[2], &[1, 10]), ints(&[2], &[2, 20])];
        assert_eq!(got.concat(), want);
        let got = Grid { replicas: 1, partitions: 3 }.run(&op(pairs, 1), &three);
        assert_eq!(got.concat(), want);
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |op: CollectivePermute| op.infer(&InferContext { operands: &[Type::tensor([2], ElementType::F32)], declared: &[], regions: &[] });
        assert!(infer(op(&[&[0, 1]], 0)).is_ok());
        assert!(infer(op(&[&[0]], 0)).unwrap_err()[0].starts_with("C1"));
        assert!(infer(op(&[&[0, 1], &[0, 2]], 0)).unwrap_err()[0].starts_with("C2"));
        assert!(infer(op(&[&[0, 1], &[2, 1]], 0)).unwrap_err()[0].starts_with("C3"));
        assert!(infer(op(&[&[-1, 1]], 0)).unwrap_err()[0].starts_with("C4"));
    }
}
