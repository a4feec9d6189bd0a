//! Encodings of the narrow float types (8 bits and less): bits to value and back, round to nearest even.
//!
//! Source: OCP FP8 and MX specifications; LLVM APFloat semantics of the same names.

use crate::types::ElementType;

/// Layout of a narrow float type.
#[derive(Debug, Clone, Copy)]
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
}

/// How a narrow type encodes what is not a finite number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Special {
    /// Infinities and NaN as IEEE 754.
    Ieee,
    /// No infinities; NaN is all ones (with either sign).
    AllOnes,
    /// No infinities, no -0; NaN is the pattern of -0.
    NegativeZero,
    /// Finite numbers only.
    None,
}

/// Format of `element`; none when it is not a float of at most 8 bits, or is F8E8M0FNU (powers of two, no sign).
fn format(element: &ElementType) -> Option<Format> {
    let f = |exponent_bits, mantissa_bits, bias, special| {
        Some(Format {
            exponent_bits,
            mantissa_bits,
            bias,
            special,
        })
    };
    match element {
        ElementType::F8E3M4 => f(3, 4, 3, Special::Ieee),
        ElementType::F8E4M3 => f(4, 3, 7, Special::Ieee),
        ElementType::F8E5M2 => f(5, 2, 15, Special::Ieee),
        ElementType::F8E4M3FN => f(4, 3, 7, Special::AllOnes),
        ElementType::F8E4M3FNUZ => f(4, 3, 8, Special::NegativeZero),
        ElementType::F8E4M3B11FNUZ => f(4, 3, 11, Special::NegativeZero),
        ElementType::F8E5M2FNUZ => f(5, 2, 16, Special::NegativeZero),
        ElementType::F6E2M3FN => f(2, 3, 1, Special::None),
        ElementType::F6E3M2FN => f(3, 2, 3, Special::None),
        ElementType::F4E2M1FN => f(2, 1, 1, Special::None),
        _ => None,
    }
}

/// Value of the `bits` of a float type of at most 8 bits; exact. NaN for other types.
pub fn narrow_to_f64(element: &ElementType, bits: u8) -> f64 {
    if *element == ElementType::F8E8M0FNU {
        return if bits == 0xff {
            f64::NAN
        } else {
            (f64::from(bits) - 127.0).exp2()
        };
    }
    let Some(f) = format(element) else {
        return f64::NAN;
    };
    let width = 1 + f.exponent_bits + f.mantissa_bits;
    let magnitude = u32::from(bits) & ((1 << (width - 1)) - 1);
    let negative = (u32::from(bits) >> (width - 1)) & 1 == 1;
    let exponent_mask = (1u32 << f.exponent_bits) - 1;
    let (exponent, mantissa) = (
        magnitude >> f.mantissa_bits,
        magnitude & ((1 << f.mantissa_bits) - 1),
    );
    let sign = if negative { -1.0 } else { 1.0 };
    match f.special {
        Special::Ieee if exponent == exponent_mask => {
            return if mantissa == 0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        Special::AllOnes if magnitude == (1 << (width - 1)) - 1 => return f64::NAN,
        Special::NegativeZero if negative && magnitude == 0 => return f64::NAN,
        Special::Ieee | Special::AllOnes | Special::NegativeZero | Special::None => {}
    }
    let scale = |e: i32| 2f64.powi(e - f.bias - f.mantissa_bits as i32);
    if exponent == 0 {
        sign * f64::from(mantissa) * scale(1)
    } else {
        sign * f64::from(mantissa | 1 << f.mantissa_bits) * scale(exponent as i32)
    }
}

/// Bits of `value` rounded to nearest even in a float type of at most 8 bits. What has no encoding (overflow of a type without infinities)
/// becomes NaN, or the largest finite number where the type has no NaN.
pub fn f64_to_narrow(element: &ElementType, value: f64) -> u8 {
    if *element == ElementType::F8E8M0FNU {
        return f64_to_e8m0(value);
    }
    let Some(f) = format(element) else { return 0 };
    let width = 1 + f.exponent_bits + f.mantissa_bits;
    let sign_bit = if value.is_sign_negative() {
        1u32 << (width - 1)
    } else {
        0
    };
    let all_ones = (1u32 << (width - 1)) - 1;
    let exponent_mask = ((1u32 << f.exponent_bits) - 1) << f.mantissa_bits;
    let (largest, nan, infinity) = match f.special {
        Special::Ieee => (
            exponent_mask - 1,
            sign_bit | exponent_mask | 1 << (f.mantissa_bits - 1),
            sign_bit | exponent_mask,
        ),
        Special::AllOnes => (all_ones - 1, sign_bit | all_ones, sign_bit | all_ones),
        Special::NegativeZero => (all_ones, 1 << (width - 1), 1 << (width - 1)),
        Special::None => (all_ones, all_ones, sign_bit | all_ones),
    };
    if value.is_nan() {
        return nan as u8;
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return infinity as u8;
    }
    // The exponent of the last place of the result, then the significand rounded to an integer by f64's own ties-to-even.
    let exponent = if magnitude == 0.0 {
        1 - f.bias
    } else {
        (magnitude.log2().floor() as i32).max(1 - f.bias)
    };
    let exponent = if magnitude > 0.0 && 2f64.powi(exponent) > magnitude && exponent > 1 - f.bias {
        exponent - 1
    } else {
        exponent
    };
    let exponent = if 2f64.powi(exponent + 1) <= magnitude {
        exponent + 1
    } else {
        exponent
    };
    let significand =
        (magnitude / 2f64.powi(exponent - f.mantissa_bits as i32)).round_ties_even() as u64;
    // Adding the significand to the exponent field carries into the exponent when rounding reached the next power of two.
    let code = (((exponent + f.bias - 1) as u64) << f.mantissa_bits) + significand;
    if code > u64::from(largest) {
        return infinity as u8;
    }
    if code == 0 && f.special == Special::NegativeZero {
        0
    } else {
        (sign_bit | code as u32) as u8
    }
}

/// F8E8M0FNU: powers of two from 2^-127 to 2^127, 0xff is NaN; no sign and no zero. Negative numbers and NaN give NaN.
fn f64_to_e8m0(value: f64) -> u8 {
    if value.is_nan() || value < 0.0 || value.is_infinite() {
        return 0xff;
    }
    let (low, mut code) = (2f64.powi(-127), 0u8);
    if value <= low {
        return 0;
    }
    while code < 0xfe && 2f64.powi(i32::from(code) + 1 - 127) <= value {
        code += 1;
    }
    let here = 2f64.powi(i32::from(code) - 127);
    let middle = here * 1.5;
    let up = value > middle || (value == middle && code & 1 == 1);
    if up { code.saturating_add(1) } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_every_narrow_type_round_trips() {
        for element in ElementType::all().filter(|e| e.is_float() && e.bits() <= 8) {
            for bits in 0..=(((1u16 << element.bits()) - 1) as u8) {
                let value = narrow_to_f64(&element, bits);
                let back = f64_to_narrow(&element, value);
                let again = narrow_to_f64(&element, back);
                assert!(
                    again.to_bits() == value.to_bits() || (again.is_nan() && value.is_nan()),
                    "{element} {bits:#x} {value} {back:#x}"
                );
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(narrow_to_f64(&ElementType::F8E4M3FN, 0x7e), 448.0);
        assert_eq!(narrow_to_f64(&ElementType::F8E5M2, 0x7b), 57344.0);
        assert_eq!(f64_to_narrow(&ElementType::F8E4M3FN, 1.0), 0x38);
        assert_eq!(
            f64_to_narrow(&ElementType::F8E4M3FN, 464.1),
            0x7f,
            "past the middle to the next step: NaN"
        );
        assert_eq!(
            f64_to_narrow(&ElementType::F8E4M3FN, 464.0),
            0x7e,
            "a tie goes to the even largest number"
        );
        assert_eq!(f64_to_narrow(&ElementType::F8E5M2, 1e9), 0x7c);
        assert_eq!(f64_to_narrow(&ElementType::F4E2M1FN, 100.0), 0x7);
        assert_eq!(
            f64_to_narrow(&ElementType::F8E4M3FN, 2f64.powi(-10)),
            0,
            "half of the smallest subnormal ties to zero"
        );
    }
}
