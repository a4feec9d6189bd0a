//! `allocation-moved`: a buffer begins a tile earlier, inside the one before it.

use super::{Change, KernelMutator};
use tileproof_dialect::tpu::{Kernel, MemorySpace};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "allocation-moved",
    summary: "a buffer begins one tile before its address",
    faults: &["f71"],
    change: Change::Operand(change),
};

/// Bytes of a tile of 32-bit elements.
const TILE: u64 = 8 * 128 * 4;

fn change(kernel: &mut Kernel, i: usize, _: u64) -> Option<()> {
    let operand = &mut kernel.operands[i];
    let step = match operand.buffer.space {
        MemorySpace::Vmem => TILE,
        MemorySpace::Smem => 4,
        MemorySpace::Any | MemorySpace::Hbm | MemorySpace::SemaphoreMem => return None,
    };
    operand.address = Some(operand.address?.checked_sub(step)?);
    Some(())
}
