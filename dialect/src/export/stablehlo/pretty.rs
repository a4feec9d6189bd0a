//! The pretty forms that are simple to write; the rest takes the generic form.

use super::{Printer, attributes, braced, dialect_name, list, string, symbol, ty};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    op::Op,
    program::{OpId, RegionId},
    types::Type,
};
use std::fmt::Write;

/// How the types of a form are written.
enum Types {
    /// One type where operands and results have it, else functional.
    Same,
    Functional,
    /// `pred, type`.
    Select,
    Results,
}

/// Unary and binary ops written `op %a, %b : type`.
const SAME: &[&str] = &[
    "abs",
    "add",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "uniform_dequantize",
    "uniform_quantize",
    "xor",
    "clamp",
];

/// Ops written `op %a, %b : (types) -> type`.
const FUNCTIONAL: &[&str] = &[
    "bitcast_convert",
    "complex",
    "dynamic_pad",
    "dynamic_reshape",
    "dynamic_update_slice",
    "is_finite",
    "real_dynamic_slice",
    "reshape",
];

impl Printer<'_> {
    /// The pretty form of an op, without its results; none where the generic form is used.
    pub fn pretty(&mut self, id: OpId) -> Result<Option<String>, Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        let name = op.name();
        let full = dialect_name(name);
        let operands = self.uses(&o.operands);
        let mut a = op.to_attributes();
        let (items, types) = match name {
            _ if full.starts_with("chlo.") => return self.chlo(id, &full, a),
            _ if SAME.contains(&name) && o.regions.is_empty() => (operands, Types::Same),
            _ if FUNCTIONAL.contains(&name) => (operands, Types::Functional),
            "constant" => {
                let Some(Attribute::Literal(value)) = a.0.remove("value") else {
                    return Ok(None);
                };
                let extra = self.extra(id)?;
                return Ok(Some(format!(
                    "stablehlo.constant{} {}",
                    braced(&extra),
                    super::literals::dense(&value)?
                )));
            }
            "call" => {
                let callee = word(&mut a, "callee");
                let extra = self.extra(id)?;
                return Ok(Some(format!(
                    "func.call @{}({operands}){} : {}",
                    symbol(&callee),
                    braced(&extra),
                    self.functional(id)?
                )));
            }
            "select" => (operands, Types::Select),
            "compare" => {
                let direction = word(&mut a, "comparison_direction");
                let kind = word(&mut a, "compare_type");
                (
                    format!(
                        "{direction}, {operands}{}{kind}",
                        if kind.is_empty() { "" } else { ", " }
                    ),
                    Types::Functional,
                )
            }
            "broadcast_in_dim" => (
                format!(
                    "{operands}, dims = {}",
                    ints(&mut a, "broadcast_dimensions")
                ),
                Types::Functional,
            ),
            "transpose" => (
                format!("{operands}, dims = {}", ints(&mut a, "permutation")),
                Types::Functional,
            ),
            "reverse" => (
                format!("{operands}, dims = {}", ints(&mut a, "dimensions")),
                Types::Same,
            ),
            "iota" => (
                format!("dim = {}", int(&mut a, "iota_dimension")),
                Types::Results,
            ),
            "dynamic_iota" => (
                format!("{operands}, dim = {}", int(&mut a, "iota_dimension")),
                Types::Functional,
            ),
            "concatenate" | "get_dimension_size" | "set_dimension_size" => (
                format!("{operands}, dim = {}", int(&mut a, "dimension")),
                Types::Functional,
            ),
            "dynamic_slice" => (
                format!("{operands}, sizes = {}", ints(&mut a, "slice_sizes")),
                Types::Functional,
            ),
            "pad" => {
                let (low, high, interior) = (
                    ints(&mut a, "edge_padding_low"),
                    ints(&mut a, "edge_padding_high"),
                    ints(&mut a, "interior_padding"),
                );
                (
                    format!("{operands}, low = {low}, high = {high}, interior = {interior}"),
                    Types::Functional,
                )
            }
            "slice" => {
                let (
                    Some(Attribute::Ints(starts)),
                    Some(Attribute::Ints(limits)),
                    Some(Attribute::Ints(strides)),
                ) = (
                    a.0.remove("start_indices"),
                    a.0.remove("limit_indices"),
                    a.0.remove("strides"),
                )
                else {
                    return Ok(None);
                };
                let ranges = starts.iter().zip(&limits).zip(&strides).map(|((s, l), k)| {
                    if *k == 1 {
                        format!("{s}:{l}")
                    } else {
                        format!("{s}:{l}:{k}")
                    }
                });
                (
                    format!("{operands} [{}]", ranges.collect::<Vec<_>>().join(", ")),
                    Types::Functional,
                )
            }
            "dot_general" => (self.dot_general(&operands, &mut a), Types::Functional),
            "convolution" => (convolution(&operands, &mut a), Types::Functional),
            "fft" => (
                format!(
                    "{operands}, type = {}, length = {}",
                    word(&mut a, "fft_type"),
                    ints(&mut a, "fft_length")
                ),
                Types::Functional,
            ),
            "cholesky" => {
                let lower = matches!(a.0.remove("lower"), Some(Attribute::Bool(true)));
                (format!("{operands}, lower = {lower}"), Types::Same)
            }
            "rng" => (
                format!(
                    "{operands}, distribution = {}",
                    word(&mut a, "rng_distribution")
                ),
                Types::Functional,
            ),
            "rng_bit_generator" => (
                format!("{operands}, algorithm = {}", word(&mut a, "rng_algorithm")),
                Types::Functional,
            ),
            "reduce_precision" => (
                format!(
                    "{operands}, format = e{}m{}",
                    int(&mut a, "exponent_bits"),
                    int(&mut a, "mantissa_bits")
                ),
                Types::Same,
            ),
            "get_tuple_element" => (
                format!("{operands}[{}]", int(&mut a, "index")),
                Types::Functional,
            ),
            "tuple" if o.results.len() == 1 => (operands, Types::Results),
            "optimization_barrier" if !o.operands.is_empty() => (operands, Types::Results),
            "custom_call" => (
                format!("@{}({operands})", symbol(&word(&mut a, "call_target_name"))),
                Types::Functional,
            ),
            "composite" if o.regions.is_empty() => (
                format!("{} {operands}", string(&word(&mut a, "name"))),
                Types::Functional,
            ),
            "while" => return self.while_loop(id).map(Some),
            "reduce" => return self.reduce(id).map(Some),
            _ => return Ok(None),
        };
        let mut given = attributes::structured(name, a)?;
        given.extend(self.extra(id)?);
        let types = self.signature(id, types)?;
        Ok(Some(format!(
            "{full}{}{items}{} : {types}",
            if name == "convolution" { "" } else { " " },
            braced(&given)
        )))
    }

    fn signature(&self, id: OpId, types: Types) -> Result<String, Error> {
        let o = self.program.op(id);
        let ty_of = |i: usize| o.operands.get(i).map(|v| self.program.ty(*v));
        let result = o.results.first().map(|v| self.program.ty(*v));
        match (types, result) {
            (Types::Results, _) => Ok(self.types(&o.results)?.join(", ")),
            (Types::Same, Some(t)) if o.operands.iter().all(|v| self.program.ty(*v) == t) => ty(t),
            (Types::Select, Some(t)) if ty_of(1) == Some(t) && ty_of(2) == Some(t) => {
                let pred = ty_of(0).map(ty).transpose()?.unwrap_or_default();
                Ok(format!("{pred}, {}", ty(t)?))
            }
            (Types::Same | Types::Select | Types::Functional, _) => self.functional(id),
        }
    }

    /// `chlo.op %a, %b : types -> types`, and top_k.
    fn chlo(&mut self, id: OpId, full: &str, mut a: Attributes) -> Result<Option<String>, Error> {
        let o = self.program.op(id);
        let operands = self.uses(&o.operands);
        let (from, to) = (
            self.types(&o.operands)?.join(", "),
            self.types(&o.results)?.join(", "),
        );
        if full == "chlo.top_k" {
            let k = int(&mut a, "k");
            let mut given = attributes::structured("top_k", a)?;
            given.extend(self.extra(id)?);
            return Ok(Some(format!(
                "chlo.top_k({operands}, k = {k}){} : {from} -> ({to})",
                braced(&given)
            )));
        }
        if !a.is_empty()
            || o.results.len() != 1
            || full.contains("broadcast_")
            || matches!(full, "chlo.ragged_dot" | "chlo.scan" | "chlo.constant_like")
        {
            return Ok(None);
        }
        let extra = self.extra(id)?;
        Ok(Some(format!(
            "{full} {operands}{} : {from} -> {to}",
            braced(&extra)
        )))
    }

    fn dot_general(&self, operands: &str, a: &mut Attributes) -> String {
        let mut out = operands.to_string();
        let (lhs, rhs) = (
            ints(a, "lhs_batching_dimensions"),
            ints(a, "rhs_batching_dimensions"),
        );
        if lhs != "[]" || rhs != "[]" {
            let _ = write!(out, ", batching_dims = {lhs} x {rhs}");
        }
        let (lhs, rhs) = (
            ints(a, "lhs_contracting_dimensions"),
            ints(a, "rhs_contracting_dimensions"),
        );
        let _ = write!(out, ", contracting_dims = {lhs} x {rhs}");
        if let Some(Attribute::Array(words)) = a.0.remove("precision_config") {
            let _ = write!(
                out,
                ", precision = [{}]",
                attributes::precision(&words, "", "")
            );
        }
        if let Some(Attribute::Dict(d)) = a.0.remove("algorithm") {
            let _ = write!(out, ", algorithm = {}", attributes::angled(&d));
        }
        out
    }

    fn while_loop(&mut self, id: OpId) -> Result<String, Error> {
        let o = self.program.op(id);
        let [condition, body] = o.regions.as_slice() else {
            return Err(Error::internal("a while loop has two regions"));
        };
        // Both regions name their arguments alike.
        let names: Vec<String> = self
            .program
            .region(*body)
            .arguments
            .iter()
            .map(|v| self.argument(*v))
            .collect();
        for (v, name) in self.program.region(*condition).arguments.iter().zip(&names) {
            self.names.insert(*v, name.clone());
        }
        let pairs = names
            .iter()
            .zip(&o.operands)
            .map(|(n, v)| format!("{n} = {}", self.name(*v)))
            .collect::<Vec<_>>()
            .join(", ");
        let types = self.types(&o.operands)?.join(", ");
        let colon = if o.operands.is_empty() { "" } else { " : " };
        let extra = self.extra(id)?;
        let attributes = if extra.is_empty() {
            String::new()
        } else {
            format!(" attributes{}", braced(&extra))
        };
        let condition = self.region_text(*condition)?;
        let body = self.region_text(*body)?;
        Ok(format!(
            "stablehlo.while({pairs}){colon}{types}{attributes} cond {condition} do {body}"
        ))
    }

    fn reduce(&mut self, id: OpId) -> Result<String, Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        let mut a = op.to_attributes();
        let [body] = o.regions.as_slice() else {
            return Err(Error::internal("a reduction has one region"));
        };
        let n = o.operands.len() / 2;
        let (inputs, inits) = o.operands.split_at(n);
        let pairs = inputs
            .iter()
            .zip(inits)
            .map(|(x, i)| format!("({} init: {})", self.name(*x), self.name(*i)))
            .collect::<Vec<_>>()
            .join(", ");
        let dimensions = ints(&mut a, "dimensions");
        let mut given = attributes::structured("reduce", a)?;
        given.extend(self.extra(id)?);
        let signature = self.functional(id)?;
        if let Some(inner) = self.compact_body(id, *body) {
            return Ok(format!(
                "stablehlo.reduce{pairs} applies stablehlo.{inner} across dimensions = {dimensions}{} : {signature}",
                braced(&given)
            ));
        }
        let mut arguments = vec![];
        for v in &self.program.region(*body).arguments {
            let name = self.argument(*v);
            arguments.push(format!("{name}: {}", ty(self.program.ty(*v))?));
        }
        let reducer = (0..n)
            .map(|i| format!("({}, {})", part(&arguments, i), part(&arguments, i + n)))
            .collect::<Vec<_>>()
            .join(" ");
        let text = self.region_text(*body)?;
        Ok(format!(
            "stablehlo.reduce{pairs} across dimensions = {dimensions}{} : {signature}\n      reducer{reducer} {text}",
            braced(&given)
        ))
    }

    /// Name of the commutative op that is the whole body, on arguments of the input's element type in order.
    fn compact_body(&self, id: OpId, body: RegionId) -> Option<&'static str> {
        let region = self.program.region(body);
        let [inner, _] = region.ops.as_slice() else {
            return None;
        };
        let inner = self.program.op(*inner);
        let Op::Hlo(op) = &inner.op;
        let commutative = ["add", "and", "maximum", "minimum", "multiply", "or", "xor"]
            .into_iter()
            .find(|n| *n == op.name())?;
        let element = self
            .program
            .ty(*self.program.op(id).operands.first()?)
            .as_tensor()?
            .element
            .clone();
        let scalar = Type::tensor([], element);
        let plain = inner.extra.is_empty()
            && inner.operands == region.arguments
            && inner.results == self.program.returned(body)
            && inner
                .operands
                .iter()
                .chain(&inner.results)
                .all(|v| *self.program.ty(*v) == scalar);
        plain.then_some(commutative)
    }

    /// The text of a region whose arguments have names.
    fn region_text(&mut self, region: RegionId) -> Result<String, Error> {
        let before = std::mem::take(&mut self.out);
        let outcome = self.braced_region(region, false);
        let text = std::mem::replace(&mut self.out, before);
        outcome.map(|()| text)
    }
}

fn part(all: &[String], i: usize) -> &str {
    all.get(i).map_or("", String::as_str)
}

fn convolution(operands: &str, a: &mut Attributes) -> String {
    let dims = attributes::convolution_dimensions(a);
    let mut window = vec![];
    for (name, key) in [
        ("window_strides", "stride"),
        ("padding", "pad"),
        ("lhs_dilation", "lhs_dilate"),
        ("rhs_dilation", "rhs_dilate"),
        ("window_reversal", "reverse"),
    ] {
        match a.0.remove(name) {
            Some(Attribute::Ints(v)) if key == "pad" => window.push(format!(
                "pad = [{}]",
                v.chunks(2).map(list).collect::<Vec<_>>().join(", ")
            )),
            Some(Attribute::Ints(v)) => window.push(format!("{key} = {}", list(&v))),
            Some(Attribute::Bools(v)) => window.push(format!(
                "{key} = [{}]",
                v.iter().map(bool::to_string).collect::<Vec<_>>().join(", ")
            )),
            Some(_) | None => {}
        }
    }
    format!(
        "({operands}) dim_numbers = {dims}, window = {{{}}}",
        window.join(", ")
    )
}

fn ints(a: &mut Attributes, name: &str) -> String {
    if let Some(Attribute::Ints(v)) = a.0.remove(name) {
        list(&v)
    } else {
        "[]".to_string()
    }
}

fn int(a: &mut Attributes, name: &str) -> i64 {
    if let Some(Attribute::Int(v)) = a.0.remove(name) {
        v
    } else {
        0
    }
}

fn word(a: &mut Attributes, name: &str) -> String {
    match a.0.remove(name) {
        Some(Attribute::Str(w) | Attribute::Symbol(w)) => w,
        Some(_) | None => String::new(),
    }
}
