//! Tests of `scatter`.

use super::*;
use crate::{
    eval_test_runner::*,
    op::RegionType,
    planes::Planes,
    program::ValueId,
    types::ElementType,
};

type Body = dyn Fn(&mut ProgramBuilder, &[ValueId]) -> Vec<ValueId>;

fn adds(b: &mut ProgramBuilder, x: &[ValueId]) -> Vec<ValueId> {
    b.infer(Op::Hlo(Add.into()), x, &[], vec![], Location::default())
}

fn overwrites(_: &mut ProgramBuilder, x: &[ValueId]) -> Vec<ValueId> {
    vec![x[1]]
}

/// Old value plus twice the new one: neither a single op nor commutative.
fn adds_twice(b: &mut ProgramBuilder, x: &[ValueId]) -> Vec<ValueId> {
    let once = adds(b, x);
    adds(b, &[once[0], x[1]])
}

fn run(op: Scatter, input: &Tensor, indices: &Tensor, update: &Tensor, body: &Body) -> Tensor {
    let types: Vec<Type> = [input, indices, update].iter().map(|t| t.ty().into()).collect();
    let scalar = Type::tensor([], input.element().clone());
    let program = with_regions(op, &types, &[], &[(vec![scalar.clone(), scalar], body)]).unwrap();
    let values = [input, indices, update].iter().map(|t| (*t).clone().with_embedded_ring().into()).collect();
    run_program(&program, values, Planes::IeeeAndRing).unwrap()[0].as_tensor().unwrap().clone()
}

/// Rows of a matrix, or elements of a vector when `rank` is 1.
fn rows(rank: usize) -> Scatter {
    Scatter {
        update_window_dims: (1..rank as i64).collect(),
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

fn example() -> Scatter {
    Scatter {
        update_window_dims: vec![3, 4],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![1],
        scatter_dims_to_operand_dims: vec![2, 1],
        index_vector_dim: 3,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

#[test]
fn the_example_of_the_specification() {
    let input = ints(&[2, 3, 4, 2], &(1..=48).collect::<Vec<_>>());
    let indices = ints(&[2, 2, 3, 2], &[0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0]);
    let out = run(example(), &input, &indices, &ints(&[2, 2, 3, 2, 2], &[1; 48]), &adds);
    let want = [
        3, 4, 6, 7, 6, 7, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 17, 18, 19, 20, 22, 23, 24, 25, 25, 26, 28, 29, 30, 31, 31, 32, 35, 36, 38, 39, 38, 39, 39, 40, 41, 42,
        44, 45, 46, 47, 47, 48,
    ];
    assert_eq!(out.as_slice::<i32>(), want);
}

#[test]
fn repeated_targets_are_applied_in_order() {
    let (input, indices) = (floats(&[3], &[10., 20., 30.]), ints(&[4, 1], &[1, 1, -1, 2]));
    let update = floats(&[4], &[1., 2., 3., 4.]);
    let sum = run(rows(1), &input, &indices, &update, &adds);
    assert_eq!((sum.as_slice::<f32>(), sum.ring()), (&[10f32, 23., 34.][..], Some(&[10, 23, 34][..])));
    let last = run(rows(1), &input, &indices, &update, &overwrites);
    assert_eq!((last.as_slice::<f32>(), last.ring()), (&[10f32, 2., 4.][..], Some(&[10, 2, 4][..])));
    let twice = run(rows(1), &input, &indices, &update, &adds_twice);
    assert_eq!(twice.as_slice::<f32>(), [10., 26., 38.]);
}

#[test]
fn many_updates_of_one_element_are_joined_in_a_tree() {
    let n = 37;
    let indices: Vec<i64> = (0..n).map(|i| i % 2).collect();
    let update: Vec<f64> = (0..n).map(|i| (i + 1) as f64).collect();
    let (indices, update) = (ints(&[n as u64, 1], &indices), floats(&[n as u64], &update));
    // 1 + 3 + .. + 37 = 361, 2 + 4 + .. + 36 = 342.
    let out = run(rows(1), &floats(&[3], &[0.5, 0.25, 7.]), &indices, &update, &adds);
    assert_eq!(out.as_slice::<f32>(), [361.5, 342.25, 7.]);
    let out = run(rows(1), &floats(&[3], &[1., 2., 7.]), &indices, &update, &adds_twice);
    assert_eq!(out.as_slice::<f32>(), [723., 686., 7.]);
}

#[test]
fn windows_partly_outside_are_dropped_element_by_element() {
    // One window of two rows starting at row 2 of 3: the second row falls off.
    let op = Scatter { update_window_dims: vec![1, 2], inserted_window_dims: vec![], ..rows(2) };
    let input = ints(&[3, 2], &[0; 6]);
    let update = ints(&[1, 2, 2], &[1, 2, 3, 4]);
    assert_eq!(run(op.clone(), &input, &ints(&[1, 1], &[2]), &update, &adds).as_slice::<i32>(), [0, 0, 0, 0, 1, 2]);
    assert_eq!(run(op.clone(), &input, &ints(&[1, 1], &[-1]), &update, &adds).as_slice::<i32>(), [3, 4, 0, 0, 0, 0]);
    let at = |v: i64| Tensor::from_slice(&[1, 1], ElementType::I64, &[v]);
    for far in [i64::MAX, i64::MIN, 3, -2] {
        assert_eq!(run(op.clone(), &input, &at(far), &update, &adds).as_slice::<i32>(), [0; 6]);
    }
    let unsigned = Tensor::from_slice(&[1, 1], ElementType::U64, &[u64::MAX]);
    assert_eq!(run(op, &input, &unsigned, &update, &adds).as_slice::<i32>(), [0; 6]);
}

#[test]
fn window_dimensions_before_scatter_dimensions() {
    // updates[w, s]: column s goes to row indices[s].
    let op = Scatter { update_window_dims: vec![0], ..rows(2) };
    let out = run(op, &ints(&[3, 2], &[0; 6]), &ints(&[2, 1], &[2, 0]), &ints(&[2, 2], &[1, 2, 3, 4]), &overwrites);
    assert_eq!(out.as_slice::<i32>(), [2, 4, 0, 0, 1, 3]);
}

#[test]
fn bound_of_a_sum_counts_terms() {
    let input = floats(&[2], &[1., 1.]);
    let types = [f32s(&[2]), i32s(&[3, 1]), f32s(&[3])];
    let program = with_regions(rows(1), &types, &[], &[(vec![f32s(&[]), f32s(&[])], &adds)]).unwrap();
    let o = program.op(program.region(program.main().body).ops[0]);
    let outer = std::collections::HashMap::new();
    let operands: Vec<Value> = vec![input.into(), ints(&[3, 1], &[0, 0, 0]).into(), floats(&[3], &[1., 2., 3.]).into()];
    let results: Vec<Type> = vec![f32s(&[2])];
    let mut runner = ProgramRunner { program: &program, operation: o, outer: &outer, planes: Planes::IeeeOnly };
    let mut events = crate::eval::Events::default();
    let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
    let values = o.op.eval(&operands, &results, &mut cx).unwrap();
    let mut with = |errors: [Bound; 3]| {
        let bounded: Vec<Bounded<'_>> = operands.iter().zip(&errors).map(|(value, error)| Bounded { value, error }).collect();
        o.op.bound(&bounded, &results, &values, &mut cx).unwrap().remove(0)
    };
    let exact = with([Bound::Exact, Bound::Exact, Bound::Exact]);
    assert_eq!(exact.at(0), crate::bound::gamma(3.0, 2f64.powi(-24)) * 7.0);
    assert_eq!(exact.at(1), 0.0);
    let moved = with([Bound::absolute(vec![0.0, 0.5]), Bound::Exact, Bound::absolute(vec![0.25, 0.0, 0.0])]);
    assert!(moved.at(0) > 0.25 && moved.at(0) < 0.2501 && moved.at(1) == 0.5);
    assert_eq!(with([Bound::Exact, Bound::undetermined(3), Bound::Exact]).at(1), f64::INFINITY);
}

#[test]
fn each_constraint_is_checked() {
    let (input, indices, update) = (i32s(&[2, 3, 4, 2]), i32s(&[2, 2, 3, 2]), i32s(&[2, 2, 3, 2, 2]));
    let body = |n: usize| RegionType { arguments: vec![i32s(&[]); 2 * n], results: vec![i32s(&[]); n] };
    let infer = |op: Scatter, operands: &[Type], body: RegionType| op.infer(&InferContext { operands, declared: &[], regions: &[body] }).err().unwrap_or_default();
    let has = |all: Vec<String>, tag: &str| assert!(all.iter().any(|m| m.starts_with(&format!("{tag}:"))), "{tag}: {all:?}");
    let operands = [input.clone(), indices.clone(), update.clone()];
    assert_eq!(infer(example(), &operands, body(1)), Vec::<String>::new());
    let check = |tag: &str, change: &dyn Fn(&mut Scatter)| {
        let mut op = example();
        change(&mut op);
        has(infer(op, &operands, body(1)), tag);
    };
    check("C2", &|g| g.inserted_window_dims.clear());
    check("C7", &|g| g.update_window_dims = vec![4, 3]);
    check("C8", &|g| g.update_window_dims = vec![3, 5]);
    check("C9", &|g| g.inserted_window_dims = vec![0]);
    check("C10", &|g| g.inserted_window_dims = vec![2, 1]);
    check("C11", &|g| g.inserted_window_dims = vec![4]);
    check("C12", &|g| g.input_batching_dims = vec![2, 0]);
    check("C13", &|g| g.input_batching_dims = vec![-1]);
    check("C14", &|g| g.scatter_indices_batching_dims = vec![1, 1]);
    check("C15", &|g| g.scatter_indices_batching_dims = vec![4]);
    check("C16", &|g| g.scatter_indices_batching_dims = vec![3]);
    check("C17", &|g| g.scatter_indices_batching_dims = vec![]);
    check("C18", &|g| g.scatter_indices_batching_dims = vec![2]);
    check("C19", &|g| g.scatter_dims_to_operand_dims = vec![2]);
    check("C20", &|g| g.scatter_dims_to_operand_dims = vec![0, 1]);
    check("C21", &|g| g.scatter_dims_to_operand_dims = vec![2, 4]);
    check("C22", &|g| g.index_vector_dim = 5);
    let two = |a: Type, b: Type, i: Type, u: Type, v: Type| infer(example(), &[a, b, i, u, v], body(2));
    has(two(input.clone(), i32s(&[2, 3, 4, 3]), indices.clone(), update.clone(), update.clone()), "C1");
    has(two(input.clone(), input.clone(), indices.clone(), update.clone(), i32s(&[2, 2, 3, 2, 1])), "C3");
    has(infer(example(), &[input.clone(), indices.clone(), i32s(&[2, 2, 3, 5, 2])], body(1)), "C4");
    has(infer(example(), &[input.clone(), indices.clone(), i32s(&[2, 2, 4, 2, 2])], body(1)), "C4");
    has(infer(example(), &operands[..2], body(1)), "C5");
    has(infer(example(), &[input.clone(), indices.clone(), f32s(&[2, 2, 3, 2, 2])], body(1)), "C6");
    has(infer(example(), &operands, body(2)), "C23");
    has(infer(example(), &operands, RegionType { arguments: vec![f32s(&[]); 2], results: vec![f32s(&[])] }), "C23");
    has(infer(example(), &[input, f32s(&[2, 2, 3, 2]), update], body(1)), "I2");
}

#[test]
fn random_scatters_agree_with_gather() {
    // Overwriting with the numbers of the updates, then gathering the same boxes gives back what was written last.
    let mut s = Sampler::new(11, 3);
    for _ in 0..200 {
        let (g, input, indices) = gather::random(&mut s);
        let (input, indices) = (input.as_tensor().unwrap().static_dims().unwrap(), indices.as_tensor().unwrap().static_dims().unwrap());
        let values: Vec<i64> = (0..indices.iter().product::<u64>()).map(|_| s.range(0, 5) as i64 - 1).collect();
        let (base, indices) = (ints(&input, &vec![-1; input.iter().product::<u64>() as usize]), ints(&indices, &values));
        let positions = ints(&input, &(0..input.iter().product::<u64>() as i64).collect::<Vec<_>>());
        let read = eval(g.clone(), &[positions, indices.clone()], &[]).unwrap().remove(0);
        let op = Scatter {
            update_window_dims: g.offset_dims.clone(),
            inserted_window_dims: g.collapsed_slice_dims.clone(),
            input_batching_dims: g.operand_batching_dims.clone(),
            scatter_indices_batching_dims: g.start_indices_batching_dims.clone(),
            scatter_dims_to_operand_dims: g.start_index_map.clone(),
            index_vector_dim: g.index_vector_dim,
            indices_are_sorted: false,
            unique_indices: false,
        };
        let targets = op.targets(&input, &indices, read.dims()).unwrap();
        // Where no start was clamped, scatter goes where gather reads from.
        let unclamped = values.iter().all(|v| *v == 0);
        for (t, r) in targets.iter().zip(read.as_slice::<i32>()) {
            assert!(*t == DROPPED || *t < base.len());
            if unclamped {
                assert_eq!(*t as i32, *r);
            }
        }
        let update = ints(read.dims(), &(0..read.len() as i64).collect::<Vec<_>>());
        let out = run(op, &base, &indices, &update, &overwrites);
        for (at, value) in out.as_slice::<i32>().iter().enumerate() {
            let last = targets.iter().rposition(|t| *t == at).map_or(-1, |i| i as i32);
            assert_eq!(*value, last);
        }
    }
}
