//! What every op of a running kernel may use: planes, events, validity, counters, and the place to report hazards.

use super::{
    plan::Plan,
    shadow::{Shadow, Tag, link},
};
use std::{collections::HashMap, mem::discriminant};
use tileproof_dialect::{
    eval::Events,
    location::Location,
    planes::Planes,
    tpu::hazard::{Hazard, HazardKind, Use},
};

/// What a kernel did, for `--stats`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Grid steps.
    pub steps: u64,
    /// Bytes that copies and windows moved between HBM and the core.
    pub bytes_moved: u64,
    /// Floating-point operations of matrix products: two a product of elements.
    pub matrix_operations: u64,
    /// Ops on vector registers of 1024 elements.
    pub vector_ops: u64,
    /// End of the last buffer in VMEM; of all buffers together where none has an address.
    pub vmem_bytes: u64,
}

/// Shared state of a run.
pub struct Context<'a> {
    pub plan: &'a Plan,
    pub planes: Planes,
    pub events: &'a mut Events,
    pub shadow: Shadow,
    pub counters: Counters,
    pub hazards: Hazards,
    /// Grid step, one index a dimension.
    pub step: Vec<u64>,
}

/// Hazards found so far, merged by op and kind.
#[derive(Debug, Default)]
pub struct Hazards {
    pub found: Vec<Hazard>,
    index: HashMap<(u32, std::mem::Discriminant<HazardKind>, u64), usize>,
}

/// Number that stands for the end of the kernel in place of an op.
pub const AT_END: u32 = u32::MAX;

impl Context<'_> {
    /// Reports a hazard at op number `op`; `detail` tells hazards of one kind at one op apart.
    pub fn report(&mut self, op: u32, detail: u64, kind: HazardKind, count: u64) {
        let key = (op, discriminant(&kind), detail);
        if let Some(at) = self.hazards.index.get(&key) {
            self.hazards.found[*at].count += count;
            return;
        }
        self.hazards.index.insert(key, self.hazards.found.len());
        let (name, location) = self.op(op);
        self.hazards.found.push(Hazard {
            kernel: self.plan.kernel.name.clone(),
            kind,
            op: name,
            location,
            step: if op == AT_END {
                vec![]
            } else {
                self.step.clone()
            },
            count,
        });
    }

    /// Name and place of an op.
    pub fn op(&self, number: u32) -> (&'static str, Location) {
        match self.plan.ops.get(number as usize) {
            Some((name, location)) => (name, location.clone()),
            None => ("kernel", self.plan.kernel.location.clone()),
        }
    }

    /// Reports that op number `op` uses an element with `tag`, if that is not 0.
    pub fn use_of(&mut self, op: u32, tag: Tag, used_as: Use, count: u64) {
        if tag == 0 {
            return;
        }
        if let Some(terms) = &mut self.shadow.terms {
            terms.decide_one(tag);
            return;
        }
        let (origin, ops) = self.shadow.story(tag);
        let Some(origin) = origin else { return };
        let chain = ops
            .iter()
            .map(|op| {
                let (name, location) = self.op(*op);
                link(name, &location)
            })
            .collect();
        let detail = u64::from(tag);
        self.report(
            op,
            detail,
            HazardKind::InvalidUse {
                used_as,
                origin,
                chain,
            },
            count,
        );
    }
}
