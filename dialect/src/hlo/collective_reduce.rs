//! `collective_reduce`: reduces the operands of a group onto one process of it.
//!
//! Meaning: results[j] in the first process of the group (with has_dynamic_root the one at place operands[last][j]) = operands[j] of the group folded by
//! the computation; zeros in every other process.
//! Inputs I1 operands, I2 replica_groups, I3 channel_id, I4 has_dynamic_root, I5 computation (region). Constraints: C1, C2 replica_groups unique and not
//! negative; C3 shapes of the results are the operands' (but the roots); C4 the computation takes two scalars of a type E that the operands convert to
//! and gives one, or the roots are no vector of i32.
//! Kind: control (the computation decides). Numerics: order free.
//! Example: `%1 = hlo.collective_reduce(%0) {..} {replica_groups = [[0, 1]]} : (tensor<1x2xi64>) -> tensor<1x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        all_reduce::sample_reduction,
        collective::{self, Groups},
        collective_broadcast::{data_operands, root},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CollectiveReduce {
    pub groups: Groups,
    pub has_dynamic_root: bool,
}

impl OpDef for CollectiveReduce {
    const NAME: &'static str = "collective_reduce";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CollectiveReduce {
        CollectiveReduce { groups: Groups::read(reader), has_dynamic_root: reader.opt_bool("has_dynamic_root").unwrap_or(false) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new().with_some("has_dynamic_root", self.has_dynamic_root.then_some(true)))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C1", "C2", "C2");
        let n = data_operands(cx, self.has_dynamic_root).map_err(|more| [wrong.clone(), more].concat())?;
        match collective::computation(cx, "C4", &operands[..n]) {
            Ok(e) if wrong.is_empty() => Ok(operands[..n].iter().map(|t| t.with_dims(t.dims.clone()).with_element(e.clone()).into()).collect()), // C3
            Ok(_) => Err(wrong),
            Err(more) => {
                wrong.extend(more);
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let dynamic = self.has_dynamic_root;
        let n = operands.len() - usize::from(dynamic);
        let group = self.groups.group_of(self.groups.moving(), &cx.runner.process());
        let all = match &group {
            Some(group) => self.groups.meet(group, operands.to_vec(), cx)?,
            None => vec![operands.to_vec()],
        };
        let mut out = vec![];
        for j in 0..n {
            // Outside every group, too, the reduction of the process's own value gives the type of the zeros.
            let sum = collective::reduce(&collective::column(&all, j)?, results, j, cx)?;
            let mine = match &group {
                Some(group) => root(operands, j, group.len(), dynamic)? == collective::position(group, cx),
                None => false,
            };
            out.push(if mine { sum.into() } else { collective::zeros_like(&sum, cx.planes).into() });
        }
        Ok(out)
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let ty = Type::tensor(s.dims(), element.clone());
        let op = CollectiveReduce { groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() }, has_dynamic_root: false };
        sample_reduction(op, &ty, element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        op::RegionType,
        tensor::Tensor,
        types::ElementType,
    };

    fn op(rows: &[&[i64]], has_dynamic_root: bool) -> CollectiveReduce {
        let groups = Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() };
        CollectiveReduce { groups, has_dynamic_root }
    }

    #[test]
    fn the_examples_of_the_specification() {
        let operand = |i: i64| ints(&[1, 2], &[2 * i + 1, 2 * i + 2]);
        let (sum, zeros) = (ints(&[1, 2], &[16, 20]), ints(&[1, 2], &[0, 0]));
        let grid = Grid { replicas: 4, partitions: 1 };
        let got = grid.run(&op(&[&[0, 1, 2, 3]], false), &(0..4).map(|i| vec![operand(i)]).collect::<Vec<_>>());
        assert_eq!(got.concat(), [sum.clone(), zeros.clone(), zeros.clone(), zeros.clone()]);
        let three = Tensor::from_i64s(&[1], &ElementType::I32, &[3]);
        let got = grid.run(&op(&[&[0, 1, 2, 3]], true), &(0..4).map(|i| vec![operand(i), three.clone()]).collect::<Vec<_>>());
        assert_eq!(got.concat(), [zeros.clone(), zeros.clone(), zeros, sum]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let scalar = Type::tensor([], ElementType::F32);
        let body = |n: usize| RegionType { arguments: vec![scalar.clone(); n], results: vec![scalar.clone()] };
        let infer =
            |op: CollectiveReduce, body: RegionType| op.infer(&InferContext { operands: &[Type::tensor([2], ElementType::F32)], declared: &[], regions: &[body] });
        assert!(infer(op(&[&[0, 0]], false), body(2)).unwrap_err()[0].starts_with("C1"));
        assert!(infer(op(&[&[-1]], false), body(2)).unwrap_err()[0].starts_with("C2"));
        assert!(infer(op(&[], false), body(1)).unwrap_err()[0].starts_with("C4"));
        assert!(infer(op(&[], true), body(2)).unwrap_err()[0].starts_with("C4"));
        assert!(op(&[], false).infer(&InferContext { operands: &[], declared: &[], regions: &[body(2)] }).unwrap_err()[0].starts_with("C3"));
    }
}
