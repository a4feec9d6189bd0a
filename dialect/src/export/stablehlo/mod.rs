//! StableHLO text that XLA's and JAX's parser accepts: the pretty forms where they are simple, else the generic form.
//!
//! `import::stablehlo::parse` of the text is structurally equal to the program, except for what StableHLO cannot say: layouts are left out,
//! a fusion is written as the ops of its region, a copy as its operand, a bitcast as transposes and a reshape. Other ops that only HLO has are `Unsupported`.

mod attributes;
mod bitcast;
mod literals;
mod pretty;

use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    hlo,
    op::Op,
    program::{Function, OpId, Program, RegionId, ValueId},
};
use attributes::{Place, list, string, symbol, ty};
use std::{collections::HashMap, fmt::Write};

/// Ops that are in dialect chlo and not in stablehlo; `broadcast_*` but `broadcast_in_dim` are too.
const CHLO: &[&str] = &[
    "_asin_acos_kernel",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "conj",
    "constant_like",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "mulhi",
    "next_after",
    "polygamma",
    "ragged_dot",
    "scan",
    "sinh",
    "square",
    "top_k",
    "zeta",
];

/// Ops that only HLO has and that have no counterpart here.
const HLO_ONLY: &[&str] = &[
    "add_dependency",
    "async_done",
    "async_start",
    "async_update",
    "bitcast",
    "collective_permute_done",
    "collective_permute_start",
    "copy_done",
    "copy_start",
    "domain",
    "kernel_call",
    "all_reduce_start",
    "all_reduce_done",
    "all_gather_start",
    "all_gather_done",
    "send_done",
    "recv_done",
    "stochastic_convert",
];

/// The program as StableHLO text.
pub fn print(program: &Program) -> Result<String, Error> {
    let mut printer = Printer {
        program,
        out: String::new(),
        names: HashMap::new(),
        next_value: 0,
        next_argument: 0,
        indent: 2,
    };
    printer.module()?;
    Ok(printer.out)
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    names: HashMap<ValueId, String>,
    next_value: usize,
    next_argument: usize,
    indent: usize,
}

/// Name of an op in its dialect.
fn dialect_name(op: &str) -> String {
    let chlo = CHLO.contains(&op) || (op.starts_with("broadcast_") && op != "broadcast_in_dim");
    format!("{}.{op}", if chlo { "chlo" } else { "stablehlo" })
}

impl Printer<'_> {
    fn module(&mut self) -> Result<(), Error> {
        let p = self.program;
        let name: String = p
            .name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let name = if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name
        } else {
            format!("m{name}")
        };
        let mut given = vec![
            format!("mhlo.num_partitions = {} : i32", p.num_partitions),
            format!("mhlo.num_replicas = {} : i32", p.num_replicas),
        ];
        let mut meshes = vec![];
        for (k, v) in &p.attributes.0 {
            match (k.strip_prefix("sdy.mesh @"), v) {
                (Some(name), Attribute::Str(axes)) => meshes.push((symbol(name), axes.as_str())),
                (_, v) => given.push(attributes::entry(k, v, Place::Module)?),
            }
        }
        let _ = writeln!(
            self.out,
            "module @{name} attributes {{{}}} {{",
            given.join(", ")
        );
        for (name, axes) in meshes {
            let _ = writeln!(self.out, "  sdy.mesh @{name} = {axes}");
        }
        // The entry comes first where its name does not tell it.
        let mut order: Vec<&Function> = p.functions.iter().collect();
        if p.main().name != "main" {
            order.sort_by_key(|f| f.name != p.main().name);
        }
        for f in order {
            self.function(f)?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn function(&mut self, f: &Function) -> Result<(), Error> {
        (self.next_value, self.next_argument) = (0, 0);
        self.names.clear();
        let body = self.program.region(f.body);
        let empty = Attributes::new();
        let mut parameters = vec![];
        for (i, v) in body.arguments.iter().enumerate() {
            let name = self.argument(*v);
            let mut given = vec![];
            let own = f.parameter_attributes.get(i).unwrap_or(&empty);
            for (k, v) in &own.0 {
                given.push(attributes::entry(k, v, Place::Module)?);
            }
            let spoken =
                own.get("tf.aliasing_output").is_some() || own.get("jax.buffer_donor").is_some();
            for a in f
                .aliases
                .iter()
                .filter(|a| a.parameter as usize == i && !spoken)
            {
                given.push(format!("tf.aliasing_output = {} : i32", a.output));
                if a.kind == crate::program::AliasKind::Must {
                    given.push("tileproof.alias_kind = \"must\"".to_string());
                }
            }
            parameters.push(format!(
                "{name}: {}{}",
                ty(self.program.ty(*v))?,
                braced(&given)
            ));
        }
        let mut results = vec![];
        for (i, t) in f.results.iter().enumerate() {
            let mut given = vec![];
            for (k, v) in &f.result_attributes.get(i).unwrap_or(&empty).0 {
                given.push(attributes::entry(k, v, Place::Module)?);
            }
            results.push(format!("{}{}", ty(t)?, braced(&given)));
        }
        let arrow = if results.is_empty() {
            String::new()
        } else {
            format!(" -> ({})", results.join(", "))
        };
        let visibility = if f.is_private { "private" } else { "public" };
        let _ = writeln!(
            self.out,
            "  func.func {visibility} @{}({}){arrow} {{",
            symbol(&f.name),
            parameters.join(", ")
        );
        self.indent = 4;
        self.block(f.body, "return")?;
        self.out.push_str("  }\n");
        Ok(())
    }

    /// Ops of a region; the last is written as `terminator`.
    fn block(&mut self, region: RegionId, terminator: &str) -> Result<(), Error> {
        for id in &self.program.region(region).ops {
            let o = self.program.op(*id);
            if !o.op.is_return() {
                self.op(*id)?;
                continue;
            }
            self.start_line();
            self.out.push_str(terminator);
            if !o.operands.is_empty() {
                let types = self.types(&o.operands)?;
                let _ = write!(
                    self.out,
                    " {} : {}",
                    self.uses(&o.operands),
                    types.join(", ")
                );
            }
            self.out.push('\n');
        }
        Ok(())
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push(' ');
        }
    }

    fn argument(&mut self, v: ValueId) -> String {
        let name = format!("%arg{}", self.next_argument);
        self.next_argument += 1;
        self.names.insert(v, name.clone());
        name
    }

    fn name(&self, v: ValueId) -> &str {
        self.names.get(&v).map_or("%undefined", String::as_str)
    }

    fn uses(&self, values: &[ValueId]) -> String {
        values
            .iter()
            .map(|v| self.name(*v))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn types(&self, values: &[ValueId]) -> Result<Vec<String>, Error> {
        values.iter().map(|v| ty(self.program.ty(*v))).collect()
    }

    /// `(types) -> type` or `(types) -> (types)`.
    fn functional(&self, id: OpId) -> Result<String, Error> {
        let o = self.program.op(id);
        let (operands, results) = (self.types(&o.operands)?, self.types(&o.results)?);
        Ok(match results.as_slice() {
            [one] => format!("({}) -> {one}", operands.join(", ")),
            many => format!("({}) -> ({})", operands.join(", "), many.join(", ")),
        })
    }

    fn op(&mut self, id: OpId) -> Result<(), Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        match (op.name(), o.regions.as_slice(), o.operands.as_slice()) {
            ("copy", _, [one]) => {
                let name = self.name(*one).to_string();
                o.results.iter().for_each(|r| {
                    self.names.insert(*r, name.clone());
                });
                return Ok(());
            }
            ("fusion", [body], operands) => return self.inlined(id, *body, operands),
            ("bitcast", _, [one]) if self.bitcast(id, *one)? => return Ok(()),
            (name, _, _) if HLO_ONLY.contains(&name) => {
                return Err(Error::Unsupported {
                    what: format!("op hlo.{name} in StableHLO text"),
                    location: o.location.clone(),
                });
            }
            _ => {}
        }
        self.start_line();
        self.define(&o.results);
        let text = self.pretty(id).map_err(|e| e.at(&o.location))?;
        let wrote = match text {
            Some(text) => {
                self.out.push_str(&text);
                true
            }
            None => false,
        };
        if !wrote {
            self.generic(id).map_err(|e| e.at(&o.location))?;
        }
        self.out.push('\n');
        Ok(())
    }

    /// Numbers the results and writes `%5 = ` or `%5:2 = `.
    fn define(&mut self, results: &[ValueId]) {
        if results.is_empty() {
            return;
        }
        let n = self.next_value;
        self.next_value += 1;
        if let [one] = results {
            self.names.insert(*one, format!("%{n}"));
            let _ = write!(self.out, "%{n} = ");
        } else {
            for (i, r) in results.iter().enumerate() {
                self.names.insert(*r, format!("%{n}#{i}"));
            }
            let _ = write!(self.out, "%{n}:{} = ", results.len());
        }
    }

    /// A bitcast as the movement it is. False where StableHLO has none.
    fn bitcast(&mut self, id: OpId, operand: ValueId) -> Result<bool, Error> {
        let o = self.program.op(id);
        let (Op::Hlo(hlo::Op::Bitcast(op)), [result]) = (&o.op, o.results.as_slice()) else {
            return Ok(false);
        };
        let types = (self.program.ty(operand), self.program.ty(*result));
        let (Some(from), Some(to)) = (types.0.as_tensor(), types.1.as_tensor()) else {
            return Ok(false);
        };
        let Some(all) = bitcast::moved(op, from, to) else {
            return Ok(false);
        };
        let mut x = self.name(operand).to_string();
        for one in all {
            self.start_line();
            let name = format!("%{}", self.next_value);
            self.next_value += 1;
            let types = (ty(&one.from)?, ty(&one.to)?);
            let _ = writeln!(
                self.out,
                "{name} = {} {x}{} : ({}) -> {}",
                one.name, one.attributes, types.0, types.1
            );
            x = name;
        }
        self.names.insert(*result, x);
        Ok(true)
    }

    /// The ops of a fusion in place of it.
    fn inlined(&mut self, id: OpId, body: RegionId, operands: &[ValueId]) -> Result<(), Error> {
        for (argument, operand) in self.program.region(body).arguments.iter().zip(operands) {
            let name = self.name(*operand).to_string();
            self.names.insert(*argument, name);
        }
        for inner in &self.program.region(body).ops {
            if !self.program.op(*inner).op.is_return() {
                self.op(*inner)?;
            }
        }
        for (result, value) in self
            .program
            .op(id)
            .results
            .iter()
            .zip(self.program.returned(body))
        {
            let name = self.name(*value).to_string();
            self.names.insert(*result, name);
        }
        Ok(())
    }

    fn generic(&mut self, id: OpId) -> Result<(), Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        let inherent = attributes::structured(op.name(), op.to_attributes())?;
        let _ = write!(
            self.out,
            "\"{}\"({})",
            dialect_name(op.name()),
            self.uses(&o.operands)
        );
        if !inherent.is_empty() {
            let _ = write!(self.out, " <{{{}}}>", inherent.join(", "));
        }
        for (i, region) in o.regions.iter().enumerate() {
            self.out.push_str(if i == 0 { " (" } else { ", " });
            self.braced_region(*region, true)?;
        }
        if !o.regions.is_empty() {
            self.out.push(')');
        }
        let extra = self.extra(id)?;
        let signature = self.functional(id)?;
        let _ = write!(self.out, "{} : {signature}", braced(&extra));
        Ok(())
    }

    /// Attributes the op does not define.
    fn extra(&self, id: OpId) -> Result<Vec<String>, Error> {
        self.program
            .op(id)
            .extra
            .0
            .iter()
            .map(|(k, v)| attributes::entry(k, v, Place::Op))
            .collect()
    }

    /// `{ops}` with or without a label for its arguments.
    fn braced_region(&mut self, region: RegionId, labelled: bool) -> Result<(), Error> {
        self.out.push_str("{\n");
        let arguments = &self.program.region(region).arguments;
        if labelled && !arguments.is_empty() {
            let mut parts = vec![];
            for v in arguments {
                let name = self.argument(*v);
                parts.push(format!("{name}: {}", ty(self.program.ty(*v))?));
            }
            self.start_line();
            let _ = writeln!(self.out, "^bb0({}):", parts.join(", "));
        }
        self.indent += 2;
        self.block(region, "stablehlo.return")?;
        self.indent -= 2;
        self.start_line();
        self.out.push('}');
        Ok(())
    }
}

fn braced(given: &[String]) -> String {
    if given.is_empty() {
        String::new()
    } else {
        format!(" {{{}}}", given.join(", "))
    }
}
