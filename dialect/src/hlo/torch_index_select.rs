//! `torch_index_select`: slices of the operand at computed positions of one dimension.
//!
//! Meaning: with b = batch_dims leading dimensions that operand and index share, result[b.., i.., j.., k..] = operand[b.., i.., index[b.., j..], k..],
//! where the index stands in dimension `dim`; indices are clamped into the operand, as in `gather`.
//! Inputs I1 operand, I2 index, I3 dim, I4 batch_dims. Constraints: C1 index has integers; C2 0 <= batch_dims <= dim < rank(operand); C3 batch_dims <=
//! rank(index); C4 batch dimensions of operand and index agree; C5 shape(result) = the operand's without `dim`, with the index's other dimensions there.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.torch_index_select %0, %1 {dim = 0, batch_dims = 0} : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{gather, movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Class, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TorchIndexSelect {
    pub dim: i64,
    pub batch_dims: i64,
}

impl OpDef for TorchIndexSelect {
    const NAME: &'static str = "torch_index_select";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> TorchIndexSelect {
        TorchIndexSelect { dim: reader.int("dim"), batch_dims: reader.opt_int("batch_dims").unwrap_or(0) }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dim", self.dim).with("batch_dims", self.batch_dims)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let (operand, index) = (operands[0], operands[1]);
        let mut wrong = vec![];
        if !index.element.is_integer() {
            wrong.push(format!("C1: index must have integers, got {index}"));
        }
        if self.batch_dims < 0 || self.batch_dims > self.dim || self.dim >= operand.rank() as i64 {
            wrong.push(format!("C2: batch_dims {} and dim {} do not fit {operand}", self.batch_dims, self.dim));
        }
        if self.batch_dims > index.rank() as i64 {
            wrong.push(format!("C3: batch_dims {} do not fit {index}", self.batch_dims));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (b, d) = (self.batch_dims as usize, self.dim as usize);
        let batch: Option<Vec<_>> = operand.dims[..b].iter().zip(&index.dims[..b]).map(|(x, y)| shape::join_dims(*x, *y)).collect();
        let batch = batch.ok_or_else(|| vec![format!("C4: batch dimensions of {operand} and {index} differ")])?;
        let dims = [&batch, &operand.dims[b..d], &index.dims[b..], &operand.dims[d + 1..]].concat();
        Ok(vec![movement::or_declared(operand.with_dims(dims), cx, 0)]) // C5
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (operand, index) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        // The gather whose slices are whole but for `dim`.
        let (b, d, rank) = (self.batch_dims, self.dim, operand.rank() as i64);
        let batch: Vec<i64> = (0..b).collect();
        let behind = d + index.rank() as i64 - b;
        let numbers = gather::Numbers {
            offset_dims: &(b..d).chain(behind..behind + rank - d - 1).collect::<Vec<_>>(),
            collapsed_slice_dims: &[d],
            operand_batching_dims: &batch,
            start_indices_batching_dims: &batch,
            start_index_map: &[d],
            index_vector_dim: index.rank() as i64,
        };
        let sizes: Vec<u64> = operand.dims().iter().enumerate().map(|(i, n)| if (i as i64) < b || i as i64 == d { (*n).min(1) } else { *n }).collect();
        Ok(vec![numbers.gather(operand, index, &sizes)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (mut dims, element) = (s.dims(), s.element(|_| true));
        dims.push(s.range(1, s.size));
        let dim = s.range(0, dims.len() as u64 - 1);
        dims[dim as usize] = dims[dim as usize].max(1);
        let batch_dims = s.range(0, dim);
        let mut index: Vec<u64> = dims[..batch_dims as usize].to_vec();
        index.extend((0..s.range(0, 2)).map(|_| s.range(0, s.size)).collect::<Vec<_>>());
        let index = Type::tensor(index, s.element(|e| matches!(e.class(), Class::Signed | Class::Unsigned)));
        Sampler::single(TorchIndexSelect { dim: dim as i64, batch_dims: batch_dims as i64 }, &[Type::tensor(dims, element), index], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn picks_rows_and_columns() {
        let x = floats(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        let select = |dim, batch_dims, index| eval(TorchIndexSelect { dim, batch_dims }, &[x.clone(), index], &[]).unwrap().remove(0);
        assert_eq!(select(0, 0, ints(&[3], &[1, 0, 7])).as_slice::<f32>(), [4., 5., 6., 1., 2., 3., 4., 5., 6.]);
        let columns = select(1, 0, ints(&[2, 1], &[2, 0]));
        assert_eq!((columns.dims(), columns.as_slice::<f32>()), (&[2u64, 2, 1][..], &[3f32, 1., 6., 4.][..]));
        let batched = select(1, 1, ints(&[2, 2], &[0, 1, 2, -5]));
        assert_eq!((batched.dims(), batched.as_slice::<f32>()), (&[2u64, 2][..], &[1f32, 2., 6., 4.][..]));
        assert_eq!(batched.ring(), Some(&[1, 2, 6, 4][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |dim, batch_dims| TorchIndexSelect { dim, batch_dims };
        assert_violates("C1", op(0, 0), &[f32s(&[2]), f32s(&[2])], &[]);
        assert_violates("C2", op(1, 0), &[f32s(&[2]), i32s(&[2])], &[]);
        assert_violates("C2", op(0, 1), &[f32s(&[2]), i32s(&[2])], &[]);
        assert_violates("C3", op(1, 1), &[f32s(&[2, 2]), i32s(&[])], &[]);
        assert_violates("C4", op(1, 1), &[f32s(&[2, 2]), i32s(&[3])], &[]);
    }
}
