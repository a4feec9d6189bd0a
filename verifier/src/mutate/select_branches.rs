//! `select-branches`: the two sides of a select change places.

use super::{Mutator, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "select-branches",
    summary: "exchanges the two sides of a select",
    faults: &["f50"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [_, yes, no] = program.op(id).operands[..] else {
        return None;
    };
    if look::name(program, id) != "select" || yes == no {
        return None;
    }
    program.modified(id, |o| o.operands.swap(1, 2)).ok()
}
