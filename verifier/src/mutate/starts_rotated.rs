//! `starts-rotated`: the start indices of a dynamic slice or update stand one dimension further.

use super::{Mutator, look, variants};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "starts-rotated",
    summary: "rotates or exchanges the start indices of a dynamic slice or update",
    faults: &["f41"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let first = match look::name(program, id) {
        "dynamic_slice" => 1,
        "dynamic_update_slice" => 2,
        _ => return None,
    };
    let operands = &program.op(id).operands;
    let mut lists = vec![];
    let mut rotated = operands.clone();
    rotated.get_mut(first..)?.rotate_left(1.min(operands.len() - first));
    lists.push(rotated);
    for i in first..operands.len().saturating_sub(1) {
        let mut swapped = operands.clone();
        swapped.swap(i, i + 1);
        lists.push(swapped);
    }
    variants::operands(program, id, lists, seed)
}
