//! `start-unclamped`: a start index, or an offset, is taken as it comes.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::hlo::{self, maximum::Maximum};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "start-unclamped",
    summary: "an index is not kept within its bounds",
    faults: &["f03"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    let result = *o.results.first()?;
    let kept = match (elementwise(&o.op)?, &o.operands[..]) {
        // Low end, value, high end.
        (hlo::Op::Clamp(_), [_, x, _]) => *x,
        (hlo::Op::Minimum(_) | hlo::Op::Maximum(_), [a, b]) => {
            match (draft.known(*a), draft.known(*b)) {
                (None, Some(_)) => *a,
                (Some(_), None) => *b,
                (_, _) => return None,
            }
        }
        (_, _) => return None,
    };
    if !draft.is_scalar_integer(result) {
        return None;
    }
    // The index itself, with the same op in the same place.
    draft.become_elementwise(Maximum, &[kept, kept])
}
