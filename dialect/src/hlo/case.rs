//! `case`: runs one of several regions.
//!
//! Meaning: result = branches[index](); an index out of range takes the last branch. Branches capture what they use.
//! Inputs I1 index (tensor<i32>, rank 0), I2 branches (regions). Constraints: C1 at least one branch; C2 branches take nothing; C3 all give values
//! of the same types; C4 type(results) = those types.
//! Kind: control; the index is read on the IEEE plane; branch 0 counts as false, every other as true. Numerics: the branches'.
//! Example: `%0 = hlo.case(%index) {..}, {..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{if_::fits, region_bound, shape},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case;

impl Case {
    /// The branch that `index` of `branches` takes.
    pub fn branch(index: i64, branches: usize) -> usize {
        usize::try_from(index).ok().filter(|i| *i < branches).unwrap_or(branches.saturating_sub(1))
    }
}

impl OpDef for Case {
    const NAME: &'static str = "case";
    const KIND: Kind = Kind::Control;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Case {
        Case
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let index = shape::tensors(cx, 1)?[0];
        let Some((first, rest)) = cx.regions.split_first() else { return Err(vec!["C1: expected at least one branch".to_string()]) };
        let mut wrong = vec![];
        if index.rank() != 0 || index.element != ElementType::I32 {
            wrong.push(format!("I1: the index must be tensor<i32>, got {index}"));
        }
        if cx.regions.iter().any(|r| !r.arguments.is_empty()) {
            wrong.push("C2: the branches must take no arguments".to_string());
        }
        if rest.iter().any(|r| !fits(&r.results, &first.results)) {
            wrong.push("C3: the branches must give the same types".to_string());
        }
        if wrong.is_empty() { Ok(first.results.clone()) } else { Err(wrong) } // C4
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let index = region_bound::scalar(operands.first()).ok_or_else(|| Stop::internal("case without index"))?;
        let branch = Case::branch(index, cx.runner.region_count());
        cx.events.predicates[usize::from(branch != 0)] += 1;
        cx.run(branch, vec![])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", &[Type::tensor([], ElementType::I32), ty], Location::default());
        let branches = (0..s.range(1, 3))
            .map(|_| {
                b.begin_region(&[]);
                b.end_region(&outer[1..], Location::default())
            })
            .collect();
        let results = b.infer(crate::op::Op::Hlo(Case.into()), &outer[..1], &[], branches, Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::RegionType;

    #[test]
    fn an_index_out_of_range_takes_the_last_branch() {
        assert_eq!([-1, 0, 1, 2, 3, i64::from(i32::MIN)].map(|i| Case::branch(i, 3)), [2, 0, 1, 2, 2, 2]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let (index, f) = (Type::tensor([], ElementType::I32), Type::tensor([2], ElementType::F32));
        let region = |arguments: &[Type], results: &[Type]| RegionType { arguments: arguments.to_vec(), results: results.to_vec() };
        let infer = |index: &Type, regions: &[RegionType]| Case.infer(&InferContext { operands: std::slice::from_ref(index), declared: &[], regions });
        let good = region(&[], std::slice::from_ref(&f));
        assert_eq!(infer(&index, std::slice::from_ref(&good)), Ok(vec![f.clone()]));
        assert!(infer(&f, std::slice::from_ref(&good)).unwrap_err()[0].starts_with("I1"));
        assert!(infer(&index, &[]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(&index, &[good.clone(), region(&[f], &[])]).unwrap_err()[0].starts_with("C2"));
        assert!(infer(&index, &[good, region(&[], &[])]).unwrap_err()[0].starts_with("C3"));
    }
}
