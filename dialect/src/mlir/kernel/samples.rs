//! Two kernels that hold every op but those on registers.

use crate::{
    hlo,
    literal::Literal,
    location::{Location, SourceOp},
    stage::Stage,
    tensor::Tensor,
    tpu::{
        CombiningKind, GridDimension, Kernel, KernelBuilder, KernelOperand, KernelType,
        KernelValue, MatmulDimensions, MemRefType, Role, Semantics, TpuOp, Window,
        infer::tests::ty,
        op::{Mask, SourceSemaphore},
    },
    types::{Dim, ElementType},
};

pub(super) fn operand(role: Role, buffer: &str) -> KernelOperand {
    KernelOperand {
        role,
        buffer: memref(buffer),
        window: None,
        alias: None,
        address: None,
    }
}

pub(super) fn memref(text: &str) -> MemRefType {
    ty(text)
        .as_memref()
        .cloned()
        .unwrap_or_else(|| panic!("{text}"))
}

fn constant(dims: &[u64], element: ElementType, values: &[f64]) -> TpuOp {
    let t = match values {
        [one] => Tensor::splat_f64(dims, &element, *one),
        many => Tensor::from_f64s(dims, &element, many),
    };
    TpuOp::Constant(Literal::from_tensor(&t))
}

pub(super) fn index(k: &mut KernelBuilder, n: i64) -> KernelValue {
    let n = Tensor::from_i64s(&[], &ElementType::I64, &[n]);
    k.one(
        TpuOp::Constant(Literal::from_tensor(&n)),
        &[],
        KernelType::Index,
    )
}

pub(super) fn apply(
    k: &mut KernelBuilder,
    op: impl Into<hlo::Op>,
    operands: &[KernelValue],
    declared: &[KernelType],
) -> KernelValue {
    k.infer(TpuOp::Elementwise(op.into()), operands, declared, vec![])[0]
}

fn compare(k: &mut KernelBuilder, a: KernelValue, b: KernelValue) -> KernelValue {
    let op = hlo::compare::Compare {
        comparison_direction: hlo::compare::Direction::Lt,
        compare_type: None,
    };
    apply(k, op, &[a, b], &[])
}

const LOAD: TpuOp = TpuOp::Load {
    strides: None,
    masked: Mask::Unmasked,
};
const STORE: TpuOp = TpuOp::Store {
    strides: None,
    masked: Mask::Unmasked,
};

/// Windows, prefetch, an alias, tiles, every op on vectors, functions of many kinds.
pub(super) fn blocks() -> Kernel {
    let grid = [Semantics::Parallel, Semantics::Arbitrary]
        .map(|semantics| GridDimension { size: 2, semantics });
    let mut operands = vec![
        operand(Role::Prefetch, "smem:4xi32"),
        operand(Role::Input, "any:20x256xf32"),
        operand(Role::Input, "hbm:16x128xbf16"),
        operand(Role::Output, "any:20x256xf32"),
        operand(Role::Scratch, "vmem:8x128xf32"),
    ];
    operands[1].window = Some(Window::of(&[8, 128]));
    operands[1].buffer.tiles = vec![vec![8, 128]];
    operands[3].window = Some(Window::of(&[8, 128]));
    operands[3].alias = Some(1);
    let location = Location {
        sources: [SourceOp(3), SourceOp(4)].into_iter().collect(),
        rewrite: Some("hlo-to-tpu:elementwise#7".into()),
        position: None,
    };
    let mut k = KernelBuilder::new("blocks", Stage::S3, grid.to_vec(), operands, location);
    for i in [1, 3] {
        k.index_map(i, |k, arguments| {
            let at = k.one(TpuOp::IndexCast, &[arguments[0]], KernelType::Index);
            let row = k.one(TpuOp::ScalarLoad, &[arguments[2], at], KernelType::i32());
            vec![row, arguments[1]]
        });
    }
    let zero = index(&mut k, 0);
    let (prefetched, from, to, scratch) = (
        k.operand_ref(0),
        k.operand_ref(1),
        k.operand_ref(3),
        k.operand_ref(4),
    );
    let x = k.one(LOAD, &[from, zero, zero], ty("8x128xf32"));
    let limit = index(&mut k, 100);
    let mask = k.one(
        TpuOp::CreateMask,
        &[zero, zero, limit, limit],
        ty("8x128xi1"),
    );
    let y = k.one(
        TpuOp::Load {
            strides: None,
            masked: Mask::Masked,
        },
        &[scratch, zero, zero, mask],
        ty("8x128xf32"),
    );
    k.one(
        TpuOp::Load {
            strides: Some(vec![2, 1]),
            masked: Mask::Unmasked,
        },
        &[scratch, zero, zero],
        ty("4x128xf32"),
    );
    let s = k.one(TpuOp::ScalarLoad, &[prefetched, zero], KernelType::i32());
    let narrow = apply(&mut k, hlo::convert::Convert, &[x], &[ty("8x128xbf16")]);
    apply(&mut k, hlo::convert::Convert, &[narrow], &[ty("8x128xf32")]);
    apply(&mut k, hlo::convert::Convert, &[x], &[ty("8x128xi32")]);
    let bits = apply(
        &mut k,
        hlo::bitcast_convert::BitcastConvert,
        &[x],
        &[ty("8x128xi32")],
    );
    let unsigned = apply(
        &mut k,
        hlo::bitcast_convert::BitcastConvert,
        &[x],
        &[ty("8x128xui32")],
    );
    apply(&mut k, hlo::divide::Divide, &[unsigned, unsigned], &[]);
    apply(&mut k, hlo::divide::Divide, &[bits, bits], &[]);
    apply(&mut k, hlo::add::Add, &[bits, bits], &[]);
    apply(&mut k, hlo::shift_left::ShiftLeft, &[bits, bits], &[]);
    apply(
        &mut k,
        hlo::exponential::Exponential {
            result_accuracy: None,
        },
        &[x],
        &[],
    );
    apply(
        &mut k,
        hlo::logistic::Logistic {
            result_accuracy: None,
        },
        &[x],
        &[],
    );
    apply(&mut k, hlo::maximum::Maximum, &[x, y], &[]);
    let less = compare(&mut k, x, y);
    compare(&mut k, mask, less);
    apply(&mut k, hlo::and::And, &[mask, less], &[]);
    apply(&mut k, hlo::not::Not, &[mask], &[]);
    let total = hlo::compare::Compare {
        comparison_direction: hlo::compare::Direction::Ge,
        compare_type: Some(hlo::compare::CompareType::TotalOrder),
    };
    apply(&mut k, total, &[x, y], &[]);
    apply(&mut k, hlo::select::Select, &[less, x, y], &[]);
    let scalar = k.infer(constant(&[], ElementType::F32, &[-0.0]), &[], &[], vec![])[0];
    let small = k.infer(constant(&[], ElementType::I1, &[1.0]), &[], &[], vec![])[0];
    apply(&mut k, hlo::select::Select, &[small, x, y], &[]);
    k.infer(constant(&[], ElementType::U8, &[200.0]), &[], &[], vec![]);
    k.infer(
        constant(&[4], ElementType::BF16, &[1.0, 2.0, -3.0, 0.5]),
        &[],
        &[],
        vec![],
    );
    k.infer(
        constant(&[2, 2], ElementType::I1, &[1.0, 0.0, 0.0, 1.0]),
        &[],
        &[],
        vec![],
    );
    let many: Vec<f64> = (0..600).map(f64::from).collect();
    k.infer(constant(&[600], ElementType::F32, &many), &[], &[], vec![]);
    k.infer(
        constant(&[8, 128], ElementType::U32, &[7.0]),
        &[],
        &[],
        vec![],
    );
    k.infer(
        constant(&[], ElementType::F8E5M2, &[0.25]),
        &[],
        &[],
        vec![],
    );
    k.infer(TpuOp::Broadcast, &[scalar], &[ty("8x128xf32")], vec![]);
    let flat = k.infer(TpuOp::ShapeCast, &[x], &[ty("1024xf32")], vec![])[0];
    k.infer(TpuOp::Extract { position: vec![3] }, &[flat], &[], vec![]);
    k.infer(TpuOp::Extract { position: vec![3] }, &[x], &[], vec![]);
    let turned = k.infer(
        TpuOp::Transpose {
            permutation: vec![1, 0],
        },
        &[x],
        &[],
        vec![],
    )[0];
    for kind in [
        CombiningKind::Add,
        CombiningKind::Mul,
        CombiningKind::Min,
        CombiningKind::Max,
    ] {
        let start = k.infer(constant(&[8], ElementType::F32, &[0.0]), &[], &[], vec![])[0];
        k.infer(
            TpuOp::MultiReduction {
                kind,
                dims: vec![1],
            },
            &[x, start],
            &[],
            vec![],
        );
        k.infer(
            TpuOp::MultiReduction {
                kind,
                dims: vec![0, 1],
            },
            &[x, scalar],
            &[],
            vec![],
        );
        k.infer(TpuOp::AllReduce { kind, dimension: 1 }, &[x], &[], vec![]);
    }
    for kind in [
        CombiningKind::MinUi,
        CombiningKind::MaxUi,
        CombiningKind::And,
        CombiningKind::Or,
        CombiningKind::Xor,
        CombiningKind::Min,
    ] {
        let start = k.infer(constant(&[8], ElementType::I32, &[0.0]), &[], &[], vec![])[0];
        k.infer(
            TpuOp::MultiReduction {
                kind,
                dims: vec![1],
            },
            &[bits, start],
            &[],
            vec![],
        );
        k.infer(
            TpuOp::AllReduce { kind, dimension: 0 },
            &[bits],
            &[],
            vec![],
        );
    }
    for strides in [vec![1, 1], vec![2, 1]] {
        let slice = TpuOp::ExtractStridedSlice {
            offsets: vec![1, 0],
            sizes: vec![3, 64],
            strides,
        };
        let part = k.infer(slice, &[x], &[], vec![])[0];
        k.infer(
            TpuOp::InsertStridedSlice {
                offsets: vec![0, 64],
            },
            &[part, x],
            &[],
            vec![],
        );
    }
    k.infer(TpuOp::Concatenate { dimension: 0 }, &[x, y, x], &[], vec![]);
    k.infer(
        TpuOp::Repeat {
            dimension: 1,
            times: 3,
        },
        &[x],
        &[],
        vec![],
    );
    let counted = k.infer(
        TpuOp::Iota {
            dimensions: vec![1],
        },
        &[],
        &[ty("8x128xi32")],
        vec![],
    )[0];
    k.infer(
        TpuOp::DynamicGather { dimension: 1 },
        &[x, counted],
        &[],
        vec![],
    );
    k.infer(
        TpuOp::Rotate {
            amount: 3,
            dimension: 1,
        },
        &[x],
        &[],
        vec![],
    );
    k.infer(TpuOp::DynamicRotate { dimension: 0 }, &[x, s], &[], vec![]);
    k.infer(
        TpuOp::Reverse {
            dimensions: vec![0, 1],
        },
        &[x],
        &[],
        vec![],
    );
    let square = k.infer(
        constant(&[8, 8], ElementType::F32, &[0.0]),
        &[],
        &[],
        vec![],
    )[0];
    for precision in [None, Some("DEFAULT"), Some("HIGH"), Some("HIGHEST")] {
        let dimensions = MatmulDimensions::plain();
        let matmul = TpuOp::Matmul {
            dimensions,
            precision: precision.map(String::from),
        };
        k.infer(matmul, &[x, turned, square], &[], vec![]);
    }
    let cube = k.infer(
        constant(&[2, 4, 8], ElementType::F32, &[1.0]),
        &[],
        &[],
        vec![],
    )[0];
    let start = k.infer(
        constant(&[2, 4, 4], ElementType::F32, &[0.0]),
        &[],
        &[],
        vec![],
    )[0];
    let dimensions = MatmulDimensions {
        lhs_contracting: vec![2],
        rhs_contracting: vec![2],
        lhs_batch: vec![0],
        rhs_batch: vec![0],
    };
    k.infer(
        TpuOp::Matmul {
            dimensions,
            precision: None,
        },
        &[cube, cube, start],
        &[],
        vec![],
    );
    let inner = k.begin_region(&[ty("8x128xf32")])[0];
    let inner = apply(&mut k, hlo::multiply::Multiply, &[inner, inner], &[]);
    let body = k.end_region(&[inner]);
    let erf = k.infer(
        TpuOp::Implements {
            name: "chlo.erf".into(),
        },
        &[x],
        &[],
        vec![body],
    )[0];
    k.infer(STORE, &[erf, to, zero, zero], &[], vec![]);
    k.infer(
        TpuOp::Store {
            strides: None,
            masked: Mask::Masked,
        },
        &[erf, scratch, zero, zero, mask],
        &[],
        vec![],
    );
    let part = k.infer(
        constant(&[4, 128], ElementType::F32, &[0.0]),
        &[],
        &[],
        vec![],
    )[0];
    k.infer(
        TpuOp::Store {
            strides: Some(vec![2, 1]),
            masked: Mask::Unmasked,
        },
        &[part, scratch, zero, zero],
        &[],
        vec![],
    );
    k.finish()
}

/// Copies, semaphores, addresses, loops.
pub(super) fn copies() -> Kernel {
    let mut operands = vec![
        operand(Role::Input, "any:32x128xf32"),
        operand(Role::Output, "hbm:32x128xf32"),
        operand(Role::Scratch, "vmem:2x8x128xf32"),
        operand(Role::Scratch, "dma:2"),
        operand(Role::Scratch, "sem:1"),
        operand(Role::Scratch, "smem:4xi32"),
    ];
    operands[2].address = Some(4096);
    operands[5].address = Some(0);
    let mut k = KernelBuilder::new("copies", Stage::S4, vec![], operands, Location::default());
    let [from, to, buffer, arrived, counter, words] = [0, 1, 2, 3, 4, 5].map(|i| k.operand_ref(i));
    let zero = k.i32(0);
    let at = index(&mut k, 0);
    let slice = |k: &mut KernelBuilder, of: KernelValue, sizes: &[Dim], rest: &[KernelValue]| {
        let operands = [&[of], rest].concat();
        k.infer(
            TpuOp::MemRefSlice {
                sizes: sizes.to_vec(),
            },
            &operands,
            &[],
            vec![],
        )[0]
    };
    let fixed = |dims: &[u64]| dims.iter().map(|d| Dim::Static(*d)).collect::<Vec<_>>();
    let source = slice(&mut k, from, &fixed(&[8, 128]), &[zero, zero]);
    let slot = slice(&mut k, buffer, &fixed(&[1, 8, 128]), &[zero, zero, zero]);
    let slot = k.infer(
        TpuOp::MemRefSqueeze,
        &[slot],
        &[ty("vmem:8x128xf32")],
        vec![],
    )[0];
    let one = slice(&mut k, arrived, &fixed(&[1]), &[zero]);
    let one = k.infer(TpuOp::MemRefSqueeze, &[one], &[ty("dma:")], vec![])[0];
    let count = slice(&mut k, counter, &fixed(&[1]), &[zero]);
    let count = k.infer(TpuOp::MemRefSqueeze, &[count], &[ty("sem:")], vec![])[0];
    for source_semaphore in [SourceSemaphore::Absent, SourceSemaphore::Present] {
        let dma = TpuOp::EnqueueDma {
            source_semaphore,
            priority: 1,
        };
        match source_semaphore {
            SourceSemaphore::Absent => k.infer(dma, &[source, slot, one], &[], vec![]),
            SourceSemaphore::Present => k.infer(dma, &[source, one, slot, one], &[], vec![]),
        };
        k.infer(TpuOp::WaitDma2, &[one, source, slot], &[], vec![]);
    }
    let rows = k.i32(5);
    let unknown = Dim::Dynamic { bound: None };
    let part = slice(
        &mut k,
        from,
        &[unknown, Dim::Static(128)],
        &[zero, zero, rows],
    );
    let target = slice(
        &mut k,
        to,
        &[unknown, Dim::Static(128)],
        &[zero, zero, rows],
    );
    let dma = TpuOp::EnqueueDma {
        source_semaphore: SourceSemaphore::Absent,
        priority: 0,
    };
    k.infer(dma, &[part, target, one], &[], vec![]);
    k.infer(TpuOp::SemaphoreSignal, &[count, rows], &[], vec![]);
    k.infer(TpuOp::SemaphoreWait, &[count, rows], &[], vec![]);
    let read = k.infer(TpuOp::SemaphoreRead, &[count], &[], vec![])[0];
    k.infer(TpuOp::BarrierSemaphore, &[], &[], vec![]);
    k.infer(TpuOp::ScalarStore, &[read, words, at], &[], vec![]);
    k.infer(
        TpuOp::MemRefReshape,
        &[buffer],
        &[ty("vmem:16x128xf32")],
        vec![],
    );
    k.infer(
        TpuOp::MemRefBitcast,
        &[slot],
        &[ty("vmem:16x128xbf16")],
        vec![],
    );
    let (low, high, step) = (index(&mut k, 0), index(&mut k, 4), index(&mut k, 1));
    let arguments = k.begin_region(&[KernelType::Index, KernelType::i32()]);
    let casted = k.infer(
        TpuOp::IndexCast,
        &[arguments[0]],
        &[KernelType::i32()],
        vec![],
    )[0];
    let sum = apply(&mut k, hlo::add::Add, &[casted, arguments[1]], &[]);
    let body = k.end_region(&[sum]);
    let total = k.infer(TpuOp::For, &[low, high, step, zero], &[], vec![body])[0];
    let less = compare(&mut k, total, rows);
    k.begin_region(&[]);
    k.infer(TpuOp::SemaphoreSignal, &[count, rows], &[], vec![]);
    let then = k.end_region(&[]);
    k.begin_region(&[]);
    let otherwise = k.end_region(&[]);
    k.infer(TpuOp::If, &[less], &[], vec![then, otherwise]);
    k.begin_region(&[]);
    let then = k.end_region(&[total]);
    k.begin_region(&[]);
    let otherwise = k.end_region(&[rows]);
    let start = k.infer(TpuOp::If, &[less], &[], vec![then, otherwise])[0];
    let x = k.begin_region(&[KernelType::i32()])[0];
    let go = compare(&mut k, x, rows);
    let before = k.end_with_condition(&[go, x]);
    let y = k.begin_region(&[KernelType::i32()])[0];
    let next = apply(&mut k, hlo::add::Add, &[y, rows], &[]);
    let after = k.end_region(&[next]);
    k.infer(TpuOp::While, &[start], &[], vec![before, after]);
    k.finish()
}
