//! `copy_done`: the copy an asynchronous `copy_start` made (HLO).
//!
//! Meaning: result = operand[0]. Inputs I1 operand (what copy_start gave). Constraints: C1 operand is a tuple of three; C2 the result has the type of
//! its first part.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.copy_done %1 : (tuple<tensor<4xf32>, tensor<4xf32>, tensor<ui32>>) -> tensor<4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::copy_start::CopyStart,
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CopyDone;

impl OpDef for CopyDone {
    const NAME: &'static str = "copy_done";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> CopyDone {
        CopyDone
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [Type::Tuple(parts)] = cx.operands else { return Err(vec!["C1: the operand must be the tuple of a copy_start".to_string()]) };
        let [copy, _, _] = &parts[..] else { return Err(vec![format!("C1: the operand must be a tuple of 3, got {}", parts.len())]) };
        match cx.declared.first() {
            Some(declared) if !declared.compatible(copy) => Err(vec![format!("C2: copy_done of {copy} is declared {declared}")]),
            Some(declared) => Ok(vec![declared.clone()]),
            None => Ok(vec![copy.clone()]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        match operands {
            [Value::Tuple(parts)] => Ok(parts.iter().take(1).cloned().collect()),
            _ => Err(Stop::internal("copy_done of a value that is no tuple")),
        }
    }

    /// A tuple has no bound of its own: exact only if it is.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let exact = operands.iter().all(|o| o.error.is_exact());
        let of = |v: &Value| if exact { Bound::Exact } else { Bound::undetermined(v.as_tensor().map_or(0, Tensor::len)) };
        Ok(values.iter().map(of).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &[ty], Location::default());
        let start = Op::Hlo(CopyStart { cross_program_prefetch_index: None }.into());
        let started = b.infer(start, &arguments, &[], vec![], Location::default());
        let done = b.infer(Op::Hlo(CopyDone.into()), &started, &[], vec![], Location::default());
        b.end_function(&done, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, planes::Planes};

    #[test]
    fn start_and_done_give_the_operand_back() {
        let program = CopyDone::sample(&mut Sampler::new(1, 3));
        let ty = program.parameter_types()[0].as_tensor().unwrap().clone();
        let x = Tensor::from_f64s(&ty.static_dims().unwrap(), &ty.element, &vec![1.0; ty.elements().unwrap() as usize]);
        assert_eq!(run_program(&program, vec![x.clone().into()], Planes::IeeeOnly).unwrap(), [x.into()]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let tuple = |n: usize| Type::tuple(vec![f32s(&[2]); n]);
        assert_violates("C1", CopyDone, &[f32s(&[2])], &[]);
        assert_violates("C1", CopyDone, &[tuple(2)], &[]);
        assert_violates("C2", CopyDone, &[tuple(3)], &[f32s(&[3])]);
    }
}
