//! Which ops of a block are fused, decided before anything changes: producers into consumers from the last op to the first, then siblings.
//!
//! A producer is taken into all kernels that use it (and then exists only there, computed again in each), or joins one or several of them as a further
//! output, whichever lowers the cost ([`super::fusion_cost`]) most. Reductions, contractions and updates are never computed twice. Constants and iota
//! are copied into every kernel that uses them. No fusion closes a cycle between kernels.

use super::{
    fusion_cost::cost,
    fusion_kind::{Candidate, Kind, kind},
    graph::{Graph, NodeId, ValueId},
    operation_class::Class,
};
use crate::target::TpuTarget;
use std::collections::{BTreeMap, BTreeSet};

/// Siblings share at least this part of what the smaller one moves.
const SHARED_PART: u64 = 4;

/// Ops that become one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// In program order.
    pub members: Vec<NodeId>,
    /// Members whose results are used outside, in program order.
    pub roots: Vec<NodeId>,
    pub kind: Kind,
}

/// The fusions of a block, in the order of their last ops. Each is legal alone, whatever others are applied.
pub fn plan(graph: &Graph, target: &TpuTarget) -> Vec<Planned> {
    let mut state = State {
        graph,
        target,
        kernels: (0..graph.nodes.len())
            .map(|n| BTreeSet::from([n]))
            .collect(),
        homes: (0..graph.nodes.len())
            .map(|n| BTreeSet::from([n]))
            .collect(),
        ordered: (0..graph.nodes.len())
            .filter(|n| graph.is_ordered(*n))
            .collect(),
    };
    for producer in (0..graph.nodes.len()).rev() {
        state.take_in(producer);
    }
    state.join_siblings();
    state.planned()
}

/// Number of a kernel: that of the op it began as.
type KernelId = usize;

struct State<'a> {
    graph: &'a Graph,
    target: &'a TpuTarget,
    /// Ops of each kernel; none where it was taken into others.
    kernels: Vec<BTreeSet<NodeId>>,
    /// Kernels that compute each op.
    homes: Vec<BTreeSet<KernelId>>,
    /// Ops that keep their order.
    ordered: Vec<NodeId>,
}

/// One way to fuse a producer, and what it saves.
struct Choice {
    saved: u64,
    way: Way,
}

enum Way {
    /// Into each of these kernels, and nowhere else.
    Everywhere(Vec<KernelId>),
    /// One kernel of the producer and these.
    Together(Vec<KernelId>),
}

impl State<'_> {
    fn take_in(&mut self, producer: NodeId) {
        let consumers: BTreeSet<KernelId> = self.graph.nodes[producer]
            .users
            .iter()
            .flat_map(|u| &self.homes[*u])
            .copied()
            .collect();
        if self.graph.is_alone(producer) || consumers.is_empty() {
            return;
        }
        if self.graph.is_source(producer) {
            let copied: Vec<KernelId> = consumers
                .iter()
                .copied()
                .filter(|k| !self.kernels[*k].iter().any(|m| self.graph.is_alone(*m)))
                .collect();
            if copied.len() == consumers.len() {
                self.leave_own(producer);
            }
            for k in copied {
                self.insert(k, producer);
            }
            return;
        }
        let fitting: Vec<KernelId> = consumers
            .iter()
            .copied()
            .filter(|k| self.fits(*k, producer))
            .collect();
        let mut choices = vec![];
        if fitting.len() == consumers.len() && (fitting.len() == 1 || self.may_repeat(producer)) {
            choices.extend(self.everywhere(producer, &fitting));
        }
        if fitting.len() > 1 {
            choices.extend(self.together(producer, fitting.clone()));
        }
        if fitting.len() < consumers.len() || fitting.len() > 1 {
            for k in fitting {
                choices.extend(self.together(producer, vec![k]));
            }
        }
        // The first of the best, so that the order of kernels decides between equals.
        let best = choices.into_iter().rev().max_by_key(|c| c.saved);
        match best.map(|c| c.way) {
            Some(Way::Everywhere(kernels)) => {
                self.leave_own(producer);
                for k in kernels {
                    self.insert(k, producer);
                }
            }
            Some(Way::Together(kernels)) => self.merge(producer, &kernels),
            None => {}
        }
    }

    /// Whether one kernel can compute `producer` and what `kernel` does, in one way or another.
    fn fits(&self, kernel: KernelId, producer: NodeId) -> bool {
        let mut members = self.kernels[kernel].clone();
        let inside = self.written_by(&members, &[kernel]);
        members.insert(producer);
        let also: BTreeSet<ValueId> = inside
            .iter()
            .chain(&self.graph.nodes[producer].results)
            .copied()
            .collect();
        self.kind(&members, &inside).is_some() || self.kind(&members, &also).is_some()
    }

    fn may_repeat(&self, node: NodeId) -> bool {
        match self.graph.nodes[node].class {
            Class::Source | Class::Elementwise { .. } | Class::Movement(_) => true,
            Class::Reduce { .. } | Class::Contraction { .. } | Class::Update | Class::Alone(_) => {
                false
            }
        }
    }

    fn everywhere(&self, producer: NodeId, kernels: &[KernelId]) -> Option<Choice> {
        let before = kernels
            .iter()
            .map(|k| self.total(&self.kernels[*k], &[*k]))
            .sum::<u64>()
            + self.total(&self.kernels[producer], &[producer]);
        let mut after = 0;
        for k in kernels {
            let mut members = self.kernels[*k].clone();
            // What the kernel writes stays the same: the producer is computed wherever it is used.
            let written = self.written_by(&members, &[*k]);
            members.insert(producer);
            self.kind(&members, &written)?;
            after += cost(self.graph, &members, &written).total();
        }
        choice(before, after, Way::Everywhere(kernels.to_vec()))
    }

    fn together(&self, producer: NodeId, kernels: Vec<KernelId>) -> Option<Choice> {
        let all: Vec<KernelId> = kernels.iter().copied().chain([producer]).collect();
        let (saved, _) = self.union(&all)?;
        Some(Choice {
            saved,
            way: Way::Together(kernels),
        })
    }

    /// What one kernel in place of several saves, and its ops; none where no kernel computes them, nothing is saved, or a cycle would close.
    fn union(&self, kernels: &[KernelId]) -> Option<(u64, BTreeSet<NodeId>)> {
        let members: BTreeSet<NodeId> = kernels
            .iter()
            .flat_map(|k| &self.kernels[*k])
            .copied()
            .collect();
        let written = self.written_by(&members, kernels);
        self.kind(&members, &written)?;
        let before = kernels
            .iter()
            .map(|k| self.total(&self.kernels[*k], &[*k]))
            .sum::<u64>();
        let saved = before
            .checked_sub(cost(self.graph, &members, &written).total())
            .filter(|n| *n > 0)?;
        (!self.closes_a_cycle(kernels, &members)).then_some((saved, members))
    }

    fn total(&self, members: &BTreeSet<NodeId>, kernels: &[KernelId]) -> u64 {
        cost(self.graph, members, &self.written_by(members, kernels)).total()
    }

    fn kind(&self, members: &BTreeSet<NodeId>, written: &BTreeSet<ValueId>) -> Option<Kind> {
        let candidate = Candidate {
            graph: self.graph,
            members,
            written,
        };
        kind(&candidate, self.target)
    }

    /// Results of `members`, the ops of `kernels` as one kernel, that other kernels use. All results of an op with one such.
    fn written_by(&self, members: &BTreeSet<NodeId>, kernels: &[KernelId]) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        for m in members {
            if self.graph.is_source(*m) {
                continue;
            }
            let users = &self.graph.nodes[*m].users;
            let elsewhere = |u: &NodeId| {
                self.homes[*u]
                    .iter()
                    .any(|h| !kernels.contains(h) && !self.kernels[*h].contains(m))
            };
            if users.is_empty() || users.iter().any(elsewhere) {
                out.extend(&self.graph.nodes[*m].results);
            }
        }
        out
    }

    /// Whether a value goes out of `kernels` and comes back.
    fn closes_a_cycle(&self, kernels: &[KernelId], members: &BTreeSet<NodeId>) -> bool {
        let mut seen = vec![false; self.kernels.len()];
        let mut stack: Vec<KernelId> = self.next(members, kernels);
        while let Some(k) = stack.pop() {
            if kernels.contains(&k) {
                return true;
            }
            if std::mem::replace(&mut seen[k], true) {
                continue;
            }
            stack.extend(self.next(&self.kernels[k], &[k]));
        }
        false
    }

    /// Kernels that use results of `members` without computing them, or must come after them, other than `own`.
    fn next(&self, members: &BTreeSet<NodeId>, own: &[KernelId]) -> Vec<KernelId> {
        let mut out = vec![];
        for m in members.iter().filter(|m| !self.graph.is_source(**m)) {
            for u in &self.graph.nodes[*m].users {
                out.extend(
                    self.homes[*u]
                        .iter()
                        .copied()
                        .filter(|h| !own.contains(h) && !self.kernels[*h].contains(m)),
                );
            }
            if let Ok(i) = self.ordered.binary_search(m) {
                out.extend(self.ordered.get(i + 1));
            }
        }
        out
    }

    fn insert(&mut self, kernel: KernelId, node: NodeId) {
        self.kernels[kernel].insert(node);
        self.homes[node].insert(kernel);
    }

    fn leave_own(&mut self, node: NodeId) {
        self.kernels[node].clear();
        self.homes[node].remove(&node);
    }

    /// One kernel of `producer`'s own and `others`, under the number of the last.
    fn merge(&mut self, producer: KernelId, others: &[KernelId]) {
        let all: BTreeSet<KernelId> = others.iter().copied().chain([producer]).collect();
        let Some(last) = all.last().copied() else {
            return;
        };
        for k in all {
            if k != last {
                for m in std::mem::take(&mut self.kernels[k]) {
                    self.homes[m].remove(&k);
                    self.insert(last, m);
                }
            }
        }
    }

    /// Kernels that read the same values, neither from the other.
    fn join_siblings(&mut self) {
        let mut users: Vec<Vec<NodeId>> = vec![vec![]; self.graph.values.len()];
        for n in (0..self.graph.nodes.len()).filter(|n| !self.graph.is_alone(*n)) {
            self.graph.nodes[n]
                .operands
                .iter()
                .for_each(|v| users[*v].push(n));
        }
        for (v, users) in users
            .iter()
            .enumerate()
            .filter(|(v, _)| self.graph.values[*v].elements() > 1)
        {
            let readers: BTreeSet<KernelId> = users
                .iter()
                .flat_map(|n| self.homes[*n].clone())
                .filter(|k| self.reads(*k, v))
                .collect();
            let readers: Vec<KernelId> = readers.into_iter().collect();
            for (i, a) in readers.iter().enumerate() {
                for b in &readers[i + 1..] {
                    if self.kernels[*a].is_empty() || self.kernels[*b].is_empty() {
                        continue;
                    }
                    let smaller = self
                        .total(&self.kernels[*a], &[*a])
                        .min(self.total(&self.kernels[*b], &[*b]));
                    if self.graph.values[v].bytes().saturating_mul(SHARED_PART) < smaller {
                        continue;
                    }
                    if self.union(&[*a, *b]).is_some() {
                        self.merge(*a, &[*b]);
                    }
                }
            }
        }
    }

    fn reads(&self, kernel: KernelId, v: ValueId) -> bool {
        self.graph.values[v]
            .definition
            .is_none_or(|d| !self.kernels[kernel].contains(&d) && !self.graph.is_source(d))
    }

    fn planned(&self) -> Vec<Planned> {
        let mut out: BTreeMap<NodeId, Planned> = BTreeMap::new();
        for (k, members) in self.kernels.iter().enumerate() {
            let counted = members
                .iter()
                .filter(|m| !self.graph.is_source(**m))
                .count();
            if counted < 2 {
                continue;
            }
            let written = self.written_by(members, &[k]);
            if let (Some(kind), Some(last)) = (self.kind(members, &written), members.last()) {
                let is_root = |m: &NodeId| {
                    self.graph.nodes[*m]
                        .results
                        .iter()
                        .any(|v| written.contains(v))
                };
                let roots = members.iter().copied().filter(is_root).collect();
                out.insert(
                    *last,
                    Planned {
                        members: members.iter().copied().collect(),
                        roots,
                        kind,
                    },
                );
            }
        }
        out.into_values().collect()
    }
}

fn choice(before: u64, after: u64, way: Way) -> Option<Choice> {
    before
        .checked_sub(after)
        .filter(|saved| *saved > 0)
        .map(|saved| Choice { saved, way })
}
