//! Precisions, algorithms, windows and dimension labels of dots and convolutions.

use super::fields::{Fields, Pairs};
use crate::{
    attribute::{Attribute, Attributes},
    import::hlo_text::{
        contraction::DOT_ALGORITHMS,
        syntax::{join, list},
    },
    types::Type,
};
use std::fmt::Write;

pub fn precision(f: &Fields<'_>, out: &mut Pairs) {
    let words = f.array("precision_config").iter();
    let words: Vec<String> = words
        .filter_map(|a| {
            if let Attribute::Str(w) = a {
                Some(w.to_lowercase())
            } else {
                None
            }
        })
        .collect();
    if words.iter().any(|w| w != "default") {
        out.put("operand_precision", list(&words));
    }
}

pub fn dot_algorithm(algorithm: &Attributes) -> Option<&'static str> {
    let f = Fields(algorithm);
    let eight_bits = |word: &'_ str| {
        if word.starts_with("f8") {
            "any_f8"
        } else {
            word
        }
        .to_string()
    };
    let (lhs, rhs) = (
        f.word("lhs_precision_type").map(eight_bits)?,
        f.word("rhs_precision_type").map(eight_bits)?,
    );
    let fits = |row: &&(&str, &str, &str, i64, bool)| {
        lhs == row.1
            && rhs == row.1
            && (row.2 == "any" || f.word("accumulation_type") == Some(row.2))
            && f.int("num_primitive_operations") == Some(row.3)
            && f.flag("allow_imprecise_accumulation") == row.4
            && f.int("lhs_component_count").unwrap_or(1) == 1
            && f.int("rhs_component_count").unwrap_or(1) == 1
    };
    DOT_ALGORITHMS.iter().find(fits).map(|row| row.0)
}

pub fn window(
    size: &[i64],
    stride: &[i64],
    padding: &[i64],
    base: &[i64],
    dilation: &[i64],
    reversal: &[bool],
    out: &mut Pairs,
) {
    if size.is_empty() {
        return;
    }
    let mut text = format!("size={}", join(size, "x"));
    let mut field = |name: &str, list: &[i64], default: i64| {
        if list.iter().any(|v| *v != default) {
            let _ = write!(text, " {name}={}", join(list, "x"));
        }
    };
    field("stride", stride, 1);
    field("lhs_dilate", base, 1);
    field("rhs_dilate", dilation, 1);
    if padding.iter().any(|v| *v != 0) {
        let pairs: Vec<String> = padding.chunks(2).map(|p| join(p, "_")).collect();
        let _ = write!(text, " pad={}", pairs.join("x"));
    }
    if reversal.contains(&true) {
        let bits: Vec<u8> = reversal.iter().map(|b| u8::from(*b)).collect();
        let _ = write!(text, " rhs_reversal={}", join(&bits, "x"));
    }
    out.put("window", format!("{{{text}}}"));
}

pub fn convolution(f: &Fields<'_>, operands: &[Type], out: &mut Pairs) {
    let kernel = operands
        .get(1)
        .and_then(Type::as_tensor)
        .and_then(|t| t.static_dims())
        .unwrap_or_default();
    let spatial = f.ints("kernel_spatial_dimensions");
    let size: Vec<i64> = spatial
        .iter()
        .map(|d| {
            usize::try_from(*d)
                .ok()
                .and_then(|d| kernel.get(d))
                .map_or(1, |n| *n as i64)
        })
        .collect();
    let reversal: &[bool] = match f.0.get("window_reversal") {
        Some(Attribute::Bools(v)) => v,
        Some(_) | None => &[],
    };
    window(
        &size,
        f.ints("window_strides"),
        f.ints("padding"),
        f.ints("lhs_dilation"),
        f.ints("rhs_dilation"),
        reversal,
        out,
    );
    let label = |first: &str,
                 first_letter: char,
                 second: &str,
                 second_letter: char,
                 spatial: &str|
     -> String {
        let (a, b, spatial) = (f.int(first), f.int(second), f.ints(spatial));
        let place = |d: i64| match d {
            _ if a == Some(d) => first_letter.to_string(),
            _ if b == Some(d) => second_letter.to_string(),
            _ => spatial
                .iter()
                .position(|s| *s == d)
                .unwrap_or(0)
                .to_string(),
        };
        (0..spatial.len() as i64 + 2).map(place).collect()
    };
    let text = format!(
        "{}_{}->{}",
        label(
            "input_batch_dimension",
            'b',
            "input_feature_dimension",
            'f',
            "input_spatial_dimensions"
        ),
        label(
            "kernel_input_feature_dimension",
            'i',
            "kernel_output_feature_dimension",
            'o',
            "kernel_spatial_dimensions"
        ),
        label(
            "output_batch_dimension",
            'b',
            "output_feature_dimension",
            'f',
            "output_spatial_dimensions"
        ),
    );
    out.put("dim_labels", text);
    for name in ["feature_group_count", "batch_group_count"] {
        if let Some(n) = f.int(name).filter(|n| *n != 1) {
            out.put(name, n);
        }
    }
    precision(f, out);
}
