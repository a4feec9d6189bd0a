//! Programs that compute by kernels (stages S3 to S5): what the comparison asks of a `kernel_call`, and the hazards beside the values.
//!
//! A `kernel_call` is compared as one op; the simulator runs it on both planes. [`bounds`]: how far its results may be off; [`refined`], [`origins`], [`inner_values`]: and what it computes on the way. [`rounding`]: the types it
//! rounds in on the way to a result ([`slice`]). [`inside`]: where in a kernel a value is wrong. [`functions`]: what its named functions compute ([`pointwise`]). [`hazards`]: wrong uses of memory, copies and semaphores, once per distinct kernel. [`statistics`]: what kernels do, in numbers.

pub mod bounds;
pub(crate) mod calls;
pub mod fault;
pub mod functions;
pub mod hazards;
pub mod inner_values;
pub mod inside;
pub mod origins;
mod pointwise;
pub mod refined;
pub mod rounding;
mod slice;
pub mod statistics;

use crate::{co_evaluation::Pair, region::Part, validate::Origin};
use std::{borrow::Cow, sync::Arc};
use tileproof_dialect::{
    numerics::Numerics,
    op::Op,
    program::{OpId, Program},
    tpu::Kernel,
};

/// The kernel that an op calls.
pub fn of_op(program: &Program, op: OpId) -> Option<&Arc<Kernel>> {
    program.kernel(program.op(op).op.kernel()?)
}

/// Name of an op, with that of the kernel it calls.
pub fn name(program: &Program, op: OpId) -> String {
    let o = program.op(op);
    match o.op.kernel() {
        Some(kernel) => format!("{} @{kernel}", o.op.name()),
        None => o.op.name(),
    }
}

/// The rewrite that made an op: of one that calls a kernel, the last that changed the kernel.
pub fn made_by(program: &Program, op: OpId) -> Option<Arc<str>> {
    let kernel = of_op(program, op).and_then(|k| k.location.rewrite.clone());
    kernel.or_else(|| program.op(op).location.rewrite.clone())
}

/// What a changed region may change: where the after side is kernels alone, what the rewrites that made them may; else what the pass may. A pass of ours that
/// makes kernels, or changes them, changes no other op.
pub fn numerics<'p>(pair: &Pair<'p>, after: &Part<'_>) -> Cow<'p, Numerics> {
    let program = after.version.program;
    if pair.origin == Origin::Pass && !program.kernels.is_empty() && holds_none(after) {
        return Cow::Owned(Numerics::bit_exact());
    }
    let of = |op: &OpId| {
        of_op(program, *op)?;
        let id = made_by(program, *op)?;
        let rewrite = pair.rewrites.iter().find(|r| r.id == id)?;
        rewrite.numerics.clone()
    };
    let each: Option<Vec<Numerics>> = after.side.ops.iter().map(of).collect();
    match each {
        Some(each) if !each.is_empty() => Cow::Owned(
            each.into_iter()
                .fold(Numerics::bit_exact(), |all, n| all.join(n)),
        ),
        Some(_) | None => Cow::Borrowed(pair.numerics),
    }
}

/// Whether a side computes by no kernel: it calls none, and has no bodies that could.
fn holds_none(part: &Part<'_>) -> bool {
    let program = part.version.program;
    let has_bodies = |op: &OpId| {
        let o = program.op(*op);
        let Op::Hlo(inner) = &o.op;
        !o.regions.is_empty() || !inner.callees().is_empty()
    };
    !are_called(part) && !part.side.ops.iter().any(has_bodies)
}

/// Whether a side computes by kernels.
pub fn are_called(part: &Part<'_>) -> bool {
    let program = part.version.program;
    part.side
        .ops
        .iter()
        .any(|op| program.op(*op).op.kernel().is_some())
}

#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod lowered_tests;
