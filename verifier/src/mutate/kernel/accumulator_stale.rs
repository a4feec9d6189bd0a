//! `accumulator-stale`: what should happen at the first or last step never happens.

use super::{Change, KernelMutator, accumulator_reset, draft::Draft};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "accumulator-stale",
    summary: "never initialises an accumulator, or never ends a sum",
    faults: &["f61", "f71"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    accumulator_reset::always(draft, 0)
}
