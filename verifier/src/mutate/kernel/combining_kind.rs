//! `combining-kind`: a reduction combines in another way.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    tpu::{CombiningKind, TpuOp},
    types::Class,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "combining-kind",
    summary: "a reduction combines in another way",
    faults: &["f46"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let result = *draft.op().results.first()?;
    let integers = matches!(draft.class(result)?, Class::Signed | Class::Unsigned);
    let (TpuOp::MultiReduction { kind, .. } | TpuOp::AllReduce { kind, .. }) =
        &mut draft.op_mut().op
    else {
        return None;
    };
    let ways: &[CombiningKind] = match (*kind, integers) {
        (CombiningKind::Add, _) => &[CombiningKind::Max, CombiningKind::Mul],
        (CombiningKind::Mul, _) => &[CombiningKind::Add],
        (CombiningKind::Min, false) => &[CombiningKind::Max],
        (CombiningKind::Max, false) => &[CombiningKind::Min],
        (CombiningKind::Min, true) => &[CombiningKind::MinUi, CombiningKind::Max],
        (CombiningKind::Max, true) => &[CombiningKind::MaxUi, CombiningKind::Min],
        (CombiningKind::MinUi, _) => &[CombiningKind::Min],
        (CombiningKind::MaxUi, _) => &[CombiningKind::Max],
        (CombiningKind::And, _) => &[CombiningKind::Or],
        (CombiningKind::Or, _) => &[CombiningKind::And, CombiningKind::Xor],
        (CombiningKind::Xor, _) => &[CombiningKind::Or],
    };
    *kind = ways[seed as usize % ways.len()];
    Some(())
}
