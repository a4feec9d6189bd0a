//! Candidates of a reduction as parts of one base program whose values are known.

use crate::isolate::extract::{self, Form, Observed, Part};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    hlo,
    op::Op,
    planes::Planes,
    program::{OpId, Program, ValueDef, ValueId},
    tensor::Value,
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// The program that parts are taken from, with every value of its entry function.
pub struct Base<'p> {
    pub program: &'p Program,
    values: HashMap<ValueId, Value>,
}

/// A part: `root` computed from `cuts` and the program's own parameters, with `bypassed` values replaced by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub root: ValueId,
    pub cuts: Vec<ValueId>,
    pub bypassed: Vec<(ValueId, ValueId)>,
}

impl Candidate {
    pub fn whole(root: ValueId) -> Candidate {
        Candidate {
            root,
            cuts: vec![],
            bypassed: vec![],
        }
    }

    /// What stands in the place of `v`.
    fn resolved(&self, v: ValueId) -> ValueId {
        // A chain of bypasses ends: each leads to an earlier value.
        let mut v = v;
        while let Some((_, other)) = self.bypassed.iter().find(|(from, _)| *from == v) {
            v = *other;
        }
        v
    }
}

impl<'p> Base<'p> {
    /// Evaluates every op of the entry function of `program`, whose calls are inlined. None: it traps or cannot be evaluated.
    pub fn new(
        program: &'p Program,
        arguments: &[Value],
        limits: &Limits,
    ) -> Result<Option<Base<'p>>, Error> {
        let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits);
        let body = program.main().body;
        let parameters = program.region(body).arguments.iter().copied();
        let mut values: HashMap<ValueId, Value> =
            parameters.zip(arguments.iter().cloned()).collect();
        for id in extract::ops_of(program, body) {
            let o = program.op(id);
            let operands: Option<Vec<Value>> =
                o.operands.iter().map(|v| values.get(v).cloned()).collect();
            let Some(operands) = operands else {
                return Err(Error::internal("a value was not computed"));
            };
            let captured = |v| values.get(&v).cloned();
            match interpreter.eval_op(id, &operands, &captured, &mut Events::default()) {
                Ok(results) => values.extend(o.results.iter().copied().zip(results)),
                Err(Stop::Failed(e @ (Error::Internal(_) | Error::InvalidProgram(_)))) => {
                    return Err(e);
                }
                Err(Stop::Failed(Error::Unsupported { .. }) | Stop::Trap(_) | Stop::Cancelled) => {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Base { program, values }))
    }

    fn is_constant(&self, id: OpId) -> bool {
        matches!(&self.program.op(id).op, Op::Hlo(hlo::Op::Constant(_)))
    }

    fn definition(&self, v: ValueId) -> Option<OpId> {
        match self.program.value(v).def {
            ValueDef::Result { op, .. } => Some(op),
            ValueDef::Argument { .. } => None,
        }
    }

    /// Ops of the candidate in program order, constants too.
    fn ops(&self, candidate: &Candidate) -> Vec<OpId> {
        let mut found: HashSet<OpId> = HashSet::new();
        let mut stack = vec![candidate.resolved(candidate.root)];
        while let Some(v) = stack.pop() {
            if candidate.cuts.contains(&v) {
                continue;
            }
            if let Some(op) = self.definition(v)
                && found.insert(op)
            {
                let o = self.program.op(op);
                let captures = self.program.op_captures(op);
                let uses = o.operands.iter().copied().chain(captures);
                stack.extend(uses.map(|v| candidate.resolved(v)));
            }
        }
        let all = extract::ops_of(self.program, self.program.main().body);
        all.into_iter().filter(|op| found.contains(op)).collect()
    }

    /// Ops of the candidate in program order without constants.
    pub fn computing(&self, candidate: &Candidate) -> Vec<OpId> {
        let mut ops = self.ops(candidate);
        ops.retain(|op| !self.is_constant(*op));
        ops
    }

    /// Values that are operands of ops fewer than `depth` steps before `root` and are computed by ops further away.
    pub fn frontier(&self, root: ValueId, depth: usize) -> Vec<ValueId> {
        let mut near: HashSet<OpId> = HashSet::new();
        let mut layer = vec![root];
        for _ in 0..depth {
            let mut next = vec![];
            for v in layer {
                if let Some(op) = self.definition(v)
                    && near.insert(op)
                {
                    let captures = self.program.op_captures(op);
                    next.extend(self.program.op(op).operands.iter().copied().chain(captures));
                }
            }
            layer = next;
        }
        let mut cuts: Vec<ValueId> = layer
            .into_iter()
            .filter(|v| {
                self.definition(*v)
                    .is_some_and(|op| !near.contains(&op) && !self.is_constant(op))
            })
            .collect();
        cuts.sort();
        cuts.dedup();
        cuts
    }

    /// The candidate as a program with its arguments. None: it is no valid program, or computes nothing.
    pub fn make(&self, candidate: &Candidate) -> Result<Option<(Program, Vec<Value>)>, Error> {
        let changed;
        let program = if candidate.bypassed.is_empty() {
            self.program
        } else {
            match self.bypass(candidate) {
                Some(program) => {
                    changed = program;
                    &changed
                }
                None => return Ok(None),
            }
        };
        let ops = self.ops(candidate);
        if ops.iter().all(|op| self.is_constant(*op)) {
            return Ok(None);
        }
        let parameters = extract::taken(program, &ops);
        let root = candidate.resolved(candidate.root);
        let part = Part {
            parameters: &parameters,
            ops: &ops,
            results: &[root],
        };
        let arguments: Option<Vec<Value>> = parameters
            .iter()
            .map(|v| self.values.get(v).cloned())
            .collect();
        let Some(arguments) = arguments else {
            return Ok(None);
        };
        if arguments.iter().any(|v| v.as_tensor().is_none()) {
            return Ok(None);
        }
        match extract::extract(program, &part, Form::Flat, Observed::Nothing) {
            Ok(program) => Ok(Some((program, arguments))),
            Err(Error::InvalidProgram(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// The base with operands replaced. Values captured by regions are left as they are.
    fn bypass(&self, candidate: &Candidate) -> Option<Program> {
        let mut out = self.program.clone();
        for op in self.ops(candidate) {
            let operands = self.program.op(op).operands.clone();
            let new: Vec<ValueId> = operands.iter().map(|v| candidate.resolved(*v)).collect();
            if new != operands {
                out = out.modified(op, |o| o.operands = new).ok()?;
            }
        }
        Some(out)
    }
}
