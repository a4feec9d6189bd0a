//! `tanh`: elementwise hyperbolic tangent.
//!
//! Meaning: result = tanh(operand).
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring 2 logistic(2x) - 1, which is odd.
//! Numerics: within 2 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.tanh %0 : tensor<2x3xf32>`.

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
pub struct Tanh {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Tanh {
    const NAME: &'static str = "tanh";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Tanh {
        Tanh {
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
            f64::tanh,
            complex::tanh,
            function::tanh,
            ring::complex::tanh,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope 1/cosh(x)^2 is largest at the point of the interval nearest to 0.
        elementwise::bound_unary(operands, values, 2.0, |x, e, _| {
            e / (x.abs() - e).max(0.0).cosh().powi(2)
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Tanh::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Tanh::default(),
            3.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 0.7615941559557649),
                (-1.0, -0.7615941559557649),
                (f64::INFINITY, 1.0),
                (f64::NEG_INFINITY, -1.0),
                (f64::NAN, f64::NAN),
                (40.0, 1.0),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let half = testing::residues(&crate::hlo::logistic::Logistic::default(), &[1.0], &[154]);
        let out = testing::residues(
            &Tanh::default(),
            &[0.5, -0.5, 0.0, f64::INFINITY, f64::NEG_INFINITY],
            &[
                77,
                ring::neg(77),
                0,
                ring::POSITIVE_INFINITY,
                ring::NEGATIVE_INFINITY,
            ],
        );
        assert_eq!(out[0], ring::sub(ring::add(half[0], half[0]), 1));
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, 1, ring::neg(1)]);
    }
}
