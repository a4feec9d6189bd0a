//! `reduce`: folds dimensions with a body.
//!
//! Meaning: result[i..] = the body applied in any binary tree whose leaves are inputs[.., j, ..] for all j along `dimensions` in ascending
//! lexicographic order, with init_values anywhere between them. A body that is not commutative keeps its order: the first of equals stays the first.
//! Inputs I1 inputs (N tensors of one shape), I2 init_values (N scalars), I3 dimensions, I4 body (2N scalars to N scalars).
//! Constraints: C1 N >= 1 and 2N operands; C2 inputs have one shape; C3 init values are rank 0 with the element types of the inputs or wider;
//! C4 dimensions unique and in range; C5 body takes 2N rank-0 tensors and gives N of the element types of the results.
//! Kind: control (the body's ops decide). Numerics: association free.
//! Example: `%1 = hlo.reduce(%0 init: %c) applies hlo.add across dimensions = [1]`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{add::Add, shape},
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Type, TensorType},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reduce {
    pub dimensions: Vec<i64>,
}

impl OpDef for Reduce {
    const NAME: &'static str = "reduce";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Reduce {
        Reduce { dimensions: reader.ints("dimensions") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimensions", self.dimensions.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let n = cx.operands.len() / 2;
        if n == 0 || !cx.operands.len().is_multiple_of(2) {
            return Err(vec![format!("C1: expected inputs and as many init values, got {} operands", cx.operands.len())]);
        }
        let operands = shape::tensors(cx, 2 * n)?;
        let (inputs, inits) = operands.split_at(n);
        let dims = shape::same_dims(inputs).map_err(|e| vec![format!("C2: {}", e.join("; "))])?;
        let mut wrong = vec![];
        if inits.iter().any(|t| t.rank() != 0) {
            wrong.push("C3: init values must have rank 0".to_string());
        }
        let out_of_range = self.dimensions.iter().any(|d| *d < 0 || *d >= dims.len() as i64);
        if out_of_range || (1..self.dimensions.len()).any(|i| self.dimensions[..i].contains(&self.dimensions[i])) {
            wrong.push(format!("C4: dimensions {:?} must be unique and below rank {}", self.dimensions, dims.len()));
        }
        let [body] = cx.regions else { return Err(vec![format!("expected 1 region, got {}", cx.regions.len())]) };
        let scalars = |types: &[Type]| types.iter().all(|t| t.as_tensor().is_some_and(|t| t.rank() == 0));
        if body.arguments.len() != 2 * n || body.results.len() != n || !scalars(&body.arguments) || !scalars(&body.results) {
            wrong.push(format!("C5: the body must take {} rank-0 tensors and give {n}", 2 * n));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let kept: Vec<_> = dims.iter().enumerate().filter(|(d, _)| !self.dimensions.contains(&(*d as i64))).map(|(_, s)| *s).collect();
        let element = |t: &Type| t.as_tensor().map(|t| t.element.clone());
        Ok(body.results.iter().filter_map(element).map(|element| TensorType { dims: kept.clone(), element, layout: None }.into()).collect())
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let n = operands.len() / 2;
        let first = shape::operand(operands, 0)?;
        let (kept, folded): (Vec<usize>, Vec<usize>) = (0..first.rank()).partition(|d| !self.dimensions.contains(&(*d as i64)));
        let strides = row_major_strides(first.dims());
        // Folded dimensions first: row r of `lanes` elements holds the r-th element of every result.
        let order: Vec<usize> = folded.iter().chain(&kept).copied().collect();
        let (dims, strides): (Vec<u64>, Vec<i64>) = order.iter().map(|d| (first.dims()[*d], strides[*d])).unzip();
        let lanes: usize = kept.iter().map(|d| first.dims()[*d] as usize).product();
        let mut rows: usize = folded.iter().map(|d| first.dims()[*d] as usize).product();
        let result_dims: Vec<u64> = kept.iter().map(|d| first.dims()[*d]).collect();
        let mut slab: Vec<Tensor> = (0..n).map(|i| Ok(shape::operand(operands, i)?.strided(&dims, 0, &strides))).collect::<Result<_, Stop>>()?;
        slab = slab.into_iter().map(|t| t.reshaped(&[(rows * lanes) as u64])).collect();
        // A balanced tree whose leaves are in row-major order: rows 2k and 2k + 1 are joined, an odd last row waits.
        while rows > 1 {
            let half = rows / 2;
            let every_other = |t: &Tensor, first: usize| {
                let (dims, strides) = ([half as u64, lanes as u64], [2 * lanes as i64, 1]);
                t.strided(&dims, (first * lanes) as i64, &strides).reshaped(&[(half * lanes) as u64])
            };
            let arguments = slab.iter().map(|t| every_other(t, 0)).chain(slab.iter().map(|t| every_other(t, 1))).collect();
            let joined = cx.run_lanes(0, half * lanes, arguments)?;
            slab = if rows == 2 * half {
                joined
            } else {
                let last = |t: &Tensor| t.strided(&[lanes as u64], (2 * half * lanes) as i64, &[1]);
                let lost = || Stop::internal("reduce lost its rows");
                joined.iter().zip(&slab).map(|(j, t)| Tensor::joined(&[j, &last(t)]).ok_or_else(lost)).collect::<Result<_, _>>()?
            };
            rows -= half;
        }
        let inits: Vec<Tensor> = (n..2 * n).map(|i| Ok(shape::operand(operands, i)?.strided(&[lanes as u64], 0, &[0]))).collect::<Result<_, Stop>>()?;
        let results = if rows == 0 { inits } else { cx.run_lanes(0, lanes, inits.into_iter().chain(slab).collect())? };
        Ok(results.into_iter().map(|t| t.reshaped(&result_dims).into()).collect())
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        super::reduction_bound::reduce(&self.dimensions, operands, values, cx)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let dimensions: Vec<i64> = (0..dims.len() as i64).filter(|_| s.range(0, 1) == 0).collect();
        let (ty, scalar) = (Type::tensor(dims, element.clone()), Type::tensor([], element));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &[ty, scalar.clone()], Location::default());
        let inner = b.begin_region(&[scalar.clone(), scalar]);
        let sum = b.infer(Op::Hlo(Add.into()), &inner, &[], vec![], Location::default());
        let body = b.end_region(&sum, Location::default());
        let results = b.infer(Op::Hlo(Reduce { dimensions }.into()), &arguments, &[], vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::{eval_test_runner::*, import::stablehlo, planes::Planes, tensor::Value};

    #[test]
    fn the_first_of_equals_stays_the_first() {
        for n in 1..=9u64 {
            let text = format!(
                "func.func @main(%x: tensor<2x{n}xf32>, %at: tensor<2x{n}xi32>) -> (tensor<f32>, tensor<i32>) {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%at init: %zero) across dimensions = [0, 1] : (tensor<2x{n}xf32>, tensor<2x{n}xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {{
    %left = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %left, %a, %b : tensor<i1>, tensor<f32>
    %k = stablehlo.select %left, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }}
  return %r#0, %r#1 : tensor<f32>, tensor<i32>
}}"
            );
            let program = stablehlo::parse(&text, "t").unwrap();
            let count = 2 * n as i64;
            let at: Vec<i64> = (1..=count).collect();
            // All equal but the very first, which is smaller.
            let x: Vec<f64> = (1..=count).map(|i| if i == 1 { 1.0 } else { 4.0 }).collect();
            let arguments = [floats(&[2, n], &x), ints(&[2, n], &at)].map(Value::from).to_vec();
            let out = run_program(&program, arguments, Planes::IeeeOnly).unwrap();
            assert_eq!(out[1].as_tensor().unwrap().as_slice::<i32>(), &[2], "{n} columns");
        }
    }
}
