//! `constant`: a literal.
//!
//! Meaning: result = value. Inputs I1 value (dense literal). Constraints: C1 type(result) = type(value).
//! Kind: movement. Numerics: the exact bits; the residue is the exact dyadic value.
//! Example: `%0 = hlo.constant dense<1.0> : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    literal::Literal,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, count},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Constant {
    pub value: Literal,
}

impl OpDef for Constant {
    const NAME: &'static str = "constant";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Constant {
        // Without a value the reader holds a complaint and the op is never used.
        let none = || Literal::from_tensor(&crate::tensor::Tensor::from_i64s(&[0], &ElementType::I32, &[]));
        Constant { value: reader.literal("value").unwrap_or_else(none) }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("value", self.value.clone())
    }

    fn infer(&self, _: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(vec![self.value.ty().into()]) // C1
    }

    fn eval(&self, _: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        match self.value.splat_value() {
            // Embed one element, then repeat it.
            Some(one) => Ok(vec![cx.embedded(one).strided(self.value.dims(), 0, &vec![0; self.value.dims().len()]).into()]),
            None => Ok(vec![cx.embedded(self.value.to_tensor()).into()]),
        }
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact])
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let dims = s.dims();
        let values: Vec<f64> = (0..count(&dims)).map(|_| s.range(0, 3) as f64 - 1.0).collect();
        let value = Literal::new(dims.clone(), element.clone(), crate::tensor::encode_f64s(&element, &values));
        let empty = || Literal::new(vec![0], element.clone(), Buffer::from_slice::<u8>(&[]));
        match value.or_else(empty) {
            Some(value) => Sampler::single(Constant { value }, &[], &[]),
            None => super::return_::Return::sample(s),
        }
    }
}
