//! `cosine`: elementwise cosine.
//!
//! Meaning: result = cos(operand), in radians.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, even; cos(0) = 1.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.cosine %0 : tensor<2x3xf32>`.

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
pub struct Cosine {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Cosine {
    const NAME: &'static str = "cosine";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Cosine {
        Cosine {
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
            f64::cos,
            complex::cos,
            function::cos,
            ring::complex::cos,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is |sin| <= |sin(x)| + e.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            (e * (x.sin().abs() + e).min(1.0)).min(2.0)
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Cosine::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Cosine::default(),
            2.0,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (1.0, 0.5403023058681398),
                (-1.0, 0.5403023058681398),
                (f64::INFINITY, f64::NAN),
                (f64::NEG_INFINITY, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Cosine::default(),
            &[0.5, -0.5, 0.0, f64::INFINITY],
            &[77, ring::neg(77), 0, ring::POSITIVE_INFINITY],
        );
        assert_eq!(out[0], out[1]);
        assert_eq!(out[2..], [1, ring::UNDEFINED]);
    }
}
