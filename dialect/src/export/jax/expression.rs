//! Ops that are one call of `jax.lax`.

use super::{Writer, dtype, literal, shape, tuple};
use crate::{
    attribute::Attribute,
    error::Error,
    export::hlo_text::{contraction::dot_algorithm, fields::Fields},
    hlo,
    op::Op,
    program::OpId,
    types::{Class, ElementType, TensorType},
};

/// Ops that take and give arrays and nothing else.
const CALLS: &[(&str, &str)] = &[
    ("abs", "lax.abs"),
    ("acos", "lax.acos"),
    ("acosh", "lax.acosh"),
    ("add", "lax.add"),
    ("and", "lax.bitwise_and"),
    ("asin", "lax.asin"),
    ("asinh", "lax.asinh"),
    ("atan", "lax.atan"),
    ("atan2", "lax.atan2"),
    ("atanh", "lax.atanh"),
    ("bessel_i1e", "lax.bessel_i1e"),
    ("cbrt", "lax.cbrt"),
    ("ceil", "lax.ceil"),
    ("clamp", "lax.clamp"),
    ("complex", "lax.complex"),
    ("conj", "lax.conj"),
    ("cosh", "lax.cosh"),
    ("cosine", "lax.cos"),
    ("count_leading_zeros", "lax.clz"),
    ("digamma", "lax.digamma"),
    ("divide", "lax.div"),
    ("erf", "lax.erf"),
    ("erf_inv", "lax.erf_inv"),
    ("erfc", "lax.erfc"),
    ("exponential", "lax.exp"),
    ("exponential_minus_one", "lax.expm1"),
    ("floor", "lax.floor"),
    ("imag", "lax.imag"),
    ("is_finite", "lax.is_finite"),
    ("is_inf", "jnp.isinf"),
    ("is_neg_inf", "jnp.isneginf"),
    ("is_pos_inf", "jnp.isposinf"),
    ("lgamma", "lax.lgamma"),
    ("log", "lax.log"),
    ("log_plus_one", "lax.log1p"),
    ("logistic", "lax.logistic"),
    ("maximum", "lax.max"),
    ("minimum", "lax.min"),
    ("multiply", "lax.mul"),
    ("negate", "lax.neg"),
    ("mulhi", "lax.mulhi"),
    ("next_after", "lax.nextafter"),
    ("not", "lax.bitwise_not"),
    ("or", "lax.bitwise_or"),
    ("polygamma", "lax.polygamma"),
    ("popcnt", "lax.population_count"),
    ("power", "lax.pow"),
    ("real", "lax.real"),
    ("remainder", "lax.rem"),
    ("rsqrt", "lax.rsqrt"),
    ("select", "lax.select"),
    ("shift_left", "lax.shift_left"),
    ("shift_right_arithmetic", "lax.shift_right_arithmetic"),
    ("shift_right_logical", "lax.shift_right_logical"),
    ("sign", "lax.sign"),
    ("sine", "lax.sin"),
    ("sinh", "lax.sinh"),
    ("sqrt", "lax.sqrt"),
    ("square", "lax.square"),
    ("subtract", "lax.sub"),
    ("tan", "lax.tan"),
    ("tanh", "lax.tanh"),
    ("xor", "lax.bitwise_xor"),
    ("zeta", "lax.zeta"),
];

impl Writer<'_> {
    /// The call that computes an op without regions.
    pub(super) fn expression(&mut self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let Op::Hlo(op) = &self.program.op(id).op;
        if let hlo::Op::Constant(c) = op {
            return literal::text(&c.value);
        }
        let x = self.operands(id);
        let all = x.join(", ");
        let first = x.first().cloned().unwrap_or_default();
        let name = op.name();
        // JAX has no sums and products of booleans.
        let boolean = self
            .operand_type(id, 0)
            .is_ok_and(|t| t.element == ElementType::I1);
        if let (true, Some(call)) = (
            boolean,
            match name {
                "add" => Some("lax.bitwise_or"),
                "multiply" => Some("lax.bitwise_and"),
                _ => None,
            },
        ) {
            return Ok(format!("{call}({all})"));
        }
        if let Some((_, call)) = CALLS.iter().find(|(n, _)| *n == name) {
            return Ok(format!("{call}({all})"));
        }
        let ints = |n: &str| tuple(f.ints(n));
        Ok(match name {
            "convert" => format!(
                "lax.convert_element_type({first}, {})",
                dtype(&self.result_type(id, 0)?.element)?
            ),
            "bitcast_convert" => format!(
                "lax.bitcast_convert_type({first}, {})",
                dtype(&self.result_type(id, 0)?.element)?
            ),
            "copy" => first,
            "bitcast" => bitcast(
                &first,
                &self.operand_type(id, 0)?,
                f.ints("source_layout"),
                &self.result_type(id, 0)?,
            )?,
            "round_nearest_afz" => format!("lax.round({first}, lax.RoundingMethod.AWAY_FROM_ZERO)"),
            "round_nearest_even" => {
                format!("lax.round({first}, lax.RoundingMethod.TO_NEAREST_EVEN)")
            }
            "reduce_precision" => format!(
                "lax.reduce_precision({first}, {}, {})",
                f.int("exponent_bits").unwrap_or(0),
                f.int("mantissa_bits").unwrap_or(0)
            ),
            "compare" => self.compare(id, f)?,
            "broadcast_in_dim" => format!(
                "lax.broadcast_in_dim({first}, {}, {})",
                shape(&self.result_type(id, 0)?)?,
                ints("broadcast_dimensions")
            ),
            "broadcast" => format!("lax.broadcast({first}, {})", ints("broadcast_sizes")),
            "reshape" => format!(
                "lax.reshape({first}, {})",
                shape(&self.result_type(id, 0)?)?
            ),
            "transpose" => format!("lax.transpose({first}, {})", ints("permutation")),
            "reverse" => format!("lax.rev({first}, {})", ints("dimensions")),
            "concatenate" => format!(
                "lax.concatenate([{all}], {})",
                f.int("dimension").unwrap_or(0)
            ),
            "slice" => format!(
                "lax.slice({first}, {}, {}, {})",
                ints("start_indices"),
                ints("limit_indices"),
                ints("strides")
            ),
            "dynamic_slice" => {
                let starts = tuple(x.get(1..).unwrap_or(&[]));
                format!(
                    "lax.dynamic_slice({first}, {starts}, {}, allow_negative_indices=False)",
                    ints("slice_sizes")
                )
            }
            "dynamic_update_slice" => {
                let [operand, update, starts @ ..] = x.as_slice() else {
                    return Err(Error::internal("an operand is missing"));
                };
                format!(
                    "lax.dynamic_update_slice({operand}, {update}, {}, allow_negative_indices=False)",
                    tuple(starts)
                )
            }
            "pad" => {
                let dims = f
                    .ints("edge_padding_low")
                    .iter()
                    .zip(f.ints("edge_padding_high"))
                    .zip(f.ints("interior_padding"));
                let dims: Vec<String> = dims
                    .map(|((low, high), interior)| format!("({low}, {high}, {interior})"))
                    .collect();
                format!("lax.pad({all}, {})", tuple(&dims))
            }
            "iota" => {
                let t = self.result_type(id, 0)?;
                format!(
                    "lax.broadcasted_iota({}, {}, {})",
                    dtype(&t.element)?,
                    shape(&t)?,
                    f.int("iota_dimension").unwrap_or(0)
                )
            }
            "get_dimension_size" => {
                let dims = self.operand_type(id, 0)?.static_dims();
                let size = dims
                    .as_ref()
                    .and_then(|d| d.get(f.int("dimension").and_then(|i| usize::try_from(i).ok())?));
                format!(
                    "np.int32({})",
                    size.ok_or_else(|| Error::unsupported(
                        "a JAX script of a program with dynamic shapes"
                    ))?
                )
            }
            "gather" => {
                let rank = self.operand_type(id, 1)?.rank();
                format!(
                    "lax.gather({first}, {}, lax.GatherDimensionNumbers({}, {}, {}, {}, {}), {}, indices_are_sorted={}, mode=\"clip\")",
                    index_vectors_last(x.get(1), f.int("index_vector_dim"), rank)?,
                    ints("offset_dims"),
                    ints("collapsed_slice_dims"),
                    ints("start_index_map"),
                    ints("operand_batching_dims"),
                    ints("start_indices_batching_dims"),
                    ints("slice_sizes"),
                    python(f.flag("indices_are_sorted")),
                )
            }
            "dot_general" => self.dot(id, f)?,
            "convolution" => self.convolution(id, f)?,
            "top_k" if f.0.get("largest") != Some(&Attribute::Bool(false)) => {
                format!("lax.top_k({first}, {})", f.int("k").unwrap_or(1))
            }
            "fft" => format!(
                "lax.fft({first}, \"{}\", {})",
                f.word("fft_type").unwrap_or("FFT").to_lowercase(),
                ints("fft_length")
            ),
            "cholesky" if f.flag("lower") => {
                format!("lax.linalg.cholesky({first}, symmetrize_input=False)")
            }
            "cholesky" => format!(
                "jnp.conj(jnp.matrix_transpose(lax.linalg.cholesky(jnp.conj(jnp.matrix_transpose({first})), symmetrize_input=False)))"
            ),
            "triangular_solve" => {
                let transpose = f.word("transpose_a").unwrap_or("NO_TRANSPOSE");
                format!(
                    "lax.linalg.triangular_solve({all}, left_side={}, lower={}, transpose_a={}, conjugate_a={}, unit_diagonal={})",
                    python(f.flag("left_side")),
                    python(f.flag("lower")),
                    python(transpose != "NO_TRANSPOSE"),
                    python(transpose == "ADJOINT"),
                    python(f.flag("unit_diagonal")),
                )
            }
            "rng_bit_generator" => {
                let t = self.result_type(id, 1)?;
                let algorithm = f.word("rng_algorithm").unwrap_or("DEFAULT");
                format!(
                    "lax.rng_bit_generator({first}, {}, {}, algorithm=lax.RandomAlgorithm.RNG_{algorithm})",
                    shape(&t)?,
                    dtype(&t.element)?
                )
            }
            "optimization_barrier" if x.len() == 1 => format!("lax.optimization_barrier({first})"),
            "optimization_barrier" => format!("lax.optimization_barrier(({all}))"),
            "custom_call" => {
                return Err(Error::unsupported(format!(
                    "a JAX script of custom call '{}'",
                    f.word("call_target_name").unwrap_or("")
                )));
            }
            _ => return Err(Error::unsupported(format!("a JAX script of hlo.{name}"))),
        })
    }

    fn compare(&mut self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let call = f
            .word("comparison_direction")
            .unwrap_or("EQ")
            .to_lowercase();
        let all = self.operands(id);
        if f.word("compare_type") == Some("TOTALORDER")
            && self.operand_type(id, 0)?.element.class() == Class::Float
        {
            self.uses_total_order = true;
            let keys: Vec<String> = all.iter().map(|v| format!("total_order({v})")).collect();
            return Ok(format!("lax.{call}({})", keys.join(", ")));
        }
        Ok(format!("lax.{call}({})", all.join(", ")))
    }

    fn dot(&self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let ints = |n: &str| tuple(f.ints(n));
        let precision = match f.0.get("algorithm") {
            Some(Attribute::Dict(algorithm)) => {
                let name = dot_algorithm(algorithm).ok_or_else(|| {
                    Error::unsupported("a dot algorithm that JAX has no name for")
                })?;
                format!(
                    ", precision=lax.DotAlgorithmPreset.{}",
                    name.trim_start_matches("dot_").to_uppercase()
                )
            }
            Some(_) | None => precision(f),
        };
        Ok(format!(
            "lax.dot_general({}, (({}, {}), ({}, {})){precision}, preferred_element_type={})",
            self.operands(id).join(", "),
            ints("lhs_contracting_dimensions"),
            ints("rhs_contracting_dimensions"),
            ints("lhs_batching_dimensions"),
            ints("rhs_batching_dimensions"),
            dtype(&self.result_type(id, 0)?.element)?,
        ))
    }

    fn convolution(&self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let x = self.operands(id);
        let [lhs, rhs] = x.as_slice() else {
            return Err(Error::internal("an operand is missing"));
        };
        let spec = |first: &str, second: &str, spatial: &str| {
            let head = [f.int(first).unwrap_or(0), f.int(second).unwrap_or(0)];
            tuple(
                &head
                    .iter()
                    .chain(f.ints(spatial))
                    .copied()
                    .collect::<Vec<i64>>(),
            )
        };
        let reversed: Vec<i64> = match f.0.get("window_reversal") {
            Some(Attribute::Bools(all)) => f
                .ints("kernel_spatial_dimensions")
                .iter()
                .zip(all)
                .filter(|(_, r)| **r)
                .map(|(d, _)| *d)
                .collect(),
            Some(_) | None => vec![],
        };
        let rhs = if reversed.is_empty() {
            rhs.clone()
        } else {
            format!("lax.rev({rhs}, {})", tuple(&reversed))
        };
        let padding: Vec<String> = f.ints("padding").chunks(2).map(tuple).collect();
        Ok(format!(
            "lax.conv_general_dilated({lhs}, {rhs}, {}, {}, {}, {}, lax.ConvDimensionNumbers({}, {}, {}), {}, {}{}, preferred_element_type={})",
            tuple(f.ints("window_strides")),
            tuple(&padding),
            tuple(f.ints("lhs_dilation")),
            tuple(f.ints("rhs_dilation")),
            spec(
                "input_batch_dimension",
                "input_feature_dimension",
                "input_spatial_dimensions"
            ),
            spec(
                "kernel_output_feature_dimension",
                "kernel_input_feature_dimension",
                "kernel_spatial_dimensions"
            ),
            spec(
                "output_batch_dimension",
                "output_feature_dimension",
                "output_spatial_dimensions"
            ),
            f.int("feature_group_count").unwrap_or(1),
            f.int("batch_group_count").unwrap_or(1),
            precision(f),
            dtype(&self.result_type(id, 0)?.element)?,
        ))
    }
}

/// A boolean of Python.
pub fn python(flag: bool) -> &'static str {
    if flag { "True" } else { "False" }
}

fn precision(f: &Fields<'_>) -> String {
    let word = |a: &Attribute| {
        if let Attribute::Str(w) = a {
            Some(format!("lax.Precision.{w}"))
        } else {
            None
        }
    };
    let words: Vec<String> = f
        .array("precision_config")
        .iter()
        .filter_map(word)
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(", precision={}", tuple(&words))
    }
}

/// JAX wants the index vectors in the last dimension.
pub fn index_vectors_last(
    indices: Option<&String>,
    dimension: Option<i64>,
    rank: usize,
) -> Result<String, Error> {
    let indices = indices.ok_or_else(|| Error::internal("an operand is missing"))?;
    Ok(match dimension {
        Some(d) if d == rank as i64 => format!("jnp.expand_dims({indices}, {d})"),
        Some(d) if d + 1 < rank as i64 => format!("jnp.moveaxis({indices}, {d}, -1)"),
        Some(_) | None => indices.clone(),
    })
}

/// The elements in the order of `source_layout`, read in the memory order of the result.
fn bitcast(
    x: &str,
    from: &TensorType,
    source_layout: &[i64],
    to: &TensorType,
) -> Result<String, Error> {
    if from.element != to.element {
        return Err(Error::unsupported(
            "a JAX script of a bitcast to another element type",
        ));
    }
    let source: Vec<i64> = match source_layout {
        [] => (0..from.rank() as i64).collect(),
        list => list.iter().rev().copied().collect(),
    };
    let target: Vec<i64> = match &to.layout {
        Some(layout) => layout
            .minor_to_major
            .iter()
            .rev()
            .map(|d| *d as i64)
            .collect(),
        None => (0..to.rank() as i64).collect(),
    };
    let is_identity = |order: &[i64]| order.iter().enumerate().all(|(i, d)| i as i64 == *d);
    let dims = to
        .static_dims()
        .ok_or_else(|| Error::unsupported("a JAX script of a program with dynamic shapes"))?;
    let mut out = x.to_string();
    if !is_identity(&source) {
        out = format!("lax.transpose({out}, {})", tuple(&source));
    }
    let physical: Vec<u64> = target
        .iter()
        .filter_map(|d| dims.get(*d as usize))
        .copied()
        .collect();
    out = format!("lax.reshape({out}, {})", tuple(&physical));
    if !is_identity(&target) {
        let inverse: Vec<usize> = (0..target.len() as i64)
            .filter_map(|d| target.iter().position(|t| *t == d))
            .collect();
        out = format!("lax.transpose({out}, {})", tuple(&inverse));
    }
    Ok(out)
}
