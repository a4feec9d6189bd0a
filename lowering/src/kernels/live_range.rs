//! When the buffers of a kernel are needed, in ops of its body from 0; an op with regions counts as one.

use std::collections::{BTreeMap, BTreeSet};
use tileproof_dialect::tpu::{
    Kernel, KernelOperation, KernelValue, TpuOp,
    kernel::{Role, walk},
};

/// From op to op, both included. `from > to`: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveRange {
    pub from: usize,
    pub to: usize,
}

impl LiveRange {
    /// Never needed.
    pub const EMPTY: LiveRange = LiveRange { from: 1, to: 0 };

    /// The whole body.
    pub fn all(kernel: &Kernel) -> LiveRange {
        LiveRange {
            from: 0,
            to: kernel.body.ops.len(),
        }
    }

    /// Whether some op needs both.
    pub fn meets(&self, other: &LiveRange) -> bool {
        self.from <= self.to
            && other.from <= other.to
            && self.from <= other.to
            && other.from <= self.to
    }

    fn with(self, at: usize) -> LiveRange {
        LiveRange {
            from: self.from.min(at),
            to: self.to.max(at),
        }
    }
}

/// The range of each operand that the body touches, directly or through references derived from it, or that a copy may still be touching: until the
/// last wait on the semaphore the copy counts on, else to the end.
pub fn live_ranges(kernel: &Kernel) -> Vec<Option<LiveRange>> {
    let origins = origins(kernel);
    let mut ranges: Vec<Option<LiveRange>> = vec![None; kernel.operands.len()];
    let mut touch = |operands: &BTreeSet<usize>, at: usize| {
        for o in operands {
            let range = ranges[*o].get_or_insert(LiveRange { from: at, to: at });
            *range = range.with(at);
        }
    };
    // Per semaphore operand: buffers of copies that count on it, and the last wait.
    let mut counted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut waited: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, top) in kernel.body.ops.iter().enumerate() {
        each(top, &mut |op| {
            let mut touched = BTreeSet::new();
            for v in &op.operands {
                touched.extend(origins.get(v).into_iter().flatten().copied());
            }
            touch(&touched, at);
            let semaphores = touched
                .iter()
                .copied()
                .filter(|o| kernel.operands[*o].buffer.data().is_none());
            let starts = matches!(op.op, TpuOp::EnqueueDma { .. });
            let waits = matches!(op.op, TpuOp::WaitDma2 | TpuOp::SemaphoreWait);
            for s in semaphores {
                if starts {
                    counted.entry(s).or_default().extend(&touched);
                } else if waits {
                    waited.insert(s, at);
                }
            }
        });
    }
    for (semaphore, buffers) in &counted {
        let until = waited.get(semaphore).copied();
        touch(buffers, until.unwrap_or(kernel.body.ops.len()));
    }
    ranges
}

fn each<'k>(op: &'k KernelOperation, visit: &mut impl FnMut(&'k KernelOperation)) {
    visit(op);
    for r in &op.regions {
        walk(r, visit);
    }
}

/// Of every reference: the operands it may lie in.
pub fn origins(kernel: &Kernel) -> BTreeMap<KernelValue, BTreeSet<usize>> {
    let mut out: BTreeMap<KernelValue, BTreeSet<usize>> = BTreeMap::new();
    for (i, operand) in kernel.operands.iter().enumerate() {
        // An output that takes an input's buffer is that buffer.
        let mut at = BTreeSet::from([i]);
        if operand.role == Role::Output {
            at.extend(operand.alias.map(|a| a as usize));
        }
        out.insert(kernel.operand_ref(i), at);
    }
    let is_reference = |v: &KernelValue| kernel.ty(*v).as_memref().is_some();
    kernel.walk(&mut |op| {
        let mut from: BTreeSet<usize> = BTreeSet::new();
        for v in &op.operands {
            from.extend(out.get(v).into_iter().flatten().copied());
        }
        let inner = op.regions.iter().flat_map(|r| &r.arguments);
        for v in op.results.iter().chain(inner).filter(|v| is_reference(v)) {
            out.entry(*v).or_default().extend(&from);
        }
        // A reference chosen in a branch comes from anywhere the branch can see.
        if op.results.iter().any(is_reference) {
            for r in &op.regions {
                walk(r, &mut |o| {
                    for v in &o.operands {
                        from.extend(out.get(v).into_iter().flatten().copied());
                    }
                });
            }
            for v in op.results.iter().filter(|v| is_reference(v)) {
                out.entry(*v).or_default().extend(&from);
            }
        }
    });
    out
}
