//! Checks the alias relation of a program: `output_operand_aliases` on an op says which results take the buffers of which operands, as pairs.
//!
//! Proves: no op reads a value whose buffer was overwritten before, nor while it is being overwritten; no two results share one buffer; nothing
//! overwrites a constant, a parameter that is not donated, or, in a loop, a value from outside it; types and layouts of both ends are equal.
//! Cannot: see through calls, whose results it takes for other names of all their operands. Shares no code with the pass that decides the relation.

use crate::{
    inputs::Class,
    validate::{Found, PassReport, Step},
    verdict::{Ieee, Ring, Verdict},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    sync::Arc,
};
use tileproof_dialect::{
    attribute::Attribute,
    hlo,
    location::Location,
    op::Op,
    program::{FunctionId, OpId, Operation, Program, RegionId, ValueDef, ValueId},
};

/// Name of the attribute.
pub const ATTRIBUTE: &str = "output_operand_aliases";

/// What is wrong with an alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The op that takes a buffer: its name and location, and the rewrite that made it.
    pub op: String,
    pub location: Location,
    pub rewrite: Option<Arc<str>>,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// `reader` uses a value of the buffer after it was overwritten.
    ReadAfterWrite { reader: String, at: Location },
    /// The op itself reads the buffer, through another operand or at other places, while it writes it.
    ReadWhileWriting { reader: String },
    /// Two results take one buffer.
    SharedBuffer { results: (usize, usize) },
    /// The buffer is not the op's to write.
    NotOwned { owner: Owner },
    /// Type or layout of the result are not those of the operand.
    TypesDiffer { result: usize, operand: usize },
    /// The fusion does not make the result by updating the operand.
    NoUpdate { result: usize, operand: usize },
    /// Not pairs of results and operands.
    Malformed,
}

/// Whose a buffer is that an op may not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Constant,
    Parameter,
    /// A value from outside the loop that runs the op again, or from the condition.
    OutsideLoop,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.op)?;
        match &self.fault {
            Fault::ReadAfterWrite { reader, at } => {
                write!(f, "takes a buffer that {reader} at {at} reads later")
            }
            Fault::ReadWhileWriting { reader } => {
                write!(f, "takes a buffer that {reader} reads while it is written")
            }
            Fault::SharedBuffer { results: (a, b) } => {
                write!(f, "results {a} and {b} take one buffer")
            }
            Fault::NotOwned {
                owner: Owner::Constant,
            } => write!(f, "takes the buffer of a constant"),
            Fault::NotOwned {
                owner: Owner::Parameter,
            } => write!(f, "takes the buffer of a parameter that is not donated"),
            Fault::NotOwned {
                owner: Owner::OutsideLoop,
            } => write!(f, "takes a buffer from outside the loop that runs it again"),
            Fault::TypesDiffer { result, operand } => write!(
                f,
                "result {result} and operand {operand} share a buffer and differ in type or layout"
            ),
            Fault::NoUpdate { result, operand } => write!(
                f,
                "result {result} is no update of operand {operand}, whose buffer it takes"
            ),
            Fault::Malformed => write!(f, "{ATTRIBUTE} must be pairs of a result and an operand"),
        }
    }
}

/// Every violation, in program order.
pub fn check(program: &Program) -> Vec<Violation> {
    if !program
        .op_ids()
        .any(|op| program.op(op).extra.get(ATTRIBUTE).is_some())
    {
        return vec![];
    }
    let mut out = vec![];
    for (i, f) in program.functions.iter().enumerate() {
        let mut checker = Checker {
            program,
            buffers: HashMap::new(),
            owners: vec![],
            stale: BTreeMap::new(),
            out: vec![],
        };
        let is_entry = FunctionId(i as u32) == program.entry;
        for (k, v) in program.region(f.body).arguments.iter().enumerate() {
            let is_donated = is_entry && f.aliases.iter().any(|a| a.parameter as usize == k);
            let buffer = checker.buffer((!is_donated).then_some(Owner::Parameter));
            checker.buffers.insert(*v, BTreeSet::from([buffer]));
        }
        checker.region(f.body);
        out.extend(checker.out);
    }
    out
}

/// Adds to each pass what its program violates and those before did not. A buffer that is written too early is a wrong value on a machine, though values here
/// have no buffers.
pub fn judge(source: &Program, steps: &[Step], passes: &mut [PassReport]) {
    let mut known = check(source);
    for (pass, step) in passes.iter_mut().zip(steps) {
        let all = check(&step.program);
        for v in all.iter().filter(|v| !known.contains(v)) {
            pass.verdict = pass.verdict.clone().worst(Verdict::Miscompile);
            pass.findings.push(Found {
                verdict: Verdict::Miscompile,
                class: Class::Given,
                seed: 0,
                op: v.to_string(),
                location: v.location.clone(),
                rewrite: v.rewrite.clone(),
                inside: None,
                difference: None,
                output: None,
                ring: Ring::NotRun,
                ieee: Ieee::NotRun,
            });
        }
        known.extend(all);
    }
}

type Buffer = usize;

struct Checker<'p> {
    program: &'p Program,
    /// Buffers that hold each value (tuples: several).
    buffers: HashMap<ValueId, BTreeSet<Buffer>>,
    /// Why a buffer may not be written.
    owners: Vec<Option<Owner>>,
    /// Values that were overwritten, each with the op that did it.
    stale: BTreeMap<ValueId, OpId>,
    out: Vec<Violation>,
}

impl Checker<'_> {
    fn buffer(&mut self, owner: Option<Owner>) -> Buffer {
        self.owners.push(owner);
        self.owners.len() - 1
    }

    fn of(&self, v: ValueId) -> BTreeSet<Buffer> {
        self.buffers.get(&v).cloned().unwrap_or_default()
    }

    fn blame(&mut self, op: OpId, fault: Fault) {
        let o = self.program.op(op);
        let violation = Violation {
            op: o.op.name(),
            location: o.location.clone(),
            rewrite: o.location.rewrite.clone(),
            fault,
        };
        if !self.out.contains(&violation) {
            self.out.push(violation);
        }
    }

    /// Runs the ops of a region in order.
    fn region(&mut self, region: RegionId) {
        for id in self.program.region(region).ops.clone() {
            self.op(id);
        }
    }

    fn op(&mut self, id: OpId) {
        let o = self.program.op(id);
        for v in &o.operands {
            if let Some(writer) = self.stale.get(v).copied() {
                let fault = Fault::ReadAfterWrite {
                    reader: o.op.name(),
                    at: o.location.clone(),
                };
                self.blame(writer, fault);
            }
        }
        match &o.op {
            Op::Hlo(hlo::Op::While(_)) => self.loop_bodies(o),
            Op::Hlo(hlo::Op::If(_) | hlo::Op::Case(_)) => self.branches(o),
            // Bodies of reductions, sorts, ... hold scalars; those of fusions are looked at where a result takes a buffer.
            Op::Hlo(_) => {}
        }
        let pairs = self.pairs(id, o);
        for (i, v) in o.results.iter().enumerate() {
            let taken = pairs
                .iter()
                .find(|(result, _)| *result == i)
                .map(|(_, operand)| self.of(o.operands[*operand]));
            let buffers = match taken {
                Some(buffers) => buffers,
                None => self.result_buffers(o, i),
            };
            self.buffers.insert(*v, buffers);
        }
        self.write(id, o, &pairs);
    }

    /// Buffers of a result that takes none.
    fn result_buffers(&mut self, o: &Operation, index: usize) -> BTreeSet<Buffer> {
        let all = |values: &[ValueId]| {
            values
                .iter()
                .flat_map(|v| self.of(*v))
                .collect::<BTreeSet<_>>()
        };
        match &o.op {
            Op::Hlo(
                hlo::Op::Bitcast(_)
                | hlo::Op::Tuple(_)
                | hlo::Op::GetTupleElement(_)
                | hlo::Op::AddDependency(_)
                | hlo::Op::Domain(_),
            ) => all(&o.operands),
            Op::Hlo(hlo::Op::OptimizationBarrier(_)) => o
                .operands
                .get(index)
                .map_or(BTreeSet::new(), |v| self.of(*v)),
            Op::Hlo(
                hlo::Op::Call(_)
                | hlo::Op::Composite(_)
                | hlo::Op::CustomCall(_)
                | hlo::Op::AsyncStart(_)
                | hlo::Op::AsyncUpdate(_)
                | hlo::Op::AsyncDone(_)
                | hlo::Op::CopyStart(_),
            ) => all(&o.operands),
            Op::Hlo(hlo::Op::If(_) | hlo::Op::Case(_)) => {
                let returned: Vec<ValueId> = o
                    .regions
                    .iter()
                    .filter_map(|r| self.program.returned(*r).get(index))
                    .copied()
                    .collect();
                all(&returned)
            }
            Op::Hlo(hlo::Op::Constant(_)) => BTreeSet::from([self.buffer(Some(Owner::Constant))]),
            Op::Hlo(_) => BTreeSet::from([self.buffer(None)]),
        }
    }

    /// Branches: one of them runs.
    fn branches(&mut self, o: &Operation) {
        let before = self.stale.clone();
        for region in &o.regions {
            let after = std::mem::replace(&mut self.stale, before.clone());
            self.region(*region);
            after.into_iter().for_each(|(v, op)| {
                self.stale.entry(v).or_insert(op);
            });
        }
    }

    /// A loop: its carried values have buffers of their own, which the body may write; what comes from outside is read again in the next iteration.
    fn loop_bodies(&mut self, o: &Operation) {
        let closed: Vec<Option<Owner>> = self.owners.clone();
        self.owners
            .iter_mut()
            .for_each(|owner| *owner = owner.or(Some(Owner::OutsideLoop)));
        for (k, region) in o.regions.iter().enumerate() {
            for v in &self.program.region(*region).arguments {
                // The condition only reads: the body uses the same values after it.
                let buffer = self.buffer((k == 0).then_some(Owner::OutsideLoop));
                self.buffers.insert(*v, BTreeSet::from([buffer]));
            }
            self.region(*region);
        }
        self.owners[..closed.len()].clone_from_slice(&closed);
    }

    /// Declared pairs (result, operand) that make sense, after complaints about the others.
    fn pairs(&mut self, id: OpId, o: &Operation) -> Vec<(usize, usize)> {
        let list = match o.extra.get(ATTRIBUTE) {
            Some(Attribute::Ints(list)) => list.clone(),
            Some(_) => {
                self.blame(id, Fault::Malformed);
                return vec![];
            }
            None => return vec![],
        };
        let mut pairs: Vec<(usize, usize)> = vec![];
        for pair in list.chunks(2) {
            let fits = match pair {
                [r, v] => usize::try_from(*r)
                    .ok()
                    .zip(usize::try_from(*v).ok())
                    .filter(|(r, v)| *r < o.results.len() && *v < o.operands.len()),
                _ => None,
            };
            let Some((result, operand)) = fits else {
                self.blame(id, Fault::Malformed);
                continue;
            };
            if self.program.ty(o.results[result]) != self.program.ty(o.operands[operand]) {
                self.blame(id, Fault::TypesDiffer { result, operand });
            }
            let taken = self.of(o.operands[operand]);
            let shares =
                |(_, other): &&(usize, usize)| !self.of(o.operands[*other]).is_disjoint(&taken);
            match pairs.iter().find(shares).copied() {
                Some((other, _)) => self.blame(
                    id,
                    Fault::SharedBuffer {
                        results: (other, result),
                    },
                ),
                None => pairs.push((result, operand)),
            }
        }
        pairs
    }

    /// The op writes the buffers its results take: every other value in them is gone.
    fn write(&mut self, id: OpId, o: &Operation, pairs: &[(usize, usize)]) {
        for (result, operand) in pairs {
            let taken = self.of(o.operands[*operand]);
            if let Some(owner) = taken.iter().find_map(|b| self.owners[*b]) {
                self.blame(id, Fault::NotOwned { owner });
            }
            let others = o.operands.iter().enumerate().filter(|(i, _)| i != operand);
            let read = others
                .map(|(_, v)| *v)
                .chain(o.regions.iter().flat_map(|r| self.program.captured(*r)));
            if read.into_iter().any(|v| !self.of(v).is_disjoint(&taken)) {
                self.blame(
                    id,
                    Fault::ReadWhileWriting {
                        reader: o.op.name(),
                    },
                );
            }
            if let (Op::Hlo(hlo::Op::Fusion(_)), Some(body)) = (&o.op, o.regions.first()) {
                self.inside(id, *body, *result, *operand);
            }
            let gone: Vec<ValueId> = self
                .buffers
                .iter()
                .filter(|(v, b)| **v != o.results[*result] && !b.is_disjoint(&taken))
                .map(|(v, _)| *v)
                .collect();
            for v in gone {
                self.stale.entry(v).or_insert(id);
            }
        }
    }

    /// In a fusion, only updates that lead to the result touch the operand, and reads of the very box that an update writes.
    fn inside(&mut self, id: OpId, body: RegionId, result: usize, operand: usize) {
        let program = self.program;
        let (Some(argument), Some(returned)) = (
            program.region(body).arguments.get(operand).copied(),
            program.returned(body).get(result).copied(),
        ) else {
            return;
        };
        let mut chain: Vec<OpId> = vec![];
        let mut v = returned;
        while let ValueDef::Result { op, .. } = program.value(v).def {
            let o = program.op(op);
            let target = match &o.op {
                Op::Hlo(hlo::Op::DynamicUpdateSlice(_) | hlo::Op::Scatter(_)) => {
                    o.operands.first().copied()
                }
                Op::Hlo(_) => None,
            };
            let Some(target) = target else { break };
            chain.push(op);
            v = target;
        }
        if v != argument || chain.is_empty() {
            self.blame(id, Fault::NoUpdate { result, operand });
            return;
        }
        let mut versions: BTreeSet<ValueId> = chain
            .iter()
            .flat_map(|op| program.op(*op).results.clone())
            .collect();
        versions.insert(argument);
        for reader in &program.region(body).ops {
            let o = program.op(*reader);
            let own = usize::from(chain.contains(reader));
            let reads = o.operands[own.min(o.operands.len())..]
                .iter()
                .any(|v| versions.contains(v));
            let returns = o.op.is_return()
                && o.operands
                    .iter()
                    .enumerate()
                    .all(|(i, v)| i == result || !versions.contains(v));
            if reads && !returns && !is_same_box(program, o, &chain) {
                self.blame(
                    id,
                    Fault::ReadWhileWriting {
                        reader: o.op.name(),
                    },
                );
            }
        }
    }
}

/// Whether `o` reads the box that the only update writes: element by element, each is read before it is written.
fn is_same_box(program: &Program, o: &Operation, chain: &[OpId]) -> bool {
    let (Op::Hlo(hlo::Op::DynamicSlice(slice)), [update]) = (&o.op, chain) else {
        return false;
    };
    let update = program.op(*update);
    let size = update
        .operands
        .get(1)
        .and_then(|u| program.ty(*u).as_tensor()?.static_dims());
    let sizes: Vec<u64> = slice
        .slice_sizes
        .iter()
        .filter_map(|n| u64::try_from(*n).ok())
        .collect();
    size == Some(sizes) && update.operands.get(2..) == o.operands.get(1..)
}

#[cfg(test)]
#[path = "alias_tests.rs"]
mod tests;
