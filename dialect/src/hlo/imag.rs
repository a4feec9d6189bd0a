//! `imag`: elementwise imaginary part.
//!
//! Meaning: complex: the imaginary part; real: +0.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 shape(result) = shape(operand); C2 the element type is that of the parts, or operand's.
//! Kind: movement; both planes. Numerics: bits are kept.
//! Example: `%1 = hlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Imag;

impl OpDef for Imag {
    const NAME: &'static str = "imag";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Imag {
        Imag
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
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        if operand.element().is_complex() {
            Ok(vec![elementwise::part(operand, 1).into()])
        } else {
            let zero = Tensor::splat_f64(operand.dims(), operand.element(), 0.0);
            Ok(vec![cx.embedded(zero).into()])
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
        Sampler::single(Imag, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn parts_of_both_planes() {
        let z = Tensor::from_slice(&[2], ElementType::C64, &[[1f32, -2.0], [3.0, 4.0]])
            .with_embedded_ring();
        let (out, _) = testing::run(&Imag, &[z]);
        assert_eq!(out.as_slice::<f32>(), [-2.0, 4.0]);
        assert_eq!(out.ring(), Some(&[crate::planes::ring::P - 2, 4][..]));
        let (out, _) = testing::run(&Imag, &[testing::tensor(ElementType::F64, &[5.0])]);
        assert_eq!(out.as_slice::<f64>(), [0.0]);
    }
}
