//! `dynamic_gather`: `gather` with slice sizes that are computed.
//!
//! Meaning: as `gather`. Inputs I1 operand, I2 start_indices, I3 slice_sizes (a list of integers), then the dimension lists of `gather`.
//! Constraints: those of `gather` under its numbers; C20 size(slice_sizes) = rank(operand). C9, C12 and C21 (the sizes fit) are known only at run time: a
//! violation is a trap.
//! Kind: movement. Numerics: bits are kept; unsigned indices are not sign-extended.
//! Example: `%3 = hlo.dynamic_gather %0, %1, %2 {offset_dims = array<i64: 2, 3>, ..} : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{gather, movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicGather {
    pub offset_dims: Vec<i64>,
    pub collapsed_slice_dims: Vec<i64>,
    pub operand_batching_dims: Vec<i64>,
    pub start_indices_batching_dims: Vec<i64>,
    pub start_index_map: Vec<i64>,
    pub index_vector_dim: i64,
    pub indices_are_sorted: bool,
}

impl DynamicGather {
    fn numbers(&self) -> gather::Numbers<'_> {
        gather::Numbers {
            offset_dims: &self.offset_dims,
            collapsed_slice_dims: &self.collapsed_slice_dims,
            operand_batching_dims: &self.operand_batching_dims,
            start_indices_batching_dims: &self.start_indices_batching_dims,
            start_index_map: &self.start_index_map,
            index_vector_dim: self.index_vector_dim,
        }
    }
}

impl OpDef for DynamicGather {
    const NAME: &'static str = "dynamic_gather";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DynamicGather {
        DynamicGather {
            offset_dims: reader.ints("offset_dims"),
            collapsed_slice_dims: reader.ints("collapsed_slice_dims"),
            operand_batching_dims: reader.opt_ints("operand_batching_dims").unwrap_or_default(),
            start_indices_batching_dims: reader.opt_ints("start_indices_batching_dims").unwrap_or_default(),
            start_index_map: reader.ints("start_index_map"),
            index_vector_dim: reader.int("index_vector_dim"),
            indices_are_sorted: reader.opt_bool("indices_are_sorted").unwrap_or(false),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("offset_dims", self.offset_dims.clone())
            .with("collapsed_slice_dims", self.collapsed_slice_dims.clone())
            .with("operand_batching_dims", self.operand_batching_dims.clone())
            .with("start_indices_batching_dims", self.start_indices_batching_dims.clone())
            .with("start_index_map", self.start_index_map.clone())
            .with("index_vector_dim", self.index_vector_dim)
            .with("indices_are_sorted", self.indices_are_sorted)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 3)?;
        let (operand, start, sizes) = (operands[0], operands[1], operands[2]);
        if !start.element.is_integer() {
            return Err(vec![format!("I2: start_indices must be integers, got {start}")]);
        }
        let mut wrong = self.numbers().violations(operand, start);
        if !movement::is_size_list(sizes, operand.rank()) {
            wrong.push(format!("C20: slice_sizes {sizes} for {operand}"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let slice = vec![Dim::Dynamic { bound: None }; operand.rank()];
        Ok(vec![movement::or_declared(operand.with_dims(self.numbers().combined(&start.dims, &slice)), cx, 0)])
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (operand, start) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let sizes = movement::checked_dims(&movement::indices(shape::operand(operands, 2)?), &ElementType::I8)?;
        let dropped = self.collapsed_slice_dims.iter().chain(&self.operand_batching_dims);
        if sizes.len() != operand.rank() || dropped.into_iter().any(|d| sizes[*d as usize] > 1) {
            return Err(movement::mismatch(format!("slice_sizes {sizes:?} of {}", operand.ty()))); // C9, C12
        }
        let out = self.numbers().gather(operand, start, &sizes)?;
        movement::check_declared(out.dims(), results, 0)?;
        Ok(vec![out.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (g, operand, start) = gather::random(s);
        let rank = operand.as_tensor().map_or(0, |t| t.rank() as u64);
        let op = DynamicGather {
            offset_dims: g.offset_dims,
            collapsed_slice_dims: g.collapsed_slice_dims,
            operand_batching_dims: g.operand_batching_dims,
            start_indices_batching_dims: g.start_indices_batching_dims,
            start_index_map: g.start_index_map,
            index_vector_dim: g.index_vector_dim,
            indices_are_sorted: false,
        };
        Sampler::single(op, &[operand, start, Type::tensor([rank], ElementType::I64)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    fn example() -> DynamicGather {
        DynamicGather {
            offset_dims: vec![2, 3],
            collapsed_slice_dims: vec![0],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![1, 0],
            index_vector_dim: 2,
            indices_are_sorted: false,
        }
    }

    #[test]
    fn the_example_of_the_specification() {
        let operand = ints(&[3, 4, 2], &(1..=24).collect::<Vec<_>>());
        let start = ints(&[2, 3, 2], &[0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 2]);
        let with = |sizes: &[i64]| eval(example(), &[operand.clone(), start.clone(), ints(&[3], sizes)], &[]);
        let out = with(&[1, 2, 2]).unwrap();
        let want: Vec<i32> = [1, 3, 13, 9, 11, 17].iter().flat_map(|b| [*b, b + 1, b + 2, b + 3]).collect();
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[2u64, 3, 2, 2][..], &want[..]));
        for bad in [[2, 2, 2], [1, 5, 2], [1, -1, 2]] {
            assert!(matches!(with(&bad), Err(Stop::Trap(_))));
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let operands = [i32s(&[3, 4, 2]), i32s(&[2, 3, 2]), i32s(&[3])];
        assert_eq!(violated(example(), &operands, &[]), Vec::<String>::new());
        assert_violates("C3", DynamicGather { start_index_map: vec![1], ..example() }, &operands, &[]);
        assert_violates("C19", DynamicGather { start_index_map: vec![1, 3], ..example() }, &operands, &[]);
        assert_violates("C20", example(), &[i32s(&[3, 4, 2]), i32s(&[2, 3, 2]), i32s(&[2])], &[]);
        assert_violates("I2", example(), &[i32s(&[3, 4, 2]), f32s(&[2, 3, 2]), i32s(&[3])], &[]);
    }
}
