//! `subelement-order`: another part of a packed register is unpacked.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::tpu::TpuOp;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "subelement-order",
    summary: "unpacks another part of a packed register",
    faults: &["f53"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let packed = *draft.op().operands.first()?;
    let n = *draft.vector_dims(packed)?.get(2)?;
    let TpuOp::UnpackSubelements { index } = &mut draft.op_mut().op else {
        return None;
    };
    if n < 2 {
        return None;
    }
    *index = (*index + 1 + seed % (n - 1)) % n;
    Some(())
}
