//! `alias-dropped`: an output that is written in part has a buffer of its own.

use super::{Change, KernelMutator};
use tileproof_dialect::tpu::Kernel;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "alias-dropped",
    summary: "an output does not take the buffer of its input",
    faults: &[],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, _: u64) -> Option<()> {
    kernel.operands[i].alias.take().map(|_| ())
}
