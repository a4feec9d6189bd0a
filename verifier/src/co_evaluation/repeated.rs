//! Calls of kernels that repeat one validated before: the same kernel for the same ops of the before side, on the same operands of these.
//!
//! At level quick each distinct region is validated once (DESIGN.md section 9): a call is not run again where the before side computes its results, from
//! the contents that the kernel takes, by ops of the structure that the kernel was compared with, the same operands in the same places, integers of the
//! same values, floats finite where they were. Its results are then the before side's.
//!
//! Proves nothing of the data of the second call: a fault that only some floats show may hide there, as the level says.

use super::{Bodies, CoEvaluation, Frame};
use crate::{
    region,
    session::{Assumed, Content},
    validate::Origin,
};
use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};
use tileproof_dialect::{
    eval::Stop,
    location::SourceOp,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
    tensor::Tensor,
};
use xxhash_rust::xxh3::Xxh3;

/// Whether calls that repeat a validated one are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    Run,
    Assumed,
}

/// Most ops of the before side that a call is known by.
const MOST_OPS: usize = 256;

/// How the results of a validated call met the before side's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    BitForBit,
    InTheRing,
}

/// The calls validated so far.
#[derive(Default)]
pub(super) struct Validated {
    /// By [`CoEvaluation::key`] of a result.
    met: HashMap<u128, Met>,
    /// Values of the before side by the source op they stand for.
    by_source: HashMap<RegionId, HashMap<SourceOp, Vec<ValueId>>>,
    /// What the session may take from the comparison once it is accepted.
    pub(super) assumed: Vec<Assumed>,
}

/// The operands of a call.
struct Data {
    contents: Vec<Content>,
    /// Of which are alike, of the integers, and of whether floats are finite.
    hash: u128,
}

impl CoEvaluation<'_, '_, '_> {
    /// The results of a kernel call that repeats a validated one.
    pub(super) fn repeated_call(
        &mut self,
        op: OpId,
        bodies: Bodies,
        frame: &mut Frame,
    ) -> Result<Option<Vec<Content>>, Stop> {
        if self.pair.repeats == Repeats::Run || !self.is_call(op) || self.calls.met.is_empty() {
            return Ok(None);
        }
        let o = self.pair.after.program.op(op);
        let is_open = |v: &ValueId| {
            frame.followed.undecided.contains(v) || frame.followed.pending.contains_key(v)
        };
        if o.operands.iter().any(is_open) {
            return Ok(None);
        }
        let Some(data) = self.data(op, frame)? else {
            return Ok(None);
        };
        let mut out = vec![];
        let mut met = vec![];
        for index in 0..o.results.len() {
            let mut found = None;
            for p in self.candidates(op, bodies) {
                let Some(key) = self.key((op, index), &data, p, bodies, frame) else {
                    continue;
                };
                if let (Some(how), Some(content)) = (self.calls.met.get(&key), frame.before.get(&p))
                {
                    found = Some((*content, *how));
                    break;
                }
            }
            let Some((content, how)) = found else {
                return Ok(None);
            };
            out.push(content);
            met.push(how);
        }
        for how in met {
            match how {
                Met::BitForBit => self.outcome.identical += 1,
                Met::InTheRing => self.outcome.repeated += 1,
            }
        }
        for (v, content) in o.results.iter().zip(&out) {
            frame.followed.after.insert(*v, *content);
            self.share(*v, *content, frame);
        }
        if self.session.bodies() == 1 {
            let key = self
                .session
                .key_of(self.pair.after, op, &frame.followed.after)?;
            self.calls.assumed.push(Assumed::Results {
                key,
                results: out.clone(),
            });
        }
        Ok(Some(out))
    }

    /// Runs what the before side only assumed of the call that `op` stands for: `op` is run, and is compared with what that gives.
    pub(super) fn run_counterpart(
        &mut self,
        op: OpId,
        bodies: Bodies,
        frame: &mut Frame,
    ) -> Result<(), Stop> {
        if !self.is_call(op)
            || self
                .session
                .known(self.pair.after, op, &frame.followed.after)?
                .is_some()
        {
            return Ok(());
        }
        let before = self.pair.before;
        for v in self.candidates(op, bodies) {
            let ValueDef::Result { op, .. } = before.program.value(v).def else {
                continue;
            };
            if before.program.op(op).op.kernel().is_some() {
                self.session.run_assumed(before, op, &mut frame.before)?;
            }
        }
        Ok(())
    }

    /// Notes a call that was run: `raw` is what it gave, the frame has what its results were settled as.
    pub(super) fn validated_call(
        &mut self,
        op: OpId,
        raw: &[Content],
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<(), Stop> {
        if !self.is_call(op) {
            return Ok(());
        }
        let results = &self.pair.after.program.op(op).results;
        let data = match self.pair.repeats {
            Repeats::Assumed => self.data(op, frame)?,
            Repeats::Run => None,
        };
        for (index, (v, raw)) in results.iter().zip(raw).enumerate() {
            let Some(settled) = frame.followed.after.get(v).copied() else {
                continue;
            };
            if !frame.known.contains(&settled) || frame.followed.undecided.contains(v) {
                continue;
            }
            if *raw != settled && self.session.bodies() == 1 {
                self.calls
                    .assumed
                    .push(Assumed::Settled { raw: *raw, settled });
            }
            let Some(data) = &data else { continue };
            if self.says_little(settled)? {
                continue;
            }
            let met = if *raw == settled {
                Met::BitForBit
            } else {
                Met::InTheRing
            };
            let partner = self
                .candidates(op, bodies)
                .into_iter()
                .find(|p| frame.before.get(p) == Some(&settled));
            if let Some(p) = partner
                && let Some(key) = self.key((op, index), data, p, bodies, frame)
            {
                self.calls.met.insert(key, met);
            }
        }
        Ok(())
    }

    fn is_call(&self, op: OpId) -> bool {
        self.pair.origin == Origin::Pass && self.pair.after.program.op(op).op.kernel().is_some()
    }

    /// Before-side values that stand for a source op of `op`, last first.
    pub(super) fn candidates(&mut self, op: OpId, bodies: Bodies) -> Vec<ValueId> {
        let before = self.pair.before.program;
        let index = self
            .calls
            .by_source
            .entry(bodies.before)
            .or_insert_with(|| by_source(before, bodies.before));
        let mut seen = HashSet::new();
        let sources = &self.pair.after.program.op(op).location.sources;
        let mut all: Vec<ValueId> = sources
            .iter()
            .filter_map(|s| index.get(s))
            .flatten()
            .copied()
            .filter(|v| seen.insert(*v))
            .collect();
        all.sort_by_key(|v| std::cmp::Reverse(v.0));
        all
    }

    /// What the operands of a call are like. None: one is missing.
    fn data(&self, op: OpId, frame: &Frame) -> Result<Option<Data>, Stop> {
        let operands = &self.pair.after.program.op(op).operands;
        let contents: Option<Vec<Content>> = operands
            .iter()
            .map(|v| frame.followed.after.get(v).copied())
            .collect();
        let Some(contents) = contents else {
            return Ok(None);
        };
        let mut h = Xxh3::new();
        for c in &contents {
            contents.iter().position(|have| have == c).hash(&mut h);
            match self.session.value(*c)?.as_tensor() {
                Some(t) if t.element().is_float() => is_finite(t).hash(&mut h),
                Some(_) | None => c.hash(&mut h),
            }
        }
        Ok(Some(Data {
            hash: h.digest128(),
            contents,
        }))
    }

    /// What a validation of result `index` of the call holds for: the kernel, the ops that compute `partner` from the kernel's operands, which of them
    /// each takes, and what the data is like. None: `partner` hangs on more than the operands.
    fn key(
        &self,
        (op, index): (OpId, usize),
        data: &Data,
        partner: ValueId,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<u128> {
        let (before, after) = (self.pair.before, self.pair.after);
        let place = |c: &Content| data.contents.iter().position(|have| have == c);
        let result = *after.program.op(op).results.get(index)?;
        if !after
            .program
            .ty(result)
            .compatible(before.program.ty(partner))
        {
            return None;
        }
        let side = region::collect(before, bodies.before, partner, |x| {
            frame.before.get(&x).is_some_and(|c| place(c).is_some())
        });
        if side.ops.len() > MOST_OPS || side.ops.is_empty() {
            return None;
        }
        let mut h = Xxh3::new();
        (after.op_hash(op), index, data.hash).hash(&mut h);
        region::structure(before, &side).hash(&mut h);
        for leaf in region::leaves(before, &side) {
            let content = frame.before.get(&leaf)?;
            match place(content) {
                Some(at) => (0u8, at).hash(&mut h),
                None if self.pair.before.is_constant(leaf) => (1u8, content).hash(&mut h),
                None => return None,
            }
        }
        Some(h.digest128())
    }

    /// Whether other values may have this content by chance: all its elements are alike.
    fn says_little(&self, content: Content) -> Result<bool, Stop> {
        let value = self.session.value(content)?;
        Ok(value.as_tensor().is_none_or(|t| {
            let bytes = t.ieee().bytes();
            let size = t.element().storage_bytes().max(1);
            bytes.chunks(size).all(|c| c == &bytes[..size])
        }))
    }
}

fn by_source(program: &Program, region: RegionId) -> HashMap<SourceOp, Vec<ValueId>> {
    let mut out: HashMap<SourceOp, Vec<ValueId>> = HashMap::new();
    for op in &program.region(region).ops {
        let o = program.op(*op);
        for source in &o.location.sources {
            let all = out.entry(*source).or_default();
            all.extend(&o.results);
        }
    }
    out
}

fn is_finite(t: &Tensor) -> bool {
    t.to_f32s().iter().all(|x| x.is_finite())
}
