//! Every rule of a kernel's structure broken once.

use super::{
    KernelBuilder,
    infer::tests::{add, constant, ty},
    kernel::{GridDimension, Kernel, KernelOperand, KernelValue, Role, Semantics, Window},
    op::{Mask, TpuOp},
    types::{KernelType, MemorySpace},
};
use crate::{
    location::Location,
    stage::Stage,
    types::{Dim, ElementType},
};

fn operand(role: Role, buffer: &str, block: Option<&[u64]>) -> KernelOperand {
    KernelOperand {
        role,
        buffer: ty(buffer).as_memref().unwrap().clone(),
        window: block.map(Window::of),
        alias: None,
        address: None,
    }
}

/// out = in + in over a grid of 2, with a prefetch operand.
fn sample() -> Kernel {
    let grid = vec![GridDimension {
        size: 2,
        semantics: Semantics::Parallel,
    }];
    let operands = vec![
        operand(Role::Prefetch, "smem:2xi32", None),
        operand(Role::Input, "any:16x128xf32", Some(&[8, 128])),
        operand(Role::Output, "any:16x128xf32", Some(&[8, 128])),
    ];
    let mut k = KernelBuilder::new("double", Stage::S3, grid, operands, Location::default());
    for i in [1, 2] {
        k.index_map(i, |k, arguments| {
            let at = k.one(TpuOp::IndexCast, &[arguments[0]], KernelType::Index);
            let block = k.one(TpuOp::ScalarLoad, &[arguments[1], at], KernelType::i32());
            vec![block, k.i32(0)]
        });
    }
    let zero = k.i32(0);
    let zero = k.one(TpuOp::IndexCast, &[zero], KernelType::Index);
    let load = TpuOp::Load {
        strides: None,
        masked: Mask::Unmasked,
    };
    let (from, to) = (k.operand_ref(1), k.operand_ref(2));
    let x = k.infer(load, &[from, zero, zero], &[ty("8x128xf32")], vec![])[0];
    let y = k.infer(add(), &[x, x], &[], vec![])[0];
    let store = TpuOp::Store {
        strides: None,
        masked: Mask::Unmasked,
    };
    k.infer(store, &[y, to, zero, zero], &[], vec![]);
    k.finish()
}

#[track_caller]
fn refuted(says: &str, change: impl FnOnce(&mut Kernel)) {
    let mut kernel = sample();
    change(&mut kernel);
    let all = kernel.verify();
    assert!(
        all.iter().any(|d| d.message.contains(says)),
        "{says}: {all:?}"
    );
}

#[test]
fn structure() {
    assert_eq!(sample().verify(), vec![]);
    refuted("stage", |k| k.stage = Stage::S2);
    refuted("in this order", |k| k.operands.swap(1, 2));
    refuted("has 4 arguments", |k| k.grid.clear());
    refuted("a grid index", |k| k.body.arguments.swap(0, 1));
    refuted("of operand 1", |k| k.body.arguments.swap(1, 2));
    refuted("in smem", |k| k.operands[0].buffer.space = MemorySpace::Hbm);
    refuted("at stage S3", |k| k.stage = Stage::S4);
    refuted("must be static", |k| {
        k.operands[1].buffer.dims[0] = Dim::Dynamic { bound: None }
    });
    refuted("semaphore_mem", |k| {
        k.operands[1].buffer.space = MemorySpace::SemaphoreMem
    });
    refuted("alias", |k| k.operands[2].alias = Some(0));
    refuted("positive sizes", |k| {
        k.operands[1].window.as_mut().unwrap().block[0] = 0
    });
    refuted("the grid indices", |k| {
        k.operands[1]
            .window
            .as_mut()
            .unwrap()
            .transform
            .arguments
            .pop();
    });
    refuted("the index map of operand 1 must yield (i32, i32)", |k| {
        k.operands[1]
            .window
            .as_mut()
            .unwrap()
            .transform
            .ops
            .last_mut()
            .unwrap()
            .operands
            .pop();
    });
    refuted("only yield", |k| {
        k.body.ops.pop();
    });
    refuted("only yield", |k| {
        let end = k.body.ops.last().unwrap().clone();
        k.body.ops.push(end);
    });
    refuted("does not dominate", |k| k.body.ops.swap(2, 3));
    refuted("does not dominate", |k| {
        k.body.ops[0].operands = vec![KernelValue(999)]
    });
    refuted("defined twice", |k| {
        let again = k.body.ops[1].clone();
        k.body.ops.insert(2, again);
    });
    refuted("has no type", |k| {
        k.body.ops[1].results[0] = KernelValue(999)
    });
    refuted("inferred", |k| {
        let x = k.body.ops[3].results[0];
        k.types[x.index()] = ty("8x128xi32");
    });
    let mut aliased = sample();
    aliased.operands[2].alias = Some(1);
    assert_eq!(aliased.verify(), vec![]);
}

#[test]
fn an_inner_value_ends_with_its_region_and_a_named_expansion_sees_its_arguments_only() {
    let build = |captured: bool| {
        let mut k = KernelBuilder::new("k", Stage::S4, vec![], vec![], Location::default());
        let outer = k.infer(constant(1.0, &[8], ElementType::F32), &[], &[], vec![])[0];
        let argument = k.begin_region(&[ty("8xf32")])[0];
        let used = if captured { outer } else { argument };
        let inner = k.infer(add(), &[used, argument], &[], vec![])[0];
        let body = k.end_region(&[inner]);
        let erf = TpuOp::Implements {
            name: "chlo.erf".into(),
        };
        k.infer(erf, &[outer], &[], vec![body]);
        (k, inner)
    };
    assert_eq!(build(false).0.finish().verify(), vec![]);
    let says = |k: KernelBuilder| k.finish().verify().remove(0).message;
    assert!(says(build(true).0).contains("does not dominate"));
    let (mut k, inner) = build(false);
    k.infer(add(), &[inner, inner], &[], vec![]);
    assert!(says(k).contains("does not dominate"));
}

#[test]
fn a_while_ends_its_first_region_with_a_condition() {
    let build = |condition: bool| {
        let mut k = KernelBuilder::new("k", Stage::S4, vec![], vec![], Location::default());
        let start = k.i32(0);
        let x = k.begin_region(&[KernelType::i32()])[0];
        let go = k.infer(constant(1.0, &[], ElementType::I1), &[], &[], vec![])[0];
        let before = if condition {
            k.end_with_condition(&[go, x])
        } else {
            k.end_region(&[go, x])
        };
        let y = k.begin_region(&[KernelType::i32()])[0];
        let after = k.end_region(&[y]);
        k.infer(TpuOp::While, &[start], &[], vec![before, after]);
        k.finish().verify()
    };
    assert_eq!(build(true), vec![]);
    assert!(build(false)[0].message.contains("scf.condition"));
}
