//! `reverse`: turns the order of elements round along some dimensions.
//!
//! Meaning: result[result_index] = operand[operand_index] with operand_index[d] = dim(result, d) - result_index[d] - 1 for d in dimensions, else
//! result_index[d]. Inputs I1 operand, I2 dimensions. Constraints: C1 type(operand) = type(result); C2 dimensions unique; C3 in range.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.reverse %0 {dimensions = array<i64: 1>} : tensor<3x2xi32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reverse {
    pub dimensions: Vec<i64>,
}

impl OpDef for Reverse {
    const NAME: &'static str = "reverse";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Reverse {
        Reverse { dimensions: reader.ints("dimensions") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimensions", self.dimensions.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let mut wrong = vec![];
        if !movement::is_unique(&self.dimensions) {
            wrong.push(format!("C2: dimensions {:?} repeat one", self.dimensions));
        }
        if !movement::in_rank(&self.dimensions, operand.rank()) {
            wrong.push(format!("C3: dimensions {:?} are out of range of {operand}", self.dimensions));
        }
        if wrong.is_empty() { Ok(vec![movement::or_declared(operand.with_dims(operand.dims.clone()), cx, 0)]) } else { Err(wrong) } // C1
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let (mut offset, mut strides) = (0, row_major_strides(operand.dims()));
        if !operand.is_empty() {
            for d in &self.dimensions {
                let d = *d as usize;
                offset += strides[d] * (operand.dims()[d] as i64 - 1);
                strides[d] = -strides[d];
            }
        }
        Ok(vec![operand.strided(operand.dims(), offset, &strides).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let dimensions = (0..dims.len() as i64).filter(|_| s.range(0, 1) == 0).collect();
        Sampler::single(Reverse { dimensions }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let x = ints(&[3, 2], &[1, 2, 3, 4, 5, 6]);
        let reversed = |dimensions: &[i64]| eval(Reverse { dimensions: dimensions.to_vec() }, std::slice::from_ref(&x), &[]).unwrap()[0].as_slice::<i32>().to_vec();
        assert_eq!(reversed(&[1]), [2, 1, 4, 3, 6, 5]);
        assert_eq!(reversed(&[0]), [5, 6, 3, 4, 1, 2]);
        assert_eq!(reversed(&[1, 0]), [6, 5, 4, 3, 2, 1]);
        assert_eq!(eval(Reverse { dimensions: vec![0, 1] }, &[floats(&[0, 2], &[])], &[]).unwrap()[0].dims(), [0, 2]);
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C2", Reverse { dimensions: vec![0, 0] }, &[f32s(&[2])], &[]);
        assert_violates("C3", Reverse { dimensions: vec![1] }, &[f32s(&[2])], &[]);
        assert_violates("C3", Reverse { dimensions: vec![-1] }, &[f32s(&[2])], &[]);
    }
}
