//! `broadcast`: repeats a tensor along new leading dimensions (the form before `broadcast_in_dim`).
//!
//! Meaning: result[i0, .., j0, ..] = operand[j0, ..]. Inputs I1 operand, I2 broadcast_sizes. Constraints: C1 broadcast_sizes are not negative;
//! C2 shape(result) = broadcast_sizes, shape(operand).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.broadcast %0 {broadcast_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Broadcast {
    pub broadcast_sizes: Vec<i64>,
}

impl OpDef for Broadcast {
    const NAME: &'static str = "broadcast";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Broadcast {
        Broadcast { broadcast_sizes: reader.ints("broadcast_sizes") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("broadcast_sizes", self.broadcast_sizes.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let sizes: Option<Vec<Dim>> = self.broadcast_sizes.iter().map(|s| u64::try_from(*s).ok().map(Dim::Static)).collect();
        let sizes = sizes.ok_or_else(|| vec![format!("C1: broadcast_sizes {:?} must not be negative", self.broadcast_sizes)])?;
        Ok(vec![movement::or_declared(operand.with_dims([sizes, operand.dims.clone()].concat()), cx, 0)]) // C2
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let new = movement::checked_dims(&self.broadcast_sizes, operand.element())?;
        let strides = [vec![0; new.len()], row_major_strides(operand.dims())].concat();
        Ok(vec![operand.strided(&[new, operand.dims().to_vec()].concat(), 0, &strides).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let broadcast_sizes = (0..s.range(0, 2)).map(|_| s.range(0, s.size) as i64).collect();
        Sampler::single(Broadcast { broadcast_sizes }, &[Type::tensor(s.dims(), s.element(|_| true))], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn repeats_whole_tensors() {
        let out = eval(Broadcast { broadcast_sizes: vec![2, 1] }, &[floats(&[3], &[1., 2., 3.])], &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<f32>()), (&[2u64, 1, 3][..], &[1f32, 2., 3., 1., 2., 3.][..]));
        assert_eq!(out[0].ring(), Some(&[1, 2, 3, 1, 2, 3][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", Broadcast { broadcast_sizes: vec![-1] }, &[f32s(&[2])], &[]);
    }
}
