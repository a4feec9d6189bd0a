//! `wait-in-elements`: a wait takes off a number of elements where the copy counts bytes.

use super::{Change, KernelMutator, draft::Draft};
use std::sync::Arc;
use tileproof_dialect::{
    hlo,
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
    if bytes < 2 {
        return None;
    }
    // The part of the target that has one byte an element of the whole.
    let divisible = ty
        .dims
        .iter()
        .enumerate()
        .find_map(|(d, size)| match size {
            Dim::Static(n) if n % bytes == 0 => Some((d, n / bytes)),
            Dim::Static(_) | Dim::Dynamic { .. } => None,
        });
    for place in [1, 2] {
        let whole = draft.op().operands[place];
        let part = match divisible {
            Some((d, size)) => part(draft, whole, d, size)?,
            None => shorter(draft, whole, bytes as i64)?,
        };
        draft.op_mut().operands[place] = part;
    }
    Some(())
}

/// The same slice with its last size that is known later divided by `by`.
fn shorter(draft: &mut Draft, whole: KernelValue, by: i64) -> Option<KernelValue> {
    let ty = draft.ty(whole).clone();
    let slice = draft.definition(whole)?.clone();
    let TpuOp::MemRefSlice { sizes } = &slice.op else {
        return None;
    };
    if !sizes.iter().any(|d| matches!(d, Dim::Dynamic { .. })) {
        return None;
    }
    let mut operands = slice.operands.clone();
    let size = operands.pop()?;
    let of = draft.ty(size).clone();
    let by = draft.int(&of, by)?;
    let divided = TpuOp::Elementwise(hlo::divide::Divide.into());
    operands.push(draft.insert(divided, &[size, by], of));
    Some(draft.insert(slice.op.clone(), &operands, ty))
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
