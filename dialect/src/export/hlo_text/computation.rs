//! Computations of HLO text: one for each function and region, printed before what calls it.

use super::{
    fields::{Fields, Pairs},
    identifier,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    hlo,
    import::hlo_text::syntax::{is_value, list, quote, shape},
    location::Location,
    op::Op,
    program::{FunctionId, OpId, Program, RegionId, ValueDef, ValueId},
    types::Type,
};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

/// Attributes kept from HLO text that are written back as they came.
const KEPT: &[&str] = &[
    "backend_config",
    "batch_group_count",
    "cross_program_prefetch_index",
    "dim_labels",
    "feature_group_count",
    "literal",
    "origin",
    "output_to_operand_aliasing",
    "padding_type",
    "parameter_replication",
    "schedule",
    "statistics",
    "window",
];

pub struct Printer<'p> {
    pub program: &'p Program,
    /// Finished computations.
    pub text: String,
    names: HashSet<String>,
    functions: HashMap<FunctionId, String>,
    used: HashSet<ValueId>,
    depth: usize,
}

/// How a computation takes the values a region uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// One parameter an argument.
    Flat,
    /// One parameter: the tuple of all, or the value itself when it is one.
    Packed,
}

/// The computation being written.
#[derive(Default)]
pub struct Scope {
    pub values: HashMap<ValueId, String>,
    /// Instruction that gives all results of an op as a tuple.
    tuples: HashMap<OpId, String>,
    /// Printed names of instructions by the names they had in HLO text.
    pub originals: HashMap<String, String>,
    /// Name and text after it, of each instruction.
    pub lines: Vec<(String, String)>,
}

/// Leaves out the elements of tuples that no instruction takes: the root of a fusion may not have users.
fn drop_unused_elements(lines: &mut Vec<(String, String)>, root: &str) {
    let mut used: HashSet<String> = HashSet::from([root.to_string()]);
    let mut kept: Vec<(String, String)> = vec![];
    while let Some((name, rest)) = lines.pop() {
        if rest.contains(" get-tuple-element(") && !used.contains(&name) {
            continue;
        }
        let words = rest.split(|c: char| !(c.is_ascii_alphanumeric() || "%_.-".contains(c)));
        used.extend(
            words
                .filter_map(|w| w.strip_prefix('%'))
                .map(str::to_string),
        );
        kept.push((name, rest));
    }
    kept.reverse();
    *lines = kept;
}

impl<'p> Printer<'p> {
    pub fn new(program: &'p Program) -> Printer<'p> {
        let used = program
            .op_ids()
            .flat_map(|id| program.op(id).operands.iter().copied())
            .collect();
        Printer {
            program,
            text: String::new(),
            names: HashSet::new(),
            functions: HashMap::new(),
            used,
            depth: 0,
        }
    }

    pub fn entry(&mut self) -> Result<(), Error> {
        self.function(self.program.entry).map(|_| ())
    }

    pub fn unique(&mut self, wish: &str) -> String {
        let wish = identifier(wish);
        if self.names.insert(wish.clone()) {
            return wish;
        }
        // `add.17` becomes `add.18`, ..
        let (base, mut n) = match wish.rsplit_once('.') {
            Some((base, digits)) if !base.is_empty() => {
                (base.to_string(), digits.parse::<u64>().unwrap_or(0))
            }
            Some(_) | None => (wish, 0),
        };
        loop {
            n = n.wrapping_add(1);
            let name = format!("{base}.{n}");
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Prints a function and gives the name of its computation.
    pub fn function(&mut self, id: FunctionId) -> Result<String, Error> {
        if let Some(name) = self.functions.get(&id) {
            return Ok(name.clone());
        }
        if self.depth > 256 {
            return Err(Error::unsupported(
                "HLO text of functions that call themselves",
            ));
        }
        self.depth += 1;
        let f = self.program.function(id);
        let is_entry = id == self.program.entry;
        let mut scope = Scope::default();
        for (i, v) in self.program.region(f.body).arguments.iter().enumerate() {
            let attributes = f.parameter_attributes.get(i).cloned().unwrap_or_default();
            let wish = Fields(&attributes)
                .word("hlo.name")
                .unwrap_or("Arg_")
                .to_string();
            let mut rest = format!("{} parameter({i})", shape(self.program.ty(*v)));
            if is_entry {
                rest += &self.extra(&unprefixed(&attributes), &Location::default(), &scope);
            }
            let name = self.line(&mut scope, &wish, rest);
            scope.values.insert(*v, name);
        }
        let name = self.finish(scope, f.body, if is_entry { "ENTRY " } else { "" }, &f.name)?;
        self.functions.insert(id, name.clone());
        self.depth -= 1;
        Ok(name)
    }

    /// Prints a region as a computation; gives its name. The arguments come first, then `captured`.
    pub fn region(
        &mut self,
        region: RegionId,
        captured: &[ValueId],
        passing: Passing,
        wish: &str,
    ) -> Result<String, Error> {
        let mut scope = Scope::default();
        let passed: Vec<ValueId> = self
            .program
            .region(region)
            .arguments
            .iter()
            .chain(captured)
            .copied()
            .collect();
        let types: Vec<Type> = passed.iter().map(|v| self.program.ty(*v).clone()).collect();
        if passing == Passing::Flat || types.len() == 1 {
            for (i, (v, ty)) in passed.iter().zip(&types).enumerate() {
                let name = self.line(&mut scope, "param", format!("{} parameter({i})", shape(ty)));
                scope.values.insert(*v, name);
            }
        } else {
            let all = self.line(
                &mut scope,
                "param",
                format!("{} parameter(0)", shape(&Type::tuple(types.clone()))),
            );
            for (i, (v, ty)) in passed.iter().zip(&types).enumerate() {
                let name = self.line(
                    &mut scope,
                    "get-tuple-element",
                    format!("{} get-tuple-element(%{all}), index={i}", shape(ty)),
                );
                scope.values.insert(*v, name);
            }
        }
        self.finish(scope, region, "", wish)
    }

    /// Writes the ops of `region` into `scope` and the whole as a computation.
    pub fn finish(
        &mut self,
        mut scope: Scope,
        region: RegionId,
        keyword: &str,
        wish: &str,
    ) -> Result<String, Error> {
        for id in &self.program.region(region).ops {
            let o = self.program.op(*id);
            if !o.op.is_return() {
                self.op(&mut scope, *id).map_err(|e| e.at(&o.location))?;
            }
        }
        let returned = self.program.returned(region).to_vec();
        let root = match returned.as_slice() {
            [one] => self.value(&mut scope, *one)?,
            all => self.packed(&mut scope, all)?,
        };
        let name = self.unique(wish);
        let _ = writeln!(self.text, "{keyword}%{name} {{");
        drop_unused_elements(&mut scope.lines, &root);
        for (line, rest) in &scope.lines {
            let _ = writeln!(
                self.text,
                "  {}%{line} = {rest}",
                if *line == root { "ROOT " } else { "" }
            );
        }
        self.text.push_str("}\n\n");
        Ok(name)
    }

    pub fn line(&mut self, scope: &mut Scope, wish: &str, rest: String) -> String {
        let name = self.unique(wish);
        scope.lines.push((name.clone(), rest));
        name
    }

    /// Printed name of a value. Constants from outside are written again.
    pub fn value(&mut self, scope: &mut Scope, v: ValueId) -> Result<String, Error> {
        if let Some(name) = scope.values.get(&v) {
            return Ok(name.clone());
        }
        if let ValueDef::Result { op, .. } = self.program.value(v).def
            && let Op::Hlo(hlo::Op::Constant(_)) = &self.program.op(op).op
        {
            self.op(scope, op)?;
            if let Some(name) = scope.values.get(&v) {
                return Ok(name.clone());
            }
        }
        Err(Error::unsupported(
            "HLO text of a region that uses a value from outside",
        ))
    }

    /// Instruction that holds `values` as a tuple: the one they all come from, or a new one.
    pub fn packed(&mut self, scope: &mut Scope, values: &[ValueId]) -> Result<String, Error> {
        if let Some(name) = self.common_tuple(scope, values) {
            return Ok(name);
        }
        let mut names = vec![];
        for v in values {
            names.push(format!("%{}", self.value(scope, *v)?));
        }
        let types: Vec<Type> = values.iter().map(|v| self.program.ty(*v).clone()).collect();
        Ok(self.line(
            scope,
            "tuple",
            format!("{} tuple({})", shape(&Type::tuple(types)), names.join(", ")),
        ))
    }

    /// The tuple of which `values` are all the elements in order.
    fn common_tuple(&self, scope: &Scope, values: &[ValueId]) -> Option<String> {
        let ValueDef::Result { op, .. } = self.program.value(*values.first()?).def else {
            return None;
        };
        (self.program.op(op).results == values)
            .then(|| scope.tuples.get(&op).cloned())
            .flatten()
    }

    /// One value as it is, several as a tuple.
    pub fn one_or_packed(
        &mut self,
        scope: &mut Scope,
        values: &[ValueId],
    ) -> Result<String, Error> {
        match values {
            [one] => self.value(scope, *one),
            all => self.packed(scope, all),
        }
    }

    pub fn operand_list(&mut self, scope: &mut Scope, values: &[ValueId]) -> Result<String, Error> {
        let mut out = String::new();
        for (i, v) in values.iter().enumerate() {
            let _ = write!(
                out,
                "{}%{}",
                if i > 0 { ", " } else { "" },
                self.value(scope, *v)?
            );
        }
        Ok(out)
    }

    /// Names the results of the instruction `line` of type `ty`.
    pub fn results(&mut self, scope: &mut Scope, id: OpId, line: &str, ty: &Type) {
        let o = self.program.op(id);
        let is_one =
            o.results.len() == 1 && o.results.first().is_some_and(|v| self.program.ty(*v) == ty);
        if is_one {
            o.results
                .iter()
                .for_each(|v| drop(scope.values.insert(*v, line.to_string())));
            return;
        }
        scope.tuples.insert(id, line.to_string());
        let mut left = o.results.iter();
        self.elements(scope, line, ty, &mut left);
    }

    /// Instructions for the leaves of a tuple, nested ones too, that are the values which come next; those never used are left out.
    pub fn elements<'v>(
        &mut self,
        scope: &mut Scope,
        line: &str,
        ty: &Type,
        values: &mut impl Iterator<Item = &'v ValueId>,
    ) {
        let Type::Tuple(parts) = ty else { return };
        for (i, part) in parts.iter().enumerate() {
            let get = format!("{} get-tuple-element(%{line}), index={i}", shape(part));
            if let Type::Tuple(_) = part {
                let name = self.line(scope, "get-tuple-element", get);
                self.elements(scope, &name, part, values);
            } else if let Some(v) = values.next().filter(|v| self.used.contains(v)) {
                let name = self.line(scope, "get-tuple-element", get);
                scope.values.insert(*v, name);
            }
        }
    }

    /// Attributes that are no part of the op: shardings, frontend attributes, backend options, where it comes from.
    pub fn extra(&self, extra: &Attributes, location: &Location, scope: &Scope) -> String {
        let f = Fields(extra);
        let mut out = Pairs::default();
        let sharding = f.word("mhlo.sharding");
        if let Some(sharding) = sharding.filter(|s| s.starts_with('{') && is_value(s)) {
            out.put("sharding", sharding);
        }
        if let Some(Attribute::Dict(fields)) = extra.get("mhlo.frontend_attributes") {
            let fields: Vec<String> = fields
                .0
                .iter()
                .filter_map(|(k, v)| {
                    if let Attribute::Str(v) = v {
                        Some(format!("{k}={}", quote(v)))
                    } else {
                        None
                    }
                })
                .collect();
            out.put("frontend_attributes", list(&fields));
        }
        if let Some(before) = f.word("control-predecessors") {
            let names = before
                .trim_matches(['{', '}'])
                .split(',')
                .map(|n| n.trim().trim_start_matches('%'));
            let names: Vec<String> = names
                .filter_map(|n| scope.originals.get(n))
                .map(|n| format!("%{n}"))
                .collect();
            if !names.is_empty() {
                out.put("control-predecessors", list(&names));
            }
        }
        if let Some(name) = f.word("op_name") {
            let place = location
                .position
                .as_ref()
                .map(|p| format!(" source_file={} source_line={}", quote(&p.file), p.line));
            out.put(
                "metadata",
                format!("{{op_name={}{}}}", quote(name), place.unwrap_or_default()),
            );
        }
        KEPT.iter()
            .filter_map(|name| Some((name, f.word(name)?)))
            .for_each(|(name, value)| match is_value(value) {
                true => out.put(name, value),
                // Bytes of a proto that no text would hold as they are.
                false => out.put(name, quote(value)),
            });
        out.0
    }
}

/// A parameter's attributes under the names they have on an instruction.
fn unprefixed(attributes: &Attributes) -> Attributes {
    let name = |name: &String| name.strip_prefix("hlo.").unwrap_or(name).to_string();
    Attributes(
        attributes
            .0
            .iter()
            .map(|(k, v)| (name(k), v.clone()))
            .collect(),
    )
}
