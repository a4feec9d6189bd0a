//! `other-operand`: an operand becomes another value of the same type that is defined before it in the same block.

use super::Mutator;
use tileproof_dialect::program::{OpId, Program, ValueId};

pub const MUTATOR: Mutator = Mutator {
    name: "other-operand",
    summary: "takes another value of the same type as an operand",
    faults: &["f39", "f68"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let region = program.region(program.region_of(id)?);
    let before = region
        .ops
        .iter()
        .take_while(|other| **other != id)
        .flat_map(|other| program.op(*other).results.iter());
    let values: Vec<ValueId> = region.arguments.iter().chain(before).copied().collect();
    let sites: Vec<(usize, ValueId)> = (0..o.operands.len())
        .flat_map(|i| {
            let fits = values.iter().copied().filter(move |v| {
                *v != o.operands[i] && program.ty(*v) == program.ty(o.operands[i])
            });
            fits.map(move |v| (i, v))
        })
        .collect();
    let (i, v) = *sites.get((seed as usize) % sites.len().max(1))?;
    program.modified(id, |o| o.operands[i] = v).ok()
}
