//! `complex`: elementwise complex number from its parts.
//!
//! Meaning: result = lhs + i rhs.
//! Inputs I1 lhs, I2 rhs (tensors of f32 or f64). Constraints: C1 types agree; C2 shape(result) = shape(lhs); C3 the element type is complex of lhs's.
//! Kind: movement; both planes. Numerics: bits are kept.
//! Example: `%2 = hlo.complex %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, zip},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Complex;

impl OpDef for Complex {
    const NAME: &'static str = "complex";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Complex {
        Complex
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let parts = shape::elementwise(
            cx,
            2,
            |t| matches!(t.element, ElementType::F32 | ElementType::F64),
            "f32 or f64",
        )?; // C1
        let whole = |e: &ElementType| {
            if *e == ElementType::F32 {
                ElementType::C64
            } else {
                ElementType::C128
            }
        };
        Ok(parts
            .iter()
            .filter_map(Type::as_tensor)
            .map(|t| t.with_element(whole(&t.element)).into())
            .collect()) // C2, C3
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let (re, im) = elementwise::same_shape(operands)?;
        let (ieee, element) = if *re.element() == ElementType::F32 {
            (
                zip(re.as_slice::<f32>(), im.as_slice::<f32>(), |a, b| [a, b]),
                ElementType::C64,
            )
        } else {
            (
                zip(re.as_slice::<f64>(), im.as_slice::<f64>(), |a, b| [a, b]),
                ElementType::C128,
            )
        };
        let ring = match (re.ring(), im.ring()) {
            (Some(r), Some(s)) => Some(zip(r, s, |a, b| [a, b])),
            (Some(_) | None, _) => None,
        };
        Ok(vec![
            Tensor::new(re.dims().to_vec(), element, ieee, ring).into(),
        ])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        elementwise::bound_exact_op(values, |i| {
            operands[0].error.at(i).hypot(operands[1].error.at(i))
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(
            s.dims(),
            s.element(|e| matches!(e, ElementType::F32 | ElementType::F64)),
        );
        Sampler::single(Complex, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn both_planes_are_paired() {
        let re = testing::with_given_residues(ElementType::F32, &[1.0, 2.0], &[10, 20]);
        let im = testing::with_given_residues(ElementType::F32, &[3.0, -0.0], &[30, 40]);
        let (out, _) = testing::run(&Complex, &[re, im]);
        assert_eq!(out.as_slice::<[f32; 2]>(), [[1.0, 3.0], [2.0, -0.0]]);
        assert_eq!(out.ring(), Some(&[10, 30, 20, 40][..]));
    }
}
