//! `narrow-accumulation`: sums and products are kept in a narrower type: the two halves of a contraction are rounded before they are added; other
//! sums are rounded once more.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo::{self, add::Add},
    op::Op,
    program::{OpId, Program},
    types::ElementType,
};

pub const MUTATOR: Mutator = Mutator {
    name: "narrow-accumulation",
    summary: "accumulates a contraction, convolution or reduction in a narrower type",
    faults: &["f48", "f82", "f83"],
    mutate,
};

fn narrower(element: &ElementType) -> Option<ElementType> {
    match element {
        ElementType::F64 => Some(ElementType::F32),
        ElementType::F32 => Some(ElementType::BF16),
        ElementType::BF16 => Some(ElementType::F8E5M2),
        ElementType::F16 => Some(ElementType::F8E4M3FN),
        _ => None,
    }
}

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let o = program.op(id);
    let sums = ["dot_general", "convolution", "reduce", "reduce_window"];
    let [result] = o.results[..] else { return None };
    if !sums.contains(&look::name(program, id)) {
        return None;
    }
    let wide = look::element(program, result)?;
    let narrow = narrower(&wide)?;
    let halves = halves(program, id);
    draft::replaced(program, id, |d| {
        let round = |d: &mut draft::Draft<'_>, v| {
            let v = d.converted(v, narrow.clone())?;
            d.converted(v, wide.clone())
        };
        let Some((l, r, n)) = halves else {
            let v = *d.keep()?.first()?;
            return Some(vec![round(d, v)?]);
        };
        let [x, y] = d.operands()?[..] else {
            return None;
        };
        let mut parts = vec![];
        for (start, limit) in [(0, n / 2), (n / 2, n)] {
            let both = [d.sliced(x, l, start, limit)?, d.sliced(y, r, start, limit)?];
            let part = *d.keep_on(&both)?.first()?;
            parts.push(round(d, part)?);
        }
        let sum = d.make(Add, &parts)?;
        Some(vec![round(d, sum)?])
    })
}

/// Contracting dimension of either operand and its size, where a contraction can be taken in two halves.
fn halves(program: &Program, id: OpId) -> Option<(usize, usize, i64)> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::DotGeneral(op)) = &o.op else {
        return None;
    };
    let l = usize::try_from(*op.lhs_contracting_dimensions.first()?).ok()?;
    let r = usize::try_from(*op.rhs_contracting_dimensions.first()?).ok()?;
    let n = *look::dims(program, *o.operands.first()?)?.get(l)? as i64;
    (n >= 2).then_some((l, r, n))
}
