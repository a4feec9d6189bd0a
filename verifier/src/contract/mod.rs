//! Judges the IEEE values of one region under its contract: bit for bit, within derived bounds, or explained by a clause.
//!
//! Proves: both sides are what the contract allows from the same cut values. Cannot: judge a region whose bound is wide (`Loose`).

pub mod clauses;
mod disturbed;
pub mod function_ulp;
pub mod lapack;
mod likely;
mod overflow;
pub mod precision;
mod residual;
mod unordered;

use crate::{
    compare::{
        bits,
        bounds::{self, Bounded},
    },
    kernels::{
        self,
        refined::{Refined, Sums},
    },
    opaque,
    region::{self, Functions, Part, Side},
    session::Session,
    verdict::Ieee,
};
use overflow::{
    differ_by_range, of_other_class, overflows_anew, products_may_overflow, sums_may_overflow,
};
use precision::Rounds;
use tileproof_dialect::{
    bound::Bound,
    eval::Stop,
    hlo,
    numerics::{Contract, Numerics, STRICT_FUNCTION_ULP, SpecialValues},
    op::{Kind, Op},
    program::{OpId, Program},
    tensor::Tensor,
};

/// What IEEE says of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub ieee: Ieee,
    /// First element to show, linear index.
    pub at: Option<usize>,
    /// Clause of the contract that allows the difference.
    pub clause: Option<&'static clauses::Clause>,
    /// Elements that hang on a near tie.
    pub ties: Option<Vec<bool>>,
    /// Elements whose terms cancel, decided with their tensor.
    pub cancelled: u64,
    /// Elements decided by a probabilistic bound.
    pub likely: u64,
    /// Within the bounds and refused all the same: a side rounds in other places.
    pub rounds_otherwise: bool,
}

/// Refused, whatever the numbers, where the after side rounds to a type that is narrower than all that the before side rounds to.
pub fn refuses_rounding(
    session: &Session<'_>,
    numerics: &Numerics,
    before: &Part<'_>,
    after: &Part<'_>,
) -> Option<Judged> {
    let may_change = matches!(numerics.contract, Contract::ChangesPrecision { .. });
    let rounds = precision::rounds_at_all(before);
    (!may_change && rounds && precision::compare(session, before, after) == Rounds::More).then(
        || Judged {
            rounds_otherwise: true,
            ..Judged::of(Ieee::Outside, None)
        },
    )
}

impl Judged {
    fn of(ieee: Ieee, at: Option<usize>) -> Judged {
        Judged {
            ieee,
            at,
            clause: None,
            ties: None,
            cancelled: 0,
            likely: 0,
            rounds_otherwise: false,
        }
    }
}

/// Judges what two sides compute.
pub fn judge(
    session: &mut Session<'_>,
    numerics: &Numerics,
    before: &Part<'_>,
    after: &Part<'_>,
) -> Result<Judged, Stop> {
    let (Some(want), Some(got)) = (
        session.value(before.root)?.as_tensor().cloned(),
        session.value(after.root)?.as_tensor().cloned(),
    ) else {
        return Ok(Judged::of(Ieee::NotRun, None));
    };
    if want.dims() != got.dims() || want.element() != got.element() {
        return Ok(Judged::of(Ieee::Outside, None));
    }
    let differing = differing(&want, &got, &numerics.special);
    let same_residues = session.fingerprint(before.root) == session.fingerprint(after.root);
    if (!differing.is_empty() || !same_residues)
        && numerics.special.contains(&SpecialValues::Nan)
        && unordered::sorts_nan(session, before)?
    {
        return Ok(Judged {
            ties: Some(vec![true; want.len()]),
            ..Judged::of(
                Ieee::Loose("NaN is sorted by what is no order".into()),
                None,
            )
        });
    }
    let Some(first) = differing.first().copied() else {
        let mut same = Judged::of(Ieee::Within, None);
        // Equal numbers of different residues: a choice between equal numbers shows in the ring alone.
        if numerics.contract != Contract::BitExact && !same_residues {
            same.ties = region::ties(session, before, after)?;
        }
        return Ok(same);
    };
    let bit_for_bit = match numerics.contract {
        Contract::BitExact => true,
        Contract::Strict => is_exact_region(before) && is_exact_region(after),
        // A number that is rounded twice is another number.
        Contract::Unknown => only_rounds(before) && only_rounds(after),
        Contract::Reassociates
        | Contract::Approximates { .. }
        | Contract::ChangesPrecision { .. }
        | Contract::Xla => false,
    };
    if bit_for_bit {
        return Ok(Judged {
            rounds_otherwise: numerics.contract == Contract::Strict
                && precision::compare(session, before, after) != Rounds::Alike,
            ..Judged::of(Ieee::Outside, Some(first))
        });
    }
    if let Some(judged) = by_function(
        session,
        numerics,
        (before, after),
        (&want, &got),
        &differing,
    )? {
        return Ok(judged);
    }
    if residual::is_stable(session, (before, after), (&want, &got))? {
        return Ok(Judged::of(Ieee::Within, None));
    }
    let functions = match numerics.contract {
        Contract::Strict => Functions::Ulp(STRICT_FUNCTION_ULP),
        // A named expansion says itself how far it is off in its type.
        Contract::Approximates { .. } if names_an_expansion(after) => Functions::AsStated,
        Contract::Approximates { max_ulp } => Functions::Ulp(max_ulp),
        Contract::Xla | Contract::Unknown
            if other_functions(session, before, after, opaque::Which::All) =>
        {
            Functions::Measured
        }
        Contract::BitExact
        | Contract::Reassociates
        | Contract::ChangesPrecision { .. }
        | Contract::Xla
        | Contract::Unknown => Functions::AsStated,
    };
    let mut bounded = region::compare(session, before, after, functions, Refined::PLAIN)?;
    // What cancels is decided by its tensor only where the ring says that it is the same number.
    if bounded.cancelled > 0 && session.fingerprint(before.root) != session.fingerprint(after.root)
    {
        bounded.ieee = match bounded.ieee {
            Ieee::Within => Ieee::Loose("terms cancel, and the residues differ".to_string()),
            other => other,
        };
        bounded.cancelled = 0;
    }
    let ties = bounded.ties.clone();
    let lone = before.side.ops.len() == 1 && after.side.ops.len() == 1;
    if lone
        && names_an_expansion(after)
        && bounded.outside.is_none()
        && bounded.undetermined * 100 <= bounded.total
    {
        // The expansion of just this function states how far it may be off, in absolute terms below its floor: a bound wide for the value is kept or not.
        bounded.ieee = Ieee::Within;
    }
    // What a function of a literal is, is known: its approximation is no better for being one.
    if functions == Functions::Measured
        && bounded.outside.is_some()
        && other_functions(session, before, after, opaque::Which::OfInputs)
        && !is_gross(&want, &got, &differing)
    {
        bounded = Bounded::loose("one side approximates functions of the other".to_string());
    }
    let mut likely = 0;
    if let (Ieee::Loose(_), None) = (&bounded.ieee, bounded.outside)
        && let Some(n) = likely::decides(session, before, after, &want, &got)?
    {
        (bounded.ieee, likely) = (Ieee::Within, n);
    }
    if let (Ieee::Loose(_), None) = (&bounded.ieee, bounded.outside) {
        let sharper = kernels::bounds::sharper(session, (before, after), functions)?;
        if let Some((sharper, sums)) = sharper {
            likely = match sums {
                Sums::AtWorst => 0,
                Sums::InAllLikelihood => (differing.len() as u64).saturating_sub(sharper.cancelled),
            };
            bounded = sharper;
        }
    }
    if let (Ieee::Loose(_), None) = (&bounded.ieee, bounded.outside)
        && let Some(n) = disturbed::decides(session, before, after, &want, &got)?
    {
        (bounded.ieee, likely) = (Ieee::Within, n);
    }
    let cancelled = bounded.cancelled + bounded.zeros;
    let mut out = under(
        session,
        numerics,
        (before, after),
        (&want, &got),
        &differing,
        bounded,
    )?;
    (out.ties, out.cancelled, out.likely) = (ties, cancelled, likely);
    Ok(out)
}

/// What the other side computes in place of a function, judged by the function's own values: within the ulps allowed of them, whatever ops it takes; of
/// the same class, and zeros of the same sign.
fn by_function(
    session: &mut Session<'_>,
    numerics: &Numerics,
    (before, after): (&Part<'_>, &Part<'_>),
    (want, got): (&Tensor, &Tensor),
    differing: &[usize],
) -> Result<Option<Judged>, Stop> {
    let (b, a) = (before.version.program, after.version.program);
    let strict = numerics.contract == Contract::Strict;
    let ulps = Functions::Ulp(STRICT_FUNCTION_ULP);
    let (function, functions) = match (is_judge(before), is_judge(after)) {
        (true, false) => (before, Functions::AsStated),
        (false, true) => (after, Functions::AsStated),
        (false, false) if strict && writes_out((b, before.side), (a, after.side)) => (before, ulps),
        (false, false) if strict && writes_out((a, after.side), (b, before.side)) => (after, ulps),
        (true, true) | (false, false) => return Ok(None),
    };
    let Ok(reach) = region::reach(session, function, functions, None)? else {
        return Ok(None);
    };
    let bounded = bounds::compare(want, &reach.bound, got, &Bound::Exact);
    let outside = bounded
        .outside
        .or_else(|| of_other_class(want, got, differing))
        .or_else(|| zero_of_other_sign(want, got, differing));
    Ok(Some(match outside {
        Some(i) => Judged::of(Ieee::Outside, Some(i)),
        None => Judged::of(bounded.ieee, None),
    }))
}

/// Whether the side is one function that stands for what the other side writes out.
fn is_judge(part: &Part<'_>) -> bool {
    let [id] = part.side.ops[..] else {
        return false;
    };
    opaque::is_judge(part.version.program, id)
}

/// Whether the first side is one function of real numbers, and the second applies none: it may be an approximation of it by arithmetic.
pub fn writes_out((program, side): (&Program, &Side), (other, ops): (&Program, &Side)) -> bool {
    let is_function = |program: &Program, id: OpId| {
        let o = program.op(id);
        o.op.kind() == Kind::Opaque && !matches!(o.op, Op::Hlo(hlo::Op::Sqrt(_)))
    };
    let [id] = side.ops[..] else {
        return false;
    };
    let ty = program.ty(side.root).as_tensor();
    ty.is_some_and(|t| t.element.is_float())
        && is_function(program, id)
        && !ops.ops.iter().any(|id| is_function(other, *id))
}

fn names_an_expansion(part: &Part<'_>) -> bool {
    part.side.ops.iter().any(|id| {
        let Op::Hlo(op) = &part.version.program.op(*id).op;
        matches!(op, hlo::Op::Composite(c) if c.implements().is_some())
    })
}

/// Whether an element is of another class or off by more than 1/16: no approximation of a function errs so far, wherever it was measured.
fn is_gross(want: &Tensor, got: &Tensor, differing: &[usize]) -> bool {
    if !want.element().is_float() {
        return true;
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    differing.iter().any(|i| {
        let (a, b) = (w[*i], g[*i]);
        let both = a.is_finite() && b.is_finite();
        !both || (a - b).abs() > a.abs().max(b.abs()) / 16.0
    })
}

/// Whether one side calls functions that the other does not: it may approximate them.
fn other_functions(
    session: &Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    which: opaque::Which,
) -> bool {
    let of = |p: &Part<'_>| opaque::applications(session, p.version, p.side, p.environment, which);
    of(before) != of(after)
}

/// Applies the rules of the contract to differences that are bounded.
fn under(
    session: &mut Session<'_>,
    numerics: &Numerics,
    (before, after): (&Part<'_>, &Part<'_>),
    (want, got): (&Tensor, &Tensor),
    differing: &[usize],
    bounded: Bounded,
) -> Result<Judged, Stop> {
    let in_order = !has_sums(before) && !has_sums(after);
    let signs_count = in_order && !numerics.special.contains(&SpecialValues::SignedZero);
    let sums_overflow =
        !in_order && (sums_may_overflow(session, before)? || sums_may_overflow(session, after)?);
    // Rewrites of ours that reassociate say that products overflow in another order; contract `xla` has a clause for it. A fold has no order under any.
    let folds = |part: &Part<'_>| {
        let mut ops = part.side.ops.iter();
        ops.any(|op| overflow::folds_product(part.version.program, *op))
    };
    let products_overflow = match numerics.contract {
        Contract::BitExact => false,
        Contract::Strict | Contract::Unknown if !folds(before) && !folds(after) => false,
        Contract::Strict
        | Contract::Unknown
        | Contract::Reassociates
        | Contract::Approximates { .. }
        | Contract::ChangesPrecision { .. }
        | Contract::Xla => {
            products_may_overflow(session, before)? || products_may_overflow(session, after)?
        }
    };
    let classes_count = !sums_overflow && !products_overflow;
    let beyond = if classes_count {
        bounded.outside
    } else {
        bounded.outside_finite
    };
    // One addition, where the other side has none: no sum of another order, but a function of worse condition (log(1 + x) for log1p(x)). A rewrite of ours
    // that approximates states how far it is off.
    let one_more_sum = match numerics.contract {
        Contract::Strict | Contract::Xla | Contract::Unknown => {
            in_order && additions(before) == 0 && additions(after) == 1
        }
        Contract::BitExact
        | Contract::Reassociates
        | Contract::Approximates { .. }
        | Contract::ChangesPrecision { .. } => false,
    };
    let worse = bounded.worse.filter(|_| one_more_sum);
    let of_class = of_other_class(want, got, differing);
    let outside_finite = bounded.outside_finite;
    let outside = beyond.or(worse).or_else(|| {
        let sign = signs_count.then(|| zero_of_other_sign(want, got, differing));
        let class = of_class.filter(|_| classes_count);
        sign.flatten().or(class)
    });
    let rounds = precision::compare(session, before, after);
    let excused = bounded.outside.is_some();
    let judged = match (outside, rounds) {
        // A sum overflows in one order of its terms: the order is free.
        (None, Rounds::Less | Rounds::Dropped) if overflows_anew(want, got, differing) => {
            Judged::of(Ieee::Outside, bounded.outside.or(of_class))
        }
        (None, _) if excused && sums_overflow => Judged::of(Ieee::Within, None),
        (None, _) if products_overflow && (excused || of_class.is_some()) => {
            match numerics.contract {
                Contract::Xla if additions(before) + additions(after) > 0 => {
                    Judged::of(Ieee::Outside, bounded.outside.or(of_class))
                }
                Contract::Xla => Judged {
                    clause: Some(&clauses::PRODUCT_ORDER),
                    ..Judged::of(Ieee::Within, None)
                },
                Contract::Reassociates
                | Contract::Approximates { .. }
                | Contract::ChangesPrecision { .. }
                | Contract::Strict
                | Contract::Unknown
                | Contract::BitExact
                    if excused =>
                {
                    Judged::of(Ieee::Within, None)
                }
                Contract::Reassociates
                | Contract::Approximates { .. }
                | Contract::ChangesPrecision { .. }
                | Contract::Strict
                | Contract::Unknown
                | Contract::BitExact => Judged::of(bounded.ieee, None),
            }
        }
        (None, Rounds::Alike) => Judged::of(bounded.ieee, None),
        (None, rounds) => match numerics.contract {
            Contract::Xla if rounds == Rounds::Less => Judged {
                clause: Some(&clauses::EXCESS_PRECISION),
                ..Judged::of(bounded.ieee, None)
            },
            Contract::ChangesPrecision { .. } => Judged::of(bounded.ieee, None),
            Contract::Xla
            | Contract::BitExact
            | Contract::Strict
            | Contract::Reassociates
            | Contract::Approximates { .. }
            | Contract::Unknown => Judged {
                rounds_otherwise: true,
                ..Judged::of(Ieee::Outside, differing.first().copied())
            },
        },
        (Some(i), _) => Judged::of(Ieee::Outside, Some(i)),
    };
    if judged.ieee == Ieee::Outside
        && numerics.contract == Contract::Xla
        && session.strains_the_range
        && session.fingerprint(before.root) == session.fingerprint(after.root)
        && differ_by_range(want, got, differing, outside_finite)
    {
        let clause = Some(&clauses::RANGE);
        return Ok(Judged { clause, ..judged });
    }
    if judged.ieee == Ieee::Outside && numerics.contract == Contract::Xla {
        let clause = clauses::explaining(session, before, after, want, got)?;
        return Ok(Judged { clause, ..judged });
    }
    Ok(judged)
}

/// Sums and differences of two terms on a side.
fn additions(part: &Part<'_>) -> usize {
    let program = part.version.program;
    let ops = all_ops(part).into_iter();
    ops.filter(|op| {
        let Op::Hlo(inner) = &program.op(*op).op;
        matches!(inner, hlo::Op::Add(_) | hlo::Op::Subtract(_))
    })
    .count()
}

/// Elements whose bits differ, without those whose class the rewrites do not keep.
fn differing(want: &Tensor, got: &Tensor, special: &[SpecialValues]) -> Vec<usize> {
    let mut all = bits::differing_ieee(want, got);
    if special.is_empty() || all.is_empty() || !want.element().is_float() {
        return all;
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let (low, _) = clauses::normal_range(want.element());
    all.retain(|i| {
        let (a, b) = (w[*i], g[*i]);
        !special.iter().any(|s| match s {
            SpecialValues::Nan => a.is_nan() || b.is_nan(),
            SpecialValues::Infinity => a.is_infinite() || b.is_infinite(),
            SpecialValues::SignedZero => a == 0.0 && b == 0.0,
            SpecialValues::Subnormal => a.abs() < low && b.abs() < low,
            SpecialValues::IntegerOverflow => false,
        })
    });
    all
}

fn zero_of_other_sign(want: &Tensor, got: &Tensor, differing: &[usize]) -> Option<usize> {
    if !want.element().is_float() {
        return None;
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    differing
        .iter()
        .copied()
        .find(|i| w[*i] == 0.0 && g[*i] == 0.0)
}

/// Ops of a side and of the regions inside them.
fn all_ops(part: &Part<'_>) -> Vec<OpId> {
    let program = part.version.program;
    let mut out = vec![];
    for op in &part.side.ops {
        out.push(*op);
        for r in &program.op(*op).regions {
            out.extend(program.ops_within(*r));
        }
    }
    out
}

/// Whether the side adds up terms in an order that is not written: the sign of a sum that is zero hangs on that order and on what it starts from.
fn has_sums(part: &Part<'_>) -> bool {
    has_sums_within(part.version.program, part.side)
}

/// As for a part.
pub fn has_sums_within(program: &Program, side: &Side) -> bool {
    side.ops.iter().any(|op| is_sum(program, *op))
}

fn is_sum(program: &Program, op: OpId) -> bool {
    let Op::Hlo(inner) = &program.op(op).op;
    match inner {
        hlo::Op::DotGeneral(_)
        | hlo::Op::RaggedDot(_)
        | hlo::Op::Convolution(_)
        | hlo::Op::DynamicConv(_)
        | hlo::Op::Fft(_)
        | hlo::Op::Cholesky(_)
        | hlo::Op::TriangularSolve(_)
        | hlo::Op::BatchNormGrad(_)
        | hlo::Op::BatchNormInference(_)
        | hlo::Op::BatchNormTraining(_)
        | hlo::Op::AllReduce(_)
        | hlo::Op::ReduceScatter(_) => true,
        hlo::Op::Reduce(_)
        | hlo::Op::ReduceWindow(_)
        | hlo::Op::Scatter(_)
        // Two terms of a sum over processes.
        | hlo::Op::Map(_)
        | hlo::Op::SelectAndScatter(_) => program
            .op(op)
            .regions
            .iter()
            .flat_map(|r| program.ops_within(*r))
            .any(|inside| program.op(inside).op.kind() == Kind::Arithmetic),
        hlo::Op::CustomCall(call) => call.is_lapack(),
        _ => false,
    }
}

/// Whether the side is made of correctly rounded ops, integer ops, movement and selection only.
fn is_exact_region(part: &Part<'_>) -> bool {
    let program = part.version.program;
    all_ops(part).into_iter().all(|op| {
        let o = program.op(op);
        let Op::Hlo(inner) = &o.op;
        if is_sum(program, op) {
            return false;
        }
        match o.op.kind() {
            Kind::Movement | Kind::Selection | Kind::Integer => true,
            Kind::Arithmetic => is_correctly_rounded(program, op, inner),
            Kind::Opaque => matches!(inner, hlo::Op::Sqrt(_)),
            Kind::Control => o.op.is_return() || !o.regions.is_empty(),
            Kind::Effect => false,
        }
    })
}

/// Whether the side converts, moves and chooses numbers only.
fn only_rounds(part: &Part<'_>) -> bool {
    let program = part.version.program;
    part.side.ops.iter().all(|op| {
        let o = program.op(*op);
        let Op::Hlo(inner) = &o.op;
        let rounds = matches!(inner, hlo::Op::Convert(_) | hlo::Op::ReducePrecision(_));
        rounds
            || matches!(
                o.op.kind(),
                Kind::Movement | Kind::Selection | Kind::Integer
            ) && o.regions.is_empty()
    })
}

/// Whether IEEE 754 defines every bit of the op's result. Products and quotients of complex numbers are sums of rounded products.
fn is_correctly_rounded(program: &Program, op: OpId, inner: &hlo::Op) -> bool {
    let complex = program.op(op).operands.iter().any(|v| {
        program
            .ty(*v)
            .as_tensor()
            .is_some_and(|t| t.element.is_complex())
    });
    match inner {
        hlo::Op::Add(_)
        | hlo::Op::Subtract(_)
        | hlo::Op::Negate(_)
        | hlo::Op::Convert(_)
        | hlo::Op::Real(_)
        | hlo::Op::Imag(_)
        | hlo::Op::Complex(_)
        | hlo::Op::Conj(_) => true,
        hlo::Op::Multiply(_) | hlo::Op::Divide(_) | hlo::Op::Square(_) => !complex,
        _ => false,
    }
}
