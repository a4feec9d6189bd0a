//! `digamma`: elementwise derivative of the logarithm of the gamma function.
//!
//! Meaning: result = gamma'(operand) / gamma(operand); NaN at 0, -1, -2, ...
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x; undefined at 0, -1, -2, ....
//! Numerics: within 4 ulp, or of 1 where the result is smaller; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.digamma %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring::function,
    program::Program,
    special,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Digamma;

impl OpDef for Digamma {
    const NAME: &'static str = "digamma";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Digamma {
        Digamma
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
        elementwise::real_function(operands, cx, special::digamma, function::digamma)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is trigamma, which falls on positive numbers; undetermined for others.
        let bounds = elementwise::bound_unary(operands, values, 4.0, |x, e, _| {
            if x - e > 0.0 {
                e * special::polygamma(1.0, x - e)
            } else {
                f64::INFINITY
            }
        })?;
        // Beside its roots the function is accurate to a part of 1, not of its value.
        elementwise::with_floor(bounds, values, 4.0 * f64::EPSILON)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Digamma, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::planes::ring;

    #[test]
    fn special_values() {
        testing::table(
            &Digamma,
            5.0,
            &[
                (1.0, -0.5772156649015329),
                (0.5, -1.9635100260214235),
                (10.0, 2.251752589066721),
                (0.0, f64::NAN),
                (-1.0, f64::NAN),
                (-0.5, 0.03648997397857652),
                (f64::INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Digamma,
            &[-1.0, f64::INFINITY, 0.5],
            &[ring::neg(1), ring::POSITIVE_INFINITY, 77],
        );
        assert_eq!(out[..2], [ring::UNDEFINED, ring::POSITIVE_INFINITY]);
        assert!(!ring::is_code(out[2]));
    }
}
