//! Every kind of hazard in a small kernel, and beside it a kernel that does it right.

use super::maker::*;
use tileproof_dialect::{
    hlo::{self, compare::Direction},
    tensor::Tensor,
    tpu::{
        CombiningKind, HazardKind, KernelType, MemorySpace, Role, TpuOp,
        hazard::{Origin, Use},
    },
    types::ElementType,
};

pub const TILE: [u64; 2] = [8, 128];

/// input 0, output 1, scratch 2, all one register.
pub fn with_scratch() -> Maker {
    Maker::new(
        &[],
        vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
            operand(Role::Scratch, &TILE, MemorySpace::Vmem),
        ],
    )
}

pub fn kinds(m: Maker, arguments: &[Tensor]) -> Vec<HazardKind> {
    tracked(&m.plan(), arguments)
        .1
        .into_iter()
        .map(|h| h.kind)
        .collect()
}

/// That the only finding is an invalid element of output 0, from where and through how many ops.
pub fn invalid_output(found: &[HazardKind]) -> (&Origin, usize) {
    let [
        HazardKind::InvalidUse {
            used_as: Use::Output { output: 0, .. },
            origin,
            chain,
        },
    ] = found
    else {
        panic!("{found:?}")
    };
    (origin, chain.len())
}

#[test]
fn a_dead_load_of_uninitialized_memory_is_no_finding_and_its_use_is() {
    let input = [counting(&TILE)];
    let mut m = with_scratch();
    let dead = m.load(m.reference(2));
    let x = m.load(m.reference(0));
    m.apply(hlo::add::Add, &[dead, x]);
    m.store(x, m.reference(1));
    assert_eq!(kinds(m, &input), []);

    let mut m = with_scratch();
    let dead = m.load(m.reference(2));
    let x = m.load(m.reference(0));
    let sum = m.apply(hlo::add::Add, &[dead, x]);
    m.store(sum, m.reference(1));
    let found = kinds(m, &input);
    let (origin, chain) = invalid_output(&found);
    assert!(matches!(origin, Origin::Uninitialized(p) if p.operand == Some(2)));
    // Load, add, store.
    assert_eq!(chain, 3);
}

#[test]
fn a_product_with_zero_does_not_make_an_element_valid_and_a_select_does() {
    let input = [counting(&TILE)];
    let mut m = with_scratch();
    let dead = m.load(m.reference(2));
    let zero = m.splat(&TILE, 0.0);
    let product = m.apply(hlo::multiply::Multiply, &[dead, zero]);
    m.store(product, m.reference(1));
    assert_eq!(kinds(m, &input).len(), 1);

    let mut m = with_scratch();
    let dead = m.load(m.reference(2));
    let x = m.load(m.reference(0));
    let rows = m.mask(&TILE, &[8, 128]);
    let chosen = m.apply(hlo::select::Select, &[rows, x, dead]);
    m.store(chosen, m.reference(1));
    assert_eq!(kinds(m, &input), []);
}

/// Sum of each row of [5, 200] over blocks of [8, 128], with or without dropping the padding.
fn row_sums(drops_padding: bool) -> Maker {
    let operands = vec![
        windowed(Role::Input, &[5, 200], &TILE),
        windowed(Role::Output, &[5, 128], &TILE),
    ];
    let mut m = Maker::new(&[arbitrary(2)], operands);
    m.0.index_map(0, |b, g| vec![b.i32(0), g[0]]);
    m.0.index_map(1, |b, _| vec![b.i32(0), b.i32(0)]);
    let mut x = m.load(m.reference(0));
    let (step, zero) = (m.0.grid_index(0), m.0.i32(0));
    if drops_padding {
        // Lanes below 200 - 128 * step.
        let lanes = m.0.one(
            TpuOp::Iota {
                dimensions: vec![1],
            },
            &[],
            KernelType::vector(&TILE, ElementType::I32),
        );
        let (width, all) = (m.0.i32(128), m.0.i32(200));
        let done = m.0.one(
            TpuOp::Elementwise(hlo::multiply::Multiply.into()),
            &[step, width],
            KernelType::i32(),
        );
        let left = m.0.one(
            TpuOp::Elementwise(hlo::subtract::Subtract.into()),
            &[all, done],
            KernelType::i32(),
        );
        let left = m.0.one(
            TpuOp::Broadcast,
            &[left],
            KernelType::vector(&TILE, ElementType::I32),
        );
        let inside = m.compare(Direction::Lt, lanes, left);
        let zeros = m.splat(&TILE, 0.0);
        x = m.apply(hlo::select::Select, &[inside, x, zeros]);
    }
    let none = m.splat(&[8], 0.0);
    let op = TpuOp::MultiReduction {
        kind: CombiningKind::Add,
        dims: vec![1],
    };
    let sums = m.0.one(op, &[x, none], KernelType::vector(&[8], F32));
    let sums =
        m.0.one(TpuOp::ShapeCast, &[sums], KernelType::vector(&[8, 1], F32));
    let sums =
        m.0.one(TpuOp::Broadcast, &[sums], KernelType::vector(&TILE, F32));
    let first = m.compare(Direction::Eq, step, zero);
    m.when(first, |m| m.store(sums, m.reference(1)));
    let later = m.compare(Direction::Ne, step, zero);
    m.when(later, |m| {
        let before = m.load(m.reference(1));
        let all = m.apply(hlo::add::Add, &[before, sums]);
        m.store(all, m.reference(1));
    });
    m
}

#[test]
fn padding_must_be_dropped_before_a_reduction() {
    let input = [counting(&[5, 200])];
    let (out, found, _) = tracked(&row_sums(true).plan(), &input);
    assert!(found.is_empty(), "{found:?}");
    let want: Vec<f32> = (0..5)
        .map(|r| (1..=200).map(|i| (r * 200 + i) as f32).sum())
        .collect();
    let got: Vec<f32> = out[0].as_slice::<f32>().chunks(128).map(|r| r[0]).collect();
    assert_eq!(got, want);
    let found = kinds(row_sums(false), &input);
    let (origin, _) = invalid_output(&found);
    assert!(matches!(origin, Origin::Padding(p) if p.operand == Some(0)));
}

#[test]
fn lanes_a_masked_load_leaves_out_are_invalid_and_a_masked_store_drops_them() {
    for tail_is_masked in [true, false] {
        let operands = vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
        ];
        let mut m = Maker::new(&[], operands);
        let zeros = m.splat(&TILE, 0.0);
        m.store(zeros, m.reference(1));
        let mask = m.mask(&TILE, &[8, 100]);
        let x = m.load_masked(m.reference(0), mask);
        if tail_is_masked {
            m.store_masked(x, m.reference(1), mask);
        } else {
            m.store(x, m.reference(1));
        }
        let (out, found, _) = tracked(&m.plan(), &[counting(&TILE)]);
        if tail_is_masked {
            assert!(found.is_empty(), "{found:?}");
            assert_eq!(out[0].as_slice::<f32>()[98..102], [99.0, 100.0, 0.0, 0.0]);
        } else {
            let kinds: Vec<HazardKind> = found.into_iter().map(|h| h.kind).collect();
            assert_eq!(*invalid_output(&kinds).0, Origin::MaskedLane);
        }
    }
}

#[test]
fn a_register_at_the_end_of_a_buffer_needs_a_mask() {
    for masked in [true, false] {
        let operands = vec![
            operand(Role::Input, &[5, 100], MemorySpace::Vmem),
            operand(Role::Output, &[5, 100], MemorySpace::Vmem),
        ];
        let mut m = Maker::new(&[], operands);
        let zero = m.index(0);
        let how = if masked {
            tileproof_dialect::tpu::op::Mask::Masked
        } else {
            tileproof_dialect::tpu::op::Mask::Unmasked
        };
        let mask = m.mask(&TILE, &[5, 100]);
        let extra: &[_] = if masked { &[mask] } else { &[] };
        let from = [&[m.reference(0), zero, zero], extra].concat();
        let x = m.0.one(
            TpuOp::RegisterLoad { masked: how },
            &from,
            KernelType::vector(&TILE, F32),
        );
        let to = [&[x, m.reference(1), zero, zero], extra].concat();
        m.0.op(TpuOp::RegisterStore { masked: how }, &to, &[], vec![]);
        let input = counting(&[5, 100]);
        let (out, found, _) = tracked(&m.plan(), std::slice::from_ref(&input));
        assert_eq!(out, [input]);
        let outside = |h: &tileproof_dialect::tpu::Hazard| {
            matches!(
                h.kind,
                HazardKind::OutOfBounds {
                    index: 7,
                    size: 5,
                    ..
                }
            )
        };
        assert_eq!(
            found.iter().filter(|h| outside(h)).count(),
            if masked { 0 } else { 2 }
        );
        assert_eq!(found.len(), if masked { 0 } else { 2 });
    }
}

#[test]
fn the_padding_of_a_tile_can_be_read_and_holds_nothing() {
    let tiled = |role| {
        let mut o = operand(role, &[5, 100], MemorySpace::Vmem);
        o.buffer.tiles = vec![vec![8, 128]];
        o
    };
    let mut m = Maker::new(&[], vec![tiled(Role::Input), tiled(Role::Output)]);
    let zero = m.index(0);
    let unmasked = tileproof_dialect::tpu::op::Mask::Unmasked;
    let x = m.0.one(
        TpuOp::RegisterLoad { masked: unmasked },
        &[m.reference(0), zero, zero],
        KernelType::vector(&TILE, F32),
    );
    m.0.op(
        TpuOp::RegisterStore { masked: unmasked },
        &[x, m.reference(1), zero, zero],
        &[],
        vec![],
    );
    let input = counting(&[5, 100]);
    let (out, found, _) = tracked(&m.plan(), std::slice::from_ref(&input));
    assert_eq!((out, found), (vec![input], vec![]));
}

#[test]
fn what_decides_must_be_valid() {
    let scalar = || typed(Role::Scratch, &[1], ElementType::I32, MemorySpace::Smem);
    let operands = || {
        vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
            scalar(),
        ]
    };
    for written in [true, false] {
        let mut m = Maker::new(&[], operands());
        let (zero, number) = (m.index(0), m.0.i32(0));
        if written {
            m.0.op(
                TpuOp::ScalarStore,
                &[number, m.reference(2), zero],
                &[],
                vec![],
            );
        }
        let n = m.0.one(
            TpuOp::ScalarLoad,
            &[m.reference(2), zero],
            KernelType::i32(),
        );
        let x = m.load(m.reference(0));
        m.store(x, m.reference(1));
        let none = m.compare(Direction::Eq, n, number);
        m.when(none, |_| ());
        let found = kinds(m, &[counting(&TILE)]);
        match &found[..] {
            [] => assert!(written),
            [
                HazardKind::InvalidUse {
                    used_as: Use::Branch,
                    origin: Origin::Uninitialized(p),
                    chain,
                },
            ] => {
                assert!(!written && p.operand == Some(2));
                assert_eq!(chain.len(), 2);
            }
            other => panic!("{other:?}"),
        }
    }
    // As an index; the access itself may then lie anywhere.
    let mut m = Maker::new(&[], operands());
    let zero = m.index(0);
    let n = m.0.one(
        TpuOp::ScalarLoad,
        &[m.reference(2), zero],
        KernelType::i32(),
    );
    let at = m.0.one(TpuOp::IndexCast, &[n], KernelType::Index);
    let x = m.load(m.reference(0));
    m.store(x, m.reference(1));
    let unmasked = tileproof_dialect::tpu::op::Mask::Unmasked;
    let load = TpuOp::Load {
        strides: None,
        masked: unmasked,
    };
    m.0.one(
        load,
        &[m.reference(0), at, zero],
        KernelType::vector(&[1, 128], F32),
    );
    let found = kinds(m, &[counting(&TILE)]);
    assert!(
        matches!(
            found[0],
            HazardKind::InvalidUse {
                used_as: Use::Index,
                ..
            }
        ),
        "{found:?}"
    );
}

#[test]
fn accesses_must_lie_inside() {
    for (row, outside) in [(0, false), (4, true)] {
        let mut m = with_scratch();
        let x = m.load_at(m.reference(0), &[row, 0], &[6, 128]);
        let y = m.load(m.reference(0));
        m.apply(hlo::add::Add, &[x, x]);
        m.store(y, m.reference(1));
        let found = kinds(m, &[counting(&TILE)]);
        assert_eq!(
            matches!(
                found[..],
                [HazardKind::OutOfBounds {
                    dimension: 0,
                    index: 9,
                    size: 8,
                    ..
                }]
            ),
            outside
        );
        assert_eq!(found.is_empty(), !outside);
    }
    for (index, outside) in [(7, false), (8, true)] {
        let mut m = with_scratch();
        let x = m.load(m.reference(0));
        let t = Tensor::from_i64s(&TILE, &ElementType::I32, &[index; 1024]);
        let literal = tileproof_dialect::literal::Literal::from_tensor(&t);
        let rows = m.0.one(
            TpuOp::Constant(literal),
            &[],
            KernelType::vector(&TILE, ElementType::I32),
        );
        m.0.one(
            TpuOp::DynamicGather { dimension: 0 },
            &[x, rows],
            KernelType::vector(&TILE, F32),
        );
        m.store(x, m.reference(1));
        let found = kinds(m, &[counting(&TILE)]);
        assert_eq!(
            matches!(
                found[..],
                [HazardKind::GatherOutOfBounds {
                    index: 8,
                    size: 8,
                    ..
                }]
            ),
            outside
        );
        assert_eq!(found.is_empty(), !outside);
    }
}

#[test]
fn a_block_index_beyond_the_buffer_is_out_of_bounds() {
    for (shift, outside) in [(0, false), (1, true)] {
        let operands = vec![
            windowed(Role::Input, &[16, 128], &TILE),
            windowed(Role::Output, &[16, 128], &TILE),
        ];
        let mut m = Maker::new(&[arbitrary(2)], operands);
        m.0.index_map(0, |b, g| {
            let by = b.i32(shift);
            let row = b.one(
                TpuOp::Elementwise(hlo::add::Add.into()),
                &[g[0], by],
                KernelType::i32(),
            );
            vec![row, b.i32(0)]
        });
        m.0.index_map(1, |b, g| vec![g[0], b.i32(0)]);
        let x = m.load(m.reference(0));
        m.store(x, m.reference(1));
        let found = kinds(m, &[counting(&[16, 128])]);
        let reported = found.iter().any(|k| {
            matches!(
                k,
                HazardKind::OutOfBounds {
                    index: 16,
                    size: 16,
                    ..
                }
            )
        });
        assert_eq!(
            (reported, found.is_empty()),
            (outside, !outside),
            "{found:?}"
        );
    }
}
