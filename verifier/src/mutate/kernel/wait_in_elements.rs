//! `wait-in-elements`: a wait takes off a number of elements where the copy counts bytes.

use super::{Change, KernelMutator, draft::Draft};
use std::sync::Arc;
use tileproof_dialect::{
    tpu::{KernelType, KernelValue, MemRefType, TpuOp},
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
    // The part of the target that has one byte an element of the whole.
    let (d, size) = ty
        .dims
        .iter()
        .enumerate()
        .find_map(|(d, size)| match size {
            Dim::Static(n) if bytes > 1 && n % bytes == 0 => Some((d, n / bytes)),
            Dim::Static(_) | Dim::Dynamic { .. } => None,
        })?;
    for place in [1, 2] {
        let whole = draft.op().operands[place];
        let part = part(draft, whole, d, size)?;
        draft.op_mut().operands[place] = part;
    }
    Some(())
}

/// The first `size` elements of `whole` along dimension `d`.
fn part(draft: &mut Draft, whole: KernelValue, d: usize, size: u64) -> Option<KernelValue> {
    let ty = draft.memref(whole)?.clone();
    let is_dynamic = |size: &&Dim| matches!(size, Dim::Dynamic { .. });
    let dynamic = ty.dims.iter().filter(is_dynamic).count();
    let sizes_known_later = match draft.definition(whole) {
        Some(o) if matches!(o.op, TpuOp::MemRefSlice { .. }) => {
            let rank = ty.dims.len();
            o.operands.get(1 + rank..)?.to_vec()
        }
        Some(_) | None => vec![],
    };
    if sizes_known_later.len() != dynamic {
        return None;
    }
    let mut sizes = ty.dims.clone();
    sizes[d] = Dim::Static(size);
    let mut operands = vec![whole];
    for _ in &sizes {
        operands.push(draft.int(&KernelType::i32(), 0)?);
    }
    operands.extend(sizes_known_later);
    let part = MemRefType {
        dims: sizes.clone(),
        ..ty
    };
    Some(draft.insert(
        TpuOp::MemRefSlice { sizes },
        &operands,
        KernelType::MemRef(Arc::new(part)),
    ))
}
