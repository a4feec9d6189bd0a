//! A program as the comparison reads it: calls, composites and fusions replaced by their bodies, barriers by their operands, tuples taken apart (the
//! composites that stand for a function stay: the ring reads their name). Two
//! versions that differ only in what is a function or a fusion are then alike, and values inside bodies can be cut points.
//!
//! Proves nothing by itself: moves ops between regions and changes none. A program whose calls recur, or that would grow too large, stays as it is.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
    types::Type,
};

/// Most ops a normal form may have: bodies called from many places are copied to each.
const MOST_OPS: usize = 200_000;
/// Deepest nesting of calls that is replaced.
const MOST_DEPTH: usize = 2_000;

/// The normal form of a program; the program itself where it has none.
pub fn of(program: &Arc<Program>) -> Arc<Program> {
    if !program.op_ids().any(|id| is_replaced(&program.op(id).op)) {
        return program.clone();
    }
    let mut copy = Copy {
        program,
        builder: ProgramBuilder::new(&program.name, Provenance::Keep),
        values: HashMap::new(),
        open: vec![],
        kept: BTreeSet::new(),
        ops: 0,
    };
    match copy.program() {
        Some(()) => copy.finish().map_or_else(|_| program.clone(), Arc::new),
        None => program.clone(),
    }
}

fn is_replaced(op: &Op) -> bool {
    match op {
        Op::Hlo(
            hlo::Op::Call(_)
            | hlo::Op::Composite(_)
            | hlo::Op::Fusion(_)
            | hlo::Op::OptimizationBarrier(_)
            | hlo::Op::GetTupleElement(_),
        ) => true,
        Op::Hlo(_) => false,
    }
}

struct Copy<'p> {
    program: &'p Program,
    builder: ProgramBuilder,
    values: HashMap<ValueId, ValueId>,
    /// Functions under way.
    open: Vec<String>,
    /// Functions that ops other than calls name.
    kept: BTreeSet<String>,
    ops: usize,
}

impl Copy<'_> {
    /// None: calls recur or the copy grows too large.
    fn program(&mut self) -> Option<()> {
        let entry = self.program.main().name.clone();
        self.function(&entry)?;
        let mut done = BTreeSet::from([entry]);
        while let Some(name) = self.kept.iter().find(|n| !done.contains(*n)).cloned() {
            self.function(&name)?;
            done.insert(name);
        }
        Some(())
    }

    fn finish(mut self) -> Result<Program, Error> {
        let aliases = self.program.main().aliases.clone();
        let out = self.builder.program_mut();
        (out.num_replicas, out.num_partitions) =
            (self.program.num_replicas, self.program.num_partitions);
        out.kernels = self.program.kernels.clone();
        if let Some(main) = out.functions.first_mut() {
            main.aliases = aliases;
        }
        self.builder.finish()
    }

    fn function(&mut self, name: &str) -> Option<()> {
        let f = self.program.function(self.program.find_function(name)?);
        let region = self.program.region(f.body);
        let types: Vec<Type> = types(self.program, &region.arguments);
        let arguments = self
            .builder
            .begin_function(name, &types, f.location.clone());
        self.values
            .extend(region.arguments.iter().copied().zip(arguments));
        self.open.push(name.to_string());
        let results = self.body(f.body)?;
        self.open.pop();
        self.builder.end_function(&results, f.location.clone());
        Some(())
    }

    /// Copies the ops of a region whose arguments have their values. Gives the returned values.
    fn body(&mut self, region: RegionId) -> Option<Vec<ValueId>> {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            for id in self.program.region(region).ops.clone() {
                if self.program.op(id).op.is_return() {
                    break;
                }
                self.op(id)?;
            }
            self.mapped(self.program.returned(region))
        })
    }

    fn mapped(&self, values: &[ValueId]) -> Option<Vec<ValueId>> {
        values.iter().map(|v| self.values.get(v).copied()).collect()
    }

    fn op(&mut self, id: OpId) -> Option<()> {
        self.ops += 1;
        if self.ops > MOST_OPS {
            return None;
        }
        let o = self.program.op(id);
        let operands = self.mapped(&o.operands)?;
        let results = match &o.op {
            Op::Hlo(hlo::Op::Call(call)) => self.call(&call.callee, &operands)?,
            Op::Hlo(hlo::Op::Composite(composite)) if composite.implements().is_none() => {
                self.call(&composite.decomposition, &operands)?
            }
            Op::Hlo(hlo::Op::Fusion(_)) => {
                let body = *o.regions.first()?;
                self.inlined(body, &operands)?
            }
            Op::Hlo(hlo::Op::OptimizationBarrier(_)) => operands,
            Op::Hlo(hlo::Op::GetTupleElement(get)) => {
                match self.part(*operands.first()?, get.index as usize) {
                    Some(part) => vec![part],
                    None => self.copied(id, &operands)?,
                }
            }
            Op::Hlo(_) => self.copied(id, &operands)?,
        };
        self.values.extend(o.results.iter().copied().zip(results));
        Some(())
    }

    fn call(&mut self, callee: &str, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        if self.open.iter().any(|f| f == callee) || self.open.len() >= MOST_DEPTH {
            return None;
        }
        let body = self
            .program
            .function(self.program.find_function(callee)?)
            .body;
        self.open.push(callee.to_string());
        let results = self.inlined(body, operands);
        self.open.pop();
        results
    }

    fn inlined(&mut self, body: RegionId, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let arguments = &self.program.region(body).arguments;
        self.values
            .extend(arguments.iter().copied().zip(operands.iter().copied()));
        self.body(body)
    }

    /// Element `index` of a tuple that the copy itself has made.
    fn part(&self, tuple: ValueId, index: usize) -> Option<ValueId> {
        let built = self.builder.program();
        let tileproof_dialect::program::ValueDef::Result { op, .. } = built.value(tuple).def else {
            return None;
        };
        let o = built.op(op);
        match &o.op {
            Op::Hlo(hlo::Op::Tuple(_)) => o.operands.get(index).copied(),
            Op::Hlo(_) => None,
        }
    }

    fn copied(&mut self, id: OpId, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let o = self.program.op(id);
        self.kept
            .extend(o.op.callees().into_iter().map(str::to_string));
        let mut regions = vec![];
        for r in &o.regions {
            let region = self.program.region(*r);
            let arguments = self
                .builder
                .begin_region(&types(self.program, &region.arguments));
            self.values
                .extend(region.arguments.iter().copied().zip(arguments));
            let results = self.body(*r)?;
            regions.push(self.builder.end_region(&results, o.location.clone()));
        }
        Some(self.builder.op(
            o.op.clone(),
            operands,
            &types(self.program, &o.results),
            regions,
            o.location.clone(),
        ))
    }
}

fn types(program: &Program, values: &[ValueId]) -> Vec<Type> {
    values.iter().map(|v| program.ty(*v).clone()).collect()
}
