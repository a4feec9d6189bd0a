//! `swap-operands`: f(a, b) becomes f(b, a) where order matters.

use super::Mutator;
use tileproof_dialect::{
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "swap-operands",
    summary: "exchanges the operands of a subtraction, division, comparison, ...",
    faults: &[],
    mutate,
};

const ORDERED: &[&str] = &[
    "subtract",
    "divide",
    "remainder",
    "power",
    "atan2",
    "compare",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
    "complex",
    "concatenate",
];

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let (first, second) = (*o.operands.first()?, *o.operands.get(1)?);
    let select = op.name() == "select";
    if !ORDERED.contains(&op.name()) && !select {
        return None;
    }
    let (i, j) = if select { (1, 2) } else { (0, 1) };
    let (a, b) = if select {
        (second, *o.operands.get(2)?)
    } else {
        (first, second)
    };
    if a == b || program.ty(a) != program.ty(b) {
        return None;
    }
    program.modified(id, |o| o.operands.swap(i, j)).ok()
}
