//! Functions of two real numbers in the field: quotient and remainder, powers, and keyed hashes that keep the identities named at each function.
//!
//! A [`Function2`] takes slices as [`super::function::Function`] does.

use super::function::{antisymmetric_exponent, each};
use super::inverse::invert;
use super::{
    POSITIVE_INFINITY, Quotient, Residue, UNDEFINED, by_zero, embed_f64, is_code, mul_residues,
    neg_residue, opaque, opaque_key, opaque2, pow_residue, sub,
};

/// A function of two operands: residues and IEEE operands of the first, of the second, results.
pub type Function2 = fn((&[Residue], &[f64]), (&[Residue], &[f64]), &mut [Residue]) -> u64;

const ATAN2: u64 = opaque_key("atan2");

/// atan2(-y, x) = -atan2(y, x), atan2(0, x) = 0 for x > 0. Codes take the class of the IEEE result.
#[inline(always)]
pub fn atan2_residue((r, y): (Residue, f64), (s, x): (Residue, f64)) -> Residue {
    if is_code(r | s) {
        return if r == UNDEFINED || s == UNDEFINED {
            UNDEFINED
        } else {
            of_result(y.atan2(x), ATAN2, r, s)
        };
    }
    if r == 0 {
        // The quotient with a positive abscissa is 0; else the angle is that of the negative axis on the side of the sign of y.
        let straight = opaque(ATAN2, 0);
        return if x > 0.0 || (x == 0.0 && x.is_sign_positive()) {
            0
        } else if y.is_sign_negative() {
            neg_residue(straight)
        } else {
            straight
        };
    }
    let negated = neg_residue(r);
    let value = opaque2(ATAN2, r.min(negated), s);
    if r < negated {
        value
    } else {
        neg_residue(value)
    }
}

pub fn atan2(a: (&[Residue], &[f64]), b: (&[Residue], &[f64]), out: &mut [Residue]) -> u64 {
    each2(a, b, out, |a, b| Quotient::Value(atan2_residue(a, b)))
}

/// Residue of a function of codes: by the class of its IEEE result, else the hash of the operands.
fn of_result(result: f64, key: u64, r: Residue, s: Residue) -> Residue {
    if !result.is_finite() || result == 0.0 || result.abs() == 1.0 {
        embed_f64(result)
    } else {
        opaque2(key, r, s)
    }
}

/// Applies a scalar definition of two operands to slices.
#[inline(always)]
pub fn each2(
    (r, x): (&[Residue], &[f64]),
    (s, y): (&[Residue], &[f64]),
    out: &mut [Residue],
    f: impl Fn((Residue, f64), (Residue, f64)) -> Quotient,
) -> u64 {
    let mut zeros = 0;
    for ((o, a), b) in out.iter_mut().zip(r.iter().zip(x)).zip(s.iter().zip(y)) {
        *o = match f((*a.0, *a.1), (*b.0, *b.1)) {
            Quotient::Value(v) => v,
            Quotient::ZeroDivisor => {
                zeros += 1;
                by_zero(*a.0)
            }
        };
    }
    zeros
}

/// Quotient; the inverses of the divisors are taken in blocks.
pub fn divide(
    (r, x): (&[Residue], &[f64]),
    (s, y): (&[Residue], &[f64]),
    out: &mut [Residue],
) -> u64 {
    out.copy_from_slice(s);
    invert(out);
    let mut zeros = 0;
    for ((o, (r, x)), (s, y)) in out.iter_mut().zip(r.iter().zip(x)).zip(s.iter().zip(y)) {
        if is_code(*r | *s) || *s == 0 {
            *o = match super::div(*r, *s, *x, *y) {
                Quotient::Value(v) => v,
                Quotient::ZeroDivisor => {
                    zeros += 1;
                    by_zero(*r)
                }
            };
        } else {
            *o = mul_residues(*o, *r);
        }
    }
    zeros
}

/// x - n y, where n = trunc(x / y) is chosen by the IEEE operands: a selection of the integer, then arithmetic.
pub fn remainder(
    (r, x): (&[Residue], &[f64]),
    (s, y): (&[Residue], &[f64]),
    out: &mut [Residue],
) -> u64 {
    // x, y and the remainder are dyadic, so n = (x - rest) / y is exact in the field.
    each(s, y, out, |_, y| embed_f64(y));
    invert(out);
    let mut zeros = 0;
    for ((o, (r, x)), (s, y)) in out.iter_mut().zip(r.iter().zip(x)).zip(s.iter().zip(y)) {
        let rest = x % y;
        *o = if is_code(*r) || *s == UNDEFINED || *y == 0.0 {
            UNDEFINED
        } else if is_code(*s) || rest == *x || !rest.is_finite() {
            *r
        } else {
            // The embedded divisor may be a multiple of p.
            zeros += u64::from(*o == 0);
            let n = mul_residues(sub(embed_f64(*x), embed_f64(rest)), *o);
            sub(*r, mul_residues(n, *s))
        };
    }
    zeros
}

const POW: u64 = opaque_key("pow");
/// Largest exponent that is multiplied out: the degree of the polynomial stays small beside p.
const LARGEST_EXPONENT: f64 = 64.0;

/// x^y. An exponent that is exactly an integer or half an odd integer (IEEE value and residue agree), at most 64, is multiplied out:
/// x^0 = 1, x^2 = x x, x^-1 = 1/x, x^(1/2) = sqrt(x). Others: x^-y = 1/x^y, 1^y = 1.
pub fn power(
    (r, x): (&[Residue], &[f64]),
    (s, y): (&[Residue], &[f64]),
    out: &mut [Residue],
) -> u64 {
    // Exact negative exponents first as positive ones, to be inverted together.
    let mut inverted = vec![1; out.len()];
    let operands = r.iter().zip(x).zip(s.iter().zip(y));
    for ((o, ((r, x), (s, y))), i) in out.iter_mut().zip(operands).zip(&mut inverted) {
        if multiplied_out(*s, *y) {
            *o = exact_power(*r, *x, *y);
            let at_pole = *x == 0.0 && *r == 0;
            if *y < 0.0 && !is_code(*r | *o) && !at_pole {
                *i = *o;
            }
        } else {
            *o = opaque_power((*r, *x), (*s, *y));
        }
    }
    let zeros = invert(&mut inverted);
    for (o, i) in out.iter_mut().zip(inverted) {
        if i != 1 {
            *o = i;
        }
    }
    zeros
}

fn multiplied_out(s: Residue, y: f64) -> bool {
    (2.0 * y).fract() == 0.0 && y.abs() <= LARGEST_EXPONENT && embed_f64(y) == s
}

/// x^|y| for y = n/2, |n| <= 128; at codes and at zero x^y itself.
fn exact_power(r: Residue, x: f64, y: f64) -> Residue {
    if y == 0.0 {
        return 1;
    }
    if r == UNDEFINED {
        return UNDEFINED;
    }
    if is_code(r) || (x == 0.0 && r == 0) {
        return of_result(x.powf(y), POW, r, 0);
    }
    let n = (2.0 * y.abs()) as u64;
    if n & 1 == 0 {
        pow_residue(r, n / 2)
    } else if x < 0.0 {
        UNDEFINED
    } else {
        mul_residues(pow_residue(r, n / 2), pow_residue(r, 1 << 29))
    }
}

fn opaque_power((r, x): (Residue, f64), (s, y): (Residue, f64)) -> Residue {
    if r == UNDEFINED || s == UNDEFINED {
        UNDEFINED
    } else if is_code(r | s) || x == 0.0 {
        of_result(x.powf(y), POW, r, s)
    } else if x < 0.0 && y != y.floor() {
        UNDEFINED
    } else if r == 1 {
        1
    } else {
        antisymmetric_exponent(POW ^ super::mix(r.into()), s)
    }
}

/// A function of two operands without identities; the expression gives its code where it has a pole or no value.
macro_rules! opaque_functions_of_two {
    ($($(#[$doc:meta])* $f:ident $name:literal $special:expr;)*) => {
        $($(#[$doc])*
        pub fn $f(a: (&[Residue], &[f64]), b: (&[Residue], &[f64]), out: &mut [Residue]) -> u64 {
            const KEY: u64 = opaque_key($name);
            let special: fn(f64, f64) -> Option<Residue> = $special;
            each2(a, b, out, |(r, x), (s, y)| {
                Quotient::Value(if r == UNDEFINED || s == UNDEFINED {
                    UNDEFINED
                } else {
                    special(x, y).unwrap_or(opaque2(KEY, r, s))
                })
            })
        })*
    };
}
opaque_functions_of_two! {
    /// zeta(x, q): +inf at x = 1, undefined for x < 1; at q = 0, -1, -2, ... +inf for even x, else undefined.
    zeta "zeta" |x, q| {
        if x < 1.0 || (q <= 0.0 && x != x.floor() && q != q.floor()) {
            Some(UNDEFINED)
        } else if x == 1.0 {
            Some(POSITIVE_INFINITY)
        } else if q <= 0.0 && q == q.floor() {
            Some(if x % 2.0 == 0.0 { POSITIVE_INFINITY } else { UNDEFINED })
        } else {
            None
        }
    };
    /// polygamma(n, x): undefined for n negative or not an integer; at x = 0, -1, -2, ... +inf for odd n, else undefined.
    polygamma "polygamma" |n, x| {
        if n < 0.0 || n != n.floor() {
            Some(UNDEFINED)
        } else if x <= 0.0 && x == x.floor() {
            Some(if n % 2.0 == 0.0 { UNDEFINED } else { POSITIVE_INFINITY })
        } else {
            None
        }
    };
}
