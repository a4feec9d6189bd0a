//! `log_plus_one`: elementwise ln(1 + x).
//!
//! Meaning: result = ln(1 + operand), accurate near 0; complex: principal value.
//! Inputs I1 operand (float or complex tensor), I2 result_accuracy. Constraints: C1 operand and result have one type.
//! Kind: opaque; in the ring log(1 + x).
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64. Source: StableHLO specification.
//! Example: `%1 = hlo.log_plus_one %0 : tensor<2x3xf32>`.

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
pub struct LogPlusOne {
    /// What accuracy the program asks for; this definition is as accurate as its numerics say in any case.
    pub result_accuracy: Option<Attributes>,
}

impl OpDef for LogPlusOne {
    const NAME: &'static str = "log_plus_one";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> LogPlusOne {
        LogPlusOne {
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
            f64::ln_1p,
            complex::log_plus_one,
            function::log_plus_one,
            ring::complex::log_plus_one,
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // As log at 1 + x: -log(1 - e/(1 + x)).
        elementwise::bound_unary(operands, values, 1.0, |x, e, _| {
            if e < 1.0 + x {
                -(-e / (1.0 + x)).ln_1p()
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(LogPlusOne::default(), &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn special_values() {
        testing::table(
            &LogPlusOne::default(),
            2.0,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (-1.0, f64::NEG_INFINITY),
                (-2.0, f64::NAN),
                (1.0, std::f64::consts::LN_2),
                (2f64.powi(-60), 2f64.powi(-60)),
                (f64::INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
    }

    #[test]
    fn ring_identities() {
        let logs = testing::residues(&crate::hlo::log::Log::default(), &[3.0], &[78]);
        assert_eq!(
            testing::residues(&LogPlusOne::default(), &[2.0], &[77]),
            logs
        );
    }
}
