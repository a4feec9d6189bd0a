//! The grid of a kernel: which axes are divided, into blocks of how many units.
//!
//! Blocks of operands and results are halved until each fits `block_bytes`. Axes that no folding op folds run in any order; those that are folded run
//! last, in order, and their ops accumulate in scratch. An axis stays whole where an op needs all of it, where a value made of a folded axis has it
//! again (softmax), and where a block would not be whole tiles.

use super::{
    axes::{Axes, Axis, lcm},
    computation::Computation,
    indices,
};
use crate::settings::Settings;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tileproof_dialect::{
    error::Error,
    program::ValueId,
    tpu::Semantics,
    types::{ElementType, TensorType},
};

/// One dimension of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridAxis {
    pub axis: Axis,
    /// Units of a block.
    pub block: u64,
    pub steps: u64,
    pub semantics: Semantics,
    /// Whether the last block goes beyond the end.
    pub ragged: Ragged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ragged {
    Even,
    Ragged,
}

/// The grid, and how the values lie in it.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// In grid order: first those that run in any order.
    pub grid: Vec<GridAxis>,
    /// Inputs that are scalars in SMEM.
    pub prefetch: Vec<ValueId>,
    /// Inputs in VMEM, or in HBM.
    pub inputs: Vec<ValueId>,
    /// Inputs that stay in HBM: too large for VMEM, and read in boxes.
    pub far: Vec<ValueId>,
    /// Numbers of ops that fold a divided axis.
    pub accumulating: BTreeSet<usize>,
    /// Values that are complete only at the last step of the folded axes.
    pub late: BTreeSet<ValueId>,
}

/// The sizes under which a kernel sees a tensor: at least two.
pub fn kernel_dims(dims: &[u64]) -> Vec<u64> {
    let mut out = vec![1; 2usize.saturating_sub(dims.len())];
    out.extend(dims);
    out
}

/// Leading dimensions that [`kernel_dims`] adds.
pub fn lead(rank: usize) -> usize {
    2usize.saturating_sub(rank)
}

impl Plan {
    pub fn new(
        computation: &Computation<'_>,
        axes: &Axes,
        settings: &Settings,
    ) -> Result<Plan, Error> {
        let mut plan = Plan::default();
        for v in &computation.inputs {
            if is_prefetched(computation, *v)? {
                plan.prefetch.push(*v);
            } else {
                plan.inputs.push(*v);
                let bytes = padded_bytes(
                    &kernel_dims(&computation.dims(*v)?),
                    &computation.element(*v)?,
                    settings,
                );
                if bytes > settings.target.vmem_bytes / FAR_PART
                    && indices::is_read_in_boxes(computation, *v)
                {
                    plan.far.push(*v);
                }
            }
        }
        let mut search = Search {
            computation,
            axes,
            settings,
            windows: vec![],
            least: BTreeMap::new(),
            blocks: BTreeMap::new(),
            folded: axes
                .folds()
                .filter_map(|op| axes.folded_by(op))
                .flatten()
                .collect(),
        };
        let near = plan.inputs.iter().filter(|v| !plan.far.contains(v));
        search.collect(&near.copied().collect::<Vec<_>>())?;
        search.halve();
        let blocks = search.blocks;
        let folded = search.folded;
        let grid_axis = |(axis, block): (&Axis, &u64)| {
            let units = axes.units(*axis);
            GridAxis {
                axis: *axis,
                block: *block,
                steps: units.div_ceil(*block),
                semantics: if folded.contains(axis) {
                    Semantics::Arbitrary
                } else {
                    Semantics::Parallel
                },
                ragged: if units.is_multiple_of(*block) {
                    Ragged::Even
                } else {
                    Ragged::Ragged
                },
            }
        };
        plan.grid = blocks
            .iter()
            .filter(|(axis, block)| **block < axes.units(**axis))
            .map(grid_axis)
            .collect();
        plan.order(computation, axes);
        plan.find_late(computation, axes);
        Ok(plan)
    }

    /// First the axes that run in any order, in the order of the dimensions of the results; then the folded ones.
    fn order(&mut self, computation: &Computation<'_>, axes: &Axes) {
        let mut places: HashMap<Axis, usize> = HashMap::new();
        for v in computation.results.iter().chain(&computation.inputs) {
            let rank = computation.dims(*v).map_or(0, |d| d.len());
            for d in 0..rank {
                if let Some((axis, _)) = axes.axis(*v, d) {
                    let next = places.len();
                    places.entry(axis).or_insert(next);
                }
            }
        }
        let place = |g: &GridAxis| places.get(&g.axis).copied().unwrap_or(usize::MAX);
        self.grid
            .sort_by_key(|g| (g.semantics == Semantics::Arbitrary, place(g)));
    }

    fn find_late(&mut self, computation: &Computation<'_>, axes: &Axes) {
        let divided: BTreeSet<Axis> = self
            .grid
            .iter()
            .filter(|g| g.semantics == Semantics::Arbitrary)
            .map(|g| g.axis)
            .collect();
        for (i, id) in computation.ops.iter().enumerate() {
            let accumulates = axes
                .folded_by(i)
                .is_some_and(|folded| !folded.is_disjoint(&divided));
            if accumulates {
                self.accumulating.insert(i);
            }
            let operands = computation.operands(*id);
            if accumulates || operands.iter().any(|v| self.late.contains(v)) {
                self.late.extend(&computation.program.op(*id).results);
            }
        }
    }

    /// The place in the grid of an axis that is divided.
    pub fn place(&self, axis: Axis) -> Option<(usize, GridAxis)> {
        let i = self.grid.iter().position(|g| g.axis == axis)?;
        Some((i, self.grid[i]))
    }

    /// Place in the grid and elements of a block, of a divided dimension.
    pub fn divided(&self, axes: &Axes, v: ValueId, d: usize) -> Option<(usize, u64)> {
        let (axis, scale) = axes.axis(v, d)?;
        let (place, grid) = self.place(axis)?;
        Some((place, grid.block * scale))
    }

    /// Sizes of the block of `v` that a grid step sees, as the kernel sees it.
    pub fn block_dims(
        &self,
        computation: &Computation<'_>,
        axes: &Axes,
        v: ValueId,
    ) -> Result<Vec<u64>, Error> {
        let dims = computation.dims(v)?;
        let block: Vec<u64> = dims
            .iter()
            .enumerate()
            .map(|(d, size)| self.divided(axes, v, d).map_or(*size, |(_, block)| block))
            .collect();
        Ok(kernel_dims(&block))
    }
}

/// Scalars of 32 bits that come from outside live in SMEM.
fn is_prefetched(computation: &Computation<'_>, v: ValueId) -> Result<bool, Error> {
    let word = matches!(
        computation.element(v)?,
        ElementType::F32 | ElementType::I32 | ElementType::U32
    );
    let is_result = computation.results.contains(&v);
    let is_scalar = computation.dims(v)?.is_empty();
    Ok(word && !is_result && (is_scalar || is_short(computation, v)?))
}

/// Part of VMEM that an operand takes at most before it stays in HBM.
const FAR_PART: u64 = 8;

/// An index tensor that fits SMEM beside others.
fn is_short(computation: &Computation<'_>, v: ValueId) -> Result<bool, Error> {
    let elements: u64 = computation.dims(v)?.iter().product();
    Ok(elements <= SMEM_ELEMENTS && indices::is_index_tensor(computation, v))
}

/// A fourth of the smallest SMEM.
const SMEM_ELEMENTS: u64 = (1 << 20) / 4 / 4;

struct Search<'a> {
    computation: &'a Computation<'a>,
    axes: &'a Axes,
    settings: &'a Settings,
    /// Values that move between HBM and VMEM.
    windows: Vec<ValueId>,
    /// Units that a block of each dividable axis is a multiple of.
    least: BTreeMap<Axis, u64>,
    /// Units of a block; not there: whole.
    blocks: BTreeMap<Axis, u64>,
    /// Axes that some op folds.
    folded: BTreeSet<Axis>,
}

impl Search<'_> {
    fn collect(&mut self, inputs: &[ValueId]) -> Result<(), Error> {
        for v in inputs.iter().chain(&self.computation.results) {
            if !self.windows.contains(v) {
                self.windows.push(*v);
            }
        }
        let mut whole = self.axes.whole();
        whole.extend(self.seen_again());
        // All folding ops fold the same axes, or none of those that are divided.
        let folds: Vec<BTreeSet<Axis>> = self
            .axes
            .folds()
            .filter_map(|op| self.axes.folded_by(op))
            .collect();
        for a in &self.folded {
            let with_a = |f: &&BTreeSet<Axis>| f.contains(a);
            let others: BTreeSet<&BTreeSet<Axis>> = folds.iter().filter(with_a).collect();
            if others.len() > 1 {
                whole.insert(*a);
            }
        }
        for v in &self.windows {
            let dims = self.computation.dims(*v)?;
            let rank = dims.len();
            let element = self.computation.element(*v)?;
            for d in 0..rank {
                let Some((axis, scale)) = self.axes.axis(*v, d) else {
                    continue;
                };
                if whole.contains(&axis) || self.axes.units(axis) <= 1 {
                    continue;
                }
                let align = match rank - d {
                    1 => self.settings.target.lanes,
                    2 => self.settings.target.sublanes * self.settings.target.packing(&element),
                    _ => 1,
                };
                let least = lcm(align, scale) / scale;
                let known = self.least.entry(axis).or_insert(1);
                *known = lcm(*known, least);
            }
        }
        Ok(())
    }

    /// Axes that a value has which is made of what was folded along them, or which lies beside another folded axis only in part.
    fn seen_again(&self) -> BTreeSet<Axis> {
        let mut out = BTreeSet::new();
        let mut folded: HashMap<ValueId, BTreeSet<Axis>> = HashMap::new();
        for (i, id) in self.computation.ops.iter().enumerate() {
            let mut above: BTreeSet<Axis> = BTreeSet::new();
            for v in self.computation.operands(*id) {
                above.extend(folded.get(&v).into_iter().flatten());
            }
            above.extend(self.axes.folded_by(i).into_iter().flatten());
            for v in &self.computation.program.op(*id).results {
                out.extend(self.axes.all_of(*v).intersection(&above));
                folded.insert(*v, above.clone());
            }
        }
        out
    }

    fn halve(&mut self) {
        loop {
            let sizes = self.windows.iter().map(|v| (self.bytes(*v), *v));
            let mut over: Vec<(u64, ValueId)> = sizes
                .filter(|(b, _)| *b > self.settings.block_bytes)
                .collect();
            over.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
            let Some(axis) = over.iter().find_map(|(_, v)| self.divide(*v)) else {
                return;
            };
            let units = self.axes.units(axis);
            let block = self.blocks.get(&axis).copied().unwrap_or(units);
            let least = self.least[&axis];
            self.blocks
                .insert(axis, block.div_ceil(2).next_multiple_of(least).min(units));
        }
    }

    /// The axis of `v` to halve: a leading dimension if there is one, else that with the most tiles.
    fn divide(&self, v: ValueId) -> Option<Axis> {
        let rank = self.computation.dims(v).ok()?.len();
        let mut best: Option<((bool, u64), Axis)> = None;
        for d in 0..rank {
            let Some((axis, _)) = self.axes.axis(v, d) else {
                continue;
            };
            let Some(least) = self.least.get(&axis).copied() else {
                continue;
            };
            let block = self
                .blocks
                .get(&axis)
                .copied()
                .unwrap_or(self.axes.units(axis));
            let halved = block.div_ceil(2).next_multiple_of(least);
            if halved >= block {
                continue;
            }
            let worth = (rank - d > 2 && least == 1, block / least);
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, axis));
            }
        }
        best.map(|(_, axis)| axis)
    }

    fn bytes(&self, v: ValueId) -> u64 {
        let (Ok(dims), Ok(element)) = (self.computation.dims(v), self.computation.element(v))
        else {
            return 0;
        };
        let block: Vec<u64> = dims
            .iter()
            .enumerate()
            .map(|(d, size)| match self.axes.axis(v, d) {
                Some((axis, scale)) => self.blocks.get(&axis).map_or(*size, |b| b * scale),
                None => *size,
            })
            .collect();
        padded_bytes(&kernel_dims(&block), &element, self.settings)
    }
}

/// Bytes in VMEM of a block, whole tiles.
pub fn padded_bytes(dims: &[u64], element: &ElementType, settings: &Settings) -> u64 {
    let ty = TensorType::new(dims.iter().copied(), element.clone());
    let order: Vec<u64> = (0..dims.len() as u64).rev().collect();
    let tile = settings
        .target
        .layout(&ty, &order)
        .and_then(|l| l.tiles.first().cloned())
        .unwrap_or_default();
    let first = dims.len().saturating_sub(tile.len());
    let elements = dims.iter().enumerate().fold(1u64, |n, (d, size)| {
        let unit = d.checked_sub(first).and_then(|i| tile.get(i)).copied();
        n.saturating_mul(size.next_multiple_of(unit.unwrap_or(1).max(1)))
    });
    let bits = match element {
        ElementType::I1 => 8,
        other => u64::from(other.bits()),
    };
    elements.saturating_mul(bits).div_ceil(8)
}
