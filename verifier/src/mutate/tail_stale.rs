//! `tail-stale`: the last element along the last dimension is that of the place before, as when the last partial tile is not written.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::concatenate::Concatenate,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "tail-stale",
    summary: "repeats the last element but one in the place of the last",
    faults: &["f57", "f71", "f76"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [result] = program.op(id).results[..] else {
        return None;
    };
    let dims = look::dims(program, result)?;
    let last = dims.len().checked_sub(1)?;
    let n = dims[last] as i64;
    if n < 2 {
        return None;
    }
    draft::replaced(program, id, |d| {
        let v = *d.keep()?.first()?;
        let (kept, stale) = (
            d.sliced(v, last, 0, n - 1)?,
            d.sliced(v, last, n - 2, n - 1)?,
        );
        let dimension = last as i64;
        Some(vec![d.make(Concatenate { dimension }, &[kept, stale])?])
    })
}
