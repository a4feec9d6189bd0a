//! `drop-operation`: an op is left out: an operand of the same type stands in the place of its result.

use super::{Mutator, draft};
use tileproof_dialect::program::{OpId, Program, ValueId};

pub const MUTATOR: Mutator = Mutator {
    name: "drop-operation",
    summary: "uses an operand in place of the result",
    faults: &["f36"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let [result] = o.results[..] else { return None };
    let fits: Vec<ValueId> = o
        .operands
        .iter()
        .copied()
        .filter(|v| program.ty(*v) == program.ty(result))
        .collect();
    let operand = *fits.get(seed as usize % fits.len().max(1))?;
    draft::replaced(program, id, |d| Some(vec![d.value(operand)?]))
}
