//! `sine`: elementwise sine.
//!
//! Meaning: result = sin(operand), in radians.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring hash of x, odd.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.sine %0 : tensor<2x3xf32>`.

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
pub struct Sine {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Sine {
    const NAME: &'static str = "sine";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Sine {
        Sine {
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
            f64::sin,
            complex::sin,
            function::sin,
            ring::complex::sin,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The slope is |cos| <= |cos(x)| + e.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            (e * (x.cos().abs() + e).min(1.0)).min(2.0)
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Sine::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Sine::default(),
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 0.8414709848078965),
                (-1.0, -0.8414709848078965),
                (f64::INFINITY, f64::NAN),
                (f64::NEG_INFINITY, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let out = testing::residues(
            &Sine::default(),
            &[0.5, -0.5, 0.0, f64::INFINITY],
            &[77, ring::neg(77), 0, ring::POSITIVE_INFINITY],
        );
        assert_eq!(ring::add(out[0], out[1]), 0);
        assert_eq!(out[2..], [0, ring::UNDEFINED]);
    }
}
