//! `carry-swapped`: two values of the same type that a loop carries change places.

use super::{Mutator, look, variants};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "carry-swapped",
    summary: "exchanges two values that a loop carries, or two results of a function",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    if !o.op.is_return() {
        return None;
    }
    let in_loop = look::parent(program, id)
        .is_none_or(|(parent, region)| look::name(program, parent) == "while" && region == 1);
    if !in_loop {
        return None;
    }
    let mut lists = vec![];
    for i in 0..o.operands.len() {
        for j in i + 1..o.operands.len() {
            if program.ty(o.operands[i]) == program.ty(o.operands[j]) {
                let mut swapped = o.operands.clone();
                swapped.swap(i, j);
                lists.push(swapped);
            }
        }
    }
    variants::operands(program, id, lists, seed)
}
