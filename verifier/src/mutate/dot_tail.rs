//! `dot-tail`: a contraction leaves out the last product.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "dot-tail",
    summary: "leaves the last product out of a contraction",
    faults: &["f57", "f61"],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::DotGeneral(op)) = &o.op else {
        return None;
    };
    let l = usize::try_from(*op.lhs_contracting_dimensions.first()?).ok()?;
    let r = usize::try_from(*op.rhs_contracting_dimensions.first()?).ok()?;
    let n = *look::dims(program, *o.operands.first()?)?.get(l)? as i64;
    if n < 2 {
        return None;
    }
    draft::replaced(program, id, |d| {
        let [x, y] = d.operands()?[..] else {
            return None;
        };
        let (x, y) = (d.sliced(x, l, 0, n - 1)?, d.sliced(y, r, 0, n - 1)?);
        d.keep_on(&[x, y])
    })
}
