//! `all_reduce`: reduces the operands of all processes of a group.
//!
//! Meaning: results[i] = operands[i] of every process of the group folded by the computation, element by element, in any binary tree over the group's
//! order. Inputs I1 operands, I2 replica_groups, I3 channel_id, I4 use_global_device_ids, I5 computation (region). Constraints: C1, C3 replica_groups
//! unique and not negative (their size, C2, is known when the program runs); C4 flattened ids need a channel; C5 the computation takes two scalars of a
//! type E that the operands convert to and gives one; C6, C7 results have the operands' shapes and element type E.
//! Kind: control (the computation decides). Numerics: order free.
//! Example: `%1 = hlo.all_reduce(%0) {..} {replica_groups = [[0, 1]]} : (tensor<4xi64>) -> tensor<4xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{
        collective::{self, Groups},
        region_bound, shape,
    },
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllReduce {
    pub groups: Groups,
}

impl OpDef for AllReduce {
    const NAME: &'static str = "all_reduce";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AllReduce {
        AllReduce { groups: Groups::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, cx.operands.len())?;
        let mut wrong = self.groups.violations("C1", "C3", "C4");
        match collective::computation(cx, "C5", &operands) {
            Ok(element) if wrong.is_empty() => Ok(operands.iter().map(|t| t.with_dims(t.dims.clone()).with_element(element.clone()).into()).collect()), // C6, C7
            Ok(_) => Err(wrong),
            Err(more) => {
                wrong.extend(more);
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let group = self.groups.group(self.groups.reducing(), cx)?;
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        (0..operands.len()).map(|i| Ok(collective::reduce(&collective::column(&all, i)?, results, i, cx)?.into())).collect()
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let ty = Type::tensor(s.dims(), element.clone());
        sample_reduction(AllReduce { groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() } }, &ty, element)
    }
}

/// A program of one collective that sums operands of type `ty`.
pub fn sample_reduction(op: impl Into<crate::hlo::Op>, ty: &Type, element: ElementType) -> Program {
    let scalar = Type::tensor([], element);
    let mut b = ProgramBuilder::new("sample", Provenance::Number);
    let arguments = b.begin_function("main", std::slice::from_ref(ty), Location::default());
    let inner = b.begin_region(&[scalar.clone(), scalar]);
    let sum = b.infer(crate::op::Op::Hlo(super::add::Add.into()), &inner, &[], vec![], Location::default());
    let body = b.end_region(&sum, Location::default());
    let results = b.infer(crate::op::Op::Hlo(op.into()), &arguments, &[], vec![body], Location::default());
    b.end_function(&results, Location::default());
    b.program().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hlo::grid_test_runner::{Grid, ints},
        op::RegionType,
    };

    fn op(rows: &[&[i64]]) -> AllReduce {
        AllReduce { groups: Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() } }
    }

    #[test]
    fn the_example_of_the_specification_and_groups_of_their_own() {
        let four: Vec<_> = (0..4).map(|i| vec![ints(&[2], &[i, 10 * i])]).collect();
        let got = Grid { replicas: 4, partitions: 1 }.run(&op(&[&[0, 2], &[3, 1]]), &four);
        assert_eq!(got[0], [ints(&[2], &[2, 20])]);
        assert_eq!((&got[2], &got[1], &got[3]), (&got[0], &vec![ints(&[2], &[4, 40])], &got[1]));
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |e: ElementType| Type::tensor([], e);
        let body = |a: ElementType, b: ElementType| RegionType { arguments: vec![t(a.clone()), t(a)], results: vec![t(b)] };
        let infer = |op: AllReduce, body: RegionType| op.infer(&InferContext { operands: &[Type::tensor([2], ElementType::BF16)], declared: &[], regions: &[body] });
        let f = || body(ElementType::F32, ElementType::F32);
        assert_eq!(infer(op(&[&[0]]), f()), Ok(vec![Type::tensor([2], ElementType::F32)]));
        assert!(infer(op(&[&[0], &[0]]), f()).unwrap_err()[0].starts_with("C1"));
        assert!(infer(op(&[&[-2]]), f()).unwrap_err()[0].starts_with("C3"));
        let mut global = op(&[]);
        global.groups.use_global_device_ids = true;
        assert!(infer(global, f()).unwrap_err()[0].starts_with("C4"));
        assert!(infer(op(&[]), body(ElementType::F32, ElementType::I32)).unwrap_err()[0].starts_with("C5"));
        assert!(infer(op(&[]), body(ElementType::I32, ElementType::I32)).unwrap_err()[0].starts_with("C5"));
    }
}
