//! Validity: why an element holds nothing, and the way it came.
//!
//! Every element of a value and of memory has a [`Tag`]: 0 when it is valid, else the number of a node that names its origin, or the op it went
//! through and the node before. Tags move with the elements; an op joins the tags of what each result element hangs on.

use super::terms::{Terms, UNKNOWN};
use std::collections::HashMap;
use tileproof_dialect::{
    buffer::Buffer,
    tensor::Tensor,
    tpu::hazard::{Link, Origin},
    types::ElementType,
};

/// Why an element is invalid; 0: it is valid.
pub type Tag = u32;

/// Ops a chain holds at most; what comes later keeps the chain as it is.
const LONGEST: u32 = 12;

#[derive(Debug)]
struct Node {
    before: Tag,
    /// Of a root.
    origin: Option<Origin>,
    op: u32,
    length: u32,
}

/// All tags of a run.
#[derive(Debug, Default)]
pub struct Shadow {
    nodes: Vec<Node>,
    roots: HashMap<Origin, Tag>,
    steps: HashMap<(Tag, u32), Tag>,
    /// Where tags are the numbers of terms.
    pub terms: Option<Terms>,
}

impl Shadow {
    pub fn of_terms(terms: Terms) -> Shadow {
        Shadow {
            terms: Some(terms),
            ..Shadow::default()
        }
    }

    /// Notes that elements with these tags decide which others are taken.
    pub fn decide(&mut self, tags: Option<&Tensor>) {
        if let Some(terms) = &mut self.terms {
            terms.decide(tags);
        }
    }

    fn node(&self, tag: Tag) -> Option<&Node> {
        self.nodes.get((tag as usize).checked_sub(1)?)
    }

    fn add(&mut self, node: Node) -> Tag {
        self.nodes.push(node);
        self.nodes.len() as Tag
    }

    /// The tag of elements invalid from `origin` on.
    pub fn root(&mut self, origin: Origin) -> Tag {
        if self.terms.is_some() {
            return UNKNOWN;
        }
        if let Some(tag) = self.roots.get(&origin) {
            return *tag;
        }
        let tag = self.add(Node {
            before: 0,
            origin: Some(origin.clone()),
            op: 0,
            length: 0,
        });
        self.roots.insert(origin, tag);
        tag
    }

    /// The tag of an element that hangs on one with `tag` through op number `op`.
    pub fn through(&mut self, tag: Tag, op: u32) -> Tag {
        if tag == 0 || self.terms.is_some() {
            return tag;
        }
        if let Some(next) = self.steps.get(&(tag, op)) {
            return *next;
        }
        let length = self.node(tag).map_or(0, |n| n.length);
        let next = if length >= LONGEST || self.passed(tag, op) {
            tag
        } else {
            self.add(Node {
                before: tag,
                origin: None,
                op,
                length: length + 1,
            })
        };
        self.steps.insert((tag, op), next);
        next
    }

    fn passed(&self, mut tag: Tag, op: u32) -> bool {
        while let Some(n) = self.node(tag) {
            if n.origin.is_none() && n.op == op {
                return true;
            }
            tag = n.before;
        }
        false
    }

    /// All tags through op number `op`.
    pub fn all_through(&mut self, tags: Option<Tensor>, op: u32) -> Option<Tensor> {
        let tags = tags?;
        if self.terms.is_some() {
            return Some(tags);
        }
        let (mut last, mut next) = (0, 0);
        let all: Vec<Tag> = tags
            .as_slice::<Tag>()
            .iter()
            .map(|tag| {
                if *tag != last {
                    (last, next) = (*tag, self.through(*tag, op));
                }
                next
            })
            .collect();
        Some(Tensor::new(
            tags.dims().to_vec(),
            ElementType::U32,
            Buffer::from_slice(&all),
            None,
        ))
    }

    /// Origin of a tag and the numbers of the ops it went through, first to last.
    pub fn story(&self, mut tag: Tag) -> (Option<Origin>, Vec<u32>) {
        let mut ops = vec![];
        while let Some(n) = self.node(tag) {
            match &n.origin {
                Some(origin) => {
                    ops.reverse();
                    return (Some(origin.clone()), ops);
                }
                None => ops.push(n.op),
            }
            tag = n.before;
        }
        (None, ops)
    }
}

/// For each element the first tag that is not 0.
pub fn union(a: Option<Tensor>, b: Option<&Tensor>) -> Option<Tensor> {
    match (a, b) {
        (a, None) => a,
        (None, Some(b)) => Some(b.clone()),
        (Some(a), Some(b)) => Some(zip(&a, b, |x, y| if x != 0 { x } else { y })),
    }
}

/// `f` of the tags of both; `a` gives the dimensions.
pub fn zip(a: &Tensor, b: &Tensor, f: impl Fn(Tag, Tag) -> Tag) -> Tensor {
    let (x, y) = (a.as_slice::<Tag>(), b.as_slice::<Tag>());
    let out = Buffer::build::<Tag>(x.len(), |out| {
        out.iter_mut()
            .zip(x.iter().zip(y))
            .for_each(|(o, (x, y))| *o = f(*x, *y));
    });
    Tensor::new(a.dims().to_vec(), ElementType::U32, out, None)
}

/// Link of a chain for an op.
pub fn link(op: &'static str, location: &tileproof_dialect::location::Location) -> Link {
    Link {
        op,
        location: location.clone(),
    }
}
