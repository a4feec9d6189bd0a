//! The canonical form of a kernel: without ops that nobody needs, values numbered in order. Two kernels of one form compute the same.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};
use tileproof_dialect::tpu::{
    Kernel, KernelOperation, KernelRegion, KernelValue, TpuOp, kernel::walk,
};
use xxhash_rust::xxh3::Xxh3;

/// Hash of the canonical form.
pub fn canonical(kernel: &Kernel) -> u128 {
    let mut body = kernel.body.clone();
    sweep(&mut body, &mut HashSet::new());
    let mut h = Xxh3::new();
    (&kernel.stage, &kernel.grid, &kernel.operands.len()).hash(&mut h);
    let mut numbers = HashMap::new();
    hash_region(kernel, &body, &mut numbers, &mut h);
    for o in &kernel.operands {
        (&o.role, &o.buffer, &o.alias, &o.address).hash(&mut h);
        if let Some(w) = &o.window {
            let mut transform = w.transform.clone();
            sweep(&mut transform, &mut HashSet::new());
            w.block.hash(&mut h);
            hash_region(kernel, &transform, &mut HashMap::new(), &mut h);
        }
    }
    h.digest128()
}

/// Whether the op itself does more than give results.
fn acts(op: &TpuOp) -> bool {
    matches!(
        op,
        TpuOp::Store { .. }
            | TpuOp::RegisterStore { .. }
            | TpuOp::ScalarStore
            | TpuOp::EnqueueDma { .. }
            | TpuOp::WaitDma2
            | TpuOp::SemaphoreSignal
            | TpuOp::SemaphoreWait
            | TpuOp::SemaphoreRead
            | TpuOp::While
            | TpuOp::Condition
            | TpuOp::Yield
    )
}

/// Whether the op, or one inside, acts.
fn is_needed(o: &KernelOperation) -> bool {
    let inside = |r: &KernelRegion| {
        let mut found = false;
        walk(r, &mut |o| {
            found |= acts(&o.op) && !matches!(o.op, TpuOp::Yield | TpuOp::Condition)
        });
        found
    };
    acts(&o.op) || o.regions.iter().any(inside)
}

/// Takes out what does not act and gives nothing that is used; adds what the rest uses to `live`.
fn sweep(region: &mut KernelRegion, live: &mut HashSet<KernelValue>) {
    let mut kept = vec![];
    while let Some(mut o) = region.ops.pop() {
        if is_needed(&o) || o.results.iter().any(|v| live.contains(v)) {
            o.regions.iter_mut().rev().for_each(|r| sweep(r, live));
            live.extend(&o.operands);
            kept.push(o);
        }
    }
    kept.reverse();
    region.ops = kept;
}

fn hash_region(
    kernel: &Kernel,
    region: &KernelRegion,
    numbers: &mut HashMap<KernelValue, usize>,
    h: &mut Xxh3,
) {
    let define = |v: KernelValue, numbers: &mut HashMap<KernelValue, usize>, h: &mut Xxh3| {
        numbers.insert(v, numbers.len());
        kernel.ty(v).hash(h);
    };
    region.arguments.len().hash(h);
    for v in &region.arguments {
        define(*v, numbers, h);
    }
    region.ops.len().hash(h);
    for o in &region.ops {
        o.op.hash(h);
        o.operands.len().hash(h);
        for v in &o.operands {
            numbers.get(v).hash(h);
        }
        for r in &o.regions {
            hash_region(kernel, r, numbers, h);
        }
        for v in &o.results {
            define(*v, numbers, h);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{
        builder::Sampler,
        hlo::{kernel_call::KernelCall, negate::Negate},
        op::OpDef,
    };

    #[test]
    fn a_dead_op_changes_nothing_and_a_live_one_does() {
        let program = KernelCall::sample(&mut Sampler::new(1, 5));
        let kernel = Kernel::clone(&program.kernels[0]);
        let is_load = |o: &KernelOperation| matches!(o.op, TpuOp::Load { .. });
        let load = kernel.body.ops.iter().position(is_load).unwrap();
        let mut changed = kernel.clone();
        let mut more = kernel.body.ops[load].clone();
        more.op = TpuOp::Elementwise(Negate.into());
        more.operands = more.results.clone();
        more.results = vec![KernelValue(changed.types.len() as u32)];
        changed.types.push(kernel.ty(more.operands[0]).clone());
        let negated = more.results[0];
        changed.body.ops.insert(load + 1, more);
        assert_eq!(canonical(&kernel), canonical(&changed));
        let add = changed
            .body
            .ops
            .iter_mut()
            .rev()
            .find(|o| matches!(o.op, TpuOp::Elementwise(_)))
            .unwrap();
        add.operands[0] = negated;
        assert_ne!(canonical(&kernel), canonical(&changed));
    }
}
