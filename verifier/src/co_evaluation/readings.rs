//! Readings of what hangs on no input and no expression over literals gives: a function of numbers that the compiler computed with a library of its own, and
//! the reciprocals of a tensor, by which a quotient became a product.
//!
//! Proves: the number lies within the derived bound of the function that the other side computes; each element is the rounded reciprocal of one there. Cannot:
//! know that the compiler meant it.

use super::{Bodies, CoEvaluation, Frame, explain};
use crate::{
    literal::search,
    region::{self, Functions, Part},
};
use std::collections::HashMap;
use tileproof_dialect::{
    bound::unit_roundoff,
    buffer::Buffer,
    eval::Stop,
    hlo,
    op::{Kind, Op},
    planes::ring::{self, Residue, is_code},
    program::OpId,
    tensor::{Tensor, Value},
    types::ElementType,
};

/// Values farther from a literal than this many roundings are not looked at; the bound of the function decides.
const NEAR: f64 = 1024.0;
/// Most ops that a function and its operands are computed by.
const MOST_OPS: usize = 64;
/// Most assignments of residues tried for one region.
const MOST_ASSIGNMENTS: usize = 16;
/// Most tensors whose reciprocals are looked at.
const MOST_TENSORS: usize = 64;

impl CoEvaluation<'_, '_, '_> {
    /// Residues of before-side values that hang on no input, are computed by functions, and lie so near `x` that `x` may be the same number by another
    /// library; each with its distance from `x`.
    pub(super) fn functions_near(
        &mut self,
        element: &ElementType,
        x: f64,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<Vec<(Residue, f64)>, Stop> {
        let before = self.pair.before;
        let program = before.program;
        let mut out = vec![];
        for op in &program.region(bodies.before).ops {
            for v in &program.op(*op).results {
                let Some(content) = frame.before.get(v).copied() else {
                    continue;
                };
                let number = self.session.value(content).ok().and_then(Value::as_tensor);
                let number = number.filter(|t| t.element() == element);
                let Some((y, residue)) =
                    number.and_then(|t| Some((explain::splat(t)?, explain::splat_residue(t)?)))
                else {
                    continue;
                };
                let apart = (x - y).abs();
                if apart == 0.0
                    || apart > NEAR * unit_roundoff(element) * x.abs()
                    || !self.session.is_independent(content)
                {
                    continue;
                }
                let side = region::collect(before, bodies.before, *v, |_| false);
                let mut ops = side.ops.iter();
                if side.ops.len() > MOST_OPS || !ops.any(|op| is_function(program, *op)) {
                    continue;
                }
                let part = Part {
                    version: before,
                    side: &side,
                    environment: &frame.before,
                    root: content,
                    leaves: HashMap::new(),
                };
                let reach = region::reach(self.session, &part, Functions::Measured, None)?;
                if reach.is_ok_and(|r| apart <= r.bound.at(0)) {
                    out.push((residue, apart));
                }
            }
        }
        Ok(out)
    }

    /// Residues of the reciprocals of before-side tensors that `t` is bit for bit, with the largest distance from the exact ones.
    pub(super) fn reciprocals(&self, t: &Tensor) -> Vec<(Buffer, f64)> {
        let Some(round) = search::rounding(t.element()) else {
            return vec![];
        };
        let known = self.explanations.tensors.get(&t.ty());
        let tensors = known.into_iter().flatten().take(MOST_TENSORS);
        tensors
            .filter_map(|c| {
                let of = self.session.value(*c).ok()?.as_tensor()?;
                let (x, y, ring) = (of.to_f64s(), t.to_f64s(), of.ring()?);
                let mut error = 0.0f64;
                for ((x, y), r) in x.iter().zip(y.iter()).zip(ring) {
                    let exact = 1.0 / x;
                    if round(exact).to_bits() != y.to_bits() || is_code(*r) || *r == 0 {
                        return None;
                    }
                    error = error.max((exact - y).abs() + 4.0 * f64::EPSILON * y.abs());
                }
                let inverse = Buffer::build::<u32>(ring.len(), |out| {
                    for (to, r) in out.iter_mut().zip(ring) {
                        *to = ring::inv_residue(*r);
                    }
                });
                error.is_finite().then_some((inverse, error))
            })
            .collect()
    }
}

/// Whether the op is a function that libraries compute with errors of their own.
fn is_function(program: &tileproof_dialect::program::Program, op: OpId) -> bool {
    let o = program.op(op);
    o.op.kind() == Kind::Opaque && !matches!(o.op, Op::Hlo(hlo::Op::Sqrt(_)))
}

/// Ranks of readings to try, given how many beside its own each literal has: first one reading other than the own for all literals, then fewest changes first.
pub(super) fn assignments(most: Vec<usize>) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![];
    let add = |out: &mut Vec<Vec<usize>>, ranks: Vec<usize>| {
        if out.len() < MOST_ASSIGNMENTS && !out.contains(&ranks) {
            out.push(ranks);
        }
    };
    add(&mut out, vec![1; most.len()]);
    for sum in 1..=most.iter().sum::<usize>().min(MOST_ASSIGNMENTS) {
        let mut all = vec![];
        compositions(&most, sum, &mut vec![], &mut all);
        for ranks in all {
            add(&mut out, ranks);
        }
        if out.len() >= MOST_ASSIGNMENTS {
            break;
        }
    }
    out
}

/// Every way to write `sum` as ranks of at most `most`, up to a few times what is tried.
fn compositions(most: &[usize], sum: usize, start: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if all.len() > MOST_ASSIGNMENTS {
        return;
    }
    let Some((first, rest)) = most.split_first() else {
        if sum == 0 {
            all.push(start.clone());
        }
        return;
    };
    for k in 0..=(*first).min(sum) {
        start.push(k);
        compositions(rest, sum - k, start, all);
        start.pop();
    }
}
