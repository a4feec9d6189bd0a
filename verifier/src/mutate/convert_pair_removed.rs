//! `convert-pair-removed`: a value that is rounded to a narrower type and back is left as it was.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program, ValueId};

pub const MUTATOR: Mutator = Mutator {
    name: "convert-pair-removed",
    summary: "leaves out a conversion to a narrower type and back, or a reduce_precision",
    faults: &["f36", "f47"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = unrounded(program, id)?;
    draft::replaced(program, id, |d| Some(vec![d.value(x)?]))
}

/// What op `id` rounds.
fn unrounded(program: &Program, id: OpId) -> Option<ValueId> {
    if let Some(x) = look::single(program, id, "reduce_precision") {
        return Some(x);
    }
    let narrow = look::single(program, id, "convert")?;
    let [wide] = look::operands_of(program, narrow, "convert")? else {
        return None;
    };
    let (from, through) = (
        look::element(program, *wide)?,
        look::element(program, narrow)?,
    );
    (through.bits() < from.bits()).then_some(*wide)
}
