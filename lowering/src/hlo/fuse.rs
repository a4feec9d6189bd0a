//! `hlo-fuse`: ops that one kernel computes become one fusion.
//!
//! # Before
//! `%1 = hlo.exponential %0`, `%2 = hlo.add %1, %a`.
//! # After
//! `%2 = hlo.fusion %0, %a {kind = "kLoop"} { .. }` with both ops in its body.
//! # Numerics
//! BitExact: the body holds the same ops on the same values; roundings to narrow types between them stay.
//! # Example
//! `tests/passes/hlo-fuse/`.
//! # Leaves alone
//! Types without kernels (f64, complex, i64), dynamic sizes, control flow, calls, effects, sorts, scatters, windows. A reduction, a dot or an update in
//! place is never computed twice. The buffer of a dynamic_update_slice is read by nothing else in its kernel. Bodies of reductions and of named
//! expansions.
//!
//! What is fused is decided by `analysis/fusion_plan.rs` (which ops), `fusion_kind.rs` (what one kernel can compute) and `fusion_cost.rs` (when it pays).

use crate::{
    analysis::{
        block,
        fusion_kind::Kind,
        fusion_plan::{Planned, plan},
    },
    outline::outline,
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, definition, is_before},
    target,
};
use melior::ir::{Value, operation::OperationLike};
use std::cmp::Ordering;
use tileproof_dialect::{error::Error, hlo::fusion::FusionKind, numerics::Numerics, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-fuse",
    input: Stage::S1,
    output: Stage::S2,
    summary: "ops that one kernel computes become one fusion",
    rewrites: &[LOOP, INPUT, ROWS, OUTPUT, IN_PLACE, MULTI_OUTPUT],
    run: Run::Rewrite(run),
};

/// Elementwise ops and movement in one pass over the result.
const LOOP: Rewrite = fusion("loop", "y = g(f(x))  ->  y = kLoop{g(f(x))}");
/// A reduction with what makes its input and what is made of its result.
const INPUT: Rewrite = fusion(
    "input",
    "y = h(reduce(f(x)))  ->  y = kInput{h(reduce(f(x)))}",
);
/// Reductions whose results go back over the rows: softmax, normalization.
const ROWS: Rewrite = fusion(
    "rows",
    "y = g(x, broadcast(reduce(f(x))))  ->  y = kCustom{g(x, broadcast(reduce(f(x))))}",
);
/// A dot or a convolution with what is made of its result element by element.
const OUTPUT: Rewrite = fusion("output", "y = g(dot(a, b))  ->  y = kOutput{g(dot(a, b))}");
/// Updates of buffers, with what makes the updates.
const IN_PLACE: Rewrite = fusion(
    "in-place",
    "y = dynamic_update_slice(x, f(u), i)  ->  y = kLoop{dynamic_update_slice(x, f(u), i)}",
);
/// Several results of one kernel of any of these kinds.
const MULTI_OUTPUT: Rewrite = fusion(
    "multi-output",
    "y = f(x); z = g(x, y)  ->  y, z = fusion{f(x), g(x, f(x))}",
);

/// The same ops on the same values: BitExact.
const fn fusion(name: &'static str, equation: &'static str) -> Rewrite {
    Rewrite {
        name,
        equation,
        numerics: Numerics::bit_exact,
        pattern: None,
    }
}

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    for body in block::bodies(rewriter) {
        fuse_body(rewriter, &body.ops)?;
    }
    Ok(())
}

fn fuse_body<'c>(rewriter: &mut Rewriter<'c>, ops: &[OpRef<'c>]) -> Result<(), Error> {
    let graph = block::graph(rewriter, ops, target::DEFAULT);
    for planned in plan(&graph, target::DEFAULT) {
        apply(rewriter, ops, &planned);
        if let Some(fault) = rewriter.take_fault() {
            return Err(fault);
        }
    }
    Ok(())
}

fn apply<'c>(rewriter: &mut Rewriter<'c>, ops: &[OpRef<'c>], planned: &Planned) {
    let mut members: Vec<OpRef<'c>> = planned.members.iter().map(|m| ops[*m]).collect();
    let mut roots: Vec<OpRef<'c>> = planned.roots.iter().map(|m| ops[*m]).collect();
    // Earlier fusions may have moved some of them.
    let order = |a: &OpRef<'c>, b: &OpRef<'c>| match (a == b, is_before(*a, *b)) {
        (true, _) => Ordering::Equal,
        (false, true) => Ordering::Less,
        (false, false) => Ordering::Greater,
    };
    members.sort_by(order);
    roots.sort_by(order);
    let (rewrite, kind) = named(planned);
    let (Some(first), Some((last, others))) = (members.first(), roots.split_last()) else {
        return;
    };
    let between = rewriter.ops_between(*first, *last);
    let mut made = None;
    let applied = rewriter.apply(rewrite, *last, |_, rewriter| {
        let outlined = outline(rewriter, kind, &members, &roots);
        let mut results = rewriter.note(outlined)?.into_iter();
        for other in others {
            for result in other.results() {
                let new = results.next()?;
                made = definition(new);
                rewriter.replace(Value::from(result), new);
            }
        }
        Some(results.collect())
    });
    if !applied {
        return;
    }
    for member in members.iter().rev().filter(|m| *m != last) {
        rewriter.erase_unused(*member);
    }
    // Users of the results of all roots but the last may stand before the fusion.
    if let Some(fusion) = made {
        rewriter.move_users_behind(&between, fusion);
    }
}

fn named(planned: &Planned) -> (&'static Rewrite, FusionKind) {
    let (single, kind): (&'static Rewrite, FusionKind) = match planned.kind {
        Kind::Loop => (&LOOP, FusionKind::Loop),
        Kind::Input => (&INPUT, FusionKind::Input),
        Kind::Rows => (&ROWS, FusionKind::Custom),
        Kind::Output => (&OUTPUT, FusionKind::Output),
        Kind::InPlace => (&IN_PLACE, FusionKind::Loop),
    };
    if planned.roots.len() > 1 {
        (&MULTI_OUTPUT, kind)
    } else {
        (single, kind)
    }
}
