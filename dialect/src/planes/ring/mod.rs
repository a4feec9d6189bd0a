//! The exact plane: the field of integers modulo p = 2^31 - 1, with codes for infinities and undefined values.
//!
//! An element is a `u32`: a residue below [`P`], or a code (top bit set). Rules: DESIGN.md section 6. Arithmetic here is scalar and written to be
//! read; `runtime/reference/fast` has the vector versions.

use std::cmp::Ordering;

pub mod complex;
pub mod exponential;
pub mod function;
pub mod function_of_two;
#[cfg(test)]
mod identities;
pub mod inverse;

/// A residue or a code.
pub type Residue = u32;

/// The modulus, a Mersenne prime; 2 has order 31 modulo it, so scaling by a power of two is a rotation.
pub const P: u32 = 0x7fff_ffff;
pub const POSITIVE_INFINITY: Residue = 0x8000_0000;
pub const NEGATIVE_INFINITY: Residue = 0x8000_0001;
pub const UNDEFINED: Residue = 0x8000_0002;

/// Whether `r` is a code, not a residue.
#[inline(always)]
pub fn is_code(r: Residue) -> bool {
    r & 0x8000_0000 != 0
}

/// Remainder of any `u64`.
#[inline(always)]
pub const fn reduce(x: u64) -> u32 {
    let once = (x & P as u64) + (x >> 31);
    let twice = ((once & P as u64) + (once >> 31)) as u32;
    if twice >= P { twice - P } else { twice }
}

#[inline(always)]
pub fn add_residues(a: u32, b: u32) -> u32 {
    let s = a + b;
    if s >= P { s - P } else { s }
}

#[inline(always)]
pub fn neg_residue(a: u32) -> u32 {
    if a == 0 { 0 } else { P - a }
}

#[inline(always)]
pub const fn mul_residues(a: u32, b: u32) -> u32 {
    reduce(a as u64 * b as u64)
}

/// `base` to the power of `exponent` in the field.
pub fn pow_residue(base: u32, mut exponent: u64) -> u32 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul_residues(result, square);
        }
        square = mul_residues(square, square);
        exponent >>= 1;
    }
    result
}

/// Inverse of a nonzero residue; 0 for 0.
pub fn inv_residue(a: u32) -> u32 {
    pow_residue(a, u64::from(P) - 2)
}

/// Code + finite = code; infinities of opposite sign cancel to undefined.
#[inline(always)]
pub fn add(a: Residue, b: Residue) -> Residue {
    if !is_code(a | b) {
        return add_residues(a, b);
    }
    match (is_code(a), is_code(b)) {
        (true, false) => a,
        (false, true) => b,
        (true, true) | (false, false) => {
            if a == b {
                a
            } else {
                UNDEFINED
            }
        }
    }
}

#[inline(always)]
pub fn neg(a: Residue) -> Residue {
    match a {
        POSITIVE_INFINITY => NEGATIVE_INFINITY,
        NEGATIVE_INFINITY => POSITIVE_INFINITY,
        UNDEFINED => UNDEFINED,
        _ => neg_residue(a),
    }
}

#[inline(always)]
pub fn sub(a: Residue, b: Residue) -> Residue {
    add(a, neg(b))
}

/// Sign of an element for products with infinities: of the code, else of the IEEE operand, whose NaN has none (its sign bit is not kept by any pass).
fn sign(r: Residue, ieee: f64) -> Ordering {
    match r {
        POSITIVE_INFINITY => Ordering::Greater,
        NEGATIVE_INFINITY => Ordering::Less,
        0 => Ordering::Equal,
        _ if ieee.is_nan() => Ordering::Equal,
        _ if ieee.is_sign_negative() => Ordering::Less,
        _ => Ordering::Greater,
    }
}

fn infinity(sign: Ordering) -> Residue {
    match sign {
        Ordering::Greater => POSITIVE_INFINITY,
        Ordering::Less => NEGATIVE_INFINITY,
        Ordering::Equal => UNDEFINED,
    }
}

/// Product; `ieee` gives the IEEE operands, looked at only beside an infinity.
#[inline(always)]
pub fn mul(a: Residue, b: Residue, ieee: impl FnOnce() -> (f64, f64)) -> Residue {
    if !is_code(a | b) {
        return mul_residues(a, b);
    }
    if a == UNDEFINED || b == UNDEFINED {
        return UNDEFINED;
    }
    let (x, y) = ieee();
    match (sign(a, x), sign(b, y)) {
        (Ordering::Equal, _) | (_, Ordering::Equal) => UNDEFINED,
        (s, t) => infinity(if s == t {
            Ordering::Greater
        } else {
            Ordering::Less
        }),
    }
}

/// What a division met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotient {
    Value(Residue),
    /// The residue of the divisor is zero and its IEEE value is not: this seed cannot decide. Where every seed says so, the divisor is zero on the real
    /// numbers, and rounding errors are divided by: see [`by_zero`].
    ZeroDivisor,
}

/// Quotient of `a` by what is zero in the ring alone: 1/0 is one number for all, so that two ways to write one quotient mostly agree. Whether they differ,
/// such a residue does not say.
pub fn by_zero(a: Residue) -> Residue {
    const INVERSE: Residue = 0x5a7d_3b91;
    if is_code(a) {
        UNDEFINED
    } else {
        mul_residues(a, INVERSE)
    }
}

/// Quotient of `a` by `b`, whose IEEE operands are `x` and `y`.
pub fn div(a: Residue, b: Residue, x: f64, y: f64) -> Quotient {
    if a == UNDEFINED || b == UNDEFINED || (is_code(a) && is_code(b)) {
        return Quotient::Value(UNDEFINED);
    }
    if is_code(b) {
        return Quotient::Value(0);
    }
    if b == 0 {
        if y != 0.0 && !y.is_nan() {
            return Quotient::ZeroDivisor;
        }
        let s = match sign(a, x) {
            _ if y.is_nan() => Ordering::Equal,
            s if y.is_sign_negative() => s.reverse(),
            s => s,
        };
        return Quotient::Value(infinity(s));
    }
    if is_code(a) {
        let s = match sign(a, x) {
            _ if y.is_nan() => Ordering::Equal,
            s if y.is_sign_negative() => s.reverse(),
            s => s,
        };
        return Quotient::Value(infinity(s));
    }
    Quotient::Value(mul_residues(a, inv_residue(b)))
}

/// Exact dyadic value of a float in the field; infinities and NaN give codes. `-0` is 0.
pub fn embed_f64(value: f64) -> Residue {
    if value.is_nan() {
        return UNDEFINED;
    }
    if value.is_infinite() {
        return if value > 0.0 {
            POSITIVE_INFINITY
        } else {
            NEGATIVE_INFINITY
        };
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (significand, power) = if exponent == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 1075)
    };
    let scaled = mul_residues(reduce(significand), 1 << power.rem_euclid(31));
    if value < 0.0 {
        neg_residue(scaled)
    } else {
        scaled
    }
}

/// An integer in the field.
pub fn embed_i128(value: i128) -> Residue {
    value.rem_euclid(i128::from(P)) as u32
}

/// Mixes 64 bits (splitmix64's finalizer).
#[inline(always)]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A uniform nonzero residue from a hash.
#[inline(always)]
pub fn from_hash(hash: u64) -> Residue {
    1 + ((u128::from(hash) * u128::from(P - 1)) >> 64) as u32
}

/// Residue of element `index` of input `argument` under `seed`.
#[inline(always)]
pub fn input(seed: u64, argument: u64, index: u64) -> Residue {
    from_hash(mix(
        mix(seed ^ argument.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_add(index.wrapping_mul(0xd1b5_4a32_d192_ed03))
            ^ 0x5851_f42d_4c95_7f2d,
    ))
}

/// Key of the opaque function `name`; the same for every program and seed.
pub const fn opaque_key(name: &str) -> u64 {
    let (bytes, mut hash, mut i) = (name.as_bytes(), 0x2545_f491_4f6c_dd1d, 0);
    while i < bytes.len() {
        hash = mix(hash ^ bytes[i] as u64);
        i += 1;
    }
    hash
}

/// The keyed hash of (name, residue): never 0, so that it can stand as divisor.
#[inline(always)]
pub fn opaque(key: u64, r: Residue) -> Residue {
    from_hash(mix(key ^ u64::from(r)))
}

/// The keyed hash of (name, residue, residue).
#[inline(always)]
pub fn opaque2(key: u64, a: Residue, b: Residue) -> Residue {
    from_hash(mix(mix(key ^ u64::from(a)) ^ u64::from(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_laws_on_random_residues() {
        for i in 0..1000 {
            let [a, b, c] = [0, 1, 2].map(|k| input(7, k, i));
            assert_eq!(
                mul_residues(a, add_residues(b, c)),
                add_residues(mul_residues(a, b), mul_residues(a, c))
            );
            assert_eq!(mul_residues(a, inv_residue(a)), 1);
            assert_eq!(add(a, neg(a)), 0);
        }
    }

    #[test]
    fn embedding_is_exact_on_dyadics() {
        assert_eq!(mul_residues(embed_f64(0.5), 2), 1);
        assert_eq!(add(embed_f64(0.1), embed_f64(-0.1)), 0);
        assert_eq!(embed_f64(3.0), 3);
        assert_eq!(embed_f64(-1.0), P - 1);
        assert_eq!(
            mul_residues(embed_f64(5e-324), embed_f64(2f64.powi(1000))),
            embed_f64(2f64.powi(-74))
        );
    }

    #[test]
    fn a_nan_beside_an_infinity_has_no_sign() {
        for nan in [f64::NAN, -f64::NAN] {
            let product = mul(POSITIVE_INFINITY, 5, || (f64::INFINITY, nan));
            assert_eq!(product, UNDEFINED);
            let quotient = div(NEGATIVE_INFINITY, 5, f64::NEG_INFINITY, nan);
            assert_eq!(quotient, Quotient::Value(UNDEFINED));
        }
        assert_eq!(
            mul(POSITIVE_INFINITY, 5, || (f64::INFINITY, -2.0)),
            NEGATIVE_INFINITY
        );
    }

    #[test]
    fn codes() {
        let zero = || (0.0, 0.0);
        assert_eq!(add(POSITIVE_INFINITY, 5), POSITIVE_INFINITY);
        assert_eq!(sub(POSITIVE_INFINITY, POSITIVE_INFINITY), UNDEFINED);
        assert_eq!(mul(0, POSITIVE_INFINITY, zero), UNDEFINED);
        assert_eq!(
            mul(5, POSITIVE_INFINITY, || (-2.0, f64::INFINITY)),
            NEGATIVE_INFINITY
        );
        assert_eq!(div(5, 0, 2.0, 0.0), Quotient::Value(POSITIVE_INFINITY));
        assert_eq!(div(5, 0, 2.0, 1e-3), Quotient::ZeroDivisor);
        assert_eq!(
            div(5, NEGATIVE_INFINITY, 2.0, f64::NEG_INFINITY),
            Quotient::Value(0)
        );
    }
}
