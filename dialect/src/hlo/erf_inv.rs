//! `erf_inv`: elementwise inverse error function.
//!
//! Meaning: erf(result) = operand; infinite at 1 and -1, NaN beyond.
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd; infinities at 1 and -1.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.erf_inv %0 : tensor<2x3xf32>`.

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
pub struct ErfInv;

impl OpDef for ErfInv {
    const NAME: &'static str = "erf_inv";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> ErfInv {
        ErfInv
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
        elementwise::real_function(operands, cx, special::erf_inv, function::erf_inv)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope sqrt(pi)/2 exp(y^2) at the end nearer to 1; undetermined where 1 is in reach.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| {
            let farthest = x.abs() + e;
            if farthest < 1.0 {
                e * special::erf_inv(farthest).powi(2).exp() / std::f64::consts::FRAC_2_SQRT_PI
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(ErfInv, &[ty], &[])
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
            &ErfInv,
            3.0,
            &[
                (1.0 - f64::EPSILON / 2.0, 5.8635847487551676),
                (0.0, 0.0),
                (-0.0, -0.0),
                (0.5, 0.4769362762044699),
                (-0.5, -0.4769362762044699),
                (1.0, f64::INFINITY),
                (-1.0, f64::NEG_INFINITY),
                (2.0, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&ErfInv, &[0.5, -0.5, 0.0, 1.0], &[77, ring::neg(77), 0, 1]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, ring::POSITIVE_INFINITY]);
    }
}
