//! What the pass knows of each window: its block, how its index moves over the steps, the buffers it needs.

use super::prefetched;
use crate::kernels::emit::{Emitter, ValueMap};
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    tpu::{Kernel, KernelRegion, KernelValue, MemRefType, Role, Window, kernel::walk},
};

/// How the block index of a window moves from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The same at all steps.
    Never,
    /// Another one at each step.
    EveryStep,
    Sometimes,
}

/// A windowed operand and what carries its blocks.
pub struct Pipe<'k> {
    /// Number of the operand, before and after.
    pub operand: usize,
    pub role: Role,
    pub window: &'k Window,
    /// Sizes of the whole operand.
    pub dims: Vec<u64>,
    /// The block as the body sees it.
    pub block_type: MemRefType,
    pub change: Change,
    /// Operands of the new kernel: the VMEM buffer and its semaphores.
    pub buffer: usize,
    pub semaphores: usize,
}

impl Pipe<'_> {
    /// Blocks in VMEM at a time.
    pub fn slots(&self) -> u64 {
        match self.change {
            Change::Never => 1,
            Change::EveryStep | Change::Sometimes => 2,
        }
    }

    /// Sizes of a block.
    pub fn block(&self) -> &[u64] {
        &self.window.block
    }

    /// Whether the size of the last block along a dimension is only known at the step.
    pub fn is_ragged(&self, dimension: usize) -> bool {
        let (size, block) = (self.dims[dimension], self.block()[dimension]);
        size > block && size % block != 0
    }

    /// The size of every block along a dimension that is not ragged.
    pub fn size(&self, dimension: usize) -> u64 {
        self.dims[dimension].min(self.block()[dimension])
    }

    /// The block index at the step with these grid indices.
    pub fn block_index(
        &self,
        kernel: &Kernel,
        e: &mut Emitter,
        grid: &[KernelValue],
    ) -> Vec<KernelValue> {
        let values = grid.iter().copied().chain(prefetched(kernel, e));
        let mut map: ValueMap = self
            .window
            .transform
            .arguments
            .iter()
            .copied()
            .zip(values)
            .collect();
        e.transcribe(kernel, &self.window.transform, &mut map)
    }
}

/// The windowed operands of a kernel.
pub fn pipes(kernel: &Kernel) -> Result<Vec<Pipe<'_>>, Error> {
    let mut out = vec![];
    for (i, operand) in kernel.operands.iter().enumerate() {
        let Some(window) = &operand.window else {
            continue;
        };
        let what = |why: &str| {
            Error::unsupported(format!(
                "S4: {why} of operand {i} of kernel @{}",
                kernel.name
            ))
            .at(&kernel.location)
        };
        let dims = operand
            .buffer
            .static_dims()
            .ok_or_else(|| what("a window over a size known later"))?;
        if operand.buffer.data().is_none() {
            return Err(what("a window of semaphores"));
        }
        let role = match operand.role {
            Role::Input | Role::Output => operand.role,
            Role::Prefetch | Role::Scratch => return Err(what("the window")),
        };
        let block_type = kernel
            .ty(kernel.operand_ref(i))
            .as_memref()
            .ok_or_else(|| what("the reference"))?;
        out.push(Pipe {
            operand: i,
            role,
            window,
            dims,
            block_type: block_type.clone(),
            change: change(kernel, &window.transform),
            buffer: 0,
            semaphores: 0,
        });
    }
    Ok(out)
}

/// Which grid dimensions of more than one step each value of an index map depends on decides how the index moves.
fn change(kernel: &Kernel, transform: &KernelRegion) -> Change {
    let moving: Vec<usize> = (0..kernel.grid.len())
        .filter(|d| kernel.grid[*d].size > 1)
        .collect();
    let mut depends: BTreeMap<KernelValue, Vec<usize>> = BTreeMap::new();
    for d in &moving {
        depends.insert(transform.arguments[*d], vec![*d]);
    }
    let mut all: Vec<&tileproof_dialect::tpu::KernelOperation> = vec![];
    walk(transform, &mut |o| all.push(o));
    // Values of inner regions hang on what goes into the ops around them: with every pass over the list more is known, at most as often as ops nest.
    for _ in 0..=all.len().min(64) {
        let before = depends.clone();
        for o in &all {
            let mut on: Vec<usize> = o
                .operands
                .iter()
                .filter_map(|v| depends.get(v))
                .flatten()
                .copied()
                .collect();
            for r in &o.regions {
                walk(r, &mut |inner| {
                    on.extend(
                        inner
                            .operands
                            .iter()
                            .filter_map(|v| before.get(v))
                            .flatten(),
                    );
                });
                // What is carried into a region comes from the operands.
                for v in &r.arguments {
                    depends.entry(*v).or_default().extend(on.iter().copied());
                }
            }
            on.sort_unstable();
            on.dedup();
            for v in &o.results {
                depends.insert(*v, on.clone());
            }
        }
        depends.values_mut().for_each(|d| {
            d.sort_unstable();
            d.dedup();
        });
        if before == depends {
            break;
        }
    }
    let results = transform.ops.last().map_or(&[][..], |o| &o.operands[..]);
    let none = |v: &KernelValue| depends.get(v).is_none_or(Vec::is_empty);
    let is = |v: &KernelValue, d: usize| *v == transform.arguments[d];
    if results.iter().all(none) {
        Change::Never
    } else if moving.iter().all(|d| results.iter().any(|v| is(v, *d))) {
        Change::EveryStep
    } else {
        Change::Sometimes
    }
}
