//! Attributes of dots and convolutions.

use super::{attribute, cursor::Cursor, fields::Fields, instruction::upper};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    types::Type,
};

fn precision(f: &mut Fields<'_, '_>) -> Result<Option<Attribute>, Error> {
    let words = f.take("operand_precision", |c| {
        attribute::list(c, |c| c.expect_word("a precision"))
    })?;
    Ok(words.map(|all| Attribute::Array(all.into_iter().map(|w| upper(w).into()).collect())))
}

pub fn dot(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    f.refuse("sparsity")?;
    let algorithm = match f.word("algorithm")? {
        None | Some("dot_unset") => None,
        Some(word) => Some(dot_algorithm(word, f).ok_or_else(|| {
            let what = format!("dot algorithm '{word}'");
            Error::Unsupported {
                what,
                location: f.instruction.location.clone(),
            }
        })?),
    };
    Ok(Attributes::new()
        .with("lhs_batching_dimensions", f.ints("lhs_batch_dims")?)
        .with("rhs_batching_dimensions", f.ints("rhs_batch_dims")?)
        .with(
            "lhs_contracting_dimensions",
            f.ints("lhs_contracting_dims")?,
        )
        .with(
            "rhs_contracting_dimensions",
            f.ints("rhs_contracting_dims")?,
        )
        .with_some("precision_config", precision(f)?)
        .with_some("algorithm", algorithm))
}

pub fn ragged_dot(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    Ok(Attributes::new()
        .with("lhs_batching_dimensions", f.ints("lhs_batch_dims")?)
        .with("rhs_batching_dimensions", f.ints("rhs_batch_dims")?)
        .with(
            "lhs_contracting_dimensions",
            f.ints("lhs_contracting_dims")?,
        )
        .with(
            "rhs_contracting_dimensions",
            f.ints("rhs_contracting_dims")?,
        )
        .with("lhs_ragged_dimensions", f.ints("lhs_ragged_dims")?)
        .with("rhs_group_dimensions", f.ints("rhs_group_dims")?)
        .with_some("precision_config", precision(f)?))
}

/// XLA's names of dot algorithms: operand type, accumulation type, primitive operations, imprecise accumulation allowed.
pub const DOT_ALGORITHMS: &[(&str, &str, &str, i64, bool)] = &[
    ("dot_any_f8_any_f8_f32", "any_f8", "f32", 1, false),
    ("dot_any_f8_any_f8_f32_fast_accum", "any_f8", "f32", 1, true),
    ("dot_any_f8_any_f8_any", "any_f8", "any", 1, false),
    ("dot_any_f8_any_f8_any_fast_accum", "any_f8", "any", 1, true),
    ("dot_f16_f16_f16", "f16", "f16", 1, false),
    ("dot_f16_f16_f32", "f16", "f32", 1, false),
    ("dot_bf16_bf16_bf16", "bf16", "bf16", 1, false),
    ("dot_bf16_bf16_f32", "bf16", "f32", 1, false),
    ("dot_bf16_bf16_f32_x3", "bf16", "f32", 3, false),
    ("dot_bf16_bf16_f32_x6", "bf16", "f32", 6, false),
    ("dot_bf16_bf16_f32_x9", "bf16", "f32", 9, false),
    ("dot_tf32_tf32_f32", "tf32", "f32", 1, false),
    ("dot_tf32_tf32_f32_x3", "tf32", "f32", 3, false),
    ("dot_f32_f32_f32", "f32", "f32", 1, false),
    ("dot_f64_f64_f64", "f64", "f64", 1, false),
];

/// Names that leave a type open take it from the instruction.
fn dot_algorithm(word: &str, f: &Fields<'_, '_>) -> Option<Attributes> {
    let (_, operand, sum, operations, imprecise) =
        DOT_ALGORITHMS.iter().find(|row| row.0 == word)?;
    let element = |ty: Option<&Type>| Some(ty?.as_tensor()?.element.mlir_name());
    let precision = |i: usize| match *operand {
        "any_f8" => element(f.operand_types.get(i)),
        known => Some(known.to_string()),
    };
    let accumulation = match *sum {
        "any" => element(Some(&f.instruction.ty))?,
        known => known.to_string(),
    };
    Some(
        Attributes::new()
            .with("lhs_precision_type", precision(0)?)
            .with("rhs_precision_type", precision(1)?)
            .with("accumulation_type", accumulation)
            .with("lhs_component_count", 1)
            .with("rhs_component_count", 1)
            .with("num_primitive_operations", *operations)
            .with("allow_imprecise_accumulation", *imprecise),
    )
}

pub fn convolution(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    f.refuse("padding_type")?;
    let w = f.window()?;
    let [input, kernel, output] = f.required("dim_labels", attribute::dimension_labels)?;
    Ok(Attributes::new()
        .with("window_strides", w.stride)
        .with("padding", w.padding)
        .with("lhs_dilation", w.base_dilation)
        .with("rhs_dilation", w.window_dilation)
        .with("window_reversal", w.reversal)
        .with("input_batch_dimension", input.first)
        .with("input_feature_dimension", input.second)
        .with("input_spatial_dimensions", input.spatial)
        .with("kernel_input_feature_dimension", kernel.first)
        .with("kernel_output_feature_dimension", kernel.second)
        .with("kernel_spatial_dimensions", kernel.spatial)
        .with("output_batch_dimension", output.first)
        .with("output_feature_dimension", output.second)
        .with("output_spatial_dimensions", output.spatial)
        .with(
            "feature_group_count",
            f.take("feature_group_count", Cursor::int)?.unwrap_or(1),
        )
        .with(
            "batch_group_count",
            f.take("batch_group_count", Cursor::int)?.unwrap_or(1),
        )
        .with_some("precision_config", precision(f)?))
}
