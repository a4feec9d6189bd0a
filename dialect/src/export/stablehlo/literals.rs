//! Dense literals.

use super::attributes::ty;
use crate::{
    error::Error,
    float::narrow_to_f64,
    literal::Literal,
    types::{Class, ElementType, Type},
};
use std::fmt::Write;

/// Literals with more elements are written as a hexadecimal blob, where the type allows it.
const MAX_LIST: usize = 32;

/// `dense<..> : type`.
pub fn dense(l: &Literal) -> Result<String, Error> {
    Ok(format!(
        "dense<{}> : {}",
        content(l),
        ty(&Type::from(l.ty()))?
    ))
}

fn content(l: &Literal) -> String {
    let size = l.element().storage_bytes();
    let total: u64 = l.dims().iter().product();
    let bytes = l.data().bytes();
    if total == 0 {
        return String::new();
    }
    if l.is_splat() || total == 1 {
        return element(l.element(), bytes.get(..size).unwrap_or(&[]));
    }
    // Elements narrower than a byte have no fixed form in blobs.
    if total as usize > MAX_LIST && l.element().bits() >= 8 {
        let mut out = String::with_capacity(2 * bytes.len() + 4);
        out.push_str("\"0x");
        for b in bytes {
            out.push(char::from(b"0123456789ABCDEF"[usize::from(b >> 4)]));
            out.push(char::from(b"0123456789ABCDEF"[usize::from(b & 15)]));
        }
        out.push('"');
        return out;
    }
    let elements: Vec<String> = bytes
        .chunks_exact(size.max(1))
        .map(|b| element(l.element(), b))
        .collect();
    let mut out = String::new();
    nested(&elements, l.dims(), &mut out);
    out
}

fn nested(elements: &[String], dims: &[u64], out: &mut String) {
    let Some((n, inner)) = dims.split_first() else {
        out.push_str(elements.first().map_or("", String::as_str));
        return;
    };
    out.push('[');
    let step = elements.len() / (*n).max(1) as usize;
    for (i, part) in elements.chunks(step.max(1)).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        nested(part, inner, out);
    }
    out.push(']');
}

/// One element from its storage.
fn element(e: &ElementType, bytes: &[u8]) -> String {
    if let Some(part) = e.complex_part() {
        let (re, im) = bytes.split_at(bytes.len() / 2);
        return format!("({}, {})", element(&part, re), element(&part, im));
    }
    if let ElementType::Quantized(q) = e {
        return element(&q.storage, bytes);
    }
    let bits = bytes
        .iter()
        .rev()
        .fold(0u64, |acc, b| acc << 8 | u64::from(*b));
    match e.class() {
        Class::Boolean => (bits != 0).to_string(),
        Class::Unsigned => bits.to_string(),
        Class::Signed => {
            let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
            (((bits << unused) as i64) >> unused).to_string()
        }
        Class::Float | Class::Complex | Class::Quantized => float(e, bits),
    }
}

/// A float by its bits: decimal when that reads back as the same bits, else hexadecimal.
fn float(e: &ElementType, bits: u64) -> String {
    let value = match e {
        ElementType::F64 => f64::from_bits(bits),
        ElementType::F32 => f64::from(f32::from_bits(bits as u32)),
        ElementType::F16 => half::f16::from_bits(bits as u16).to_f64(),
        ElementType::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        narrow => narrow_to_f64(narrow, bits as u8),
    };
    if !value.is_finite() {
        let digits = e.storage_bytes() * 2;
        return format!("0x{bits:0digits$X}");
    }
    let short = f32::from_bits(bits as u32);
    if *e == ElementType::F32
        && short
            .to_string()
            .parse::<f64>()
            .is_ok_and(|v| (v as f32).to_bits() == bits as u32)
    {
        return decimal(&format!("{short:e}"));
    }
    decimal(&format!("{value:e}"))
}

/// `1e0` as `1.0e0`: MLIR wants a point.
pub fn decimal(text: &str) -> String {
    if text.contains('.') {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len() + 2);
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let _ = write!(out, "{mantissa}.0e{exponent}");
        }
        None => {
            let _ = write!(out, "{text}.0");
        }
    }
    out
}

/// `76 : ui8`: the rank-0 literal of an attribute.
pub fn typed_scalar(l: &Literal) -> String {
    format!(
        "{} : {}",
        element(l.element(), l.data().bytes()),
        l.element()
    )
}
