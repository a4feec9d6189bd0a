//! `allocation-overlap`: two buffers that are needed at one time lie at the same address.

use super::{Change, KernelMutator};
use std::collections::HashMap;
use tileproof_dialect::tpu::{Kernel, KernelValue};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "allocation-overlap",
    summary: "a buffer begins at the address of another that is needed at the same time",
    faults: &["f71"],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, seed: u64) -> Option<()> {
    let mine = &kernel.operands[i];
    let address = mine.address?;
    let named = named(kernel);
    let (first, last) = (*named[i].first()?, *named[i].last()?);
    // Buffers of which one is named between two uses of the other: one after the other they may share bytes.
    let meets = |k: usize| named[k].iter().any(|at| (first..=last).contains(at));
    let others: Vec<u64> = (kernel.operands.iter().enumerate())
        .filter(|(k, o)| o.buffer.space == mine.buffer.space && meets(*k))
        .filter_map(|(_, o)| o.address.filter(|a| *a != address))
        .collect();
    let other = *others.get(seed as usize % others.len().max(1))?;
    kernel.operands[i].address = Some(other);
    Some(())
}

/// Of each operand, the ops that name it or a part of it, by their number in textual order.
fn named(kernel: &Kernel) -> Vec<Vec<usize>> {
    let n = kernel.operands.len();
    let mut parts: HashMap<KernelValue, usize> =
        (0..n).map(|k| (kernel.operand_ref(k), k)).collect();
    let mut out = vec![vec![]; n];
    let mut at = 0;
    kernel.walk(&mut |o| {
        for v in &o.operands {
            if let Some(k) = parts.get(v).copied() {
                out[k].push(at);
                let references = o.results.iter().filter(|r| kernel.ty(**r).as_memref().is_some());
                parts.extend(references.map(|r| (*r, k)));
            }
        }
        at += 1;
    });
    out
}
