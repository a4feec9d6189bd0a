//! Literals of HLO text: `7`, `{1, -inf, nan}`, `{ { 1, 2 }, { 3, 4 } }`, `(1, -2)` for complex numbers.
//!
//! A number is rounded once to its type. `nan(0x..)` gives the mantissa bits. `{...}` stands where XLA left a large constant out.

use super::cursor::Cursor;
use crate::{
    buffer::Buffer,
    error::Error,
    literal::Literal,
    tensor::{encode_f64s, encode_i64s},
    types::{Class, ElementType, TensorType},
};
use half::{bf16, f16};

/// A constant's value as the text has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    Value(Literal),
    /// `{...}`
    Elided,
}

/// Reads the literal of a constant of type `ty`, up to the bracket that closes the constant's operands.
pub fn read(c: &mut Cursor<'_>, ty: &TensorType) -> Result<Constant, Error> {
    c.skip_blank();
    let start = c.at();
    let Some(dims) = ty.static_dims() else {
        return Err(c.error_at(
            start,
            format!("a constant cannot have a dynamic shape: {ty}"),
        ));
    };
    if c.eat("{...}") {
        return Ok(Constant::Elided);
    }
    let mut out = vec![];
    elements(c, &dims, &ty.element, &mut out)?;
    let bytes = Buffer::from_slice(&out);
    // A list with an empty dimension has no elements; one splat element would be read as a value.
    match Literal::new(dims.clone(), ty.element.clone(), bytes) {
        Some(value) => Ok(Constant::Value(value)),
        None => Err(c.error_at(start, format!("the elements do not fit the shape {ty}"))),
    }
}

fn elements(
    c: &mut Cursor<'_>,
    dims: &[u64],
    element: &ElementType,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if dims.is_empty() {
        return scalar(c, element, out);
    }
    // Items read so far at each open depth.
    let mut open: Vec<u64> = vec![];
    loop {
        if c.eat("}") {
            let at = c.at();
            let (Some(got), Some(want)) = (open.pop(), dims.get(open.len())) else {
                return Err(c.error_at(at, "unexpected `}` in a literal"));
            };
            // XLA writes a literal with an empty inner dimension as nested or as plain empty braces.
            if got != *want && !(got == 0 && dims.contains(&0)) {
                return Err(c.error_at(
                    at,
                    format!("a list of {want} items is needed here, found {got}"),
                ));
            }
            if open.is_empty() {
                return Ok(());
            }
            continue;
        }
        if let Some(count) = open.last_mut() {
            if *count > 0 {
                c.expect(",")?;
            }
            *count += 1;
        }
        if open.len() < dims.len() {
            c.expect("{")?;
            open.push(0);
        } else {
            scalar(c, element, out)?;
        }
    }
}

fn scalar(c: &mut Cursor<'_>, element: &ElementType, out: &mut Vec<u8>) -> Result<(), Error> {
    if let Some(part) = element.complex_part() {
        if !c.eat("(") {
            // A real number stands for one with imaginary part 0.
            real(c, &part, out)?;
            out.extend(std::iter::repeat_n(0, part.storage_bytes()));
            return Ok(());
        }
        real(c, &part, out)?;
        c.expect(",")?;
        real(c, &part, out)?;
        return c.expect(")");
    }
    match element.class() {
        Class::Boolean | Class::Signed | Class::Unsigned => integer(c, element, out),
        Class::Float => real(c, element, out),
        Class::Complex | Class::Quantized => {
            Err(Error::unsupported(format!("HLO constant of type {element}")).at(&c.location()))
        }
    }
}

fn integer(c: &mut Cursor<'_>, element: &ElementType, out: &mut Vec<u8>) -> Result<(), Error> {
    c.skip_blank();
    let start = c.at();
    let text = number(c);
    let value: Option<i128> = match text {
        "true" => Some(1),
        "false" => Some(0),
        digits => digits.parse().ok(),
    };
    let Some(value) = value else {
        c.rewind(start);
        return Err(c.expected(&format!("a value of type {element}")));
    };
    let bits = element.bits();
    let (low, high) = match element.class() {
        Class::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        Class::Boolean | Class::Unsigned | Class::Float | Class::Complex | Class::Quantized => {
            (0, (1i128 << bits) - 1)
        }
    };
    if value < low || value > high {
        return Err(c.error_at(start, format!("{value} is outside the range of {element}")));
    }
    out.extend_from_slice(encode_i64s(element, &[value as i64]).bytes());
    Ok(())
}

/// The characters of a number or word.
fn number<'a>(c: &mut Cursor<'a>) -> &'a str {
    let start = c.at();
    while c.byte().is_ascii_alphanumeric() || matches!(c.byte(), b'+' | b'-' | b'.') {
        c.advance();
    }
    c.since(start)
}

fn real(c: &mut Cursor<'_>, element: &ElementType, out: &mut Vec<u8>) -> Result<(), Error> {
    c.skip_blank();
    let start = c.at();
    let text = number(c);
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "nan" {
        return nan(c, element, text.starts_with('-'), out);
    }
    // Rust's own words for numbers are not XLA's.
    let plain = unsigned.starts_with(|b: char| b.is_ascii_digit() || b == '.') || unsigned == "inf";
    let bad = |c: &mut Cursor<'_>| {
        c.rewind(start);
        c.expected(&format!("a value of type {element}"))
    };
    if !plain {
        return Err(bad(c));
    }
    match element {
        ElementType::F32 => match text.parse::<f32>() {
            Ok(v) => out.extend_from_slice(&v.to_ne_bytes()),
            Err(_) => return Err(bad(c)),
        },
        _ => match text.parse::<f64>() {
            Ok(v) => out.extend_from_slice(encode_f64s(element, &[v]).bytes()),
            Err(_) => return Err(bad(c)),
        },
    }
    Ok(())
}

/// `nan` is the quiet NaN; `nan(0x123)` gives the mantissa bits.
fn nan(
    c: &mut Cursor<'_>,
    element: &ElementType,
    negative: bool,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let payload = if c.byte() == b'(' {
        let at = c.at();
        let text = c.bracketed()?;
        let digits = text.strip_prefix("(0x").and_then(|t| t.strip_suffix(')'));
        let bits = digits.and_then(|t| u64::from_str_radix(t, 16).ok());
        Some(bits.ok_or_else(|| c.error_at(at, "expected a NaN payload such as (0x400000)"))?)
    } else {
        None
    };
    let (sign, mask) = match element {
        ElementType::F64 => (1u64 << 63, (1u64 << 52) - 1),
        ElementType::F32 => (1 << 31, (1 << 23) - 1),
        ElementType::F16 => (1 << 15, (1 << 10) - 1),
        ElementType::BF16 => (1 << 15, (1 << 7) - 1),
        _ => (0, 0),
    };
    let quiet = match element {
        ElementType::F64 => f64::NAN.to_bits(),
        ElementType::F32 => u64::from(f32::NAN.to_bits()),
        ElementType::F16 => u64::from(f16::NAN.to_bits()),
        ElementType::BF16 => u64::from(bf16::NAN.to_bits()),
        narrow => {
            out.extend_from_slice(encode_f64s(narrow, &[f64::NAN]).bytes());
            return Ok(());
        }
    };
    let mantissa = payload
        .map(|p| p & mask)
        .filter(|p| *p != 0)
        .unwrap_or(quiet & mask);
    let bits = (quiet & !mask & !sign) | mantissa | if negative { sign } else { 0 };
    out.extend_from_slice(
        bits.to_le_bytes()
            .get(..element.storage_bytes())
            .unwrap_or(&[]),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        super::cursor::{Origin, Source},
        *,
    };

    fn parse(text: &str, dims: &[u64], element: ElementType) -> Result<Constant, Error> {
        let source = Source::new(text, "t");
        let ty = TensorType::new(dims.iter().copied(), element);
        read(&mut Cursor::new(text, Origin::Text(&source, 0)), &ty)
    }

    fn values(text: &str, dims: &[u64], element: ElementType) -> Vec<f64> {
        match parse(text, dims, element).unwrap() {
            Constant::Value(v) => v.to_tensor().to_f64s().into_owned(),
            Constant::Elided => vec![],
        }
    }

    #[test]
    fn numbers_of_every_kind() {
        assert_eq!(
            values(
                "{ { 1, 2 }, /*i0=1*/ { 3, -inf } }",
                &[2, 2],
                ElementType::F32
            ),
            [1., 2., 3., f64::NEG_INFINITY]
        );
        assert_eq!(values("0.1", &[], ElementType::F32), [f64::from(0.1f32)]);
        assert_eq!(values("{true, false}", &[2], ElementType::I1), [1., 0.]);
        assert_eq!(values("{-8, 7}", &[2], ElementType::I4), [-8., 7.]);
        assert_eq!(
            values("18446744073709551615", &[], ElementType::U64),
            [18446744073709551615.]
        );
        assert_eq!(values("{}", &[2, 0], ElementType::F32), [0.; 0]);
        assert_eq!(values("{ {}, {} }", &[2, 0], ElementType::F32), [0.; 0]);
        assert_eq!(
            parse("{...}", &[100], ElementType::F32).unwrap(),
            Constant::Elided
        );
    }

    #[test]
    fn complex_and_nan_bits() {
        let Constant::Value(v) = parse("{(1, -2), 3}", &[2], ElementType::C64).unwrap() else {
            panic!()
        };
        assert_eq!(v.to_tensor().as_slice::<f32>(), [1., -2., 3., 0.]);
        let Constant::Value(v) = parse("{nan, -nan, nan(0x1)}", &[3], ElementType::F32).unwrap()
        else {
            panic!()
        };
        assert_eq!(
            v.to_tensor().as_slice::<u32>(),
            [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001]
        );
    }

    #[test]
    fn misfits_are_located() {
        for (text, dims, element, message) in [
            (
                "{1, 2}",
                &[3][..],
                ElementType::F32,
                "t:1:7: a list of 3 items is needed here, found 2",
            ),
            (
                "300",
                &[],
                ElementType::U8,
                "t:1:1: 300 is outside the range of ui8",
            ),
            (
                "{x}",
                &[1],
                ElementType::F32,
                "t:1:2: expected a value of type f32, found `x}`",
            ),
            (
                "{{1}}",
                &[1],
                ElementType::F32,
                "t:1:2: expected a value of type f32, found `{1}}`",
            ),
        ] {
            assert_eq!(parse(text, dims, element).unwrap_err().to_string(), message);
        }
    }
}
