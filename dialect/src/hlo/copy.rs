//! `copy`: the same tensor in another buffer, perhaps under another layout (HLO).
//!
//! Meaning: result = operand. Inputs I1 operand. Constraints: C1 type(result) = type(operand) up to layout.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.copy %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Copy;

impl OpDef for Copy {
    const NAME: &'static str = "copy";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Copy {
        Copy
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [operand] = cx.operands else { return Err(vec![format!("expected 1 operand, got {}", cx.operands.len())]) };
        match cx.declared.first() {
            Some(declared) if declared.compatible(operand) => Ok(vec![declared.clone()]), // The layout is the declared one.
            Some(declared) => Err(vec![format!("C1: copy of {operand} is declared {declared}")]),
            None => Ok(vec![operand.clone()]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(operands.to_vec())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(operands.iter().map(|o| o.error.clone()).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        Sampler::single(Copy, &[Type::tensor(s.dims(), s.element(|_| true))], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval_test_runner::*,
        types::{Layout, TensorType},
    };

    #[test]
    fn keeps_the_value_and_takes_the_declared_layout() {
        let layout = Some(Layout { minor_to_major: vec![0, 1], tiles: vec![] });
        let declared: Type = TensorType { layout, ..(**f32s(&[2, 2]).as_tensor().unwrap()).clone() }.into();
        let x = floats(&[2, 2], &[1., 2., 3., 4.]);
        let program = with_regions(Copy, &[f32s(&[2, 2])], std::slice::from_ref(&declared), &[]).unwrap();
        assert_eq!(program.main().results, [declared]);
        assert_eq!(eval(Copy, std::slice::from_ref(&x), &[]).unwrap()[0].as_slice::<f32>(), x.as_slice::<f32>());
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", Copy, &[f32s(&[2])], &[f32s(&[3])]);
        assert_violates("C1", Copy, &[f32s(&[2])], &[i32s(&[2])]);
    }
}
