//! `negative-zero-lost`: x + 0 becomes x and 0 - x becomes -x, which is right for every float but one zero.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::negate::Negate,
    program::{OpId, Program, ValueId},
};

pub const MUTATOR: Mutator = Mutator {
    name: "negative-zero-lost",
    summary: "x + 0 -> x, 0 - x -> -x for floats",
    faults: &["f13", "f14"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let zero = |v: ValueId| {
        let one = look::splat(program, v).filter(|_| look::is_float(program, v));
        one.is_some_and(|one| one.to_f64s().first().map(|v| v.to_bits()) == Some(0))
    };
    if let Some([x, y]) = look::pair(program, id, "add") {
        let kept = if zero(y) { x } else { zero(x).then_some(y)? };
        return draft::replaced(program, id, |d| Some(vec![d.value(kept)?]));
    }
    let [_, y] = look::pair(program, id, "subtract").filter(|[x, _]| zero(*x))?;
    draft::replaced(program, id, |d| Some(vec![d.make(Negate, &[d.value(y)?])?]))
}
