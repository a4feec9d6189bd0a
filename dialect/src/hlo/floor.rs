//! `floor`: elementwise largest integer at most the operand.
//!
//! Meaning: as the name says; infinities and NaN stay, zeros keep the operand's sign.
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: selection; the integer is chosen on the IEEE plane and embedded. Numerics: exact.
//! Example: `%1 = hlo.floor %0 : tensor<2x3xf32>`.

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
pub struct Floor;

impl OpDef for Floor {
    const NAME: &'static str = "floor";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Floor {
        Floor
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
        elementwise::real_function(operands, cx, f64::floor, |r, x, out| {
            ring::function::chosen(r, x, out, f64::floor)
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
        elementwise::bound_steps(operands, values, f64::floor)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Floor, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        testing::table(
            &Floor,
            0.0,
            &[
                (1.5, 1.0),
                (-1.5, -2.0),
                (-0.0, -0.0),
                (2.0, 2.0),
                (f64::NEG_INFINITY, f64::NEG_INFINITY),
                (f64::NAN, f64::NAN),
                (0.25, 0.0),
            ],
        );
        let out = testing::residues(
            &Floor,
            &[-3.0, f64::INFINITY, 6.75],
            &[77, ring::POSITIVE_INFINITY, 5],
        );
        assert_eq!(out[..2], [ring::P - 3, ring::POSITIVE_INFINITY]);
        assert!([6, 7].contains(&out[2]));
    }
}
