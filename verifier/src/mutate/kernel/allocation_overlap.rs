//! `allocation-overlap`: two buffers lie at the same address.

use super::{Change, KernelMutator};
use tileproof_dialect::tpu::Kernel;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "allocation-overlap",
    summary: "a buffer begins at the address of another in the same memory",
    faults: &["f71"],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, seed: u64) -> Option<()> {
    let mine = &kernel.operands[i];
    let address = mine.address?;
    let others: Vec<u64> = kernel
        .operands
        .iter()
        .filter(|o| o.buffer.space == mine.buffer.space)
        .filter_map(|o| o.address.filter(|a| *a != address))
        .collect();
    let other = *others.get(seed as usize % others.len().max(1))?;
    kernel.operands[i].address = Some(other);
    Some(())
}
