//! `transpose`: permutes dimensions.
//!
//! Meaning: result[result_index] = operand[operand_index] with result_index[d] = operand_index[permutation[d]].
//! Inputs I1 operand, I2 permutation. Constraints: C1 element types agree (a quantized axis may move); C2 permutation is one of the operand's
//! dimensions; C3 dim(result, d) = dim(operand, permutation[d]); C4 the quantized axis moves with its dimension.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::{ElementType, QuantizedType, Type},
};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transpose {
    pub permutation: Vec<i64>,
}

impl OpDef for Transpose {
    const NAME: &'static str = "transpose";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Transpose {
        Transpose { permutation: reader.ints("permutation") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("permutation", self.permutation.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let p = &self.permutation;
        if p.len() != operand.rank() || !movement::in_rank(p, operand.rank()) || !movement::is_unique(p) {
            return Err(vec![format!("C2: {p:?} is not a permutation of the dimensions of {operand}")]);
        }
        let dims = p.iter().map(|d| operand.dims[*d as usize]).collect();
        let mut inferred = operand.with_dims(dims); // C3
        if let ElementType::Quantized(q) = &operand.element
            && let Some(axis) = q.axis
        {
            let axis = p.iter().position(|d| *d as u64 == axis).map(|d| d as u64); // C4
            inferred.element = ElementType::Quantized(Arc::new(QuantizedType { axis, ..(**q).clone() }));
        }
        // C1: a declared type of another element is not compatible with the inferred one.
        Ok(vec![movement::or_declared(inferred, cx, 0)])
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let strides = row_major_strides(operand.dims());
        let (dims, strides): (Vec<u64>, Vec<i64>) = self.permutation.iter().map(|d| (operand.dims()[*d as usize], strides[*d as usize])).unzip();
        Ok(vec![movement::retyped(operand.strided(&dims, 0, &strides), results, 0).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let dims = s.dims();
        let mut permutation: Vec<i64> = (0..dims.len() as i64).collect();
        (1..dims.len()).for_each(|i| permutation.swap(i, s.range(0, i as u64) as usize));
        let element = s.element(|_| true);
        Sampler::single(Transpose { permutation }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let x = floats(&[2, 3, 2], &[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.]);
        let out = eval(Transpose { permutation: vec![2, 1, 0] }, &[x], &[]).unwrap();
        assert_eq!(out[0].dims(), [2, 3, 2]);
        assert_eq!(out[0].as_slice::<f32>(), [1., 7., 3., 9., 5., 11., 2., 8., 4., 10., 6., 12.]);
        assert_eq!(out[0].ring(), Some(&[1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12][..]));
    }

    #[test]
    fn moves_whole_complex_numbers() {
        let x = crate::tensor::Tensor::from_slice(&[1, 2], ElementType::C64, &[[1f32, 2.], [3., 4.]]);
        let out = eval(Transpose { permutation: vec![1, 0] }, &[x], &[]).unwrap();
        assert_eq!(out[0].as_slice::<[f32; 2]>(), [[1., 2.], [3., 4.]]);
        assert_eq!(out[0].ring(), Some(&[1, 2, 3, 4][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        for bad in [vec![0], vec![0, 0], vec![0, 2], vec![-1, 0]] {
            assert_violates("C2", Transpose { permutation: bad }, &[f32s(&[2, 3])], &[]);
        }
        // C1 and C3 hold of the inferred type; the verifier compares it with the declared one.
        let op: crate::hlo::Op = Transpose { permutation: vec![1, 0] }.into();
        let program = with_regions(op.clone(), &[f32s(&[2, 3])], &[f32s(&[9, 9])], &[]).unwrap();
        assert_eq!(program.main().results, [f32s(&[3, 2])]);
    }
}
