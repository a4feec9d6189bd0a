//! Hurwitz zeta by Euler-Maclaurin summation (Cephes), and polygamma by zeta.

// The constants stand as published.
#![allow(clippy::excessive_precision)]

use super::{
    formula::{Formula, Term},
    gamma,
};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

/// (2k)! / B_2k for k = 1 .. 12.
const COEFFICIENTS: [f64; 12] = [
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1.8924375803183791606e9,
    7.47242496e10,
    -2.950130727918164224e12,
    1.1646782814350067249e14,
    -4.5979787224074726105e15,
    1.8152105401943546773e17,
    -7.1661652561756670113e18,
];
/// Terms summed before the formula takes over.
const TERMS: usize = 9;

fn zeta_body(f: &mut Formula, x: Term, q: Term) -> Term {
    let (zero, one) = (f.constant(0.0), f.constant(1.0));
    let exponent = f.negate(x);
    let mut a = q;
    let mut sum = f.power(q, exponent);
    for _ in 0..TERMS {
        a = f.add(a, one);
        let term = f.power(a, exponent);
        sum = f.add(sum, term);
    }
    a = f.add(a, one);
    let last = f.power(a, exponent);
    let above = f.multiply(last, a);
    let below = f.subtract(x, one);
    let integral = f.divide(above, below);
    let mut tail = f.constant(0.0);
    let square = f.multiply(a, a);
    let inverse_square = f.divide(one, square);
    for (k, c) in COEFFICIENTS.iter().enumerate().rev() {
        let (high, low) = (f.constant(2.0 * k as f64), f.constant(2.0 * k as f64 - 1.0));
        let c = f.constant(1.0 / c);
        tail = if k + 1 == COEFFICIENTS.len() {
            c
        } else {
            f.add(tail, c)
        };
        if k == 0 {
            break;
        }
        let (high, low) = (f.add(x, high), f.add(x, low));
        let factor = f.multiply(high, low);
        let scaled = f.multiply(inverse_square, tail);
        tail = f.multiply(factor, scaled);
    }
    let quotient = f.divide(x, a);
    let product = f.multiply(quotient, tail);
    let half = f.constant(0.5);
    let correction = f.add(product, half);
    let correction = f.multiply(last, correction);
    let direct = f.add(sum, integral);
    let direct = f.add(direct, correction);
    // Where the last term no longer counts, the sum is the result.
    let magnitude = f.abs(last);
    let total = f.abs(sum);
    let smallest = f.constant(match f.element() {
        ElementType::F64 => f64::from_bits(1),
        _ => f64::from(f32::from_bits(1)),
    });
    let threshold = f.multiply(total, smallest);
    let has_converged = f.compare(magnitude, Direction::Lt, threshold);
    let result = f.select(has_converged, sum, direct);

    let (nan, infinity) = (f.constant(f64::NAN), f.constant(f64::INFINITY));
    let is_below_one = f.compare(x, Direction::Lt, one);
    let result = f.select(is_below_one, nan, result);
    let is_not_positive = f.compare(q, Direction::Le, zero);
    let whole_x = f.floor(x);
    let is_broken = f.compare(x, Direction::Ne, whole_x);
    let is_outside = f.and(is_not_positive, is_broken);
    let result = f.select(is_outside, nan, result);
    let whole_q = f.floor(q);
    let is_whole_q = f.compare(q, Direction::Eq, whole_q);
    let is_pole = f.and(is_not_positive, is_whole_q);
    let is_whole_x = f.compare(x, Direction::Eq, whole_x);
    let two = f.constant(2.0);
    let rest = f.remainder(x, two);
    let has_no_rest = f.compare(rest, Direction::Eq, zero);
    let is_even = f.and(is_whole_x, has_no_rest);
    let pole = f.select(is_even, infinity, nan);
    let result = f.select(is_pole, pole, result);
    let is_one = f.compare(x, Direction::Eq, one);
    f.select(is_one, infinity, result)
}

pub fn zeta(f: &mut Formula, operands: &[Term]) -> Term {
    f.at_least_f32(operands, |f, o| zeta_body(f, o[0], o[1]))
}

/// digamma for n = 0; (-1)^(n+1) n! zeta(n + 1, x) for whole n > 0; NaN for other n.
pub fn polygamma(f: &mut Formula, operands: &[Term]) -> Term {
    f.at_least_f32(operands, |f, o| {
        let (n, x) = (o[0], o[1]);
        let (zero, one, two) = (f.constant(0.0), f.constant(1.0), f.constant(2.0));
        let next = f.add(n, one);
        let log_factorial = gamma::lgamma_body(f, next);
        let factorial = f.exponential(log_factorial);
        let zeta = zeta_body(f, next, x);
        let rest = f.remainder(n, two);
        let doubled = f.multiply(rest, two);
        let sign = f.subtract(doubled, one);
        let signed = f.multiply(sign, factorial);
        let series = f.multiply(signed, zeta);
        let digamma = gamma::digamma_body(f, x);
        let is_zero = f.compare(n, Direction::Eq, zero);
        let result = f.select(is_zero, digamma, series);
        let whole = f.floor(n);
        let is_broken = f.compare(n, Direction::Ne, whole);
        let is_negative = f.compare(n, Direction::Lt, zero);
        let is_outside = f.or(is_broken, is_negative);
        let nan = f.constant(f64::NAN);
        f.select(is_outside, nan, result)
    })
}
