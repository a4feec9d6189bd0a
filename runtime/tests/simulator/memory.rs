//! Buffers in memory: what is written, what shares addresses, what hangs on the order of steps.

use super::{
    hazards::{TILE, invalid_output, kinds, with_scratch},
    maker::*,
};
use std::sync::Arc;
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    hlo::{self, compare::Direction},
    location::Location,
    op::Op,
    tpu::{HazardKind, KernelType, MemRefType, MemorySpace, Role, TpuOp, hazard::Origin},
    types::Type,
};
use tileproof_runtime::{
    limits::Limits,
    simulator::{Depth, hazards, program_hazards},
};

#[test]
fn every_element_of_an_output_is_written() {
    for rows in [8, 7] {
        let mut m = with_scratch();
        let x = m.load_at(m.reference(0), &[0, 0], &[rows, 128]);
        m.store(x, m.reference(1));
        let (_, found, _) = tracked(&m.plan(), &[counting(&TILE)]);
        match &found[..] {
            [] => assert_eq!(rows, 8),
            [h] => {
                let kind = HazardKind::OutputNotWritten {
                    output: 0,
                    element: vec![7, 0],
                };
                assert_eq!((rows, &h.kind, h.count), (7, &kind, 128));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_output_block_that_comes_again_holds_nothing() {
    // Blocks 0, 1, 0: the third step adds to what the block no longer holds.
    for adds in [false, true] {
        let operands = vec![
            windowed(Role::Input, &[16, 128], &TILE),
            windowed(Role::Output, &[16, 128], &TILE),
        ];
        let mut m = Maker::new(&[arbitrary(3)], operands);
        for i in 0..2 {
            m.0.index_map(i, |b, g| {
                let two = b.i32(2);
                let row = b.one(
                    TpuOp::Elementwise(hlo::remainder::Remainder.into()),
                    &[g[0], two],
                    KernelType::i32(),
                );
                vec![row, b.i32(0)]
            });
        }
        let x = m.load(m.reference(0));
        let two = m.0.i32(2);
        let step = m.0.grid_index(0);
        let early = m.compare(Direction::Lt, step, two);
        m.when(early, |m| m.store(x, m.reference(1)));
        let late = m.compare(Direction::Eq, step, two);
        m.when(late, |m| {
            let before = m.load(m.reference(1));
            let sum = m.apply(hlo::add::Add, &[before, x]);
            m.store(if adds { sum } else { x }, m.reference(1));
        });
        let found = kinds(m, &[counting(&[16, 128])]);
        if adds {
            assert!(
                matches!(invalid_output(&found).0, Origin::WrittenBack(p) if p.operand == Some(1))
            );
        } else {
            assert_eq!(found, []);
        }
    }
}

#[test]
fn an_input_whose_buffer_an_output_took_over_is_gone() {
    // Step 1 reads block 0 of the input again, which the output has overwritten in step 0.
    for rereads in [false, true] {
        let mut out = windowed(Role::Output, &[16, 128], &TILE);
        out.alias = Some(0);
        let operands = vec![windowed(Role::Input, &[16, 128], &TILE), out];
        let mut m = Maker::new(&[arbitrary(2)], operands);
        let row = |b: &mut tileproof_dialect::tpu::KernelBuilder,
                   g: tileproof_dialect::tpu::KernelValue,
                   from: i64| {
            let from = b.i32(from);
            b.one(
                TpuOp::Elementwise(hlo::subtract::Subtract.into()),
                &[from, g],
                KernelType::i32(),
            )
        };
        // The output goes 1, 0; the input goes 1, 0 or, shifted, 0, 1.
        m.0.index_map(0, |b, g| {
            vec![if rereads { g[0] } else { row(b, g[0], 1) }, b.i32(0)]
        });
        m.0.index_map(1, |b, g| vec![row(b, g[0], 1), b.i32(0)]);
        let x = m.load(m.reference(0));
        m.store(x, m.reference(1));
        let found = kinds(m, &[counting(&[16, 128])]);
        if rereads {
            assert!(
                matches!(invalid_output(&found).0, Origin::Overwritten { by, .. } if by.operand == Some(1))
            );
        } else {
            assert_eq!(found, []);
        }
    }
}

fn at(role: Role, address: u64) -> tileproof_dialect::tpu::KernelOperand {
    let mut o = operand(role, &TILE, MemorySpace::Vmem);
    o.buffer = MemRefType {
        tiles: vec![vec![8, 128]],
        ..o.buffer
    };
    o.address = Some(address);
    o
}

#[test]
fn buffers_at_one_address_may_not_live_at_once() {
    for (address, order) in [
        (4096, "both live"),
        (0, "both live"),
        (0, "one after the other"),
    ] {
        let operands = vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
            at(Role::Scratch, 0),
            at(Role::Scratch, address),
        ];
        let mut m = Maker::new(&[], operands);
        let x = m.load(m.reference(0));
        m.store(x, m.reference(2));
        let mut y = x;
        if order != "both live" {
            y = m.load(m.reference(2));
        }
        m.store(x, m.reference(3));
        let z = m.load(m.reference(3));
        if order == "both live" {
            y = m.load(m.reference(2));
        }
        let sum = m.apply(hlo::add::Add, &[y, z]);
        m.store(sum, m.reference(1));
        let found = kinds(m, &[counting(&TILE)]);
        if address == 0 && order == "both live" {
            let origin = invalid_output(&found).0;
            assert!(
                matches!(origin, Origin::Overwritten { place, by } if (place.operand, by.operand) == (Some(2), Some(3)))
            );
        } else {
            assert_eq!(found, [], "{address} {order}");
        }
    }
}

#[test]
fn buffers_must_fit_their_memory() {
    for (address, fits) in [(4096, true), (8192, false)] {
        let operands = vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
            at(Role::Scratch, address),
        ];
        let mut m = Maker::new(&[], operands);
        let x = m.load(m.reference(0));
        m.store(x, m.reference(1));
        let limits = Limits::default();
        let capacity = [(MemorySpace::Vmem, 8192)];
        let found = hazards(
            &m.plan(),
            &[counting(&TILE)],
            Depth::Quick,
            1,
            &capacity,
            &limits,
        )
        .expect("runs");
        let over = HazardKind::OverCapacity {
            space: MemorySpace::Vmem,
            needed: address + 4096,
            capacity: 8192,
        };
        let kinds: Vec<HazardKind> = found.into_iter().map(|h| h.kind).collect();
        assert_eq!(kinds, if fits { vec![] } else { vec![over] });
    }
}

#[test]
fn steps_of_a_parallel_dimension_may_run_in_any_order() {
    // Each step adds to what the step before left in scratch: right in order, not along a parallel dimension.
    for semantics in [parallel(4), arbitrary(4)] {
        let operands = vec![
            windowed(Role::Input, &[32, 128], &TILE),
            windowed(Role::Output, &[32, 128], &TILE),
            operand(Role::Scratch, &TILE, MemorySpace::Vmem),
        ];
        let mut m = Maker::new(&[semantics], operands);
        for i in 0..2 {
            m.0.index_map(i, |b, g| vec![g[0], b.i32(0)]);
        }
        let (step, zero) = (m.0.grid_index(0), m.0.i32(0));
        let x = m.load(m.reference(0));
        let first = m.compare(Direction::Eq, step, zero);
        m.when(first, |m| {
            let zeros = m.splat(&TILE, 0.0);
            m.store(zeros, m.reference(2));
        });
        let before = m.load(m.reference(2));
        let sum = m.apply(hlo::add::Add, &[before, x]);
        m.store(sum, m.reference(2));
        m.store(sum, m.reference(1));
        let found = all_hazards(&m.plan(), &[counting(&[32, 128])]);
        let (want, what) = (semantics == arbitrary(4), "hangs on uninitialized memory");
        assert_eq!(found.is_empty(), want, "{found:?}");
        assert!(want || found[0].contains(what), "{found:?}");
    }
}

#[test]
fn a_result_that_hangs_on_the_order_of_parallel_steps_is_found() {
    // All steps write one block: the last one stays.
    for semantics in [parallel(4), arbitrary(4)] {
        let operands = vec![
            windowed(Role::Input, &[32, 128], &TILE),
            windowed(Role::Output, &TILE, &TILE),
        ];
        let mut m = Maker::new(&[semantics], operands);
        m.0.index_map(0, |b, g| vec![g[0], b.i32(0)]);
        m.0.index_map(1, |b, _| vec![b.i32(0), b.i32(0)]);
        let x = m.load(m.reference(0));
        m.store(x, m.reference(1));
        let found = all_hazards(&m.plan(), &[counting(&[32, 128])]);
        let want =
            "element [0, 0] of output 0 hangs on the order of steps along a parallel dimension";
        assert_eq!(
            found,
            if semantics == parallel(4) {
                vec![want]
            } else {
                vec![]
            }
        );
    }
}

#[test]
fn a_program_names_the_hazards_of_its_kernels_once() {
    let ty = Type::tensor(TILE, F32);
    let mut b = ProgramBuilder::new("test", Provenance::Number);
    let mut values = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
    for name in ["half", "half", "whole"] {
        let call = hlo::kernel_call::KernelCall {
            kernel: name.to_string(),
        };
        values = b.op(
            Op::Hlo(call.into()),
            &values,
            std::slice::from_ref(&ty),
            vec![],
            Location::default(),
        );
    }
    b.end_function(&values, Location::default());
    for (name, rows) in [("half", 4), ("whole", 8)] {
        let operands = vec![
            operand(Role::Input, &TILE, MemorySpace::Vmem),
            operand(Role::Output, &TILE, MemorySpace::Vmem),
        ];
        let mut m = Maker::new(&[], operands);
        let x = m.load_at(m.reference(0), &[0, 0], &[rows, 128]);
        m.store(x, m.reference(1));
        let mut kernel = m.0.finish();
        kernel.name = name.to_string();
        b.program_mut().kernels.push(Arc::new(kernel));
    }
    let program = b.finish().expect("a program");
    let input = vec![counting(&TILE).into()];
    let found =
        program_hazards(&program, input, Depth::Quick, 1, &[], &Limits::default()).expect("runs");
    let names: Vec<(&str, String)> = found
        .iter()
        .map(|h| (h.kernel.as_str(), h.kind.to_string()))
        .collect();
    assert_eq!(
        names,
        [(
            "half",
            "element [4, 0] of output 0 is never written".to_string()
        )]
    );
}
