//! `reverse-dimensions`: one dimension less is reversed, or another one.

use super::{Mutator, variants};
use tileproof_dialect::{
    hlo::{self, reverse::Reverse},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "reverse-dimensions",
    summary: "reverses one dimension less, or another one",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Reverse(op)) = &program.op(id).op else {
        return None;
    };
    let all = (0..op.dimensions.len()).flat_map(|i| {
        let mut fewer = op.dimensions.clone();
        fewer.remove(i);
        [1, -1]
            .map(|step| {
                let mut moved = op.dimensions.clone();
                moved[i] += step;
                moved
            })
            .into_iter()
            .chain([fewer])
            .map(|dimensions| Reverse { dimensions })
    });
    variants::op(program, id, all.collect(), seed)
}
