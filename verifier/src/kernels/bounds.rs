//! Bounds of values that kernels compute.
//!
//! A kernel computes what `hlo` ops define, in an order of its own: the bound of those ops holds for every order (contract `Reassociates`), so a kernel
//! that keeps its contract lies within it around the same real value. Where one side of a region computes by kernels and the other by `hlo` ops, both get
//! the bound of the latter.
//!
//! Proves: both sides are roundings of one real value, when the kernel rounds in the types of its ops ([`super::rounding`]). Cannot: bound a region in
//! which both sides call kernels; that step is compared with the last program without kernels.

use super::{
    are_called,
    inner_values::InnerValues,
    refined::{Refined, Sums},
};
use crate::{
    compare::bounds::Bounded,
    region::{self, Functions, Part, Reach, reach},
    session::Session,
    verdict::Ieee,
};
use std::collections::HashSet;
use tileproof_dialect::eval::Stop;

/// What is known of the roots of both sides; `Err(why)` inside where no bound is.
pub fn reached(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    functions: Functions,
    refined: Refined<'_>,
) -> Result<Result<(Reach, Reach), String>, Stop> {
    let (by_ops, kernels) = match (are_called(before), are_called(after)) {
        (false, false) => {
            let (want, got) = (
                reach(session, before, functions, None)?,
                reach(session, after, functions, None)?,
            );
            return Ok(want.and_then(|want| Ok((want, got?))));
        }
        (false, true) => (before, after),
        (true, false) => (after, before),
        (true, true) => return Ok(Err("kernels on both sides".to_string())),
    };
    let reached = reach(session, by_ops, functions, Some(refined))?;
    Ok(reached.map(|of_ops| {
        let of_kernels = Reach {
            root: kernels.root,
            ..of_ops.clone()
        };
        match are_called(before) {
            true => (of_kernels, of_ops),
            false => (of_ops, of_kernels),
        }
    }))
}

/// A region that the plain bounds leave open, where one side calls kernels and the residues agree: split at what the kernels compute on the way; then by what
/// is likely of sums. None: it stays open.
pub fn sharper(
    session: &mut Session<'_>,
    (before, after): (&Part<'_>, &Part<'_>),
    functions: Functions,
) -> Result<Option<(Bounded, Sums)>, Stop> {
    let (kernels, ops) = match (are_called(before), are_called(after)) {
        (false, true) => (after, before),
        (true, false) => (before, after),
        (true, true) | (false, false) => return Ok(None),
    };
    if session.fingerprint(before.root) != session.fingerprint(after.root) {
        return Ok(None);
    }
    let inner = InnerValues::of(session, kernels, ops)?;
    for sums in [Sums::AtWorst, Sums::InAllLikelihood] {
        if sums == Sums::AtWorst && inner.is_none() {
            continue;
        }
        let refined = Refined {
            sums,
            inner: inner.as_ref(),
        };
        // What is computed here again is no part of the run.
        let events = session.events.clone();
        session.open_scope();
        let found = region::compare(session, before, after, functions, refined);
        session.close_scope(&HashSet::new());
        session.events = events;
        let found = match found {
            Err(Stop::Trap(_)) => continue,
            found => found?,
        };
        if found.ieee == Ieee::Within {
            return Ok(Some((found, sums)));
        }
    }
    Ok(None)
}
