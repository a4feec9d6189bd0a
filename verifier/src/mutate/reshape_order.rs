//! `reshape-order`: two dimensions of the operand change places before it is reshaped, as when a copy around a size-1 dimension is dropped.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{reshape::Reshape, transpose::Transpose},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reshape-order",
    summary: "reshapes in another order of the dimensions",
    faults: &["f24"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let x = look::single(program, id, "reshape")?;
    let dims = look::dims(program, x)?;
    let long: Vec<usize> = (0..dims.len()).filter(|d| dims[*d] > 1).collect();
    let pairs: Vec<[usize; 2]> = long.windows(2).map(|w| [w[0], w[1]]).collect();
    let [a, b] = *pairs.get(seed as usize % pairs.len().max(1))?;
    draft::replaced(program, id, |d| {
        let mut permutation: Vec<i64> = (0..dims.len() as i64).collect();
        permutation.swap(a, b);
        let x = d.make(Transpose { permutation }, &d.operands()?)?;
        let ty = d.result_type()?;
        Some(vec![d.make_typed(Reshape, &[x], &[ty])?])
    })
}
