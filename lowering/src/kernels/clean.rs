//! Tidies a kernel that a pass made: ops without effect and use go, equal constants become one at the start of the body, values are numbered in the
//! order in which a builder makes them. Changes no value.

use super::emit::{ValueMap, renamed};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tileproof_dialect::{
    literal::Literal,
    tpu::{Kernel, KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp, kernel::walk},
};

/// The kernel without dead ops, with its constants first, numbered anew.
pub fn clean(mut kernel: Kernel) -> Kernel {
    let mut live = BTreeSet::new();
    sweep(&mut kernel.body, &mut live);
    hoist_constants(&mut kernel);
    share(
        &mut kernel.body,
        &kernel.types,
        &mut HashMap::new(),
        &mut ValueMap::new(),
    );
    let mut live = BTreeSet::new();
    sweep(&mut kernel.body, &mut live);
    kernel.renumbered()
}

/// Removes what is neither live nor has effects; adds what the rest uses to `live`.
fn sweep(region: &mut KernelRegion, live: &mut BTreeSet<KernelValue>) {
    let mut kept = vec![];
    while let Some(mut op) = region.ops.pop() {
        if has_effects(&op) || op.results.iter().any(|v| live.contains(v)) {
            op.regions.iter_mut().for_each(|r| sweep(r, live));
            live.extend(op.operands.iter().copied());
            kept.push(op);
        }
    }
    kept.reverse();
    region.ops = kept;
}

/// Whether an op, or one inside, does more than give results.
fn has_effects(op: &KernelOperation) -> bool {
    let inside = |r: &KernelRegion| {
        let mut found = false;
        walk(r, &mut |o| {
            found |= writes(&o.op) && !matches!(o.op, TpuOp::Yield | TpuOp::Condition)
        });
        found
    };
    writes(&op.op) || op.regions.iter().any(inside)
}

/// Whether the op itself writes, waits, counts, may not end, or ends a region.
fn writes(op: &TpuOp) -> bool {
    match op {
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
        | TpuOp::Yield => true,
        TpuOp::Constant(_)
        | TpuOp::Elementwise(_)
        | TpuOp::IndexCast
        | TpuOp::Broadcast
        | TpuOp::ShapeCast
        | TpuOp::Transpose { .. }
        | TpuOp::MultiReduction { .. }
        | TpuOp::ExtractStridedSlice { .. }
        | TpuOp::InsertStridedSlice { .. }
        | TpuOp::Extract { .. }
        | TpuOp::Concatenate { .. }
        | TpuOp::Iota { .. }
        | TpuOp::Rotate { .. }
        | TpuOp::DynamicRotate { .. }
        | TpuOp::Repeat { .. }
        | TpuOp::DynamicGather { .. }
        | TpuOp::Reverse { .. }
        | TpuOp::Matmul { .. }
        | TpuOp::AllReduce { .. }
        | TpuOp::CreateMask
        | TpuOp::Load { .. }
        | TpuOp::RegisterLoad { .. }
        | TpuOp::PackSubelements
        | TpuOp::UnpackSubelements { .. }
        | TpuOp::RollVectors
        | TpuOp::UnrollVectors
        | TpuOp::ScalarLoad
        | TpuOp::MemRefSlice { .. }
        | TpuOp::MemRefSqueeze
        | TpuOp::MemRefReshape
        | TpuOp::MemRefBitcast
        | TpuOp::BarrierSemaphore
        | TpuOp::For
        | TpuOp::If
        | TpuOp::Implements { .. } => false,
    }
}

/// Every constant outside `Implements` regions moves to the start of the body, once.
fn hoist_constants(kernel: &mut Kernel) {
    let mut found: BTreeMap<KernelValue, KernelValue> = BTreeMap::new();
    let mut first: Vec<KernelOperation> = vec![];
    let mut body = std::mem::take(&mut kernel.body);
    let types = std::mem::take(&mut kernel.types);
    let mut seen: HashMap<(Literal, KernelType), KernelValue> = HashMap::new();
    take_constants(&mut body, &types, &mut first, &mut seen, &mut found);
    rename(&mut body, &found);
    first.append(&mut body.ops);
    body.ops = first;
    (kernel.body, kernel.types) = (body, types);
}

fn take_constants(
    region: &mut KernelRegion,
    types: &[KernelType],
    first: &mut Vec<KernelOperation>,
    seen: &mut HashMap<(Literal, KernelType), KernelValue>,
    found: &mut BTreeMap<KernelValue, KernelValue>,
) {
    for mut op in std::mem::take(&mut region.ops) {
        if let (TpuOp::Constant(literal), [result]) = (&op.op, &op.results[..]) {
            let key = (literal.clone(), types[result.index()].clone());
            let known = *seen.entry(key).or_insert(*result);
            if known == *result {
                first.push(op);
            } else {
                found.insert(*result, known);
            }
            continue;
        }
        if !matches!(op.op, TpuOp::Implements { .. }) {
            for r in &mut op.regions {
                take_constants(r, types, first, seen, found);
            }
        }
        region.ops.push(op);
    }
}

fn rename(region: &mut KernelRegion, names: &ValueMap) {
    for op in &mut region.ops {
        op.operands = renamed(&op.operands, names);
        op.regions.iter_mut().for_each(|r| rename(r, names));
    }
}

/// One op instead of two of the same operands, where neither reads memory; an op may be used inside regions that come later in its own.
fn share<'t>(
    region: &mut KernelRegion,
    types: &'t [KernelType],
    known: &mut HashMap<Computed<'t>, Vec<KernelValue>>,
    names: &mut ValueMap,
) {
    let mut here = vec![];
    for op in &mut region.ops {
        op.operands = renamed(&op.operands, names);
        if op.regions.is_empty() && !writes(&op.op) && !reads_memory(&op.op) {
            let results = op.results.iter().map(|v| &types[v.index()]).collect();
            let key = (op.op.clone(), op.operands.clone(), results);
            match known.get(&key) {
                Some(same) => {
                    names.extend(op.results.iter().copied().zip(same.iter().copied()));
                }
                None => {
                    known.insert(key.clone(), op.results.clone());
                    here.push(key);
                }
            }
        }
        if !matches!(op.op, TpuOp::Implements { .. }) {
            for r in &mut op.regions {
                share(r, types, known, names);
            }
        }
    }
    for key in here {
        known.remove(&key);
    }
}

/// Op, operands, types of the results.
type Computed<'t> = (TpuOp, Vec<KernelValue>, Vec<&'t KernelType>);

fn reads_memory(op: &TpuOp) -> bool {
    matches!(
        op,
        TpuOp::Load { .. } | TpuOp::RegisterLoad { .. } | TpuOp::ScalarLoad
    )
}
