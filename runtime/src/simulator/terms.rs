//! Symbolic contents: of which expression of a kernel's inputs each element is the value. For a kernel whose control, addresses and masks hang on no input.
//!
//! The tags of the validity plane move with the elements through every op and memory; here a tag is the number of a term: an element of an input, or an
//! op applied to terms and constants. Elements without a tag are constants: they hang on no input, and their value is at hand. What is not known
//! ([`UNKNOWN`]) is memory that nothing wrote, padding, and lanes that a mask left out.
//!
//! Two runs that share their [`Terms`] and give the same terms compute the same for all inputs, bit for bit. The run notes where an input decides a branch,
//! an address, a mask or a place: then it says nothing.

use super::{Order, Plan, Simulation, Validity, cell::Lanes, memory::Memory, shadow::Tag};
use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
};
use tileproof_dialect::{
    eval::{Events, Stop},
    hlo::{self, dot_general::DotGeneral},
    planes::Planes,
    tensor::Tensor,
    tpu::{Kernel, Role},
    types::{ElementType, Type},
};
use xxhash_rust::xxh3::Xxh3;

use crate::limits::Limits;

/// The tag of an element of which nothing is known.
pub const UNKNOWN: Tag = Tag::MAX;

/// One element of an output: its term, or 0 and the bits of a constant.
pub type Element = (Tag, Vec<u8>);

/// Terms by the hash of what they are, shared by runs that are compared.
#[derive(Debug, Default)]
pub struct Terms {
    numbers: HashMap<u128, Tag>,
    /// Whether something that decides hung on an input.
    decided: bool,
    outputs: Vec<Element>,
}

/// Most steps of a kernel that is run.
const MOST_STEPS: u64 = 4096;
/// Most terms.
const MOST_TERMS: usize = 4 << 20;

/// The terms of all output elements of a kernel, in order; none where an input decides what is done, something is not known, or there is a hazard.
pub fn outputs(
    kernel: &std::sync::Arc<Kernel>,
    order: Order,
    limits: &Limits,
    terms: &mut Terms,
) -> Result<Option<Vec<Element>>, Stop> {
    if kernel.steps() > MOST_STEPS {
        return Ok(None);
    }
    let mut arguments = vec![];
    for o in &kernel.operands {
        match (o.role, o.buffer.static_dims(), o.buffer.data()) {
            (Role::Prefetch | Role::Input, Some(dims), Some(element)) => {
                arguments.push(Tensor::zeros(&dims, element, Planes::IeeeOnly));
            }
            (Role::Prefetch | Role::Input, _, _) => return Ok(None),
            (Role::Output | Role::Scratch, _, _) => {}
        }
    }
    let simulation = Simulation {
        validity: Validity::Terms,
        order,
        ..Simulation::default()
    };
    (terms.decided, terms.outputs) = (false, vec![]);
    let plan = Plan::new(kernel, Planes::IeeeOnly)?;
    let mut events = Events::default();
    super::with_terms(&plan, &arguments, &simulation, limits, &mut events, terms)?;
    let outputs = std::mem::take(&mut terms.outputs);
    let known = outputs.iter().all(|(tag, _)| *tag != UNKNOWN);
    let says = known && !terms.decided && events.hazards.is_empty();
    Ok((says && terms.numbers.len() < MOST_TERMS).then_some(outputs))
}

impl Terms {
    fn number(&mut self, hash: u128) -> Tag {
        let next = self.numbers.len() as Tag + 1;
        // Beyond the most nothing is told apart, and the run says nothing.
        if self.numbers.len() >= MOST_TERMS {
            return UNKNOWN;
        }
        *self.numbers.entry(hash).or_insert(next)
    }

    /// Notes that elements with these tags decide something.
    pub fn decide(&mut self, tags: Option<&Tensor>) {
        let tags = tags.map(|t| t.as_slice::<Tag>());
        self.decided |= tags.is_some_and(|t| t.iter().any(|t| *t != 0));
    }

    pub fn decide_one(&mut self, tag: Tag) {
        self.decided |= tag != 0;
    }

    /// Gives every element of an operand a term of its own.
    pub fn leaves(&mut self, operand: usize, dims: &[u64]) -> Tensor {
        let n = tileproof_dialect::tensor::count(dims);
        let leaf = |i: usize| {
            let mut h = Xxh3::new();
            ("leaf", operand, i).hash(&mut h);
            h.digest128()
        };
        let all: Vec<Tag> = (0..n).map(|i| self.number(leaf(i))).collect();
        Tensor::from_slice(dims, ElementType::U32, &all)
    }

    /// An integer of a term as another type.
    pub fn cast(&mut self, tag: Tag, element: &ElementType) -> Tag {
        if tag == 0 || tag == UNKNOWN {
            return tag;
        }
        let mut h = Xxh3::new();
        ("cast", element, tag).hash(&mut h);
        self.number(h.digest128())
    }

    /// The terms of an elementwise op with one result.
    pub fn elementwise(
        &mut self,
        op: &hlo::Op,
        operands: &[Lanes],
        results: &[Type],
    ) -> Option<Tensor> {
        let dims = results.first()?.as_tensor()?.static_dims()?;
        let mut h = Xxh3::new();
        (op, results).hash(&mut h);
        operands.iter().for_each(|l| l.value.element().hash(&mut h));
        let seed = h.digest128();
        let reads: Vec<Read<'_>> = operands.iter().map(Read::new).collect();
        let n = tileproof_dialect::tensor::count(&dims);
        let all: Vec<Tag> = (0..n).map(|i| self.lane(op, seed, &reads, i)).collect();
        Some(Tensor::from_slice(&dims, ElementType::U32, &all))
    }

    fn lane(&mut self, op: &hlo::Op, seed: u128, operands: &[Read<'_>], i: usize) -> Tag {
        let tag = |k: usize| operands[k].tag(i);
        let all_known = (0..operands.len()).all(|k| tag(k) == 0);
        if all_known {
            return 0;
        }
        match (op, operands) {
            (hlo::Op::Select(_), [p, yes, no]) => {
                if p.tag(i) == 0 {
                    return if p.bits(i) == [0] {
                        no.tag(i)
                    } else {
                        yes.tag(i)
                    };
                }
                if yes.tag(i) == no.tag(i) && (yes.tag(i) != 0 || yes.bits(i) == no.bits(i)) {
                    return yes.tag(i);
                }
            }
            // A constant that decides alone.
            (hlo::Op::And(_), [a, b]) if a.decides(i, 0) || b.decides(i, 0) => return 0,
            (hlo::Op::Or(_), [a, b]) if a.decides(i, 1) || b.decides(i, 1) => return 0,
            (_, _) => {}
        }
        let mut h = Xxh3::new();
        seed.hash(&mut h);
        for o in operands {
            match o.tag(i) {
                UNKNOWN => return UNKNOWN,
                0 => (0 as Tag, o.bits(i)).hash(&mut h),
                tag => tag.hash(&mut h),
            }
        }
        self.number(h.digest128())
    }

    /// The terms of a product: each hangs on a row of the left and a column of the right.
    pub fn product(&mut self, dot: &DotGeneral, lhs: &Lanes, rhs: &Lanes) -> Option<Tensor> {
        let sizes = dot.canonical(lhs.value.dims(), rhs.value.dims())?;
        let lines = |lanes: &Lanes, arranged: &dyn Fn(&Tensor) -> Tensor| -> Vec<Option<u128>> {
            let none = super::cell::no_tags(lanes.value.dims());
            let tags = arranged(lanes.tags.as_ref().unwrap_or(&none));
            let values = arranged(&lanes.value);
            let read = Read {
                tags: Some(tags.as_slice::<Tag>()),
                bytes: values.ieee().bytes(),
                size: values.element().storage_bytes(),
                rank: 1,
                is_bool: false,
            };
            let k = sizes.k.max(1);
            let line = |n: usize| {
                let mut h = Xxh3::new();
                for i in n * k..(n + 1) * k {
                    match read.tag(i) {
                        UNKNOWN => return None,
                        0 => (0 as Tag, read.bits(i)).hash(&mut h),
                        tag => tag.hash(&mut h),
                    }
                }
                h.write_u64(k as u64);
                Some(h.digest128())
            };
            (0..tags.len() / k).map(line).collect()
        };
        let rows = lines(lhs, &|t| sizes.lhs(t));
        let columns = lines(rhs, &|t| sizes.rhs(t));
        let mut seed = Xxh3::new();
        (dot, lhs.value.element(), rhs.value.element()).hash(&mut seed);
        let seed = seed.digest128();
        let mut all = Vec::with_capacity(sizes.batch * sizes.m * sizes.n);
        for (i, row) in rows.iter().enumerate() {
            let b = i / sizes.m.max(1);
            for column in &columns[b * sizes.n..(b + 1) * sizes.n] {
                let term = row.zip(*column).map(|pair| {
                    let mut h = Xxh3::new();
                    (seed, pair).hash(&mut h);
                    h.digest128()
                });
                all.push(term.map_or(UNKNOWN, |t| self.number(t)));
            }
        }
        Some(Tensor::from_slice(
            &sizes.result_dims,
            ElementType::U32,
            &all,
        ))
    }

    /// Notes what an output holds.
    pub fn note_output(&mut self, lanes: &Lanes) {
        let read = Read::new(lanes);
        for i in 0..lanes.value.len() {
            let tag = read.tag(i);
            let bits = if tag == 0 {
                read.bits(i).to_vec()
            } else {
                vec![]
            };
            self.outputs.push((tag, bits));
        }
    }
}

/// Terms in the place of the contents of prefetch operands, inputs, and outputs that take an input's buffer.
pub fn plant(
    terms: &mut Terms,
    kernel: &Kernel,
    memory: &mut Memory,
    homes: &[u32],
) -> Result<(), Stop> {
    for (number, o) in kernel.operands.iter().enumerate() {
        let operand = match (o.role, o.alias) {
            (Role::Prefetch | Role::Input, _) => number,
            (Role::Output, Some(input)) => input as usize,
            (Role::Output | Role::Scratch, _) => continue,
        };
        let lanes = memory.data_mut(homes[number])?;
        lanes.tags = Some(terms.leaves(operand, lanes.value.dims()));
    }
    Ok(())
}

/// Tags and bits of the elements of an operand; one of rank 0 has its only element everywhere.
struct Read<'l> {
    tags: Option<&'l [Tag]>,
    bytes: &'l [u8],
    size: usize,
    rank: usize,
    is_bool: bool,
}

impl<'l> Read<'l> {
    fn new(lanes: &'l Lanes) -> Read<'l> {
        Read {
            tags: lanes.tags.as_ref().map(|t| t.as_slice::<Tag>()),
            bytes: lanes.value.ieee().bytes(),
            size: lanes.value.element().storage_bytes(),
            rank: lanes.value.rank(),
            is_bool: *lanes.value.element() == ElementType::I1,
        }
    }

    fn at(&self, i: usize) -> usize {
        if self.rank == 0 { 0 } else { i }
    }

    fn tag(&self, i: usize) -> Tag {
        self.tags.map_or(0, |t| t[self.at(i)])
    }

    fn bits(&self, i: usize) -> &'l [u8] {
        let at = self.at(i) * self.size;
        &self.bytes[at..at + self.size]
    }

    /// Whether it is the boolean constant `is`.
    fn decides(&self, i: usize, is: u8) -> bool {
        self.is_bool && self.tag(i) == 0 && self.bits(i) == [is]
    }
}
