//! What an HLO instruction means as an op of the `hlo` dialect: its name and attributes in the terms of the StableHLO specification.

use super::{
    attribute,
    contraction::{convolution, dot, ragged_dot},
    cursor::{Cursor, Origin},
    custom_call::custom_call,
    fields::Fields,
    regions::frontend_attributes,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    types::{Class, Type},
};

/// Name of the op for instructions that need no more than that.
fn op_name(opcode: &str) -> String {
    match opcode {
        "broadcast" => "broadcast_in_dim".to_string(),
        "dot" => "dot_general".to_string(),
        "topk" => "top_k".to_string(),
        "opt-barrier" => "optimization_barrier".to_string(),
        other => other.replace('-', "_"),
    }
}

/// Words are lower case in HLO text and upper case in the specification.
pub fn upper(word: &str) -> String {
    word.to_ascii_uppercase()
}

/// How values of a type are compared where the text does not say it.
pub fn default_compare_type(ty: &Type) -> Option<&'static str> {
    Some(match ty.as_tensor()?.element.class() {
        Class::Float | Class::Complex => "FLOAT",
        Class::Signed => "SIGNED",
        Class::Boolean | Class::Unsigned => "UNSIGNED",
        Class::Quantized => return None,
    })
}

/// Order of the dimensions in memory; none for the default.
fn minor_to_major(ty: &Type) -> Option<Vec<i64>> {
    let layout = ty.as_tensor()?.layout.as_ref()?;
    Some(layout.minor_to_major.iter().map(|d| *d as i64).collect())
}

/// Name and attributes of the op. Called computations are the caller's business.
pub fn describe(f: &mut Fields<'_, '_>) -> Result<(String, Attributes), Error> {
    let none = Attributes::new;
    let opcode: &str = &f.instruction.opcode;
    let attributes = match opcode {
        "broadcast" => none().with("broadcast_dimensions", f.ints("dimensions")?),
        "transpose" => none().with("permutation", f.ints("dimensions")?),
        "bitcast" => none().with_some(
            "source_layout",
            f.operand_types.first().and_then(minor_to_major),
        ),
        "copy-start" => none().with_some(
            "cross_program_prefetch_index",
            f.take("cross_program_prefetch_index", Cursor::int)?,
        ),
        "reverse" | "map" | "reduce" => none().with("dimensions", f.ints("dimensions")?),
        "concatenate" | "get-dimension-size" | "set-dimension-size" => {
            none().with("dimension", f.dimension()?)
        }
        "iota" => none().with("iota_dimension", f.int("iota_dimension")?),
        "slice" => {
            let [start, limit, strides] = f.required("slice", attribute::ranges)?;
            none()
                .with("start_indices", start)
                .with("limit_indices", limit)
                .with("strides", strides)
        }
        "dynamic-slice" => none().with("slice_sizes", f.ints("dynamic_slice_sizes")?),
        "pad" => {
            let p = f.take("padding", attribute::padding)?.unwrap_or_default();
            none()
                .with("edge_padding_low", p.low)
                .with("edge_padding_high", p.high)
                .with("interior_padding", p.interior)
        }
        "compare" => {
            let direction = f.required("direction", |c| c.expect_word("a direction").map(upper))?;
            let kind = match f.word("type")? {
                Some(word) => Some(upper(word)),
                None => f
                    .operand_types
                    .first()
                    .and_then(default_compare_type)
                    .map(str::to_string),
            };
            none()
                .with("comparison_direction", direction)
                .with_some("compare_type", kind)
        }
        "reduce-precision" => none()
            .with("exponent_bits", f.int("exponent_bits")?)
            .with("mantissa_bits", f.int("mantissa_bits")?),
        "dot" => dot(f)?,
        "ragged-dot" => ragged_dot(f)?,
        "convolution" => convolution(f)?,
        "gather" => none()
            .with("offset_dims", f.ints("offset_dims")?)
            .with("collapsed_slice_dims", f.ints("collapsed_slice_dims")?)
            .with("operand_batching_dims", f.ints("operand_batching_dims")?)
            .with(
                "start_indices_batching_dims",
                f.ints("start_indices_batching_dims")?,
            )
            .with("start_index_map", f.ints("start_index_map")?)
            .with("index_vector_dim", f.int("index_vector_dim")?)
            .with("slice_sizes", f.ints("slice_sizes")?)
            .with("indices_are_sorted", f.flag("indices_are_sorted")?),
        "scatter" => none()
            .with("update_window_dims", f.ints("update_window_dims")?)
            .with("inserted_window_dims", f.ints("inserted_window_dims")?)
            .with("input_batching_dims", f.ints("input_batching_dims")?)
            .with(
                "scatter_indices_batching_dims",
                f.ints("scatter_indices_batching_dims")?,
            )
            .with(
                "scatter_dims_to_operand_dims",
                f.ints("scatter_dims_to_operand_dims")?,
            )
            .with("index_vector_dim", f.int("index_vector_dim")?)
            .with("indices_are_sorted", f.flag("indices_are_sorted")?)
            .with("unique_indices", f.flag("unique_indices")?),
        "reduce-window" => {
            let w = f.window()?;
            none()
                .with("window_dimensions", w.size)
                .with("window_strides", w.stride)
                .with("base_dilations", w.base_dilation)
                .with("window_dilations", w.window_dilation)
                .with("padding", w.padding)
        }
        "select-and-scatter" => {
            let w = f.window()?;
            none()
                .with("window_dimensions", w.size)
                .with("window_strides", w.stride)
                .with("padding", w.padding)
        }
        "sort" => none()
            .with("dimension", f.dimension()?)
            .with("is_stable", f.flag("is_stable")?),
        "topk" => none().with("k", f.int("k")?).with(
            "largest",
            f.take("largest", attribute::boolean)?.unwrap_or(true),
        ),
        "fft" => none()
            .with_some("fft_type", f.word("fft_type")?)
            .with("fft_length", f.ints("fft_length")?),
        "cholesky" => none().with("lower", f.flag("lower")?),
        "triangular-solve" => none()
            .with("left_side", f.flag("left_side")?)
            .with("lower", f.flag("lower")?)
            .with("unit_diagonal", f.flag("unit_diagonal")?)
            .with(
                "transpose_a",
                f.word("transpose_a")?.unwrap_or("NO_TRANSPOSE"),
            ),
        "batch-norm-training" | "batch-norm-inference" | "batch-norm-grad" => {
            // The module holds epsilon as an f32; the number read back must be that one.
            let epsilon = f.required("epsilon", |c| {
                let text = c.value()?;
                text.parse::<f32>()
                    .map_err(|_| c.error_at(0, "expected a number"))
            })?;
            none()
                .with("epsilon", f64::from(epsilon))
                .with("feature_index", f.int("feature_index")?)
        }
        "rng" => {
            let distribution = f.word("distribution")?.unwrap_or("");
            none().with(
                "rng_distribution",
                upper(distribution.strip_prefix("rng_").unwrap_or(distribution)),
            )
        }
        "rng-bit-generator" => {
            let algorithm = f.word("algorithm")?.unwrap_or("rng_default");
            none().with(
                "rng_algorithm",
                upper(algorithm.strip_prefix("rng_").unwrap_or(algorithm)),
            )
        }
        "rng-get-and-update-state" => none().with("delta", f.int("delta")?),
        "fusion" => none().with_some("kind", f.word("kind")?),
        "async-start" => none().with_some(
            "execution_thread",
            f.take("async_execution_thread", Cursor::string)?,
        ),
        "domain" => domain(f)?,
        "infeed" => none().with(
            "infeed_config",
            f.take("infeed_config", Cursor::string)?.unwrap_or_default(),
        ),
        "outfeed" => none().with(
            "outfeed_config",
            f.take("outfeed_config", Cursor::string)?
                .unwrap_or_default(),
        ),
        "send" | "recv" => transfer(f)?,
        "all-gather" | "all-gather-start" => collective(f)?
            .with("all_gather_dim", f.dimension()?)
            .with("use_global_device_ids", f.flag("use_global_device_ids")?),
        "all-reduce" | "all-reduce-start" => {
            collective(f)?.with("use_global_device_ids", f.flag("use_global_device_ids")?)
        }
        "reduce-scatter" => collective(f)?
            .with("scatter_dimension", f.dimension()?)
            .with("use_global_device_ids", f.flag("use_global_device_ids")?),
        "all-to-all" => all_to_all(f)?,
        "collective-broadcast" | "ragged-all-to-all" => collective(f)?,
        "collective-permute" | "collective-permute-start" => none()
            .with(
                "source_target_pairs",
                rows(f.required("source_target_pairs", |c| {
                    attribute::list(c, attribute::ints)
                })?),
            )
            .with_some("channel_id", f.take("channel_id", Cursor::int)?),
        "custom-call" => custom_call(f)?,
        "exponential"
        | "exponential-minus-one"
        | "log"
        | "log-plus-one"
        | "sqrt"
        | "rsqrt"
        | "cbrt"
        | "logistic"
        | "tanh"
        | "tan"
        | "sine"
        | "cosine" => none().with_some("result_accuracy", result_accuracy(f)?),
        _ => none(),
    };
    Ok((op_name(opcode), attributes))
}

/// Between devices, from a device to the host, and from the host: types 1, 2 and 3 of the specification.
fn transfer(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    let is_host_transfer = f.flag("is_host_transfer")?;
    let channel_type = match (is_host_transfer, &*f.instruction.opcode) {
        (false, _) => 1,
        (true, "send") => 2,
        (true, _) => 3,
    };
    // XLA keeps the pairs among the frontend attributes.
    let pairs = match f.instruction.attribute("frontend_attributes") {
        Some(attribute) => {
            let all =
                frontend_attributes(&mut f.module.cursor(attribute, &f.instruction.location))?;
            match all.get(SOURCE_TARGET_PAIRS) {
                Some(Attribute::Str(text)) => {
                    let mut c = Cursor::new(text, Origin::Fixed(&f.instruction.location));
                    Some(rows(attribute::list(&mut c, attribute::ints)?))
                }
                Some(_) | None => None,
            }
        }
        None => None,
    };
    Ok(Attributes::new()
        .with(
            "channel_id",
            f.take("channel_id", Cursor::int)?.unwrap_or(0),
        )
        .with("channel_type", channel_type)
        .with("is_host_transfer", is_host_transfer)
        .with_some("source_target_pairs", pairs))
}

/// Name of the frontend attribute that holds the routes of a transfer between devices.
pub const SOURCE_TARGET_PAIRS: &str = "_xla_send_recv_source_target_pairs";

fn rows(lists: Vec<Vec<i64>>) -> Vec<Attribute> {
    lists.into_iter().map(Attribute::Ints).collect()
}

pub fn collective(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    let groups = f
        .take("replica_groups", attribute::groups)?
        .unwrap_or_default();
    Ok(Attributes::new()
        .with("replica_groups", rows(groups))
        .with_some("channel_id", f.take("channel_id", Cursor::int)?))
}

fn all_to_all(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    let groups = f
        .take("replica_groups", attribute::groups)?
        .unwrap_or_default();
    let d = f.dimension()?;
    let size = groups.first().map_or(1, |g| g.len() as i64);
    Ok(Attributes::new()
        .with("split_dimension", d)
        .with("concat_dimension", d)
        .with("split_count", size)
        .with("replica_groups", rows(groups))
        .with_some("channel_id", f.take("channel_id", Cursor::int)?))
}

/// `{kind="sharding", entry={..}, exit={..}}`
fn domain(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    let fields = f.required("domain", |c| {
        attribute::list(c, |c| {
            let name = c.expect_word("a field of the domain")?;
            c.expect("=")?;
            Ok((name, c.value()?))
        })
    })?;
    Ok(fields
        .into_iter()
        .fold(Attributes::new(), |a, (name, value)| {
            a.with(name, value.trim_matches('"'))
        }))
}

/// `{tolerance={atol=0,rtol=0,ulps=1}}` or `{mode=highest}`
fn result_accuracy(f: &mut Fields<'_, '_>) -> Result<Option<Attributes>, Error> {
    f.take("result_accuracy", |c| {
        let mut out = Attributes::new()
            .with("atol", 0.0)
            .with("rtol", 0.0)
            .with("ulps", 0)
            .with("mode", "DEFAULT");
        c.expect("{")?;
        while !c.eat("}") {
            c.eat(",");
            let at = c.at();
            let key = c.expect_word("mode or tolerance")?;
            c.expect("=")?;
            match key {
                "mode" => out = out.with("mode", upper(c.expect_word("a mode")?)),
                "tolerance" => {
                    out = out.with("mode", "TOLERANCE");
                    c.expect("{")?;
                    while !c.eat("}") {
                        c.eat(",");
                        let at = c.at();
                        let key = c.expect_word("atol, rtol or ulps")?;
                        c.expect("=")?;
                        let number: f64 = c
                            .value()?
                            .parse()
                            .map_err(|_| c.error_at(at, "expected a number"))?;
                        out = if key == "ulps" {
                            out.with(key, number as i64)
                        } else {
                            out.with(key, number)
                        };
                    }
                }
                _ => {
                    return Err(c.error_at(at, format!("unknown field '{key}' of result_accuracy")));
                }
            }
        }
        Ok(out)
    })
}
