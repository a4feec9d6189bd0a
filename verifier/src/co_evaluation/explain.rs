//! Literals and folded tensors (DESIGN.md section 6, RING.md rules 2 and 3). A value that hangs on no input takes the residues of the before-side value
//! that has its bits; a literal that only one side has is tried with the residues of the expressions that give it; the strict value comes last.

use super::{Bodies, CoEvaluation, Fingerprints, Frame, Pass, cut::Got, readings::assignments};
use crate::{
    literal::{
        search,
        table::{parts, scalar},
    },
    region,
    session::{Content, Environment, Session},
    verdict::{Ieee, Ring},
};
use std::collections::{BTreeSet, HashMap};
use tileproof_dialect::{
    bound::Bound,
    buffer::Buffer,
    eval::Stop,
    numerics::Contract,
    planes::ring::Residue,
    program::{OpId, ValueDef, ValueId},
    tensor::{Tensor, Value},
    types::{ElementType, TensorType},
};
use xxhash_rust::xxh3::xxh3_128;

/// Most ops of a region that is tried with other residues.
const MOST_OPS: usize = 64;
/// Most literals looked up only to be noted.
const MOST_NOTED: usize = 16;
/// Most trials in vain of one value.
const MOST_FAILURES: u32 = 3;
/// Most scalar operations spent on trials in one comparison.
const MOST_WORK: u64 = 300_000_000;

/// What is known of values that hang on no input.
#[derive(Default)]
pub struct Known {
    /// Before-side values by element type and bytes.
    by_bytes: HashMap<u128, Vec<Content>>,
    /// Before-side residues of values all of whose elements are equal, by type and number.
    splats: HashMap<(ElementType, u64), Vec<Residue>>,
    offered: std::collections::HashSet<Content>,
    searched: HashMap<(ElementType, u64), Vec<search::Explanation>>,
    work: u64,
    /// How often no reading helped, by value of the after side: a loop would try again at every step. What a first pass does not explain a later one may.
    failures: HashMap<(ValueId, Pass), u32>,
    /// Before-side values whose elements are not all equal, by type.
    pub(super) tensors: HashMap<TensorType, Vec<Content>>,
}

impl Known {
    /// Takes note of a before-side value.
    pub(super) fn offer(&mut self, session: &Session<'_>, content: Content) {
        if !session.is_independent(content) || !self.offered.insert(content) {
            return;
        }
        let Some(t) = session.value(content).ok().and_then(Value::as_tensor) else {
            return;
        };
        if !t.element().has_ring() || t.is_empty() {
            return;
        }
        if let (Some(value), Some(residue)) = (splat(t), splat_residue(t)) {
            let all = self
                .splats
                .entry((t.element().clone(), value.to_bits()))
                .or_default();
            if !all.contains(&residue) {
                all.push(residue);
            }
        }
        if splat(t).is_none() {
            self.tensors.entry(t.ty()).or_default().push(content);
        }
        self.by_bytes.entry(bytes_key(t)).or_default().push(content);
    }
}

fn bytes_key(t: &Tensor) -> u128 {
    xxh3_128(t.ieee().bytes()) ^ xxh3_128(t.element().to_string().as_bytes()).rotate_left(1)
}

/// The number all elements of a real float tensor are.
pub(super) fn splat(t: &Tensor) -> Option<f64> {
    if !t.element().is_float() || t.is_empty() {
        return None;
    }
    let size = t.element().storage_bytes();
    let bytes = t.ieee().bytes();
    let first = &bytes[..size];
    if !bytes.chunks_exact(size).all(|c| c == first) {
        return None;
    }
    scalar(&Tensor::new(
        vec![],
        t.element().clone(),
        Buffer::from_slice(first),
        None,
    ))
}

/// The two parts of the number all elements of a complex tensor are, with their type.
fn splat_parts(t: &Tensor) -> Option<[(ElementType, f64); 2]> {
    let bytes = t.ieee().bytes().chunks_exact(t.element().storage_bytes());
    let first = bytes.clone().next().filter(|_| t.element().is_complex())?;
    if !bytes.into_iter().all(|c| c == first) {
        return None;
    }
    let one = Tensor::new(vec![], t.element().clone(), Buffer::from_slice(first), None);
    let (part, [re, im]) = parts(&one)?;
    Some([(part.clone(), re), (part, im)])
}

/// Residues of the first element of a complex tensor.
fn first_pair(t: &Tensor) -> Option<[Residue; 2]> {
    t.ring()?.first_chunk::<2>().copied()
}

pub(super) fn splat_residue(t: &Tensor) -> Option<Residue> {
    let ring = t.ring()?;
    let first = *ring.first()?;
    ring.iter().all(|r| *r == first).then_some(first)
}

/// One way to read a value that hangs on no input.
#[derive(Clone)]
struct Alternative {
    content: Content,
    error: f64,
    text: String,
}

/// A leaf of a region with its readings, its own first.
struct Leaf {
    value: ValueId,
    alternatives: Vec<Alternative>,
}

impl CoEvaluation<'_, '_, '_> {
    /// The before-side value with the bits of an after-side value that hangs on no input, if both hold other residues.
    pub(super) fn folded(&mut self, content: Content, frame: &Frame) -> Option<Content> {
        let t = self.session.value(content).ok()?.as_tensor()?;
        let same = self.explanations.by_bytes.get(&bytes_key(t))?;
        let tensor = |c: &Content| self.session.value(*c).ok().and_then(Value::as_tensor);
        let mut known = same.iter().filter(|c| frame.known.contains(c));
        // 1 - 1e-38 has the bits of 1, and may stand beside it, in another shape.
        let alike = |c: &&Content| tensor(c).is_some_and(|p| p.ring() == t.ring());
        if known.clone().any(|c| alike(&c)) {
            return None;
        }
        let partner = *known.find(|c| tensor(c).is_some_and(|p| p.dims() == t.dims()))?;
        // One number may be equal by chance: where literals may be merged, a literal is searched for first.
        if splat(t).is_some() && self.pair.numerics.contract.merges_literals() {
            return None;
        }
        let ty = t.ty();
        self.outcome.explained.insert(format!(
            "a folded tensor {ty} is what the other side computes"
        ));
        Some(partner)
    }

    /// Marks a literal that only the after side has.
    pub(super) fn note_literal(
        &mut self,
        _: OpId,
        v: ValueId,
        content: Content,
        frame: &mut Frame,
    ) {
        let Ok(value) = self.session.value(content) else {
            return;
        };
        if value.as_tensor().is_some_and(|t| {
            let real = splat(t).map(|x| (t.element().clone(), x));
            let complex = splat_parts(t).into_iter().flatten();
            real.into_iter().chain(complex).any(|(element, x)| {
                x.is_finite() && x != 0.0 && !self.literals.0.contains(&element, x)
            })
        }) {
            frame.followed.pending.entry(v).or_default().insert(v);
        }
    }

    /// Tries the region of `v` with other residues for its literals. Gives the before-side value it then equals.
    pub(super) fn explained(
        &mut self,
        v: ValueId,
        bodies: Bodies,
        fingerprints: &Fingerprints,
        frame: &mut Frame,
        pass: Pass,
    ) -> Result<Option<Content>, Stop> {
        let contract = &self.pair.numerics.contract;
        if !(contract.merges_literals() || *contract == Contract::Strict)
            || (pass == Pass::First && !frame.followed.pending.contains_key(&v))
            || self.explanations.work > MOST_WORK
            || self.explanations.failures.get(&(v, pass)) >= Some(&MOST_FAILURES)
        {
            return Ok(None);
        }
        let independent = |session: &Session<'_>, frame: &Frame, x: ValueId| {
            frame
                .followed
                .after
                .get(&x)
                .is_some_and(|c| session.is_independent(*c))
        };
        let collect = |goes_on: &dyn Fn(ValueId) -> bool| {
            let session = &*self.session;
            region::collect(self.pair.after, bodies.after, v, |x| {
                let content = frame.followed.after.get(&x);
                independent(session, frame, x)
                    || content.is_some_and(|c| frame.followed.shared.contains(c)) && !goes_on(x)
            })
        };
        let side = collect(&|_| false);
        // A value that hangs on no input is itself a number to explain, or made of such.
        let mut ways = match independent(self.session, frame, v) {
            true => vec![(true, side.clone()), (false, side)],
            false => vec![(false, side)],
        };
        if pass != Pass::First {
            let deeper = collect(&|x| self.is_left_as_it_was(x, frame));
            if ways.iter().all(|(_, side)| side.ops != deeper.ops) {
                ways.push((false, deeper));
            }
        }
        let mut tried = false;
        for (alone, side) in ways {
            if !alone && (side.ops.len() > MOST_OPS || side.ops.is_empty()) {
                continue;
            }
            let mut leaves = vec![];
            for x in self.leaves(&side, v, alone, frame) {
                let alternatives =
                    self.alternatives(frame.followed.after[&x], bodies, frame, pass)?;
                if alternatives.len() > 1 {
                    leaves.push(Leaf {
                        value: x,
                        alternatives,
                    });
                }
            }
            if leaves.is_empty() {
                continue;
            }
            tried = true;
            let most = leaves.iter().map(|l| l.alternatives.len() - 1).collect();
            for ranks in assignments(most) {
                let found = self.attempt(
                    v,
                    &side,
                    alone,
                    &leaves,
                    &ranks,
                    bodies,
                    fingerprints,
                    frame,
                )?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        if !tried {
            return Ok(None);
        }
        *self.explanations.failures.entry((v, pass)).or_default() += 1;
        Ok(None)
    }

    /// Whether a value is that of an operand beside a number, as x * 1 is x. Where the number was rounded to 1, the other side has something else there.
    fn is_left_as_it_was(&self, x: ValueId, frame: &Frame) -> bool {
        let program = self.pair.after.program;
        let ValueDef::Result { op, .. } = program.value(x).def else {
            return false;
        };
        let content = |v: &ValueId| frame.followed.after.get(v);
        let own = content(&x);
        let operands = &program.op(op).operands;
        let number = |v: &ValueId| content(v).is_some_and(|c| self.session.is_independent(*c));
        operands.len() == 2
            && operands.iter().any(number)
            && operands.iter().any(|v| !number(v) && content(v) == own)
    }

    /// Values without inputs that the side takes from outside itself.
    fn leaves(&self, side: &region::Side, v: ValueId, alone: bool, frame: &Frame) -> Vec<ValueId> {
        if alone {
            return vec![v];
        }
        let program = self.pair.after.program;
        let mut out: Vec<ValueId> = vec![];
        for op in &side.ops {
            let uses = program
                .op(*op)
                .operands
                .iter()
                .chain(self.pair.after.captures(*op));
            for x in uses {
                let inside = match program.value(*x).def {
                    ValueDef::Result { op, .. } => side.ops.contains(&op),
                    ValueDef::Argument { .. } => false,
                };
                let independent = frame
                    .followed
                    .after
                    .get(x)
                    .is_some_and(|c| self.session.is_independent(*c));
                if !inside && independent && !out.contains(x) {
                    out.push(*x);
                }
            }
        }
        out
    }

    /// Readings of a value without inputs, its own first.
    fn alternatives(
        &mut self,
        content: Content,
        bodies: Bodies,
        frame: &Frame,
        pass: Pass,
    ) -> Result<Vec<Alternative>, Stop> {
        let value = self.session.value(content)?.clone();
        let Some(t) = value.as_tensor().filter(|t| t.element().has_ring()) else {
            return Ok(vec![]);
        };
        let own = Alternative {
            content,
            error: 0.0,
            text: String::new(),
        };
        let mut out = vec![own];
        let mut add = |session: &mut Session<'_>, ring: Buffer, error: f64, text: String| {
            let read = t.clone().with_ring(Some(ring));
            let read = session.insert(read.into());
            session.set_independent(read);
            if out.iter().all(|a| a.content != read) {
                out.push(Alternative {
                    content: read,
                    error,
                    text,
                });
            }
        };
        let number = splat(t).filter(|x| x.is_finite());
        if let Some(x) = number {
            let element = t.element().clone();
            let lonely = !self.literals.0.contains(&element, x);
            if pass == Pass::First && !lonely {
                return Ok(vec![]);
            }
            let repeated = |r: Residue| Buffer::build::<u32>(t.len(), |out| out.fill(r));
            let computed = self
                .explanations
                .splats
                .get(&(element.clone(), x.to_bits()))
                .cloned()
                .unwrap_or_default();
            for r in computed {
                let text = format!("{x:?} : {element} is computed on the other side");
                add(self.session, repeated(r), 0.0, text);
            }
            // Under contract strict a value may be folded, for its bits are those that the other side computes; no literals are merged.
            let merged = if self.pair.numerics.contract.merges_literals() {
                self.searched(&element, x)
            } else {
                vec![]
            };
            let unknown = merged.is_empty() && lonely;
            for e in merged {
                let text = format!("{x:?} : {element} = {}", e.text);
                add(self.session, repeated(e.residue), e.error, text);
            }
            if unknown && self.pair.numerics.contract.merges_literals() {
                for (residue, error) in self.functions_near(&element, x, bodies, frame)? {
                    let text = format!("{x:?} : {element} is a function the other side computes");
                    add(self.session, repeated(residue), error, text);
                }
            }
        } else if let Some(both) = splat_parts(t) {
            // One part of a complex number is explained at a time, for the other is zero as a rule.
            let Some([re, im]) = first_pair(t) else {
                return Ok(out);
            };
            for (k, (element, x)) in both.into_iter().enumerate() {
                let lonely = !self.literals.0.contains(&element, x);
                let wanted = x.is_finite() && x != 0.0 && (lonely || pass != Pass::First);
                if !wanted || !self.pair.numerics.contract.merges_literals() {
                    continue;
                }
                for e in self.searched(&element, x) {
                    let pair = if k == 0 {
                        [e.residue, im]
                    } else {
                        [re, e.residue]
                    };
                    let ring = Buffer::build::<u32>(2 * t.len(), |out| {
                        out.chunks_exact_mut(2)
                            .for_each(|z| z.copy_from_slice(&pair));
                    });
                    let text = format!("part {x:?} of a complex literal = {}", e.text);
                    add(self.session, ring, e.error, text);
                }
            }
        } else {
            let same = self.explanations.by_bytes.get(&bytes_key(t)).cloned();
            for c in same.unwrap_or_default() {
                // Values of an earlier step of a loop are gone.
                let Ok(other) = self.session.value(c).cloned() else {
                    continue;
                };
                if let Some(ring) = other.as_tensor().and_then(Tensor::ring_buffer) {
                    let text =
                        format!("a folded tensor {} is what the other side computes", t.ty());
                    add(self.session, ring.clone(), 0.0, text);
                }
            }
            if self.pair.numerics.contract.merges_literals() {
                for (ring, error) in self.reciprocals(t) {
                    let text = format!("a tensor {} is 1 / one of the other side", t.ty());
                    add(self.session, ring, error, text);
                }
            }
        }
        if pass != Pass::First && self.pair.numerics.contract.merges_literals() {
            let strict = t.clone().with_embedded_ring();
            if let Some(ring) = strict.ring_buffer() {
                let text = format!("a computed tensor {} is taken as it is rounded", t.ty());
                add(self.session, ring.clone(), 0.0, text);
            }
        }
        Ok(out)
    }

    pub(super) fn searched(&mut self, element: &ElementType, x: f64) -> Vec<search::Explanation> {
        let key = (element.clone(), x.to_bits());
        if let Some(found) = self.explanations.searched.get(&key) {
            return found.clone();
        }
        let found = search::explain(x, element, &self.literals.0, |e, v| {
            !self.literals.1.contains(e, v)
        });
        self.explanations.searched.insert(key, found.clone());
        found
    }

    /// Notes the literals that only the after side has and that no expression gives.
    pub(super) fn note_unexplained(&mut self) {
        let lonely: Vec<(ElementType, f64)> = self
            .literals
            .1
            .iter()
            .filter(|(e, x)| *x != 0.0 && !self.literals.0.contains(e, *x))
            .take(MOST_NOTED)
            .cloned()
            .collect();
        for (element, x) in lonely {
            if self.searched(&element, x).is_empty() {
                self.outcome
                    .unexplained
                    .insert(format!("{x:?} : {element}"));
            }
        }
    }

    /// Evaluates the side with one assignment. Gives the before-side value it equals.
    #[allow(clippy::too_many_arguments)]
    fn attempt(
        &mut self,
        v: ValueId,
        side: &region::Side,
        alone: bool,
        leaves: &[Leaf],
        ranks: &[usize],
        bodies: Bodies,
        fingerprints: &Fingerprints,
        frame: &mut Frame,
    ) -> Result<Option<Content>, Stop> {
        let program = self.pair.after.program;
        let mut environment = Environment::new();
        let mut errors = HashMap::new();
        let mut texts = BTreeSet::new();
        for (leaf, rank) in leaves.iter().zip(ranks) {
            let a = &leaf.alternatives[*rank];
            environment.insert(leaf.value, a.content);
            if *rank > 0 {
                texts.insert(a.text.clone());
            }
            if a.error > 0.0 {
                let n = self
                    .session
                    .value(a.content)?
                    .as_tensor()
                    .map_or(0, Tensor::len);
                errors.insert(leaf.value, Bound::absolute(vec![a.error; n]));
            }
        }
        let events = std::mem::take(&mut self.session.events);
        self.session.open_scope();
        if !alone {
            for op in &side.ops {
                let o = program.op(*op);
                for x in o.operands.iter().chain(self.pair.after.captures(*op)) {
                    if let (false, Some(c)) =
                        (environment.contains_key(x), frame.followed.after.get(x))
                    {
                        environment.insert(*x, *c);
                    }
                }
                let results = self
                    .session
                    .eval_op(self.pair.after, *op, &mut environment)?;
                for (x, c) in o.results.iter().zip(results) {
                    environment.entry(*x).or_insert(c);
                }
                self.explanations.work += region::work(self.session, o, &environment);
            }
        }
        self.session.events = events;
        let content = environment
            .get(&v)
            .copied()
            .ok_or_else(|| Stop::internal("a trial without root"))?;
        let candidates = fingerprints.get(&self.session.fingerprint(content));
        let partner = candidates.and_then(|c| c.first()).copied();
        let keep = match partner {
            Some(_) => environment.values().copied().collect(),
            None => Default::default(),
        };
        self.session.close_scope(&keep);
        let Some(partner) = partner else {
            return Ok(None);
        };
        let got = Got {
            content,
            environment: (!alone).then_some(&environment),
            leaves: errors,
            side: (!alone).then_some(side),
        };
        // Equal residues by chance do not fit in IEEE.
        let (_, _, judged) = self.judged(partner, v, &got, bodies, frame)?;
        if judged.ieee == Ieee::Outside && judged.clause.is_none() {
            return Ok(None);
        }
        self.changed_region(partner, v, &got, Ring::Equal, bodies, frame)?;
        let found = |noted: &String| texts.iter().any(|t| t.starts_with(&format!("{noted} ")));
        self.outcome.unexplained.retain(|noted| !found(noted));
        self.outcome.explained.extend(texts);
        Ok(frame.before.get(&partner).copied())
    }
}
