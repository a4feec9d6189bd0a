//! Hyperbolic sine and cosine by exponentials that overflow no earlier than their result.

use super::formula::{Formula, Term};
use std::f64::consts::LN_2;
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

/// e^|x| / 2 and e^-|x| / 2 where e^|x| is finite, and (h / 2) h with h = e^(|x| / 2), which overflows no earlier than the result.
struct Halves {
    up: Term,
    down: Term,
    far: Term,
    is_far: Term,
}

fn halves(f: &mut Formula, a: Term) -> Halves {
    let (half, limit) = match f.element() {
        ElementType::F64 => (0.5, 700.0),
        _ => (0.5, 80.0),
    };
    let (half, limit) = (f.constant(half), f.constant(limit));
    let is_far = f.compare(a, Direction::Gt, limit);
    let e = f.exponential(a);
    let up = f.multiply(e, half);
    let down = f.divide(half, e);
    let half_way = f.multiply(a, half);
    let h = f.exponential(half_way);
    let lower = f.multiply(h, half);
    let far = f.multiply(lower, h);
    Halves {
        up,
        down,
        far,
        is_far,
    }
}

/// (e^|x| + e^-|x|) / 2.
pub fn cosh(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let a = f.abs(x[0]);
        let h = halves(f, a);
        let near = f.add(h.up, h.down);
        f.select(h.is_far, h.far, near)
    })
}

/// (e^|x| - e^-|x|) / 2 with the sign of x; (e + e / (e + 1)) / 2 with e = exp(x) - 1 where |x| < 1.
pub fn sinh(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let (a, sign) = (f.abs(x[0]), f.sign(x[0]));
        let (is_small, small) = sinh_below_one(f, x[0]);
        let h = halves(f, a);
        let near = f.subtract(h.up, h.down);
        let magnitude = f.select(h.is_far, h.far, near);
        let large = f.multiply(sign, magnitude);
        f.select(is_small, small, large)
    })
}

fn sinh_below_one(f: &mut Formula, x: Term) -> (Term, Term) {
    let a = f.abs(x);
    let one = f.constant(1.0);
    let is_small = f.compare(a, Direction::Lt, one);
    let e = f.exponential_minus_one(x);
    let above = f.add(e, one);
    let quotient = f.divide(e, above);
    let sum = f.add(e, quotient);
    let half = f.constant(0.5);
    (is_small, f.multiply(sum, half))
}

/// exp(x - log 2) and exp(-x - log 2), as XLA has them: the rounded sum costs up to |x| / 2 units.
fn halves_by_logarithm(f: &mut Formula, x: Term) -> (Term, Term) {
    let log_half = f.constant(-LN_2);
    let up = f.add(x, log_half);
    let up = f.exponential(up);
    let down = f.subtract(log_half, x);
    let down = f.exponential(down);
    (up, down)
}

pub fn cosh_of_xla(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let (up, down) = halves_by_logarithm(f, x[0]);
        f.add(up, down)
    })
}

pub fn sinh_of_xla(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let (is_small, small) = sinh_below_one(f, x[0]);
        let (up, down) = halves_by_logarithm(f, x[0]);
        let large = f.subtract(up, down);
        f.select(is_small, small, large)
    })
}
