//! `convert-truncates`: a conversion to a narrower float cuts the low bits off; one to an integer rounds.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{and::And, round_nearest_even::RoundNearestEven},
    program::{OpId, Program},
    types::{Class, ElementType},
};

pub const MUTATOR: Mutator = Mutator {
    name: "convert-truncates",
    summary: "cuts bits off where a conversion to a narrower float rounds; rounds where one to an integer cuts",
    faults: &["f80"],
    mutate,
};

/// Stored bits of the significand.
fn fraction_bits(element: &ElementType) -> Option<u32> {
    match element {
        ElementType::F64 => Some(52),
        ElementType::F32 => Some(23),
        ElementType::F16 => Some(10),
        ElementType::BF16 => Some(7),
        _ => None,
    }
}

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let x = look::single(program, id, "convert")?;
    let from = look::element(program, x)?;
    let to = look::element(program, *program.op(id).results.first()?)?;
    if from.class() != Class::Float {
        return None;
    }
    if matches!(to.class(), Class::Signed | Class::Unsigned) {
        return draft::replaced(program, id, |d| {
            let rounded = d.make(RoundNearestEven, &d.operands()?)?;
            d.keep_on(&[rounded])
        });
    }
    let bits = match from {
        ElementType::F64 => ElementType::U64,
        ElementType::F32 => ElementType::U32,
        _ => return None,
    };
    let cut = fraction_bits(&from)?
        .checked_sub(fraction_bits(&to)?)
        .filter(|n| *n > 0)?;
    draft::replaced(program, id, |d| {
        let pattern = d.bits_as(*d.operands()?.first()?, bits)?;
        let mask = d.integer_like(pattern, !((1i64 << cut) - 1))?;
        let kept = d.make(And, &[pattern, mask])?;
        let x = d.bits_as(kept, from)?;
        d.keep_on(&[x])
    })
}
