//! Which sets of ops one kernel can compute, and of what kind that kernel is.
//!
//! - `kLoop`: one pass over the elements of the roots, which all have one shape. Everything else is computed where it is read.
//! - `kInput`: reductions over the same dimensions of one shape, with what makes their inputs and what is made of their results alone.
//! - `kCustom`: the same, and results of reductions are broadcast back over what was reduced (softmax, normalization): whole rows must fit VMEM.
//! - `kOutput`: a dot or a convolution with elementwise ops on its result.
//! - in place: `kLoop` over the updates of dynamic_update_slice ops whose results take their operands' buffers.

use super::{
    graph::{Graph, NodeId, ValueId},
    operation_class::{Class, Movement, elements},
};
use crate::target::TpuTarget;
use std::collections::{BTreeMap, BTreeSet};

/// Most ops of one kernel.
pub const MOST_OPS: usize = 96;
/// Most operands and results of one kernel: each needs a window in VMEM.
pub const MOST_BUFFERS: usize = 32;
/// Share of VMEM that the windows of a row kernel may take, so that they can be double-buffered.
const VMEM_SHARE: u64 = 2;

/// How a group of ops is fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Loop,
    Input,
    Rows,
    Output,
    InPlace,
}

/// What a kernel of ops is, without looking at its cost.
pub struct Candidate<'a> {
    pub graph: &'a Graph,
    pub members: &'a BTreeSet<NodeId>,
    /// Values used outside.
    pub written: &'a BTreeSet<ValueId>,
}

/// The kind of kernel that computes `candidate`; none where no kernel does.
pub fn kind(candidate: &Candidate<'_>, target: &TpuTarget) -> Option<Kind> {
    let graph = candidate.graph;
    let members = candidate.members;
    if members.len() > MOST_OPS || members.iter().any(|m| graph.is_alone(*m)) {
        return None;
    }
    if candidate.external().len() + candidate.written.len() > MOST_BUFFERS {
        return None;
    }
    let count = |fits: fn(&Class) -> bool| {
        members
            .iter()
            .filter(|m| fits(&graph.nodes[**m].class))
            .count()
    };
    let contractions = count(|c| matches!(c, Class::Contraction { .. }));
    let reductions = count(|c| matches!(c, Class::Reduce { .. }));
    let updates = count(|c| matches!(c, Class::Update));
    match (contractions, reductions, updates) {
        (0, 0, 0) => candidate.one_shape().then_some(Kind::Loop),
        (1, 0, 0) => candidate.is_epilogue().then_some(Kind::Output),
        (0, _, 0) => candidate.rows(target),
        (0, 0, _) => candidate.is_in_place().then_some(Kind::InPlace),
        (_, _, _) => None,
    }
}

/// How a value of a kernel with reductions lies in the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    /// Computed from outside values alone, at any index.
    Free,
    /// One element for each element of the reduced shape.
    Full,
    /// Made of results of reductions: each dimension is one of the reduced shape (`None`: size 1).
    Kept(Vec<Option<usize>>),
}

impl Candidate<'_> {
    /// Values from outside.
    pub fn external(&self) -> BTreeSet<ValueId> {
        let operands = self
            .members
            .iter()
            .flat_map(|m| &self.graph.nodes[*m].operands);
        operands.copied().filter(|v| !self.is_inside(*v)).collect()
    }

    fn is_inside(&self, v: ValueId) -> bool {
        self.graph.values[v]
            .definition
            .is_some_and(|d| self.members.contains(&d))
    }

    fn class(&self, node: NodeId) -> &Class {
        &self.graph.nodes[node].class
    }

    fn written_dims(&self) -> impl Iterator<Item = &[u64]> {
        self.written
            .iter()
            .map(|v| self.graph.values[*v].dims.as_slice())
    }

    fn one_shape(&self) -> bool {
        let mut all = self.written_dims();
        let first = all.next();
        all.all(|d| Some(d) == first)
    }

    /// The op feeds no other op of the kernel.
    fn is_last(&self, node: NodeId) -> bool {
        self.graph.nodes[node]
            .users
            .iter()
            .all(|u| !self.members.contains(u))
    }

    /// One contraction that reads outside values (or constants, or values widened on the way) and elementwise ops on its result, in
    /// its own shape or another that keeps the rows.
    fn is_epilogue(&self) -> bool {
        let Some(hero) = self
            .members
            .iter()
            .copied()
            .find(|m| matches!(self.class(*m), Class::Contraction { .. }))
        else {
            return false;
        };
        let dims = self.graph.dims(hero);
        let mut depends = BTreeSet::from([hero]);
        let mut feeds: BTreeSet<NodeId> = BTreeSet::new();
        for m in self.members.iter().rev() {
            if *m == hero || self.graph.nodes[*m].users.iter().any(|u| feeds.contains(u)) {
                feeds.insert(*m);
            }
        }
        for m in self.members {
            let node = &self.graph.nodes[*m];
            let defined = |v: &ValueId| self.graph.values[*v].definition;
            if node
                .operands
                .iter()
                .filter_map(defined)
                .any(|d| depends.contains(&d))
            {
                depends.insert(*m);
                let in_order = matches!(
                    node.class,
                    Class::Elementwise { .. } | Class::Movement(Movement::Reshape)
                );
                if !in_order || !keeps_rows(dims, self.graph.dims(*m)) {
                    return false;
                }
            }
        }
        let widened = |m: &NodeId| self.is_source_or_widening(*m);
        feeds.iter().filter(|m| **m != hero).all(widened)
            && self.written.iter().all(|v| {
                self.graph.values[*v]
                    .definition
                    .is_some_and(|d| depends.contains(&d))
            })
    }

    /// A constant, or an elementwise op that reads fewer bytes than it makes.
    fn is_source_or_widening(&self, m: NodeId) -> bool {
        let node = &self.graph.nodes[m];
        let bytes = |v: &ValueId| self.graph.values[*v].bytes();
        match &node.class {
            Class::Source => true,
            Class::Elementwise { operations: 1 } => {
                matches!((node.operands.as_slice(), node.results.as_slice()), ([x], [y]) if bytes(x) < bytes(y))
            }
            Class::Elementwise { .. }
            | Class::Movement(_)
            | Class::Reduce { .. }
            | Class::Contraction { .. }
            | Class::Update
            | Class::Alone(_) => false,
        }
    }

    /// Every update is a root of its own buffer, or feeds the next update of a chain; nothing in the kernel reads a buffer.
    fn is_in_place(&self) -> bool {
        let updates: Vec<NodeId> = self
            .members
            .iter()
            .copied()
            .filter(|m| *self.class(*m) == Class::Update)
            .collect();
        let buffer = |u: NodeId| self.graph.nodes[u].operands.first().copied();
        let size = |u: NodeId| {
            self.graph.nodes[u]
                .operands
                .get(1)
                .map(|v| self.graph.values[*v].dims.clone())
        };
        let mut buffers = BTreeSet::new();
        for u in &updates {
            let Some(b) = buffer(*u) else { return false };
            if !buffers.insert(b) || size(*u) != size(updates[0]) {
                return false;
            }
            let result = self.graph.nodes[*u].results[0];
            let goes_on = |user: &NodeId| updates.contains(user) && buffer(*user) == Some(result);
            let users = &self.graph.nodes[*u].users;
            let is_root = self.is_last(*u) && self.written.contains(&result);
            let is_link =
                users.len() == 1 && users.iter().all(goes_on) && !self.written.contains(&result);
            if !is_root && !is_link {
                return false;
            }
            // The buffer is made outside, or by the update before.
            if self.is_inside(b)
                && !updates
                    .iter()
                    .any(|other| self.graph.nodes[*other].results.contains(&b))
            {
                return false;
            }
        }
        let written_by_updates = self.written.iter().all(|v| {
            self.graph.values[*v]
                .definition
                .is_some_and(|d| updates.contains(&d))
        });
        let reads_buffer = self.members.iter().any(|m| {
            let operands = &self.graph.nodes[*m].operands;
            let others = if updates.contains(m) {
                &operands[1..]
            } else {
                &operands[..]
            };
            others.iter().any(|v| buffers.contains(v))
        });
        written_by_updates && !reads_buffer
    }

    /// `kInput` or `kCustom`: all reductions fold the same dimensions of one shape, and every value has its place in the rows.
    fn rows(&self, target: &TpuTarget) -> Option<Kind> {
        let mut shape: Option<(&[u64], &[usize])> = None;
        for m in self.members {
            if let Class::Reduce { dimensions } = self.class(*m) {
                let input = *self.graph.nodes[*m].operands.first()?;
                let own = (
                    self.graph.values[input].dims.as_slice(),
                    dimensions.as_slice(),
                );
                if *shape.get_or_insert(own) != own {
                    return None;
                }
            }
        }
        let (full, folded) = shape?;
        let mut rows: BTreeMap<ValueId, Row> = BTreeMap::new();
        let mut goes_back = false;
        for m in self.members {
            let (row, back) = self.row(*m, full, folded, &rows)?;
            goes_back |= back;
            for v in &self.graph.nodes[*m].results {
                rows.insert(*v, row.clone());
            }
        }
        let has_place = |v: &ValueId| match rows.get(v) {
            Some(Row::Kept(_) | Row::Full) => true,
            Some(Row::Free) => self.graph.values[*v].dims == full,
            None => false,
        };
        if !self.written.iter().all(has_place) {
            return None;
        }
        if !goes_back {
            return Some(Kind::Input);
        }
        let windows = self
            .external()
            .iter()
            .chain(self.written)
            .filter(|v| self.graph.values[**v].dims == full)
            .count() as u64;
        let alive = windows + 2;
        (row_bytes(full, folded, target).saturating_mul(alive) <= target.vmem_bytes / VMEM_SHARE)
            .then_some(Kind::Rows)
    }

    /// Place of the results of `m` in the rows, and whether it broadcasts results of reductions back.
    fn row(
        &self,
        m: NodeId,
        full: &[u64],
        folded: &[usize],
        rows: &BTreeMap<ValueId, Row>,
    ) -> Option<(Row, bool)> {
        let node = &self.graph.nodes[m];
        let of = |v: &ValueId| rows.get(v).cloned().unwrap_or(Row::Free);
        let is_free = |v: &ValueId| of(v) == Row::Free;
        match &node.class {
            Class::Source => Some((Row::Free, false)),
            Class::Elementwise { .. } => {
                let mut out = Row::Free;
                for v in &node.operands {
                    match (of(v), &out) {
                        (Row::Free, _) => {}
                        (row, Row::Free) => out = row,
                        (row, known) if row == *known => {}
                        (_, _) => return None,
                    }
                }
                // A scalar that a reduction made, in an op on whole tensors, is a broadcast.
                let scalar = node
                    .operands
                    .iter()
                    .any(|v| !is_free(v) && self.graph.values[*v].dims != self.graph.dims(m));
                (!scalar).then_some((out, false))
            }
            Class::Reduce { dimensions } => {
                let (inputs, inits) = node.operands.split_at(node.operands.len() / 2);
                let fits = |v: &ValueId| matches!(of(v), Row::Free | Row::Full);
                if !inputs.iter().all(fits) || !inits.iter().all(is_free) {
                    return None;
                }
                let kept = (0..full.len()).filter(|d| !dimensions.contains(d));
                Some((
                    Row::Kept(kept.map(|d| (full[d] != 1).then_some(d)).collect()),
                    false,
                ))
            }
            Class::Movement(_) if node.operands.iter().all(is_free) => Some((Row::Free, false)),
            Class::Movement(Movement::Reshape) => {
                // Dimensions of size 1 may come and go.
                let Row::Kept(axes) = of(node.operands.first()?) else {
                    return None;
                };
                let mut real = axes.iter().flatten().copied();
                let mut out = vec![];
                for size in self.graph.dims(m) {
                    let axis = if *size == 1 { None } else { Some(real.next()?) };
                    if axis.is_some_and(|a| full[a] != *size) {
                        return None;
                    }
                    out.push(axis);
                }
                real.next().is_none().then_some((Row::Kept(out), false))
            }
            Class::Movement(Movement::Broadcast { dimensions }) => {
                let Row::Kept(axes) = of(node.operands.first()?) else {
                    return None;
                };
                let dims = self.graph.dims(m);
                // Back over the rows, each kept dimension to its own place; or new dimensions of size 1.
                let back = dims == full
                    && axes
                        .iter()
                        .zip(dimensions)
                        .all(|(axis, d)| axis.is_none_or(|a| a == *d));
                let spread_only_over_folded = (0..full.len()).all(|d| {
                    let covered = axes
                        .iter()
                        .zip(dimensions)
                        .any(|(axis, to)| axis.is_some() && *to == d);
                    covered || folded.contains(&d) || full[d] == 1
                });
                if back && spread_only_over_folded && axes.len() == dimensions.len() {
                    let is_back = folded.iter().any(|d| full[*d] != 1);
                    return Some((Row::Full, is_back));
                }
                let mut out = vec![None; dims.len()];
                for (axis, d) in axes.iter().zip(dimensions) {
                    *out.get_mut(*d)? = *axis;
                }
                let only_ones = dims
                    .iter()
                    .zip(&out)
                    .all(|(size, axis)| axis.map_or(*size == 1, |a| full[a] == *size));
                only_ones.then_some((Row::Kept(out), false))
            }
            Class::Movement(_) | Class::Contraction { .. } | Class::Update | Class::Alone(_) => {
                None
            }
        }
    }
}

/// Whether both shapes are the same rows, perhaps counted by other dimensions.
fn keeps_rows(a: &[u64], b: &[u64]) -> bool {
    a == b || (a.last().is_some() && a.last() == b.last() && elements(a) == elements(b))
}

/// Bytes in VMEM of the smallest window that holds whole rows: folded dimensions in full, one tile of the others, 32 bits an element.
fn row_bytes(full: &[u64], folded: &[usize], target: &TpuTarget) -> u64 {
    let rank = full.len();
    full.iter().enumerate().fold(4u64, |bytes, (d, size)| {
        let tile = match rank - d {
            1 => target.lanes,
            2 => target.sublanes,
            _ => 1,
        };
        let extent = if folded.contains(&d) {
            size.next_multiple_of(tile)
        } else {
            tile
        };
        bytes.saturating_mul(extent.max(1))
    })
}
