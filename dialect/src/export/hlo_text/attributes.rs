//! Opcode and attributes of HLO text for each op of the `hlo` dialect that is one instruction.

use super::{
    contraction::{convolution, dot_algorithm, precision, window},
    custom_call::custom_call,
    fields::{Fields, Pairs},
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    import::hlo_text::{
        instruction::default_compare_type,
        syntax::{list, quote},
    },
    types::Type,
};

/// Ops that are written with their own name and no attributes.
const PLAIN: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "add",
    "add_dependency",
    "after_all",
    "all_gather_done",
    "all_reduce_done",
    "and",
    "asin",
    "asinh",
    "async_done",
    "async_update",
    "atan2",
    "atanh",
    "bitcast",
    "bitcast_convert",
    "ceil",
    "clamp",
    "collective_permute_done",
    "complex",
    "convert",
    "copy",
    "copy_done",
    "cosh",
    "count_leading_zeros",
    "divide",
    "dynamic_update_slice",
    "erf",
    "floor",
    "imag",
    "is_finite",
    "maximum",
    "minimum",
    "mulhi",
    "multiply",
    "negate",
    "not",
    "or",
    "partition_id",
    "popcnt",
    "power",
    "real",
    "remainder",
    "replica_id",
    "reshape",
    "round_nearest_afz",
    "round_nearest_even",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sinh",
    "stochastic_convert",
    "subtract",
    "xor",
];

/// Opcode and attributes; `None` when HLO has no such instruction. `operands` are the operand types.
pub fn describe(
    name: &str,
    attributes: &Attributes,
    operands: &[Type],
) -> Result<Option<(String, Pairs)>, Error> {
    let f = Fields(attributes);
    let mut out = Pairs::default();
    let mut opcode = name.replace('_', "-");
    match name {
        _ if PLAIN.contains(&name) => {}
        "exponential"
        | "exponential_minus_one"
        | "log"
        | "log_plus_one"
        | "sqrt"
        | "rsqrt"
        | "cbrt"
        | "logistic"
        | "tanh"
        | "tan"
        | "sine"
        | "cosine" => result_accuracy(&f, &mut out),
        "broadcast_in_dim" => {
            opcode = "broadcast".to_string();
            out.lists(&f, &[("broadcast_dimensions", "dimensions")]);
        }
        "copy_start" => {
            if let Some(index) = f.int("cross_program_prefetch_index") {
                out.put("cross_program_prefetch_index", index);
            }
        }
        "transpose" => out.lists(&f, &[("permutation", "dimensions")]),
        "reverse" | "map" | "reduce" => out.lists(&f, &[("dimensions", "dimensions")]),
        "concatenate" | "get_dimension_size" | "set_dimension_size" => {
            out.put("dimensions", list(&[f.int("dimension").unwrap_or(0)]))
        }
        "iota" => out.put("iota_dimension", f.int("iota_dimension").unwrap_or(0)),
        "slice" => {
            let strides = f.ints("strides");
            let ranges = f
                .ints("start_indices")
                .iter()
                .zip(f.ints("limit_indices"))
                .enumerate();
            let ranges: Vec<String> = ranges
                .map(|(i, (start, limit))| match strides.get(i) {
                    Some(1) | None => format!("[{start}:{limit}]"),
                    Some(stride) => format!("[{start}:{limit}:{stride}]"),
                })
                .collect();
            out.put("slice", format!("{{{}}}", ranges.join(", ")));
        }
        "dynamic_slice" => out.lists(&f, &[("slice_sizes", "dynamic_slice_sizes")]),
        "pad" => {
            let dims = f
                .ints("edge_padding_low")
                .iter()
                .zip(f.ints("edge_padding_high"))
                .zip(f.ints("interior_padding"));
            let dims: Vec<String> = dims
                .map(|((low, high), interior)| {
                    if *interior == 0 {
                        format!("{low}_{high}")
                    } else {
                        format!("{low}_{high}_{interior}")
                    }
                })
                .collect();
            if !dims.is_empty() {
                out.put("padding", dims.join("x"));
            }
        }
        "compare" => {
            out.put("direction", f.word("comparison_direction").unwrap_or("EQ"));
            let default = operands.first().and_then(default_compare_type);
            if let Some(kind) = f.word("compare_type").filter(|k| Some(*k) != default) {
                out.put("type", kind);
            }
        }
        "reduce_precision" => {
            out.put("exponent_bits", f.int("exponent_bits").unwrap_or(0));
            out.put("mantissa_bits", f.int("mantissa_bits").unwrap_or(0));
        }
        "dot_general" => {
            opcode = "dot".to_string();
            out.batch_lists(&f, &[("lhs_batching_dimensions", "lhs_batch_dims")]);
            out.lists(
                &f,
                &[("lhs_contracting_dimensions", "lhs_contracting_dims")],
            );
            out.batch_lists(&f, &[("rhs_batching_dimensions", "rhs_batch_dims")]);
            out.lists(
                &f,
                &[("rhs_contracting_dimensions", "rhs_contracting_dims")],
            );
            precision(&f, &mut out);
            if let Some(Attribute::Dict(algorithm)) = attributes.get("algorithm") {
                out.put(
                    "algorithm",
                    dot_algorithm(algorithm).ok_or_else(|| {
                        Error::unsupported("a dot algorithm that XLA has no name for")
                    })?,
                );
            }
        }
        "dot" => {
            let rank = |i: usize| {
                operands
                    .get(i)
                    .and_then(Type::as_tensor)
                    .map_or(1, |t| t.rank())
            };
            out.put("lhs_contracting_dims", list(&[rank(0).saturating_sub(1)]));
            out.put("rhs_contracting_dims", list(&[rank(1).saturating_sub(2)]));
            precision(&f, &mut out);
        }
        "ragged_dot" => {
            out.batch_lists(&f, &[("lhs_batching_dimensions", "lhs_batch_dims")]);
            out.lists(
                &f,
                &[("lhs_contracting_dimensions", "lhs_contracting_dims")],
            );
            out.batch_lists(&f, &[("rhs_batching_dimensions", "rhs_batch_dims")]);
            out.lists(
                &f,
                &[
                    ("rhs_contracting_dimensions", "rhs_contracting_dims"),
                    ("lhs_ragged_dimensions", "lhs_ragged_dims"),
                ],
            );
            out.batch_lists(&f, &[("rhs_group_dimensions", "rhs_group_dims")]);
            precision(&f, &mut out);
        }
        "convolution" => convolution(&f, operands, &mut out),
        "gather" => {
            out.lists(
                &f,
                &[
                    ("offset_dims", "offset_dims"),
                    ("collapsed_slice_dims", "collapsed_slice_dims"),
                    ("start_index_map", "start_index_map"),
                ],
            );
            out.batch_lists(
                &f,
                &[
                    ("operand_batching_dims", "operand_batching_dims"),
                    ("start_indices_batching_dims", "start_indices_batching_dims"),
                ],
            );
            out.put("index_vector_dim", f.int("index_vector_dim").unwrap_or(0));
            out.lists(&f, &[("slice_sizes", "slice_sizes")]);
            out.flag(&f, "indices_are_sorted");
        }
        "scatter" => {
            out.lists(
                &f,
                &[
                    ("update_window_dims", "update_window_dims"),
                    ("inserted_window_dims", "inserted_window_dims"),
                    (
                        "scatter_dims_to_operand_dims",
                        "scatter_dims_to_operand_dims",
                    ),
                ],
            );
            out.batch_lists(
                &f,
                &[
                    ("input_batching_dims", "input_batching_dims"),
                    (
                        "scatter_indices_batching_dims",
                        "scatter_indices_batching_dims",
                    ),
                ],
            );
            out.put("index_vector_dim", f.int("index_vector_dim").unwrap_or(0));
            out.flag(&f, "indices_are_sorted");
            out.flag(&f, "unique_indices");
        }
        "reduce_window" => window(
            f.ints("window_dimensions"),
            f.ints("window_strides"),
            f.ints("padding"),
            f.ints("base_dilations"),
            f.ints("window_dilations"),
            &[],
            &mut out,
        ),
        "select_and_scatter" => window(
            f.ints("window_dimensions"),
            f.ints("window_strides"),
            f.ints("padding"),
            &[],
            &[],
            &[],
            &mut out,
        ),
        "sort" => {
            // The specification counts from the back with negative numbers.
            let rank = operands
                .first()
                .and_then(Type::as_tensor)
                .map_or(0, |t| t.rank() as i64);
            let d = f.int("dimension").unwrap_or(-1);
            out.put("dimensions", list(&[if d < 0 { d + rank } else { d }]));
            out.flag(&f, "is_stable");
        }
        "top_k" => {
            opcode = "topk".to_string();
            out.put("k", f.int("k").unwrap_or(0));
            out.put(
                "largest",
                f.0.get("largest") != Some(&Attribute::Bool(false)),
            );
        }
        "fft" => {
            out.put("fft_type", f.word("fft_type").unwrap_or("FFT"));
            out.lists(&f, &[("fft_length", "fft_length")]);
        }
        "cholesky" => out.flag(&f, "lower"),
        "triangular_solve" => {
            ["left_side", "lower", "unit_diagonal"]
                .into_iter()
                .for_each(|n| out.flag(&f, n));
            out.put(
                "transpose_a",
                f.word("transpose_a").unwrap_or("NO_TRANSPOSE"),
            );
        }
        "batch_norm_training" | "batch_norm_inference" | "batch_norm_grad" => {
            if let Some(Attribute::Float(bits)) = attributes.get("epsilon") {
                out.put("epsilon", f64::from_bits(*bits) as f32);
            }
            out.put("feature_index", f.int("feature_index").unwrap_or(0));
        }
        "rng" => out.put(
            "distribution",
            format!(
                "rng_{}",
                f.word("rng_distribution")
                    .unwrap_or("UNIFORM")
                    .to_lowercase()
            ),
        ),
        "rng_bit_generator" => out.put(
            "algorithm",
            format!(
                "rng_{}",
                f.word("rng_algorithm").unwrap_or("DEFAULT").to_lowercase()
            ),
        ),
        "rng_get_and_update_state" => out.put("delta", f.int("delta").unwrap_or(1)),
        "optimization_barrier" => opcode = "opt-barrier".to_string(),
        "create_token" => opcode = "after-all".to_string(),
        "get_tuple_element" => out.put("index", f.int("index").unwrap_or(0)),
        "tuple" => {}
        "fusion" => out.put("kind", f.word("kind").unwrap_or("kLoop")),
        "async_start" => {
            if let Some(thread) = f.word("execution_thread").filter(|t| !t.is_empty()) {
                out.put("async_execution_thread", quote(thread));
            }
        }
        "domain" => {
            let part = |n: &str| f.word(n).unwrap_or("").to_string();
            out.put(
                "domain",
                format!(
                    "{{kind={}, entry={}, exit={}}}",
                    quote(&part("kind")),
                    part("entry"),
                    part("exit")
                ),
            );
        }
        "infeed" | "outfeed" => {
            let key = format!("{name}_config");
            if let Some(config) = f.word(&key).filter(|c| !c.is_empty()) {
                out.put(&key, quote(config));
            }
        }
        "send" | "recv" | "send_done" | "recv_done" => {
            if let Some(channel) = f.int("channel_id").filter(|c| *c > 0) {
                out.put("channel_id", channel);
            }
            out.flag(&f, "is_host_transfer");
        }
        "all_gather" | "all_gather_start" => {
            collective(&f, &mut out);
            out.put("dimensions", list(&[f.int("all_gather_dim").unwrap_or(0)]));
        }
        "all_reduce" | "all_reduce_start" | "collective_broadcast" | "ragged_all_to_all" => {
            collective(&f, &mut out)
        }
        "reduce_scatter" => {
            collective(&f, &mut out);
            out.put(
                "dimensions",
                list(&[f.int("scatter_dimension").unwrap_or(0)]),
            );
        }
        "all_to_all" => {
            let d = f.int("split_dimension").unwrap_or(0);
            if f.int("concat_dimension") != Some(d) {
                return Err(Error::unsupported(
                    "HLO text of an all_to_all that splits and joins different dimensions",
                ));
            }
            collective(&f, &mut out);
            out.put("dimensions", list(&[d]));
        }
        "collective_permute" | "collective_permute_start" => {
            if let Some(channel) = f.int("channel_id").filter(|c| *c > 0) {
                out.put("channel_id", channel);
            }
            out.put("source_target_pairs", f.rows("source_target_pairs"));
        }
        "custom_call" => custom_call(&f, operands, &mut out)?,
        _ => return Ok(None),
    }
    Ok(Some((opcode, out)))
}

fn result_accuracy(f: &Fields<'_>, out: &mut Pairs) {
    let Some(Attribute::Dict(accuracy)) = f.0.get("result_accuracy") else {
        return;
    };
    let inner = Fields(accuracy);
    let float = |name: &str| {
        if let Some(Attribute::Float(bits)) = accuracy.get(name) {
            f64::from_bits(*bits)
        } else {
            0.0
        }
    };
    match inner.word("mode") {
        Some("HIGHEST") => out.put("result_accuracy", "{mode=highest}"),
        Some("TOLERANCE") => {
            let text = format!(
                "{{tolerance={{atol={:e},rtol={:e},ulps={}}}}}",
                float("atol"),
                float("rtol"),
                inner.int("ulps").unwrap_or(0)
            );
            out.put("result_accuracy", text);
        }
        Some(_) | None => {}
    }
}

fn collective(f: &Fields<'_>, out: &mut Pairs) {
    if let Some(channel) = f.int("channel_id").filter(|c| *c > 0) {
        out.put("channel_id", channel);
    }
    out.put("replica_groups", f.rows("replica_groups"));
    out.flag(f, "use_global_device_ids");
}
