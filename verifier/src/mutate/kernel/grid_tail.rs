//! `grid-tail`: the last step of a grid dimension does not run.

use super::{Change, KernelMutator};
use tileproof_dialect::tpu::Kernel;

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "grid-tail",
    summary: "the last steps of the grid do not run",
    faults: &["f57", "f61"],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, _: u64) -> Option<()> {
    let d = kernel.grid.get_mut(i)?;
    if d.size < 2 {
        return None;
    }
    d.size -= 1;
    Some(())
}
