//! Pieces of HLO text for those who write it.

use super::cursor::{Cursor, Origin};
use crate::{
    location::Location,
    types::{Dim, TensorType, Type},
};
use std::fmt::{Display, Write};

/// Items with a separator between them.
pub fn join<T: Display>(items: &[T], separator: &str) -> String {
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        let _ = write!(out, "{}{item}", if i > 0 { separator } else { "" });
    }
    out
}

/// `{1,2}`
pub fn list<T: Display>(items: &[T]) -> String {
    format!("{{{}}}", join(items, ","))
}

/// A string in double quotes with its escapes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// `f32[2,3]{1,0}`, `(f32[], token[])`; the layout is always written.
pub fn shape(ty: &Type) -> String {
    match ty {
        Type::Tensor(t) => tensor(t, true),
        Type::Token => "token[]".to_string(),
        Type::Tuple(parts) => format!(
            "({})",
            parts.iter().map(shape).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// `f32[2,3]` with or without its layout.
pub fn tensor(t: &TensorType, with_layout: bool) -> String {
    let mut out = format!("{}[", t.element.hlo_name());
    for (i, d) in t.dims.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let _ = match d {
            Dim::Static(n) => write!(out, "{n}"),
            Dim::Dynamic { bound: Some(n) } => write!(out, "<={n}"),
            Dim::Dynamic { bound: None } => write!(out, "?"),
        };
    }
    out.push(']');
    if !with_layout || t.dims.is_empty() {
        return out;
    }
    let default: Vec<u64> = (0..t.rank() as u64).rev().collect();
    let (order, tiles) = match &t.layout {
        Some(layout) => (&layout.minor_to_major, layout.tiles.as_slice()),
        None => (&default, &[][..]),
    };
    let _ = write!(out, "{{{}", join(order, ","));
    if !tiles.is_empty() {
        out.push_str(":T");
        for tile in tiles {
            let _ = write!(out, "({})", join(tile, ","));
        }
    }
    out.push('}');
    out
}

/// Whether a text is one value of an attribute, from its first character to its last.
pub fn is_value(text: &str) -> bool {
    let location = Location::default();
    let mut cursor = Cursor::new(text, Origin::Fixed(&location));
    cursor.value().is_ok_and(|value| value == text)
}
