//! `ceil`: elementwise smallest integer at least the operand.
//!
//! Meaning: as the name says; infinities and NaN stay, zeros keep the operand's sign.
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: selection; the integer is chosen on the IEEE plane and embedded. Numerics: exact.
//! Example: `%1 = hlo.ceil %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ceil;

impl OpDef for Ceil {
    const NAME: &'static str = "ceil";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Ceil {
        Ceil
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::float, "float") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::real_function(operands, cx, f64::ceil, |r, x, out| {
            ring::function::chosen(r, x, out, f64::ceil)
        })
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // Undetermined where the operand may lie on the other side of a step.
        elementwise::bound_steps(operands, values, f64::ceil)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Ceil, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        testing::table(
            &Ceil,
            0.0,
            &[
                (1.5, 2.0),
                (-1.5, -1.0),
                (-0.5, -0.0),
                (2.0, 2.0),
                (f64::INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
                (0.25, 1.0),
            ],
        );
        let out = testing::residues(
            &Ceil,
            &[-3.0, f64::INFINITY, 6.75],
            &[77, ring::POSITIVE_INFINITY, 5],
        );
        assert_eq!(out[..2], [ring::P - 3, ring::POSITIVE_INFINITY]);
        assert!([6, 7].contains(&out[2]));
    }
}
