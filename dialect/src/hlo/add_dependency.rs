//! `add_dependency` (HLO): a value that is not used before a token.
//!
//! Meaning: result = operand. Inputs I1 operand (any value), I2 token. Constraints: C1 two operands, the second a token; C2 type(result) =
//! type(operand).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.add_dependency %0, %1 : (tensor<2xf32>, !hlo.token) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::region_bound,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AddDependency;

impl OpDef for AddDependency {
    const NAME: &'static str = "add_dependency";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> AddDependency {
        AddDependency
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match cx.operands {
            [operand, Type::Token] => Ok(vec![operand.clone()]), // C2
            _ => Err(vec!["C1: expected a value and a token".to_string()]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(operands.iter().take(1).cloned().collect())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::passed(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        Sampler::single(AddDependency, &[Type::tensor(s.dims(), s.element(|_| true)), Type::Token], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_operand_is_a_token() {
        let f = Type::tensor([], crate::types::ElementType::F32);
        let infer = |operands: &[Type]| AddDependency.infer(&InferContext { operands, declared: &[], regions: &[] });
        assert_eq!(infer(&[f.clone(), Type::Token]), Ok(vec![f.clone()]));
        assert!(infer(&[f.clone(), f]).unwrap_err()[0].starts_with("C1"));
    }
}
