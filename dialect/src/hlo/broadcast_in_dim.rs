//! `broadcast_in_dim`: repeats a tensor along new or size-1 dimensions.
//!
//! Meaning: result[i0, .., iR-1] = operand[j0, .., jN-1] with jd = 0 if dim(operand, d) = 1, else i[broadcast_dimensions[d]].
//! Inputs I1 operand, I2 broadcast_dimensions. Constraints: C1 element types agree; C2 one entry per operand dimension; C3 entries in range of the
//! result's rank; C4 entries unique; C5 dim(operand, d) is 1 or the size of its result dimension.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.broadcast_in_dim %0 {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::shape,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BroadcastInDim {
    pub broadcast_dimensions: Vec<i64>,
}

impl OpDef for BroadcastInDim {
    const NAME: &'static str = "broadcast_in_dim";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> BroadcastInDim {
        BroadcastInDim { broadcast_dimensions: reader.ints("broadcast_dimensions") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("broadcast_dimensions", self.broadcast_dimensions.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        let dims = &self.broadcast_dimensions;
        let mut wrong = vec![];
        if operand.element != result.element {
            wrong.push(format!("C1: element types differ: {operand} and {result}"));
        }
        if dims.len() != operand.rank() {
            wrong.push(format!("C2: {} broadcast_dimensions for an operand of rank {}", dims.len(), operand.rank()));
        }
        if dims.iter().any(|d| *d < 0 || *d >= result.rank() as i64) {
            wrong.push(format!("C3: broadcast_dimensions {dims:?} reach beyond rank {}", result.rank()));
        }
        if (1..dims.len()).any(|i| dims[..i].contains(&dims[i])) {
            wrong.push(format!("C4: broadcast_dimensions {dims:?} repeat a dimension"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        for (size, d) in operand.dims.iter().zip(dims) {
            if *size != Dim::Static(1) && shape::join_dims(*size, result.dims[*d as usize]).is_none() {
                wrong.push(format!("C5: size {size} does not fit size {} of result dimension {d}", result.dims[*d as usize]));
            }
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(result.clone())]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let dims = shape::result_dims(results, 0)?;
        let mut strides = vec![0; dims.len()];
        for (d, (size, stride)) in self.broadcast_dimensions.iter().zip(operand.dims().iter().zip(row_major_strides(operand.dims()))) {
            if *size != 1 {
                strides[*d as usize] = stride;
            }
        }
        Ok(vec![operand.strided(&dims, 0, &strides).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        // Keep a random subset of the result's dimensions, some of them with size 1.
        let kept: Vec<i64> = (0..dims.len() as i64).filter(|_| s.range(0, 1) == 0).collect();
        let operand: Vec<u64> = kept.iter().map(|d| if s.range(0, 3) == 0 { 1 } else { dims[*d as usize] }).collect();
        let op = BroadcastInDim { broadcast_dimensions: kept };
        Sampler::single(op, &[Type::tensor(operand, element.clone())], &[Type::tensor(dims, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ElementType;

    fn infer(dims: &[i64], operand: &[u64], result: &[u64], elements: [ElementType; 2]) -> Result<Vec<Type>, Vec<String>> {
        let [a, b] = elements;
        let (operands, declared) = ([Type::tensor(operand.iter().copied(), a)], [Type::tensor(result.iter().copied(), b)]);
        BroadcastInDim { broadcast_dimensions: dims.to_vec() }.infer(&InferContext { operands: &operands, declared: &declared, regions: &[] })
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = || [ElementType::F32, ElementType::F32];
        assert!(infer(&[1], &[3], &[2, 3], f()).is_ok());
        for (found, tag) in [
            (infer(&[1], &[3], &[2, 3], [ElementType::F32, ElementType::I32]), "C1"),
            (infer(&[], &[3], &[2, 3], f()), "C2"),
            (infer(&[2], &[3], &[2, 3], f()), "C3"),
            (infer(&[1, 1], &[3, 3], &[2, 3], f()), "C4"),
            (infer(&[0], &[3], &[2, 3], f()), "C5"),
        ] {
            assert!(found.unwrap_err()[0].starts_with(tag));
        }
    }
}
