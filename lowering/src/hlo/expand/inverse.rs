//! Inverse trigonometric and hyperbolic functions by atan2, log and log1p, in their own type.

use super::formula::{Formula, Term};
use std::f64::consts::LN_2;
use tileproof_dialect::{bound::unit_roundoff, hlo::compare::Direction, types::ElementType};

/// sqrt((1 - x) (1 + x)).
fn sqrt_of_one_minus_square(f: &mut Formula, x: Term) -> Term {
    let one = f.constant(1.0);
    let difference = f.subtract(one, x);
    let sum = f.add(x, one);
    let product = f.multiply(difference, sum);
    f.sqrt(product)
}

/// atan2(sqrt(1 - x^2), x).
pub fn acos(f: &mut Formula, x: &[Term]) -> Term {
    let y = sqrt_of_one_minus_square(f, x[0]);
    f.atan2(y, x[0])
}

/// 2 atan2(x, 1 + sqrt(1 - x^2)).
pub fn asin(f: &mut Formula, x: &[Term]) -> Term {
    let root = sqrt_of_one_minus_square(f, x[0]);
    let one = f.constant(1.0);
    let sum = f.add(root, one);
    let angle = f.atan2(x[0], sum);
    f.add(angle, angle)
}

/// atan2(x, 1).
pub fn atan(f: &mut Formula, x: &[Term]) -> Term {
    let one = f.constant(1.0);
    f.atan2(x[0], one)
}

/// The largest finite number of a float type of at least 16 bits.
fn largest(element: &ElementType) -> f64 {
    let exponent = match element {
        ElementType::F64 => return f64::MAX,
        ElementType::F16 => 15,
        _ => 127,
    };
    (2.0 - 2.0 * unit_roundoff(element)) * 2f64.powi(exponent)
}

/// log1p(s (t + s)) with s = sqrt(x - 1), t = sqrt(x + 1); log x + log 2 where x^2 overflows.
pub fn acosh(f: &mut Formula, x: &[Term]) -> Term {
    let x = x[0];
    let limit = f.constant(largest(&f.element().clone()) / 2.0);
    let is_large = f.compare(x, Direction::Ge, limit);
    let large = log_of_double(f, x);
    let one = f.constant(1.0);
    let below = f.subtract(x, one);
    let s = f.sqrt(below);
    let above = f.add(x, one);
    let t = f.sqrt(above);
    let sum = f.add(t, s);
    let product = f.multiply(s, sum);
    let small = f.log_plus_one(product);
    f.select(is_large, large, small)
}

fn log_of_double(f: &mut Formula, x: Term) -> Term {
    let log = f.log(x);
    let log_2 = f.constant(LN_2);
    f.add(log, log_2)
}

/// sign(x) log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|; log a + log 2 where a^2 overflows.
pub fn asinh(f: &mut Formula, x: &[Term]) -> Term {
    let sign = f.sign(x[0]);
    let a = f.abs(x[0]);
    let limit = f.constant(largest(&f.element().clone()).sqrt());
    let is_large = f.compare(a, Direction::Ge, limit);
    let large = log_of_double(f, a);
    let square = f.multiply(a, a);
    let one = f.constant(1.0);
    let under = f.add(square, one);
    let root = f.sqrt(under);
    let below = f.add(root, one);
    let quotient = f.divide(square, below);
    let sum = f.add(a, quotient);
    let small = f.log_plus_one(sum);
    let magnitude = f.select(is_large, large, small);
    f.multiply(sign, magnitude)
}

/// (log1p(x) - log1p(-x)) / 2; NaN beyond 1.
pub fn atanh(f: &mut Formula, x: &[Term]) -> Term {
    let x = x[0];
    let a = f.abs(x);
    let one = f.constant(1.0);
    let is_outside = f.compare(a, Direction::Gt, one);
    let nan = f.constant(f64::NAN);
    let above = f.log_plus_one(x);
    let negative = f.negate(x);
    let below = f.log_plus_one(negative);
    let difference = f.subtract(above, below);
    let half = f.constant(0.5);
    let inside = f.multiply(difference, half);
    f.select(is_outside, nan, inside)
}
