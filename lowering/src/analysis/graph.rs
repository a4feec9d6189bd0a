//! The dataflow of one block as plain numbers: what fusion decides on.

use super::operation_class::{Alone, Class, elements};
use std::collections::BTreeSet;

/// Number of an op in its block, in program order.
pub type NodeId = usize;
/// Number of a value that an op of the block makes or uses.
pub type ValueId = usize;

/// Ops of one block; the terminator is the last.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub values: Vec<ValueInfo>,
}

#[derive(Debug)]
pub struct Node {
    pub class: Class,
    /// Operands, then what the regions of the op use from outside them.
    pub operands: Vec<ValueId>,
    pub results: Vec<ValueId>,
    /// Ops of the block that use a result.
    pub users: BTreeSet<NodeId>,
}

#[derive(Debug)]
pub struct ValueInfo {
    /// Empty for scalars and for what is not a tensor of static size.
    pub dims: Vec<u64>,
    /// Bits of an element; 0 for what is not a tensor.
    pub bits: u64,
    /// The op of the block that makes it.
    pub definition: Option<NodeId>,
}

impl ValueInfo {
    pub fn elements(&self) -> u64 {
        elements(&self.dims)
    }

    /// Bytes in memory, without padding.
    pub fn bytes(&self) -> u64 {
        self.elements().saturating_mul(self.bits.max(1)).div_ceil(8)
    }
}

impl Graph {
    /// Fills in the users from the operands.
    pub fn connected(mut self) -> Graph {
        for user in 0..self.nodes.len() {
            for v in self.nodes[user].operands.clone() {
                if let Some(definition) = self.values[v].definition {
                    self.nodes[definition].users.insert(user);
                }
            }
        }
        self
    }

    /// Dimensions of the (first) result.
    pub fn dims(&self, node: NodeId) -> &[u64] {
        self.nodes[node]
            .results
            .first()
            .map_or(&[], |v| &self.values[*v].dims)
    }

    pub fn is_source(&self, node: NodeId) -> bool {
        self.nodes[node].class == Class::Source
    }

    pub fn is_alone(&self, node: NodeId) -> bool {
        matches!(self.nodes[node].class, Class::Alone(_))
    }

    pub fn is_ordered(&self, node: NodeId) -> bool {
        self.nodes[node].class == Class::Alone(Alone::Ordered)
    }

    /// Whether `user` uses a result of `node`.
    pub fn uses(&self, user: NodeId, node: NodeId) -> bool {
        self.nodes[node].users.contains(&user)
    }
}
