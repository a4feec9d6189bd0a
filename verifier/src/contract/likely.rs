//! Sums and products whose worst-case bound is wide: two orders of the same terms, judged by the bound that follows from what they give on the way ([`sums`]).
//!
//! Proves nothing beyond all doubt: it holds but for one element in 10^13 where roundings err independently, and is printed as such.

use crate::{
    compare::sums::{self, Likely},
    kernels,
    region::Part,
    session::Session,
};
use tileproof_dialect::{
    bound::{subnormal_roundoff, unit_roundoff},
    eval::Stop,
    hlo::{self, reduce_window::ReduceWindow, window},
    op::{Kind, Op},
    program::{OpId, Operation, Program, ValueDef},
    tensor::{Tensor, Value},
};

/// What a side folds its terms with.
#[derive(Clone, Copy, PartialEq)]
enum Fold {
    Sum,
    Product,
}

impl Fold {
    fn is(self, op: &hlo::Op) -> bool {
        match self {
            Fold::Sum => matches!(op, hlo::Op::Add(_)),
            Fold::Product => matches!(op, hlo::Op::Multiply(_)),
        }
    }
}

/// Whether the roots of both sides are sums or products of the same terms (equal residues say so), and the after side's lies within the probabilistic bound of
/// what f64 gives, and that bound below 1/16 of it, in all but 1 % of the elements; or within two roundings of it, as a sum in a wider type does. The before side
/// may be farther off: its roundings may be biased. How many elements it decides; none where it does not decide the region.
pub fn decides(
    session: &Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    want: &Tensor,
    got: &Tensor,
) -> Result<Option<u64>, Stop> {
    if session.fingerprint(before.root) != session.fingerprint(after.root) {
        return Ok(None);
    }
    let mut both = [Fold::Sum, Fold::Product].into_iter();
    let folds = |f: Fold, part: &Part<'_>| kernels::are_called(part) || only_folds(f, part);
    let Some(fold) = both.find(|f| folds(*f, before) && folds(*f, after)) else {
        return Ok(None);
    };
    let found = match of_partial(fold, session, before)? {
        Some(found) => Some(found),
        None => of_partial(fold, session, after)?,
    };
    let (unit, tiny) = (
        unit_roundoff(want.element()),
        subnormal_roundoff(want.element()),
    );
    let Some(likely) = found.filter(|b| b.len() == want.len()) else {
        return Ok(None);
    };
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let open = (0..w.len()).filter(|i| {
        let Likely { value, bound } = likely[*i];
        let far = (value - g[*i]).abs();
        let is_near = far <= 2.0 * (unit * value.abs() + tiny);
        w[*i] != g[*i] && !is_near && (bound > value.abs() / 16.0 || far.is_nan() || far > bound)
    });
    let open = open.count();
    Ok((open as f64 <= w.len() as f64 * 0.01).then(|| (w.len() - open) as u64))
}

/// Whether the side moves and folds numbers of the type of its root and does nothing else.
fn only_folds(fold: Fold, part: &Part<'_>) -> bool {
    let program = part.version.program;
    let element = |v| program.ty(v).as_tensor().map(|t| t.element.clone());
    let of_root = element(part.side.root).filter(|e| e.is_float());
    of_root.is_some()
        && part.side.ops.iter().all(|id| {
            let o = program.op(*id);
            let Op::Hlo(inner) = &o.op;
            let adds = match inner {
                hlo::Op::Constant(_) => true,
                hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_) => is_fold(fold, program, *id),
                other => fold.is(other) || o.op.kind() == Kind::Movement,
            };
            adds && o.results.iter().all(|v| element(*v) == of_root)
        })
}

fn is_fold(fold: Fold, program: &Program, id: OpId) -> bool {
    let o = program.op(id);
    let folds = o.regions.first().is_some_and(|r| {
        let ops = &program.region(*r).ops;
        let Some(Op::Hlo(first)) = ops.first().map(|op| &program.op(*op).op) else {
            return false;
        };
        ops.len() == 2 && fold.is(first)
    });
    folds && o.operands.len() == 2
}

/// The bound of the only fold of a side whose root has its elements in their order.
fn of_partial(
    fold: Fold,
    session: &Session<'_>,
    part: &Part<'_>,
) -> Result<Option<Vec<Likely>>, Stop> {
    let program = part.version.program;
    let adds = |id: &&OpId| {
        let Op::Hlo(inner) = &program.op(**id).op;
        fold.is(inner) || matches!(inner, hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_))
    };
    let mut sums = part.side.ops.iter().filter(adds);
    let (Some(sum), None) = (sums.next(), sums.next()) else {
        return Ok(None);
    };
    let o = program.op(*sum);
    let Op::Hlo(inner) = &o.op;
    if !keeps_order(program, part, o) {
        return Ok(None);
    }
    let tensor = |i: usize| -> Result<Option<&Tensor>, Stop> {
        match o.operands.get(i).and_then(|v| part.environment.get(v)) {
            Some(content) => Ok(session.value(*content).ok().and_then(Value::as_tensor)),
            None => Ok(None),
        }
    };
    let (Some(terms), Some(init)) = (tensor(0)?, tensor(1)?) else {
        return Ok(None);
    };
    let init = init.to_f64s().first().copied().unwrap_or(0.0);
    Ok(match (fold, inner) {
        (Fold::Sum, hlo::Op::Reduce(r)) => Some(sums::likely(terms, &r.dimensions, init)),
        (Fold::Product, hlo::Op::Reduce(r)) => {
            Some(sums::likely_product(terms, &r.dimensions, init))
        }
        (Fold::Sum, hlo::Op::ReduceWindow(w)) => Some(over_windows(w, terms, init)?),
        (Fold::Sum | Fold::Product, _) => None,
    })
}

/// Sums over windows: no partial sum is larger than the sum of the magnitudes.
fn over_windows(w: &ReduceWindow, terms: &Tensor, init: f64) -> Result<Vec<Likely>, Stop> {
    let (dims, values) = (terms.dims(), terms.to_f64s());
    let sum = |all: &[f64], init: f64| window::fold_f64(&w.window(), all, dims, init, |a, b| a + b);
    let magnitudes: Vec<f64> = values.iter().map(|v| v.abs()).collect();
    let (sums, most) = (sum(&values, init)?, sum(&magnitudes, init.abs())?);
    let n = w
        .window_dimensions
        .iter()
        .map(|n| *n as f64)
        .product::<f64>()
        + 1.0;
    let factor = sums::LAMBDA * unit_roundoff(terms.element()) * n.sqrt();
    let each = sums.into_iter().zip(most);
    Ok(each
        .map(|(value, most)| Likely {
            value,
            bound: factor * most,
        })
        .collect())
}

/// Whether the root is the result of the op, reshaped at most.
fn keeps_order(program: &Program, part: &Part<'_>, sum: &Operation) -> bool {
    let mut v = part.side.root;
    while !sum.results.contains(&v) {
        let ValueDef::Result { op, .. } = program.value(v).def else {
            return false;
        };
        let o = program.op(op);
        match (&o.op, o.operands.first()) {
            (Op::Hlo(hlo::Op::Reshape(_)), Some(from)) => v = *from,
            (Op::Hlo(_), _) => return false,
        }
    }
    true
}
