//! Whether a changed kernel gives the same expressions of its inputs, element by element: both are run on symbols.
//!
//! Proves: all outputs are the same for all inputs, bit for bit, in every schedule (neither run has a hazard) and order of parallel steps tried. Cannot: see
//! kernels in which an input decides a branch, an address or a mask, or two expressions that are equal and written otherwise.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::tpu::{Kernel, Semantics};
use tileproof_runtime::{
    limits::Limits,
    simulator::{
        Order,
        terms::{self, Terms},
    },
};

/// Longest time for the runs of a pair.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Whether the two kernels give the same expressions.
pub fn same_terms(right: &Arc<Kernel>, wrong: &Arc<Kernel>) -> bool {
    let alike = right.operands.len() == wrong.operands.len()
        && right
            .operands
            .iter()
            .zip(&wrong.operands)
            .all(|(a, b)| (a.role, &a.buffer, a.alias) == (b.role, &b.buffer, b.alias));
    let parallel = |k: &Kernel| {
        let mut all = k.grid.iter();
        all.any(|d| d.semantics == Semantics::Parallel && d.size > 1)
    };
    let orders: &[Order] = match parallel(wrong) {
        true => &[Order::InOrder, Order::Reversed],
        false => &[Order::InOrder],
    };
    let limits = Limits {
        deadline: Some(Instant::now() + MOST_TIME),
        ..Limits::default()
    };
    let mut terms = Terms::default();
    let mut outputs = |kernel: &Arc<Kernel>, order: Order| {
        terms::outputs(kernel, order, &limits, &mut terms)
            .ok()
            .flatten()
    };
    let Some(want) = outputs(right, Order::InOrder).filter(|_| alike) else {
        return false;
    };
    orders
        .iter()
        .all(|order| outputs(wrong, *order).as_ref() == Some(&want))
}
