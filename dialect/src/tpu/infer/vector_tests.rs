//! Type rules of ops on vectors and registers, followed and violated.

use super::tests::{add, bad, constant, good};
use crate::{
    hlo,
    tpu::op::{CombiningKind, Mask, MatmulDimensions, TpuOp},
    types::ElementType,
};

#[test]
fn vectors() {
    use TpuOp::*;
    let c = constant(1.0, &[8, 128], ElementType::F32);
    good(&c, " -> 8x128xf32", &[]);
    bad(&c, "f32 -> 8x128xf32", &[], "expected 0 operands");
    good(&constant(1.0, &[], ElementType::I64), " -> index", &[]);
    good(&add(), "8x128xf32 8x128xf32 -> 8x128xf32", &[]);
    good(&add(), "index index -> index", &[]);
    bad(
        &add(),
        "8x128xf32 8x64xf32 -> 8x128xf32",
        &[],
        "shapes differ",
    );
    bad(&add(), "index i64 -> index", &[], "do not mix");
    bad(
        &add(),
        "vmem:8xf32 8xf32 -> 8xf32",
        &[],
        "scalars and vectors",
    );
    let convert = Elementwise(hlo::convert::Convert.into());
    good(&convert, "8xbf16 -> 8xf32", &[]);
    bad(&convert, "index -> i32", &[], "index_cast");
    bad(
        &Elementwise(
            hlo::reverse::Reverse {
                dimensions: vec![0],
            }
            .into(),
        ),
        "8xf32 -> 8xf32",
        &[],
        "not elementwise",
    );
    good(&IndexCast, "index -> i32", &[]);
    bad(&IndexCast, "f32 -> index", &[], "integers only");
    good(&Broadcast, "1x128xf32 -> 2x8x128xf32", &[]);
    good(&Broadcast, "f32 -> 8x128xf32", &[]);
    bad(
        &Broadcast,
        "4x128xf32 -> 8x128xf32",
        &[],
        "does not broadcast",
    );
    good(&ShapeCast, "8x128xf32 -> 2x4x128xf32", &[]);
    bad(
        &ShapeCast,
        "8x128xf32 -> 8x64xf32",
        &[],
        "has not the elements",
    );
    let permutation = vec![1, 0];
    good(
        &Transpose {
            permutation: permutation.clone(),
        },
        "8x128xf32 -> 128x8xf32",
        &[],
    );
    bad(
        &Transpose {
            permutation: vec![1, 1],
        },
        "8x128xf32 -> 128x8xf32",
        &[],
        "different dimensions",
    );
    bad(
        &Transpose {
            permutation: vec![0],
        },
        "8x128xf32 -> 8x128xf32",
        &[],
        "does not permute",
    );
    let sum = MultiReduction {
        kind: CombiningKind::Add,
        dims: vec![1],
    };
    good(&sum, "8x128xf32 8xf32 -> 8xf32", &[]);
    bad(&sum, "8x128xf32 128xf32 -> 8xf32", &[], "accumulator");
    bad(
        &MultiReduction {
            kind: CombiningKind::And,
            dims: vec![1],
        },
        "8x128xf32 8xf32 -> 8xf32",
        &[],
        "does not combine",
    );
    let slice = |offset, size| ExtractStridedSlice {
        offsets: vec![offset, 0],
        sizes: vec![size, 128],
        strides: vec![1, 1],
    };
    good(&slice(4, 4), "8x128xf32 -> 4x128xf32", &[]);
    bad(
        &slice(5, 4),
        "8x128xf32 -> 4x128xf32",
        &[],
        "reaches beyond",
    );
    good(
        &InsertStridedSlice {
            offsets: vec![4, 0],
        },
        "4x128xf32 8x128xf32 -> 8x128xf32",
        &[],
    );
    bad(
        &InsertStridedSlice {
            offsets: vec![5, 0],
        },
        "4x128xf32 8x128xf32 -> 8x128xf32",
        &[],
        "does not fit",
    );
    good(&Extract { position: vec![3] }, "8x128xf32 -> 128xf32", &[]);
    good(
        &Extract {
            position: vec![3, 127],
        },
        "8x128xf32 -> f32",
        &[],
    );
    bad(
        &Extract { position: vec![8] },
        "8x128xf32 -> 128xf32",
        &[],
        "outside",
    );
    good(
        &Concatenate { dimension: 0 },
        "8x128xf32 4x128xf32 -> 12x128xf32",
        &[],
    );
    bad(
        &Concatenate { dimension: 1 },
        "8x128xf32 4x128xf32 -> 12x128xf32",
        &[],
        "does not continue",
    );
    good(
        &Iota {
            dimensions: vec![1],
        },
        " -> 8x128xi32",
        &[],
    );
    bad(
        &Iota {
            dimensions: vec![2],
        },
        " -> 8x128xi32",
        &[],
        "different dimensions",
    );
    bad(
        &Iota {
            dimensions: vec![1],
        },
        " -> 8x128xf32",
        &[],
        "counts in i32",
    );
    good(
        &Rotate {
            amount: 1,
            dimension: 1,
        },
        "8x128xf32 -> 8x128xf32",
        &[],
    );
    bad(
        &Rotate {
            amount: 1,
            dimension: 2,
        },
        "8x128xf32 -> 8x128xf32",
        &[],
        "different dimensions",
    );
    good(
        &DynamicRotate { dimension: 0 },
        "8x128xf32 i32 -> 8x128xf32",
        &[],
    );
    bad(
        &DynamicRotate { dimension: 0 },
        "8x128xf32 index -> 8x128xf32",
        &[],
        "the amount",
    );
    good(
        &Repeat {
            dimension: 1,
            times: 2,
        },
        "8x128xf32 -> 8x256xf32",
        &[],
    );
    bad(
        &Repeat {
            dimension: 1,
            times: 2,
        },
        "8x128xf32 -> 8x128xf32",
        &[],
        "inferred",
    );
    good(
        &DynamicGather { dimension: 1 },
        "8x128xf32 8x4xi32 -> 8x4xf32",
        &[],
    );
    bad(
        &DynamicGather { dimension: 0 },
        "8x128xf32 8x4xi32 -> 8x4xf32",
        &[],
        "do not fit",
    );
    good(
        &Reverse {
            dimensions: vec![0],
        },
        "8x128xf32 -> 8x128xf32",
        &[],
    );
    bad(
        &Reverse {
            dimensions: vec![0, 0],
        },
        "8x128xf32 -> 8x128xf32",
        &[],
        "different dimensions",
    );
    let matmul = |precision: Option<&str>| Matmul {
        dimensions: MatmulDimensions::plain(),
        precision: precision.map(String::from),
    };
    good(
        &matmul(None),
        "8x128xbf16 128x256xbf16 8x256xf32 -> 8x256xf32",
        &[],
    );
    bad(
        &matmul(None),
        "8x128xbf16 64x256xbf16 8x256xf32 -> 8x256xf32",
        &[],
        "C10",
    );
    bad(
        &matmul(None),
        "8x128xi8 128x256xi8 8x256xf32 -> 8x256xf32",
        &[],
        "do not accumulate",
    );
    bad(
        &matmul(None),
        "8x128xf32 128x256xf32 8x128xf32 -> 8x128xf32",
        &[],
        "accumulator must be",
    );
    bad(
        &matmul(Some("LOW")),
        "8x128xf32 128x256xf32 8x256xf32 -> 8x256xf32",
        &[],
        "precision",
    );
    good(
        &AllReduce {
            kind: CombiningKind::Max,
            dimension: 1,
        },
        "8x128xf32 -> 8x128xf32",
        &[],
    );
    bad(
        &AllReduce {
            kind: CombiningKind::Xor,
            dimension: 1,
        },
        "8x128xf32 -> 8x128xf32",
        &[],
        "does not combine",
    );
    good(&CreateMask, "index index index index -> 8x128xi1", &[]);
    bad(
        &CreateMask,
        "index index -> 8x128xi1",
        &[],
        "expected 4 operands",
    );
    bad(&CreateMask, "index index -> 128xi32", &[], "vector of i1");
}

#[test]
fn registers() {
    use TpuOp::*;
    good(
        &PackSubelements,
        "8x128xbf16 8x128xbf16 -> 8x128x2xbf16",
        &[],
    );
    bad(
        &PackSubelements,
        "8x128xbf16 -> 8x128x2xbf16",
        &[],
        "two or more",
    );
    good(
        &UnpackSubelements { index: 1 },
        "8x128x2xbf16 -> 8x128xbf16",
        &[],
    );
    bad(
        &UnpackSubelements { index: 2 },
        "8x128x2xbf16 -> 8x128xbf16",
        &[],
        "part 2",
    );
    good(&RollVectors, "8x128xf32 8x128xf32 -> 8x256xf32", &[]);
    bad(
        &RollVectors,
        "8x128xf32 -> 8x256xf32",
        &[],
        "do not make up",
    );
    good(&UnrollVectors, "16x128xf32 -> 8x128xf32 8x128xf32", &[]);
    bad(
        &UnrollVectors,
        "16x128xf32 -> 8x128xf32",
        &[],
        "is not 1 of",
    );
    let load = RegisterLoad {
        masked: Mask::Unmasked,
    };
    good(&load, "vmem:20x300xf32 index index -> 8x128xf32", &[]);
    bad(
        &load,
        "smem:20x300xf32 index index -> 8x128xf32",
        &[],
        "not reached",
    );
    bad(
        &load,
        "vmem:20x300xf32 index index -> 8x64xf32",
        &[],
        "native register shape",
    );
    let store = RegisterStore {
        masked: Mask::Masked,
    };
    good(
        &store,
        "8x128xf32 vmem:20x300xf32 index index 8x128xi1 ->",
        &[],
    );
    bad(
        &store,
        "8x128xf32 vmem:20x300xf32 index index 8x128xf32 ->",
        &[],
        "the mask",
    );
}
