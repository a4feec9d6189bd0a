//! `set_dimension_size`: makes a dimension as long as a computed size.
//!
//! Meaning: result = operand with dim(result, dimension) = size: elements beyond the size are gone; elements that come back beyond the operand's size
//! (when the declared bound allows them) have no defined value and are zero here. Inputs I1 operand, I2 size (scalar), I3 dimension.
//! Constraints: C1 dimension is one of the operand's; C2 size is a scalar of integers; C3 the result has the operand's type but for that dimension.
//! A size that is negative or beyond the bound is a trap.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.set_dimension_size %0, %1 {dimension = 0} : (tensor<10xf32>, tensor<i32>) -> tensor<?xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetDimensionSize {
    pub dimension: i64,
}

fn most(d: &Dim) -> Option<u64> {
    match d {
        Dim::Static(n) => Some(*n),
        Dim::Dynamic { bound } => *bound,
    }
}

impl OpDef for SetDimensionSize {
    const NAME: &'static str = "set_dimension_size";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> SetDimensionSize {
        SetDimensionSize { dimension: reader.int("dimension") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimension", self.dimension)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let (operand, size) = (operands[0], operands[1]);
        let mut wrong = vec![];
        if !movement::in_rank(&[self.dimension], operand.rank()) {
            wrong.push(format!("C1: dimension {} is out of range of {operand}", self.dimension));
        }
        if size.rank() != 0 || !size.element.is_integer() {
            wrong.push(format!("C2: size must be a scalar of integers, got {size}"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut dims = operand.dims.clone();
        let d = self.dimension as usize;
        dims[d] = Dim::Dynamic { bound: most(&operand.dims[d]) };
        let inferred = operand.with_dims(dims);
        match cx.declared.first() {
            Some(declared) if !declared.compatible(&inferred.clone().into()) => Err(vec![format!("C3: {operand} becomes {declared}")]),
            Some(Type::Tensor(declared)) => Ok(vec![TensorType { layout: declared.layout.clone(), ..movement_dims(&inferred, declared) }.into()]),
            Some(_) | None => Ok(vec![inferred.into()]),
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (operand, size) = (shape::operand(operands, 0)?, movement::index(shape::operand(operands, 1)?)?);
        let d = self.dimension as usize;
        let mut sizes: Vec<i64> = operand.dims().iter().map(|n| *n as i64).collect();
        sizes[d] = size;
        let dims = movement::checked_dims(&sizes, operand.element())?;
        movement::check_declared(&dims, results, 0)?;
        let strides = row_major_strides(operand.dims());
        if dims[d] <= operand.dims()[d] {
            return Ok(vec![operand.strided(&dims, 0, &strides).into()]);
        }
        // Without a declared bound nothing says that the operand has more elements than it shows.
        if results.first().and_then(Type::as_tensor).and_then(|t| t.dims.get(d)).and_then(most).is_none() {
            return Err(movement::mismatch(format!("size {size} of dimension {d} of {}", operand.ty())));
        }
        Ok(vec![Tensor::zeros(&dims, operand.element(), operand.planes()).written(operand, 0, &row_major_strides(&dims)).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let mut dims = s.dims();
        dims.push(s.range(0, s.size));
        let op = SetDimensionSize { dimension: s.range(0, dims.len() as u64 - 1) as i64 };
        Sampler::single(op, &[Type::tensor(dims, s.element(|_| true)), Type::tensor([], ElementType::I32)], &[])
    }
}

/// `inferred` with the sizes the declared type knows better.
fn movement_dims(inferred: &TensorType, declared: &TensorType) -> TensorType {
    inferred.with_dims(inferred.dims.iter().zip(&declared.dims).map(|(a, b)| shape::join_dims(*a, *b).unwrap_or(*b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    fn set(size: i64, declared: &[Type]) -> Result<Vec<Tensor>, Stop> {
        eval(SetDimensionSize { dimension: 1 }, &[floats(&[2, 3], &[1., 2., 3., 4., 5., 6.]), ints(&[], &[size])], declared)
    }

    #[test]
    fn elements_beyond_the_size_are_gone() {
        let out = set(2, &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<f32>()), (&[2u64, 2][..], &[1f32, 2., 4., 5.][..]));
        assert_eq!(out[0].ring(), Some(&[1, 2, 4, 5][..]));
        assert_eq!(set(0, &[]).unwrap()[0].dims(), [2, 0]);
        assert!(matches!(set(4, &[]), Err(Stop::Trap(_))));
        assert!(matches!(set(-1, &[]), Err(Stop::Trap(_))));
    }

    #[test]
    fn a_bound_lets_a_dimension_grow_back() {
        let x: Type = TensorType { dims: vec![Dim::Dynamic { bound: Some(3) }], element: ElementType::F32, layout: None }.into();
        let program = with_regions(SetDimensionSize { dimension: 0 }, &[x, i32s(&[])], &[f32s(&[3])], &[]).unwrap();
        let out = run_program(&program, vec![floats(&[2], &[1., 2.]).into(), ints(&[], &[3]).into()], crate::planes::Planes::IeeeOnly).unwrap();
        assert_eq!(out[0].as_tensor().unwrap().as_slice::<f32>(), [1., 2., 0.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |dimension| SetDimensionSize { dimension };
        assert_violates("C1", op(2), &[f32s(&[2, 3]), i32s(&[])], &[]);
        assert_violates("C2", op(0), &[f32s(&[2, 3]), i32s(&[1])], &[]);
        assert_violates("C2", op(0), &[f32s(&[2, 3]), f32s(&[])], &[]);
        assert_violates("C3", op(0), &[f32s(&[2, 3]), i32s(&[])], &[f32s(&[2, 4])]);
        assert_violates("C3", op(0), &[f32s(&[2, 3]), i32s(&[])], &[f32s(&[3, 3])]);
    }
}
