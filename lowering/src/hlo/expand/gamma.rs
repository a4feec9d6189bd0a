//! lgamma and digamma by Lanczos' approximation (g = 7, n = 9), with reflection below 1/2.

// The constants stand as published.
#![allow(clippy::excessive_precision)]

use super::formula::{Formula, Term};
use std::f64::consts::PI;
use tileproof_dialect::hlo::compare::Direction;

/// g of the approximation, and its coefficients (P. Godfrey's).
const G: f64 = 7.0;
const BASE: f64 = 0.999_999_999_999_809_9;
const COEFFICIENTS: [f64; 8] = [
    676.520368121885098567009190444019,
    -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,
    -176.61502916214059906584551354,
    12.507343278686904814458936853,
    -0.13857109526572011689554707,
    9.984369578019570859563e-6,
    1.50563273514931155834e-7,
];

/// Whether x < 1/2, and the z of the series: -x there, x - 1 elsewhere.
fn reflected(f: &mut Formula, x: Term) -> (Term, Term) {
    let (half, one) = (f.constant(0.5), f.constant(1.0));
    let is_reflected = f.compare(x, Direction::Lt, half);
    let negative = f.negate(x);
    let shifted = f.subtract(x, one);
    (is_reflected, f.select(is_reflected, negative, shifted))
}

/// log(z + g + 1/2), as log(g + 1/2) + log1p(z / (g + 1/2)).
fn log_t(f: &mut Formula, z: Term) -> Term {
    let (base, log_base) = (f.constant(G + 0.5), f.constant((G + 0.5).ln()));
    let quotient = f.divide(z, base);
    let log = f.log_plus_one(quotient);
    f.add(log, log_base)
}

/// (log(2 pi) + log_t (2 z + 1)) / 2 - t + log A(z), where t = z + g + 1/2; reflected by log(pi) - log|sin(pi x)|.
pub fn lgamma_body(f: &mut Formula, x: Term) -> Term {
    let a = f.abs(x);
    let infinity = f.constant(f64::INFINITY);
    let is_infinite = f.compare(a, Direction::Eq, infinity);
    let (is_reflected, z) = reflected(f, x);
    let (half, one) = (f.constant(0.5), f.constant(1.0));
    // |sin(pi x)| from the distance to the next integer.
    let whole = f.floor(a);
    let fraction = f.subtract(a, whole);
    let is_upper = f.compare(half, Direction::Lt, fraction);
    let rest = f.subtract(one, fraction);
    let distance = f.select(is_upper, rest, fraction);
    let pi = f.constant(PI);
    let angle = f.multiply(distance, pi);
    let sine = f.sine(angle);
    let log_sine = f.log(sine);
    let is_finite = f.is_finite(log_sine);
    let log_pi = f.constant(PI.ln());
    let reflection = f.subtract(log_pi, log_sine);

    let power = f.add(z, half);
    let t_offset = f.constant(G + 0.5);
    let t = f.add(z, t_offset);
    let log_t = log_t(f, z);
    let quotient = f.divide(t, log_t);
    let exponent = f.subtract(power, quotient);
    let product = f.multiply(exponent, log_t);
    let log_root = f.constant(0.918_938_533_204_672_741_8);
    let start = f.add(product, log_root);
    let mut sum = None;
    for (i, c) in COEFFICIENTS.iter().enumerate() {
        let (offset, c) = (f.constant(1.0 + i as f64), f.constant(*c));
        let below = f.add(z, offset);
        let quotient = f.divide(c, below);
        sum = Some(match sum {
            None => {
                let base = f.constant(BASE);
                f.add(quotient, base)
            }
            Some(sum) => f.add(sum, quotient),
        });
    }
    let log_sum = f.log(sum.unwrap_or(z));
    let direct = f.add(start, log_sum);
    let finite = f.subtract(reflection, direct);
    let pole = f.negate(log_sine);
    let below = f.select(is_finite, finite, pole);
    let result = f.select(is_reflected, below, direct);
    f.select(is_infinite, infinity, result)
}

pub fn lgamma(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| lgamma_body(f, x[0]))
}

/// log_t + A'(z) / A(z) - g / t; reflected by pi cot(pi x); NaN at 0, -1, -2, ...
pub fn digamma_body(f: &mut Formula, x: Term) -> Term {
    let zero = f.constant(0.0);
    let is_negative = f.compare(x, Direction::Le, zero);
    let whole = f.floor(x);
    let is_whole = f.compare(x, Direction::Eq, whole);
    let is_pole = f.and(is_negative, is_whole);
    let (is_reflected, z) = reflected(f, x);
    let log_t = log_t(f, z);
    let (mut derivative, mut sum) = (zero, f.constant(BASE));
    for (i, c) in COEFFICIENTS.iter().enumerate() {
        let (offset, c) = (f.constant(1.0 + i as f64), f.constant(*c));
        let below = f.add(z, offset);
        let square = f.multiply(below, below);
        let slope = f.divide(c, square);
        derivative = f.subtract(derivative, slope);
        let quotient = f.divide(c, below);
        sum = f.add(sum, quotient);
    }
    let (g, t_offset) = (f.constant(G), f.constant(G + 0.5));
    let t = f.add(z, t_offset);
    let ratio = f.divide(derivative, sum);
    let start = f.add(log_t, ratio);
    let correction = f.divide(g, t);
    let direct = f.subtract(start, correction);
    // x less its nearest integer, so that the angle is small.
    let (half, pi) = (f.constant(0.5), f.constant(PI));
    let shifted = f.add(x, half);
    let nearest = f.floor(shifted);
    let nearest = f.abs(nearest);
    let rest = f.add(x, nearest);
    let angle = f.multiply(rest, pi);
    let cosine = f.cosine(angle);
    let scaled = f.multiply(cosine, pi);
    let sine = f.sine(angle);
    let cotangent = f.divide(scaled, sine);
    let below = f.subtract(direct, cotangent);
    let result = f.select(is_reflected, below, direct);
    let nan = f.constant(f64::NAN);
    f.select(is_pole, nan, result)
}

pub fn digamma(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| digamma_body(f, x[0]))
}
