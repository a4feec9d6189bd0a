//! What an HLO instruction means as an op of the `hlo` dialect: its name and attributes in the terms of the StableHLO specification.

use super::{
    attribute::{self, Attribute as Raw},
    cursor::Cursor,
    mlir_attribute,
    module::{Instruction, Module},
    shape,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    types::{TensorType, Type},
};

/// Takes attributes of an instruction by name; those never taken are kept for export.
pub struct Fields<'m, 'a> {
    pub module: &'m Module<'a>,
    pub instruction: &'m Instruction<'a>,
    taken: Vec<bool>,
}

impl<'m, 'a> Fields<'m, 'a> {
    pub fn new(module: &'m Module<'a>, instruction: &'m Instruction<'a>) -> Fields<'m, 'a> {
        let taken = vec![false; instruction.attributes.len()];
        Fields {
            module,
            instruction,
            taken,
        }
    }

    /// Reads attribute `name`, the whole of it, if it is there.
    pub fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Cursor<'m>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let found = self
            .instruction
            .attributes
            .iter()
            .position(|a| a.name == name);
        let Some(i) = found else { return Ok(None) };
        if let Some(taken) = self.taken.get_mut(i) {
            *taken = true;
        }
        let mut c = self
            .module
            .cursor(&self.instruction.attributes[i], &self.instruction.location);
        let value = read(&mut c)?;
        c.skip_blank();
        if !c.is_at_end() {
            return Err(c.expected(&format!("the end of attribute '{name}'")));
        }
        Ok(Some(value))
    }

    /// Counts attributes as taken that were read before.
    pub fn skip(&mut self, names: &[&str]) {
        for (a, taken) in self.instruction.attributes.iter().zip(&mut self.taken) {
            *taken |= names.contains(&&*a.name);
        }
    }

    pub fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Cursor<'m>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (opcode, location) = (&self.instruction.opcode, &self.instruction.location);
        self.take(name, read)?.ok_or_else(|| {
            Error::invalid(
                format!("'{opcode}' needs attribute '{name}'"),
                location.clone(),
            )
        })
    }

    fn ints(&mut self, name: &str) -> Result<Vec<i64>, Error> {
        Ok(self.take(name, attribute::ints)?.unwrap_or_default())
    }

    fn int(&mut self, name: &str) -> Result<i64, Error> {
        self.required(name, Cursor::int)
    }

    fn flag(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.take(name, attribute::boolean)?.unwrap_or(false))
    }

    fn word(&mut self, name: &str) -> Result<Option<&'m str>, Error> {
        self.take(name, |c| c.expect_word("a word"))
    }

    /// The only entry of `dimensions={d}`.
    fn dimension(&mut self) -> Result<i64, Error> {
        let dims = self.required("dimensions", attribute::ints)?;
        let [d] = dims[..] else {
            let m = format!(
                "'{}' needs one dimension, got {dims:?}",
                self.instruction.opcode
            );
            return Err(Error::invalid(m, self.instruction.location.clone()));
        };
        Ok(d)
    }

    fn window(&mut self) -> Result<attribute::Window, Error> {
        Ok(self.take("window", attribute::window)?.unwrap_or_default())
    }

    /// Fails on an attribute whose meaning no op has.
    fn refuse(&self, name: &str) -> Result<(), Error> {
        match self.instruction.attribute(name) {
            None => Ok(()),
            Some(_) => {
                let what = format!("attribute '{name}' of HLO {}", self.instruction.opcode);
                Err(Error::Unsupported {
                    what,
                    location: self.instruction.location.clone(),
                })
            }
        }
    }

    /// The attributes no one took, as text.
    pub fn left(&self) -> impl Iterator<Item = &'m Raw<'a>> + '_ {
        self.instruction
            .attributes
            .iter()
            .zip(&self.taken)
            .filter(|(_, taken)| !**taken)
            .map(|(a, _)| a)
    }
}

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

fn upper(word: &str) -> String {
    word.to_ascii_uppercase()
}

/// Name and attributes of the op. Called computations are the caller's business.
pub fn describe(f: &mut Fields<'_, '_>) -> Result<(String, Attributes), Error> {
    let none = Attributes::new;
    let opcode: &str = &f.instruction.opcode;
    let attributes = match opcode {
        "broadcast" => none().with("broadcast_dimensions", f.ints("dimensions")?),
        "transpose" => none().with("permutation", f.ints("dimensions")?),
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
        "compare" => none()
            .with(
                "comparison_direction",
                f.required("direction", |c| c.expect_word("a direction").map(upper))?,
            )
            .with_some("compare_type", f.word("type")?.map(upper)),
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
        "send" | "recv" => none()
            .with(
                "channel_id",
                f.take("channel_id", Cursor::int)?.unwrap_or(0),
            )
            // To and from the host, or between devices: types 3, 2 and 1 of the specification.
            .with("channel_type", 1)
            .with("is_host_transfer", f.flag("is_host_transfer")?),
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
    let attributes = match (opcode, attributes) {
        ("send" | "recv", a) if a.get("is_host_transfer") == Some(&Attribute::Bool(true)) => {
            a.with("channel_type", if opcode == "send" { 3 } else { 2 })
        }
        (_, a) => a,
    };
    Ok((op_name(opcode), attributes))
}

fn rows(lists: Vec<Vec<i64>>) -> Vec<Attribute> {
    lists.into_iter().map(Attribute::Ints).collect()
}

fn collective(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
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
    if f.instruction.attribute("dimensions").is_none() {
        let what = "HLO all-to-all in tuple form".to_string();
        return Err(Error::Unsupported {
            what,
            location: f.instruction.location.clone(),
        });
    }
    let d = f.dimension()?;
    let size = groups.first().map_or(1, |g| g.len() as i64);
    Ok(Attributes::new()
        .with("split_dimension", d)
        .with("concat_dimension", d)
        .with("split_count", size)
        .with("replica_groups", rows(groups))
        .with_some("channel_id", f.take("channel_id", Cursor::int)?))
}

fn precision(f: &mut Fields<'_, '_>) -> Result<Option<Attribute>, Error> {
    let words = f.take("operand_precision", |c| {
        attribute::list(c, |c| c.expect_word("a precision"))
    })?;
    Ok(words.map(|all| Attribute::Array(all.into_iter().map(|w| upper(w).into()).collect())))
}

fn dot(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
    f.refuse("sparsity")?;
    let algorithm = match f.word("algorithm")? {
        None | Some("dot_unset") => None,
        Some(word) => Some(dot_algorithm(word).ok_or_else(|| {
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

fn ragged_dot(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
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

fn dot_algorithm(word: &str) -> Option<Attributes> {
    let (_, operand, sum, operations, imprecise) =
        DOT_ALGORITHMS.iter().find(|row| row.0 == word)?;
    Some(
        Attributes::new()
            .with("lhs_precision_type", *operand)
            .with("rhs_precision_type", *operand)
            .with("accumulation_type", *sum)
            .with("lhs_component_count", 1)
            .with("rhs_component_count", 1)
            .with("num_primitive_operations", *operations)
            .with("allow_imprecise_accumulation", *imprecise),
    )
}

fn convolution(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
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

fn custom_call(f: &mut Fields<'_, '_>) -> Result<Attributes, Error> {
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
