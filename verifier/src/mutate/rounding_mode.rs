//! `rounding-mode`: a rounding to integers becomes another one.

use super::{Mutator, look, variants};
use tileproof_dialect::{
    hlo,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "rounding-mode",
    summary: "exchanges the roundings to even and away from zero, and floor and ceil",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let wrong: hlo::Op = match look::name(program, id) {
        "round_nearest_even" => hlo::round_nearest_afz::RoundNearestAfz.into(),
        "round_nearest_afz" => hlo::round_nearest_even::RoundNearestEven.into(),
        "floor" => hlo::ceil::Ceil.into(),
        "ceil" => hlo::floor::Floor.into(),
        _ => return None,
    };
    variants::op(program, id, vec![wrong], seed)
}
