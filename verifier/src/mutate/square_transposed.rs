//! `square-transposed`: a square result of a contraction is read in the other layout.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::transpose::Transpose,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "square-transposed",
    summary: "transposes a square result of a contraction",
    faults: &["f52"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    if look::name(program, id) != "dot_general" {
        return None;
    }
    let dims = look::dims(program, *program.op(id).results.first()?)?;
    let rank = dims.len();
    if rank < 2 || dims[rank - 1] != dims[rank - 2] || dims[rank - 1] < 2 {
        return None;
    }
    draft::replaced(program, id, |d| {
        let v = *d.keep()?.first()?;
        let mut permutation: Vec<i64> = (0..rank as i64).collect();
        permutation.swap(rank - 1, rank - 2);
        Some(vec![d.make(Transpose { permutation }, &[v])?])
    })
}
