//! `drop-operation`: every use of the op's result becomes a use of an operand of the same type.

use tileproof_dialect::program::{OpId, Program};

pub fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let [result] = o.results[..] else { return None };
    let operand = *o
        .operands
        .iter()
        .find(|v| program.ty(**v) == program.ty(result))?;
    let users: Vec<OpId> = program
        .op_ids()
        .filter(|user| program.op(*user).operands.contains(&result))
        .collect();
    let mut changed = program.clone();
    for user in users {
        changed = changed
            .modified(user, |o| {
                o.operands
                    .iter_mut()
                    .filter(|v| **v == result)
                    .for_each(|v| *v = operand)
            })
            .ok()?;
    }
    Some(changed)
}
