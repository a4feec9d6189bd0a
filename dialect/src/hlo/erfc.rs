//! `erfc`: elementwise complementary error function.
//!
//! Meaning: result = 1 - erf(operand), accurate in the tail.
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring 1 - erf(x).
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.erfc %0 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring::function,
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Erfc;

impl OpDef for Erfc {
    const NAME: &'static str = "erfc";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Erfc {
        Erfc
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
        elementwise::real_function(operands, cx, libm::erfc, function::erfc)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 2/sqrt(pi) exp(-x^2) is largest at the point of the interval nearest to 0.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            e * std::f64::consts::FRAC_2_SQRT_PI * (-(x.abs() - e).max(0.0).powi(2)).exp()
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Erfc, &[ty], &[])
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
            &Erfc,
            2.0,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (1.0, 0.15729920705028513),
                (-1.0, 1.8427007929497148),
                (5.0, 1.537459794428035e-12),
                (f64::INFINITY, 0.0),
                (f64::NEG_INFINITY, 2.0),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&Erfc, &[0.5, 0.0], &[77, 0]);
        assert_eq!(
            out[0],
            ring::sub(
                1,
                testing::residues(&crate::hlo::erf::Erf, &[0.5], &[77])[0]
            )
        );
        assert_eq!(out[1], 1);
    }
}
