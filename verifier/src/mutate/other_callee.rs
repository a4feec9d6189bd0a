//! `other-callee`: another function of the same type is called.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, call::Call},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "other-callee",
    summary: "calls another function of the same type",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Call(call)) = &program.op(id).op else {
        return None;
    };
    // A function that leads back here would call itself for ever.
    let others = program.functions.iter().filter(|f| {
        f.name != call.callee
            && !program
                .ops_within(f.body)
                .iter()
                .any(|inner| !program.op(*inner).op.callees().is_empty())
    });
    let all = others.map(|f| Call {
        callee: f.name.clone(),
    });
    variants::op(program, id, all.collect(), seed)
}
