//! Ops as instructions of HLO text.

use super::{
    attributes::describe,
    computation::{Passing, Printer, Scope},
    custom_call::mlir,
    fields::{Fields, Pairs},
    result_type,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    hlo,
    import::hlo_text::{
        ELIDED_CONSTANT,
        instruction::SOURCE_TARGET_PAIRS,
        syntax::{list, quote, shape},
    },
    op::Op,
    program::{OpId, Operation, ValueDef, ValueId},
    types::Type,
};
use std::fmt::Write;

impl Printer<'_> {
    /// Writes one op, after what it calls.
    pub fn op(&mut self, scope: &mut Scope, id: OpId) -> Result<(), Error> {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
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
                "kernel_call" => {
                    return Err(Error::unsupported("HLO text of hlo.kernel_call"));
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
                "bitcast" => {
                    let operand = self.in_layout(scope, o, f.ints("source_layout"))?;
                    ("bitcast".to_string(), Pairs::default(), operand)
                }
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
                    let Some((opcode, mut pairs)) = describe(name, &attributes, &operand_types)?
                    else {
                        return Err(Error::internal("an opcode is missing"));
                    };
                    let routed = Fields(&o.extra).0.get("mhlo.frontend_attributes").is_some();
                    if !routed && !f.array("source_target_pairs").is_empty() {
                        pairs.put(
                            "frontend_attributes",
                            format!(
                                "{{{SOURCE_TARGET_PAIRS}={}}}",
                                quote(&f.rows("source_target_pairs"))
                            ),
                        );
                    }
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
}
