//! `cbrt`: elementwise cube root.
//!
//! Meaning: result = cbrt(operand), odd on real numbers; complex: principal value.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.cbrt %0 : tensor<2x3xf32>`.

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

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Cbrt {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Cbrt {
    const NAME: &'static str = "cbrt";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Cbrt {
        Cbrt {
            result_accuracy: reader.opt_dict("result_accuracy"),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with_some("result_accuracy", self.result_accuracy.clone())
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
            f64::cbrt,
            complex::cbrt,
            function::cbrt,
            ring::complex::cbrt,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/(3 x^(2/3)) at the end nearer to 0, and at most 2 cbrt(e/2) anywhere.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            let nearest = x.abs() - e;
            let anywhere = 2.0 * (e / 2.0).cbrt();
            if nearest > 0.0 {
                anywhere.min(e / (3.0 * nearest.cbrt().powi(2)))
            } else {
                anywhere
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Cbrt::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Cbrt::default(),
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (27.0, 3.0),
                (-8.0, -2.0),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::NEG_INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(&Cbrt::default(), &[2.0, -2.0, 0.0], &[77, ring::neg(77), 0]);
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2], 0);
    }
}
