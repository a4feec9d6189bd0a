//! `atan`: elementwise inverse tangent.
//!
//! Meaning: result = arctan(operand), in radians; complex: principal value.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring atan2(x, 1), which is odd.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.atan %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, complex},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::ring::{self, function},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atan;

impl OpDef for Atan {
    const NAME: &'static str = "atan";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Atan {
        Atan
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::float_or_complex, "float or complex") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::function(
            operands,
            cx,
            f64::atan,
            complex::atan,
            function::atan,
            ring::complex::atan,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/(1 + x^2) is largest at the point of the interval nearest to 0.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            e / (1.0 + (x.abs() - e).max(0.0).powi(2))
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Atan, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Atan,
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, std::f64::consts::FRAC_PI_4),
                (f64::INFINITY, std::f64::consts::FRAC_PI_2),
                (f64::NEG_INFINITY, -std::f64::consts::FRAC_PI_2),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&Atan, &[0.5, -0.5, 0.0], &[77, ring::neg(77), 0]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2], 0);
    }
}
