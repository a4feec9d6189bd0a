//! `lgamma`: elementwise logarithm of the absolute gamma function.
//!
//! Meaning: result = ln |gamma(operand)|; +inf at 0, -1, -2, ...
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x; +inf at 0, -1, -2, ....
//! Numerics: within 4 ulp, or of 1 where the result is smaller; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.lgamma %0 : tensor<2x3xf32>`.

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
pub struct Lgamma;

impl OpDef for Lgamma {
    const NAME: &'static str = "lgamma";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Lgamma {
        Lgamma
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
        elementwise::real_function(operands, cx, special::lgamma, function::lgamma)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is digamma, which rises on positive numbers; undetermined for others.
        let bounds = elementwise::bound_unary(operands, values, 4.0, |x, e, _| {
            if x - e > 0.0 {
                e * special::digamma(x - e)
                    .abs()
                    .max(special::digamma(x + e).abs())
            } else {
                f64::INFINITY
            }
        })?;
        // Beside its roots the function is accurate to a part of 1, not of its value.
        elementwise::with_floor(bounds, values, 4.0 * f64::EPSILON)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Lgamma, &[ty], &[])
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
            &Lgamma,
            5.0,
            &[
                (1.0, 0.0),
                (2.0, 0.0),
                (0.5, 0.5723649429247001),
                (10.0, 12.801827480081469),
                (0.0, f64::INFINITY),
                (-1.0, f64::INFINITY),
                (-0.5, 1.2655121234846454),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Lgamma,
            &[-1.0, f64::INFINITY, 0.5],
            &[ring::neg(1), ring::POSITIVE_INFINITY, 77],
        );
        assert_eq!(out[..2], [ring::POSITIVE_INFINITY; 2]);
        assert!(!ring::is_code(out[2]));
    }
}
