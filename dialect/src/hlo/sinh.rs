//! `sinh`: elementwise hyperbolic sine.
//!
//! Meaning: result = sinh(operand).
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring (exp(x) - exp(-x)) / 2, which is odd.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.sinh %0 : tensor<2x3xf32>`.

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
pub struct Sinh;

impl OpDef for Sinh {
    const NAME: &'static str = "sinh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Sinh {
        Sinh
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
            f64::sinh,
            complex::sinh,
            function::sinh,
            ring::complex::sinh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope cosh is largest at the end farthest from 0.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| e * (x.abs() + e).cosh())
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Sinh, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Sinh,
            3.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 1.1752011936438014),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::NEG_INFINITY),
                (f64::NAN, f64::NAN),
                (1000.0, f64::INFINITY),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let exponential = testing::residues(
            &crate::hlo::exponential::Exponential::default(),
            &[0.5, -0.5],
            &[77, ring::neg(77)],
        );
        let out = testing::residues(&Sinh, &[0.5], &[77]);
        assert_eq!(
            ring::add(out[0], out[0]),
            ring::sub(exponential[0], exponential[1])
        );
    }
}
