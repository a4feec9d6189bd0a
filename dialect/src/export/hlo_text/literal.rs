//! Literals as HLO text: shortest decimals that read back to the same value, NaN with its payload.

use crate::{
    literal::Literal,
    tensor::Tensor,
    types::{Class, ElementType},
};
use half::{bf16, f16};
use std::fmt::Write;

/// `7`, `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`
pub fn text(value: &Literal) -> String {
    let tensor = value.to_tensor();
    let items = elements(&tensor);
    let mut out = String::new();
    nested(tensor.dims(), &items, &mut out);
    out
}

fn nested(dims: &[u64], items: &[String], out: &mut String) {
    let Some((first, rest)) = dims.split_first() else {
        out.push_str(items.first().map_or("", String::as_str));
        return;
    };
    out.push('{');
    let size = items.len() / (*first).max(1) as usize;
    for i in 0..if items.is_empty() { 0 } else { *first as usize } {
        if i > 0 {
            out.push_str(", ");
        }
        nested(
            rest,
            items.get(i * size..(i + 1) * size).unwrap_or(&[]),
            out,
        );
    }
    out.push('}');
}

fn elements(t: &Tensor) -> Vec<String> {
    match t.element() {
        ElementType::F32 => t.as_slice::<f32>().iter().map(|v| f32_text(*v)).collect(),
        ElementType::F64 => t.as_slice::<f64>().iter().map(|v| f64_text(*v)).collect(),
        ElementType::F16 => {
            let one = |v: &f16| {
                if v.is_nan() {
                    nan(u64::from(v.to_bits()), 10, 15)
                } else {
                    f64_text(v.to_f64())
                }
            };
            t.as_slice::<f16>().iter().map(one).collect()
        }
        ElementType::BF16 => {
            let one = |v: &bf16| {
                if v.is_nan() {
                    nan(u64::from(v.to_bits()), 7, 15)
                } else {
                    f64_text(v.to_f64())
                }
            };
            t.as_slice::<bf16>().iter().map(one).collect()
        }
        ElementType::C64 => t
            .as_slice::<[f32; 2]>()
            .iter()
            .map(|[a, b]| format!("({}, {})", f32_text(*a), f32_text(*b)))
            .collect(),
        ElementType::C128 => t
            .as_slice::<[f64; 2]>()
            .iter()
            .map(|[a, b]| format!("({}, {})", f64_text(*a), f64_text(*b)))
            .collect(),
        ElementType::I1 => t.to_i64s().iter().map(|v| (*v != 0).to_string()).collect(),
        ElementType::U64 => t.as_slice::<u64>().iter().map(u64::to_string).collect(),
        element => match element.class() {
            Class::Float | Class::Complex => t.to_f64s().iter().map(|v| f64_text(*v)).collect(),
            Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
                t.to_i64s().iter().map(i64::to_string).collect()
            }
        },
    }
}

fn f32_text(v: f32) -> String {
    if v.is_nan() {
        return nan(u64::from(v.to_bits()), 23, 31);
    }
    decimal(f64::from(v), &v, &format!("{v:e}"))
}

fn f64_text(v: f64) -> String {
    if v.is_nan() {
        return nan(v.to_bits(), 52, 63);
    }
    decimal(v, &v, &format!("{v:e}"))
}

/// Plain digits for numbers of ordinary size, else with an exponent.
fn decimal(size: f64, plain: &impl std::fmt::Display, exponential: &str) -> String {
    if size == 0.0 || size.is_infinite() || (1e-4..1e9).contains(&size.abs()) {
        plain.to_string()
    } else {
        exponential.to_string()
    }
}

/// A NaN of any sign and payload; `nan` alone is the quiet one without payload.
fn nan(bits: u64, mantissa: u32, sign: u32) -> String {
    let payload = bits & ((1 << mantissa) - 1);
    let mut out = if bits >> sign & 1 == 1 { "-nan" } else { "nan" }.to_string();
    if payload != 1 << (mantissa - 1) {
        let _ = write!(out, "(0x{payload:x})");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::hlo_text;

    #[test]
    fn literals_read_back_bit_for_bit() {
        let bits: Vec<u32> = vec![
            0,
            1 << 31,
            1,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0xffc0_0000,
            0x7f80_0001,
            0x3dcc_cccd,
            0x7f7f_ffff,
            0x0080_0000,
            0x4b80_0001,
        ];
        let value = Literal::from_tensor(&Tensor::from_slice(&[2, 6], ElementType::F32, &bits));
        let module = format!(
            "HloModule m\nENTRY e {{\n ROOT c = f32[2,6]{{1,0}} constant({})\n}}",
            text(&value)
        );
        let program = hlo_text::parse(&module, "t").unwrap();
        let crate::op::Op::Hlo(crate::hlo::Op::Constant(c)) =
            &program.op(crate::program::OpId(0)).op
        else {
            panic!()
        };
        assert_eq!(c.value, value);
    }
}
