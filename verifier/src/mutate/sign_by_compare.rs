//! `sign-by-compare`: the sign of a float is found by comparing, which loses NaN and the sign of zero.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{
        compare::{Compare, Direction},
        select::Select,
    },
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "sign-by-compare",
    summary: "computes the sign of floats by comparing with zero",
    faults: &["f92"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "sign")?;
    if !look::is_float(program, x) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let x = *d.operands()?.first()?;
        let (zero, one, minus) = (
            d.float_like(x, 0.0)?,
            d.float_like(x, 1.0)?,
            d.float_like(x, -1.0)?,
        );
        let compare = |comparison_direction| Compare {
            comparison_direction,
            compare_type: None,
        };
        let below = d.make(compare(Direction::Lt), &[x, zero])?;
        let rest = d.make(Select, &[below, minus, zero])?;
        let above = d.make(compare(Direction::Gt), &[x, zero])?;
        Some(vec![d.make(Select, &[above, one, rest])?])
    })
}
