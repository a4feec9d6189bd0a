//! Copies of one block between HBM and its buffer, their waits, and the references both name.

use super::window::Pipe;
use crate::kernels::emit::Emitter;
use std::sync::Arc;
use tileproof_dialect::{
    tpu::{KernelType, KernelValue, MemRefType, Role, TpuOp, op::SourceSemaphore},
    types::Dim,
};

/// Where a block lies in its operand and how much of it.
#[derive(Clone)]
pub struct Place {
    offsets: Vec<KernelValue>,
    /// Of every dimension; none: known beforehand, see [`Pipe::size`].
    pub sizes: Vec<Option<KernelValue>>,
}

/// The place of the block with this index.
pub fn place(e: &mut Emitter, pipe: &Pipe, index: &[KernelValue]) -> Place {
    let (mut offsets, mut sizes) = (vec![], vec![]);
    for (d, i) in index.iter().enumerate() {
        let block = e.int(pipe.block()[d] as i64);
        let offset = e.multiply(*i, block);
        offsets.push(offset);
        sizes.push(pipe.is_ragged(d).then(|| {
            let whole = e.int(pipe.dims[d] as i64);
            let left = e.subtract(whole, offset);
            e.minimum(left, block)
        }));
    }
    Place { offsets, sizes }
}

/// A block of the given sizes somewhere: enough for a wait, which only counts bytes. `sizes`: of the ragged dimensions.
pub fn of_sizes(e: &mut Emitter, pipe: &Pipe, sizes: &[KernelValue]) -> Place {
    let mut rest = sizes.iter().copied();
    let sizes = (0..pipe.dims.len())
        .map(|d| if pipe.is_ragged(d) { rest.next() } else { None })
        .collect();
    let offsets = pipe.dims.iter().map(|_| e.int(0)).collect();
    Place { offsets, sizes }
}

/// The buffer numbered `slot`, as the body sees a block.
pub fn buffer(e: &mut Emitter, pipe: &Pipe, slot: Option<KernelValue>) -> KernelValue {
    let whole = e.b.operand_ref(pipe.buffer);
    match slot.filter(|_| pipe.slots() == 2) {
        Some(slot) => element(e, whole, slot),
        None => whole,
    }
}

/// `reference[at]` along its first dimension.
fn element(e: &mut Emitter, reference: KernelValue, at: KernelValue) -> KernelValue {
    let Some(ty) = e.b.ty(reference).as_memref().cloned() else {
        return reference;
    };
    let mut offsets = vec![at];
    for _ in 1..ty.dims.len() {
        offsets.push(e.int(0));
    }
    let mut sizes = ty.dims.clone();
    sizes[0] = Dim::Static(1);
    let one = slice(e, reference, &offsets, &sizes, &[]);
    let ty = MemRefType {
        dims: sizes[1..].to_vec(),
        ..ty
    };
    e.b.one(
        TpuOp::MemRefSqueeze,
        &[one],
        KernelType::MemRef(Arc::new(ty)),
    )
}

/// A part of a reference; the reference itself where the part is all of it.
fn slice(
    e: &mut Emitter,
    reference: KernelValue,
    offsets: &[KernelValue],
    sizes: &[Dim],
    dynamic: &[KernelValue],
) -> KernelValue {
    let Some(ty) = e.b.ty(reference).as_memref().cloned() else {
        return reference;
    };
    if ty.dims == sizes && offsets.iter().all(|o| e.known(*o) == Some(0)) {
        return reference;
    }
    let operands: Vec<KernelValue> = [reference]
        .iter()
        .chain(offsets)
        .chain(dynamic)
        .copied()
        .collect();
    let ty = MemRefType {
        dims: sizes.to_vec(),
        ..ty
    };
    let op = TpuOp::MemRefSlice {
        sizes: sizes.to_vec(),
    };
    e.b.one(op, &operands, KernelType::MemRef(Arc::new(ty)))
}

/// Semaphore, source and target of a copy.
fn ends(
    e: &mut Emitter,
    pipe: &Pipe,
    place: &Place,
    slot: KernelValue,
) -> (KernelValue, KernelValue, KernelValue) {
    let sizes: Vec<Dim> = (0..pipe.dims.len())
        .map(|d| match place.sizes[d] {
            Some(_) => Dim::Dynamic {
                bound: Some(pipe.block()[d]),
            },
            None => Dim::Static(pipe.size(d)),
        })
        .collect();
    let dynamic: Vec<KernelValue> = place.sizes.iter().flatten().copied().collect();
    let whole = e.b.operand_ref(pipe.operand);
    let far = slice(e, whole, &place.offsets, &sizes, &dynamic);
    let block = buffer(e, pipe, Some(slot));
    let zeros: Vec<KernelValue> = sizes.iter().map(|_| e.int(0)).collect();
    let near = slice(e, block, &zeros, &sizes, &dynamic);
    let semaphores = e.b.operand_ref(pipe.semaphores);
    let semaphore = match pipe.slots() {
        2 => element(e, semaphores, slot),
        _ => semaphores,
    };
    match pipe.role {
        Role::Output => (semaphore, near, far),
        Role::Input | Role::Prefetch | Role::Scratch => (semaphore, far, near),
    }
}

/// Starts the copy of a block: into its buffer for an input, out of it for an output.
pub fn start(e: &mut Emitter, pipe: &Pipe, place: &Place, slot: KernelValue) {
    let (semaphore, source, target) = ends(e, pipe, place, slot);
    let op = TpuOp::EnqueueDma {
        source_semaphore: SourceSemaphore::Absent,
        priority: 0,
    };
    e.b.op(op, &[source, target, semaphore], &[], vec![]);
}

/// Waits for the copy of a block of this size.
pub fn wait(e: &mut Emitter, pipe: &Pipe, place: &Place, slot: KernelValue) {
    let (semaphore, source, target) = ends(e, pipe, place, slot);
    e.b.op(TpuOp::WaitDma2, &[semaphore, source, target], &[], vec![]);
}
