//! `real`: elementwise real part.
//!
//! Meaning: complex: the real part; real: the operand.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 shape(result) = shape(operand); C2 the element type is that of the parts, or operand's.
//! Kind: movement; both planes. Numerics: bits are kept.
//! Example: `%1 = hlo.real %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Real;

impl OpDef for Real {
    const NAME: &'static str = "real";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Real {
        Real
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let same = shape::elementwise(cx, 1, |t| t.element.has_ring(), "float or complex")?; // C1
        elementwise::part_type(same) // C2
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        if operand.element().is_complex() {
            Ok(vec![elementwise::part(operand, 0).into()])
        } else {
            Ok(vec![operand.clone().into()])
        }
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // A part is off by at most what the number is.
        elementwise::bound_exact_op(values, |i| operands[0].error.at(i))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Real, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::tensor::Tensor;
    use crate::types::ElementType;

    #[test]
    fn parts_of_both_planes() {
        let z = Tensor::from_slice(&[2], ElementType::C64, &[[1f32, -2.0], [3.0, 4.0]])
            .with_embedded_ring();
        let (out, _) = testing::run(&Real, &[z]);
        assert_eq!(out.as_slice::<f32>(), [1.0, 3.0]);
        assert_eq!(out.ring(), Some(&[1, 3][..]));
        let (out, _) = testing::run(&Real, &[testing::tensor(ElementType::F64, &[5.0])]);
        assert_eq!(out.as_slice::<f64>(), [5.0]);
    }
}
