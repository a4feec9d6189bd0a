//! Kernels give the values of the `hlo` ops they stand for, in both planes.

use super::maker::*;
use tileproof_dialect::{
    builder::Sampler,
    eval::{EvalContext, Events, NoRegions},
    hlo::{self, compare::Direction},
    literal::Literal,
    op::OpDef,
    planes::{Planes, ring},
    tensor::{Tensor, Value},
    tpu::{CombiningKind, KernelType, MatmulDimensions, MemorySpace, Role, TpuOp, op::Mask},
    types::{ElementType, Type},
};
use tileproof_runtime::{
    engine::{End, Engine},
    grid::Devices,
    inputs::all_with_ring,
    limits::Limits,
};

/// What the `hlo` op gives.
fn defined(op: impl Into<hlo::Op>, operands: &[Tensor], dims: &[u64]) -> Tensor {
    let values: Vec<Value> = operands.iter().cloned().map(Value::from).collect();
    let mut events = Events::default();
    let mut cx = EvalContext {
        planes: Planes::IeeeAndRing,
        runner: &mut NoRegions,
        events: &mut events,
    };
    let ty = Type::tensor(dims.iter().copied(), F32);
    let out = op.into().eval(&values, &[ty], &mut cx).expect("evaluates");
    out[0].as_tensor().expect("a tensor").clone()
}

#[test]
fn blocks_of_a_ragged_buffer_cover_it_once() {
    let (dims, block) = ([20, 200], [8, 128]);
    let grid = [parallel(3), parallel(2)];
    let operands = vec![
        windowed(Role::Input, &dims, &block),
        windowed(Role::Input, &dims, &block),
        windowed(Role::Output, &dims, &block),
    ];
    let mut m = Maker::new(&grid, operands);
    (0..3).for_each(|i| m.map(i, &[0, 1]));
    let (a, b) = (m.load(m.reference(0)), m.load(m.reference(1)));
    let product = m.apply(hlo::multiply::Multiply, &[a, b]);
    let sum = m.apply(hlo::add::Add, &[product, a]);
    m.store(sum, m.reference(2));
    let plan = m.plan_in(Planes::IeeeAndRing);
    let inputs = [hashed(&counting(&dims), 0), hashed(&counting(&dims), 1)];
    let (out, found, counters) = tracked(&plan, &inputs);
    let product = defined(hlo::multiply::Multiply, &inputs, &dims);
    let want = defined(hlo::add::Add, &[product, inputs[0].clone()], &dims);
    assert_eq!(out, [want]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!((counters.steps, counters.bytes_moved), (6, 3 * 4000 * 4));
    // Every step: two loads, two ops, one store of one register.
    assert_eq!(counters.vector_ops, 6 * 5);
    assert_eq!(counters.vmem_bytes, 3 * 4096);
}

#[test]
fn a_product_accumulates_over_the_last_grid_dimension() {
    let grid = [parallel(2), parallel(1), arbitrary(3)];
    let operands = vec![
        windowed(Role::Input, &[16, 96], &[8, 32]),
        windowed(Role::Input, &[96, 128], &[32, 128]),
        windowed(Role::Output, &[16, 128], &[8, 128]),
        operand(Role::Scratch, &[8, 128], MemorySpace::Vmem),
    ];
    let mut m = Maker::new(&grid, operands);
    m.map(0, &[0, 2]);
    m.map(1, &[2, 1]);
    m.map(2, &[0, 1]);
    let k = m.0.grid_index(2);
    let accumulator = m.reference(3);
    let zero = m.0.i32(0);
    let first = m.compare(Direction::Eq, k, zero);
    m.when(first, |m| {
        let zeros = m.splat(&[8, 128], 0.0);
        m.store(zeros, accumulator);
    });
    let (a, b, c) = (
        m.load(m.reference(0)),
        m.load(m.reference(1)),
        m.load(accumulator),
    );
    let op = TpuOp::Matmul {
        dimensions: MatmulDimensions::plain(),
        precision: None,
    };
    let sum = m.0.one(op, &[a, b, c], KernelType::vector(&[8, 128], F32));
    m.store(sum, accumulator);
    let two = m.0.i32(2);
    let last = m.compare(Direction::Eq, k, two);
    m.when(last, |m| {
        let done = m.load(accumulator);
        m.store(done, m.reference(2));
    });
    let plan = m.plan_in(Planes::IeeeAndRing);
    let small = |dims: &[u64]| {
        let n = dims.iter().product::<u64>();
        let all: Vec<f64> = (0..n).map(|i| (i * 7 % 11) as f64 - 5.0).collect();
        Tensor::from_f64s(dims, &F32, &all)
    };
    let inputs = [hashed(&small(&[16, 96]), 0), hashed(&small(&[96, 128]), 1)];
    let (out, found, counters) = tracked(&plan, &inputs);
    let dot = hlo::dot_general::DotGeneral {
        lhs_batching_dimensions: vec![],
        rhs_batching_dimensions: vec![],
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![0],
        precision_config: None,
        algorithm: None,
    };
    assert_eq!(out, [defined(dot, &inputs, &[16, 128])]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(counters.matrix_operations, 2 * 16 * 96 * 128);
}

#[test]
fn reductions_fold_in_any_dimension() {
    for (kind, dims) in [
        (CombiningKind::Add, vec![0u64]),
        (CombiningKind::Max, vec![1]),
        (CombiningKind::Add, vec![0, 2]),
    ] {
        let kept: Vec<u64> = (0..3)
            .filter(|d| !dims.contains(&(*d as u64)))
            .map(|d| [3, 5, 4][d])
            .collect();
        let operands = vec![
            operand(Role::Input, &[3, 5, 4], MemorySpace::Vmem),
            operand(Role::Output, &kept, MemorySpace::Vmem),
        ];
        let mut m = Maker::new(&[], operands);
        let x = m.load(m.reference(0));
        let start = m.splat(&kept, 100.0);
        let op = TpuOp::MultiReduction {
            kind,
            dims: dims.clone(),
        };
        let y = m.0.one(op, &[x, start], KernelType::vector(&kept, F32));
        m.store(y, m.reference(1));
        let plan = m.plan_in(Planes::IeeeAndRing);
        let input = hashed(&counting(&[3, 5, 4]), 0);
        let (out, found, _) = tracked(&plan, std::slice::from_ref(&input));
        assert!(found.is_empty());
        let strides = [20, 4, 1];
        let out_strides = tileproof_dialect::tensor::row_major_strides(&kept);
        let mut want =
            vec![(100f32, ring::embed_f64(100.0)); kept.iter().product::<u64>() as usize];
        for i in 0..60 {
            let at = (0..3)
                .filter(|d| !dims.contains(&(*d as u64)))
                .zip(&out_strides)
                .map(|(d, s)| i / strides[d] % [3, 5, 4][d] * *s as usize)
                .sum::<usize>();
            let (x, r) = (
                input.as_slice::<f32>()[i],
                input.ring().expect("residues")[i],
            );
            let (y, s) = want[at];
            want[at] = match kind {
                CombiningKind::Add => (x + y, ring::add(r, s)),
                _ if x > y => (x, r),
                _ => (y, s),
            };
        }
        let (values, residues): (Vec<f32>, Vec<u32>) = want.into_iter().unzip();
        assert_eq!(out[0].as_slice::<f32>(), values);
        assert_eq!(out[0].ring(), Some(&residues[..]));
    }
}

#[test]
fn loops_carry_values() {
    // x + 1 + 2 + .. + 5 by a for, then doubled by a while until it is above 1000.
    let operands = vec![
        operand(Role::Input, &[8, 128], MemorySpace::Vmem),
        operand(Role::Output, &[8, 128], MemorySpace::Vmem),
    ];
    let mut m = Maker::new(&[], operands);
    let x = m.load(m.reference(0));
    let block = KernelType::vector(&[8, 128], F32);
    let [low, high, by] = [1, 6, 1].map(|i| m.0.i32(i));
    let body = m.region(&[KernelType::i32(), block.clone()], |m, a| {
        let i = m.0.one(
            TpuOp::Elementwise(hlo::convert::Convert.into()),
            &[a[0]],
            KernelType::Scalar(F32),
        );
        let i =
            m.0.one(TpuOp::Broadcast, &[i], KernelType::vector(&[8, 128], F32));
        vec![m.apply(hlo::add::Add, &[a[1], i])]
    });
    let y = m.0.op(
        TpuOp::For,
        &[low, high, by, x],
        std::slice::from_ref(&block),
        vec![body],
    )[0];
    let arguments = m.0.begin_region(std::slice::from_ref(&block));
    let largest = m.0.one(
        TpuOp::Extract {
            position: vec![7, 127],
        },
        &arguments,
        KernelType::Scalar(F32),
    );
    let t = Tensor::from_f64s(&[], &F32, &[5000.0]);
    let limit = m.0.one(
        TpuOp::Constant(Literal::from_tensor(&t)),
        &[],
        KernelType::Scalar(F32),
    );
    let goes_on = m.compare(Direction::Lt, largest, limit);
    let before = m.0.end_with_condition(&[goes_on, arguments[0]]);
    let after = m.region(std::slice::from_ref(&block), |m, a| {
        vec![m.apply(hlo::add::Add, &[a[0], a[0]])]
    });
    let z = m.0.op(TpuOp::While, &[y], &[block], vec![before, after])[0];
    m.store(z, m.reference(1));
    let plan = m.plan_in(Planes::IeeeAndRing);
    let input = hashed(&counting(&[8, 128]), 0);
    let (out, found, _) = tracked(&plan, std::slice::from_ref(&input));
    assert!(found.is_empty());
    // The last element is 1024 + 15: doubled three times it is above 5000.
    for (i, v) in out[0].as_slice::<f32>().iter().enumerate() {
        assert_eq!(*v, 8.0 * (i as f32 + 16.0));
    }
    let r = input.ring().expect("residues")[3];
    assert_eq!(
        out[0].ring().expect("residues")[3],
        ring::mul_residues(8, ring::add(r, 15))
    );
}

#[test]
fn registers_pack_roll_and_load_alike() {
    // bf16 [16, 128]: a packed load equals two unpacked halves packed; rolled it is the block.
    let bf16 = ElementType::BF16;
    let operands = vec![
        typed(Role::Input, &[16, 128], bf16.clone(), MemorySpace::Vmem),
        typed(Role::Output, &[16, 128], bf16.clone(), MemorySpace::Vmem),
        typed(Role::Output, &[16, 128], bf16.clone(), MemorySpace::Vmem),
        typed(Role::Output, &[8, 128], bf16.clone(), MemorySpace::Vmem),
    ];
    let mut m = Maker::new(&[], operands);
    let zero = m.index(0);
    let packed = KernelType::vector(&[8, 128, 2], bf16.clone());
    let plain = KernelType::vector(&[8, 128], bf16.clone());
    let load = TpuOp::RegisterLoad {
        masked: Mask::Unmasked,
    };
    let store = TpuOp::RegisterStore {
        masked: Mask::Unmasked,
    };
    let x = m.0.one(load, &[m.reference(0), zero, zero], packed.clone());
    let [low, high] = [0, 1].map(|index| {
        m.0.one(TpuOp::UnpackSubelements { index }, &[x], plain.clone())
    });
    let again =
        m.0.one(TpuOp::PackSubelements, &[low, high], packed.clone());
    m.0.op(
        store.clone(),
        &[again, m.reference(1), zero, zero],
        &[],
        vec![],
    );
    let block = m.0.one(
        TpuOp::RollVectors,
        &[again],
        KernelType::vector(&[16, 128], bf16.clone()),
    );
    m.store(block, m.reference(2));
    let back = m.0.op(TpuOp::UnrollVectors, &[block], &[packed], vec![])[0];
    let high =
        m.0.one(TpuOp::UnpackSubelements { index: 1 }, &[back], plain);
    m.0.op(store, &[high, m.reference(3), zero, zero], &[], vec![]);
    let plan = m.plan_in(Planes::IeeeAndRing);
    let all: Vec<f64> = (0..2048).map(|i| (i % 251) as f64).collect();
    let input = hashed(&Tensor::from_f64s(&[16, 128], &bf16, &all), 0);
    let (out, found, _) = tracked(&plan, std::slice::from_ref(&input));
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(out[..2], [input.clone(), input.clone()]);
    assert_eq!(out[2], input.strided(&[8, 128], 1024, &[128, 1]));
}

#[test]
fn registers_move_rows_and_lanes() {
    let operands = vec![
        operand(Role::Input, &[8, 128], MemorySpace::Vmem),
        operand(Role::Output, &[8, 128], MemorySpace::Vmem),
        operand(Role::Output, &[8, 128], MemorySpace::Vmem),
        operand(Role::Output, &[8, 128], MemorySpace::Vmem),
    ];
    let mut m = Maker::new(&[], operands);
    let x = m.load(m.reference(0));
    let ty = KernelType::vector(&[8, 128], F32);
    let rotated = m.0.one(
        TpuOp::Rotate {
            amount: 3,
            dimension: 1,
        },
        &[x],
        ty.clone(),
    );
    m.store(rotated, m.reference(1));
    let by = m.0.i32(-2);
    let turned =
        m.0.one(TpuOp::DynamicRotate { dimension: 0 }, &[x, by], ty.clone());
    m.store(turned, m.reference(2));
    let op = TpuOp::AllReduce {
        kind: CombiningKind::Add,
        dimension: 0,
    };
    let sums = m.0.one(op, &[x], ty);
    m.store(sums, m.reference(3));
    let plan = m.plan();
    let (out, _, _) = tracked(&plan, &[counting(&[8, 128])]);
    let at = |t: &Tensor, i: usize, j: usize| t.as_slice::<f32>()[i * 128 + j] as usize - 1;
    assert_eq!((at(&out[0], 2, 3), at(&out[0], 2, 1)), (256, 2 * 128 + 126));
    assert_eq!((at(&out[1], 0, 5), at(&out[1], 7, 0)), (2 * 128 + 5, 128));
    let column: usize = (0..8).map(|i| i * 128 + 4 + 1).sum();
    assert_eq!(
        (at(&out[2], 0, 4), at(&out[2], 6, 4)),
        (column - 1, column - 1)
    );
}

#[test]
fn a_named_region_has_the_residues_of_its_name_and_the_values_of_its_body() {
    let operands = vec![
        operand(Role::Input, &[8, 128], MemorySpace::Vmem),
        operand(Role::Output, &[8, 128], MemorySpace::Vmem),
    ];
    let mut m = Maker::new(&[], operands);
    let x = m.load(m.reference(0));
    let ty = KernelType::vector(&[8, 128], F32);
    // A bad approximation of exp: 1 + x.
    let body = m.region(std::slice::from_ref(&ty), |m, a| {
        let one = m.splat(&[8, 128], 1.0);
        vec![m.apply(hlo::add::Add, &[a[0], one])]
    });
    let op = TpuOp::Implements {
        name: "exponential".to_string(),
    };
    let y = m.0.op(op, &[x], &[ty], vec![body])[0];
    m.store(y, m.reference(1));
    let plan = m.plan_in(Planes::IeeeAndRing);
    let input = hashed(&counting(&[8, 128]), 0);
    let (out, _, _) = tracked(&plan, std::slice::from_ref(&input));
    assert_eq!(out[0].as_slice::<f32>()[..3], [2.0, 3.0, 4.0]);
    let exp = defined(
        hlo::exponential::Exponential {
            result_accuracy: None,
        },
        &[input],
        &[8, 128],
    );
    assert_eq!(out[0].ring(), exp.ring());
}

#[test]
fn a_program_with_a_kernel_call_runs_on_the_reference() {
    let mut calls = 0;
    for seed in 0..20 {
        let program = hlo::kernel_call::KernelCall::sample(&mut Sampler::new(seed, 9));
        let ty = program.parameter_types()[0]
            .as_tensor()
            .expect("a tensor")
            .clone();
        let dims = ty.static_dims().expect("static");
        let inputs = all_with_ring(&[counting(&dims).into()], 3);
        let (devices, limits) = (Devices::default(), Limits::default());
        let planes = Planes::IeeeAndRing;
        let out = Engine::Reference.run(
            &program,
            planes,
            &devices,
            std::slice::from_ref(&inputs),
            &limits,
        );
        let End::Returned { outputs, .. } = out.expect("runs").devices[0].runs[0].end.clone()
        else {
            panic!("trapped")
        };
        let one = Tensor::splat_f64(&dims, &F32, 1.0).with_embedded_ring();
        let x = inputs[0].as_tensor().expect("a tensor").clone();
        assert_eq!(
            outputs,
            [Value::from(defined(hlo::add::Add, &[x, one], &dims))]
        );
        calls += 1;
    }
    assert_eq!(calls, 20);
}

#[test]
fn an_index_map_may_read_prefetched_scalars() {
    // Rows of the input in the order of a table in SMEM.
    let grid = [arbitrary(4)];
    let operands = vec![
        typed(Role::Prefetch, &[4], ElementType::I32, MemorySpace::Smem),
        windowed(Role::Input, &[4, 128], &[1, 128]),
        windowed(Role::Output, &[4, 128], &[1, 128]),
    ];
    let mut m = Maker::new(&grid, operands);
    m.0.index_map(1, |b, a| {
        let at = b.one(TpuOp::IndexCast, &[a[0]], KernelType::Index);
        let row = b.one(TpuOp::ScalarLoad, &[a[1], at], KernelType::i32());
        vec![row, b.i32(0)]
    });
    m.0.index_map(2, |b, a| vec![a[0], b.i32(0)]);
    let x = m.load(m.reference(1));
    m.store(x, m.reference(2));
    let plan = m.plan();
    let table = Tensor::from_i64s(&[4], &ElementType::I32, &[2, 0, 3, 3]);
    let (out, found, _) = tracked(&plan, &[table, counting(&[4, 128])]);
    assert!(found.is_empty(), "{found:?}");
    let rows: Vec<f32> = out[0]
        .as_slice::<f32>()
        .chunks(128)
        .map(|r| (r[0] - 1.0) / 128.0)
        .collect();
    assert_eq!(rows, [2.0, 0.0, 3.0, 3.0]);
}
