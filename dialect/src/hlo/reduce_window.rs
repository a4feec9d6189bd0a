//! `reduce_window`: folds every window of the inputs with a body.
//!
//! Meaning: results[result_index] = reduce of the window at result_index * window_strides of the padded inputs, where padded inputs have
//! base_dilations - 1 times init_value between elements and `padding` times it at the edges, and a window takes window_dimensions elements
//! window_dilations apart; init_values come first.
//! Inputs I1 inputs (N tensors), I2 init_values (N scalars), I3 window_dimensions, I4 window_strides, I5 base_dilations, I6 window_dilations,
//! I7 padding (low, high of each dimension), I8 body. Constraints: C1 N >= 1 and 2N operands; C2 inputs have one shape; C3 init_values are scalars of the
//! element types of the inputs; C4, C6, C8, C10 one entry per dimension in I3, I4, I5, I6; C5, C7, C9, C11 they are positive; C12 two paddings per
//! dimension; C13 body takes E0, .., E0, .. and gives E0, .. scalars promoted from the inputs; C14 results have one shape; C15 the number of windows;
//! C16 element types E0, ...
//! Kind: control (the body's ops decide). Numerics: order free inside a window, as in `reduce`.
//! Example: `%2 = hlo.reduce_window(%0 init: %1) applies hlo.add {window_dimensions = array<i64: 2, 1>, ..} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, gamma, unit_roundoff},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{
        add::Add,
        elementwise::exact_or_undetermined,
        movement, reduction_bound, shape,
        window::{self, Window},
    },
    location::Location,
    op::{InferContext, Kind, Op, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReduceWindow {
    pub window_dimensions: Vec<i64>,
    pub window_strides: Vec<i64>,
    pub base_dilations: Vec<i64>,
    pub window_dilations: Vec<i64>,
    pub padding: Vec<i64>,
}

impl ReduceWindow {
    /// The window; every list must have one entry per dimension.
    pub fn window(&self) -> Window {
        Window {
            dimensions: self.window_dimensions.clone(),
            strides: self.window_strides.clone(),
            base_dilations: self.base_dilations.clone(),
            window_dilations: self.window_dilations.clone(),
            padding: window::padding_pairs(&self.padding),
        }
    }

    fn float_bound(&self, operands: &[Bounded<'_>], result: &Tensor, (folding, rounding): (&str, f64)) -> Result<Option<Vec<f64>>, Stop> {
        let [input, init] = operands else { return Ok(None) };
        let (Some(x), Some(i)) = (input.value.as_tensor(), init.value.as_tensor()) else { return Ok(None) };
        let w = self.window();
        let errors: Vec<f64> = (0..x.len()).map(|i| input.error.at(i)).collect();
        let terms = self.window_dimensions.iter().map(|n| *n as f64).product::<f64>() + 1.0;
        // A body that rounds in between does so once a step more.
        let g = gamma(terms, unit_roundoff(result.element()) + rounding);
        match folding {
            "add" => {
                let magnitudes: Vec<f64> = x.to_f64s().iter().zip(&errors).map(|(v, e)| v.abs() + e).collect();
                let init_magnitude = i.to_f64s().first().map_or(0.0, |v| v.abs()) + init.error.at(0);
                let sums = window::fold_f64(&w, &magnitudes, x.dims(), init_magnitude, |a, b| a + b)?;
                let carried = window::fold_f64(&w, &errors, x.dims(), init.error.at(0), |a, b| a + b)?;
                Ok(Some(sums.iter().zip(&carried).map(|(s, e)| g * s + e).collect()))
            }
            "maximum" | "minimum" if rounding == 0.0 => Ok(Some(window::fold_f64(&w, &errors, x.dims(), init.error.at(0), f64::max)?)),
            "multiply" => {
                let start = i.to_f64s().first().map_or(f64::NAN, |v| v.abs());
                let factors: Vec<f64> = x.to_f64s().iter().map(|v| v.abs()).collect();
                let product = |f: &dyn Fn(f64, f64) -> f64| {
                    let each: Vec<f64> = factors.iter().zip(&errors).map(|(v, e)| f(*v, *e)).collect();
                    window::fold_f64(&w, &each, x.dims(), f(start, init.error.at(0)), |a, b| a * b)
                };
                let (below, above) = (product(&|v, _| v.min(1.0))?, product(&|v, _| v.max(1.0))?);
                let carried = product(&|v, e| 1.0 + e / v.max(f64::MIN_POSITIVE))?;
                let are_exact = input.error.is_exact() && init.error.is_exact();
                let ends = below.into_iter().zip(above).zip(carried);
                Ok(Some(ends.map(|(ends, carried)| reduction_bound::product(ends, (1.0 + g) * carried - 1.0, are_exact, result.element())).collect()))
            }
            _ => Ok(None),
        }
    }
}

impl OpDef for ReduceWindow {
    const NAME: &'static str = "reduce_window";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> ReduceWindow {
        let window_dimensions = reader.ints("window_dimensions");
        let ones = || vec![1; window_dimensions.len()];
        ReduceWindow {
            window_strides: reader.opt_ints("window_strides").unwrap_or_else(ones),
            base_dilations: reader.opt_ints("base_dilations").unwrap_or_else(ones),
            window_dilations: reader.opt_ints("window_dilations").unwrap_or_else(ones),
            padding: reader.opt_ints("padding").unwrap_or_else(|| vec![0; 2 * window_dimensions.len()]),
            window_dimensions,
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("window_dimensions", self.window_dimensions.clone())
            .with("window_strides", self.window_strides.clone())
            .with("base_dilations", self.base_dilations.clone())
            .with("window_dilations", self.window_dilations.clone())
            .with("padding", self.padding.clone())
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
        if inputs.iter().zip(inits).any(|(a, b)| a.element != b.element || b.rank() != 0) {
            wrong.push("C3: init_values must be scalars of the element types of the inputs".to_string());
        }
        let rank = dims.len();
        wrong.extend(window::positive(&self.window_dimensions, rank, "window_dimensions", "C4", "C5"));
        wrong.extend(window::positive(&self.window_strides, rank, "window_strides", "C6", "C7"));
        wrong.extend(window::positive(&self.base_dilations, rank, "base_dilations", "C8", "C9"));
        wrong.extend(window::positive(&self.window_dilations, rank, "window_dilations", "C10", "C11"));
        if self.padding.len() != 2 * rank {
            wrong.push(format!("C12: padding has {} entries for rank {rank}", self.padding.len()));
        }
        let body = cx.regions.first().and_then(|body| movement::body_elements(body, &inputs.iter().map(|t| &t.element).collect::<Vec<_>>()));
        match body {
            Some(elements) if wrong.is_empty() => {
                let dims = self.window().result_dims(&dims); // C14, C15
                let result = |(i, element)| movement::or_declared(TensorType { dims: dims.clone(), element, layout: None }, cx, i);
                Ok(elements.into_iter().enumerate().map(result).collect()) // C16
            }
            Some(_) => Err(wrong),
            None => {
                wrong.push(format!("C13: body must take {} scalars and give {n} of types promoted from the inputs", 2 * n));
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let n = operands.len() / 2;
        let element = |i: usize| results.get(i).and_then(Type::as_tensor).map(|t| &t.element);
        let promoted = |i: usize| {
            let t = shape::operand(operands, i)?;
            movement::promoted(t, element(i % n).unwrap_or(t.element()))
        };
        let all = (0..2 * n).map(promoted).collect::<Result<Vec<_>, _>>()?;
        let (inputs, inits) = all.split_at(n);
        if let Some(t) = inputs.iter().find(|t| t.dims() != inputs[0].dims()) {
            return Err(movement::mismatch(format!("reduce_window of {} and {}", inputs[0].ty(), t.ty())));
        }
        let out = self.window().fold(inputs, inits, &mut |lanes, arguments| cx.run_lanes(0, lanes, arguments))?;
        Ok(out.into_iter().map(Value::from).collect())
    }

    /// As `reduce`: a sum of n terms is off by gamma_n * sum |term| plus the terms' errors, a product of n factors by that relative to it, a minimum or maximum by the
    /// largest error.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let folding = cx.runner.folding_op(0).unwrap_or(("", 0.0));
        let one = |v: &Value| {
            let Some(t) = v.as_tensor() else { return Ok(Bound::Exact) };
            if t.element().is_integer() {
                return Ok(exact_or_undetermined(operands, t.len()));
            }
            if !t.element().is_float() {
                return Ok(Bound::undetermined(t.len()));
            }
            let errors = self.float_bound(operands, t, folding)?.unwrap_or_else(|| vec![f64::INFINITY; t.len()]);
            let numbers = t.to_f64s();
            Ok(Bound::absolute(errors.iter().zip(numbers.iter()).map(|(e, v)| if v.is_finite() || *e == 0.0 { *e } else { f64::INFINITY }).collect()))
        };
        values.iter().map(one).collect()
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let list = |s: &mut Sampler, most: u64| dims.iter().map(|_| s.range(1, most) as i64).collect::<Vec<i64>>();
        let op = ReduceWindow {
            window_dimensions: list(s, 3),
            window_strides: list(s, 2),
            base_dilations: list(s, 2),
            window_dilations: list(s, 2),
            padding: (0..2 * dims.len()).map(|_| s.range(0, 3) as i64 - 1).collect(),
        };
        let (ty, scalar) = (Type::tensor(dims.clone(), element.clone()), Type::tensor([], element));
        let n = s.range(1, 2) as usize;
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", &[vec![ty; n], vec![scalar.clone(); n]].concat(), Location::default());
        let inner = b.begin_region(&vec![scalar; 2 * n]);
        let mut sums = vec![];
        for i in 0..n {
            sums.extend(b.infer(Op::Hlo(Add.into()), &[inner[i], inner[n + i]], &[], vec![], Location::default()));
        }
        let body = b.end_region(&sums, Location::default());
        let results = b.infer(Op::Hlo(op.into()), &arguments, &[], vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, op::RegionType, planes::Planes, program::ValueId};

    fn adds(b: &mut ProgramBuilder, x: &[ValueId]) -> Vec<ValueId> {
        let n = x.len() / 2;
        (0..n).flat_map(|i| b.infer(Op::Hlo(Add.into()), &[x[i], x[n + i]], &[], vec![], Location::default())).collect()
    }

    fn run(op: ReduceWindow, operands: &[Tensor]) -> Vec<Tensor> {
        let types: Vec<Type> = operands.iter().map(|t| t.ty().into()).collect();
        let n = operands.len() / 2;
        let scalars: Vec<Type> = (0..2 * n).map(|i| Type::tensor([], operands[i % n].element().clone())).collect();
        let program = with_regions(op, &types, &[], &[(scalars, &adds)]).unwrap();
        let values = operands.iter().map(|t| t.clone().with_embedded_ring().into()).collect();
        run_program(&program, values, Planes::IeeeAndRing).unwrap().iter().filter_map(Value::as_tensor).cloned().collect()
    }

    fn example() -> ReduceWindow {
        ReduceWindow {
            window_dimensions: vec![2, 1],
            window_strides: vec![4, 1],
            base_dilations: vec![2, 1],
            window_dilations: vec![3, 1],
            padding: vec![2, 1, 0, 0],
        }
    }

    #[test]
    fn the_example_of_the_specification() {
        let out = run(example(), &[ints(&[3, 2], &[1, 2, 3, 4, 5, 6]), ints(&[], &[0])]);
        assert_eq!((out[0].dims(), out[0].as_slice::<i32>()), (&[2u64, 2][..], &[0, 0, 3, 4][..]));
    }

    #[test]
    fn padding_and_start_use_the_init_value() {
        // Windows of two with one pad in front: 10 + (10 + 1), 10 + (1 + 2), 10 + (2 + 3).
        let op = ReduceWindow { window_dimensions: vec![2], window_strides: vec![1], base_dilations: vec![1], window_dilations: vec![1], padding: vec![1, 0] };
        let out = run(op, &[floats(&[3], &[1., 2., 3.]), floats(&[], &[10.])]);
        assert_eq!((out[0].as_slice::<f32>(), out[0].ring()), (&[21f32, 13., 15.][..], Some(&[21, 13, 15][..])));
    }

    #[test]
    fn a_running_sum_and_two_operands() {
        let op = || ReduceWindow { window_dimensions: vec![20], window_strides: vec![1], base_dilations: vec![1], window_dilations: vec![1], padding: vec![19, 0] };
        let (a, b): (Vec<f64>, Vec<i64>) = ((1..=20).map(f64::from).collect(), (1..=20).rev().collect());
        let out = run(op(), &[floats(&[20], &a), ints(&[20], &b), floats(&[], &[0.]), ints(&[], &[0])]);
        let sums: Vec<f32> = (1..=20).map(|i| (i * (i + 1) / 2) as f32).collect();
        assert_eq!(out[0].as_slice::<f32>(), sums);
        assert_eq!(out[1].as_slice::<i32>()[19], 210);
        assert_eq!(out[1].as_slice::<i32>()[1], 39);
    }

    #[test]
    fn a_product_is_off_relative_to_itself_while_it_stays_in_range() {
        let op = ReduceWindow { window_dimensions: vec![2], window_strides: vec![1], base_dilations: vec![1], window_dilations: vec![1], padding: vec![0, 0] };
        let bound = |x: &[f64], error: &Bound| {
            let (x, one) = (Value::from(floats(&[3], x)), Value::from(floats(&[], &[1.])));
            let operands = [Bounded { value: &x, error }, Bounded { value: &one, error: &Bound::Exact }];
            op.float_bound(&operands, &floats(&[2], &[0., 0.]), ("multiply", 0.0)).unwrap().unwrap()
        };
        let g = gamma(3.0, 2f64.powi(-24));
        let near = |got: f64, want: f64| assert!((got - want).abs() <= 1e-9 * want, "{got} {want}");
        let exact = bound(&[4., 0.5, -3.], &Bound::Exact);
        near(exact[0], 2.0 * g);
        near(exact[1], 1.5 * g);
        // A factor that is off by an eighth of itself; a product of 1e40 on the way; a zero.
        near(bound(&[4., 0.5, 3.], &Bound::absolute(vec![0.5, 0., 0.]))[0], 2.0 * ((1.0 + g) * 1.125 - 1.0));
        assert_eq!(bound(&[1e20, 1e20, 0.], &Bound::Exact), [f64::INFINITY, 0.]);
    }

    #[test]
    fn a_window_that_does_not_fit_leaves_nothing() {
        let op = ReduceWindow { window_dimensions: vec![4], window_strides: vec![1], base_dilations: vec![1], window_dilations: vec![1], padding: vec![0, 0] };
        assert_eq!(run(op, &[floats(&[3], &[1., 2., 3.]), floats(&[], &[0.])])[0].dims(), [0]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let (input, init) = (i32s(&[3, 2]), i32s(&[]));
        let body = |n: usize| RegionType { arguments: vec![i32s(&[]); 2 * n], results: vec![i32s(&[]); n] };
        let infer = |op: ReduceWindow, operands: &[Type], body: RegionType| op.infer(&InferContext { operands, declared: &[], regions: &[body] }).err().unwrap_or_default();
        let has = |all: Vec<String>, tag: &str| assert!(all.len() == 1 && all[0].starts_with(&format!("{tag}:")), "{tag}: {all:?}");
        let operands = [input.clone(), init.clone()];
        assert_eq!(infer(example(), &operands, body(1)), Vec::<String>::new());
        let check = |tag: &str, change: &dyn Fn(&mut ReduceWindow)| {
            let mut op = example();
            change(&mut op);
            has(infer(op, &operands, body(1)), tag);
        };
        check("C4", &|w| w.window_dimensions = vec![1]);
        check("C5", &|w| w.window_dimensions[1] = 0);
        check("C6", &|w| w.window_strides = vec![1]);
        check("C7", &|w| w.window_strides[1] = 0);
        check("C8", &|w| w.base_dilations = vec![1]);
        check("C9", &|w| w.base_dilations[1] = -1);
        check("C10", &|w| w.window_dilations = vec![1]);
        check("C11", &|w| w.window_dilations[1] = 0);
        check("C12", &|w| w.padding = vec![0, 0, 0]);
        has(infer(example(), &operands[..1], body(1)), "C1");
        has(infer(example(), &[input.clone(), i32s(&[3, 3]), init.clone(), init.clone()], body(2)), "C2");
        has(infer(example(), &[input.clone(), f32s(&[])], body(1)), "C3");
        has(infer(example(), &[input, i32s(&[1])], body(1)), "C3");
        has(infer(example(), &operands, body(2)), "C13");
    }
}
