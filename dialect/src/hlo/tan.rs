//! `tan`: elementwise tangent.
//!
//! Meaning: result = tan(operand), in radians.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring sin(x) / cos(x), which is odd.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.tan %0 : tensor<2x3xf32>`.

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
pub struct Tan {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for Tan {
    const NAME: &'static str = "tan";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Tan {
        Tan {
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
            f64::tan,
            complex::tan,
            function::tan,
            ring::complex::tan,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // tan(x + e) - tan(x) = sin(e) / (cos(x) cos(x + e)); undetermined where a pole is in reach.
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            let cosine = x.cos().abs();
            if e < cosine {
                e / (cosine * (cosine - e))
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Tan::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &Tan::default(),
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 1.5574077246549023),
                (-1.0, -1.5574077246549023),
                (f64::INFINITY, f64::NAN),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let (sine, cosine) = (
            crate::hlo::sine::Sine::default(),
            crate::hlo::cosine::Cosine::default(),
        );
        let out = testing::residues(&Tan::default(), &[0.5], &[77]);
        assert_eq!(
            ring::mul_residues(out[0], testing::residues(&cosine, &[0.5], &[77])[0]),
            testing::residues(&sine, &[0.5], &[77])[0]
        );
    }
}
