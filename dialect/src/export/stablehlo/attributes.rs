//! Attributes and types as StableHLO writes them.

use super::literals::{decimal, dense, typed_scalar};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    import::stablehlo::is_foreign,
    types::{Class, Dim, ElementType, Type},
};
use std::fmt::Write;

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Of a module, function parameter or result.
    Module,
    Op,
    Dictionary,
}

pub fn ty(t: &Type) -> Result<String, Error> {
    match t {
        Type::Token => Ok("!stablehlo.token".to_string()),
        Type::Tuple(parts) => Ok(format!(
            "tuple<{}>",
            parts
                .iter()
                .map(ty)
                .collect::<Result<Vec<_>, _>>()?
                .join(", ")
        )),
        Type::Tensor(t) => {
            let mut out = String::from("tensor<");
            for d in &t.dims {
                let _ = write!(out, "{d}x");
            }
            out.push_str(&element(&t.element));
            let bound = |d: &Dim| match d {
                Dim::Dynamic { bound } => *bound,
                Dim::Static(_) => None,
            };
            if t.dims.iter().any(|d| bound(d).is_some()) {
                let bounds: Vec<String> = t
                    .dims
                    .iter()
                    .map(|d| bound(d).map_or("?".to_string(), |b| b.to_string()))
                    .collect();
                let _ = write!(out, ", #stablehlo.bounds<{}>", bounds.join(", "));
            }
            out.push('>');
            Ok(out)
        }
    }
}

fn element(e: &ElementType) -> String {
    let ElementType::Quantized(q) = e else {
        return e.mlir_name();
    };
    let mut out = format!(
        "!quant.uniform<{}<{}:{}>:{}",
        q.storage.mlir_name().replacen("ui", "u", 1),
        q.storage_min,
        q.storage_max,
        q.expressed
    );
    let pairs: Vec<String> = q
        .scales
        .iter()
        .zip(&q.zero_points)
        .map(|(s, z)| format!("{}:{z}", decimal(&format!("{s:e}"))))
        .collect();
    let _ = match q.axis {
        Some(axis) => write!(out, ":{axis}, {{{}}}>", pairs.join(", ")),
        None => write!(out, ", {}>", pairs.join(", ")),
    };
    out
}

pub fn list(values: &[i64]) -> String {
    format!(
        "[{}]",
        values
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// A string literal with its quotes.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        match b {
            b'"' | b'\\' | 0..=31 | 127 => {
                let _ = write!(out, "\\{b:02X}");
            }
            128.. => out.push('\u{FFFD}'),
            _ => out.push(b as char),
        }
    }
    // Bytes above 127 were counted one by one; text that has them is copied by characters.
    if !text.is_ascii() {
        out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' | '\0'..='\u{1F}' | '\u{7F}' => {
                    let _ = write!(out, "\\{:02X}", c as u32);
                }
                other => out.push(other),
            }
        }
    }
    out.push('"');
    out
}

fn is_bare(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

pub fn symbol(name: &str) -> String {
    if is_bare(name) {
        name.to_string()
    } else {
        string(name)
    }
}

pub fn key(name: &str) -> String {
    symbol(name)
}

/// `name = value`, or `name` for a unit.
pub fn entry(name: &str, value: &Attribute, place: Place) -> Result<String, Error> {
    if *value == Attribute::Unit {
        return Ok(key(name));
    }
    let text = match (name, value) {
        ("tf.aliasing_output" | "mhlo.num_replicas" | "mhlo.num_partitions", Attribute::Int(v)) => {
            format!("{v} : i32")
        }
        _ => attribute(value, place)?,
    };
    Ok(format!("{} = {text}", key(name)))
}

/// An attribute whose place says nothing about its type.
pub fn attribute(a: &Attribute, place: Place) -> Result<String, Error> {
    let inner = if place == Place::Dictionary {
        Place::Dictionary
    } else {
        Place::Op
    };
    Ok(match a {
        Attribute::Unit => "unit".to_string(),
        Attribute::Bool(b) => b.to_string(),
        Attribute::Int(v) => format!("{v} : i64"),
        Attribute::Float(bits) => match f64::from_bits(*bits) {
            v if v.is_finite() => format!("{} : f64", decimal(&format!("{v:e}"))),
            _ => format!("0x{bits:016X} : f64"),
        },
        // Attributes of dialects that were not read are kept as their text.
        Attribute::Str(s) if is_foreign(s) => s.clone(),
        Attribute::Str(s) => string(s),
        Attribute::Ints(v) => packed("i64", v.iter().map(i64::to_string)),
        Attribute::Bools(v) => packed("i1", v.iter().map(bool::to_string)),
        Attribute::Array(items) => format!(
            "[{}]",
            items
                .iter()
                .map(|i| attribute(i, inner))
                .collect::<Result<Vec<_>, _>>()?
                .join(", ")
        ),
        Attribute::Dict(fields) => dictionary(fields)?,
        Attribute::Symbol(name) => name
            .split("::")
            .map(|part| format!("@{}", symbol(part)))
            .collect::<Vec<_>>()
            .join("::"),
        Attribute::Type(t) => match t {
            Type::Tensor(t) if t.rank() == 0 => element(&t.element),
            other => ty(other)?,
        },
        Attribute::Literal(l)
            if place == Place::Dictionary
                && l.dims().is_empty()
                && is_typed_scalar(l.element()) =>
        {
            typed_scalar(l)
        }
        Attribute::Literal(l) => dense(l)?,
    })
}

/// Element types whose scalars in dictionaries are literals: numbers other than i64 and f64, which are plain values.
fn is_typed_scalar(e: &ElementType) -> bool {
    match e.class() {
        Class::Signed | Class::Unsigned => *e != ElementType::I64,
        Class::Float => *e != ElementType::F64,
        Class::Boolean | Class::Complex | Class::Quantized => false,
    }
}

pub fn dictionary(fields: &Attributes) -> Result<String, Error> {
    let entries: Result<Vec<String>, Error> = fields
        .0
        .iter()
        .map(|(k, v)| entry(k, v, Place::Dictionary))
        .collect();
    Ok(format!("{{{}}}", entries?.join(", ")))
}

fn packed(element: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        format!("array<{element}>")
    } else {
        format!("array<{element}: {}>", items.join(", "))
    }
}

/// The attributes of an op as entries, each typed as StableHLO defines it; fields of struct attributes are put together.
pub fn structured(op: &str, mut a: Attributes) -> Result<Vec<String>, Error> {
    let mut out = vec![];
    match op {
        // The pretty forms have taken these.
        "dot_general" if a.get("lhs_contracting_dimensions").is_none() => {}
        "convolution" if a.get("input_batch_dimension").is_none() => {}
        "gather" | "dynamic_gather" => out.push(take_struct(
            &mut a,
            "dimension_numbers",
            "gather",
            &[
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
                "index_vector_dim",
            ],
        )),
        "scatter" => out.push(take_struct(
            &mut a,
            "scatter_dimension_numbers",
            "scatter",
            &[
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims",
                "index_vector_dim",
            ],
        )),
        "dot_general" => out.push(take_struct(
            &mut a,
            "dot_dimension_numbers",
            "dot",
            &[
                "lhs_batching_dimensions",
                "rhs_batching_dimensions",
                "lhs_contracting_dimensions",
                "rhs_contracting_dimensions",
            ],
        )),
        "convolution" | "dynamic_conv" => {
            let dims = convolution_dimensions(&mut a);
            out.push(format!("dimension_numbers = #stablehlo.conv<{dims}>"));
        }
        _ => {}
    }
    if let Some(Attribute::Int(id)) = a.0.remove("channel_id") {
        let kind = if let Some(Attribute::Int(kind)) = a.0.remove("channel_type") {
            kind
        } else {
            0
        };
        out.push(format!(
            "channel_handle = #stablehlo.channel_handle<handle = {id}, type = {kind}>"
        ));
    }
    for (name, value) in &a.0 {
        out.extend(own(op, name, value)?);
    }
    Ok(out)
}

/// One attribute that the op defines; none when it is left out.
fn own(op: &str, name: &str, value: &Attribute) -> Result<Option<String>, Error> {
    let text = match (name, value) {
        ("use_global_device_ids", Attribute::Bool(given)) => {
            return Ok(given.then(|| name.to_string()));
        }
        ("backend_config", Attribute::Dict(d)) => {
            return Ok(Some(format!("mhlo.backend_config = {}", dictionary(d)?)));
        }
        ("largest", Attribute::Bool(true)) => return Ok(None),
        ("largest", _) => {
            return Err(Error::unsupported(
                "top_k of the smallest in StableHLO text",
            ));
        }
        ("comparison_direction", Attribute::Str(w)) => {
            format!("#stablehlo<comparison_direction {w}>")
        }
        ("compare_type", Attribute::Str(w)) => format!("#stablehlo<comparison_type {w}>"),
        ("transpose_a", Attribute::Str(w)) => format!("#stablehlo<transpose {w}>"),
        ("fft_type" | "rng_algorithm" | "rng_distribution", Attribute::Str(w)) => {
            format!("#stablehlo<{name} {w}>")
        }
        ("precision_config", Attribute::Array(words)) => {
            format!("[{}]", precision(words, "#stablehlo<precision ", ">"))
        }
        ("algorithm", Attribute::Dict(d)) => format!("#stablehlo.dot_algorithm{}", angled(d)),
        ("result_accuracy", Attribute::Dict(d)) => accuracy(d),
        ("padding", Attribute::Ints(v)) => pairs(v),
        ("replica_groups" | "source_target_pairs", Attribute::Array(rows)) => matrix(rows),
        ("operand_layouts" | "result_layouts", Attribute::Array(layouts)) => {
            let each = layouts.iter().map(|l| match l {
                Attribute::Ints(v) if v.is_empty() => "dense<> : tensor<0xindex>".to_string(),
                Attribute::Ints(v) => format!("dense<{}> : tensor<{}xindex>", list(v), v.len()),
                _ => "dense<> : tensor<0xindex>".to_string(),
            });
            format!("[{}]", each.collect::<Vec<_>>().join(", "))
        }
        ("output_operand_aliases", Attribute::Array(all)) => {
            let each = all.iter().map(|a| {
                if let Attribute::Dict(d) = a {
                    format!("#stablehlo.output_operand_alias{}", angled(d))
                } else {
                    String::new()
                }
            });
            format!("[{}]", each.collect::<Vec<_>>().join(", "))
        }
        ("api_version" | "exponent_bits" | "mantissa_bits" | "version", Attribute::Int(v)) => {
            format!("{v} : i32")
        }
        ("epsilon", Attribute::Float(bits)) => format!(
            "{} : f32",
            decimal(&format!("{:e}", f64::from_bits(*bits) as f32))
        ),
        ("k", Attribute::Int(v)) if op == "top_k" => format!("{v} : i64"),
        _ => return entry(name, value, Place::Op).map(Some),
    };
    Ok(Some(format!("{name} = {text}")))
}

pub fn precision(words: &[Attribute], before: &str, after: &str) -> String {
    let word = |a: &Attribute| {
        if let Attribute::Str(w) = a {
            format!("{before}{w}{after}")
        } else {
            format!("{before}DEFAULT{after}")
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// `<a = .., b = [..]>`, fields in the order StableHLO reads them.
pub fn angled(d: &Attributes) -> String {
    const ORDER: &[&str] = &[
        "output_tuple_indices",
        "operand_index",
        "operand_tuple_indices",
        "lhs_precision_type",
        "rhs_precision_type",
        "accumulation_type",
        "lhs_component_count",
        "rhs_component_count",
        "num_primitive_operations",
        "allow_imprecise_accumulation",
    ];
    let mut fields: Vec<(&String, &Attribute)> = d.0.iter().collect();
    fields.sort_by_key(|(k, _)| ORDER.iter().position(|o| o == k).unwrap_or(ORDER.len()));
    let each = fields.iter().map(|(k, v)| format!("{k} = {}", field(v)));
    format!("<{}>", each.collect::<Vec<_>>().join(", "))
}

/// A field of a struct: integers without type, words without quotes.
fn field(a: &Attribute) -> String {
    match a {
        Attribute::Int(v) => v.to_string(),
        Attribute::Bool(v) => v.to_string(),
        Attribute::Str(w) => w.clone(),
        Attribute::Ints(v) => list(v),
        Attribute::Array(v) if v.is_empty() => "[]".to_string(),
        Attribute::Float(bits) => decimal(&format!("{:e}", f64::from_bits(*bits))),
        Attribute::Type(Type::Tensor(t)) => element(&t.element),
        other => format!("{other:?}"),
    }
}

fn accuracy(d: &Attributes) -> String {
    let mut parts = vec![];
    for name in ["atol", "rtol", "ulps"] {
        parts.extend(d.get(name).map(|v| format!("{name} = {}", field(v))));
    }
    let mode = if let Some(Attribute::Str(mode)) = d.get("mode") {
        mode.as_str()
    } else {
        "DEFAULT"
    };
    parts.push(format!("mode = #stablehlo.result_accuracy_mode<{mode}>"));
    format!("#stablehlo.result_accuracy<{}>", parts.join(", "))
}

fn take_struct(a: &mut Attributes, name: &str, kind: &str, fields: &[&str]) -> String {
    let mut parts = vec![];
    for f in fields {
        match a.0.remove(*f) {
            Some(Attribute::Ints(v)) if !v.is_empty() => parts.push(format!("{f} = {}", list(&v))),
            Some(Attribute::Int(v)) if v != 0 => parts.push(format!("{f} = {v}")),
            Some(_) | None => {}
        }
    }
    format!("{name} = #stablehlo.{kind}<{}>", parts.join(", "))
}

/// Takes the dimension attributes of a convolution: `[b, 0, f]x[0, i, o]->[b, 0, f]`.
pub fn convolution_dimensions(a: &mut Attributes) -> String {
    let mut side = |names: [&str; 3], letters: [&str; 2]| {
        let mut at = |name: &str| {
            if let Some(Attribute::Int(v)) = a.0.remove(name) {
                v
            } else {
                0
            }
        };
        let mut placed = vec![
            (at(names[0]), letters[0].to_string()),
            (at(names[1]), letters[1].to_string()),
        ];
        if let Some(Attribute::Ints(spatial)) = a.0.remove(names[2]) {
            placed.extend(spatial.iter().enumerate().map(|(i, d)| (*d, i.to_string())));
        }
        placed.sort();
        format!(
            "[{}]",
            placed
                .into_iter()
                .map(|p| p.1)
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let input = side(
        [
            "input_batch_dimension",
            "input_feature_dimension",
            "input_spatial_dimensions",
        ],
        ["b", "f"],
    );
    let kernel = side(
        [
            "kernel_input_feature_dimension",
            "kernel_output_feature_dimension",
            "kernel_spatial_dimensions",
        ],
        ["i", "o"],
    );
    let output = side(
        [
            "output_batch_dimension",
            "output_feature_dimension",
            "output_spatial_dimensions",
        ],
        ["b", "f"],
    );
    format!("{input}x{kernel}->{output}")
}

/// Flat low and high pads as `dense<[[..], ..]> : tensor<Nx2xi64>`.
fn pairs(flat: &[i64]) -> String {
    let rows: Vec<Attribute> = flat
        .chunks(2)
        .map(|p| Attribute::Ints(p.to_vec()))
        .collect();
    if rows.is_empty() {
        "dense<> : tensor<0x2xi64>".to_string()
    } else {
        matrix(&rows)
    }
}

/// Rows of integers, shorter ones padded with -1.
fn matrix(rows: &[Attribute]) -> String {
    let row = |r: &Attribute| {
        if let Attribute::Ints(v) = r {
            v.clone()
        } else {
            vec![]
        }
    };
    let width = rows.iter().map(|r| row(r).len()).max().unwrap_or(0);
    if rows.is_empty() || width == 0 {
        return format!("dense<> : tensor<{}x{width}xi64>", rows.len());
    }
    let padded = rows.iter().map(|r| {
        let mut v = row(r);
        v.resize(width, -1);
        list(&v)
    });
    format!(
        "dense<[{}]> : tensor<{}x{width}xi64>",
        padded.collect::<Vec<_>>().join(", "),
        rows.len()
    )
}
