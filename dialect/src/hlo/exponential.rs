//! `exponential`: elementwise e^x.
//!
//! Meaning: result = exp(operand).
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring exp(-x) = 1/exp(x), exp(0) = 1; exp(-inf) = 0.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.exponential %0 : tensor<2x3xf32>`.

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
pub struct Exponential {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Exponential {
    const NAME: &'static str = "exponential";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Exponential {
        Exponential {
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
            f64::exp,
            complex::exp,
            function::exp,
            ring::complex::exp,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // |exp(x + e) - exp(x)| <= exp(x) (exp(e) - 1).
        elementwise::bound_modulus(operands, values, 1.0, |_, e, y| y.abs() * e.exp_m1())
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Exponential::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Exponential::default(),
            2.0,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (1.0, std::f64::consts::E),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, 0.0),
                (f64::NAN, f64::NAN),
                (1000.0, f64::INFINITY),
                (-1000.0, 0.0),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let [a, b, zero, minus_infinity] = testing::residues(
            &Exponential::default(),
            &[0.5, -0.5, 0.0, f64::NEG_INFINITY],
            &[77, ring::neg(77), 0, ring::NEGATIVE_INFINITY],
        )[..] else {
            panic!()
        };
        assert_eq!(ring::mul_residues(a, b), 1);
        assert_eq!((zero, minus_infinity), (1, 0));
    }
}
