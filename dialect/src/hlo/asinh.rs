//! `asinh`: elementwise inverse hyperbolic sine.
//!
//! Meaning: result = arsinh(operand); complex: principal value.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.asinh %0 : tensor<2x3xf32>`.

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
pub struct Asinh;

impl OpDef for Asinh {
    const NAME: &'static str = "asinh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Asinh {
        Asinh
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
            libm::asinh,
            complex::asinh,
            function::asinh,
            ring::complex::asinh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/sqrt(1 + x^2) is largest at the point of the interval nearest to 0.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| {
            e / (x.abs() - e).max(0.0).hypot(1.0)
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Asinh, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Asinh,
            3.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 0.881373587019543),
                (-1.0, -0.881373587019543),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::NEG_INFINITY),
                (f64::NAN, f64::NAN),
                (2f64.powi(-60), 2f64.powi(-60)),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&Asinh, &[0.5, -0.5, 0.0], &[77, ring::neg(77), 0]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2], 0);
    }
}
