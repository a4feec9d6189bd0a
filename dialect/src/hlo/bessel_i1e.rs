//! `bessel_i1e`: elementwise exponentially scaled modified Bessel function of order 1.
//!
//! Meaning: result = exp(-|operand|) I1(operand).
//! Inputs I1 operand (float tensor). Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd; 0 at the infinities.
//! Numerics: within 4 ulp; computed in double precision and rounded once below f64. Source: chlo.
//! Example: `%1 = hlo.bessel_i1e %0 : tensor<2x3xf32>`.

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
pub struct BesselI1e;

impl OpDef for BesselI1e {
    const NAME: &'static str = "bessel_i1e";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> BesselI1e {
        BesselI1e
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
        elementwise::real_function(operands, cx, special::bessel_i1e, function::bessel_i1e)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is at most 1/2, its value at 0.
        elementwise::bound_unary(operands, values, 4.0, |_, e, _| e / 2.0)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(BesselI1e, &[ty], &[])
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
            &BesselI1e,
            5.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 0.20791041534970844),
                (-1.0, -0.20791041534970844),
                (100.0, 0.039744153025130256),
                (f64::INFINITY, 0.0),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&BesselI1e, &[0.5, -0.5, 0.0], &[77, ring::neg(77), 0]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2], 0);
    }
}
