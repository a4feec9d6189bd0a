//! `pad-value`: the padding is another number.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "pad-value",
    summary: "pads with another number",
    faults: &["f49", "f71"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    if look::name(program, id) != "pad" {
        return None;
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let value = operands.get_mut(1)?;
        *value = d.changed(*value)?;
        d.keep_on(&operands)
    })
}
