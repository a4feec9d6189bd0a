//! Computations of HLO text: one for each function and region, printed before what calls it.

use super::{
    attributes::{Fields, Pairs, describe, mlir},
    identifier, literal, result_type,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    hlo,
    import::hlo_text::{
        ELIDED_CONSTANT,
        syntax::{list, quote, shape},
    },
    location::Location,
    op::Op,
    program::{FunctionId, OpId, Operation, Program, RegionId, ValueDef, ValueId},
    tensor::count,
    types::{Dim, ElementType, TensorType, Type},
};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

/// Splats of more elements are written as a broadcast scalar.
const MAX_WRITTEN_SPLAT: usize = 4096;

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
    program: &'p Program,
    /// Finished computations.
    pub text: String,
    names: HashSet<String>,
    functions: HashMap<FunctionId, String>,
    used: HashSet<ValueId>,
    depth: usize,
}

/// How a computation takes the values a region uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// One parameter an argument.
    Flat,
    /// One parameter: the tuple of all, or the value itself when it is one.
    Packed,
}

/// The computation being written.
#[derive(Default)]
struct Scope {
    values: HashMap<ValueId, String>,
    /// Instruction that gives all results of an op as a tuple.
    tuples: HashMap<OpId, String>,
    /// Printed names of instructions by the names they had in HLO text.
    originals: HashMap<String, String>,
    /// Name and text after it, of each instruction.
    lines: Vec<(String, String)>,
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

    fn unique(&mut self, wish: &str) -> String {
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
    fn function(&mut self, id: FunctionId) -> Result<String, Error> {
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
                rest += &self.extra(&attributes, &Location::default(), &scope);
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
    fn region(
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
    fn finish(
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

    fn line(&mut self, scope: &mut Scope, wish: &str, rest: String) -> String {
        let name = self.unique(wish);
        scope.lines.push((name.clone(), rest));
        name
    }

    /// Printed name of a value. Constants from outside are written again.
    fn value(&mut self, scope: &mut Scope, v: ValueId) -> Result<String, Error> {
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
    fn packed(&mut self, scope: &mut Scope, values: &[ValueId]) -> Result<String, Error> {
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
    fn one_or_packed(&mut self, scope: &mut Scope, values: &[ValueId]) -> Result<String, Error> {
        match values {
            [one] => self.value(scope, *one),
            all => self.packed(scope, all),
        }
    }

    fn operand_list(&mut self, scope: &mut Scope, values: &[ValueId]) -> Result<String, Error> {
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

    fn op(&mut self, scope: &mut Scope, id: OpId) -> Result<(), Error> {
        let o = self.program.op(id);
        let op = match &o.op {
            Op::Hlo(op) => op,
        };
        let name = op.name();
        let attributes = op.to_attributes();
        let types = |values: &[ValueId]| -> Vec<Type> {
            values.iter().map(|v| self.program.ty(*v).clone()).collect()
        };
        let (operand_types, result_types) = (types(&o.operands), types(&o.results));
        let f = Fields(&attributes);
        let wish = Fields(&o.extra)
            .word("hlo.name")
            .map_or_else(|| name.replace('_', "-"), str::to_string);
        let mut ty = result_type(&result_types);
        let (opcode, mut pairs, operands) = match op {
            hlo::Op::Constant(c) => return self.constant(scope, o, &c.value, &wish),
            hlo::Op::Call(c) => {
                let callee = self.callee(&c.callee)?;
                let mut pairs = Pairs::default();
                pairs.put("to_apply", format!("%{callee}"));
                (
                    "call".to_string(),
                    pairs,
                    self.operand_list(scope, &o.operands)?,
                )
            }
            hlo::Op::While(_) => {
                let captured = self.passed_on(o);
                let mut pairs = Pairs::default();
                let [cond, body] = o.regions[..] else {
                    return Err(Error::internal("a while without its regions"));
                };
                let state: Vec<ValueId> = o.operands.iter().chain(&captured).copied().collect();
                if !captured.is_empty() {
                    return self.while_with_captures(scope, id, &state, &captured, &wish);
                }
                pairs.put(
                    "condition",
                    format!("%{}", self.region(cond, &[], Passing::Packed, "condition")?),
                );
                pairs.put(
                    "body",
                    format!("%{}", self.region(body, &[], Passing::Packed, "body")?),
                );
                (
                    "while".to_string(),
                    pairs,
                    format!("%{}", self.one_or_packed(scope, &state)?),
                )
            }
            _ => match name {
                "if" | "case" => {
                    let index = o
                        .operands
                        .first()
                        .copied()
                        .ok_or_else(|| Error::internal("a branch without its index"))?;
                    let mut operands = format!("%{}", self.value(scope, index)?);
                    let mut branches = vec![];
                    for region in &o.regions {
                        let captured = self.program.captured(*region);
                        let packed = self.one_or_packed(scope, &captured)?;
                        let _ = write!(operands, ", %{packed}");
                        branches.push(format!(
                            "%{}",
                            self.region(*region, &captured, Passing::Packed, "branch")?
                        ));
                    }
                    let mut pairs = Pairs::default();
                    match (name, branches.as_slice()) {
                        ("if", [yes, no]) => {
                            pairs.put("true_computation", yes);
                            pairs.put("false_computation", no);
                        }
                        (_, all) => pairs.put("branch_computations", list(all)),
                    }
                    ("conditional".to_string(), pairs, operands)
                }
                "composite" => {
                    let Some(Attribute::Symbol(symbol)) = attributes.get("decomposition") else {
                        return Err(Error::internal("a composite without decomposition"));
                    };
                    let callee = self.callee(symbol)?;
                    let mut pairs = Pairs::default();
                    pairs.put("to_apply", format!("%{callee}"));
                    pairs.put("is_composite", "true");
                    let inner = match attributes.get("composite_attributes") {
                        Some(Attribute::Dict(d)) => d.clone(),
                        Some(_) | None => Attributes::new(),
                    };
                    let text = mlir(&Attribute::Dict(inner))?;
                    pairs.put(
                        "frontend_attributes",
                        format!(
                            "{{composite.attributes={text},composite.name={},composite.version=\"{}\"}}",
                            quote(f.word("name").unwrap_or("")),
                            f.int("version").unwrap_or(0)
                        ),
                    );
                    (
                        "call".to_string(),
                        pairs,
                        self.operand_list(scope, &o.operands)?,
                    )
                }
                "custom_call" if f.word("call_target_name") == Some(ELIDED_CONSTANT) => (
                    "constant".to_string(),
                    Pairs::default(),
                    "{...}".to_string(),
                ),
                "square" => {
                    let x = self.operand_list(scope, &o.operands)?;
                    (
                        "multiply".to_string(),
                        Pairs::default(),
                        format!("{x}, {x}"),
                    )
                }
                "broadcast" => {
                    let rank = operand_types
                        .first()
                        .and_then(Type::as_tensor)
                        .map_or(0, |t| t.rank());
                    let offset = f.ints("broadcast_sizes").len();
                    let mut pairs = Pairs::default();
                    pairs.put(
                        "dimensions",
                        list(&(offset..offset + rank).collect::<Vec<_>>()),
                    );
                    (
                        "broadcast".to_string(),
                        pairs,
                        self.operand_list(scope, &o.operands)?,
                    )
                }
                "broadcast_in_dim" => self.broadcast(scope, o, f.ints("broadcast_dimensions"))?,
                "select" => (
                    "select".to_string(),
                    Pairs::default(),
                    self.select(scope, o)?,
                ),
                "send" | "recv" => {
                    let (mut data, token) = (o.operands.clone(), o.operands.last().copied());
                    data.pop();
                    let token =
                        token.ok_or_else(|| Error::internal("a transfer without a token"))?;
                    let mut operands = if data.is_empty() {
                        String::new()
                    } else {
                        format!("%{}, ", self.one_or_packed(scope, &data)?)
                    };
                    let _ = write!(operands, "%{}", self.value(scope, token)?);
                    let Some((opcode, pairs)) = describe(name, &attributes, &operand_types)? else {
                        return Err(Error::internal("an opcode is missing"));
                    };
                    (opcode, pairs, operands)
                }
                "outfeed" => {
                    let (mut data, token) = (o.operands.clone(), o.operands.last().copied());
                    data.pop();
                    let token =
                        token.ok_or_else(|| Error::internal("an outfeed without a token"))?;
                    let operands = format!(
                        "%{}, %{}",
                        self.one_or_packed(scope, &data)?,
                        self.value(scope, token)?
                    );
                    let Some((opcode, mut pairs)) = describe(name, &attributes, &operand_types)?
                    else {
                        return Err(Error::internal("an opcode is missing"));
                    };
                    let data_types: Vec<Type> =
                        data.iter().map(|v| self.program.ty(*v).clone()).collect();
                    pairs.put("outfeed_shape", shape(&result_type(&data_types)));
                    (opcode, pairs, operands)
                }
                _ => {
                    let Some((opcode, mut pairs)) = describe(name, &attributes, &operand_types)?
                    else {
                        return Err(Error::unsupported(format!(
                            "HLO text of hlo.{name}: HLO has no such instruction"
                        )));
                    };
                    let captured = if matches!(name, "fusion" | "async_start") {
                        self.passed_on(o)
                    } else {
                        vec![]
                    };
                    let roles: &[&str] = match name {
                        "fusion" | "async_start" => &["calls"],
                        "select_and_scatter" => &["select", "scatter"],
                        _ => &["to_apply"],
                    };
                    for (role, region) in roles.iter().zip(&o.regions) {
                        let wish = if name == "fusion" {
                            "fused_computation"
                        } else {
                            "region"
                        };
                        pairs.put(
                            role,
                            format!("%{}", self.region(*region, &captured, Passing::Flat, wish)?),
                        );
                    }
                    if let Some(Attribute::Array(called)) = attributes.get("called_computations") {
                        let mut names = vec![];
                        for c in called {
                            if let Attribute::Symbol(symbol) = c {
                                names.push(format!("%{}", self.callee(symbol)?));
                            }
                        }
                        if !names.is_empty() {
                            pairs.put("called_computations", format!("{{{}}}", names.join(", ")));
                        }
                    }
                    let takes_tuple = matches!(
                        name,
                        "optimization_barrier"
                            | "async_update"
                            | "async_done"
                            | "copy_done"
                            | "all_gather_done"
                            | "all_reduce_done"
                            | "collective_permute_done"
                    );
                    let operands = if takes_tuple {
                        format!("%{}", self.one_or_packed(scope, &o.operands)?)
                    } else {
                        // HLO gets the shape of random numbers from the result.
                        let own = if name == "rng" {
                            o.operands.get(..2).unwrap_or(&[])
                        } else {
                            &o.operands
                        };
                        let all: Vec<ValueId> = own.iter().chain(&captured).copied().collect();
                        self.operand_list(scope, &all)?
                    };
                    ty = self.grouped(name, o, ty);
                    (opcode, pairs, operands)
                }
            },
        };
        pairs.0 += &self.extra(&o.extra, &o.location, scope);
        let line = self.line(
            scope,
            &wish,
            format!("{} {opcode}({operands}){}", shape(&ty), pairs.0),
        );
        scope.originals.insert(wish, line.clone());
        self.results(scope, id, &line, &ty);
        Ok(())
    }

    /// Names the results of the instruction `line` of type `ty`.
    fn results(&mut self, scope: &mut Scope, id: OpId, line: &str, ty: &Type) {
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
    fn elements<'v>(
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

    /// The nested tuple type that HLO wants of an instruction whose results are flat here.
    fn grouped(&self, name: &str, o: &Operation, ty: Type) -> Type {
        let types = |values: &[ValueId]| -> Vec<Type> {
            values.iter().map(|v| self.program.ty(*v).clone()).collect()
        };
        let all = types(&o.results);
        let n = o.operands.len();
        match name {
            // ((operands), result, context..)
            "async_start" | "async_update" if all.len() > n => {
                let results = match o.regions.first() {
                    Some(r) => self.program.returned(*r).len(),
                    None => 1,
                };
                let (head, tail) = all.split_at(n);
                let (result, context) = tail.split_at(results.min(tail.len()));
                let mut parts = vec![Type::tuple(head.to_vec()), result_type(result)];
                parts.extend(context.iter().cloned());
                Type::tuple(parts)
            }
            "all_gather_start" | "collective_permute_start" if n > 1 && all.len() >= 2 * n => {
                let mut parts = vec![
                    Type::tuple(all[..n].to_vec()),
                    Type::tuple(all[n..2 * n].to_vec()),
                ];
                parts.extend(all[2 * n..].iter().cloned());
                Type::tuple(parts)
            }
            // (data, token)
            "infeed" | "recv_done" => match all.split_last() {
                Some((token, data)) => Type::tuple(vec![result_type(data), token.clone()]),
                None => ty,
            },
            _ => ty,
        }
    }

    fn callee(&mut self, symbol: &str) -> Result<String, Error> {
        let id = self
            .program
            .find_function(symbol)
            .ok_or_else(|| Error::internal(format!("function '{symbol}' does not exist")))?;
        self.function(id)
    }

    /// Values from outside that the regions of an op use and that must be passed: all but constants, which are written again inside.
    fn passed_on(&self, o: &Operation) -> Vec<ValueId> {
        let is_constant = |v: &ValueId| match self.program.value(*v).def {
            ValueDef::Result { op, .. } => {
                matches!(self.program.op(op).op, Op::Hlo(hlo::Op::Constant(_)))
            }
            ValueDef::Argument { .. } => false,
        };
        let mut out: Vec<ValueId> = vec![];
        for v in o.regions.iter().flat_map(|r| self.program.captured(*r)) {
            if !out.contains(&v) && !is_constant(&v) {
                out.push(v);
            }
        }
        out
    }

    /// A loop whose regions use values from outside carries them as state that stays the same.
    fn while_with_captures(
        &mut self,
        scope: &mut Scope,
        id: OpId,
        state: &[ValueId],
        captured: &[ValueId],
        wish: &str,
    ) -> Result<(), Error> {
        let o = self.program.op(id);
        let [cond, body] = o.regions[..] else {
            return Err(Error::internal("a while without its regions"));
        };
        let condition = self.region(cond, captured, Passing::Packed, "condition")?;
        let types: Vec<Type> = state.iter().map(|v| self.program.ty(*v).clone()).collect();
        let ty = Type::tuple(types.clone());
        // The body's computation gives the captured values back behind its own results.
        let mut inner = Scope::default();
        let all = self.line(&mut inner, "param", format!("{} parameter(0)", shape(&ty)));
        let passed: Vec<ValueId> = self
            .program
            .region(body)
            .arguments
            .iter()
            .chain(captured)
            .copied()
            .collect();
        for (i, (v, ty)) in passed.iter().zip(&types).enumerate() {
            let name = self.line(
                &mut inner,
                "get-tuple-element",
                format!("{} get-tuple-element(%{all}), index={i}", shape(ty)),
            );
            inner.values.insert(*v, name);
        }
        for op in &self.program.region(body).ops {
            if !self.program.op(*op).op.is_return() {
                self.op(&mut inner, *op)?;
            }
        }
        let returned: Vec<ValueId> = self
            .program
            .returned(body)
            .iter()
            .chain(captured)
            .copied()
            .collect();
        let values = self.operand_list(&mut inner, &returned)?;
        let root = self.line(
            &mut inner,
            "tuple",
            format!("{} tuple({values})", shape(&ty)),
        );
        let body = self.unique("body");
        let _ = writeln!(self.text, "%{body} {{");
        for (line, rest) in &inner.lines {
            let _ = writeln!(
                self.text,
                "  {}%{line} = {rest}",
                if *line == root { "ROOT " } else { "" }
            );
        }
        self.text.push_str("}\n\n");
        let operand = self.packed(scope, state)?;
        let extra = self.extra(&o.extra, &o.location, scope);
        let line = self.line(
            scope,
            wish,
            format!(
                "{} while(%{operand}), condition=%{condition}, body=%{body}{extra}",
                shape(&ty)
            ),
        );
        let mut left = o.results.iter();
        self.elements(scope, &line, &ty, &mut left);
        Ok(())
    }

    fn constant(
        &mut self,
        scope: &mut Scope,
        o: &Operation,
        value: &crate::literal::Literal,
        wish: &str,
    ) -> Result<(), Error> {
        let Some(result) = o.results.first() else {
            return Ok(());
        };
        let ty = shape(self.program.ty(*result));
        if matches!(value.element(), ElementType::Quantized(_)) {
            return Err(Error::unsupported("HLO text of a quantized constant"));
        }
        let extra = self.extra(&o.extra, &o.location, scope);
        let name = match value.splat_value() {
            Some(one) if count(value.dims()) > MAX_WRITTEN_SPLAT => {
                let scalar = crate::literal::Literal::from_tensor(&one);
                let element = shape(&scalar.ty().into());
                let scalar = self.line(
                    scope,
                    wish,
                    format!("{element} constant({})", literal::text(&scalar)),
                );
                self.line(
                    scope,
                    "broadcast",
                    format!("{ty} broadcast(%{scalar}), dimensions={{}}{extra}"),
                )
            }
            Some(_) | None => self.line(
                scope,
                wish,
                format!("{ty} constant({}){extra}", literal::text(value)),
            ),
        };
        scope.originals.insert(wish.to_string(), name.clone());
        scope.values.insert(*result, name);
        Ok(())
    }

    /// HLO's broadcast neither repeats dimensions of size 1 nor permutes: reshape and transpose come first where needed.
    fn broadcast(
        &mut self,
        scope: &mut Scope,
        o: &Operation,
        dims: &[i64],
    ) -> Result<(String, Pairs, String), Error> {
        let operand = self.operand_list(scope, &o.operands)?;
        let tensor = |v: Option<&ValueId>| {
            v.and_then(|v| self.program.ty(*v).as_tensor().cloned())
                .ok_or_else(|| Error::internal("a broadcast of no tensor"))
        };
        let (from, to) = (tensor(o.operands.first())?, tensor(o.results.first())?);
        let repeats = |i: usize| match (
            from.dims.get(i),
            dims.get(i)
                .and_then(|d| usize::try_from(*d).ok())
                .and_then(|d| to.dims.get(d)),
        ) {
            (Some(Dim::Static(1)), Some(to)) => *to != Dim::Static(1),
            (_, _) => false,
        };
        let kept: Vec<usize> = (0..dims.len()).filter(|i| !repeats(*i)).collect();
        let mut name = operand;
        let mut left: Vec<i64> = kept.iter().filter_map(|i| dims.get(*i)).copied().collect();
        let mut sizes: Vec<Dim> = kept
            .iter()
            .filter_map(|i| from.dims.get(*i))
            .copied()
            .collect();
        let of = |dims: &[Dim]| {
            shape(
                &TensorType {
                    dims: dims.to_vec(),
                    element: from.element.clone(),
                    layout: None,
                }
                .into(),
            )
        };
        if kept.len() < dims.len() {
            name = format!(
                "%{}",
                self.line(scope, "reshape", format!("{} reshape({name})", of(&sizes)))
            );
        }
        if left.windows(2).any(|w| w[0] > w[1]) {
            let mut order: Vec<usize> = (0..left.len()).collect();
            order.sort_by_key(|i| left.get(*i).copied());
            sizes = order
                .iter()
                .filter_map(|i| sizes.get(*i))
                .copied()
                .collect();
            left.sort_unstable();
            name = format!(
                "%{}",
                self.line(
                    scope,
                    "transpose",
                    format!(
                        "{} transpose({name}), dimensions={}",
                        of(&sizes),
                        list(&order)
                    )
                )
            );
        }
        let mut pairs = Pairs::default();
        pairs.put("dimensions", list(&left));
        Ok(("broadcast".to_string(), pairs, name))
    }

    /// HLO's predicate has the shape of the values: one predicate is repeated.
    fn select(&mut self, scope: &mut Scope, o: &Operation) -> Result<String, Error> {
        let tensor = |i: usize| {
            o.operands
                .get(i)
                .and_then(|v| self.program.ty(*v).as_tensor().cloned())
        };
        let (Some(pred), Some(value), Some(first)) = (tensor(0), tensor(1), o.operands.first())
        else {
            return self.operand_list(scope, &o.operands);
        };
        if pred.rank() == value.rank() {
            return self.operand_list(scope, &o.operands);
        }
        let one = self.value(scope, *first)?;
        let ty = TensorType {
            dims: value.dims.clone(),
            element: ElementType::I1,
            layout: value.layout.clone(),
        };
        let all = self.line(
            scope,
            "broadcast",
            format!("{} broadcast(%{one}), dimensions={{}}", shape(&ty.into())),
        );
        Ok(format!(
            "%{all}, {}",
            self.operand_list(scope, o.operands.get(1..).unwrap_or(&[]))?
        ))
    }

    /// Attributes that are no part of the op: shardings, frontend attributes, backend options, where it comes from.
    fn extra(&self, extra: &Attributes, location: &Location, scope: &Scope) -> String {
        let f = Fields(extra);
        let mut out = Pairs::default();
        if let Some(sharding) = f.word("mhlo.sharding").filter(|s| s.starts_with('{')) {
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
            .for_each(|(name, value)| out.put(name, value));
        out.0
    }
}
