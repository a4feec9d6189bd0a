//! Bounds of values that kernels compute.
//!
//! A kernel computes what `hlo` ops define, in an order of its own: the bound of those ops holds for every order (contract `Reassociates`), so a kernel
//! that keeps its contract lies within it around the same real value. Where one side of a region computes by kernels and the other by `hlo` ops, both get
//! the bound of the latter.
//!
//! Proves: both sides are roundings of one real value, when the kernel rounds in the types of its ops ([`super::rounding`]). Cannot: bound a region in
//! which both sides call kernels; that step is compared with the last program without kernels.

use super::are_called;
use crate::{
    region::{Functions, Part, Reach, reach},
    session::Session,
};
use tileproof_dialect::eval::Stop;

/// What is known of the roots of both sides; `Err(why)` inside where no bound is.
pub fn reached(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    functions: Functions,
) -> Result<Result<(Reach, Reach), String>, Stop> {
    let by_ops = match (are_called(before), are_called(after)) {
        (false, false) => {
            let (want, got) = (
                reach(session, before, functions)?,
                reach(session, after, functions)?,
            );
            return Ok(want.and_then(|want| Ok((want, got?))));
        }
        (false, true) => before,
        (true, false) => after,
        (true, true) => return Ok(Err("kernels on both sides".to_string())),
    };
    Ok(reach(session, by_ops, functions)?.map(|r| (r.clone(), r)))
}
