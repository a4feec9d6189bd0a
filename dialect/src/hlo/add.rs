//! `add`: elementwise sum.
//!
//! Meaning: result = lhs + rhs; booleans: logical or; integers wrap; complex by part.
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: arithmetic. Numerics: one rounding; infinities and NaN by IEEE 754.
//! Example: `%2 = hlo.add %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Add;

impl OpDef for Add {
    const NAME: &'static str = "add";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Add {
        Add
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, |_| true, "any") // C1
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        elementwise::binary(operands, cx, elementwise::Binary {
            f32: |a, b| a + b,
            f64: |a, b| a + b,
            complex: |a, b| a + b,
            integer: |a: i128, b| a.wrapping_add(b),
            boolean: |a, b| a | b,
            ring: |a, b, _| ring::add(a, b),
            ring_complex: |a, b, _| ring::complex::add_pairs(a, b),
        })
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        // |(a + b)' - (a + b)| <= ea + eb + u |result|.
        elementwise::bound_binary(operands, values, |_, ea, _, eb| ea + eb)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(Add, &[ty.clone(), ty], &[])
    }
}
