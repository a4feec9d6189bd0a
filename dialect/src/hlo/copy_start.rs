//! `copy_start`: begins an asynchronous copy (HLO).
//!
//! Meaning: result = (copy of operand, operand, context); the context is 0. Inputs I1 operand. Constraints: C1 the result is a tuple of two values of
//! the operand's type up to layout and a scalar of integers.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.copy_start %0 : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>, tensor<ui32>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CopyStart {
    /// Which parameter of another program this copy prefetches; a matter of scheduling.
    pub cross_program_prefetch_index: Option<i64>,
}

/// Parts of a tuple type.
fn parts(t: &Type) -> &[Type] {
    match t {
        Type::Tuple(parts) => parts,
        Type::Tensor(_) | Type::Token => &[],
    }
}

impl OpDef for CopyStart {
    const NAME: &'static str = "copy_start";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CopyStart {
        CopyStart { cross_program_prefetch_index: reader.opt_int("cross_program_prefetch_index") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with_some("cross_program_prefetch_index", self.cross_program_prefetch_index)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [operand] = cx.operands else { return Err(vec![format!("expected 1 operand, got {}", cx.operands.len())]) };
        let Some(declared) = cx.declared.first() else {
            return Ok(vec![Type::tuple(vec![operand.clone(), operand.clone(), Type::tensor([], ElementType::U32)])]);
        };
        let is_context = |t: &Type| t.as_tensor().is_some_and(|t| t.rank() == 0 && t.element.is_integer());
        match parts(declared) {
            [copy, source, context] if copy.compatible(operand) && source.compatible(operand) && is_context(context) => Ok(vec![declared.clone()]),
            _ => Err(vec![format!("C1: copy_start of {operand} is declared {declared}")]),
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = operands.first().ok_or_else(|| Stop::internal("copy_start without operand"))?;
        let element = results.first().and_then(|t| parts(t).get(2)).and_then(Type::as_tensor).map_or(ElementType::U32, |t| t.element.clone());
        let context = Tensor::from_i64s(&[], &element, &[0]);
        Ok(vec![Value::Tuple(vec![operand.clone(), operand.clone(), context.into()])])
    }

    /// A tuple has no bound of its own.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        if operands.iter().all(|o| o.error.is_exact()) { Ok(vec![Bound::Exact]) } else { Err(Stop::unsupported("error bound through a tuple")) }
    }

    fn sample(s: &mut Sampler) -> Program {
        Sampler::single(CopyStart { cross_program_prefetch_index: None }, &[Type::tensor(s.dims(), s.element(|_| true))], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, planes::Planes};

    #[test]
    fn gives_the_copy_the_operand_and_a_context() {
        let op = CopyStart { cross_program_prefetch_index: None };
        let program = with_regions(op, &[i32s(&[2])], &[], &[]).unwrap();
        let x: Value = ints(&[2], &[3, 4]).into();
        let out = run_program(&program, vec![x.clone()], Planes::IeeeOnly).unwrap();
        let context = Tensor::from_slice(&[], ElementType::U32, &[0u32]);
        assert_eq!(out, [Value::Tuple(vec![x.clone(), x, context.into()])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = || CopyStart { cross_program_prefetch_index: Some(1) };
        assert_violates("C1", op(), &[f32s(&[2])], &[f32s(&[2])]);
        assert_violates("C1", op(), &[f32s(&[2])], &[Type::tuple(vec![f32s(&[2]), f32s(&[3]), i32s(&[])])]);
        assert_violates("C1", op(), &[f32s(&[2])], &[Type::tuple(vec![f32s(&[2]), f32s(&[2]), i32s(&[1])])]);
    }
}
