//! Ranges against numbers: the rules for pairs of numbers, and every value of runs of whole programs.

use super::*;
use crate::inputs;
use std::{collections::HashMap, path::Path, sync::Arc};
use tileproof_dialect::{
    eval::Events,
    import::stablehlo,
    planes::Planes,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

fn range(body: &str) -> Floats {
    let result = body.rsplit(" : ").next().unwrap_or_default();
    let text = format!(
        "func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> {result} {{\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n{body}\n}}"
    );
    let program = stablehlo::parse(&text, "t").unwrap();
    match Ranges::all(&program).get(&program, program.returned(program.main().body)[0]) {
        Range::Float(f) => f,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_sum_of_exponentials_is_not_below_zero_and_a_sum_is_no_negative_zero() {
    let sum = range(
        "  %e = stablehlo.exponential %x : tensor<4x8xf32>\n  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n  return %s : tensor<4xf32>",
    );
    assert!(!sum.has(-1.0) && !sum.has(-0.0) && sum.has(0.0) && sum.has(2.0) && sum.has(f64::NAN));
    let any = range(
        "  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n  return %s : tensor<4xf32>",
    );
    assert!(any.has(-1.0) && !any.has(-0.0));
    let product =
        range("  %s = stablehlo.multiply %x, %y : tensor<4x8xf32>\n  return %s : tensor<4x8xf32>");
    assert_eq!(product, Floats::ANY);
    let square =
        range("  %s = stablehlo.multiply %x, %x : tensor<4x8xf32>\n  return %s : tensor<4x8xf32>");
    assert!(!square.has(-0.0) && !square.has(-1.0));
}

/// Sums, products, quotients and extremes of every pair of ranges around a few numbers hold those of the numbers.
#[test]
fn the_rules_hold_for_numbers() {
    let all = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.5,
        -1e-30,
        -f32::MIN_POSITIVE / 4.0,
        -0.0,
        0.0,
        f32::MIN_POSITIVE / 4.0,
        1e-30,
        1.5,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let e = ElementType::F32;
    let mut sets = vec![];
    for a in all {
        for b in all {
            sets.push((vec![a, b], Floats::of(a.into()).or(Floats::of(b.into()))));
        }
    }
    for (xs, x) in &sets {
        for (ys, y) in &sets {
            for a in xs {
                for b in ys {
                    let has = |set: Floats, number: f32| set.has(f64::from(number));
                    assert!(has(x.plus(*y, &e), a + b), "{a} + {b}");
                    assert!(has(x.times(*y, &e), a * b), "{a} * {b}");
                    assert!(has(x.over(*y, &e), a / b), "{a} / {b}");
                    let larger = if a.is_nan() || b.is_nan() {
                        f32::NAN
                    } else if a > b || a == b && a.is_sign_positive() {
                        *a
                    } else {
                        *b
                    };
                    assert!(has(x.larger(*y), larger), "larger of {a}, {b}");
                }
            }
        }
    }
}

#[test]
fn every_value_of_a_run_lies_in_its_range() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs");
    let mut checked = 0;
    for name in [
        "conjugate_gradient",
        "control_flow",
        "convnet",
        "dtypes",
        "indexing",
        "linear_algebra",
        "special_functions",
    ] {
        let text = std::fs::read_to_string(programs.join(format!("{name}.mlir"))).unwrap();
        let program = stablehlo::parse(&text, name).unwrap();
        let program = crate::normal_form::opened(&Arc::new(program));
        let ranges = Ranges::all(&program);
        // Some inputs have no end.
        let limits = Limits {
            loop_steps: 1000,
            ..Limits::default()
        };
        let interpreter = Interpreter::new(&program, Planes::IeeeOnly, &limits);
        let body = program.region(program.main().body);
        for class in inputs::Class::ALL {
            let arguments = inputs::generate(&program, class, 1).unwrap();
            let mut values: HashMap<ValueId, Value> =
                body.arguments.iter().copied().zip(arguments).collect();
            for id in &body.ops {
                let o = program.op(*id);
                if o.op.is_return() {
                    break;
                }
                let operands: Vec<Value> = o.operands.iter().map(|v| values[v].clone()).collect();
                let results = interpreter.eval_op(
                    *id,
                    &operands,
                    &|v| values.get(&v).cloned(),
                    &mut Events::default(),
                );
                let Ok(results) = results else {
                    break;
                };
                values.extend(o.results.iter().copied().zip(results));
            }
            for (v, value) in &values {
                let Some(tensor) = value.as_tensor() else {
                    continue;
                };
                let range = ranges.get(&program, *v);
                assert!(
                    holds(range, tensor),
                    "{name}: {:?} {range:?}",
                    program.ty(*v)
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
}

fn holds(range: Range, tensor: &Tensor) -> bool {
    match range {
        Range::Integer { low, high } => {
            let is_u64 = *tensor.element() == ElementType::U64;
            tensor.to_i64s().iter().all(|x| {
                let x = if is_u64 {
                    i128::from(*x as u64)
                } else {
                    i128::from(*x)
                };
                low <= x && x <= high
            })
        }
        Range::Float(f) => tensor.to_f64s().iter().all(|x| f.has(*x)),
        Range::Any => true,
    }
}
