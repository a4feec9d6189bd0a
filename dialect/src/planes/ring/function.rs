//! Functions of real numbers in the field (DESIGN.md section 6, opaque ops): keyed hashes that keep the identities named at each function.
//!
//! A [`Function`] takes a slice: residues and IEEE operands in, residues out, all of one length. Codes arise at poles and outside the domain by the
//! IEEE operand. It gives the number of elements that met a zero divisor this seed cannot decide.

use super::exponential;
use super::function_of_two::atan2_residue;
use super::inverse::{invert, square_roots};
use super::{
    NEGATIVE_INFINITY, P, POSITIVE_INFINITY, Residue, UNDEFINED, add, add_residues, embed_f64,
    is_code, mul_residues, neg, neg_residue, opaque, opaque_key, sub,
};

/// A function of one operand: residues, IEEE operands, results.
pub type Function = fn(&[Residue], &[f64], &mut [Residue]) -> u64;

/// 1/2 in the field.
pub const HALF: Residue = P.div_ceil(2);

/// Powers of 7, a generator of the multiplicative group, in three digits: 7^e is the product of one entry of each.
static POWERS: [[u32; 2048]; 3] = powers();

const fn powers() -> [[u32; 2048]; 3] {
    let mut table = [[1; 2048]; 3];
    let (mut digit, mut base) = (0, 7);
    while digit < 3 {
        let mut i = 1;
        while i < 2048 {
            table[digit][i] = mul_residues(table[digit][i - 1], base);
            i += 1;
        }
        base = mul_residues(table[digit][2047], base);
        digit += 1;
    }
    table
}

/// 7^e for e < 2^33.
#[inline(always)]
pub(super) fn power_of_generator(e: u64) -> u32 {
    let digit = |k: usize| POWERS[k][(e >> (11 * k)) as usize & 2047];
    mul_residues(mul_residues(digit(0), digit(1)), digit(2))
}

/// A nonzero hash of (key, r) whose value at `-r` is its inverse, and 1 at 0.
#[inline(always)]
pub(super) fn antisymmetric_exponent(key: u64, r: u32) -> u32 {
    let negated = neg_residue(r);
    let exponent = u64::from(opaque(key, r.min(negated)));
    if r == 0 {
        1
    } else if r < negated {
        power_of_generator(exponent)
    } else {
        power_of_generator(u64::from(P - 1) - exponent)
    }
}

/// A hash of (key, r) that is odd in r: 0 at 0.
#[inline(always)]
fn odd(key: u64, r: u32) -> u32 {
    let negated = neg_residue(r);
    let value = opaque(key, r.min(negated));
    if r == 0 {
        0
    } else if r < negated {
        value
    } else {
        neg_residue(value)
    }
}

/// A hash of (key, r) that is even in r.
#[inline(always)]
fn even(key: u64, r: u32) -> u32 {
    opaque(key, r.min(neg_residue(r)))
}

/// Applies a scalar definition to a slice.
#[inline(always)]
pub fn each(
    r: &[Residue],
    x: &[f64],
    out: &mut [Residue],
    f: impl Fn(Residue, f64) -> Residue,
) -> u64 {
    for ((o, r), x) in out.iter_mut().zip(r).zip(x) {
        *o = f(*r, *x);
    }
    0
}

/// The number `f` chooses on the IEEE plane, embedded; codes stay.
#[inline(always)]
pub fn chosen(r: &[Residue], x: &[f64], out: &mut [Residue], f: impl Fn(f64) -> f64) -> u64 {
    each(
        r,
        x,
        out,
        |r, x| if is_code(r) { r } else { embed_f64(f(x)) },
    )
}

fn code_at_infinity(r: Residue, positive: Residue, negative: Residue) -> Residue {
    match r {
        POSITIVE_INFINITY => positive,
        NEGATIVE_INFINITY => negative,
        _ => UNDEFINED,
    }
}

/// exp(-x) = 1/exp(x), exp(0) = 1, exp(a + b) = exp(a) exp(b) up to turns ([`exponential`]).
#[inline(always)]
pub fn exp_residue(r: Residue) -> Residue {
    if is_code(r) {
        code_at_infinity(r, POSITIVE_INFINITY, 0)
    } else {
        exponential::power(r)
    }
}

pub fn exp(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| exp_residue(r))
}

/// exp(x) - 1.
pub fn exp_minus_one(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| sub(exp_residue(r), 1))
}

/// 1 / (1 + exp(-x)).
pub fn logistic(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| add(1, exp_residue(neg(r))));
    invert(out)
}

/// 2 logistic(2x) - 1.
pub fn tanh(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| add(1, exp_residue(neg(add(r, r)))));
    let zeros = invert(out);
    out.iter_mut().for_each(|o| *o = sub(add(*o, *o), 1));
    zeros
}

const LOG: u64 = opaque_key("log");

/// log(exp(x)) = x, log(1/x) = -log(x), log(1) = 0, log(xy) = log(x) + log(y) up to turns ([`exponential`]); 0 gives -inf, negative numbers are undefined.
pub fn log(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, x| {
        if is_code(r) {
            code_at_infinity(r, POSITIVE_INFINITY, UNDEFINED)
        } else if x == 0.0 {
            NEGATIVE_INFINITY
        } else if x < 0.0 {
            UNDEFINED
        } else if r == 0 {
            opaque(LOG, r)
        } else {
            exponential::logarithm(r)
        }
    })
}

/// log(1 + x).
pub fn log_plus_one(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    composed(r, x, out, log, |r, x| (add(1, r), 1.0 + x))
}

/// Applies `outer` to the values `inner` gives for residue and IEEE operand.
fn composed(
    r: &[Residue],
    x: &[f64],
    out: &mut [Residue],
    outer: Function,
    inner: impl Fn(Residue, f64) -> (Residue, f64),
) -> u64 {
    const CHUNK: usize = 256;
    let (mut residues, mut values) = ([0; CHUNK], [0.0; CHUNK]);
    let mut zeros = 0;
    for ((r, x), out) in r
        .chunks(CHUNK)
        .zip(x.chunks(CHUNK))
        .zip(out.chunks_mut(CHUNK))
    {
        let (residues, values) = (&mut residues[..r.len()], &mut values[..r.len()]);
        for ((a, b), (r, x)) in residues
            .iter_mut()
            .zip(values.iter_mut())
            .zip(r.iter().zip(x))
        {
            (*a, *b) = inner(*r, *x);
        }
        zeros += outer(residues, values, out);
    }
    zeros
}

/// x^(2^29): multiplicative; negative numbers are undefined.
pub fn sqrt(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    out.copy_from_slice(r);
    square_roots(out);
    for ((o, r), x) in out.iter_mut().zip(r).zip(x) {
        if is_code(*r) {
            *o = code_at_infinity(*r, POSITIVE_INFINITY, UNDEFINED);
        } else if *x < 0.0 {
            *o = UNDEFINED;
        }
    }
    0
}

/// 1 / sqrt(x); at +0 and -0 the infinity of that sign.
pub fn rsqrt(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    sqrt(r, x, out);
    invert(out);
    let mut zeros = 0;
    for ((o, r), x) in out.iter_mut().zip(r).zip(x) {
        if is_code(*r) || *x < 0.0 {
            continue;
        }
        if *x == 0.0 {
            *o = if x.is_sign_negative() {
                NEGATIVE_INFINITY
            } else {
                POSITIVE_INFINITY
            };
        } else if *r == 0 {
            zeros += 1;
        }
    }
    zeros
}

/// Odd function of name `$name` with its limits at +inf and -inf.
macro_rules! odd_functions {
    ($($(#[$doc:meta])* $f:ident $name:literal $positive:expr, $negative:expr;)*) => {
        $($(#[$doc])*
        pub fn $f(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
            const KEY: u64 = opaque_key($name);
            each(r, x, out, |r, _| if is_code(r) { code_at_infinity(r, $positive, $negative) } else { odd(KEY, r) })
        })*
    };
}
odd_functions! {
    /// sin(-x) = -sin(x).
    sin "sin" UNDEFINED, UNDEFINED;
    /// cbrt(-x) = -cbrt(x).
    cbrt "cbrt" POSITIVE_INFINITY, NEGATIVE_INFINITY;
    /// erf(-x) = -erf(x).
    erf "erf" 1, P - 1;
    /// asinh(-x) = -asinh(x).
    asinh "asinh" POSITIVE_INFINITY, NEGATIVE_INFINITY;
    /// bessel_i1e(-x) = -bessel_i1e(x).
    bessel_i1e "bessel_i1e" 0, 0;
}

const COS: u64 = opaque_key("cos");

/// cos(-x) = cos(x), cos(0) = 1.
pub fn cos(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| {
        if is_code(r) {
            UNDEFINED
        } else if r == 0 {
            1
        } else {
            even(COS, r)
        }
    })
}

/// sin(x) / cos(x).
pub fn tan(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    cos(r, x, out);
    let zeros = invert(out);
    const SIN: u64 = opaque_key("sin");
    for (o, r) in out.iter_mut().zip(r) {
        if !is_code(*r) {
            *o = mul_residues(*o, odd(SIN, *r));
        }
    }
    zeros
}

/// 1 - erf(x).
pub fn erfc(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    erf(r, x, out);
    out.iter_mut().for_each(|o| *o = sub(1, *o));
    0
}

/// (exp(x) - exp(-x)) / 2.
pub fn sinh(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| {
        if is_code(r) {
            r
        } else {
            mul_residues(HALF, sub(exp_residue(r), exp_residue(neg(r))))
        }
    })
}

/// (exp(x) + exp(-x)) / 2.
pub fn cosh(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, _| {
        if is_code(r) {
            code_at_infinity(r, POSITIVE_INFINITY, POSITIVE_INFINITY)
        } else {
            mul_residues(HALF, add_residues(exp_residue(r), exp_residue(neg(r))))
        }
    })
}

/// (log(1 + x) - log(1 - x)) / 2.
pub fn atanh(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    composed(r, x, out, log, |r, x| (add(1, r), 1.0 + x));
    let mut minus = vec![0; out.len()];
    composed(r, x, &mut minus, log, |r, x| (sub(1, r), 1.0 - x));
    for (o, m) in out.iter_mut().zip(minus) {
        let difference = sub(*o, m);
        *o = if is_code(difference) {
            difference
        } else {
            mul_residues(HALF, difference)
        };
    }
    0
}

/// Undefined below 1, 0 at 1.
pub fn acosh(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    const KEY: u64 = opaque_key("acosh");
    each(r, x, out, |r, x| {
        if is_code(r) {
            code_at_infinity(r, POSITIVE_INFINITY, UNDEFINED)
        } else if x < 1.0 {
            UNDEFINED
        } else if r == 1 {
            0
        } else {
            opaque(KEY, r)
        }
    })
}

/// atan2(x, 1).
pub fn atan(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    each(r, x, out, |r, x| atan2_residue((r, x), (1, 1.0)))
}

/// 2 atan2(x, 1 + sqrt(1 - x^2)).
pub fn asin(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    roots_of_complement(r, x, out);
    for ((o, r), x) in out.iter_mut().zip(r).zip(x) {
        let cosine = ((1.0 - x) * (1.0 + x)).sqrt();
        *o = twice(atan2_residue((*r, *x), (add(1, *o), 1.0 + cosine)));
    }
    0
}

/// 2 atan2(sqrt(1 - x^2), 1 + x).
pub fn acos(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    roots_of_complement(r, x, out);
    for ((o, r), x) in out.iter_mut().zip(r).zip(x) {
        let cosine = ((1.0 - x) * (1.0 + x)).sqrt();
        *o = twice(atan2_residue((*o, cosine), (add(1, *r), 1.0 + x)));
    }
    0
}

fn roots_of_complement(r: &[Residue], x: &[f64], out: &mut [Residue]) {
    composed(r, x, out, sqrt, |r, x| {
        let square = if is_code(r) {
            UNDEFINED
        } else {
            mul_residues(r, r)
        };
        (sub(1, square), (1.0 - x) * (1.0 + x))
    });
}

pub(super) fn twice(r: Residue) -> Residue {
    add(r, r)
}

/// erf_inv(-x) = -erf_inv(x); infinities at 1 and -1, undefined beyond.
pub fn erf_inv(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    const KEY: u64 = opaque_key("erf_inv");
    each(r, x, out, |r, x| {
        if is_code(r) || x.abs() > 1.0 {
            UNDEFINED
        } else if x == 1.0 {
            POSITIVE_INFINITY
        } else if x == -1.0 {
            NEGATIVE_INFINITY
        } else {
            odd(KEY, r)
        }
    })
}

/// +inf at 0, -1, -2, ...
pub fn lgamma(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    const KEY: u64 = opaque_key("lgamma");
    each(r, x, out, |r, x| {
        if is_code(r) {
            code_at_infinity(r, POSITIVE_INFINITY, POSITIVE_INFINITY)
        } else if x <= 0.0 && x == x.floor() && x.is_finite() {
            POSITIVE_INFINITY
        } else {
            opaque(KEY, r)
        }
    })
}

/// Undefined at 0, -1, -2, ...
pub fn digamma(r: &[Residue], x: &[f64], out: &mut [Residue]) -> u64 {
    const KEY: u64 = opaque_key("digamma");
    each(r, x, out, |r, x| {
        if is_code(r) {
            code_at_infinity(r, POSITIVE_INFINITY, UNDEFINED)
        } else if x <= 0.0 && x == x.floor() && x.is_finite() {
            UNDEFINED
        } else {
            opaque(KEY, r)
        }
    })
}
