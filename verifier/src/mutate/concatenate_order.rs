//! `concatenate-order`: the operands of a concatenation stand in another order.

use super::{Mutator, look, variants};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "concatenate-order",
    summary: "concatenates in another order",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    if look::name(program, id) != "concatenate" {
        return None;
    }
    let operands = &program.op(id).operands;
    let lists = (0..operands.len().saturating_sub(1)).map(|i| {
        let mut swapped = operands.clone();
        swapped.swap(i, i + 1);
        swapped
    });
    variants::operands(program, id, lists.collect(), seed)
}
