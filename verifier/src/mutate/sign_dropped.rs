//! `sign-dropped`: a negation or an absolute value is left out.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program};

pub const MUTATOR: Mutator = Mutator {
    name: "sign-dropped",
    summary: "leaves out a negation, an absolute value or a conjugate",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    if !["negate", "abs", "conj"].contains(&look::name(program, id)) {
        return None;
    }
    draft::replaced(program, id, |d| d.operands())
}
