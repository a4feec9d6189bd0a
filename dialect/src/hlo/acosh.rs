//! `acosh`: elementwise inverse hyperbolic cosine.
//!
//! Meaning: result = arcosh(operand), NaN below 1; complex: principal value.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x; 0 at 1, undefined below.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.acosh %0 : tensor<2x3xf32>`.

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
pub struct Acosh;

impl OpDef for Acosh {
    const NAME: &'static str = "acosh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Acosh {
        Acosh
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
            acosh,
            complex::acosh,
            function::acosh,
            ring::complex::acosh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/sqrt(x^2 - 1) at the lower end; undetermined where 1 is in reach.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| {
            let low = x - e;
            if low > 1.0 {
                e / ((low - 1.0) * (low + 1.0)).sqrt()
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Acosh, &[ty], &[])
    }
}

/// NaN below 1; libm's own is finite for large negative numbers.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Acosh,
            3.0,
            &[
                (1.0, 0.0),
                (2.0, 1.3169578969248168),
                (0.5, f64::NAN),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Acosh,
            &[1.0, 0.5, 2.0, f64::INFINITY],
            &[1, 3, 77, ring::POSITIVE_INFINITY],
        );
        assert_eq!(
            (out[0], out[1], out[3]),
            (0, ring::UNDEFINED, ring::POSITIVE_INFINITY)
        );
    }
}
