//! `collective_broadcast`: gives the operands of one process of a group to all of it.
//!
//! Meaning: results[j] = operands[j] of the first process of the group, or with has_dynamic_root of the process at place operands[last][j] of it;
//! zeros in processes outside every group.
//! Inputs I1 operands, I2 replica_groups, I3 channel_id, I4 has_dynamic_root. Constraints: C1, C2 replica_groups unique and not negative; C3, C5 result
//! types are the operands' (but the roots); C4 with has_dynamic_root the last operand is a vector of one i32 for each other operand; C6 roots are in
//! range of the group (seen when the program runs).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.collective_broadcast %0 {replica_groups = [[2, 1]]} : (tensor<1x2xi64>) -> tensor<1x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
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
pub struct CollectiveBroadcast {
    pub groups: Groups,
    pub has_dynamic_root: bool,
}

/// Number of data operands: all but the roots. Violations are C3 and C4.
pub fn data_operands(cx: &InferContext<'_>, has_dynamic_root: bool) -> Result<usize, Vec<String>> {
    let n = cx.operands.len();
    if !has_dynamic_root {
        return if n > 0 { Ok(n) } else { Err(vec!["C3: expected at least one operand".to_string()]) };
    }
    let roots = cx.operands.last().and_then(Type::as_tensor).and_then(|t| Some((t.static_dims()?, t.element.clone())));
    match roots {
        Some((dims, ElementType::I32)) if n >= 2 && dims == [n as u64 - 1] => Ok(n - 1),
        _ => Err(vec!["C4: the last operand must be a vector of one i32 for each other operand".to_string()]),
    }
}

/// Place in the group of the root of operand `j`.
pub fn root(operands: &[Value], j: usize, members: usize, has_dynamic_root: bool) -> Result<usize, Stop> {
    if !has_dynamic_root {
        return Ok(0);
    }
    let roots = shape::operand(operands, operands.len() - 1)?.to_i64s();
    let place = roots.get(j).and_then(|r| usize::try_from(*r).ok()).filter(|r| *r < members);
    place.ok_or_else(|| Stop::Trap(Trap::ShapeMismatch(format!("C6: roots {roots:?} in a group of {members}"))))
}

impl OpDef for CollectiveBroadcast {
    const NAME: &'static str = "collective_broadcast";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CollectiveBroadcast {
        CollectiveBroadcast { groups: Groups::read(reader), has_dynamic_root: reader.opt_bool("has_dynamic_root").unwrap_or(false) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new().with_some("has_dynamic_root", self.has_dynamic_root.then_some(true)))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C1", "C2", "C2");
        match data_operands(cx, self.has_dynamic_root) {
            Ok(n) if wrong.is_empty() => Ok(cx.operands[..n].to_vec()), // C3, C5
            Ok(_) => Err(wrong),
            Err(more) => {
                wrong.extend(more);
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let dynamic = self.has_dynamic_root;
        let n = operands.len() - usize::from(dynamic);
        let Some(group) = self.groups.group_of(self.groups.moving(), &cx.runner.process()) else {
            return (0..n).map(|j| Ok(collective::zeros_like(shape::operand(operands, j)?, cx.planes).into())).collect();
        };
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        (0..n).map(|j| Ok(collective::column(&all, j)?[root(operands, j, group.len(), dynamic)?].clone().into())).collect()
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let dynamic = s.range(0, 1) == 0;
        let mut operands = vec![ty];
        operands.extend(dynamic.then(|| Type::tensor([1], ElementType::I32)));
        let op = CollectiveBroadcast { groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() }, has_dynamic_root: dynamic };
        Sampler::single(op, &operands, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        tensor::Tensor,
    };

    fn op(rows: &[&[i64]], has_dynamic_root: bool) -> CollectiveBroadcast {
        let groups = Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() };
        CollectiveBroadcast { groups, has_dynamic_root }
    }

    #[test]
    fn the_example_of_the_specification() {
        let four: Vec<_> = (0..4).map(|i| vec![ints(&[1, 2], &[2 * i + 1, 2 * i + 2])]).collect();
        let got = Grid { replicas: 4, partitions: 1 }.run(&op(&[&[2, 1]], false), &four);
        let (zeros, source) = (ints(&[1, 2], &[0, 0]), ints(&[1, 2], &[5, 6]));
        assert_eq!(got.concat(), [zeros.clone(), source.clone(), source, zeros]);
    }

    #[test]
    fn a_root_by_its_place() {
        let root = Tensor::from_i64s(&[1], &ElementType::I32, &[1]);
        let two: Vec<_> = (0..2).map(|i| vec![ints(&[1], &[i + 7]), root.clone()]).collect();
        let got = Grid { replicas: 2, partitions: 1 }.run(&op(&[&[0, 1]], true), &two);
        assert_eq!(got.concat(), [ints(&[1], &[8]), ints(&[1], &[8])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = Type::tensor([2], ElementType::F32);
        let infer = |op: CollectiveBroadcast, operands: &[Type]| op.infer(&InferContext { operands, declared: &[], regions: &[] });
        assert!(infer(op(&[&[1, 1]], false), std::slice::from_ref(&t)).unwrap_err()[0].starts_with("C1"));
        assert!(infer(op(&[&[-1]], false), std::slice::from_ref(&t)).unwrap_err()[0].starts_with("C2"));
        assert!(infer(op(&[], false), &[]).unwrap_err()[0].starts_with("C3"));
        assert!(infer(op(&[], true), &[t.clone(), t]).unwrap_err()[0].starts_with("C4"));
    }
}
