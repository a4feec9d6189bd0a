//! `is_neg_inf`: elementwise test whether a float is -inf.
//!
//! Meaning: result = whether operand is -inf. Source: chlo.
//! Inputs I1 operand (float tensor). Constraints: C1 shape(operand) = shape(result); the result is i1.
//! Kind: selection on the IEEE plane. Numerics: exact.
//! Example: `%1 = hlo.is_neg_inf %0 : (tensor<2x3xf32>) -> tensor<2x3xi1>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IsNegInf;

impl OpDef for IsNegInf {
    const NAME: &'static str = "is_neg_inf";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> IsNegInf {
        IsNegInf
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::elementwise(cx, 1, elementwise::float, "float")?; // C1
        elementwise::predicate_type(operand)
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::predicate(operands, |x| x == f64::NEG_INFINITY)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // A float that is finite and off by a finite bound is a finite number in exact arithmetic too.
        let x = operands[0]
            .value
            .as_tensor()
            .map(Tensor::to_f64s)
            .unwrap_or_default();
        elementwise::bound_exact_op(values, |i| {
            if operands[0].error.at(i) == 0.0 || x[i].is_finite() {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(IsNegInf, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        for element in [
            ElementType::F64,
            ElementType::F32,
            ElementType::F16,
            ElementType::BF16,
            ElementType::F8E5M2,
        ] {
            let x = testing::tensor(
                element,
                &[0.0, -2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN],
            );
            let (out, _) = testing::run(&IsNegInf, &[x]);
            assert_eq!(out.as_slice::<u8>(), [0, 0, 0, 1, 0]);
        }
    }
}
