//! `get_dimension_size`: the size of a dimension.
//!
//! Meaning: result = dim(operand, dimension). Inputs I1 operand, I2 dimension. Constraints: C1 dimension is one of the operand's; the result is a
//! tensor<i32>.
//! Kind: integer. Numerics: a size beyond i32 wraps.
//! Example: `%1 = hlo.get_dimension_size %0 {dimension = 1} : (tensor<2x?xi64>) -> tensor<i32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GetDimensionSize {
    pub dimension: i64,
}

impl OpDef for GetDimensionSize {
    const NAME: &'static str = "get_dimension_size";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> GetDimensionSize {
        GetDimensionSize { dimension: reader.int("dimension") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimension", self.dimension)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        if !movement::in_rank(&[self.dimension], operand.rank()) {
            return Err(vec![format!("C1: dimension {} is out of range of {operand}", self.dimension)]);
        }
        Ok(vec![Type::tensor([], ElementType::I32)])
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let size = shape::operand(operands, 0)?.dims().get(self.dimension as usize).copied().unwrap_or(0);
        Ok(vec![Tensor::from_i64s(&[], &ElementType::I32, &[size as i64]).into()])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact])
    }

    fn sample(s: &mut Sampler) -> Program {
        let mut dims = s.dims();
        dims.push(s.range(0, s.size));
        let op = GetDimensionSize { dimension: s.range(0, dims.len() as u64 - 1) as i64 };
        Sampler::single(op, &[Type::tensor(dims, s.element(|_| true))], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let out = eval(GetDimensionSize { dimension: 1 }, &[ints(&[2, 3], &[1, 2, 3, 4, 5, 6])], &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[][..], &[3][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", GetDimensionSize { dimension: 2 }, &[f32s(&[2, 3])], &[]);
        assert_violates("C1", GetDimensionSize { dimension: -1 }, &[f32s(&[2, 3])], &[]);
    }
}
