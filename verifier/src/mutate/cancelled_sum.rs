//! `cancelled-sum`: a - (a + c) becomes -c, (a + c) - a becomes c, (a - c) + c becomes a, as if floats did not round.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::negate::Negate,
    program::{OpId, Program, ValueId},
};

pub const MUTATOR: Mutator = Mutator {
    name: "cancelled-sum",
    summary: "cancels equal terms of sums and differences of floats",
    faults: &["f98"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let [a, b] = program.op(id).operands[..] else {
        return None;
    };
    if !look::is_float(program, a) {
        return None;
    }
    let (value, negative) = match look::name(program, id) {
        "subtract" => beside(program, b, "add", a)
            .map(|c| (c, true))
            .or(beside(program, a, "add", b).map(|c| (c, false)))?,
        "add" => {
            let minuend = |difference, c| match look::operands_of(program, difference, "subtract") {
                Some([x, y]) if *y == c => Some((*x, false)),
                Some(_) | None => None,
            };
            minuend(a, b).or(minuend(b, a))?
        }
        _ => return None,
    };
    draft::replaced(program, id, |d| {
        let v = d.value(value)?;
        Some(vec![if negative { d.make(Negate, &[v])? } else { v }])
    })
}

/// The other operand, where `sum` is `name` of `one` and it.
fn beside(program: &Program, sum: ValueId, name: &str, one: ValueId) -> Option<ValueId> {
    match look::operands_of(program, sum, name)? {
        [x, y] if *x == one => Some(*y),
        [x, y] if *y == one => Some(*x),
        _ => None,
    }
}
