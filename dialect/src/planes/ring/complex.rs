//! Complex functions on pairs of residues (real, imaginary): the formula by parts where it is an identity of real functions, else a hash of the pair.

use super::{
    Residue, UNDEFINED, add, add_residues, embed_f64, function, function_of_two, inv_residue,
    is_code, mul, mul_residues, neg, neg_residue, opaque_key, opaque2, sub,
};
use num_complex::Complex;

/// A residue of each part.
pub type Pair = [Residue; 2];

/// A function of one operand: residues, IEEE operand, IEEE result, count of zero divisors.
pub type Function = fn(Pair, Complex<f64>, Complex<f64>, &mut u64) -> Pair;

fn has_code(a: Pair) -> bool {
    is_code(a[0] | a[1])
}

/// Residues of a function of codes: the class of each part of its IEEE result, else a hash of the operand.
fn of_result(a: Pair, result: Complex<f64>) -> Pair {
    const KEY: u64 = opaque_key("complex code");
    let part = |x: f64, k: u64| {
        if !x.is_finite() || x == 0.0 || x.abs() == 1.0 {
            embed_f64(x)
        } else {
            opaque2(KEY ^ k, a[0], a[1])
        }
    };
    [part(result.re, 0), part(result.im, 1)]
}

fn real(f: function::Function, r: Residue, x: f64, zeros: &mut u64) -> Residue {
    let mut out = [0];
    *zeros += f(&[r], &[x], &mut out);
    out[0]
}

pub fn add_pairs(a: Pair, b: Pair) -> Pair {
    [add(a[0], b[0]), add(a[1], b[1])]
}

pub fn sub_pairs(a: Pair, b: Pair) -> Pair {
    [sub(a[0], b[0]), sub(a[1], b[1])]
}

pub fn neg_pair(a: Pair) -> Pair {
    [neg(a[0]), neg(a[1])]
}

/// Product by parts, of numbers whose IEEE values are `z` and `w`.
pub fn product(a: Pair, b: Pair, (z, w): (Complex<f64>, Complex<f64>)) -> Pair {
    if !has_code(a) && !has_code(b) {
        return mul_pairs(a, b);
    }
    let (x, y) = ([z.re, z.im], [w.re, w.im]);
    let term = |i: usize, j: usize| mul(a[i], b[j], || (x[i], y[j]));
    [sub(term(0, 0), term(1, 1)), add(term(0, 1), term(1, 0))]
}

/// Product of pairs without values: undefined beside a code, whose sign the pair does not show.
pub fn mul_pairs(a: Pair, b: Pair) -> Pair {
    if has_code(a) || has_code(b) {
        return [UNDEFINED; 2];
    }
    let term = |i: usize, j: usize| mul_residues(a[i], b[j]);
    [
        add_residues(term(0, 0), neg_residue(term(1, 1))),
        add_residues(term(0, 1), term(1, 0)),
    ]
}

/// a^2 + b^2. As -1 is no square in the field, it is zero only at zero.
pub fn norm_squared(a: Pair) -> Residue {
    if has_code(a) {
        UNDEFINED
    } else {
        add_residues(mul_residues(a[0], a[0]), mul_residues(a[1], a[1]))
    }
}

/// Quotient of `a` by `b`, whose IEEE value is `y`; `result` is the IEEE quotient.
pub fn div_pairs(a: Pair, b: Pair, y: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) || has_code(b) {
        return of_result(
            [a[0] ^ b[0].rotate_left(7), a[1] ^ b[1].rotate_left(7)],
            result,
        );
    }
    let norm = norm_squared(b);
    if norm == 0 {
        if y.re != 0.0 || y.im != 0.0 {
            *zeros += 1;
        }
        return [embed_f64(result.re), embed_f64(result.im)];
    }
    let inverse = inv_residue(norm);
    let product = mul_pairs(a, [b[0], neg_residue(b[1])]);
    [
        mul_residues(product[0], inverse),
        mul_residues(product[1], inverse),
    ]
}

fn inverse(a: Pair, zeros: &mut u64) -> Pair {
    let norm = norm_squared(a);
    if norm == 0 {
        *zeros += 1;
    }
    let inverse = inv_residue(norm);
    [
        mul_residues(a[0], inverse),
        mul_residues(neg_residue(a[1]), inverse),
    ]
}

/// exp(a) (cos b, sin b) of a pair without codes.
fn exp_pair(a: Pair) -> Pair {
    let mut zeros = 0;
    let scale = function::exp_residue(a[0]);
    let cos = real(function::cos, a[1], 0.0, &mut zeros);
    let sin = real(function::sin, a[1], 0.0, &mut zeros);
    [mul_residues(scale, cos), mul_residues(scale, sin)]
}

/// exp(a + bi) = exp(a) (cos b + i sin b).
pub fn exp(a: Pair, _: Complex<f64>, result: Complex<f64>, _: &mut u64) -> Pair {
    if has_code(a) {
        of_result(a, result)
    } else {
        exp_pair(a)
    }
}

pub fn exp_minus_one(a: Pair, _: Complex<f64>, result: Complex<f64>, _: &mut u64) -> Pair {
    if has_code(a) {
        of_result(a, result)
    } else {
        sub_pairs(exp_pair(a), [1, 0])
    }
}

/// 1 / (1 + exp(-z)).
pub fn logistic(a: Pair, _: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    inverse(add_pairs([1, 0], exp_pair(neg_pair(a))), zeros)
}

/// 2 logistic(2z) - 1.
pub fn tanh(a: Pair, _: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    let half = inverse(
        add_pairs([1, 0], exp_pair(neg_pair(add_pairs(a, a)))),
        zeros,
    );
    sub_pairs(add_pairs(half, half), [1, 0])
}

/// (log(a^2 + b^2) / 2, atan2(b, a)).
pub fn log(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    let at_zero = z.re == 0.0 && z.im == 0.0;
    let modulus = real(
        function::log,
        norm_squared(a),
        if at_zero { 0.0 } else { 1.0 },
        zeros,
    );
    let modulus = if is_code(modulus) {
        modulus
    } else {
        mul_residues(function::HALF, modulus)
    };
    [
        modulus,
        function_of_two::atan2_residue((a[1], z.im), (a[0], z.re)),
    ]
}

pub fn log_plus_one(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    log([add(1, a[0]), a[1]], z + 1.0, result, zeros)
}

/// Real numbers as the real square root; others a hash of the pair.
pub fn sqrt(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    const KEY: u64 = opaque_key("complex sqrt");
    if has_code(a) {
        of_result(a, result)
    } else if a[1] == 0 && z.im == 0.0 {
        if z.re.is_sign_positive() {
            [real(function::sqrt, a[0], z.re, zeros), 0]
        } else {
            let root = real(function::sqrt, neg_residue(a[0]), -z.re, zeros);
            [
                0,
                if z.im.is_sign_negative() {
                    neg(root)
                } else {
                    root
                },
            ]
        }
    } else {
        [opaque2(KEY, a[0], a[1]), opaque2(!KEY, a[0], a[1])]
    }
}

pub fn rsqrt(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) || (z.re == 0.0 && z.im == 0.0) {
        return of_result(a, result);
    }
    inverse(sqrt(a, z, result, zeros), zeros)
}

/// sin a cosh b + i cos a sinh b.
pub fn sin(a: Pair, _: Complex<f64>, result: Complex<f64>, _: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    let [sin, cos, sinh, cosh] = parts(a);
    [mul_residues(sin, cosh), mul_residues(cos, sinh)]
}

/// cos a cosh b - i sin a sinh b.
pub fn cos(a: Pair, _: Complex<f64>, result: Complex<f64>, _: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    let [sin, cos, sinh, cosh] = parts(a);
    [
        mul_residues(cos, cosh),
        neg_residue(mul_residues(sin, sinh)),
    ]
}

/// sin z / cos z.
pub fn tan(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    mul_pairs(
        sin(a, z, result, zeros),
        inverse(cos(a, z, result, zeros), zeros),
    )
}

/// sinh a cos b + i cosh a sin b = -i sin(iz).
pub fn sinh(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    let [re, im] = sin([neg_residue(a[1]), a[0]], z, result, zeros);
    [im, neg_residue(re)]
}

/// cosh a cos b + i sinh a sin b = cos(iz).
pub fn cosh(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) {
        return of_result(a, result);
    }
    cos([neg_residue(a[1]), a[0]], z, result, zeros)
}

/// sin a, cos a, sinh b, cosh b of a pair without codes.
fn parts(a: Pair) -> [Residue; 4] {
    let mut zeros = 0;
    [
        real(function::sin, a[0], 0.0, &mut zeros),
        real(function::cos, a[0], 0.0, &mut zeros),
        real(function::sinh, a[1], 0.0, &mut zeros),
        real(function::cosh, a[1], 0.0, &mut zeros),
    ]
}

/// Modulus: sqrt(a^2 + b^2).
pub fn abs(a: Pair, result: f64, zeros: &mut u64) -> Residue {
    if has_code(a) {
        return if result.is_infinite() {
            super::POSITIVE_INFINITY
        } else {
            UNDEFINED
        };
    }
    real(function::sqrt, norm_squared(a), 1.0, zeros)
}

/// z / |z|, 0 at 0.
pub fn sign(a: Pair, z: Complex<f64>, result: Complex<f64>, zeros: &mut u64) -> Pair {
    if has_code(a) || (z.re == 0.0 && z.im == 0.0) {
        return of_result(a, result);
    }
    let modulus = abs(a, 1.0, zeros);
    if modulus == 0 {
        *zeros += 1;
    }
    let inverse = inv_residue(modulus);
    [mul_residues(a[0], inverse), mul_residues(a[1], inverse)]
}

/// a^n for integers |n| <= 64 that value and residue agree on, else a hash of both pairs.
pub fn power(
    a: Pair,
    b: Pair,
    (x, y): (Complex<f64>, Complex<f64>),
    result: Complex<f64>,
    zeros: &mut u64,
) -> Pair {
    const KEY: u64 = opaque_key("complex pow");
    if has_code(a) || has_code(b) || (x.re == 0.0 && x.im == 0.0) {
        return of_result(
            [a[0] ^ b[0].rotate_left(7), a[1] ^ b[1].rotate_left(7)],
            result,
        );
    }
    let whole = y.im == 0.0 && b[1] == 0 && y.re.fract() == 0.0 && y.re.abs() <= 64.0;
    if whole && embed_f64(y.re) == b[0] {
        let power = (0..y.re.abs() as u32).fold([1, 0], |p, _| mul_pairs(p, a));
        return if y.re < 0.0 {
            inverse(power, zeros)
        } else {
            power
        };
    }
    let hash = |key: u64| opaque2(key ^ u64::from(opaque2(key, a[0], a[1])), b[0], b[1]);
    [hash(KEY), hash(!KEY)]
}

/// A function of two pairs without identities.
pub fn opaque_of_two(name: &str, a: Pair, b: Pair, result: Complex<f64>) -> Pair {
    if has_code(a) || has_code(b) {
        return of_result(
            [a[0] ^ b[0].rotate_left(7), a[1] ^ b[1].rotate_left(7)],
            result,
        );
    }
    let key = opaque_key(name);
    let hash = |key: u64| opaque2(key ^ u64::from(opaque2(key, a[0], a[1])), b[0], b[1]);
    [hash(key), hash(!key)]
}

/// Functions without an identity by parts.
macro_rules! opaque_pairs {
    ($($f:ident $name:literal;)*) => {
        $(pub fn $f(a: Pair, _: Complex<f64>, result: Complex<f64>, _: &mut u64) -> Pair {
            const KEY: u64 = opaque_key($name);
            if has_code(a) { of_result(a, result) } else { [opaque2(KEY, a[0], a[1]), opaque2(!KEY, a[0], a[1])] }
        })*
    };
}
opaque_pairs! {
    cbrt "complex cbrt";
    asin "complex asin";
    acos "complex acos";
    atan "complex atan";
    asinh "complex asinh";
    acosh "complex acosh";
    atanh "complex atanh";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::ring::{P, input};

    fn pair(i: u64) -> Pair {
        [input(1, 0, i), input(1, 1, i)]
    }

    fn apply(f: Function, a: Pair) -> Pair {
        let mut zeros = 0;
        let z = Complex::new(0.5, 0.5);
        let out = f(a, z, z, &mut zeros);
        assert_eq!(zeros, 0);
        out
    }

    #[test]
    fn pairs_form_a_field() {
        for i in 0..50 {
            let a = pair(i);
            assert_eq!(mul_pairs(a, inverse(a, &mut 0)), [1, 0]);
            assert_eq!(mul_pairs([0, 1], [0, 1]), [P - 1, 0]);
        }
    }

    #[test]
    fn identities_by_parts() {
        for i in 0..50 {
            let a = pair(i);
            assert_eq!(
                mul_pairs(apply(exp, a), apply(exp, [neg(a[0]), a[1]]))[0],
                {
                    let turn = apply(exp, [0, a[1]]);
                    mul_pairs(turn, turn)[0]
                }
            );
            assert_eq!(apply(exp, [a[0], 0]), [function::exp_residue(a[0]), 0]);
            assert_eq!(apply(exp_minus_one, a), sub_pairs(apply(exp, a), [1, 0]));
            assert_eq!(apply(sin, neg_pair(a)), neg_pair(apply(sin, a)));
            assert_eq!(mul_pairs(apply(tan, a), apply(cos, a)), apply(sin, a));
            assert_eq!(apply(sinh, a), {
                let [re, im] = apply(sin, [neg(a[1]), a[0]]);
                [im, neg(re)]
            });
            assert_eq!(mul_pairs(apply(rsqrt, a), apply(sqrt, a)), [1, 0]);
        }
    }

    #[test]
    fn whole_powers_are_products() {
        let (a, mut zeros) = (pair(9), 0);
        let one = Complex::new(1.0, 0.0);
        let cube = power(a, [3, 0], (one, one * 3.0), one, &mut zeros);
        assert_eq!(cube, mul_pairs(a, mul_pairs(a, a)));
        let inverse_square = power(a, [P - 2, 0], (one, -one * 2.0), one, &mut zeros);
        assert_eq!(mul_pairs(inverse_square, mul_pairs(a, a)), [1, 0]);
    }
}
