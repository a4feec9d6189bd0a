//! `dynamic_slice`: a box of static size whose start is computed.
//!
//! Meaning: result[result_index] = operand[clamp(0, start_indices, shape(operand) - slice_sizes) + result_index].
//! Inputs I1 operand, I2 start_indices (one scalar per dimension), I3 slice_sizes. Constraints: C1 element types agree; C2 one start and one size per
//! dimension; C3 starts are scalars of one integer type; C4 0 <= slice_sizes <= shape(operand); C5 shape(result) = slice_sizes.
//! Kind: movement. Numerics: bits are kept; unsigned starts are not sign-extended.
//! Example: `%2 = hlo.dynamic_slice %0, %1 {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape, slice},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{Class, Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicSlice {
    pub slice_sizes: Vec<i64>,
}

/// Start operands from `first` on, clamped so that a box of `sizes` lies inside `dims`.
pub fn clamped_starts(operands: &[Value], first: usize, dims: &[u64], sizes: &[u64]) -> Result<Vec<i64>, Stop> {
    if dims.iter().zip(sizes).any(|(n, size)| size > n) {
        return Err(movement::mismatch(format!("a box of {sizes:?} in {dims:?}")));
    }
    let start = |d: usize| Ok(movement::index(shape::operand(operands, first + d)?)?.clamp(0, (dims[d] - sizes[d]) as i64));
    (0..dims.len()).map(start).collect()
}

impl OpDef for DynamicSlice {
    const NAME: &'static str = "dynamic_slice";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DynamicSlice {
        DynamicSlice { slice_sizes: reader.ints("slice_sizes") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("slice_sizes", self.slice_sizes.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensor(cx, 0)?;
        let starts = (1..cx.operands.len()).map(|i| shape::tensor(cx, i)).collect::<Result<Vec<_>, _>>()?;
        let sizes = &self.slice_sizes;
        if starts.len() != operand.rank() || sizes.len() != operand.rank() {
            return Err(vec![format!("C2: {} start_indices and {} slice_sizes for {operand}", starts.len(), sizes.len())]);
        }
        let mut wrong = vec![];
        if !movement::are_start_indices(&starts) {
            wrong.push("C3: start_indices must be scalars of one integer type".to_string());
        }
        let fits = |(size, d): (&i64, &Dim)| match d {
            Dim::Static(n) => u64::try_from(*size).is_ok_and(|s| s <= *n),
            Dim::Dynamic { .. } => *size >= 0,
        };
        if !sizes.iter().zip(&operand.dims).all(fits) {
            wrong.push(format!("C4: slice_sizes {sizes:?} do not fit into {operand}"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(vec![movement::or_declared(operand.with_dims(sizes.iter().map(|s| Dim::Static(*s as u64)).collect()), cx, 0)]) // C1, C5
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let sizes: Vec<u64> = self.slice_sizes.iter().map(|s| *s as u64).collect();
        let starts = clamped_starts(operands, 1, operand.dims(), &sizes)?;
        Ok(vec![slice::boxed(operand, &starts, &vec![1; starts.len()], &sizes).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let start = Type::tensor([], s.element(|e| matches!(e.class(), Class::Signed | Class::Unsigned)));
        let slice_sizes = dims.iter().map(|d| s.range(0, *d) as i64).collect();
        let operands: Vec<Type> = std::iter::once(Type::tensor(dims.clone(), element)).chain(dims.iter().map(|_| start.clone())).collect();
        Sampler::single(DynamicSlice { slice_sizes }, &operands, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, tensor::Tensor, types::ElementType};

    #[test]
    fn starts_are_clamped() {
        let x = ints(&[4, 4], &[0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let op = DynamicSlice { slice_sizes: vec![2, 2] };
        let out = eval(op, &[x, ints(&[], &[-1]), ints(&[], &[3])], &[]).unwrap();
        assert_eq!(out[0].as_slice::<i32>(), [1, 1, 1, 1]);
    }

    #[test]
    fn starts_of_every_width_at_their_ends() {
        let x = ints(&[5], &[0, 1, 2, 3, 4]);
        let first = |start: Tensor| eval(DynamicSlice { slice_sizes: vec![2] }, &[x.clone(), start], &[]).unwrap()[0].as_slice::<i32>()[0];
        let scalar = |e: ElementType, v: i64| Tensor::from_i64s(&[], &e, &[v]);
        for (start, want) in [
            (scalar(ElementType::I64, i64::MAX), 3),
            (scalar(ElementType::I64, i64::MIN), 0),
            (scalar(ElementType::U64, -1), 3),
            (scalar(ElementType::U32, -1), 3),
            (scalar(ElementType::U8, 200), 3),
            (scalar(ElementType::I8, -56), 0),
            (scalar(ElementType::I16, 2), 2),
        ] {
            assert_eq!(first(start.clone()), want, "{start:?}");
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |sizes: &[i64]| DynamicSlice { slice_sizes: sizes.to_vec() };
        assert_violates("C2", op(&[1]), &[f32s(&[4])], &[]);
        assert_violates("C2", op(&[1, 1]), &[f32s(&[4]), i32s(&[])], &[]);
        assert_violates("C3", op(&[1]), &[f32s(&[4]), f32s(&[])], &[]);
        assert_violates("C3", op(&[1]), &[f32s(&[4]), i32s(&[1])], &[]);
        assert_violates("C3", op(&[1, 1]), &[f32s(&[4, 4]), i32s(&[]), Type::tensor([], ElementType::I64)], &[]);
        assert_violates("C4", op(&[5]), &[f32s(&[4]), i32s(&[])], &[]);
        assert_violates("C4", op(&[-1]), &[f32s(&[4]), i32s(&[])], &[]);
    }
}
