//! Numbers of the witness: bits of every element type to a number and back, by the formulas of the types. No code of the dialect but the type names.

use tileproof_dialect::{
    buffer::Buffer,
    tensor::Tensor,
    types::{Class, ElementType},
};

/// One element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Integers and booleans.
    Int(i128),
    Real(f64),
    Complex(f64, f64),
}

/// A tensor as plain numbers, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub dims: Vec<usize>,
    pub ty: ElementType,
    pub data: Vec<Number>,
}

impl Array {
    pub fn int(&self, i: usize) -> i128 {
        match self.data[i] {
            Number::Int(v) => v,
            Number::Real(v) => v as i128,
            Number::Complex(re, _) => re as i128,
        }
    }
}

/// Sign, exponent and fraction of a float type: (exponent bits, fraction bits, bias, what the patterns beyond the finite numbers are).
fn float_format(ty: &ElementType) -> Option<(u32, u32, i32, Beyond)> {
    Some(match ty {
        ElementType::F64 => (11, 52, 1023, Beyond::Infinities),
        ElementType::F32 => (8, 23, 127, Beyond::Infinities),
        ElementType::BF16 => (8, 7, 127, Beyond::Infinities),
        ElementType::F16 => (5, 10, 15, Beyond::Infinities),
        ElementType::F8E3M4 => (3, 4, 3, Beyond::Infinities),
        ElementType::F8E4M3 => (4, 3, 7, Beyond::Infinities),
        ElementType::F8E5M2 => (5, 2, 15, Beyond::Infinities),
        ElementType::F8E4M3FN => (4, 3, 7, Beyond::NanAtTop),
        ElementType::F8E4M3FNUZ => (4, 3, 8, Beyond::NanAtMinusZero),
        ElementType::F8E4M3B11FNUZ => (4, 3, 11, Beyond::NanAtMinusZero),
        ElementType::F8E5M2FNUZ => (5, 2, 16, Beyond::NanAtMinusZero),
        ElementType::F6E2M3FN => (2, 3, 1, Beyond::Nothing),
        ElementType::F6E3M2FN => (3, 2, 3, Beyond::Nothing),
        ElementType::F4E2M1FN => (2, 1, 1, Beyond::Nothing),
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Beyond {
    Infinities,
    NanAtTop,
    NanAtMinusZero,
    Nothing,
}

/// The float that a bit pattern is.
fn float_of_bits(ty: &ElementType, bits: u64) -> f64 {
    if *ty == ElementType::F8E8M0FNU {
        return if bits == 255 {
            f64::NAN
        } else {
            2f64.powi(bits as i32 - 127)
        };
    }
    let Some((e, f, bias, beyond)) = float_format(ty) else {
        return f64::NAN;
    };
    let fraction = bits & ((1 << f) - 1);
    let exponent = bits >> f & ((1 << e) - 1);
    let negative = bits >> (e + f) & 1 == 1;
    let top = (1 << e) - 1;
    let special = match beyond {
        Beyond::Infinities => exponent == top,
        Beyond::NanAtTop => exponent == top && fraction == (1 << f) - 1,
        Beyond::NanAtMinusZero => negative && exponent == 0 && fraction == 0,
        Beyond::Nothing => false,
    };
    let magnitude = match (special, exponent) {
        (true, _) if beyond == Beyond::Infinities && fraction == 0 => f64::INFINITY,
        (true, _) => f64::NAN,
        (false, 0) => fraction as f64 * 2f64.powi(1 - bias) / 2f64.powi(f as i32),
        (false, n) => (1.0 + fraction as f64 / 2f64.powi(f as i32)) * 2f64.powi(n as i32 - bias),
    };
    if negative { -magnitude } else { magnitude }
}

/// `value` rounded once to nearest even to a number of the type. Beyond the largest number: infinity, NaN, or the largest, as the type has it.
pub fn rounded(ty: &ElementType, value: f64) -> f64 {
    if *ty == ElementType::F64 || value == 0.0 && has_minus_zero(ty) {
        return value;
    }
    if *ty == ElementType::F8E8M0FNU {
        return if value < 0.0 || value.is_nan() || value > 1.5 * 2f64.powi(127) {
            f64::NAN
        } else {
            nearest_power(value)
        };
    }
    let Some((e, f, bias, beyond)) = float_format(ty) else {
        return value;
    };
    let top = (1u64 << e) - 1;
    let largest_bits = match beyond {
        Beyond::Infinities => (top << f) - 1,
        Beyond::NanAtTop => (top << f | ((1 << f) - 1)) - 1,
        Beyond::NanAtMinusZero | Beyond::Nothing => top << f | ((1 << f) - 1),
    };
    let largest = float_of_bits(ty, largest_bits);
    let over = match beyond {
        Beyond::Infinities => f64::INFINITY,
        Beyond::NanAtTop | Beyond::NanAtMinusZero => f64::NAN,
        Beyond::Nothing => largest,
    };
    if value.is_nan() {
        // Without NaN: the largest number, as the definition has it.
        return if beyond == Beyond::Nothing {
            largest
        } else {
            f64::NAN
        };
    }
    if value.is_infinite() {
        return over.copysign(value);
    }
    // Exponent of the number, then the place of its last bit.
    let mut exponent = 0;
    let mut m = value.abs();
    while m >= 2.0 {
        m /= 2.0;
        exponent += 1;
    }
    while m < 1.0 && m > 0.0 && exponent > -1100 {
        m *= 2.0;
        exponent -= 1;
    }
    let last = exponent.max(1 - bias) - f as i32;
    // Scaled in two steps: the place may be below the smallest normal f64.
    let scaled = value.abs() * 2f64.powi(-last / 2) * 2f64.powi(-last - -last / 2);
    let (floor, rest) = (scaled.floor(), scaled - scaled.floor());
    let integer = if rest > 0.5 || rest == 0.5 && floor % 2.0 == 1.0 {
        floor + 1.0
    } else {
        floor
    };
    let magnitude = integer * 2f64.powi(last / 2) * 2f64.powi(last - last / 2);
    if magnitude > largest {
        return over.copysign(value);
    }
    if magnitude == 0.0 && !has_minus_zero(ty) {
        return 0.0;
    }
    magnitude.copysign(value)
}

fn has_minus_zero(ty: &ElementType) -> bool {
    float_format(ty).is_some_and(|(_, _, _, beyond)| beyond != Beyond::NanAtMinusZero)
}

/// f8E8M0FNU: powers of two from 2^-127 to 2^127; halfway goes to the even encoding (the exponent plus 127), as everywhere (ml_dtypes: 1.5 is 2).
fn nearest_power(value: f64) -> f64 {
    let mut best = f64::NAN;
    for e in -127..=127 {
        let (p, d) = (2f64.powi(e), (2f64.powi(e) - value).abs());
        let apart = (best - value).abs();
        let closer = best.is_nan() || d < apart || (d == apart && (e + 127) % 2 == 0);
        if closer {
            best = p;
        }
    }
    best
}

/// The integer of the type with the low bits of `v`.
pub fn wrapped(ty: &ElementType, v: i128) -> i128 {
    let n = ty.bits();
    let low = v & ((1i128 << n) - 1);
    match ty.class() {
        Class::Signed if low >> (n - 1) & 1 == 1 => low - (1i128 << n),
        _ => low,
    }
}

/// The tensor as numbers; none for quantized elements.
pub fn read(t: &Tensor) -> Option<Array> {
    let ty = t.element().clone();
    let size = ty.storage_bytes();
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0u64, |all, b| all << 8 | u64::from(*b))
    };
    let number = |bytes: &[u8]| {
        Some(match ty.class() {
            Class::Boolean => Number::Int(i128::from(bytes[0] & 1)),
            Class::Signed | Class::Unsigned => Number::Int(wrapped(&ty, i128::from(word(bytes)))),
            Class::Float => Number::Real(float_of_bits(&ty, word(bytes))),
            Class::Complex => {
                let part = ty.complex_part()?;
                let (re, im) = bytes.split_at(size / 2);
                Number::Complex(
                    float_of_bits(&part, word(re)),
                    float_of_bits(&part, word(im)),
                )
            }
            Class::Quantized => return None,
        })
    };
    Some(Array {
        dims: t.dims().iter().map(|n| *n as usize).collect(),
        data: t
            .ieee()
            .bytes()
            .chunks_exact(size)
            .map(number)
            .collect::<Option<_>>()?,
        ty,
    })
}

/// How far `got` is from `want` in units of the last place of `want`: 0 for the same number, infinite for another kind of number.
pub fn distance(ty: &ElementType, want: f64, got: f64) -> f64 {
    if want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan() {
        return 0.0;
    }
    if !want.is_finite() || !got.is_finite() || want == got {
        return f64::INFINITY;
    }
    let Some((_, f, bias, _)) = float_format(ty) else {
        return f64::INFINITY;
    };
    let exponent = want
        .abs()
        .max(f64::MIN_POSITIVE)
        .log2()
        .floor()
        .max(f64::from(1 - bias));
    (want - got).abs() / (exponent - f64::from(f)).exp2()
}

/// Numbers as a tensor: for feeding values that only bit patterns can say. Booleans and integers only.
pub fn integers(dims: &[u64], ty: &ElementType, values: &[i128]) -> Tensor {
    let size = ty.storage_bytes();
    let mut bytes = vec![];
    for v in values {
        bytes.extend_from_slice(&wrapped(ty, *v).to_le_bytes()[..size]);
    }
    Tensor::new(dims.to_vec(), ty.clone(), Buffer::from_slice(&bytes), None)
}
