//! `transpose-permutation`: the permutation is inverted, or two of its entries change places.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, transpose::Transpose},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "transpose-permutation",
    summary: "inverts a permutation, or exchanges two of its entries",
    faults: &["f21", "f22"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Transpose(op)) = &program.op(id).op else {
        return None;
    };
    let mut inverse = vec![0; op.permutation.len()];
    for (i, p) in op.permutation.iter().enumerate() {
        *inverse.get_mut(*p as usize)? = i as i64;
    }
    let all = std::iter::once(inverse)
        .chain(variants::dimensions(&op.permutation))
        .map(|permutation| Transpose { permutation });
    variants::op(program, id, all.collect(), seed)
}
