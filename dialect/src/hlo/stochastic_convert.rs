//! `stochastic_convert`: conversion to a narrower type, rounded up or down by random bits.
//!
//! Meaning: result = operand rounded to one of its two neighbours, to the farther one with the probability the random bits encode. Source: HLO.
//! Inputs I1 operand (float tensor), I2 random (unsigned integers of operand's width). Constraints: C1 shapes agree; the element type is declared.
//! Kind: selection. Numerics: which neighbour the bits choose is not specified, so it is not evaluated.
//! Example: `%2 = hlo.stochastic_convert %0, %1 : (tensor<2xf32>, tensor<2xui32>) -> tensor<2xbf16>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::shape,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StochasticConvert;

impl OpDef for StochasticConvert {
    const NAME: &'static str = "stochastic_convert";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> StochasticConvert {
        StochasticConvert
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let result = shape::declared(cx, 0)?;
        let dims = shape::same_dims(&[operands[0], operands[1], result])?; // C1
        Ok(vec![result.with_dims(dims).into()])
    }

    fn eval(&self, _: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(
            "op hlo.stochastic_convert: its rounding is not specified",
        ))
    }

    fn bound(
        &self,
        _: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        Ok(values
            .iter()
            .map(|v| Bound::undetermined(v.as_tensor().map_or(0, Tensor::len)))
            .collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let dims = s.dims();
        let types = [
            Type::tensor(dims.clone(), ElementType::F32),
            Type::tensor(dims.clone(), ElementType::U32),
        ];
        Sampler::single(
            StochasticConvert,
            &types,
            &[Type::tensor(dims, ElementType::BF16)],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_must_agree() {
        let operands = [
            Type::tensor([2], ElementType::F32),
            Type::tensor([3], ElementType::U32),
        ];
        let declared = [Type::tensor([2], ElementType::BF16)];
        assert!(
            StochasticConvert
                .infer(&InferContext {
                    operands: &operands,
                    declared: &declared,
                    regions: &[]
                })
                .is_err()
        );
    }
}
