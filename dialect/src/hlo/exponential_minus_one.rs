//! `exponential_minus_one`: elementwise e^x - 1.
//!
//! Meaning: result = exp(operand) - 1, without cancellation near 0.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring exp(x) - 1.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.exponential_minus_one %0 : tensor<2x3xf32>`.

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
pub struct ExponentialMinusOne {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for ExponentialMinusOne {
    const NAME: &'static str = "exponential_minus_one";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> ExponentialMinusOne {
        ExponentialMinusOne {
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
            f64::exp_m1,
            complex::exp_minus_one,
            function::exp_minus_one,
            ring::complex::exp_minus_one,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // |exp(x + e) - exp(x)| <= exp(x) (exp(e) - 1), and |exp(x)| <= |result| + 1.
        elementwise::bound_modulus(operands, values, 1.0, |_, e, y| {
            (y.abs() + 1.0) * e.exp_m1()
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(ExponentialMinusOne::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &ExponentialMinusOne::default(),
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, std::f64::consts::E - 1.0),
                (2f64.powi(-60), 2f64.powi(-60)),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, -1.0),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let exponentials = testing::residues(
            &crate::hlo::exponential::Exponential::default(),
            &[0.5, 0.0],
            &[77, 0],
        );
        let these = testing::residues(&ExponentialMinusOne::default(), &[0.5, 0.0], &[77, 0]);
        assert_eq!(these, [ring::sub(exponentials[0], 1), 0]);
    }
}
