//! `wait-in-elements`: a wait takes off a number of elements where the copy counts bytes.

use super::{Change, KernelMutator, draft::Draft};
use std::sync::Arc;
use tileproof_dialect::{
    tpu::{KernelType, MemRefType, TpuOp},
    types::Dim,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "wait-in-elements",
    summary: "waits for as many bytes as there are elements",
    faults: &["f78"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    if !matches!(draft.op().op, TpuOp::WaitDma2) {
        return None;
    }
    let target = *draft.op().operands.get(2)?;
    let ty = draft.memref(target)?.clone();
    let bytes = u64::from(ty.data()?.bits()) / 8;
    let dims = ty.static_dims()?;
    // The part of the target that has one byte an element of the whole.
    let d = dims.iter().position(|n| bytes > 1 && n % bytes == 0)?;
    let mut sizes: Vec<Dim> = ty.dims.clone();
    sizes[d] = Dim::Static(dims[d] / bytes);
    let mut operands = vec![target];
    for _ in &dims {
        operands.push(draft.int(&KernelType::i32(), 0)?);
    }
    let part = MemRefType {
        dims: sizes.clone(),
        ..ty
    };
    let part = draft.insert(
        TpuOp::MemRefSlice { sizes },
        &operands,
        KernelType::MemRef(Arc::new(part)),
    );
    draft.op_mut().operands[2] = part;
    Some(())
}
