//! From StableHLO's attributes to the flat names of the specification, with defaults filled in, so that one program has one form.

use super::{Fail, Parse, Parser, blocks::Written};
use crate::{
    attribute::{Attribute, Attributes},
    types::Type,
};

/// Attributes that hold a struct; its fields become attributes of the op.
const STRUCTS: [&str; 4] = [
    "dimension_numbers",
    "dot_dimension_numbers",
    "scatter_dimension_numbers",
    "ragged_dot_dimension_numbers",
];

impl Parser<'_> {
    /// Name of the `hlo` op behind a name of a text.
    pub fn hlo_name<'n>(&self, name: &'n str, at: usize) -> Parse<&'n str> {
        match name.split_once('.') {
            // The only op whose name has dashes.
            Some(("stablehlo" | "mhlo", "cross-replica-sum")) => Ok("cross_replica_sum"),
            Some(("stablehlo" | "chlo" | "mhlo", op)) => Ok(op),
            Some(("check" | "interpreter", _)) => Ok("custom_call"),
            Some(("func", "call")) => Ok("call"),
            None if name == "call" => Ok("call"),
            Some(("sdy", _)) => Err(Fail::helped_unsupported(at, name)),
            Some((_, _)) | None => Err(Fail::unsupported(at, format!("op {name}"))),
        }
    }

    /// The attributes of `hlo.op` from those of `name`.
    pub fn conventional(
        &self,
        name: &str,
        op: &str,
        w: &mut Written<'_>,
        at: usize,
    ) -> Parse<Attributes> {
        let mut a = std::mem::take(&mut w.attributes);
        if let Some((_, _)) = name
            .split_once('.')
            .filter(|(dialect, _)| matches!(*dialect, "check" | "interpreter"))
        {
            return Ok(test_call(name, a));
        }
        for key in STRUCTS {
            match a.0.remove(key) {
                Some(Attribute::Dict(fields)) => a.0.extend(fields.0),
                Some(_) => {
                    return Err(Fail::syntax(
                        at,
                        format!("'{name}': attribute '{key}' must be a #stablehlo struct"),
                    ));
                }
                None => {}
            }
        }
        match a.0.remove("channel_handle") {
            Some(Attribute::Dict(fields)) => {
                for (from, to) in [("handle", "channel_id"), ("type", "channel_type")] {
                    if let Some(v) = fields.0.get(from) {
                        a.0.insert(to.to_string(), v.clone());
                    }
                }
            }
            Some(_) => {
                return Err(Fail::syntax(
                    at,
                    format!(
                        "'{name}': attribute 'channel_handle' must be #stablehlo.channel_handle"
                    ),
                ));
            }
            None => {}
        }
        for key in ["replica_groups", "source_target_pairs"] {
            if let Some(Attribute::Literal(l)) = a.get(key) {
                let rows = rows(l, key == "replica_groups");
                a.0.insert(key.to_string(), Attribute::Array(rows));
            }
        }
        defaults(op, &mut a, w);
        Ok(a)
    }
}

impl Fail {
    fn helped_unsupported(at: usize, name: &str) -> Box<Fail> {
        Fail::unsupported(
            at,
            format!("op {name} (lower without the Shardy partitioner, or outside shard_map)"),
        )
    }
}

/// `check.X` and `interpreter.X`: a custom call; its attributes are the backend configuration.
fn test_call(name: &str, attributes: Attributes) -> Attributes {
    let symbols = |a: &Attribute| -> Vec<Attribute> {
        let mut out: Vec<Attribute> = vec![];
        let mut stack = vec![a];
        while let Some(a) = stack.pop() {
            match a {
                Attribute::Array(items) => stack.extend(items.iter().rev()),
                Attribute::Symbol(_) if !out.contains(a) => out.push(a.clone()),
                _ => {}
            }
        }
        out
    };
    let called: Vec<Attribute> = ["programs", "infeed"]
        .iter()
        .filter_map(|k| attributes.get(k))
        .flat_map(symbols)
        .collect();
    let call = Attributes::new()
        .with("call_target_name", name)
        .with("has_side_effect", true)
        .with("api_version", 4);
    let call = if called.is_empty() {
        call
    } else {
        call.with("called_computations", called)
    };
    if attributes.is_empty() {
        call
    } else {
        call.with("backend_config", attributes)
    }
}

/// Rows of a matrix of integers; padding with -1 is left out of replica groups.
pub fn rows(l: &crate::literal::Literal, padded: bool) -> Vec<Attribute> {
    let width = l.dims().get(1).copied().unwrap_or(1) as usize;
    let values = l.to_tensor().to_i64s().into_owned();
    if width == 0 {
        return vec![];
    }
    values
        .chunks(width)
        .map(|row| Attribute::Ints(row.iter().copied().filter(|v| !padded || *v >= 0).collect()))
        .collect()
}

fn defaults(op: &str, a: &mut Attributes, w: &Written<'_>) {
    let rank = |i: usize| {
        w.operand_types
            .get(i)
            .and_then(Type::as_tensor)
            .map_or(0, |t| t.rank())
    };
    let mut set = |name: &str, value: Attribute| {
        a.0.entry(name.to_string()).or_insert(value);
    };
    let ints = |n: usize, v: i64| Attribute::Ints(vec![v; n]);
    match op {
        "gather" | "dynamic_gather" => {
            for name in [
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
            ] {
                set(name, ints(0, 0));
            }
            set("index_vector_dim", 0.into());
            set("indices_are_sorted", false.into());
        }
        "scatter" => {
            for name in [
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims",
            ] {
                set(name, ints(0, 0));
            }
            set("index_vector_dim", 0.into());
            set("indices_are_sorted", false.into());
            set("unique_indices", false.into());
        }
        "dot_general" => {
            for name in [
                "lhs_batching_dimensions",
                "rhs_batching_dimensions",
                "lhs_contracting_dimensions",
                "rhs_contracting_dimensions",
            ] {
                set(name, ints(0, 0));
            }
        }
        "convolution" | "dynamic_conv" => {
            let spatial = rank(0).saturating_sub(2);
            set("window_strides", ints(spatial, 1));
            if op == "convolution" {
                set("padding", ints(2 * spatial, 0));
            }
            set("lhs_dilation", ints(spatial, 1));
            set("rhs_dilation", ints(spatial, 1));
            set("window_reversal", Attribute::Bools(vec![false; spatial]));
            set("feature_group_count", 1.into());
            set("batch_group_count", 1.into());
        }
        "reduce_window" => {
            set("window_strides", ints(rank(0), 1));
            set("base_dilations", ints(rank(0), 1));
            set("window_dilations", ints(rank(0), 1));
            set("padding", ints(2 * rank(0), 0));
        }
        "select_and_scatter" => {
            set("window_dimensions", ints(rank(0), 1));
            set("window_strides", ints(rank(0), 1));
            set("padding", ints(2 * rank(0), 0));
        }
        "sort" => {
            set("dimension", (-1).into());
            set("is_stable", false.into());
            if let Some(Attribute::Int(d)) = a.0.get_mut("dimension")
                && *d < 0
            {
                *d += rank(0) as i64;
            }
        }
        "cholesky" => set("lower", false.into()),
        "custom_call" => {
            // JAX writes an empty string beside the dictionary of an FFI call.
            let empty = Attribute::Str(String::new());
            if a.0
                .get("backend_config")
                .is_none_or(|given| *given == empty)
                && let Some(config) = a.0.remove("mhlo.backend_config")
            {
                a.0.insert("backend_config".to_string(), config);
            }
            for key in ["operand_layouts", "result_layouts"] {
                if let Some(Attribute::Array(layouts)) = a.0.get_mut(key) {
                    for l in layouts.iter_mut() {
                        if let Attribute::Literal(dense) = l {
                            *l = Attribute::Ints(dense.to_tensor().to_i64s().into_owned());
                        }
                    }
                }
            }
        }
        "all_gather" | "all_reduce" | "reduce_scatter" => {
            if let Some(Attribute::Unit) = a.get("use_global_device_ids") {
                a.0.insert("use_global_device_ids".to_string(), true.into());
            }
            a.0.entry("use_global_device_ids".to_string())
                .or_insert(false.into());
        }
        "send" | "recv" => set("is_host_transfer", false.into()),
        "infeed" => set("infeed_config", "".into()),
        "outfeed" => set("outfeed_config", "".into()),
        _ => {}
    }
}
