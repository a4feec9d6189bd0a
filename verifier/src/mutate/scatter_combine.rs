//! `scatter-combine`: a scatter that adds overwrites, one that overwrites adds.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::add::Add,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "scatter-combine",
    summary: "overwrites where a scatter adds, adds where it overwrites",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    // One operand, the indices, one update.
    if look::name(program, id) != "scatter" || o.operands.len() != 3 {
        return None;
    }
    let region = *o.regions.first()?;
    let returned = *program.returned(region).first()?;
    let overwrites = program.region(region).arguments.get(1) == Some(&returned);
    draft::replaced(program, id, |d| {
        d.keep_with_body(|d, arguments| {
            let [old, update] = arguments[..] else {
                return None;
            };
            let value = if overwrites {
                d.make(Add, &[old, update])?
            } else {
                update
            };
            Some(vec![value])
        })
    })
}
