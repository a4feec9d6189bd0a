//! `tie-to-last`: a comparison of data takes equal for less, or less for equal: ties go to the other one, branches one step off.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise, is_position},
};
use tileproof_dialect::hlo::{
    self,
    compare::{Compare, Direction},
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "tie-to-last",
    summary: "a comparison takes equal for less, or is turned round",
    faults: &["f88", "f87"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    let hlo::Op::Compare(compare) = elementwise(&o.op)?.clone() else {
        return None;
    };
    let operands = o.operands.clone();
    // Masks have a mutator of their own.
    if operands.iter().any(|v| draft.comes_from(*v, &is_position)) {
        return None;
    }
    let ways = match compare.comparison_direction {
        Direction::Eq => [Direction::Ne, Direction::Ge],
        Direction::Ne => [Direction::Eq, Direction::Gt],
        Direction::Ge => [Direction::Gt, Direction::Le],
        Direction::Gt => [Direction::Ge, Direction::Lt],
        Direction::Le => [Direction::Lt, Direction::Ge],
        Direction::Lt => [Direction::Le, Direction::Gt],
    };
    let wrong = Compare {
        comparison_direction: ways[seed as usize % 2],
        ..compare
    };
    draft.become_elementwise(wrong, &operands)
}
