//! `reduce_scatter`: reduces the operands of a group and gives every process one part of the result.
//!
//! Meaning: result = part p of all_reduce(operand) split along scatter_dimension into as many parts as the group has processes, p the place of this one.
//! Inputs I1 operand, I2 scatter_dimension, I3 replica_groups, I4 channel_id, I5 use_global_device_ids, I6 computation (region). Constraints: C1 the
//! scatter size divides; C2 scatter_dimension in range; C3, C5 replica_groups unique and not negative (their size, C4, is known when the program runs);
//! C6 flattened ids need a channel; C7 the computation takes two scalars of a type E that the operand converts to and gives one; C8, C9 the result has
//! the operand's shape with the scatter dimension divided and element type E.
//! Kind: control (the computation decides). Numerics: order free.
//! Example: `%1 = hlo.reduce_scatter(%0) {..} {scatter_dimension = 1, replica_groups = [[0, 1]]} : (tensor<2x4xi64>) -> tensor<2x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        all_reduce::sample_reduction,
        collective::{self, Groups},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReduceScatter {
    pub scatter_dimension: i64,
    pub groups: Groups,
}

impl OpDef for ReduceScatter {
    const NAME: &'static str = "reduce_scatter";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> ReduceScatter {
        ReduceScatter { scatter_dimension: reader.int("scatter_dimension"), groups: Groups::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new().with("scatter_dimension", self.scatter_dimension))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C3", "C5", "C6");
        if operands.iter().any(|t| self.scatter_dimension < 0 || self.scatter_dimension >= t.rank() as i64) {
            wrong.push(format!("C2: scatter_dimension {} is out of range", self.scatter_dimension));
        }
        let element = collective::computation(cx, "C7", &operands).map_err(|more| wrong.extend(more));
        let (true, Ok(element)) = (wrong.is_empty(), element) else { return Err(wrong) };
        let mut results = vec![];
        for (i, t) in operands.iter().enumerate() {
            let declared = cx.declared.get(i).and_then(Type::as_tensor);
            match collective::shrunk(t, self.scatter_dimension as usize, self.groups.size(), declared) {
                Ok(dims) => results.push(t.with_dims(dims).with_element(element.clone()).into()), // C8, C9
                Err(e) => wrong.push(format!("C1: {e}")),
            }
        }
        if wrong.is_empty() { Ok(results) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let group = self.groups.group(self.groups.reducing(), cx)?;
        let me = collective::position(&group, cx);
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        (0..operands.len())
            .map(|i| {
                let sum = collective::reduce(&collective::column(&all, i)?, results, i, cx)?;
                Ok(collective::part(&sum, self.scatter_dimension as usize, me, group.len())?.into())
            })
            .collect()
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let ty = Type::tensor([s.range(1, 3), s.range(1, 3)], element.clone());
        let op = ReduceScatter { scatter_dimension: s.range(0, 1) as i64, groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() } };
        sample_reduction(op, &ty, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        op::RegionType,
        types::ElementType,
    };

    fn op(scatter_dimension: i64, rows: &[&[i64]]) -> ReduceScatter {
        ReduceScatter { scatter_dimension, groups: Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() } }
    }

    #[test]
    fn the_example_of_the_specification() {
        let two = [vec![ints(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])], vec![ints(&[2, 4], &[9, 10, 11, 12, 13, 14, 15, 16])]];
        let got = Grid { replicas: 2, partitions: 1 }.run(&op(1, &[&[0, 1]]), &two);
        assert_eq!(got[0], [ints(&[2, 2], &[10, 12, 18, 20])]);
        assert_eq!(got[1], [ints(&[2, 2], &[14, 16, 22, 24])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let scalar = Type::tensor([], ElementType::F32);
        let body = |n: usize| RegionType { arguments: vec![scalar.clone(); n], results: vec![scalar.clone()] };
        let infer = |op: ReduceScatter, body: RegionType| op.infer(&InferContext { operands: &[Type::tensor([2, 4], ElementType::F32)], declared: &[], regions: &[body] });
        assert_eq!(infer(op(1, &[&[0, 1]]), body(2)), Ok(vec![Type::tensor([2, 2], ElementType::F32)]));
        let mut global = op(1, &[&[0]]);
        global.groups.use_global_device_ids = true;
        for (tag, got) in [
            ("C1", infer(op(1, &[&[0, 1, 2]]), body(2))),
            ("C2", infer(op(2, &[&[0]]), body(2))),
            ("C3", infer(op(1, &[&[1, 1]]), body(2))),
            ("C5", infer(op(1, &[&[-1]]), body(2))),
            ("C6", infer(global, body(2))),
            ("C7", infer(op(1, &[&[0]]), body(1))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
