//! `all_gather`: concatenates the operands of all processes of a group.
//!
//! Meaning: results[i] = concatenate of operands[i] of every process of the group, in its order, along all_gather_dim.
//! Inputs I1 operands, I2 all_gather_dim, I3 replica_groups, I4 channel_id, I5 use_global_device_ids. Constraints: C1 all_gather_dim in range; C2, C4
//! replica_groups unique and not negative (their size, C3, is known when the program runs); C5 flattened ids need a channel; C6 result types are the
//! operands' with dimension all_gather_dim times the size of a group.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.all_gather %0 {all_gather_dim = 1, replica_groups = [[0, 1]]} : (tensor<2x2xi64>) -> tensor<2x4xi64>`.

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
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllGather {
    pub all_gather_dim: i64,
    pub groups: Groups,
}

impl OpDef for AllGather {
    const NAME: &'static str = "all_gather";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AllGather {
        AllGather { all_gather_dim: reader.int("all_gather_dim"), groups: Groups::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new().with("all_gather_dim", self.all_gather_dim))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C2", "C4", "C5");
        if operands.iter().any(|t| self.all_gather_dim < 0 || self.all_gather_dim >= t.rank() as i64) {
            wrong.push(format!("C1: all_gather_dim {} is out of range", self.all_gather_dim));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut results = vec![];
        for (i, t) in operands.iter().enumerate() {
            let declared = cx.declared.get(i).and_then(Type::as_tensor);
            match collective::grown(t, self.all_gather_dim as usize, self.groups.size(), declared) {
                Ok(dims) => results.push(t.with_dims(dims).into()),
                Err(e) => wrong.push(format!("C6: {e}")),
            }
        }
        if wrong.is_empty() { Ok(results) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let group = self.groups.group(self.groups.reducing(), cx)?;
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        (0..operands.len()).map(|i| Ok(collective::joined(&collective::column(&all, i)?, self.all_gather_dim)?.into())).collect()
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor([s.range(1, 3), s.range(1, 3)], s.element(|e| *e != ElementType::I1));
        let op = AllGather { all_gather_dim: s.range(0, 1) as i64, groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() } };
        Sampler::single(op, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        attribute::Attributes,
        hlo::grid_test_runner::{Grid, ints},
        location::Location,
    };

    fn op(all_gather_dim: i64, rows: &[&[i64]]) -> AllGather {
        AllGather { all_gather_dim, groups: Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() } }
    }

    #[test]
    fn the_example_of_the_specification() {
        let got = Grid { replicas: 2, partitions: 1 }.run(&op(1, &[&[0, 1]]), &[vec![ints(&[2, 2], &[1, 2, 3, 4])], vec![ints(&[2, 2], &[5, 6, 7, 8])]]);
        assert_eq!(got[0], [ints(&[2, 4], &[1, 2, 5, 6, 3, 4, 7, 8])]);
        assert_eq!(got[1], got[0]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let infer = |op: AllGather, declared: &[Type]| op.infer(&InferContext { operands: &[t(&[2, 3])], declared, regions: &[] });
        assert_eq!(infer(op(1, &[&[0, 1]]), &[]), Ok(vec![t(&[2, 6])]));
        assert!(infer(op(2, &[&[0]]), &[]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(op(0, &[&[0, 0]]), &[]).unwrap_err()[0].starts_with("C2"));
        assert!(infer(op(0, &[&[-1]]), &[]).unwrap_err()[0].starts_with("C4"));
        let mut global = op(0, &[&[0]]);
        global.groups.use_global_device_ids = true;
        assert!(infer(global, &[]).unwrap_err()[0].starts_with("C5"));
        assert!(infer(op(1, &[]), &[t(&[2, 5])]).unwrap_err()[0].starts_with("C6"));
        let location = Location::default();
        let mut reader = AttributeReader::new("all_gather", Attributes::new().with("all_gather_dim", 0i64).with("replica_groups", 3i64), &location);
        AllGather::from_attributes(&mut reader);
        assert!(reader.finish().is_err());
    }
}
