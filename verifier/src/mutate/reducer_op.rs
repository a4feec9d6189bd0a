//! `reducer-op`: an op of a reducer becomes another one, as when a reducer is matched by its root only.

use super::{Mutator, look};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reducer-op",
    summary: "exchanges an op of a reducer: add by maximum, maximum by minimum, ...",
    faults: &["f46"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let wrong: hlo::Op = match look::name(program, id) {
        "add" => hlo::maximum::Maximum.into(),
        "maximum" => hlo::minimum::Minimum.into(),
        "minimum" => hlo::maximum::Maximum.into(),
        "multiply" => hlo::add::Add.into(),
        "and" => hlo::or::Or.into(),
        "or" => hlo::and::And.into(),
        _ => return None,
    };
    let (parent, _) = look::parent(program, id)?;
    let folds = [
        "reduce",
        "reduce_window",
        "scatter",
        "select_and_scatter",
        "all_reduce",
        "reduce_scatter",
    ];
    if !folds.contains(&look::name(program, parent)) {
        return None;
    }
    program.modified(id, |o| o.op = Op::Hlo(wrong)).ok()
}
