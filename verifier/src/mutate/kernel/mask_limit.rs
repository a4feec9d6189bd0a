//! `mask-limit`: a mask lets one element too many through, or one too few.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, is_position},
};
use tileproof_dialect::{
    hlo::{self, add::Add},
    tpu::{KernelValue, TpuOp},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "mask-limit",
    summary: "a mask ends one element early or late",
    faults: &["f57", "f71"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let by = if seed & 1 == 0 { 1 } else { -1 };
    let o = draft.op();
    let place = match &o.op {
        // Low ends, then high ends.
        TpuOp::CreateMask => {
            let n = o.operands.len();
            n / 2 + (seed >> 1) as usize % (n / 2).max(1)
        }
        op => {
            if !matches!(elementwise(op)?, hlo::Op::Compare(_)) {
                return None;
            }
            let counts = |v: &KernelValue| draft.comes_from(*v, &is_position);
            match o.operands[..] {
                [a, b] if counts(&a) && !counts(&b) => 1,
                [a, b] if counts(&b) && !counts(&a) => 0,
                _ => return None,
            }
        }
    };
    let limit = *draft.op().operands.get(place)?;
    if matches!(o.op, TpuOp::CreateMask) && by > 0 {
        // A mask ends with its vector: a limit there or behind it lets no element more through.
        let size = draft
            .vector_dims(*o.results.first()?)
            .and_then(|dims| dims.get(place - o.operands.len() / 2).copied());
        if draft.known(limit).zip(size).is_some_and(|(at, n)| at >= n as i64) {
            return None;
        }
    }
    let wrong = match draft.vector_dims(limit) {
        None => draft.shifted(limit, by)?,
        Some(_) => {
            let ty = draft.ty(limit).clone();
            let by = draft.int(&ty, by)?;
            draft.insert(TpuOp::Elementwise(Add.into()), &[limit, by], ty)
        }
    };
    draft.op_mut().operands[place] = wrong;
    Some(())
}
