//! Ops that call functions or run regions.

use super::{
    Writer,
    expression::{index_vectors_last, python},
    tuple,
};
use crate::{
    attribute::Attribute,
    error::Error,
    export::hlo_text::fields::Fields,
    op::Op,
    program::{OpId, RegionId},
};

impl Writer<'_> {
    /// The expression of an op with regions or callees; none for other ops.
    pub(super) fn structured(&mut self, id: OpId, f: &Fields<'_>) -> Result<Option<String>, Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        let x = self.operands(id);
        let all = x.join(", ");
        let half = x.len() / 2;
        let (inputs, inits) = x.split_at(half);
        let text = match op.name() {
            "call" => format!("{}({all})", self.callee(f, "callee")?),
            "composite" => format!("{}({all})", self.callee(f, "decomposition")?),
            "fusion" => format!("{}({all})", self.region(id, 0)?),
            "if" => {
                let (yes, no) = (self.region(id, 0)?, self.region(id, 1)?);
                format!("lax.cond({all}, {yes}, {no})")
            }
            "case" => {
                let mut branches = vec![];
                for i in 0..o.regions.len() {
                    branches.push(self.region(id, i)?);
                }
                // An index out of range takes the last branch, also from below.
                let last = branches.len().saturating_sub(1);
                format!(
                    "lax.switch(jnp.where(({all} < 0) | ({all} > {last}), {last}, {all}), [{}])",
                    branches.join(", ")
                )
            }
            "while" => {
                let (cond, body) = (self.region(id, 0)?, self.region(id, 1)?);
                match x.as_slice() {
                    [one] => format!("lax.while_loop({cond}, {body}, {one})"),
                    many => format!(
                        "lax.while_loop(lambda s: {cond}(*s), lambda s: {body}(*s), {})",
                        tuple(many)
                    ),
                }
            }
            "map" => {
                let body = self.region(id, 0)?;
                let flat: Vec<String> = x.iter().map(|v| format!("jnp.ravel({v})")).collect();
                let dims = super::shape(&self.result_type(id, 0)?)?;
                format!("jax.vmap({body})({}).reshape({dims})", flat.join(", "))
            }
            "reduce" => {
                let body = self.region(id, 0)?;
                let dims = tuple(f.ints("dimensions"));
                match half {
                    1 => format!("lax.reduce({all}, {body}, {dims})"),
                    _ => format!(
                        "lax.reduce({}, {}, lambda a, b: {body}(*a, *b), {dims})",
                        tuple(inputs),
                        tuple(inits)
                    ),
                }
            }
            "reduce_window" => {
                let body = self.region(id, 0)?;
                let padding: Vec<String> = f.ints("padding").chunks(2).map(tuple).collect();
                let ints = |n: &str| tuple(f.ints(n));
                let window = format!(
                    "{}, {}, {}, {}, {}",
                    ints("window_dimensions"),
                    ints("window_strides"),
                    tuple(&padding),
                    ints("base_dilations"),
                    ints("window_dilations")
                );
                match half {
                    1 => format!("lax.reduce_window({all}, {body}, {window})"),
                    _ => format!(
                        "lax.reduce_window({}, {}, lambda a, b: {body}(*a, *b), {window})",
                        tuple(inputs),
                        tuple(inits)
                    ),
                }
            }
            "select_and_scatter" => {
                let (select, scatter) = (self.region(id, 0)?, self.region(id, 1)?);
                let [operand, source, init] = x.as_slice() else {
                    return Err(Error::internal("an operand is missing"));
                };
                let padding: Vec<String> = f.ints("padding").chunks(2).map(tuple).collect();
                self.line("from jax._src.lax.windowed_reductions import _select_and_scatter");
                format!(
                    "_select_and_scatter({operand}, {select}, {}, {}, {}, {source}, {init}, {scatter})",
                    tuple(f.ints("window_dimensions")),
                    tuple(f.ints("window_strides")),
                    tuple(&padding)
                )
            }
            "scatter" => self.scatter(id, f)?,
            "sort" => self.sort(id, f)?,
            _ => return Ok(None),
        };
        Ok(Some(text))
    }

    fn callee(&mut self, f: &Fields<'_>, attribute: &str) -> Result<String, Error> {
        let function = match f.0.get(attribute) {
            Some(Attribute::Symbol(symbol)) => self.program.find_function(symbol),
            Some(_) | None => None,
        };
        function
            .map(|id| self.name(id))
            .ok_or_else(|| Error::internal("a callee does not exist"))
    }

    /// Scatters whose body is one op of both arguments, or the update alone.
    fn scatter(&self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let o = self.program.op(id);
        let x = self.operands(id);
        let [operand, indices, updates] = x.as_slice() else {
            return Err(Error::unsupported(
                "a JAX script of a scatter into several operands",
            ));
        };
        let region = o
            .regions
            .first()
            .copied()
            .ok_or_else(|| Error::internal("a region is missing"))?;
        let call = match self.single_op(region) {
            Some("add") => "lax.scatter_add",
            Some("subtract") => "lax.scatter_sub",
            Some("multiply") => "lax.scatter_mul",
            Some("minimum") => "lax.scatter_min",
            Some("maximum") => "lax.scatter_max",
            Some("return") => "lax.scatter",
            Some(_) | None => {
                return Err(Error::unsupported(
                    "a JAX script of a scatter with this body",
                ));
            }
        };
        let ints = |n: &str| tuple(f.ints(n));
        let rank = self.operand_type(id, 1)?.rank();
        Ok(format!(
            "{call}({operand}, {}, {updates}, lax.ScatterDimensionNumbers({}, {}, {}, {}, {}), indices_are_sorted={}, unique_indices={}, mode=\"drop\")",
            index_vectors_last(Some(indices), f.int("index_vector_dim"), rank)?,
            ints("update_window_dims"),
            ints("inserted_window_dims"),
            ints("scatter_dims_to_operand_dims"),
            ints("input_batching_dims"),
            ints("scatter_indices_batching_dims"),
            python(f.flag("indices_are_sorted")),
            python(f.flag("unique_indices")),
        ))
    }

    /// The op a region of two arguments consists of; `return` when it gives its second argument.
    fn single_op(&self, region: RegionId) -> Option<&'static str> {
        let r = self.program.region(region);
        let returned = self.program.returned(region);
        match r.ops.as_slice() {
            [_] if returned.len() == 1 && returned.first() == r.arguments.get(1) => Some("return"),
            [only, _] => {
                let o = self.program.op(*only);
                match &o.op {
                    Op::Hlo(op) if o.operands == r.arguments && returned == o.results => {
                        Some(op.name())
                    }
                    Op::Hlo(_) => None,
                }
            }
            _ => None,
        }
    }
}
