//! `maximum-by-compare`: the larger of two floats is chosen by comparing, which loses NaN and the order of zeros.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{
        compare::{Compare, Direction},
        select::Select,
    },
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "maximum-by-compare",
    summary: "computes maximum and minimum of floats by a compare and a select",
    faults: &["f92"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let comparison_direction = match look::name(program, id) {
        "maximum" => Direction::Gt,
        "minimum" => Direction::Lt,
        _ => return None,
    };
    if !look::is_float(program, *program.op(id).operands.first()?) {
        return None;
    }
    draft::replaced(program, id, |d| {
        let [x, y] = d.operands()?[..] else {
            return None;
        };
        let compare = Compare {
            comparison_direction,
            compare_type: None,
        };
        let first = d.make(compare, &[x, y])?;
        Some(vec![d.make(Select, &[first, x, y])?])
    })
}
