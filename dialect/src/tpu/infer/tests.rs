//! Every type rule with a use that follows it and one that does not.

use super::{KernelInferContext, KernelRegionType, infer};
use crate::{
    hlo,
    literal::Literal,
    tensor::Tensor,
    tpu::{
        op::{Mask, SourceSemaphore, TpuOp},
        types::{KernelType, MemRefType, MemorySpace, RefElement},
    },
    types::{Dim, ElementType},
};
use std::sync::Arc;

/// `f32`, `index`, `8x128xf32`, `vmem:8x128xf32`, `sem:2`, `dma:2`.
pub(crate) fn ty(text: &str) -> KernelType {
    let shape = |text: &str| -> (Vec<u64>, ElementType) {
        let mut parts: Vec<&str> = text.split('x').collect();
        let element = ElementType::from_mlir_name(parts.pop().unwrap()).unwrap();
        (parts.iter().map(|d| d.parse().unwrap()).collect(), element)
    };
    if text == "index" {
        return KernelType::Index;
    }
    match text.split_once(':') {
        None => match shape(text) {
            (dims, element) if dims.is_empty() => KernelType::Scalar(element),
            (dims, element) => KernelType::vector(&dims, element),
        },
        Some((kind @ ("sem" | "dma"), dims)) => KernelType::MemRef(Arc::new(MemRefType {
            element: if kind == "sem" {
                RefElement::Semaphore
            } else {
                RefElement::DmaSemaphore
            },
            ..MemRefType::dma_semaphores(
                &dims
                    .split('x')
                    .filter(|d| !d.is_empty())
                    .map(|d| d.parse().unwrap())
                    .collect::<Vec<_>>(),
            )
        })),
        Some((space, rest)) => {
            let (dims, element) = shape(rest);
            let space = MemorySpace::from_word(space).unwrap();
            KernelType::MemRef(Arc::new(MemRefType::new(&dims, element, space)))
        }
    }
}

fn types(text: &str) -> Vec<KernelType> {
    text.split_whitespace().map(ty).collect()
}

/// `operands -> results`; a declared result is given to the rule.
fn apply(op: &TpuOp, signature: &str, regions: &[&str]) -> Result<Vec<KernelType>, Vec<String>> {
    let (operands, results) = signature.split_once("->").unwrap();
    let (operands, declared) = (types(operands), types(results));
    let regions: Vec<KernelRegionType> = regions
        .iter()
        .map(|r| {
            let (arguments, results) = r.split_once("->").unwrap();
            KernelRegionType {
                arguments: types(arguments),
                results: types(results),
            }
        })
        .collect();
    infer(
        op,
        &KernelInferContext {
            operands: &operands,
            declared: &declared,
            regions: &regions,
        },
    )
}

#[track_caller]
pub(in crate::tpu) fn good(op: &TpuOp, signature: &str, regions: &[&str]) {
    let want = types(signature.split_once("->").unwrap().1);
    assert_eq!(
        apply(op, signature, regions),
        Ok(want),
        "{op:?} {signature}"
    );
}

#[track_caller]
pub(in crate::tpu) fn bad(op: &TpuOp, signature: &str, regions: &[&str], says: &str) {
    match apply(op, signature, regions) {
        Ok(types) => {
            let declared = self::types(signature.split_once("->").unwrap().1);
            assert!(
                says == "inferred" && types != declared,
                "{op:?} {signature}"
            );
        }
        Err(all) => assert!(
            all.iter().any(|m| m.contains(says)),
            "{op:?} {signature}: {all:?}"
        ),
    }
}

pub(in crate::tpu) fn constant(value: f64, dims: &[u64], element: ElementType) -> TpuOp {
    TpuOp::Constant(Literal::from_tensor(&Tensor::splat_f64(
        dims, &element, value,
    )))
}

pub(in crate::tpu) fn add() -> TpuOp {
    TpuOp::Elementwise(hlo::add::Add.into())
}

#[test]
fn memory() {
    use TpuOp::*;
    let load = |strides, masked| Load { strides, masked };
    good(
        &load(None, Mask::Unmasked),
        "vmem:16x128xf32 index index -> 8x128xf32",
        &[],
    );
    good(
        &load(Some(vec![2, 1]), Mask::Masked),
        "vmem:16x128xf32 index index 8x128xi1 -> 8x128xf32",
        &[],
    );
    bad(
        &load(Some(vec![2]), Mask::Unmasked),
        "vmem:16x128xf32 index index -> 8x128xf32",
        &[],
        "strides",
    );
    bad(
        &load(None, Mask::Unmasked),
        "hbm:16x128xf32 index index -> 8x128xf32",
        &[],
        "copies only",
    );
    bad(
        &load(None, Mask::Unmasked),
        "vmem:16x128xf32 index -> 8x128xf32",
        &[],
        "expected 3 operands",
    );
    bad(
        &load(None, Mask::Unmasked),
        "vmem:16x128xf32 i32 index -> 8x128xf32",
        &[],
        "index 0",
    );
    bad(
        &load(None, Mask::Unmasked),
        "vmem:16x128xf32 index index -> 8x128xi32",
        &[],
        "not a part",
    );
    bad(
        &load(None, Mask::Unmasked),
        "sem:2 index -> 8xi32",
        &[],
        "holds semaphores",
    );
    let store = Store {
        strides: None,
        masked: Mask::Unmasked,
    };
    good(&store, "8x128xf32 vmem:16x128xf32 index index ->", &[]);
    bad(
        &store,
        "128xf32 vmem:16x128xf32 index index ->",
        &[],
        "not a part",
    );
    good(&ScalarLoad, "smem:4xi32 index -> i32", &[]);
    bad(&ScalarLoad, "vmem:4xi32 index -> i32", &[], "in smem");
    good(&ScalarStore, "i32 smem:4xi32 index ->", &[]);
    bad(&ScalarStore, "f32 smem:4xi32 index ->", &[], "the value");
    let slice = |n| MemRefSlice {
        sizes: vec![Dim::Static(n), Dim::Static(128)],
    };
    good(&slice(8), "hbm:16x128xf32 i32 i32 -> hbm:8x128xf32", &[]);
    bad(
        &slice(17),
        "hbm:16x128xf32 i32 i32 -> hbm:17x128xf32",
        &[],
        "a slice of 17 of 16",
    );
    let dynamic = MemRefSlice {
        sizes: vec![Dim::Dynamic { bound: None }, Dim::Static(128)],
    };
    bad(
        &dynamic,
        "hbm:16x128xf32 i32 i32 -> hbm:8x128xf32",
        &[],
        "expected 4 operands",
    );
    good(&MemRefSqueeze, "vmem:1x8x1x128xf32 -> vmem:8x128xf32", &[]);
    bad(
        &MemRefSqueeze,
        "vmem:2x8x128xf32 -> vmem:8x128xf32",
        &[],
        "squeezed",
    );
    good(&MemRefReshape, "vmem:2x8x128xf32 -> vmem:16x128xf32", &[]);
    bad(
        &MemRefReshape,
        "vmem:2x8x128xf32 -> vmem:8x128xf32",
        &[],
        "has not the elements",
    );
    bad(
        &MemRefReshape,
        "vmem:8x128xf32 -> smem:8x128xf32",
        &[],
        "does not become",
    );
    good(&MemRefBitcast, "vmem:8x128xf32 -> vmem:16x128xbf16", &[]);
    bad(
        &MemRefBitcast,
        "vmem:8x128xf32 -> vmem:8x128xbf16",
        &[],
        "has not the bits",
    );
}

#[test]
fn copies_and_semaphores() {
    use TpuOp::*;
    let dma = |source_semaphore| EnqueueDma {
        source_semaphore,
        priority: 0,
    };
    good(
        &dma(SourceSemaphore::Absent),
        "hbm:8x128xf32 vmem:8x128xf32 dma: ->",
        &[],
    );
    good(
        &dma(SourceSemaphore::Present),
        "hbm:8x128xf32 dma: vmem:8x128xf32 dma: ->",
        &[],
    );
    bad(
        &dma(SourceSemaphore::Absent),
        "hbm:8x128xf32 vmem:16x128xf32 dma: ->",
        &[],
        "is not copied",
    );
    bad(
        &dma(SourceSemaphore::Absent),
        "hbm:8x128xf32 vmem:8x128xf32 dma:2 ->",
        &[],
        "must be one",
    );
    good(&WaitDma2, "dma: hbm:8x128xf32 vmem:8x128xf32 ->", &[]);
    bad(
        &WaitDma2,
        "sem: hbm:8x128xf32 vmem:8x128xf32 ->",
        &[],
        "!tpu.dma_semaphore",
    );
    good(&SemaphoreSignal, "sem: i32 ->", &[]);
    bad(&SemaphoreSignal, "dma: i32 ->", &[], "!tpu.semaphore");
    good(&SemaphoreWait, "sem: i32 ->", &[]);
    bad(&SemaphoreWait, "sem: index ->", &[], "the amount");
    good(&SemaphoreRead, "dma: -> i32", &[]);
    bad(&SemaphoreRead, "vmem:4xi32 -> i32", &[], "must be one");
    good(&BarrierSemaphore, " -> sem:", &[]);
    bad(&BarrierSemaphore, "i32 -> sem:", &[], "expected 0 operands");
}

#[test]
fn control() {
    use TpuOp::*;
    good(
        &For,
        "index index index 8xf32 -> 8xf32",
        &["index 8xf32 -> 8xf32"],
    );
    bad(&For, "index i32 index ->", &["index ->"], "bound 0");
    bad(&For, "f32 f32 f32 ->", &["f32 ->"], "counts in an index");
    bad(
        &For,
        "index index index 8xf32 -> 8xf32",
        &["index 8xf32 -> f32"],
        "yield values",
    );
    bad(&For, "index index index ->", &[], "expected 1 regions");
    bad(
        &For,
        "index index ->",
        &["index ->"],
        "operand 2 is missing",
    );
    good(&If, "i1 -> f32", &[" -> f32", " -> f32"]);
    bad(&If, "i32 -> f32", &[" -> f32", " -> f32"], "the condition");
    bad(&If, "i1 -> f32", &[" -> f32", " -> i32"], "different types");
    bad(&If, "i1 -> f32", &["f32 -> f32", " -> f32"], "no arguments");
    good(&While, "i32 -> f32", &["i32 -> i1 f32", "f32 -> i32"]);
    bad(
        &While,
        "i32 -> f32",
        &["i32 -> i1 f32", "i32 -> i32"],
        "passes on",
    );
    bad(
        &While,
        "i32 -> f32",
        &["f32 -> i1 f32", "f32 -> i32"],
        "operands' types",
    );
    good(&Condition, "i1 f32 ->", &[]);
    bad(&Condition, "f32 ->", &[], "must be an i1");
    let erf = Implements {
        name: "chlo.erf".into(),
    };
    good(&erf, "8xf32 -> 8xf32", &["8xf32 -> 8xf32"]);
    bad(
        &erf,
        "8xf32 -> 8xf32",
        &["f32 -> 8xf32"],
        "region's arguments",
    );
}
