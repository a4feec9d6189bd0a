//! Long elementwise stretches become loops over strips of their block, so that the registers of a large block need not be written out one by one.
//!
//! A stretch is a run of ops of one region that load blocks of one size, act on each element, and store them. It is cut along the first dimension that
//! has more than one strip: one step of an outer dimension, else 32 rows (whole registers of every packing). It stays as it is where a block is used
//! behind it, or where what it loads may be what it stored elsewhere.

use super::registers::Shape;
use crate::kernels::{
    emit::{Emitter, ValueMap, renamed},
    live_range::origins,
};
use std::collections::{BTreeMap, BTreeSet};
use tileproof_dialect::tpu::{
    Kernel, KernelBuilder, KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp,
};

/// Ops in registers from which on a stretch becomes a loop.
const LONG: usize = 2048;
/// Rows of a strip.
const ROWS: u64 = 32;

/// The kernel with its long stretches as loops.
pub fn strips(kernel: &Kernel) -> Kernel {
    let builder = KernelBuilder::new(
        &kernel.name,
        kernel.stage,
        vec![],
        kernel.operands.clone(),
        kernel.location.clone(),
    );
    let mut strips = Strips {
        old: kernel,
        e: Emitter::new(builder),
        map: ValueMap::new(),
        origins: origins(kernel),
        uses: BTreeMap::new(),
    };
    kernel.walk(&mut |o| {
        for v in &o.operands {
            *strips.uses.entry(*v).or_insert(0) += 1;
        }
    });
    for i in 0..kernel.operands.len() {
        let new = strips.e.b.operand_ref(i);
        strips.map.insert(kernel.operand_ref(i), new);
    }
    strips.ops(&kernel.body.ops);
    strips.e.b.finish()
}

struct Strips<'k> {
    old: &'k Kernel,
    e: Emitter,
    map: ValueMap,
    origins: BTreeMap<KernelValue, BTreeSet<usize>>,
    /// Number of uses of each value.
    uses: BTreeMap<KernelValue, usize>,
}

/// What an op is for a stretch.
enum Part {
    /// On blocks of these sizes.
    Block(Vec<u64>),
    /// Of scalars and references only: goes before the loop.
    Scalar,
    /// Ends it.
    Other,
}

impl Strips<'_> {
    fn ops(&mut self, ops: &[KernelOperation]) {
        let mut at = 0;
        while at < ops.len() {
            let (length, dims) = self.stretch(&ops[at..]);
            if let Some(dims) = dims
                && self.is_long(&ops[at..at + length], &dims)
                && let Some((dimension, size)) = cut(&dims)
                && self.is_closed(&ops[at..at + length])
            {
                self.make_loop(&ops[at..at + length], &dims, dimension, size);
                at += length;
                continue;
            }
            let end = at + length.max(1);
            for op in &ops[at..end] {
                self.one(op);
            }
            at = end;
        }
    }

    /// One op as it is, with what is inside.
    fn one(&mut self, op: &KernelOperation) {
        if matches!(op.op, TpuOp::Yield | TpuOp::Condition) {
            return;
        }
        if op.regions.is_empty() || matches!(op.op, TpuOp::Implements { .. }) {
            self.e.transcribe_op(self.old, op, &mut self.map);
            return;
        }
        let mut regions = vec![];
        for region in &op.regions {
            regions.push(self.region(region));
        }
        self.e.b.location = op.location.clone();
        let types: Vec<KernelType> = op.results.iter().map(|v| self.old.ty(*v).clone()).collect();
        let operands = renamed(&op.operands, &self.map);
        let results = self.e.b.op(op.op.clone(), &operands, &types, regions);
        self.map.extend(op.results.iter().copied().zip(results));
    }

    fn region(&mut self, region: &KernelRegion) -> KernelRegion {
        let types: Vec<KernelType> = region
            .arguments
            .iter()
            .map(|v| self.old.ty(*v).clone())
            .collect();
        let arguments = self.e.b.begin_region(&types);
        self.map
            .extend(region.arguments.iter().copied().zip(arguments));
        self.ops(&region.ops);
        let Some(end) = region.ops.last() else {
            return self.e.b.end_region(&[]);
        };
        let ends = renamed(&end.operands, &self.map);
        if matches!(end.op, TpuOp::Condition) {
            self.e.b.end_with_condition(&ends)
        } else {
            self.e.b.end_region(&ends)
        }
    }

    /// The longest stretch at the start: number of ops, and the sizes of its blocks.
    fn stretch(&self, ops: &[KernelOperation]) -> (usize, Option<Vec<u64>>) {
        let mut dims: Option<Vec<u64>> = None;
        for (i, op) in ops.iter().enumerate() {
            match self.part(op) {
                Part::Scalar => {}
                Part::Other => return (i, dims),
                Part::Block(of) => {
                    if *dims.get_or_insert(of.clone()) != of {
                        return (i, dims);
                    }
                }
            }
        }
        (ops.len(), dims)
    }

    fn part(&self, op: &KernelOperation) -> Part {
        let block = |v: &KernelValue| match self.old.ty(*v) {
            KernelType::Vector { dims, .. } => Some(dims.clone()),
            KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => None,
        };
        let all: Vec<Vec<u64>> = op
            .operands
            .iter()
            .chain(&op.results)
            .filter_map(block)
            .collect();
        let one_size = all.windows(2).all(|pair| pair[0] == pair[1]);
        match (&op.op, all.first()) {
            (
                TpuOp::Elementwise(_)
                | TpuOp::Implements { .. }
                | TpuOp::Broadcast
                | TpuOp::Load { strides: None, .. }
                | TpuOp::Store { strides: None, .. },
                Some(dims),
            ) if one_size => Part::Block(dims.clone()),
            (TpuOp::Constant(literal), Some(dims)) if literal.splat_value().is_some() => {
                Part::Block(dims.clone())
            }
            (
                TpuOp::Constant(_)
                | TpuOp::Elementwise(_)
                | TpuOp::IndexCast
                | TpuOp::ScalarLoad
                | TpuOp::MemRefSlice { .. }
                | TpuOp::MemRefSqueeze,
                None,
            ) => Part::Scalar,
            (_, _) => Part::Other,
        }
    }

    fn is_long(&self, ops: &[KernelOperation], dims: &[u64]) -> bool {
        let blocks = ops
            .iter()
            .filter(|o| matches!(self.part(o), Part::Block(_)))
            .count();
        blocks * Shape::natural(dims).count(1) >= LONG
    }

    /// Whether no block is seen outside, and each buffer that is stored is loaded at the same place only.
    fn is_closed(&self, ops: &[KernelOperation]) -> bool {
        let mut inside: BTreeMap<KernelValue, usize> = BTreeMap::new();
        for v in ops.iter().flat_map(|o| &o.operands) {
            *inside.entry(*v).or_insert(0) += 1;
        }
        let is_block = |v: &KernelValue| matches!(self.old.ty(*v), KernelType::Vector { .. });
        let made: BTreeSet<KernelValue> = ops.iter().flat_map(|o| &o.results).copied().collect();
        let stays = made
            .iter()
            .filter(|v| is_block(v))
            .all(|v| inside.get(v) == self.uses.get(v));
        let comes = inside
            .keys()
            .filter(|v| is_block(v))
            .all(|v| made.contains(v));
        // Reference and indices of loads and stores.
        let mut loads = vec![];
        let mut stores = vec![];
        for o in ops {
            if matches!(o.op, TpuOp::Load { .. }) {
                loads.push(&o.operands[..]);
            } else if matches!(o.op, TpuOp::Store { .. }) {
                stores.push(&o.operands[1..]);
            }
        }
        let apart = |a: &[KernelValue], b: &[KernelValue]| {
            let n = self.old.ty(a[0]).as_memref().map_or(0, |m| m.dims.len());
            let m = self.old.ty(b[0]).as_memref().map_or(0, |m| m.dims.len());
            let same_place = a[..=n] == b[..=m];
            let none = BTreeSet::new();
            let (x, y) = (
                self.origins.get(&a[0]).unwrap_or(&none),
                self.origins.get(&b[0]).unwrap_or(&none),
            );
            same_place || (!x.is_empty() && !y.is_empty() && x.is_disjoint(y))
        };
        let ordered = stores.iter().enumerate().all(|(i, s)| {
            loads.iter().all(|l| apart(s, l)) && stores[..i].iter().all(|t| apart(s, t))
        });
        stays && comes && ordered && !stores.is_empty()
    }

    fn make_loop(&mut self, ops: &[KernelOperation], dims: &[u64], dimension: usize, size: u64) {
        for op in ops {
            if matches!(self.part(op), Part::Scalar) {
                self.e.transcribe_op(self.old, op, &mut self.map);
            }
        }
        let mut strip = dims.to_vec();
        strip[dimension] = size;
        let count = dims[dimension] / size;
        let mut map = self.map.clone();
        let parts: Vec<bool> = ops
            .iter()
            .map(|o| matches!(self.part(o), Part::Block(_)))
            .collect();
        let old = self.old;
        self.e.repeat(0, count as i64, &[], |e, step, _| {
            let by = e.int(size as i64);
            let first = e.multiply(step, by);
            let first = e.index(first);
            for (op, _) in ops.iter().zip(parts).filter(|(_, is_block)| *is_block) {
                on_strip(old, op, (dims, &strip), (dimension, first), e, &mut map);
            }
            vec![]
        });
    }
}

/// The dimension to cut and the size of a strip; none where there is one strip only.
fn cut(dims: &[u64]) -> Option<(usize, u64)> {
    let n = dims.len();
    let outer = (0..n.saturating_sub(2)).find(|d| dims[*d] > 1);
    match outer {
        Some(d) => Some((d, 1)),
        None => {
            let rows = n.checked_sub(2)?;
            (dims[rows] > ROWS && dims[rows].is_multiple_of(ROWS)).then_some((rows, ROWS))
        }
    }
}

/// One op of a stretch on a strip of its block, whose first index along `dimension` is `first`.
fn on_strip(
    old: &Kernel,
    op: &KernelOperation,
    (dims, strip): (&[u64], &[u64]),
    (dimension, first): (usize, KernelValue),
    e: &mut Emitter,
    map: &mut ValueMap,
) {
    let smaller = |ty: &KernelType| match ty {
        KernelType::Vector { dims: of, element } if of == dims => {
            KernelType::vector(strip, element.clone())
        }
        other => other.clone(),
    };
    e.b.location = op.location.clone();
    let types: Vec<KernelType> = op.results.iter().map(|v| smaller(old.ty(*v))).collect();
    let mut operands = renamed(&op.operands, map);
    // Where the indices of a load or store begin.
    let from = if matches!(op.op, TpuOp::Load { .. }) {
        1
    } else if matches!(op.op, TpuOp::Store { .. }) {
        2
    } else {
        0
    };
    if from > 0 {
        operands[from + dimension] = e.add_indices(operands[from + dimension], first);
    }
    let what = match &op.op {
        TpuOp::Constant(literal) => match literal.splat_value() {
            Some(value) => TpuOp::Constant(tileproof_dialect::literal::Literal::from_tensor(
                &value.strided(strip, 0, &vec![0; strip.len()]),
            )),
            None => op.op.clone(),
        },
        other => other.clone(),
    };
    let regions = op
        .regions
        .iter()
        .map(|r| inner(old, r, (dims, strip), e, map))
        .collect();
    let results = e.b.op(what, &operands, &types, regions);
    map.extend(op.results.iter().copied().zip(results));
}

/// The region of an `Implements` on a strip.
fn inner(
    old: &Kernel,
    region: &KernelRegion,
    (dims, strip): (&[u64], &[u64]),
    e: &mut Emitter,
    map: &mut ValueMap,
) -> KernelRegion {
    let types: Vec<KernelType> = region
        .arguments
        .iter()
        .map(|v| match old.ty(*v) {
            KernelType::Vector { dims: of, element } if of == dims => {
                KernelType::vector(strip, element.clone())
            }
            other => other.clone(),
        })
        .collect();
    let arguments = e.b.begin_region(&types);
    map.extend(region.arguments.iter().copied().zip(arguments));
    let Some((end, ops)) = region.ops.split_last() else {
        return e.b.end_region(&[]);
    };
    for op in ops {
        // No op inside touches memory: the place of the strip is not asked for.
        on_strip(old, op, (dims, strip), (0, KernelValue(0)), e, map);
    }
    e.b.end_region(&renamed(&end.operands, map))
}
