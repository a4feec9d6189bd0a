//! What the tests of elementwise ops share: tables of values worked out by hand, and runs of a single op on both planes.

use crate::{
    eval::{EvalContext, Events, NoRegions},
    op::{InferContext, OpDef},
    planes::{Planes, ring},
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

/// Runs an op on both planes, with the result type its shape rule gives.
pub fn run<O: OpDef>(op: &O, operands: &[Tensor]) -> (Tensor, Events) {
    let types: Vec<Type> = operands.iter().map(|t| t.ty().into()).collect();
    let results = op.infer(&InferContext {
        operands: &types,
        declared: &[],
        regions: &[],
    });
    run_declared(op, operands, &results.expect("operands fit the op"))
}

/// Runs an op whose result type is declared.
pub fn run_declared<O: OpDef>(op: &O, operands: &[Tensor], results: &[Type]) -> (Tensor, Events) {
    let values: Vec<Value> = operands.iter().cloned().map(Value::Tensor).collect();
    let (mut runner, mut events) = (NoRegions, Events::default());
    let mut cx = EvalContext {
        planes: Planes::IeeeAndRing,
        runner: &mut runner,
        events: &mut events,
    };
    let out = op
        .eval(&values, results, &mut cx)
        .expect("the op evaluates");
    let Some(Value::Tensor(t)) = out.into_iter().next() else {
        panic!("no tensor came out")
    };
    (t, events)
}

pub fn tensor(element: ElementType, values: &[f64]) -> Tensor {
    Tensor::from_f64s(&[values.len() as u64], &element, values).with_embedded_ring()
}

/// A float tensor with random residues.
pub fn with_residues(element: ElementType, values: &[f64], argument: u64) -> Tensor {
    let residues: Vec<u32> = (0..values.len() as u64)
        .map(|i| ring::input(11, argument, i))
        .collect();
    with_given_residues(element, values, &residues)
}

pub fn with_given_residues(element: ElementType, values: &[f64], residues: &[u32]) -> Tensor {
    tensor(element, values).with_ring(Some(crate::buffer::Buffer::from_slice(residues)))
}

fn same(got: f64, want: f64, ulps: f64, epsilon: f64) -> bool {
    if want.is_nan() {
        return got.is_nan();
    }
    if want == 0.0 || want.is_infinite() {
        return got.to_bits() == want.to_bits();
    }
    (got - want).abs() <= ulps * epsilon * want.abs()
}

/// Checks a function of real numbers against a table (operand, result): f32 and f16 within one ulp, f64 within `ulps`; zeros, infinities and NaN exactly.
pub fn table<O: OpDef>(op: &O, ulps: f64, table: &[(f64, f64)]) {
    let x: Vec<f64> = table.iter().map(|row| row.0).collect();
    let (doubles, _) = run(op, &[tensor(ElementType::F64, &x)]);
    for ((x, want), got) in table.iter().zip(doubles.as_slice::<f64>()) {
        assert!(
            same(*got, *want, ulps, f64::EPSILON),
            "f64 {}({x}) = {got}, want {want}",
            O::NAME
        );
    }
    let exact = |x: f64| f64::from(x as f32) == x || x.is_nan();
    let rows: Vec<_> = table.iter().filter(|row| exact(row.0)).collect();
    let x: Vec<f64> = rows.iter().map(|row| row.0).collect();
    let (floats, _) = run(op, &[tensor(ElementType::F32, &x)]);
    for ((x, want), got) in rows.iter().zip(floats.as_slice::<f32>()) {
        let want = f64::from(*want as f32);
        assert!(
            same(f64::from(*got), want, 1.0, f32::EPSILON.into()),
            "f32 {}({x}) = {got}, want {want}",
            O::NAME
        );
    }
}

/// Checks an op of two real operands against a table (lhs, rhs, result) in f64, and in f32 rounded.
pub fn table_of_two<O: OpDef>(op: &O, ulps: f64, table: &[(f64, f64, f64)]) {
    let x: Vec<f64> = table.iter().map(|row| row.0).collect();
    let y: Vec<f64> = table.iter().map(|row| row.1).collect();
    for (element, ulps, epsilon) in [
        (ElementType::F64, ulps, f64::EPSILON),
        (ElementType::F32, 1.0, f32::EPSILON.into()),
    ] {
        let operands = [tensor(element.clone(), &x), tensor(element.clone(), &y)];
        let (out, _) = run(op, &operands);
        for ((x, y, want), got) in table.iter().zip(out.to_f64s().iter()) {
            let want = if element == ElementType::F32 {
                f64::from(*want as f32)
            } else {
                *want
            };
            assert!(
                same(*got, want, ulps, epsilon),
                "{element} {}({x}, {y}) = {got}, want {want}",
                O::NAME
            );
        }
    }
}

/// Checks an integer op against a table of operands and results.
pub fn integers<O: OpDef>(op: &O, element: ElementType, operands: &[&[i64]], want: &[i64]) {
    let operands: Vec<Tensor> = operands
        .iter()
        .map(|v| Tensor::from_i64s(&[v.len() as u64], &element, v))
        .collect();
    let (out, _) = run(op, &operands);
    assert_eq!(out.to_i64s().as_ref(), want, "{} on {element}", O::NAME);
}

/// Residues a function of real numbers gives for residues `r` beside the IEEE operands `x`; no zero divisor may occur.
pub fn residues<O: OpDef>(op: &O, x: &[f64], r: &[u32]) -> Vec<u32> {
    let (out, events) = run(op, &[with_given_residues(ElementType::F64, x, r)]);
    assert_eq!(events.zero_divisors, 0);
    out.ring().expect("a ring plane").to_vec()
}
