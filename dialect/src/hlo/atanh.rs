//! `atanh`: elementwise inverse hyperbolic tangent.
//!
//! Meaning: result = artanh(operand), infinite at 1 and -1, NaN beyond; complex: principal value.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring (log(1 + x) - log(1 - x)) / 2, which is odd.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.atanh %0 : tensor<2x3xf32>`.

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
pub struct Atanh;

impl OpDef for Atanh {
    const NAME: &'static str = "atanh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Atanh {
        Atanh
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
            libm::atanh,
            complex::atanh,
            function::atanh,
            ring::complex::atanh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/(1 - x^2) at the end nearer to 1; undetermined where 1 is in reach.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| {
            let farthest = x.abs() + e;
            if farthest < 1.0 {
                e / (1.0 - farthest * farthest)
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Atanh, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Atanh,
            3.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (0.5, 0.5493061443340549),
                (1.0, f64::INFINITY),
                (-1.0, f64::NEG_INFINITY),
                (2.0, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&Atanh, &[0.5, -0.5, 0.0, 1.0], &[77, ring::neg(77), 0, 1]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, ring::POSITIVE_INFINITY]);
    }
}
