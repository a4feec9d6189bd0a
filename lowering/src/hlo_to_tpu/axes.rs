//! Which dimensions of the values of a kernel go together: the axes that a grid may divide.
//!
//! Every dimension of every value is a node. An op joins dimensions that run alike (also with a factor: dimension A of [A, B] and dimension A*B of a
//! reshape), and marks those that it needs in whole. A class of joined nodes is an *axis* of so many units; a dimension of it has `scale` elements a unit.

use super::computation::Computation;
use std::collections::{BTreeSet, HashMap};
use tileproof_dialect::{error::Error, program::ValueId};

/// Number of a class of dimensions.
pub type Axis = usize;

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: usize,
    /// Elements of this node for one of the parent.
    scale: u64,
    /// Elements; of a root, units.
    size: u64,
}

/// All dimensions of the values of one computation.
#[derive(Debug, Default)]
pub struct Axes {
    nodes: Vec<Node>,
    of: HashMap<ValueId, Vec<usize>>,
    whole: Vec<usize>,
    /// Dimensions that an op folds: number of the op, and one node a folded dimension.
    folded: Vec<(usize, Vec<usize>)>,
}

impl Axes {
    /// Every dimension alone.
    pub fn new(computation: &Computation<'_>) -> Result<Axes, Error> {
        let mut axes = Axes::default();
        let inner = computation
            .ops
            .iter()
            .flat_map(|id| &computation.program.op(*id).results);
        for v in computation.inputs.iter().chain(inner) {
            let nodes = computation
                .dims(*v)?
                .into_iter()
                .map(|size| axes.node(size))
                .collect();
            axes.of.insert(*v, nodes);
        }
        Ok(axes)
    }

    fn node(&mut self, size: u64) -> usize {
        let parent = self.nodes.len();
        self.nodes.push(Node {
            parent,
            scale: 1,
            size,
        });
        parent
    }

    fn root(&self, mut node: usize) -> (usize, u64) {
        let mut scale = 1;
        while self.nodes[node].parent != node {
            scale *= self.nodes[node].scale;
            node = self.nodes[node].parent;
        }
        (node, scale)
    }

    fn of(&self, v: ValueId, d: usize) -> Option<usize> {
        self.of.get(&v)?.get(d).copied()
    }

    /// Dimension `a` and dimension `b`, which has `ratio` elements for one of `a`.
    pub fn join_scaled(&mut self, a: (ValueId, usize), b: (ValueId, usize), ratio: u64) {
        let (Some(a), Some(b)) = (self.of(a.0, a.1), self.of(b.0, b.1)) else {
            return;
        };
        let ((ra, sa), (rb, sb)) = (self.root(a), self.root(b));
        if ra == rb {
            if sa * ratio != sb {
                self.whole.push(a);
            }
            return;
        }
        let common = lcm(sa * ratio, sb);
        let (ka, kb) = (common / (sa * ratio), common / sb);
        let units = self.nodes[ra].size / ka.max(1);
        if units * ka != self.nodes[ra].size || units * kb != self.nodes[rb].size {
            self.whole.extend([a, b]);
            return;
        }
        let root = self.node(units);
        (self.nodes[ra].parent, self.nodes[ra].scale) = (root, ka);
        (self.nodes[rb].parent, self.nodes[rb].scale) = (root, kb);
    }

    /// Two dimensions of one size that run alike.
    pub fn join(&mut self, a: (ValueId, usize), b: (ValueId, usize)) {
        self.join_scaled(a, b, 1);
    }

    /// All dimensions of two values of one shape.
    pub fn join_all(&mut self, a: ValueId, b: ValueId) {
        let rank = self.of.get(&a).map_or(0, Vec::len);
        if self.of.get(&b).map_or(0, Vec::len) == rank {
            (0..rank).for_each(|d| self.join((a, d), (b, d)));
        }
    }

    /// The op needs all of dimension `d`.
    pub fn keep_whole(&mut self, v: ValueId, d: usize) {
        self.whole.extend(self.of(v, d));
    }

    pub fn keep_all_whole(&mut self, v: ValueId) {
        let nodes = self.of.get(&v).cloned().unwrap_or_default();
        self.whole.extend(nodes);
    }

    /// Op number `op` folds dimensions of `v` away and can do so part by part.
    pub fn fold(&mut self, op: usize, v: ValueId, dimensions: &[usize]) {
        let nodes = dimensions.iter().filter_map(|d| self.of(v, *d)).collect();
        self.folded.push((op, nodes));
    }

    /// The axis of a dimension and its elements for one unit.
    pub fn axis(&self, v: ValueId, d: usize) -> Option<(Axis, u64)> {
        self.of(v, d).map(|n| self.root(n))
    }

    pub fn units(&self, axis: Axis) -> u64 {
        self.nodes[axis].size
    }

    /// Axes that some op needs in whole.
    pub fn whole(&self) -> BTreeSet<Axis> {
        self.whole.iter().map(|n| self.root(*n).0).collect()
    }

    /// Axes that op number `op` folds; none when it folds none.
    pub fn folded_by(&self, op: usize) -> Option<BTreeSet<Axis>> {
        let mut all = self.folded.iter().filter(|(o, _)| *o == op).peekable();
        all.peek()?;
        Some(
            all.flat_map(|(_, nodes)| nodes.iter().map(|n| self.root(*n).0))
                .collect(),
        )
    }

    /// Ops that fold dimensions.
    pub fn folds(&self) -> impl Iterator<Item = usize> {
        self.folded.iter().map(|(op, _)| *op)
    }

    /// Axes of the dimensions of `v`.
    pub fn all_of(&self, v: ValueId) -> BTreeSet<Axis> {
        let nodes = self.of.get(&v).map_or(&[][..], Vec::as_slice);
        nodes.iter().map(|n| self.root(*n).0).collect()
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub fn lcm(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        1
    } else {
        (a / gcd(a, b)).saturating_mul(b)
    }
}

/// Splits two shapes of as many elements into the smallest groups of dimensions with equal products, in order: ranges of both.
pub fn groups(a: &[u64], b: &[u64]) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut out = vec![];
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (start_a, start_b) = (i, j);
        let (mut x, mut y) = (1u64, 1u64);
        if i < a.len() {
            x = a[i];
            i += 1;
        }
        if j < b.len() {
            y = b[j];
            j += 1;
        }
        while x != y {
            if x < y && i < a.len() {
                x = x.saturating_mul(a[i]);
                i += 1;
            } else if y < x && j < b.len() {
                y = y.saturating_mul(b[j]);
                j += 1;
            } else if i < a.len() {
                x = x.saturating_mul(a[i]);
                i += 1;
            } else if j < b.len() {
                y = y.saturating_mul(b[j]);
                j += 1;
            } else {
                break;
            }
        }
        out.push((start_a..i, start_b..j));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_split_where_products_meet() {
        assert_eq!(
            groups(&[2, 3, 4], &[6, 4]),
            vec![(0..2, 0..1), (2..3, 1..2)]
        );
        assert_eq!(
            groups(&[5], &[5, 1, 1]),
            vec![(0..1, 0..1), (1..1, 1..2), (1..1, 2..3)]
        );
        assert_eq!(groups(&[6, 4], &[4, 6]), vec![(0..2, 0..2)]);
    }
}
