//! `rsqrt`: elementwise reciprocal square root.
//!
//! Meaning: result = 1 / sqrt(operand).
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring the inverse of sqrt(x); at +0 and -0 the infinity of that sign.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.rsqrt %0 : tensor<2x3xf32>`.

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
pub struct Rsqrt {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Rsqrt {
    const NAME: &'static str = "rsqrt";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Rsqrt {
        Rsqrt {
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
            |x| 1.0 / x.sqrt(),
            complex::rsqrt,
            function::rsqrt,
            ring::complex::rsqrt,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // 1/sqrt(x - e) - 1/sqrt(x), the larger side; undetermined where 0 is in reach.
        elementwise::bound_unary(operands, values, 1.0, |x, e, y| {
            if e < x {
                1.0 / (x - e).sqrt() - y + 2.0 * f64::EPSILON * y
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Rsqrt::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Rsqrt::default(),
            2.0,
            &[
                (4.0, 0.5),
                (0.25, 2.0),
                (0.0, f64::INFINITY),
                (-0.0, f64::NEG_INFINITY),
                (-1.0, f64::NAN),
                (f64::INFINITY, 0.0),
                (f64::NAN, f64::NAN),
                (2.0, std::f64::consts::FRAC_1_SQRT_2),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let root = testing::residues(&crate::hlo::sqrt::Sqrt::default(), &[2.0], &[77]);
        let out = testing::residues(
            &Rsqrt::default(),
            &[2.0, 0.0, -0.0, f64::INFINITY],
            &[77, 0, 0, ring::POSITIVE_INFINITY],
        );
        assert_eq!(ring::mul_residues(root[0], out[0]), 1);
        assert_eq!(
            out[1..],
            [ring::POSITIVE_INFINITY, ring::NEGATIVE_INFINITY, 0]
        );
    }
}
