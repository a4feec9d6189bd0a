//! `window-swapped`: the index map of a window gives two dimensions in the other order.

use super::{Change, KernelMutator, window};
use tileproof_dialect::tpu::Kernel;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "window-swapped",
    summary: "two block indices of a window change places",
    faults: &[],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, seed: u64) -> Option<()> {
    let rank = kernel.operands[i].window.as_ref()?.block.len();
    let a = window::moving_dimension(kernel, i, seed)?;
    let b = (a + 1 + (seed >> 8) as usize % (rank - 1).max(1)) % rank;
    let (x, y) = (
        *window::result(kernel, i, a)?,
        *window::result(kernel, i, b)?,
    );
    if x == y {
        return None;
    }
    *window::result(kernel, i, a)? = y;
    *window::result(kernel, i, b)? = x;
    Some(())
}
