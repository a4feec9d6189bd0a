//! `log`: elementwise natural logarithm.
//!
//! Meaning: result = ln(operand); complex: principal value.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring log(1/x) = -log(x), log(1) = 0; 0 gives -inf, negative numbers are undefined.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.log %0 : tensor<2x3xf32>`.

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
pub struct Log {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Log {
    const NAME: &'static str = "log";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Log {
        Log {
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
            f64::ln,
            complex::log,
            function::log,
            ring::complex::log,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // |log(x) - log(x - e)| = -log(1 - e/x), the larger side; undetermined where 0 is in reach.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            if e < x {
                -(-e / x).ln_1p()
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Log::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Log::default(),
            2.0,
            &[
                (1.0, 0.0),
                (0.0, f64::NEG_INFINITY),
                (-0.0, f64::NEG_INFINITY),
                (-1.0, f64::NAN),
                (2.0, std::f64::consts::LN_2),
                (0.5, -std::f64::consts::LN_2),
                (f64::INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let (x, inverse) = (77, ring::inv_residue(77));
        let out = testing::residues(
            &Log::default(),
            &[2.0, 0.5, 1.0, 0.0, -1.0],
            &[x, inverse, 1, 0, 5],
        );
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, ring::NEGATIVE_INFINITY, ring::UNDEFINED]);
    }
}
