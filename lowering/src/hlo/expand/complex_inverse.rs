//! Inverse trigonometric and hyperbolic functions of complex numbers by their parts: the algorithm of Hull, Fairgrieve and Tang as `functional_algorithms`
//! writes it, and XLA with it.

use super::{
    complex::{computed, hypotenuse, parts},
    formula::{Formula, Term},
};
use tileproof_dialect::hlo::compare::Direction;

/// For x + iy with both parts taken absolute: the number whose arc tangent with x is arc sine or arc cosine, and the size of the other part.
fn arc(f: &mut Formula, x: Term, y: Term) -> (Term, Term) {
    let (zero, half, one) = (f.constant(0.0), f.constant(0.5), f.constant(1.0));
    let infinity = f.constant(f64::INFINITY);
    let (single, double) = (f32::MAX.sqrt() / 8.0, f64::MAX.sqrt() / 8.0);
    let safe_max = computed(f, single, double);
    let (ax, ay) = (f.abs(x), f.abs(y));
    let larger = f.maximum(ax, ay);
    let (above, below) = (f.add(ax, one), f.subtract(ax, one));
    let (above_size, below_size) = (f.abs(above), f.abs(below));
    let r = hypotenuse(f, above_size, ay);
    let s = hypotenuse(f, below_size, ay);
    let sum = f.add(r, s);
    let a = f.multiply(sum, half);
    let mean = f.add(a, ax);
    let mean = f.multiply(mean, half);
    let yy = f.multiply(ay, ay);
    let r_above = f.add(r, above);
    let (s_less, s_more) = (f.subtract(s, below), f.add(s, below));

    let quotient = f.divide(yy, r_above);
    let factor = f.add(quotient, s_less);
    let product = f.multiply(mean, factor);
    let inside = f.sqrt(product);
    let (first, second) = (f.divide(mean, r_above), f.divide(mean, s_more));
    let factor = f.add(first, second);
    let factor = f.sqrt(factor);
    let outside = f.multiply(ay, factor);
    let is_inside = f.compare(ax, Direction::Le, one);
    let size = f.select(is_inside, inside, outside);
    let is_huge = f.compare(larger, Direction::Ge, safe_max);
    let real = f.select(is_huge, ay, size);

    let (tenth, hundredth) = (
        computed(f, single * 1e-6, double * 1e-6),
        computed(f, single * 1e2, double * 1e2),
    );
    let bound = computed(f, single * 1e12, double * 1e12);
    let is_below_bound = f.compare(ax, Direction::Lt, bound);
    let limit = f.select(is_below_bound, tenth, hundredth);
    let is_tall = f.compare(ay, Direction::Ge, limit);
    let far_size = f.select(is_tall, ay, ax);
    let far_limit = f.select(is_tall, limit, safe_max);
    let is_far = f.compare(far_size, Direction::Ge, far_limit);
    let log = f.log(far_size);
    let log_2 = f.constant(std::f64::consts::LN_2);
    let log = f.add(log, log_2);
    let is_infinite = f.compare(ay, Direction::Eq, infinity);
    let is_finite = f.not(is_infinite);
    let has_ratio = f.and(is_tall, is_finite);
    let ratio = f.divide(ax, ay);
    let ratio = f.select(has_ratio, ratio, zero);
    let ratio_square = f.multiply(ratio, ratio);
    let rest = f.log_plus_one(ratio_square);
    let rest = f.multiply(rest, half);
    let far = f.add(log, rest);

    let tiny = computed(
        f,
        f32::MIN_POSITIVE.sqrt() * 4.0,
        f64::MIN_POSITIVE.sqrt() * 4.0,
    );
    let (is_flat, is_short) = (
        f.compare(ay, Direction::Lt, tiny),
        f.compare(ax, Direction::Lt, one),
    );
    let is_tiny = f.and(is_flat, is_short);
    let product = f.multiply(above, below);
    let a_above = f.add(a, one);
    let quotient = f.divide(product, a_above);
    let of_tiny = f.negate(quotient);
    let half_yy = f.multiply(yy, half);
    let first = f.divide(half_yy, r_above);
    let half_more = f.multiply(s_more, half);
    let right = f.add(first, half_more);
    let second = f.divide(half_yy, s_less);
    let left = f.add(first, second);
    let one_and_half = f.constant(1.5);
    let is_close = f.compare(a, Direction::Le, one_and_half);
    let less_one = f.subtract(a, one);
    let left = f.select(is_close, left, less_one);
    let is_right = f.compare(ax, Direction::Ge, one);
    let a_less_one = f.select(is_right, right, left);
    let a_less_one = f.select(is_tiny, of_tiny, a_less_one);
    let product = f.multiply(a_less_one, a_above);
    let root = f.sqrt(product);
    let flat = f.divide(ay, root);
    let sum = f.add(a_less_one, root);
    let plain = f.log_plus_one(sum);
    let near = f.select(is_tiny, flat, plain);
    (real, f.select(is_far, far, near))
}

/// `x`, or -`x` where `of` is below 0.
fn with_sign(f: &mut Formula, x: Term, of: Term) -> Term {
    let zero = f.constant(0.0);
    let is_negative = f.compare(of, Direction::Lt, zero);
    let negative = f.negate(x);
    f.select(is_negative, negative, x)
}

pub fn asin(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (other, size) = arc(f, x, y);
    let (real, imaginary) = (f.atan2(x, other), with_sign(f, size, y));
    f.complex(real, imaginary)
}

pub fn acos(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (other, size) = arc(f, x, y);
    let real = f.atan2(other, x);
    let zero = f.constant(0.0);
    let is_below = f.compare(y, Direction::Lt, zero);
    let negative = f.negate(size);
    let imaginary = f.select(is_below, size, negative);
    f.complex(real, imaginary)
}

/// i acos z, or -i acos z.
pub fn acosh(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (other, size) = arc(f, x, y);
    let angle = f.atan2(other, x);
    let imaginary = with_sign(f, angle, y);
    f.complex(size, imaginary)
}

/// i asin(-i z).
pub fn asinh(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (other, size) = arc(f, y, x);
    let (real, imaginary) = (with_sign(f, size, x), f.atan2(y, other));
    f.complex(real, imaginary)
}

/// Real and imaginary part of the inverse hyperbolic tangent of x + iy.
fn area_tangent(f: &mut Formula, x: Term, y: Term) -> (Term, Term) {
    let (zero, one, minus_one) = (f.constant(0.0), f.constant(1.0), f.constant(-1.0));
    // Beyond the square of this, 1 is lost beside either part.
    let (single, double) = (16_777_218f32, 9_007_199_254_740_994f64);
    let sign = |f: &mut Formula, x: Term| {
        let is_positive = f.compare(x, Direction::Ge, zero);
        f.select(is_positive, one, minus_one)
    };
    let sign_x = sign(f, x);
    let sign_y = sign(f, y);
    let (ax, ay) = (f.abs(x), f.abs(y));
    let limit = computed(f, single * single, double * double);
    let is_narrow = f.compare(ax, Direction::Lt, limit);
    let is_low = f.compare(ay, Direction::Lt, limit);
    let is_inside = f.and(is_narrow, is_low);
    let below = f.subtract(one, ax);
    let below_square = f.multiply(below, below);
    let yy = f.multiply(y, y);
    let norm = f.add(below_square, yy);
    let inside = f.divide(ax, norm);
    let scale = computed(f, single, double);
    let scaled = f.multiply(ay, scale);
    let is_flat = f.compare(scaled, Direction::Lt, ax);
    let flat = f.divide(one, ax);
    let (infinity, minus_infinity) = (f.constant(f64::INFINITY), f.constant(f64::NEG_INFINITY));
    let is_infinite = |f: &mut Formula, x: Term| {
        let up = f.compare(x, Direction::Eq, infinity);
        let down = f.compare(x, Direction::Eq, minus_infinity);
        f.or(up, down)
    };
    let x_is_infinite = is_infinite(f, x);
    let y_is_infinite = is_infinite(f, y);
    let any = f.or(x_is_infinite, y_is_infinite);
    let (first, second) = (f.divide(ax, y), f.divide(y, ax));
    let sum = f.add(first, second);
    let inverse = f.divide(one, sum);
    let outside = f.divide(inverse, y);
    let outside = f.select(any, zero, outside);
    let outside = f.select(is_flat, flat, outside);
    let ratio = f.select(is_inside, inside, outside);
    let four = f.constant(4.0);
    let product = f.multiply(ratio, four);
    let log = f.log_plus_one(product);
    let signed = f.multiply(sign_x, log);
    let quarter = f.constant(0.25);
    let real = f.multiply(signed, quarter);

    let doubled = f.add(y, y);
    let above = f.add(ax, one);
    let product = f.multiply(below, above);
    let difference = f.subtract(product, yy);
    let angle = f.atan2(doubled, difference);
    let pi = f.constant(std::f64::consts::PI);
    let outside = f.multiply(sign_y, pi);
    let angle = f.select(is_inside, angle, outside);
    let half = f.constant(0.5);
    (real, f.multiply(angle, half))
}

pub fn atanh(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (real, imaginary) = area_tangent(f, x, y);
    f.complex(real, imaginary)
}

/// -i atanh(i z).
pub fn atan(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let turned = f.negate(y);
    let (real, imaginary) = area_tangent(f, turned, x);
    let imaginary_part = f.negate(real);
    f.complex(imaginary, imaginary_part)
}
