//! Tests of `sort`.

use super::*;
use crate::{
    eval::Events,
    eval_test_runner::*,
    op::RegionType,
    planes::{Planes, ring},
};

type Less = dyn Fn(&[f64]) -> bool;

/// Runs `f` with a comparator on f64 values of one pair of tuples: (lhs0, rhs0, lhs1, rhs1, ..).
fn with_comparator<R>(less: &Less, f: impl FnOnce(&mut EvalContext<'_>) -> R) -> R {
    let mut lanes = |_: usize, arguments: Vec<Tensor>| {
        let columns: Vec<Vec<f64>> = arguments.iter().map(|a| a.to_f64s().into_owned()).collect();
        let n = arguments[0].len();
        let outcome: Vec<i64> = (0..n).map(|i| i64::from(less(&columns.iter().map(|c| c[i]).collect::<Vec<_>>()))).collect();
        vec![Tensor::from_i64s(&[n as u64], &ElementType::I1, &outcome)]
    };
    let (mut runner, mut events) = (Lanes(&mut lanes), Events::default());
    f(&mut EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events })
}

fn sort(dimension: i64, inputs: &[Tensor], less: &Less) -> Vec<Tensor> {
    let values: Vec<Value> = inputs.iter().map(|t| t.clone().with_embedded_ring().into()).collect();
    let op = Sort { dimension, is_stable: true };
    with_comparator(less, |cx| op.eval(&values, &[], cx)).unwrap().iter().filter_map(Value::as_tensor).cloned().collect()
}

#[test]
fn the_example_of_the_specification() {
    let inputs = [ints(&[2, 3], &[1, 2, 3, 3, 2, 1]), ints(&[2, 3], &[3, 2, 1, 1, 2, 3])];
    let out = sort(0, &inputs, &|x| x[0] > x[1]);
    assert_eq!(out[0].as_slice::<i32>(), [3, 2, 3, 1, 2, 1]);
    assert_eq!(out[1].as_slice::<i32>(), [1, 2, 1, 3, 2, 3]);
}

#[test]
fn equal_keys_keep_their_order_and_both_planes_move() {
    let keys = floats(&[7], &[2., 1., 2., 1., 0., 2., 1.]);
    let payload = floats(&[7], &[10., 11., 12., 13., 14., 15., 16.]);
    let out = sort(-1, &[keys, payload], &|x| x[0] < x[1]);
    assert_eq!(out[0].as_slice::<f32>(), [0., 1., 1., 1., 2., 2., 2.]);
    assert_eq!(out[1].as_slice::<f32>(), [14., 11., 13., 16., 10., 12., 15.]);
    assert_eq!(out[1].ring(), Some(&[14, 11, 13, 16, 10, 12, 15][..]));
}

#[test]
fn random_lines_agree_with_the_standard_sort() {
    for n in [0, 1, 2, 3, 5, 8, 13, 64, 100] {
        let values: Vec<f64> = (0..3 * n).map(|i| (ring::input(5, n, i) % 20) as f64).collect();
        let out = sort(1, &[floats(&[3, n], &values), ints(&[3, n], &(0..3 * n as i64).collect::<Vec<_>>())], &|x| x[0] < x[1]);
        for (line, original) in values.chunks(n.max(1) as usize).enumerate() {
            let mut want: Vec<usize> = (0..original.len()).collect();
            want.sort_by(|a, b| original[*a].total_cmp(&original[*b]));
            let base = line * n as usize;
            let got: Vec<usize> = out[1].as_slice::<i32>()[base..base + n as usize].iter().map(|i| *i as usize - base).collect();
            assert_eq!(got, want);
        }
    }
}

#[test]
fn a_comparator_that_is_no_order_still_gives_a_permutation() {
    let values: Vec<i64> = (0..37).collect();
    let nans: Vec<f64> = (0..37).map(|i| if i % 3 == 0 { f64::NAN } else { -f64::from(i) }).collect();
    for less in [&(|_: &[f64]| true) as &Less, &|x| x[0] < x[1], &|x| ((x[2] * 7.0 + x[3] * 3.0) as i64) % 2 == 0] {
        let out = sort(0, &[floats(&[37], &nans), ints(&[37], &values)], less);
        let mut seen = out[1].to_i64s().into_owned();
        seen.sort_unstable();
        assert_eq!(seen, values);
    }
}

#[test]
fn bound_is_undetermined_where_keys_overlap() {
    let (keys, payload) = (floats(&[6], &[5., 1., 1.1, 9., 3., 7.]), ints(&[6], &[0, 1, 2, 3, 4, 5]));
    let operands: Vec<Value> = vec![keys.into(), payload.into()];
    let op = Sort { dimension: 0, is_stable: true };
    let less = |x: &[f64]| x[0] < x[1];
    let bound = |errors: Vec<f64>| {
        let errors = [Bound::absolute(errors), Bound::Exact];
        let bounded: Vec<Bounded<'_>> = operands.iter().zip(&errors).map(|(value, error)| Bounded { value, error }).collect();
        with_comparator(&less, |cx| op.bound(&bounded, &[], &operands, cx)).unwrap()
    };
    // Sorted: 1, 1.1, 3, 5, 7, 9. The first two overlap.
    let b = bound(vec![0.5, 0.1, 0.1, 0.25, 0., 0.]);
    let at = |b: &Bound| (0..6).map(|i| b.at(i)).collect::<Vec<_>>();
    assert_eq!(at(&b[0]), [f64::INFINITY, f64::INFINITY, 0., 0.5, 0., 0.25]);
    assert_eq!(at(&b[1]), [f64::INFINITY, f64::INFINITY, 0., 0., 0., 0.]);
    // One wide element reaches over its neighbours: 1 may be anywhere up to 6.5.
    let b = bound(vec![0., 5.5, 0., 0., 0., 0.]);
    assert_eq!(at(&b[1]), [f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY, 0., 0.]);
    // 9 may be as low as 4.
    let b = bound(vec![0., 0., 0., 5., 0., 0.]);
    assert_eq!(at(&b[1]), [0., 0., 0., f64::INFINITY, f64::INFINITY, f64::INFINITY]);
    assert_eq!(bound(vec![0.; 6]), [Bound::Exact, Bound::Exact]);
}

#[test]
fn each_constraint_is_checked() {
    let comparator = |n: usize| RegionType { arguments: vec![f32s(&[]); 2 * n], results: vec![Type::tensor([], ElementType::I1)] };
    let check = |tag: &str, dimension: i64, operands: &[Type], region: RegionType| {
        let all = Sort { dimension, is_stable: false }.infer(&InferContext { operands, declared: &[], regions: &[region] }).unwrap_err();
        assert!(all.len() == 1 && all[0].starts_with(&format!("{tag}:")), "{tag}: {all:?}");
    };
    check("C1", 0, &[], comparator(0));
    check("C3", 0, &[f32s(&[2]), f32s(&[3])], comparator(2));
    check("C4", 1, &[f32s(&[2])], comparator(1));
    check("C4", -2, &[f32s(&[2])], comparator(1));
    check("C5", 0, &[f32s(&[2])], comparator(2));
    check("C5", 0, &[i32s(&[2])], comparator(1));
    check("C5", 0, &[f32s(&[2])], RegionType { results: vec![f32s(&[])], ..comparator(1) });
}
