//! `pad`: puts a value around a tensor and between its elements; negative edges remove elements.
//!
//! Meaning: result[result_index] = operand[operand_index] where result_index = edge_padding_low + operand_index * (interior_padding + 1) has a
//! solution, else padding_value.
//! Inputs I1 operand, I2 padding_value, I3 edge_padding_low, I4 edge_padding_high, I5 interior_padding.
//! Constraints: C1 element types agree and padding_value has rank 0; C2 one entry per dimension in each list; C3 0 <= interior_padding;
//! C4 shape(result) = shape(operand) + low + max(shape(operand) - 1, 0) * interior + high, not negative.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.pad %0, %1 {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 1>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pad {
    pub edge_padding_low: Vec<i64>,
    pub edge_padding_high: Vec<i64>,
    pub interior_padding: Vec<i64>,
}

/// Size of a padded dimension; none when negative or too large. `interior` is not negative.
pub fn padded_size(n: u64, low: i64, high: i64, interior: i64) -> Option<u64> {
    let gaps = i128::from(n.saturating_sub(1)) * i128::from(interior);
    let size = i128::from(n) + i128::from(low) + i128::from(high) + gaps;
    u64::try_from(size).ok().filter(|s| i64::try_from(*s).is_ok())
}

/// `x` padded with the scalar `value`; one entry per dimension in each list.
pub fn padded(x: &Tensor, value: &Tensor, low: &[i64], high: &[i64], interior: &[i64]) -> Result<Tensor, Stop> {
    let sizes: Option<Vec<i64>> = (0..x.rank()).map(|d| padded_size(x.dims()[d], low[d], high[d], interior[d]).map(|n| n as i64)).collect();
    let sizes = sizes.ok_or_else(|| movement::mismatch(format!("padding {low:?}, {high:?}, {interior:?} of {}", x.ty())))?;
    let dims = movement::checked_dims(&sizes, x.element())?;
    let filled = value.strided(&dims, 0, &vec![0; dims.len()]);
    let (from, to) = (row_major_strides(x.dims()), row_major_strides(&dims));
    let (mut kept, mut source, mut target, mut strides) = (vec![], 0, 0, to.clone());
    for d in 0..x.rank() {
        // Elements first..last of the operand land inside the result.
        let (low, step) = (i128::from(low[d]), i128::from(interior[d]) + 1);
        let ceil = |a: i128| (a + step - 1).div_euclid(step);
        let first = ceil(-low).max(0);
        let last = ceil(i128::from(dims[d]) - low).min(i128::from(x.dims()[d]));
        if last <= first {
            return Ok(filled);
        }
        kept.push((last - first) as u64);
        source += from[d] * first as i64;
        target += to[d] * (low + first * step) as i64;
        if last - first > 1 {
            strides[d] *= step as i64;
        }
    }
    Ok(filled.written(&x.strided(&kept, source, &from), target, &strides))
}

impl OpDef for Pad {
    const NAME: &'static str = "pad";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Pad {
        Pad {
            edge_padding_low: reader.ints("edge_padding_low"),
            edge_padding_high: reader.ints("edge_padding_high"),
            interior_padding: reader.ints("interior_padding"),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("edge_padding_low", self.edge_padding_low.clone())
            .with("edge_padding_high", self.edge_padding_high.clone())
            .with("interior_padding", self.interior_padding.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let (operand, value) = (operands[0], operands[1]);
        let (low, high, interior) = (&self.edge_padding_low, &self.edge_padding_high, &self.interior_padding);
        let mut wrong = vec![];
        if operand.element != value.element || value.rank() != 0 {
            wrong.push(format!("C1: padding_value {value} is not a scalar of the element type of {operand}"));
        }
        if [low, high, interior].iter().any(|list| list.len() != operand.rank()) {
            wrong.push(format!("C2: the padding lists have {}, {} and {} entries for {operand}", low.len(), high.len(), interior.len()));
        }
        if interior.iter().any(|i| *i < 0) {
            wrong.push(format!("C3: interior_padding {interior:?} must not be negative"));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let size = |d: usize| match operand.dims[d] {
            Dim::Static(n) => padded_size(n, low[d], high[d], interior[d]).map(Dim::Static),
            Dim::Dynamic { bound } => Some(Dim::Dynamic { bound: bound.and_then(|n| padded_size(n, low[d], high[d], interior[d])) }),
        };
        let dims: Option<Vec<Dim>> = (0..operand.rank()).map(size).collect();
        let dims = dims.ok_or_else(|| vec![format!("C4: padding {low:?}, {high:?} leaves a negative size of {operand}")])?;
        Ok(vec![movement::or_declared(operand.with_dims(dims), cx, 0)])
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (x, value) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        Ok(vec![padded(x, value, &self.edge_padding_low, &self.edge_padding_high, &self.interior_padding)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0, 1], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let interior_padding: Vec<i64> = dims.iter().map(|_| s.range(0, 2) as i64).collect();
        let edge_padding_low: Vec<i64> = dims.iter().map(|_| s.range(0, 4) as i64 - 2).collect();
        let smallest = |d: usize| -(padded_size(dims[d], 0, 0, interior_padding[d]).unwrap_or(0) as i64) - edge_padding_low[d];
        let edge_padding_high = (0..dims.len()).map(|d| (s.range(0, 4) as i64 - 2).max(smallest(d))).collect();
        let op = Pad { edge_padding_low, edge_padding_high, interior_padding };
        Sampler::single(op, &[Type::tensor(dims, element.clone()), Type::tensor([], element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, types::ElementType};

    fn pad(low: &[i64], high: &[i64], interior: &[i64]) -> Pad {
        Pad { edge_padding_low: low.to_vec(), edge_padding_high: high.to_vec(), interior_padding: interior.to_vec() }
    }

    #[test]
    fn the_example_of_the_specification() {
        let (x, zero) = (floats(&[2, 3], &[1., 2., 3., 4., 5., 6.]), floats(&[], &[0.]));
        let out = eval(pad(&[0, 1], &[2, 1], &[1, 2]), &[x, zero], &[]).unwrap();
        assert_eq!(out[0].dims(), [5, 9]);
        let mut want = [0f32; 45];
        for (at, v) in [(1, 1.), (4, 2.), (7, 3.), (19, 4.), (22, 5.), (25, 6.)] {
            want[at] = v;
        }
        assert_eq!(out[0].as_slice::<f32>(), want);
        assert_eq!(out[0].ring().unwrap()[25], 6);
    }

    #[test]
    fn negative_edges_cut_after_interior_padding() {
        let line = |low, high, interior| {
            let x = ints(&[4], &[1, 2, 3, 4]);
            eval(pad(&[low], &[high], &[interior]), &[x, ints(&[], &[9])], &[]).unwrap()[0].as_slice::<i32>().to_vec()
        };
        assert_eq!(line(-1, -1, 0), [2, 3]);
        assert_eq!(line(-1, 0, 1), [9, 2, 9, 3, 9, 4]);
        assert_eq!(line(-2, 1, 1), [2, 9, 3, 9, 4, 9]);
        assert_eq!(line(-3, -3, 1), [9]);
        assert_eq!(line(-4, 3, 0), [9, 9, 9]);
        assert_eq!(line(3, -7, 0), [0i32; 0]);
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", pad(&[0], &[0], &[0]), &[f32s(&[2]), i32s(&[])], &[]);
        assert_violates("C1", pad(&[0], &[0], &[0]), &[f32s(&[2]), f32s(&[1])], &[]);
        assert_violates("C2", pad(&[0], &[0, 0], &[0]), &[f32s(&[2]), f32s(&[])], &[]);
        assert_violates("C3", pad(&[0], &[0], &[-1]), &[f32s(&[2]), f32s(&[])], &[]);
        assert_violates("C4", pad(&[-2], &[-1], &[0]), &[f32s(&[2]), f32s(&[])], &[]);
        assert_violates("C4", pad(&[i64::MAX], &[i64::MAX], &[i64::MAX]), &[f32s(&[2]), f32s(&[])], &[]);
        assert_eq!(violated(pad(&[-2], &[0], &[0]), &[dynamic(1, ElementType::F32), f32s(&[])], &[]), Vec::<String>::new());
    }
}
