//! `concatenate`: tensors one after another along a dimension.
//!
//! Meaning: result[i0, .., id, .., iR-1] = inputs[k][i0, .., kd, .., iR-1] with id = d0 + .. + dk-1 + kd, d = dimension.
//! Inputs I1 inputs (at least one), I2 dimension. Constraints: C1 inputs have one element type; C2 one shape but for `dimension`; C3 at least one
//! input; C4 dimension in range; C5 element type of the result is that of the inputs; C6 dim(result, dimension) is the sum, other sizes are kept.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.concatenate %0, %1 {dimension = 0} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Concatenate {
    pub dimension: i64,
}

/// Inputs of one element type along dimension `d`. At least one; sizes must agree elsewhere.
pub fn along(inputs: &[&Tensor], d: usize) -> Result<Tensor, Stop> {
    let first = inputs.first().ok_or_else(|| Stop::internal("concatenate of nothing"))?;
    let rest = |t: &Tensor| t.dims().iter().enumerate().filter(|(i, _)| *i != d).map(|(_, n)| *n).collect::<Vec<_>>();
    if let Some(t) = inputs.iter().find(|t| t.rank() != first.rank() || rest(t) != rest(first)) {
        return Err(movement::mismatch(format!("concatenate of {} and {}", first.ty(), t.ty())));
    }
    let mut dims = first.dims().to_vec();
    dims[d] = inputs.iter().map(|t| t.dims()[d]).sum();
    if dims[..d].iter().all(|n| *n == 1)
        && let Some(flat) = Tensor::joined(inputs)
    {
        return Ok(flat.reshaped(&dims));
    }
    let planes = if inputs.iter().all(|t| t.ring_buffer().is_some()) { Planes::IeeeAndRing } else { Planes::IeeeOnly };
    let mut result = Tensor::zeros(&dims, first.element(), planes);
    let strides = row_major_strides(&dims);
    let mut offset = 0;
    for t in inputs {
        result = result.written(t, offset, &strides);
        offset += strides[d] * t.dims()[d] as i64;
    }
    Ok(result)
}

impl OpDef for Concatenate {
    const NAME: &'static str = "concatenate";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Concatenate {
        Concatenate { dimension: reader.int("dimension") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimension", self.dimension)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let inputs = shape::tensors(cx, cx.operands.len())?;
        let Some(first) = inputs.first() else { return Err(vec!["C3: at least one input is needed".to_string()]) };
        if let Some(t) = inputs.iter().find(|t| t.element != first.element) {
            return Err(vec![format!("C1: element types differ: {first} and {t}")]);
        }
        if !movement::in_rank(&[self.dimension], first.rank()) {
            return Err(vec![format!("C4: dimension {} is out of range of {first}", self.dimension)]);
        }
        let d = self.dimension as usize;
        let mut dims = first.dims.clone();
        for t in &inputs[1..] {
            let joined: Option<Vec<Dim>> = if t.rank() != first.rank() {
                None
            } else {
                dims.iter()
                    .zip(&t.dims)
                    .enumerate()
                    .map(|(i, (a, b))| if i == d { sum(*a, *b) } else { shape::join_dims(*a, *b) })
                    .collect()
            };
            dims = joined.ok_or_else(|| vec![format!("C2: shapes differ beyond dimension {d}: {first} and {t}")])?;
        }
        Ok(vec![movement::or_declared(first.with_dims(dims), cx, 0)]) // C5, C6
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let inputs = (0..operands.len()).map(|i| shape::operand(operands, i)).collect::<Result<Vec<_>, _>>()?;
        Ok(vec![along(&inputs, self.dimension as usize)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &(0..operands.len()).collect::<Vec<_>>(), operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (mut dims, element) = (s.dims(), s.element(|_| true));
        if dims.is_empty() {
            dims.push(s.range(0, 3));
        }
        let dimension = s.range(0, dims.len() as u64 - 1);
        let inputs: Vec<Type> = (0..s.range(1, 4))
            .map(|_| {
                let mut dims = dims.clone();
                dims[dimension as usize] = s.range(0, s.size);
                Type::tensor(dims, element.clone())
            })
            .collect();
        Sampler::single(Concatenate { dimension: dimension as i64 }, &inputs, &[])
    }
}

/// Size of two pieces end to end; a bound where both have one.
fn sum(a: Dim, b: Dim) -> Option<Dim> {
    let most = |d: Dim| match d {
        Dim::Static(n) => Some(n),
        Dim::Dynamic { bound } => bound,
    };
    match (a, b) {
        (Dim::Static(x), Dim::Static(y)) => x.checked_add(y).map(Dim::Static),
        (Dim::Static(_) | Dim::Dynamic { .. }, _) => Some(Dim::Dynamic { bound: most(a).zip(most(b)).and_then(|(x, y)| x.checked_add(y)) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_example_of_the_specification() {
        let (a, b) = (ints(&[3, 2], &[1, 2, 3, 4, 5, 6]), ints(&[1, 2], &[7, 8]));
        let out = eval(Concatenate { dimension: 0 }, &[a, b], &[]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[4u64, 2][..], &[1, 2, 3, 4, 5, 6, 7, 8][..]));
    }

    #[test]
    fn along_the_last_dimension_with_an_empty_piece() {
        let (a, b, c) = (floats(&[2, 2], &[1., 2., 3., 4.]), floats(&[2, 0], &[]), floats(&[2, 1], &[5., 6.]));
        let out = eval(Concatenate { dimension: 1 }, &[a, b, c], &[]).unwrap();
        assert_eq!(out[0].as_slice::<f32>(), [1., 2., 5., 3., 4., 6.]);
        assert_eq!(out[0].ring(), Some(&[1, 2, 5, 3, 4, 6][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |dimension| Concatenate { dimension };
        assert_violates("C1", op(0), &[f32s(&[2]), i32s(&[2])], &[]);
        assert_violates("C2", op(0), &[f32s(&[2, 3]), f32s(&[2, 4])], &[]);
        assert_violates("C2", op(0), &[f32s(&[2, 3]), f32s(&[2])], &[]);
        assert_violates("C3", op(0), &[], &[]);
        assert_violates("C4", op(1), &[f32s(&[2])], &[]);
    }
}
