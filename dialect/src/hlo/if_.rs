//! `if`: runs one of two regions.
//!
//! Meaning: result = pred ? true_branch() : false_branch(). Branches capture what they use.
//! Inputs I1 pred (tensor<i1>, rank 0), I2 true_branch (region 0), I3 false_branch (region 1). Constraints: C1 the branches take nothing; C2 both
//! give values of the same types; C3 type(results) = those types.
//! Kind: control; the predicate is read on the IEEE plane and counted. Numerics: the branches'.
//! Example: `%0 = hlo.if(%pred) {..} else {..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{region_bound, shape},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct If;

/// Whether values of types `a` may stand where `b` are declared.
pub fn fits(a: &[Type], b: &[Type]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.compatible(y))
}

impl OpDef for If {
    const NAME: &'static str = "if";
    const KIND: Kind = Kind::Control;

    fn from_attributes(_: &mut AttributeReader<'_>) -> If {
        If
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let pred = shape::tensors(cx, 1)?[0];
        let [yes, no] = cx.regions else { return Err(vec![format!("expected 2 regions, got {}", cx.regions.len())]) };
        let mut wrong = vec![];
        if pred.rank() != 0 || pred.element != ElementType::I1 {
            wrong.push(format!("I1: the predicate must be tensor<i1>, got {pred}"));
        }
        if !yes.arguments.is_empty() || !no.arguments.is_empty() {
            wrong.push("C1: the branches must take no arguments".to_string());
        }
        if !fits(&yes.results, &no.results) {
            wrong.push("C2: the branches must give the same types".to_string());
        }
        if wrong.is_empty() { Ok(yes.results.clone()) } else { Err(wrong) } // C3
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let pred = region_bound::scalar(operands.first()).ok_or_else(|| Stop::internal("if without predicate"))? != 0;
        cx.events.predicates[usize::from(pred)] += 1;
        cx.run(if pred { 0 } else { 1 }, vec![])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", &[Type::tensor([], ElementType::I1), ty.clone(), ty], Location::default());
        b.begin_region(&[]);
        let yes = b.end_region(&outer[1..2], Location::default());
        b.begin_region(&[]);
        let no = b.end_region(&outer[2..], Location::default());
        let results = b.infer(crate::op::Op::Hlo(If.into()), &outer[..1], &[], vec![yes, no], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::RegionType;

    #[test]
    fn each_constraint_is_checked() {
        let (bit, f) = (Type::tensor([], ElementType::I1), Type::tensor([2], ElementType::F32));
        let region = |arguments: &[Type], results: &[Type]| RegionType { arguments: arguments.to_vec(), results: results.to_vec() };
        let infer = |pred: &Type, regions: &[RegionType]| If.infer(&InferContext { operands: std::slice::from_ref(pred), declared: &[], regions });
        let good = region(&[], std::slice::from_ref(&f));
        assert_eq!(infer(&bit, &[good.clone(), good.clone()]), Ok(vec![f.clone()]));
        assert!(infer(&f, &[good.clone(), good.clone()]).unwrap_err()[0].starts_with("I1"));
        assert!(infer(&bit, &[region(std::slice::from_ref(&f), std::slice::from_ref(&f)), good.clone()]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(&bit, &[good, region(&[], std::slice::from_ref(&bit))]).unwrap_err()[0].starts_with("C2"));
    }
}
