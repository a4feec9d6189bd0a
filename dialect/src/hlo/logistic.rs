//! `logistic`: elementwise logistic function.
//!
//! Meaning: result = 1 / (1 + exp(-operand)).
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring 1 / (1 + exp(-x)).
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.logistic %0 : tensor<2x3xf32>`.

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
pub struct Logistic {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Logistic {
    const NAME: &'static str = "logistic";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Logistic {
        Logistic {
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
            logistic,
            complex::logistic,
            function::logistic,
            ring::complex::logistic,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is at most 1/4, and log(logistic) has slope at most 1.
        elementwise::bound_unary(operands, values, 2.0, |_, e, y| {
            (e / 4.0).min(y.abs() * e.exp_m1())
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Logistic::default(), &[ty], &[])
    }
}

/// 1 / (1 + exp(-x)) without overflow or loss of the small tail.
fn logistic(x: f64) -> f64 {
    if x < 0.0 {
        let e = x.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Logistic::default(),
            3.0,
            &[
                (0.0, 0.5),
                (-0.0, 0.5),
                (f64::INFINITY, 1.0),
                (f64::NEG_INFINITY, 0.0),
                (f64::NAN, f64::NAN),
                (1.0, 0.7310585786300049),
                (-1.0, 0.2689414213699951),
                (-60.0, 8.75651076269652e-27),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let exponential = testing::residues(
            &crate::hlo::exponential::Exponential::default(),
            &[-0.5],
            &[ring::neg(77)],
        );
        let out = testing::residues(
            &Logistic::default(),
            &[0.5, 0.0, f64::INFINITY, f64::NEG_INFINITY],
            &[77, 0, ring::POSITIVE_INFINITY, ring::NEGATIVE_INFINITY],
        );
        assert_eq!(ring::mul_residues(out[0], ring::add(1, exponential[0])), 1);
        assert_eq!(out[1..], [ring::embed_f64(0.5), 1, 0]);
    }
}
