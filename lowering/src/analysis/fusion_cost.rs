//! The cost rule of fusion: what a kernel costs, in bytes of HBM traffic.
//!
//! cost = bytes read + bytes written + vector operations / [`OPERATIONS_PER_BYTE`].
//!
//! - Read: every value from outside the kernel once, in whole, but for ops that read a part of it (slice, dynamic_slice, gather: the part).
//! - Written: every value used outside. An update in place writes the update only and does not read its buffer.
//! - Operations: those of each op times the number of elements times how often an element is computed again because it is read at several indices.
//!
//! Kernels are fused when the cost of all of them together goes down. A producer that several kernels compute again is paid for in each.

use super::{
    graph::{Graph, NodeId, ValueId},
    operation_class::{Class, Movement},
};
use std::collections::{BTreeMap, BTreeSet};

/// Vector operations in the time one byte takes to come from HBM. v5e: 8 x 128 lanes at about 1.5 GHz with several slots an instruction against 820 GB/s
/// give 2 to 8; other generations are alike. The rule asks only whether recomputing is cheaper than reading again.
pub const OPERATIONS_PER_BYTE: u64 = 4;

/// What a kernel moves and computes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub operations: u64,
}

impl Cost {
    pub fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }

    /// The one number that is compared.
    pub fn total(&self) -> u64 {
        self.bytes()
            .saturating_add(self.operations / OPERATIONS_PER_BYTE)
    }
}

/// Cost of a kernel of these ops, whose values `written` are used outside.
pub fn cost(graph: &Graph, members: &BTreeSet<NodeId>, written: &BTreeSet<ValueId>) -> Cost {
    let mut out = Cost::default();
    let mut reads: BTreeMap<ValueId, u64> = BTreeMap::new();
    let mut times = BTreeMap::new();
    for node in members.iter().rev() {
        let n = computed_times(graph, members, &times, *node);
        times.insert(*node, n);
        out.operations = out
            .operations
            .saturating_add(operations(graph, *node).saturating_mul(n));
        for (position, v) in graph.nodes[*node].operands.iter().enumerate() {
            let inside = graph.values[*v]
                .definition
                .is_some_and(|d| members.contains(&d));
            if !inside {
                let bytes = read(graph, *node, position, *v);
                let all = reads.entry(*v).or_default();
                *all = all.saturating_add(bytes).min(graph.values[*v].bytes());
            }
        }
    }
    out.bytes_read = reads.values().fold(0u64, |all, n| all.saturating_add(*n));
    for v in written {
        let bytes = match graph.values[*v].definition.map(|d| &graph.nodes[d]) {
            Some(node) if node.class == Class::Update => {
                node.operands.get(1).map_or(0, |u| graph.values[*u].bytes())
            }
            Some(_) | None => graph.values[*v].bytes(),
        };
        out.bytes_written = out.bytes_written.saturating_add(bytes);
    }
    out
}

fn read(graph: &Graph, node: NodeId, position: usize, v: ValueId) -> u64 {
    let n = &graph.nodes[node];
    let all = graph.values[v].bytes();
    match (&n.class, position) {
        (Class::Movement(Movement::Part), 0) => n
            .results
            .iter()
            .map(|r| graph.values[*r].bytes())
            .sum::<u64>()
            .min(all),
        (Class::Update, 0) => 0,
        (
            Class::Source
            | Class::Elementwise { .. }
            | Class::Movement(_)
            | Class::Reduce { .. }
            | Class::Contraction { .. }
            | Class::Update
            | Class::Alone(_),
            _,
        ) => all,
    }
}

/// How often each element of `node` is computed: once for all users at its own index, once more for every user that reads it at others.
fn computed_times(
    graph: &Graph,
    members: &BTreeSet<NodeId>,
    times: &BTreeMap<NodeId, u64>,
    node: NodeId,
) -> u64 {
    let (mut in_place, mut moved) = (0u64, 0u64);
    for user in graph.nodes[node]
        .users
        .iter()
        .filter(|u| members.contains(u))
    {
        let n = times.get(user).copied().unwrap_or(1);
        match graph.nodes[*user].class {
            Class::Movement(_) => moved = moved.saturating_add(n),
            Class::Source
            | Class::Elementwise { .. }
            | Class::Reduce { .. }
            | Class::Contraction { .. }
            | Class::Update
            | Class::Alone(_) => {
                in_place = in_place.max(n);
            }
        }
    }
    in_place.saturating_add(moved).max(1)
}

fn operations(graph: &Graph, node: NodeId) -> u64 {
    let n = &graph.nodes[node];
    let elements = |v: Option<&ValueId>| v.map_or(0, |v| graph.values[*v].elements());
    match &n.class {
        Class::Elementwise { operations } => {
            elements(n.results.first()).saturating_mul(*operations)
        }
        Class::Movement(_) => elements(n.results.first()),
        Class::Reduce { .. } => elements(n.operands.first()),
        Class::Contraction { operations } => *operations / 128,
        Class::Source | Class::Update | Class::Alone(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::graph::{Node, ValueInfo},
        *,
    };

    /// v0 -> add (v1) -> add (v2), all f32[100].
    fn chain() -> Graph {
        let value = |definition| ValueInfo {
            dims: vec![100],
            bits: 32,
            definition,
        };
        let add = |operand, result| Node {
            class: Class::Elementwise { operations: 1 },
            operands: vec![operand],
            results: vec![result],
            users: BTreeSet::new(),
        };
        Graph {
            nodes: vec![add(0, 1), add(1, 2)],
            values: vec![value(None), value(Some(0)), value(Some(1))],
        }
        .connected()
    }

    #[test]
    fn a_fused_producer_saves_a_write_and_a_read() {
        let graph = chain();
        let alone = |n: usize, v: usize| cost(&graph, &BTreeSet::from([n]), &BTreeSet::from([v]));
        assert_eq!(
            alone(0, 1),
            Cost {
                bytes_read: 400,
                bytes_written: 400,
                operations: 100
            }
        );
        let fused = cost(&graph, &BTreeSet::from([0, 1]), &BTreeSet::from([2]));
        assert_eq!(
            fused,
            Cost {
                bytes_read: 400,
                bytes_written: 400,
                operations: 200
            }
        );
        assert_eq!(
            alone(0, 1).bytes() + alone(1, 2).bytes() - fused.bytes(),
            800
        );
    }

    #[test]
    fn an_element_read_at_two_indices_is_computed_twice() {
        let mut graph = chain();
        // Two slices of v1, subtracted.
        let part = |operand, result| Node {
            class: Class::Movement(Movement::Part),
            operands: vec![operand],
            results: vec![result],
            users: BTreeSet::new(),
        };
        graph.nodes.truncate(1);
        graph.values.truncate(2);
        graph.nodes.extend([part(1, 2), part(1, 3)]);
        graph.nodes.push(Node {
            class: Class::Elementwise { operations: 1 },
            operands: vec![2, 3],
            results: vec![4],
            users: BTreeSet::new(),
        });
        graph.values.extend([1, 2, 3].map(|d| ValueInfo {
            dims: vec![99],
            bits: 32,
            definition: Some(d),
        }));
        let graph = graph.connected();
        let all = cost(&graph, &BTreeSet::from([0, 1, 2, 3]), &BTreeSet::from([4]));
        assert_eq!(all.operations, 200 + 99 + 99 + 99);
    }
}
