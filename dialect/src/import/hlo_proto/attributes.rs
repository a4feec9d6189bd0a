//! Writes the fields of an instruction proto as the attributes HLO text has for its opcode, for the one reader of attributes.

use super::messages::{
    CollectiveDeviceList, DotDimensionNumbers, Instruction, OpSharding, PrecisionConfig,
    ReplicaGroup, Window,
};
use crate::import::hlo_text::{
    Attribute,
    syntax::{join, list, quote},
};
use std::fmt::Write;

/// Text of every attribute of an instruction but those that name computations or other instructions.
pub fn attributes(p: &Instruction) -> Vec<Attribute<'static>> {
    let mut out = Out(vec![]);
    match p.opcode.as_str() {
        "broadcast" | "transpose" | "reverse" | "map" | "reduce" | "concatenate"
        | "get-dimension-size" | "set-dimension-size" | "sort" => {
            out.put("dimensions", list(&p.dimensions));
        }
        "all-gather" | "all-gather-start" | "reduce-scatter" => {
            out.put("dimensions", list(&p.dimensions))
        }
        "all-to-all" if !p.dimensions.is_empty() => out.put("dimensions", list(&p.dimensions)),
        "iota" => out.put("iota_dimension", join(&p.dimensions, ",")),
        "get-tuple-element" => out.put("index", p.tuple_index.to_string()),
        "slice" => {
            let ranges: Vec<String> = p
                .slice_dimensions
                .iter()
                .map(|s| format!("[{}:{}:{}]", s.start, s.limit, s.stride))
                .collect();
            out.put("slice", format!("{{{}}}", ranges.join(", ")));
        }
        "dynamic-slice" => out.put("dynamic_slice_sizes", list(&p.dynamic_slice_sizes)),
        "pad" => {
            let dims = p.padding_config.iter().flat_map(|c| &c.dimensions);
            let dims: Vec<String> = dims
                .map(|d| {
                    format!(
                        "{}_{}_{}",
                        d.edge_padding_low, d.edge_padding_high, d.interior_padding
                    )
                })
                .collect();
            out.some("padding", dims.join("x"));
        }
        "compare" => {
            out.put("direction", p.comparison_direction.clone());
            out.some("type", p.comparison_type.clone());
        }
        "reduce-precision" => {
            out.put("exponent_bits", p.exponent_bits.to_string());
            out.put("mantissa_bits", p.mantissa_bits.to_string());
        }
        "dot" => {
            out.dot(p.dot_dimension_numbers.as_ref());
            out.precision(p.precision_config.as_ref());
        }
        "ragged-dot" => {
            if let Some(n) = &p.ragged_dot_dimension_numbers {
                out.dot(n.dot_dimension_numbers.as_ref());
                out.put("lhs_ragged_dims", list(&n.lhs_ragged_dimensions));
                out.put("rhs_group_dims", list(&n.rhs_group_dimensions));
            }
            out.precision(p.precision_config.as_ref());
        }
        "convolution" => out.convolution(p),
        "gather" => {
            if let Some(n) = &p.gather_dimension_numbers {
                out.put("offset_dims", list(&n.offset_dims));
                out.put("collapsed_slice_dims", list(&n.collapsed_slice_dims));
                out.put("start_index_map", list(&n.start_index_map));
                out.put("operand_batching_dims", list(&n.operand_batching_dims));
                out.put(
                    "start_indices_batching_dims",
                    list(&n.start_indices_batching_dims),
                );
                out.put("index_vector_dim", n.index_vector_dim.to_string());
            }
            out.put("slice_sizes", list(&p.gather_slice_sizes));
            out.flag("indices_are_sorted", p.indices_are_sorted);
        }
        "scatter" => {
            if let Some(n) = &p.scatter_dimension_numbers {
                out.put("update_window_dims", list(&n.update_window_dims));
                out.put("inserted_window_dims", list(&n.inserted_window_dims));
                out.put(
                    "scatter_dims_to_operand_dims",
                    list(&n.scatter_dims_to_operand_dims),
                );
                out.put("input_batching_dims", list(&n.input_batching_dims));
                out.put(
                    "scatter_indices_batching_dims",
                    list(&n.scatter_indices_batching_dims),
                );
                out.put("index_vector_dim", n.index_vector_dim.to_string());
            }
            out.flag("indices_are_sorted", p.indices_are_sorted);
            out.flag("unique_indices", p.unique_indices);
        }
        "topk" => {
            out.put("k", p.k.to_string());
            out.put("largest", p.largest.to_string());
        }
        "fft" => {
            out.put(
                "fft_type",
                word(&["FFT", "IFFT", "RFFT", "IRFFT"], p.fft_type),
            );
            out.put("fft_length", list(&p.fft_length));
        }
        "cholesky" => out.flag(
            "lower",
            p.cholesky_options.as_ref().is_some_and(|o| o.lower),
        ),
        "triangular-solve" => {
            let o = p.triangular_solve_options.clone().unwrap_or_default();
            out.flag("left_side", o.left_side);
            out.flag("lower", o.lower);
            out.flag("unit_diagonal", o.unit_diagonal);
            out.put(
                "transpose_a",
                word(
                    &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
                    o.transpose_a,
                ),
            );
        }
        "batch-norm-training" | "batch-norm-inference" | "batch-norm-grad" => {
            out.put("epsilon", format!("{:e}", p.epsilon));
            out.put("feature_index", p.feature_index.to_string());
        }
        "rng" => out.put(
            "distribution",
            word(
                &["rng_invalid", "rng_uniform", "rng_normal"],
                p.distribution,
            ),
        ),
        "rng-bit-generator" => out.put(
            "algorithm",
            word(
                &["rng_default", "rng_three_fry", "rng_philox"],
                p.rng_algorithm,
            ),
        ),
        "rng-get-and-update-state" => out.put("delta", p.delta.to_string()),
        "fusion" => out.put("kind", p.fusion_kind.clone()),
        "custom-call" => out.custom_call(p),
        "infeed" => out.put(
            "infeed_config",
            quote(&String::from_utf8_lossy(&p.infeed_config)),
        ),
        "outfeed" => out.put(
            "outfeed_config",
            quote(&String::from_utf8_lossy(&p.outfeed_config)),
        ),
        "collective-permute" | "collective-permute-start" => {
            let pairs: Vec<String> = p
                .source_target_pairs
                .iter()
                .map(|s| format!("{{{},{}}}", s.source, s.target))
                .collect();
            out.put("source_target_pairs", format!("{{{}}}", pairs.join(",")));
        }
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
        | "cosine" => match p.result_accuracy.as_ref().map(|a| (a.mode, &a.tolerance)) {
            Some((_, Some(t))) => out.put(
                "result_accuracy",
                format!(
                    "{{tolerance={{atol={:e},rtol={:e},ulps={}}}}}",
                    t.atol, t.rtol, t.ulps
                ),
            ),
            Some((1, None)) => out.put("result_accuracy", "{mode=highest}".to_string()),
            Some((_, None)) | None => {}
        },
        _ => {}
    }
    if matches!(
        p.opcode.as_str(),
        "reduce-window" | "select-and-scatter" | "convolution"
    ) {
        out.window(p.window.as_ref());
    }
    out.collective(p);
    out.flag("is_host_transfer", p.is_host_transfer);
    out.flag("is_stable", p.is_stable);
    out.flag("is_composite", p.is_composite);
    if !p.async_execution_thread.is_empty() && p.async_execution_thread != "main" {
        out.put("async_execution_thread", quote(&p.async_execution_thread));
    }
    if let Some(s) = &p.sharding {
        out.put("sharding", sharding(s));
    }
    if let Some(f) = p.frontend_attributes.as_ref().filter(|f| !f.map.is_empty()) {
        let fields: Vec<String> = f
            .map
            .iter()
            .map(|(k, v)| format!("{k}={}", quote(v)))
            .collect();
        out.put("frontend_attributes", format!("{{{}}}", fields.join(",")));
    }
    if !p.backend_config.is_empty() && p.opcode != "custom-call" {
        let text = String::from_utf8_lossy(&p.backend_config).into_owned();
        out.put(
            "backend_config",
            if text.starts_with('{') {
                text
            } else {
                quote(&text)
            },
        );
    }
    out.0
}

struct Out(Vec<Attribute<'static>>);

fn word(words: &[&str], number: i32) -> String {
    usize::try_from(number)
        .ok()
        .and_then(|n| words.get(n))
        .map_or_else(|| number.to_string(), |w| w.to_string())
}

impl Out {
    fn put(&mut self, name: &'static str, value: String) {
        self.0.push(Attribute {
            name: name.into(),
            value: value.into(),
            offset: None,
        });
    }

    /// Nothing when empty.
    fn some(&mut self, name: &'static str, value: String) {
        if !value.is_empty() {
            self.put(name, value);
        }
    }

    /// Nothing when false.
    fn flag(&mut self, name: &'static str, value: bool) {
        if value {
            self.put(name, "true".to_string());
        }
    }

    fn dot(&mut self, numbers: Option<&DotDimensionNumbers>) {
        let Some(n) = numbers else { return };
        self.put("lhs_batch_dims", list(&n.lhs_batch_dimensions));
        self.put("rhs_batch_dims", list(&n.rhs_batch_dimensions));
        self.put("lhs_contracting_dims", list(&n.lhs_contracting_dimensions));
        self.put("rhs_contracting_dims", list(&n.rhs_contracting_dimensions));
    }

    /// As in text, precisions that are all the default are not an attribute.
    fn precision(&mut self, config: Option<&PrecisionConfig>) {
        const ALGORITHMS: &[&str] = &[
            "dot_unset",
            "dot_any_f8_any_f8_f32",
            "dot_any_f8_any_f8_f32_fast_accum",
            "dot_f16_f16_f16",
            "dot_f16_f16_f32",
            "dot_bf16_bf16_bf16",
            "dot_bf16_bf16_f32",
            "dot_bf16_bf16_f32_x3",
            "dot_bf16_bf16_f32_x6",
            "dot_tf32_tf32_f32",
            "dot_tf32_tf32_f32_x3",
            "dot_f32_f32_f32",
            "dot_f64_f64_f64",
            "dot_bf16_bf16_f32_x9",
            "dot_any_f8_any_f8_any",
            "dot_any_f8_any_f8_any_fast_accum",
        ];
        let Some(c) = config else { return };
        if c.operand_precision.iter().any(|p| *p != 0) {
            let words: Vec<String> = c
                .operand_precision
                .iter()
                .map(|p| word(&["default", "high", "highest"], *p))
                .collect();
            self.put("operand_precision", format!("{{{}}}", words.join(",")));
        }
        if c.algorithm != 0 {
            self.put("algorithm", word(ALGORITHMS, c.algorithm));
        }
    }

    fn window(&mut self, window: Option<&Window>) {
        let Some(w) = window.filter(|w| !w.dimensions.is_empty()) else {
            return;
        };
        let field = |get: &dyn Fn(&super::messages::WindowDimension) -> String| {
            w.dimensions.iter().map(get).collect::<Vec<_>>().join("x")
        };
        let text = format!(
            "{{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
            field(&|d| d.size.to_string()),
            field(&|d| d.stride.to_string()),
            field(&|d| format!("{}_{}", d.padding_low, d.padding_high)),
            field(&|d| d.base_dilation.max(1).to_string()),
            field(&|d| d.window_dilation.max(1).to_string()),
            field(&|d| u8::from(d.window_reversal).to_string()),
        );
        self.put("window", text);
    }

    fn convolution(&mut self, p: &Instruction) {
        if let Some(n) = &p.convolution_dimension_numbers {
            let label = |first: (i64, char), second: (i64, char), spatial: &[i64]| -> String {
                let rank = spatial.len() as i64 + 2;
                let place = |d: i64| {
                    [first, second]
                        .into_iter()
                        .find(|(at, _)| *at == d)
                        .map(|(_, letter)| letter.to_string())
                        .or_else(|| spatial.iter().position(|s| *s == d).map(|i| i.to_string()))
                };
                (0..rank)
                    .map(|d| place(d).unwrap_or_else(|| "?".to_string()))
                    .collect()
            };
            let text = format!(
                "{}_{}->{}",
                label(
                    (n.input_batch_dimension, 'b'),
                    (n.input_feature_dimension, 'f'),
                    &n.input_spatial_dimensions
                ),
                label(
                    (n.kernel_input_feature_dimension, 'i'),
                    (n.kernel_output_feature_dimension, 'o'),
                    &n.kernel_spatial_dimensions
                ),
                label(
                    (n.output_batch_dimension, 'b'),
                    (n.output_feature_dimension, 'f'),
                    &n.output_spatial_dimensions
                ),
            );
            self.put("dim_labels", text);
        }
        self.put(
            "feature_group_count",
            p.feature_group_count.max(1).to_string(),
        );
        self.put("batch_group_count", p.batch_group_count.max(1).to_string());
        if p.padding_type != 0 {
            self.put("padding_type", p.padding_type.to_string());
        }
        self.precision(p.precision_config.as_ref());
    }

    fn custom_call(&mut self, p: &Instruction) {
        self.put("custom_call_target", quote(&p.custom_call_target));
        self.flag("custom_call_has_side_effect", p.custom_call_has_side_effect);
        let versions = [
            "",
            "",
            "API_VERSION_STATUS_RETURNING",
            "API_VERSION_STATUS_RETURNING_UNIFIED",
            "API_VERSION_TYPED_FFI",
        ];
        self.some("api_version", word(&versions, p.custom_call_api_version));
        if !p.backend_config.is_empty() {
            let text = String::from_utf8_lossy(&p.backend_config).into_owned();
            let is_dictionary = p.custom_call_api_version == 4 && text.starts_with('{');
            self.put(
                "backend_config",
                if is_dictionary { text } else { quote(&text) },
            );
        }
        if p.constrain_layout {
            let shapes: Vec<String> = p
                .operand_shapes_with_layout
                .iter()
                .map(super::shape_text)
                .collect();
            self.put(
                "operand_layout_constraints",
                format!("{{{}}}", shapes.join(", ")),
            );
        }
        if !p.output_operand_aliasing.is_empty() {
            let pairs = p.output_operand_aliasing.iter();
            let pairs: Vec<String> = pairs
                .map(|a| {
                    format!(
                        "{}: ({}, {})",
                        list(&a.output_shape_index),
                        a.operand_index,
                        list(&a.operand_shape_index)
                    )
                })
                .collect();
            self.put(
                "output_to_operand_aliasing",
                format!("{{{}}}", pairs.join(", ")),
            );
        }
    }

    fn collective(&mut self, p: &Instruction) {
        let lists = |groups: &[ReplicaGroup]| {
            let rows: Vec<String> = groups.iter().map(|g| list(&g.replica_ids)).collect();
            format!("{{{}}}", rows.join(","))
        };
        match &p.collective_device_list {
            Some(CollectiveDeviceList {
                iota_replica_group_list: Some(iota),
                ..
            }) => {
                let mut text = format!(
                    "[{},{}]<=[{}]",
                    iota.num_replica_groups,
                    iota.num_devices_per_group,
                    join(&iota.iota_reshape_dims, ",")
                );
                if !iota.iota_transpose_perm.is_empty() {
                    let _ = write!(text, "T({})", join(&iota.iota_transpose_perm, ","));
                }
                self.put("replica_groups", text);
            }
            Some(CollectiveDeviceList { replica_groups, .. }) if !replica_groups.is_empty() => {
                self.put("replica_groups", lists(replica_groups))
            }
            Some(_) | None if !p.replica_groups.is_empty() => {
                self.put("replica_groups", lists(&p.replica_groups))
            }
            Some(_) | None => {}
        }
        if p.channel_id > 0 {
            self.put("channel_id", p.channel_id.to_string());
        }
        self.flag("use_global_device_ids", p.use_global_device_ids);
    }
}

fn sharding(s: &OpSharding) -> String {
    match s.kind {
        0 => "{replicated}".to_string(),
        1 => format!(
            "{{maximal device={}}}",
            join(&s.tile_assignment_devices, ",")
        ),
        2 => format!(
            "{{{}}}",
            s.tuple_shardings
                .iter()
                .map(sharding)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        3 => {
            let devices = if s.iota_reshape_dims.is_empty() {
                join(&s.tile_assignment_devices, ",")
            } else if s.iota_transpose_perm.is_empty() {
                format!("<=[{}]", join(&s.iota_reshape_dims, ","))
            } else {
                format!(
                    "<=[{}]T({})",
                    join(&s.iota_reshape_dims, ","),
                    join(&s.iota_transpose_perm, ",")
                )
            };
            let last = if s.replicate_on_last_tile_dim {
                " last_tile_dim_replicate"
            } else {
                ""
            };
            format!(
                "{{devices=[{}]{devices}{last}}}",
                join(&s.tile_assignment_dimensions, ",")
            )
        }
        4 => "{manual}".to_string(),
        6 => "{unreduced}".to_string(),
        _ => "{unknown}".to_string(),
    }
}
