//! `dynamic_broadcast_in_dim`: `broadcast_in_dim` to a shape that is computed.
//!
//! Meaning: as `broadcast_in_dim`; shape(result) = output_dimensions. Inputs I1 operand, I2 output_dimensions, I3 broadcast_dimensions,
//! I4 known_expanding_dimensions, I5 known_nonexpanding_dimensions (both optional, promises about the operand).
//! Constraints: C1 element types agree; C2 one broadcast dimension per operand dimension; C3 in range of the result's rank; C4 unique; C5 dim(operand, d) is
//! 1 or the size of its result dimension (at run time: a trap); C7 size(output_dimensions) = rank(result); C8 I4 and I5 unique together; C9, C10 in range
//! of the operand's rank.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.dynamic_broadcast_in_dim %0, %1 {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicBroadcastInDim {
    pub broadcast_dimensions: Vec<i64>,
    pub known_expanding_dimensions: Option<Vec<i64>>,
    pub known_nonexpanding_dimensions: Option<Vec<i64>>,
}

impl OpDef for DynamicBroadcastInDim {
    const NAME: &'static str = "dynamic_broadcast_in_dim";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DynamicBroadcastInDim {
        DynamicBroadcastInDim {
            broadcast_dimensions: reader.ints("broadcast_dimensions"),
            known_expanding_dimensions: reader.opt_ints("known_expanding_dimensions"),
            known_nonexpanding_dimensions: reader.opt_ints("known_nonexpanding_dimensions"),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("broadcast_dimensions", self.broadcast_dimensions.clone())
            .with_some("known_expanding_dimensions", self.known_expanding_dimensions.clone())
            .with_some("known_nonexpanding_dimensions", self.known_nonexpanding_dimensions.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let operand = operands[0];
        let result = movement::declared_or_unknown(cx, operands[1], &operand.element, "C7")?;
        let dims = &self.broadcast_dimensions;
        let mut wrong = vec![];
        if !movement::same_element(&operand.element, &result.element) {
            wrong.push(format!("C1: element types differ: {operand} and {result}"));
        }
        if dims.len() != operand.rank() {
            wrong.push(format!("C2: {} broadcast_dimensions for an operand of rank {}", dims.len(), operand.rank()));
        }
        if !movement::in_rank(dims, result.rank()) {
            wrong.push(format!("C3: broadcast_dimensions {dims:?} reach beyond rank {}", result.rank()));
        }
        if !movement::is_unique(dims) {
            wrong.push(format!("C4: broadcast_dimensions {dims:?} repeat a dimension"));
        }
        let known = |list: &Option<Vec<i64>>| list.clone().unwrap_or_default();
        let (expanding, kept) = (known(&self.known_expanding_dimensions), known(&self.known_nonexpanding_dimensions));
        if !movement::is_unique(&[&expanding[..], &kept].concat()) {
            wrong.push(format!("C8: known dimensions {expanding:?} and {kept:?} repeat one"));
        }
        for (tag, list) in [("C9", &expanding), ("C10", &kept)] {
            if !movement::in_rank(list, operand.rank()) {
                wrong.push(format!("{tag}: known dimensions {list:?} reach beyond {operand}"));
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        for (size, d) in operand.dims.iter().zip(dims) {
            if *size != Dim::Static(1) && shape::join_dims(*size, result.dims[*d as usize]).is_none() {
                wrong.push(format!("C5: size {size} does not fit size {} of result dimension {d}", result.dims[*d as usize]));
            }
        }
        if wrong.is_empty() { Ok(vec![result.into()]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let dims = movement::computed_dims(operands, 1, operand.element(), results)?;
        let mut strides = vec![0; dims.len()];
        let of_operand = row_major_strides(operand.dims());
        for (d, (size, stride)) in self.broadcast_dimensions.iter().zip(operand.dims().iter().zip(of_operand)) {
            let d = *d as usize;
            if *size != 1 {
                strides[d] = stride;
                if *size != dims[d] {
                    return Err(movement::mismatch(format!("broadcast of {} to {dims:?}", operand.ty()))); // C5
                }
            }
        }
        Ok(vec![movement::retyped(operand.strided(&dims, 0, &strides), results, 0).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let kept: Vec<i64> = (0..dims.len() as i64).filter(|_| s.range(0, 1) == 0).collect();
        let operand: Vec<u64> = kept.iter().map(|d| if s.range(0, 3) == 0 { 1 } else { dims[*d as usize] }).collect();
        let op = DynamicBroadcastInDim { broadcast_dimensions: kept, known_expanding_dimensions: None, known_nonexpanding_dimensions: None };
        let sizes = Type::tensor([dims.len() as u64], ElementType::I32);
        Sampler::single(op, &[Type::tensor(operand, element.clone()), sizes], &[Type::tensor(dims, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    fn op(dims: &[i64]) -> DynamicBroadcastInDim {
        DynamicBroadcastInDim { broadcast_dimensions: dims.to_vec(), known_expanding_dimensions: None, known_nonexpanding_dimensions: None }
    }

    #[test]
    fn the_example_of_the_specification() {
        let out = eval(op(&[2, 1]), &[ints(&[1, 3], &[1, 2, 3]), ints(&[3], &[2, 3, 2])], &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[2u64, 3, 2][..], &[1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3][..]));
        let bad = eval(op(&[0]), &[ints(&[3], &[1, 2, 3]), ints(&[1], &[4])], &[]);
        assert!(matches!(bad, Err(Stop::Trap(_))));
    }

    #[test]
    fn each_constraint_is_checked() {
        let sizes = || i32s(&[2]);
        assert_violates("C1", op(&[1]), &[f32s(&[3]), sizes()], &[i32s(&[2, 3])]);
        assert_violates("C2", op(&[]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C3", op(&[2]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C4", op(&[1, 1]), &[f32s(&[3, 3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C5", op(&[0]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C7", op(&[1]), &[f32s(&[3]), i32s(&[3])], &[f32s(&[2, 3])]);
        let known = |a: &[i64], b: &[i64]| DynamicBroadcastInDim { known_expanding_dimensions: Some(a.to_vec()), known_nonexpanding_dimensions: Some(b.to_vec()), ..op(&[1]) };
        assert_violates("C8", known(&[0], &[0]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C9", known(&[1], &[]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
        assert_violates("C10", known(&[], &[-1]), &[f32s(&[3]), sizes()], &[f32s(&[2, 3])]);
    }
}
