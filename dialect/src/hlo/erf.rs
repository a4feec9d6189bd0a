//! `erf`: elementwise error function.
//!
//! Meaning: result = 2/sqrt(pi) * integral from 0 to operand of exp(-t^2) dt.
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd; 1 and -1 at the infinities.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.erf %0 : tensor<2x3xf32>`.

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
pub struct Erf;

impl OpDef for Erf {
    const NAME: &'static str = "erf";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Erf {
        Erf
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
        elementwise::real_function(operands, cx, libm::erf, function::erf)
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
        Sampler::single(Erf, &[ty], &[])
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
            &Erf,
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 0.8427007929497149),
                (-1.0, -0.8427007929497149),
                (f64::INFINITY, 1.0),
                (f64::NEG_INFINITY, -1.0),
                (f64::NAN, f64::NAN),
                (10.0, 1.0),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Erf,
            &[0.5, -0.5, 0.0, f64::INFINITY],
            &[77, ring::neg(77), 0, ring::POSITIVE_INFINITY],
        );
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, 1]);
    }
}
