//! `sqrt`: elementwise square root.
//!
//! Meaning: result = squareRoot(operand) of IEEE 754; complex: principal value.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring x^(2^29), which is multiplicative; negative numbers are undefined.
//! Numerics: correctly rounded; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.sqrt %0 : tensor<2x3xf32>`.

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
pub struct Sqrt {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Sqrt {
    const NAME: &'static str = "sqrt";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Sqrt {
        Sqrt {
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
            f64::sqrt,
            complex::sqrt,
            function::sqrt,
            ring::complex::sqrt,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // sqrt(x) - sqrt(x - e) = e / (sqrt(x) + sqrt(x - e)); undetermined where a negative number is in reach.
        elementwise::bound_unary(operands, values, 0.5, |x, e, y| {
            if e <= x {
                e / (y + (x - e).sqrt())
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Sqrt::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Sqrt::default(),
            1.5,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (4.0, 2.0),
                (2.0, std::f64::consts::SQRT_2),
                (-1.0, f64::NAN),
                (f64::INFINITY, f64::INFINITY),
                (f64::NEG_INFINITY, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let (a, b) = (77, 1234567);
        let out = testing::residues(
            &Sqrt::default(),
            &[2.0, 3.0, 6.0, -1.0],
            &[a, b, ring::mul_residues(a, b), 9],
        );
        assert_eq!(ring::mul_residues(out[0], out[1]), out[2]);
        let square = ring::mul_residues(out[0], out[0]);
        assert!(square == a || square == ring::neg(a));
        assert_eq!(out[3], ring::UNDEFINED);
    }
}
