//! Hyperbolic sine and cosine by exponentials that overflow no earlier than their result.

use super::formula::{Formula, Term};
use std::f64::consts::LN_2;
use tileproof_dialect::hlo::compare::Direction;

/// exp(x - log 2) and exp(-x - log 2).
fn halves(f: &mut Formula, x: Term) -> (Term, Term) {
    let log_half = f.constant(-LN_2);
    let up = f.add(x, log_half);
    let up = f.exponential(up);
    let down = f.subtract(log_half, x);
    let down = f.exponential(down);
    (up, down)
}

pub fn cosh(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let (up, down) = halves(f, x[0]);
        f.add(up, down)
    })
}

/// (e + e / (e + 1)) / 2 with e = exp(x) - 1 where |x| < 1.
pub fn sinh(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let a = f.abs(x[0]);
        let one = f.constant(1.0);
        let is_small = f.compare(a, Direction::Lt, one);
        let e = f.exponential_minus_one(x[0]);
        let above = f.add(e, one);
        let quotient = f.divide(e, above);
        let sum = f.add(e, quotient);
        let half = f.constant(0.5);
        let small = f.multiply(sum, half);
        let (up, down) = halves(f, x[0]);
        let large = f.subtract(up, down);
        f.select(is_small, small, large)
    })
}
