//! Numbers at the ends of the range: which differences of class an order of sums or products explains.

use super::{clauses, is_sum};
use crate::{
    region::Part,
    session::{Content, Session},
};
use tileproof_dialect::{
    bound::unit_roundoff,
    eval::Stop,
    hlo,
    op::{Kind, Op},
    program::{OpId, Program, ValueId},
    tensor::Tensor,
};

/// Whether each differing element is not finite, or vanishes, on a side; or lies within its bound.
pub(super) fn differ_by_range(
    want: &Tensor,
    got: &Tensor,
    differing: &[usize],
    outside_finite: Option<usize>,
) -> bool {
    if !want.element().is_float() {
        return false;
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let (low, _) = clauses::normal_range(want.element());
    let at_an_end = |x: f64| !x.is_finite() || x.abs() < low;
    let ends = |i: &usize| {
        let (w, g) = (w[*i], g[*i]);
        at_an_end(w) != at_an_end(g) || !w.is_finite() && !g.is_finite()
    };
    differing.iter().any(ends) && outside_finite.is_none_or(|i| ends(&i))
}

/// Whether an element of `got` alone is not finite: never for having been rounded less.
pub(super) fn overflows_anew(want: &Tensor, got: &Tensor, differing: &[usize]) -> bool {
    let finite: Vec<usize> = match want.element().is_float() {
        true => {
            let w = want.to_f64s();
            let all = differing.iter().copied();
            all.filter(|i| w[*i].is_finite()).collect()
        }
        false => vec![],
    };
    of_other_class(want, got, &finite).is_some()
}

/// Roundings that a number at the end of the range is off by at most: beyond, the class of a result says something.
const BORDERLINE: f64 = 64.0;

/// First element that is finite on one side only, or another infinity or NaN, and not so large that rounding alone may overflow it.
pub(super) fn of_other_class(want: &Tensor, got: &Tensor, differing: &[usize]) -> Option<usize> {
    if !want.element().is_float() {
        return None;
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let (_, high) = clauses::normal_range(want.element());
    let margin = (BORDERLINE * unit_roundoff(want.element())).min(0.5);
    let borderline = |x: f64| x.is_finite() && x.abs() >= high * (1.0 - margin);
    differing.iter().copied().find(|i| {
        let (a, b) = (w[*i], g[*i]);
        (!a.is_finite() || !b.is_finite()) && !borderline(a) && !borderline(b)
    })
}

/// Whether a partial sum of the side may overflow in one order and not in another. Infinities and NaNs that the side starts from give one class of sums in
/// every order; those that it makes do not.
pub(super) fn sums_may_overflow(session: &Session<'_>, part: &Part<'_>) -> Result<bool, Stop> {
    let program = part.version.program;
    let float = |v: &ValueId| -> Result<Option<&Tensor>, Stop> {
        let Some(content) = content_of(part, v) else {
            return Ok(None);
        };
        let t = session.value(content)?.as_tensor();
        Ok(t.filter(|t| t.element().is_float()))
    };
    let mut made = false;
    for op in &part.side.ops {
        let o = program.op(*op);
        if is_sum(program, *op) || o.op.kind() == Kind::Movement {
            continue;
        }
        let taken: Vec<Option<&Tensor>> = o.operands.iter().map(float).collect::<Result<_, _>>()?;
        let taken: Vec<&Tensor> = taken.into_iter().flatten().collect();
        for given in o.results.iter().map(float) {
            made |= given?.is_some_and(|y| makes_no_number(&taken, y));
        }
    }
    for op in part.side.ops.iter().filter(|op| is_sum(program, **op)) {
        let mut reach = 1.0;
        let mut high = f64::INFINITY;
        for t in program.op(*op).operands.iter().map(float) {
            let Some(t) = t? else { continue };
            let size = |x: &f64| match x.is_finite() {
                true => x.abs(),
                false if made => f64::INFINITY,
                false => 0.0,
            };
            let largest = t.to_f64s().iter().map(size).fold(0.0, f64::max);
            // At most the product of the largest factors, as many times as the larger operand has elements.
            reach *= largest.max(1.0) * t.len().max(1) as f64;
            high = high.min(clauses::normal_range(t.element()).1);
        }
        if reach >= high {
            return Ok(true);
        }
    }
    Ok(false)
}

fn content_of(part: &Part<'_>, v: &ValueId) -> Option<Content> {
    match *v == part.side.root {
        true => Some(part.root),
        false => part.environment.get(v).copied(),
    }
}

/// Whether an op gives an infinity or a NaN where its operands have numbers.
fn makes_no_number(taken: &[&Tensor], given: &Tensor) -> bool {
    let operands: Vec<_> = taken.iter().map(|t| t.to_f64s()).collect();
    let alike = operands.iter().all(|x| x.len() == given.len());
    let at = |i: usize| match alike {
        true => operands.iter().all(|x| x[i].is_finite()),
        false => operands.iter().all(|x| x.iter().all(|v| v.is_finite())),
    };
    let values = given.to_f64s();
    let mut gone = (0..values.len()).filter(|i| !values[*i].is_finite());
    match alike {
        true => gone.any(at),
        false => gone.next().is_some_and(at),
    }
}

/// Whether a partial product of a chain of products and quotients, or of a fold of products, may overflow in one order and not in another.
pub(super) fn products_may_overflow(session: &Session<'_>, part: &Part<'_>) -> Result<bool, Stop> {
    let program = part.version.program;
    for op in part
        .side
        .ops
        .iter()
        .filter(|op| folds_product(program, **op))
    {
        let factors = program.op(*op).operands.first();
        let Some(content) = factors.and_then(|v| part.environment.get(v)) else {
            continue;
        };
        if let Some(t) = session.value(*content)?.as_tensor()
            && t.element().is_float()
        {
            // At most the product of all factors above 1.
            let above = |x: &f64| {
                if x.is_finite() {
                    x.abs().log2().max(0.0)
                } else {
                    0.0
                }
            };
            let reach: f64 = t.to_f64s().iter().map(above).sum();
            if reach >= clauses::normal_range(t.element()).1.log2() {
                return Ok(true);
            }
        }
    }
    let (mut reach, mut high, mut count) = (1.0f64, f64::INFINITY, 0);
    for op in &part.side.ops {
        let o = program.op(*op);
        let Op::Hlo(inner) = &o.op;
        let divides = match inner {
            hlo::Op::Multiply(_) => false,
            hlo::Op::Divide(_) => true,
            _ => continue,
        };
        count += 1;
        for (i, v) in o.operands.iter().enumerate() {
            let Some(c) = part.environment.get(v) else {
                continue;
            };
            if let Some(t) = session.value(*c)?.as_tensor()
                && t.element().is_float()
            {
                let factor = |x: &f64| {
                    if divides && i == 1 {
                        1.0 / x.abs()
                    } else {
                        x.abs()
                    }
                };
                let sizes = t.to_f64s();
                let sizes = sizes.iter().map(factor).filter(|x| x.is_finite());
                reach *= sizes.fold(1.0, f64::max);
                high = high.min(clauses::normal_range(t.element()).1);
            }
        }
    }
    Ok(count >= 2 && reach >= high)
}

/// Whether the op folds by products.
pub(super) fn folds_product(program: &Program, op: OpId) -> bool {
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    let mut body = o.regions.iter().flat_map(|r| program.ops_within(*r));
    matches!(inner, hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_))
        && body.any(|id| matches!(&program.op(id).op, Op::Hlo(hlo::Op::Multiply(_))))
}
