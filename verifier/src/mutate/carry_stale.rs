//! `carry-stale`: a loop carries a value of the step before on, as when a buffer is hoisted out of the loop.

use super::{Mutator, look, variants};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "carry-stale",
    summary: "carries a value of the step before on",
    faults: &["f18", "f28", "f90"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let (parent, region) = look::parent(program, id)?;
    if !o.op.is_return() || look::name(program, parent) != "while" || region != 1 {
        return None;
    }
    let region = *program.op(parent).regions.get(region)?;
    let arguments = &program.region(region).arguments;
    let lists = (0..o.operands.len()).filter_map(|i| {
        let mut stale = o.operands.clone();
        stale[i] = *arguments.get(i)?;
        Some(stale)
    });
    variants::operands(program, id, lists.collect(), seed)
}
