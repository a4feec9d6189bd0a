//! `map`: applies a scalar computation to every element.
//!
//! Meaning: result[i..] = computation(inputs[0][i..], inputs[1][i..], ..).
//! Inputs I1 inputs (N tensors), I2 dimensions, I3 computation (region). Constraints: C1 inputs and result have one shape; C2 N >= 1; C3 dimensions =
//! range(rank(inputs[0])); C4 the computation takes rank-0 tensors of the inputs' element types and gives one, the result's.
//! Kind: control. Numerics: the computation's.
//! Example: `%2 = hlo.map(%0, %1) {..} {dimensions = array<i64: 0>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, gamma, subnormal_roundoff, unit_roundoff},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop, Trap},
    hlo::{if_::fits, region_bound, shape},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Map {
    pub dimensions: Vec<i64>,
}

impl OpDef for Map {
    const NAME: &'static str = "map";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Map {
        Map { dimensions: reader.ints("dimensions") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("dimensions", self.dimensions.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if cx.operands.is_empty() {
            return Err(vec!["C2: expected at least one input".to_string()]);
        }
        let inputs = shape::tensors(cx, cx.operands.len())?;
        let dims = shape::same_dims(&inputs).map_err(|e| vec![format!("C1: {}", e.join("; "))])?;
        let [computation] = cx.regions else { return Err(vec![format!("expected 1 region, got {}", cx.regions.len())]) };
        let mut wrong = vec![];
        if self.dimensions != (0..dims.len() as i64).collect::<Vec<_>>() {
            wrong.push(format!("C3: dimensions {:?} must be all {} in order", self.dimensions, dims.len()));
        }
        let scalars: Vec<Type> = inputs.iter().map(|t| Type::tensor([], t.element.clone())).collect();
        let result = match &computation.results[..] {
            [Type::Tensor(t)] if t.rank() == 0 && fits(&scalars, &computation.arguments) => Some(t.element.clone()),
            _ => None,
        };
        match result {
            Some(element) if wrong.is_empty() => Ok(vec![TensorType { dims, element, layout: None }.into()]),
            Some(_) => Err(wrong),
            None => {
                wrong.push("C4: the computation must take one rank-0 tensor per input and give one".to_string());
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let first = shape::operand(operands, 0)?;
        let inputs: Vec<&Tensor> = (0..operands.len()).map(|i| shape::operand(operands, i)).collect::<Result<_, _>>()?;
        if inputs.iter().any(|t| t.dims() != first.dims()) {
            return Err(Stop::Trap(Trap::ShapeMismatch(format!("inputs of map, the first {}", first.ty()))));
        }
        let lanes = first.len();
        let results = cx.run_lanes(0, lanes, inputs.iter().map(|t| t.reshaped(&[lanes as u64])).collect())?;
        Ok(results.into_iter().map(|t| t.reshaped(first.dims()).into()).collect())
    }

    /// One op of two inputs, with conversions beside it at most: the rounding of the op and of the conversions, and the inputs' errors. Others: undetermined.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let (Some((name, rounding)), [a, b], [Value::Tensor(result)]) = (cx.runner.folding_op(0), operands, values) else {
            return Ok(region_bound::undetermined(values));
        };
        let (Some(x), Some(y)) = (a.value.as_tensor(), b.value.as_tensor()) else { return Ok(region_bound::undetermined(values)) };
        if !result.element().is_float() {
            return Ok(region_bound::undetermined(values));
        }
        let (x, y, z) = (x.to_f64s(), y.to_f64s(), result.to_f64s());
        // Beside the rounded result the errors are larger than beside the exact one by a second order.
        let relative = gamma(2.0, unit_roundoff(result.element()) + rounding);
        let tiny = subnormal_roundoff(result.element());
        let at = |i: usize| {
            let (e, f) = (a.error.at(i), b.error.at(i));
            match name {
                "add" | "subtract" => e + f + relative * z[i].abs(),
                "multiply" => x[i].abs() * f + y[i].abs() * e + e * f + relative * z[i].abs() + tiny,
                "maximum" | "minimum" if rounding == 0.0 => e.max(f),
                _ => f64::INFINITY,
            }
        };
        let open = |i: usize| if z[i].is_finite() || at(i) == 0.0 { at(i) } else { f64::INFINITY };
        Ok(vec![Bound::absolute((0..result.len()).map(open).collect())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let dimensions = (0..dims.len() as i64).collect();
        let (ty, scalar) = (Type::tensor(dims, element.clone()), Type::tensor([], element));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &[ty.clone(), ty], Location::default());
        let inner = b.begin_region(&[scalar.clone(), scalar]);
        let sum = b.infer(crate::op::Op::Hlo(super::add::Add.into()), &inner, &[], vec![], Location::default());
        let body = b.end_region(&sum, Location::default());
        let results = b.infer(crate::op::Op::Hlo(Map { dimensions }.into()), &arguments, &[], vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{op::RegionType, types::ElementType};

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let body = |arguments: usize, result: Type| RegionType { arguments: vec![f(&[]); arguments], results: vec![result] };
        let infer = |dimensions: &[i64], operands: &[Type], body: RegionType| Map { dimensions: dimensions.to_vec() }.infer(&InferContext { operands, declared: &[], regions: &[body] });
        let bit = Type::tensor([], ElementType::I1);
        assert_eq!(infer(&[0], &[f(&[3])], body(1, bit.clone())), Ok(vec![Type::tensor([3], ElementType::I1)]));
        for (tag, got) in [
            ("C1", infer(&[0], &[f(&[3]), f(&[4])], body(2, f(&[])))),
            ("C2", infer(&[], &[], body(0, f(&[])))),
            ("C3", infer(&[], &[f(&[3])], body(1, f(&[])))),
            ("C3", infer(&[1, 0], &[f(&[3, 3])], body(1, f(&[])))),
            ("C4", infer(&[0], &[f(&[3])], body(2, f(&[])))),
            ("C4", infer(&[0], &[f(&[3])], body(1, f(&[1])))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag));
        }
    }
}
