//! `iota-dimension`: counts along another dimension, or from one.

use super::{Mutator, draft, variants};
use tileproof_dialect::{
    hlo::{self, iota::Iota},
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "iota-dimension",
    summary: "counts along another dimension, or from one in place of zero",
    faults: &["f32"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Iota(iota)) = &o.op else {
        return None;
    };
    let rank = program.ty(*o.results.first()?).as_tensor()?.rank() as i64;
    if seed % 2 == 1 && rank > 1 {
        let others = (0..rank).filter(|d| *d != iota.iota_dimension);
        let all = others.map(|iota_dimension| Iota { iota_dimension });
        return variants::op(program, id, all.collect(), seed / 2);
    }
    draft::replaced(program, id, |d| {
        let count = *d.keep()?.first()?;
        Some(vec![d.changed(count)?])
    })
}
