//! `clamp-bounds`: the bounds of a clamp change places, or one is another number.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "clamp-bounds",
    summary: "exchanges the bounds of a clamp, or moves one",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    if look::name(program, id) != "clamp" {
        return None;
    }
    let [low, _, high] = program.op(id).operands[..] else {
        return None;
    };
    if seed.is_multiple_of(3) && program.ty(low) == program.ty(high) {
        return program.modified(id, |o| o.operands.swap(0, 2)).ok();
    }
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let bound = operands.get_mut(if seed % 3 == 1 { 0 } else { 2 })?;
        *bound = d.changed(*bound)?;
        d.keep_on(&operands)
    })
}
