//! `reduce-init`: a reduction starts from another number.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "reduce-init",
    summary: "starts a reduction from another number",
    faults: &["f71"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    if !["reduce", "reduce_window"].contains(&look::name(program, id)) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        // N inputs, then N initial values.
        let n = operands.len() / 2;
        let init = operands.get_mut(n + seed as usize % n.max(1))?;
        *init = d.changed(*init)?;
        d.keep_on(&operands)
    })
}
