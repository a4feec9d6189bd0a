//! Attributes of custom calls, and MLIR's syntax of the dictionaries they hold.

use super::fields::{Fields, Pairs};
use crate::{
    attribute::Attribute,
    error::Error,
    import::hlo_text::syntax::{join, list, quote, shape, tensor},
    types::Type,
};

/// Target, options, layouts and aliases of a custom call.
pub fn custom_call(f: &Fields<'_>, operands: &[Type], out: &mut Pairs) -> Result<(), Error> {
    out.put(
        "custom_call_target",
        quote(f.word("call_target_name").unwrap_or("")),
    );
    let layouts = f.array("operand_layouts");
    if !layouts.is_empty() {
        let shapes: Vec<String> = operands
            .iter()
            .zip(layouts)
            .map(|(ty, layout)| match (ty, layout) {
                (Type::Tensor(t), Attribute::Ints(order)) if !order.is_empty() => {
                    format!("{}{}", tensor(t, false), list(order))
                }
                (other, _) => shape(other),
            })
            .collect();
        out.put(
            "operand_layout_constraints",
            format!("{{{}}}", shapes.join(", ")),
        );
    }
    if f.flag("has_side_effect") {
        out.put("custom_call_has_side_effect", "true");
    }
    let aliases: Vec<String> = f
        .array("output_operand_aliases")
        .iter()
        .filter_map(|a| {
            if let Attribute::Dict(d) = a {
                Some(Fields(d))
            } else {
                None
            }
        })
        .map(|a| {
            format!(
                "{}: ({}, {})",
                list(a.ints("output_tuple_indices")),
                a.int("operand_index").unwrap_or(0),
                list(a.ints("operand_tuple_indices"))
            )
        })
        .collect();
    if !aliases.is_empty() {
        out.put(
            "output_to_operand_aliasing",
            format!("{{{}}}", aliases.join(", ")),
        );
    }
    let versions = [
        "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED",
        "API_VERSION_TYPED_FFI",
    ];
    // Only the typed interface takes a dictionary.
    let version = match f.0.get("backend_config") {
        Some(Attribute::Dict(_)) => 4,
        Some(_) | None => f.int("api_version").unwrap_or(1),
    };
    if let Some(word) = usize::try_from(version - 2)
        .ok()
        .and_then(|i| versions.get(i))
    {
        out.put("api_version", word);
    }
    match f.0.get("backend_config") {
        None => {}
        Some(Attribute::Str(text)) if text.is_empty() => {}
        Some(Attribute::Str(text)) => out.put("backend_config", quote(text)),
        Some(Attribute::Dict(d)) => out.put("backend_config", mlir(&Attribute::Dict(d.clone()))?),
        Some(_) => return Err(Error::unsupported("HLO text of this backend_config")),
    }
    Ok(())
}

/// MLIR's syntax of an attribute. Integers and floats without a type are written as 64 bits wide.
pub fn mlir(a: &Attribute) -> Result<String, Error> {
    Ok(match a {
        Attribute::Unit => "unit".to_string(),
        Attribute::Bool(v) => v.to_string(),
        Attribute::Int(v) => format!("{v} : i64"),
        Attribute::Float(bits) => float(f64::from_bits(*bits), "f64"),
        Attribute::Str(v) => quote(v),
        Attribute::Ints(v) if v.is_empty() => "array<i64>".to_string(),
        Attribute::Ints(v) => format!("array<i64: {}>", join(v, ", ")),
        Attribute::Bools(v) if v.is_empty() => "array<i1>".to_string(),
        Attribute::Bools(v) => format!("array<i1: {}>", join(v, ", ")),
        Attribute::Array(v) => format!(
            "[{}]",
            v.iter()
                .map(mlir)
                .collect::<Result<Vec<_>, _>>()?
                .join(", ")
        ),
        Attribute::Dict(d) => {
            let fields = d.0.iter().map(|(name, v)| match v {
                Attribute::Unit => Ok(name.clone()),
                other => Ok(format!("{name} = {}", mlir(other)?)),
            });
            format!(
                "{{{}}}",
                fields.collect::<Result<Vec<_>, Error>>()?.join(", ")
            )
        }
        Attribute::Symbol(v) => format!("@{v}"),
        Attribute::Literal(l) if l.dims().is_empty() && l.element().is_integer() => {
            let v = l.to_tensor().to_i64s().first().copied().unwrap_or(0);
            format!("{v} : {}", l.element().mlir_name())
        }
        Attribute::Literal(l) if l.dims().is_empty() && l.element().is_float() => {
            let v = l.to_tensor().to_f64s().first().copied().unwrap_or(0.0);
            float(v, &l.element().mlir_name())
        }
        Attribute::Type(_) | Attribute::Literal(_) => {
            return Err(Error::unsupported(
                "HLO text of an attribute that holds a type or a tensor",
            ));
        }
    })
}

fn float(v: f64, ty: &str) -> String {
    let digits = format!("{v:e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    match (v.is_finite(), ty) {
        (true, _) if mantissa.contains('.') => format!("{mantissa}e{exponent} : {ty}"),
        (true, _) => format!("{mantissa}.0e{exponent} : {ty}"),
        (false, "f32") => format!("0x{:08X} : f32", (v as f32).to_bits()),
        (false, _) => format!("0x{:016X} : f64", v.to_bits()),
    }
}
