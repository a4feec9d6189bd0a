//! Sorts of NaN by a comparison that is no order, as `<` is: some permutation comes out, and a network of exchanges gives another one than insertion.
//!
//! Proves: the operand holds NaN, and the comparator compares floats otherwise than in the total order. Cannot: say which permutations may come out.

use crate::{region::Part, session::Session};
use tileproof_dialect::{
    eval::Stop,
    hlo::{self, compare::CompareType},
    op::Op,
    program::{OpId, Program},
};

/// Whether the side sorts NaN by a comparison that is no order.
pub fn sorts_nan(session: &Session<'_>, part: &Part<'_>) -> Result<bool, Stop> {
    let program = part.version.program;
    for op in &part.side.ops {
        if !is_unordered(program, *op) {
            continue;
        }
        for v in &program.op(*op).operands {
            let Some(content) = part.environment.get(v) else {
                continue;
            };
            let t = session.value(*content)?.as_tensor();
            let mut floats = t.into_iter().filter(|t| t.element().is_float());
            if floats.any(|t| t.to_f64s().iter().any(|x| x.is_nan())) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether the op is a sort whose comparator compares floats otherwise than in the total order.
fn is_unordered(program: &Program, op: OpId) -> bool {
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    let mut inside = o.regions.iter().flat_map(|r| program.ops_within(*r));
    matches!(inner, hlo::Op::Sort(_))
        && inside.any(|id| {
            let compare = program.op(id);
            let Op::Hlo(hlo::Op::Compare(c)) = &compare.op else {
                return false;
            };
            let first = compare
                .operands
                .first()
                .and_then(|v| program.ty(*v).as_tensor());
            let total = c.compare_type == Some(CompareType::TotalOrder);
            !total && first.is_some_and(|t| t.element.is_float())
        })
}
