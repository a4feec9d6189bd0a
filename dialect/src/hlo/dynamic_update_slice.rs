//! `dynamic_update_slice`: replaces a box whose start is computed.
//!
//! Meaning: with start = clamp(0, start_indices, shape(operand) - shape(update)): result[i] = update[i - start] where that is an index of update, else
//! operand[i]. Inputs I1 operand, I2 update, I3 start_indices (one scalar per dimension). Constraints: C1 type(result) = type(operand); C2 element
//! types agree; C3 ranks agree; C4 one start per dimension; C5 starts are scalars of one integer type; C6 shape(update) <= shape(operand).
//! Kind: movement. Numerics: bits are kept; unsigned starts are not sign-extended.
//! Example: `%3 = hlo.dynamic_update_slice %0, %1, %2 : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{dynamic_slice, movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Value, row_major_strides},
    types::{Class, Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicUpdateSlice;

impl OpDef for DynamicUpdateSlice {
    const NAME: &'static str = "dynamic_update_slice";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> DynamicUpdateSlice {
        DynamicUpdateSlice
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let (operand, update) = (shape::tensor(cx, 0)?, shape::tensor(cx, 1)?);
        let starts = (2..cx.operands.len()).map(|i| shape::tensor(cx, i)).collect::<Result<Vec<_>, _>>()?;
        let mut wrong = vec![];
        if operand.element != update.element {
            wrong.push(format!("C2: element types differ: {operand} and {update}"));
        }
        if starts.len() != operand.rank() {
            wrong.push(format!("C4: {} start_indices for {operand}", starts.len()));
        }
        if !movement::are_start_indices(&starts) {
            wrong.push("C5: start_indices must be scalars of one integer type".to_string());
        }
        let fits = |(u, o): (&Dim, &Dim)| match (u, o) {
            (Dim::Static(u), Dim::Static(o)) => u <= o,
            (Dim::Static(_) | Dim::Dynamic { .. }, _) => true,
        };
        if operand.rank() != update.rank() {
            wrong.push(format!("C3: ranks differ: {operand} and {update}"));
        } else if !update.dims.iter().zip(&operand.dims).all(fits) {
            wrong.push(format!("C6: {update} is larger than {operand}"));
        }
        if wrong.is_empty() { Ok(vec![movement::or_declared(operand.with_dims(operand.dims.clone()), cx, 0)]) } else { Err(wrong) } // C1
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (operand, update) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let starts = dynamic_slice::clamped_starts(operands, 2, operand.dims(), update.dims())?;
        if update.dims() == operand.dims() {
            return Ok(vec![update.clone().into()]);
        }
        let strides = row_major_strides(operand.dims());
        let offset = starts.iter().zip(&strides).map(|(s, stride)| s * stride).sum();
        Ok(vec![operand.clone().written(update, offset, &strides).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0, 1], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let start = Type::tensor([], s.element(|e| matches!(e.class(), Class::Signed | Class::Unsigned)));
        let update: Vec<u64> = dims.iter().map(|d| s.range(0, *d)).collect();
        let mut operands = vec![Type::tensor(dims.clone(), element.clone()), Type::tensor(update, element)];
        operands.extend(dims.iter().map(|_| start.clone()));
        Sampler::single(DynamicUpdateSlice, &operands, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let x = ints(&[4, 4], &[1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
        let out = eval(DynamicUpdateSlice, &[x, ints(&[2, 2], &[1; 4]), ints(&[], &[-1]), ints(&[], &[3])], &[]).unwrap();
        assert_eq!(out[0].as_slice::<i32>(), [1; 16]);
    }

    #[test]
    fn writes_a_row_in_both_planes_and_leaves_the_operand() {
        let x = floats(&[3, 2], &[1., 2., 3., 4., 5., 6.]);
        let out = eval(DynamicUpdateSlice, &[x.clone(), floats(&[1, 2], &[7., 8.]), ints(&[], &[1]), ints(&[], &[5])], &[]).unwrap();
        assert_eq!(out[0].as_slice::<f32>(), [1., 2., 7., 8., 5., 6.]);
        assert_eq!(out[0].ring(), Some(&[1, 2, 7, 8, 5, 6][..]));
        assert_eq!(x.as_slice::<f32>()[2], 3.0);
        let nothing = eval(DynamicUpdateSlice, &[x, floats(&[0, 2], &[]), ints(&[], &[9]), ints(&[], &[0])], &[]).unwrap();
        assert_eq!(nothing[0].as_slice::<f32>(), [1., 2., 3., 4., 5., 6.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = || DynamicUpdateSlice;
        assert_violates("C2", op(), &[f32s(&[4]), i32s(&[2]), i32s(&[])], &[]);
        assert_violates("C3", op(), &[f32s(&[4]), f32s(&[]), i32s(&[])], &[]);
        assert_violates("C4", op(), &[f32s(&[4]), f32s(&[2])], &[]);
        assert_violates("C5", op(), &[f32s(&[4]), f32s(&[2]), f32s(&[])], &[]);
        assert_violates("C6", op(), &[f32s(&[4]), f32s(&[5]), i32s(&[])], &[]);
    }
}
