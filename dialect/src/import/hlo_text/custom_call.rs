//! Attributes of custom calls.

use super::{attribute, cursor::Cursor, fields::Fields, mlir_attribute, shape};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    types::{TensorType, Type},
};

fn minor_to_major(t: &TensorType) -> Attribute {
    match &t.layout {
        Some(layout) => layout
            .minor_to_major
            .iter()
            .map(|d| *d as i64)
            .collect::<Vec<_>>()
            .into(),
        None => (0..t.rank() as i64).rev().collect::<Vec<_>>().into(),
    }
}

fn layouts(types: &[Type]) -> Attribute {
    let mut leaves = vec![];
    types.iter().for_each(|t| shape::flatten(t, &mut leaves));
    Attribute::Array(
        leaves
            .iter()
            .map(|t| {
                t.as_tensor()
                    .map_or(Attribute::Ints(vec![]), |t| minor_to_major(t))
            })
            .collect(),
    )
}

/// Target, options, layouts and aliases of a custom call.
pub fn custom_call(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    let target = f.required("custom_call_target", Cursor::string)?;
    let version = match f.word("api_version")? {
        None | Some("API_VERSION_ORIGINAL") => 1,
        Some("API_VERSION_STATUS_RETURNING") => 2,
        Some("API_VERSION_STATUS_RETURNING_UNIFIED") => 3,
        Some("API_VERSION_TYPED_FFI") => 4,
        Some(other) => {
            let m = format!("unknown api_version '{other}'");
            return Err(Error::invalid(m, f.instruction.location.clone()));
        }
    };
    let mut out = Attributes::new()
        .with("call_target_name", target)
        .with("has_side_effect", f.flag("custom_call_has_side_effect")?)
        .with("api_version", version);
    let config = f.take("backend_config", |c| match c.byte() {
        b'"' => Ok(Attribute::Str(c.string()?)),
        b'{' if version == 4 => mlir_attribute::dictionary(c).map(Attribute::Dict),
        _ => Ok(Attribute::Str(c.value()?.to_string())),
    })?;
    out = out.with_some("backend_config", config);
    if let Some(operands) = f.take("operand_layout_constraints", |c| {
        attribute::list(c, shape::read)
    })? {
        let (got, want) = (operands.len(), f.instruction.operands.len());
        if got != want {
            let m = format!("operand_layout_constraints holds {got} shapes for {want} operands");
            return Err(Error::invalid(m, f.instruction.location.clone()));
        }
        out = out.with("operand_layouts", layouts(&operands)).with(
            "result_layouts",
            layouts(std::slice::from_ref(&f.instruction.ty)),
        );
    }
    let aliases = f.take("output_to_operand_aliasing", |c| {
        attribute::list(c, |c| {
            let output = attribute::ints(c)?;
            c.expect(":")?;
            c.expect("(")?;
            let operand = c.int()?;
            c.expect(",")?;
            let inner = attribute::ints(c)?;
            c.expect(")")?;
            let alias = Attributes::new()
                .with("output_tuple_indices", output)
                .with("operand_index", operand)
                .with("operand_tuple_indices", inner);
            Ok(Attribute::Dict(alias))
        })
    })?;
    Ok(out.with_some("output_operand_aliases", aliases))
}
