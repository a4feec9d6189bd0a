//! `order-of-nan`: floats are compared in IEEE's order in place of the total one, or the other way round; integers with another sign.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{
    hlo::{
        self,
        compare::{Compare, CompareType},
    },
    types::Class,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "order-of-nan",
    summary: "exchanges the total order of floats and IEEE's",
    faults: &["f86"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, _: u64) -> Option<()> {
    let o = draft.op();
    let hlo::Op::Compare(compare) = elementwise(&o.op)?.clone() else {
        return None;
    };
    let operands = o.operands.clone();
    if draft.class(*operands.first()?)? != Class::Float {
        return None;
    }
    let other = match compare.compare_type {
        Some(CompareType::TotalOrder) => CompareType::Float,
        None | Some(CompareType::Float) => CompareType::TotalOrder,
        Some(CompareType::Signed | CompareType::Unsigned) => return None,
    };
    let wrong = Compare {
        compare_type: Some(other),
        ..compare
    };
    draft.become_elementwise(wrong, &operands)
}
