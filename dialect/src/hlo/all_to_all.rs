//! `all_to_all`: every process of a group sends each other one a part of its operand.
//!
//! Meaning: results[i] = concatenate along concat_dimension of part p of operands[i] of every process of the group, p the receiver's place in it, each
//! operand split into split_count parts along split_dimension.
//! Inputs I1 operands, I2 split_dimension, I3 concat_dimension, I4 split_count, I5 replica_groups, I6 channel_id. Constraints: C1, C3 dimensions in
//! range; C2 the split size divides; C4 split_count positive; C5, C7 replica_groups unique and not negative (their number, C6, is known when the
//! program runs); C8 groups have split_count members; C9 result types are the operands' with the split dimension divided and the concat dimension
//! multiplied.
//! Kind: movement. Numerics: bits are kept.
//! Example: `hlo.all_to_all %0 {split_dimension = 1, concat_dimension = 0, split_count = 2, replica_groups = [[0, 1]]} : (tensor<2x4xi64>) -> tensor<4x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        collective::{self, Groups},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllToAll {
    pub split_dimension: i64,
    pub concat_dimension: i64,
    pub split_count: i64,
    pub groups: Groups,
}

impl OpDef for AllToAll {
    const NAME: &'static str = "all_to_all";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AllToAll {
        AllToAll {
            split_dimension: reader.int("split_dimension"),
            concat_dimension: reader.int("concat_dimension"),
            split_count: reader.int("split_count"),
            groups: Groups::read(reader),
        }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(
            Attributes::new().with("split_dimension", self.split_dimension).with("concat_dimension", self.concat_dimension).with("split_count", self.split_count),
        )
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C5", "C7", "C6");
        for (tag, d) in [("C1", self.split_dimension), ("C3", self.concat_dimension)] {
            if operands.iter().any(|t| d < 0 || d >= t.rank() as i64) {
                wrong.push(format!("{tag}: dimension {d} is out of range"));
            }
        }
        if self.split_count <= 0 {
            wrong.push(format!("C4: split_count must be positive, got {}", self.split_count));
        }
        if self.groups.replica_groups.iter().any(|g| g.len() as i64 != self.split_count) {
            wrong.push(format!("C8: groups must have {} members: {:?}", self.split_count, self.groups.replica_groups));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (split, concat, n) = (self.split_dimension as usize, self.concat_dimension as usize, self.split_count as u64);
        let mut results = vec![];
        for t in &operands {
            let mut dims = t.dims.clone();
            if let Dim::Static(size) = dims[split] {
                if size % n != 0 {
                    wrong.push(format!("C2: size {size} of dimension {split} is no multiple of {n}"));
                }
                dims[split] = Dim::Static(size / n);
            }
            if let Dim::Static(size) = dims[concat] {
                dims[concat] = Dim::Static(size * n); // C9
            }
            results.push(t.with_dims(dims).into());
        }
        if wrong.is_empty() { Ok(results) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let group = self.groups.group(self.groups.moving(), cx)?;
        let me = collective::position(&group, cx);
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        (0..operands.len())
            .map(|i| {
                let senders = collective::column(&all, i)?;
                let parts: Vec<Tensor> =
                    senders.iter().map(|t| collective::part(t, self.split_dimension as usize, me, self.split_count as usize)).collect::<Result<_, _>>()?;
                Ok(collective::joined(&parts.iter().collect::<Vec<_>>(), self.concat_dimension)?.into())
            })
            .collect()
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor([s.range(1, 3), s.range(1, 3)], s.element(|_| true));
        let groups = Groups { replica_groups: vec![vec![0]], ..Groups::default() };
        let op = AllToAll { split_dimension: s.range(0, 1) as i64, concat_dimension: s.range(0, 1) as i64, split_count: 1, groups };
        Sampler::single(op, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        types::ElementType,
    };

    fn op(split_dimension: i64, concat_dimension: i64, split_count: i64, rows: &[&[i64]]) -> AllToAll {
        let groups = Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() };
        AllToAll { split_dimension, concat_dimension, split_count, groups }
    }

    #[test]
    fn the_example_of_the_specification() {
        let two = [vec![ints(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])], vec![ints(&[2, 4], &[9, 10, 11, 12, 13, 14, 15, 16])]];
        let got = Grid { replicas: 2, partitions: 1 }.run(&op(1, 0, 2, &[&[0, 1]]), &two);
        assert_eq!(got[0], [ints(&[4, 2], &[1, 2, 5, 6, 9, 10, 13, 14])]);
        assert_eq!(got[1], [ints(&[4, 2], &[3, 4, 7, 8, 11, 12, 15, 16])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let infer = |op: AllToAll| op.infer(&InferContext { operands: &[t(&[2, 4])], declared: &[], regions: &[] });
        assert_eq!(infer(op(1, 0, 2, &[&[0, 1]])), Ok(vec![t(&[4, 2])]));
        assert_eq!(infer(op(1, 1, 2, &[&[0, 1]])), Ok(vec![t(&[2, 4])]));
        for (tag, got) in [
            ("C1", infer(op(2, 0, 1, &[&[0]]))),
            ("C2", infer(op(1, 0, 3, &[&[0, 1, 2]]))),
            ("C3", infer(op(0, -1, 1, &[&[0]]))),
            ("C4", infer(op(0, 0, 0, &[&[]]))),
            ("C5", infer(op(0, 0, 2, &[&[0, 0]]))),
            ("C7", infer(op(0, 0, 2, &[&[0, -1]]))),
            ("C8", infer(op(0, 0, 2, &[&[0]]))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
