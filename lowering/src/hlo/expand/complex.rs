//! Exponentials, logarithms and square roots of complex numbers by their parts, without overflow on the way: the formulas of `functional_algorithms`, which
//! XLA writes for these functions.

use super::formula::{Formula, Term};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

/// Real and imaginary part.
pub(super) type Parts = (Term, Term);

pub(super) fn parts(f: &mut Formula, z: Term) -> Parts {
    (f.real(z), f.imag(z))
}

/// A number computed in the type of constants, step by step: `steps` gets the numbers f32 or f64 has for its operands.
pub(super) fn computed(f: &mut Formula, single: f32, double: f64) -> Term {
    let is_double = *f.element() == ElementType::F64;
    f.constant(if is_double { double } else { f64::from(single) })
}

/// |x + iy| of two numbers that are not negative.
pub(super) fn hypotenuse(f: &mut Formula, x: Term, y: Term) -> Term {
    let (zero, one, two) = (f.constant(0.0), f.constant(1.0), f.constant(2.0));
    let root_2 = f.constant(std::f64::consts::SQRT_2);
    let (larger, smaller) = (f.maximum(x, y), f.minimum(x, y));
    let is_diagonal = f.compare(larger, Direction::Eq, smaller);
    let diagonal = f.multiply(larger, root_2);
    let ratio = f.divide(smaller, larger);
    let square = f.multiply(ratio, ratio);
    let above_one = f.add(square, one);
    let root = f.sqrt(above_one);
    // A ratio whose square is lost beside 1 counts to first order.
    let is_one = f.compare(root, Direction::Eq, one);
    let is_positive = f.compare(square, Direction::Gt, zero);
    let is_lost = f.and(is_one, is_positive);
    let product = f.multiply(larger, square);
    let half = f.divide(product, two);
    let first_order = f.add(larger, half);
    let plain = f.multiply(larger, root);
    let length = f.select(is_lost, first_order, plain);
    f.select(is_diagonal, diagonal, length)
}

/// exp(x) (cos y + i sin y); exp(x / 2) twice where exp(x) overflows.
pub(super) fn exponential_of(f: &mut Formula, (x, y): Parts) -> Term {
    let (zero, half) = (f.constant(0.0), f.constant(0.5));
    let infinity = f.constant(f64::INFINITY);
    let e = f.exponential(x);
    let overflows = f.compare(e, Direction::Eq, infinity);
    let x_half = f.multiply(x, half);
    let e_half = f.exponential(x_half);
    let scaled = |f: &mut Formula, by: Term| {
        let once = f.multiply(e_half, by);
        let twice = f.multiply(once, e_half);
        let plain = f.multiply(e, by);
        f.select(overflows, twice, plain)
    };
    let cosine = f.cosine(y);
    let real = scaled(f, cosine);
    let is_real = f.compare(y, Direction::Eq, zero);
    let sine = f.sine(y);
    let imaginary = scaled(f, sine);
    // Zero, of the sign that it has.
    let imaginary = f.select(is_real, y, imaginary);
    f.complex(real, imaginary)
}

pub fn exponential(f: &mut Formula, z: &[Term]) -> Term {
    let z = parts(f, z[0]);
    exponential_of(f, z)
}

/// What the rounded square `square` of `x` lacks (Dekker's product).
fn lost_in_square(f: &mut Formula, x: Term, square: Term) -> Term {
    // 2^12 + 1 and 2^27 + 1 split a significand of 24 and 53 bits.
    let splitter = computed(f, 4097.0, 134_217_729.0);
    let scaled = f.multiply(x, splitter);
    let rest = f.subtract(x, scaled);
    let high = f.add(scaled, rest);
    let high_square = f.multiply(high, high);
    let negative = f.negate(square);
    let error = f.add(negative, high_square);
    let low = f.subtract(x, high);
    let mixed = f.multiply(high, low);
    let error = f.add(error, mixed);
    let error = f.add(error, mixed);
    let low_square = f.multiply(low, low);
    f.add(error, low_square)
}

/// What a rounded sum `sum` = `larger` + `smaller` lacks.
fn lost_in_fast_sum(f: &mut Formula, larger: Term, smaller: Term, sum: Term) -> Term {
    let added = f.subtract(sum, larger);
    f.subtract(smaller, added)
}

/// As [`lost_in_fast_sum`], whichever is larger.
fn lost_in_sum(f: &mut Formula, x: Term, y: Term, sum: Term) -> Term {
    let of_y = f.subtract(sum, x);
    let of_x = f.subtract(sum, of_y);
    let (lost_x, lost_y) = (f.subtract(x, of_x), f.subtract(y, of_y));
    f.add(lost_x, lost_y)
}

/// log(max) + log1p(ratio) / 2 of the absolute parts; `square` says whether the ratio of equal parts is squared like the others.
fn log_of_far(f: &mut Formula, larger: Term, ratio_square: Term) -> Term {
    let half = f.constant(0.5);
    let log = f.log(larger);
    let rest = f.log_plus_one(ratio_square);
    let rest = f.multiply(rest, half);
    f.add(log, rest)
}

fn half_log_plus_one(f: &mut Formula, x: Term) -> Term {
    let half = f.constant(0.5);
    let log = f.log_plus_one(x);
    f.multiply(log, half)
}

/// log |z| + i arg z; near |z| = 1 by log1p of |z|^2 - 1, summed without loss.
pub(super) fn log_of(f: &mut Formula, (x, y): Parts) -> Term {
    let (one, half, minus_one) = (f.constant(1.0), f.constant(0.5), f.constant(-1.0));
    let (yy, xx) = (f.multiply(y, y), f.multiply(x, x));
    let is_steep = f.compare(yy, Direction::Gt, xx);
    let larger = f.select(is_steep, yy, xx);
    let smaller = f.select(is_steep, xx, yy);
    let less_one = f.add(larger, minus_one);
    let sum = f.add(less_one, smaller);
    let (lost_y, lost_x) = (lost_in_square(f, y, yy), lost_in_square(f, x, xx));
    let with_y = f.add(sum, lost_y);
    let with_x = f.add(with_y, lost_x);
    let back = f.subtract(less_one, minus_one);
    let first = f.subtract(larger, back);
    let second = lost_in_fast_sum(f, less_one, smaller, sum);
    let error = f.add(first, second);
    let third = lost_in_fast_sum(f, sum, lost_y, with_y);
    let error = f.add(error, third);
    let fourth = lost_in_fast_sum(f, with_y, lost_x, with_x);
    let error = f.add(error, fourth);
    let excess = f.add(with_x, error);
    let distance = f.abs(excess);
    let is_near = f.compare(distance, Direction::Lt, half);
    let near = half_log_plus_one(f, excess);
    let (ax, ay) = (f.abs(x), f.abs(y));
    let (larger, smaller) = (f.maximum(ax, ay), f.minimum(ax, ay));
    let is_diagonal = f.compare(smaller, Direction::Eq, larger);
    let ratio = f.divide(smaller, larger);
    let ratio = f.select(is_diagonal, one, ratio);
    let ratio_square = f.multiply(ratio, ratio);
    let far = log_of_far(f, larger, ratio_square);
    let real = f.select(is_near, near, far);
    let angle = f.atan2(y, x);
    f.complex(real, angle)
}

pub fn log(f: &mut Formula, z: &[Term]) -> Term {
    let z = parts(f, z[0]);
    log_of(f, z)
}

/// log |1 + z| + i arg(1 + z); by log1p of |1 + z|^2 - 1, summed without loss, unless |1 + z| is small or z large.
pub fn log_plus_one(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (one, half) = (f.constant(1.0), f.constant(0.5));
    let (ax, ay) = (f.abs(x), f.abs(y));
    let (larger, smaller) = (f.maximum(ax, ay), f.minimum(ax, ay));
    let limit = computed(f, f32::MAX.sqrt() * 0.01, f64::MAX.sqrt() * 0.01);
    let is_far = f.compare(larger, Direction::Gt, limit);
    let is_diagonal = f.compare(smaller, Direction::Eq, larger);
    let ratio = f.divide(smaller, larger);
    let ratio_square = f.multiply(ratio, ratio);
    let ratio_square = f.select(is_diagonal, one, ratio_square);
    let far = log_of_far(f, larger, ratio_square);
    let above = f.add(x, one);
    let distance = f.abs(above);
    let distance = f.add(distance, ay);
    let little = f.constant(0.2);
    let is_near_zero = f.compare(distance, Direction::Lt, little);
    let above_square = f.multiply(above, above);
    let yy = f.multiply(y, y);
    let norm = f.add(above_square, yy);
    let log = f.log(norm);
    let near_zero = f.multiply(log, half);
    let doubled = f.add(x, x);
    let with_y = f.add(doubled, yy);
    let xx = f.multiply(x, x);
    let with_x = f.add(with_y, xx);
    let (lost_y, lost_x) = (lost_in_square(f, y, yy), lost_in_square(f, x, xx));
    let third = f.add(with_x, lost_y);
    let fourth = f.add(third, lost_x);
    let error = lost_in_sum(f, doubled, yy, with_y);
    let more = lost_in_sum(f, with_y, xx, with_x);
    let error = f.add(error, more);
    let more = lost_in_sum(f, with_x, lost_y, third);
    let error = f.add(error, more);
    let more = lost_in_sum(f, third, lost_x, fourth);
    let error = f.add(error, more);
    let excess = f.add(fourth, error);
    let plain = half_log_plus_one(f, excess);
    let real = f.select(is_near_zero, near_zero, plain);
    let real = f.select(is_far, far, real);
    let angle = f.atan2(y, above);
    f.complex(real, angle)
}

/// sqrt((|z| + x) / 2) and y over twice that, sides swapped left of 0; other forms where that sum over- or underflows.
pub fn sqrt(f: &mut Formula, z: &[Term]) -> Term {
    let (x, y) = parts(f, z[0]);
    let (zero, one, two) = (f.constant(0.0), f.constant(1.0), f.constant(2.0));
    let root_2 = f.constant(std::f64::consts::SQRT_2);
    let infinity = f.constant(f64::INFINITY);
    let (ax, ay) = (f.abs(x), f.abs(y));
    let (root_x, root_y) = (f.sqrt(ax), f.sqrt(ay));
    let is_diagonal = f.compare(ax, Direction::Eq, ay);
    let (is_flat, is_steep) = (
        f.compare(ax, Direction::Gt, ay),
        f.compare(ax, Direction::Lt, ay),
    );
    // The smaller over the larger of two numbers.
    let ratio = |f: &mut Formula, x: Term, y: Term| {
        let (steep, flat) = (f.divide(x, y), f.divide(y, x));
        let ratio = f.select(is_steep, steep, flat);
        f.select(is_diagonal, one, ratio)
    };
    let length = hypotenuse(f, ax, ay);
    let (half_length, half_x) = (f.divide(length, two), f.divide(ax, two));
    let mean = f.add(half_length, half_x);
    let plain = f.sqrt(mean);
    let is_zero = f.compare(plain, Direction::Eq, zero);
    let is_infinite = f.compare(plain, Direction::Eq, infinity);
    let is_outside = f.or(is_zero, is_infinite);
    let slope = ratio(f, ax, ay);
    let slope_size = f.abs(slope);
    let scaled = hypotenuse(f, slope_size, one);
    let sum = f.add(scaled, one);
    let flat_root = f.sqrt(sum);
    let sum = f.add(slope, scaled);
    let steep_root = f.sqrt(sum);
    let factor = f.divide(flat_root, root_2);
    let flat = f.multiply(root_x, factor);
    let factor = f.divide(steep_root, root_2);
    let steep = f.multiply(root_y, factor);
    let outside = f.select(is_flat, flat, steep);
    let larger = f.select(is_outside, outside, plain);
    let diagonal_factor = computed(
        f,
        (1.0 + std::f32::consts::SQRT_2).sqrt(),
        (1.0 + std::f64::consts::SQRT_2).sqrt(),
    );
    let diagonal = f.multiply(root_x, diagonal_factor);
    let diagonal = f.divide(diagonal, root_2);
    let larger = f.select(is_diagonal, diagonal, larger);

    let root_slope = ratio(f, root_x, root_y);
    let above = f.multiply(root_y, root_slope);
    let below = f.multiply(flat_root, root_2);
    let flat = f.divide(above, below);
    let below = f.multiply(steep_root, root_2);
    let steep = f.divide(root_y, below);
    let outside = f.select(is_flat, flat, steep);
    let doubled = f.multiply(plain, two);
    let plain = f.divide(ay, doubled);
    let smaller = f.select(is_outside, outside, plain);
    let diagonal_factor = computed(
        f,
        (1.0 + std::f32::consts::SQRT_2).sqrt() * std::f32::consts::SQRT_2,
        (1.0 + std::f64::consts::SQRT_2).sqrt() * std::f64::consts::SQRT_2,
    );
    let diagonal = f.divide(root_y, diagonal_factor);
    let smaller = f.select(is_diagonal, diagonal, smaller);

    let is_right = f.compare(x, Direction::Ge, zero);
    let real = f.select(is_right, larger, smaller);
    let (is_left, is_below) = (
        f.compare(x, Direction::Lt, zero),
        f.compare(y, Direction::Lt, zero),
    );
    let signed = |f: &mut Formula, x: Term| {
        let negative = f.negate(x);
        f.select(is_below, negative, x)
    };
    let left = signed(f, larger);
    let right = signed(f, smaller);
    let imaginary = f.select(is_left, left, right);
    f.complex(real, imaginary)
}

/// exp(z + log 1/2) and exp(log 1/2 - z).
fn halves(f: &mut Formula, z: Term) -> (Term, Term) {
    let (half, zero) = (f.constant(0.5), f.constant(0.0));
    let log_half = log_of(f, (half, zero));
    let up = f.add(z, log_half);
    let up = exponential(f, &[up]);
    let down = f.subtract(log_half, z);
    let down = exponential(f, &[down]);
    (up, down)
}

pub fn cosh(f: &mut Formula, z: &[Term]) -> Term {
    let (up, down) = halves(f, z[0]);
    f.add(up, down)
}

pub fn sinh(f: &mut Formula, z: &[Term]) -> Term {
    let (up, down) = halves(f, z[0]);
    f.subtract(up, down)
}
