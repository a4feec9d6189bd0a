//! Evaluates two versions side by side. A value of the after side that equals one of the before side (bit for bit, or in the ring) is a *cut point*:
//! from there on the after side continues with the before side's value, so every changed region starts from shared values, choices are made on one
//! IEEE plane, and unchanged ops are evaluated once.
//!
//! Proves, for the inputs and seed at hand: the ring values of all results agree, or which do not. Cannot: see paths these inputs do not take.
//!
//! A body is followed once; where a result differs, again with more patience: literals explained though they have a partner ([`explain`]), then values that
//! agree in IEEE where the ring decides nothing ([`loose`]). Of two foreign programs each result counts as what the attempt says that knows most of it.
//! Where bounds decide nothing, results that are the same bits and residues without any cut point are equal.

mod attempt;
mod common_start;
mod control;
mod cut;
mod doubts;
mod explain;
mod kernel_probe;
mod loose;
mod mismatch;
pub mod probe;
mod probe_partner;
mod probe_region;
mod probe_values;
mod readings;
pub mod repeated;

use crate::{
    blame,
    compare::bits::Difference,
    contract::clauses::Clause,
    literal::table::Literals,
    session::{Assumed, Content, Environment, Session, Version},
    validate::Origin,
    verdict::{Ieee, Ring, Verdict, decide},
};
use attempt::Attempt;
use probe::{Probed, Probing};
use repeated::{Repeats, Validated};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use tileproof_dialect::{
    eval::Stop,
    location::Location,
    numerics::Numerics,
    program::{FunctionId, OpId, RegionId, ValueId},
};

/// What was found of one changed region.
#[derive(Debug, Clone)]
pub struct RegionResult {
    /// Name and location of the after-side op at its root.
    pub op: String,
    pub location: Location,
    /// Rewrite that made it, `PASS:REWRITE#N`.
    pub rewrite: Option<Arc<str>>,
    /// Ops on either side.
    pub ops: (usize, usize),
    pub ring: Ring,
    pub ieee: Ieee,
    /// Clause of the contract that allows what differs.
    pub clause: Option<&'static Clause>,
    /// Elements that hang on a near tie.
    pub undetermined: u64,
    /// Elements whose terms cancel, decided with their tensor.
    pub cancelled: u64,
    /// Elements decided by a probabilistic bound.
    pub likely: u64,
    /// Within its bounds, and refused because a side rounds in other places.
    pub rounds_otherwise: bool,
    pub difference: Option<Difference>,
}

/// A value that the function or body at hand returns and that differs.
#[derive(Debug, Clone)]
pub struct Mismatch {
    /// The innermost op that is to blame, with its rewrite where known.
    pub blame: blame::Blame,
    pub difference: Option<Difference>,
    pub ring: Ring,
    pub ieee: Ieee,
    pub clause: Option<&'static Clause>,
    /// The two values correspond for certain: results of the programs, or of bodies of one pass of ours.
    pub certain: bool,
}

impl Mismatch {
    pub fn verdict(&self) -> Verdict {
        match self.clause {
            Some(clause) => Verdict::Benign {
                clause: clause.name.to_string(),
            },
            None => decide(&self.ring, &self.ieee),
        }
    }
}

/// Counts and findings of one co-evaluation.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub regions: Vec<RegionResult>,
    /// Regions whose structure was validated before.
    pub repeated: u64,
    /// Values of changed ops that are bit-identical to the before side's.
    pub identical: u64,
    /// After-side ops evaluated or found unchanged.
    pub ops: u64,
    /// Innermost first.
    pub mismatches: Vec<Mismatch>,
    /// Literals and folded tensors taken for what the other side computes.
    pub explained: BTreeSet<String>,
    /// Literals that only the after side has and nothing explains.
    pub unexplained: BTreeSet<String>,
}

impl Outcome {
    /// How bad the worst of the mismatches found since there were `found` of them is.
    fn badness_since(&self, found: usize) -> u8 {
        let new = self.mismatches.iter().skip(found).filter(|m| m.certain);
        new.map(|m| m.verdict().badness()).max().unwrap_or(0)
    }
}

/// Everything fixed during one comparison of two versions.
pub struct Pair<'p> {
    pub before: &'p Version<'p>,
    pub after: &'p Version<'p>,
    pub numerics: &'p Numerics,
    pub rewrites: &'p [blame::Rewrite],
    pub origin: Origin,
    pub probing: Probing,
    /// Structures of both sides of what is known to be right on values of its own.
    pub probed: Option<&'p HashSet<(u128, u128)>>,
    pub repeats: Repeats,
}

/// What a pair of bodies returned.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    pub want: Vec<Content>,
    pub got: Vec<Content>,
    /// Of the after side's results: it hangs on a value that the ring did not decide.
    pub undecided: Vec<bool>,
}

/// Structures of regions validated so far, with what the ring said.
pub type Seen = HashSet<(u128, u128)>;

/// How patiently a body is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pass {
    First,
    /// As it is, without cut points of other bits.
    Exact,
    /// Literals are explained though they have a partner.
    Explained,
    /// And values that agree in IEEE taken for each other where the ring decides nothing.
    Thorough,
}

/// One activation: both environments and what is shared.
#[derive(Clone, Default)]
struct Frame {
    before: Environment,
    /// Contents of the before side.
    known: HashSet<Content>,
    followed: Followed,
}

/// What following the after side adds to a frame.
#[derive(Clone, Default)]
struct Followed {
    after: Environment,
    /// Contents that both sides have.
    shared: HashSet<Content>,
    /// After-side values that hang on one the ring did not decide.
    undecided: HashSet<ValueId>,
    /// After-side values that were taken for one of several before-side values, by IEEE.
    ambiguous: HashSet<ValueId>,
    /// After-side values not yet shared, with the literals only that side has which they hang on.
    pending: HashMap<ValueId, BTreeSet<ValueId>>,
}

impl Frame {
    /// The frame of a body: what it captures from this one.
    fn inner(&self, before: &[ValueId], after: &[ValueId]) -> Frame {
        let pick = |e: &Environment, of: &[ValueId]| -> Environment {
            of.iter().filter_map(|v| Some((*v, *e.get(v)?))).collect()
        };
        let (b, a) = (
            pick(&self.before, before),
            pick(&self.followed.after, after),
        );
        Frame {
            known: b.values().copied().collect(),
            followed: Followed {
                shared: b
                    .values()
                    .chain(a.values())
                    .filter(|c| self.followed.shared.contains(c))
                    .copied()
                    .collect(),
                undecided: after
                    .iter()
                    .filter(|v| self.followed.undecided.contains(v))
                    .copied()
                    .collect(),
                ambiguous: after
                    .iter()
                    .filter(|v| self.followed.ambiguous.contains(v))
                    .copied()
                    .collect(),
                pending: HashMap::new(),
                after: a,
            },
            before: b,
        }
    }
}

/// Two bodies that are compared.
#[derive(Clone, Copy)]
struct Bodies {
    before: RegionId,
    after: RegionId,
}

/// Values of the before side by what two correct versions agree on.
type Fingerprints = HashMap<u128, Vec<ValueId>>;

pub struct CoEvaluation<'p, 's, 'a> {
    pair: &'p Pair<'p>,
    session: &'s mut Session<'a>,
    seen: &'s mut Seen,
    pub outcome: Outcome,
    /// What this co-evaluation added to `seen`.
    seen_in_order: Vec<(u128, u128)>,
    literals: (Literals, Literals),
    explanations: explain::Known,
    /// Samples of before-side values, see [`cut::sample`].
    samples: HashMap<Content, Vec<f64>>,
    /// Scalar operations of the regions compared in IEEE alone.
    loose_work: u64,
    probed: Probed,
    /// The op at hand is not one that the before side has on the same operands.
    is_new: bool,
    /// A value that IEEE refuses for its partner goes its own way. Two precisions of one computation have equal residues, and a pass may make a new value in one
    /// of them that only looks like the other: going on with its partner would put the rounding of one in the place of the other. Such a value keeps its own
    /// numbers, and what hangs on it is judged, the results at the latest.
    own_ways: bool,
    calls: Validated,
}

impl<'p, 's, 'a> CoEvaluation<'p, 's, 'a> {
    pub fn new(
        pair: &'p Pair<'p>,
        session: &'s mut Session<'a>,
        seen: &'s mut Seen,
    ) -> CoEvaluation<'p, 's, 'a> {
        CoEvaluation {
            literals: (
                Literals::of(pair.before.program),
                Literals::of(pair.after.program),
            ),
            pair,
            session,
            seen,
            seen_in_order: vec![],
            outcome: Outcome::default(),
            explanations: explain::Known::default(),
            samples: HashMap::new(),
            loose_work: 0,
            probed: Probed::default(),
            is_new: false,
            own_ways: false,
            calls: Validated::default(),
        }
    }

    /// What the session may take for granted when the comparison is accepted.
    pub fn assumed(&mut self) -> Vec<Assumed> {
        std::mem::take(&mut self.calls.assumed)
    }

    /// What was tried on values of its own.
    pub fn probed(&mut self) -> HashSet<(u128, u128)> {
        std::mem::take(&mut self.probed.structures)
    }

    /// Runs both entry functions on the same arguments.
    pub fn main(&mut self, arguments: &[Content]) -> Result<Ran, Stop> {
        let undecided = vec![false; arguments.len()];
        if self.pair.numerics.contract.merges_literals() {
            self.note_unexplained();
        }
        self.function(
            (
                self.pair.before.program.entry,
                self.pair.after.program.entry,
            ),
            (arguments, arguments),
            &undecided,
        )
    }

    fn function(
        &mut self,
        (before, after): (FunctionId, FunctionId),
        arguments: (&[Content], &[Content]),
        undecided: &[bool],
    ) -> Result<Ran, Stop> {
        let bodies = Bodies {
            before: self.pair.before.program.function(before).body,
            after: self.pair.after.program.function(after).body,
        };
        self.session.enter()?;
        let results = self.region(bodies, arguments, undecided, &mut Frame::default());
        self.session.leave();
        results
    }

    /// Runs two regions inside `frame`, which holds the captured values; each on its own arguments. `undecided`: of the after side's arguments.
    fn region(
        &mut self,
        bodies: Bodies,
        arguments: (&[Content], &[Content]),
        undecided: &[bool],
        frame: &mut Frame,
    ) -> Result<Ran, Stop> {
        self.session.enter_body();
        let ran = self.body(bodies, arguments, undecided, frame);
        self.session.leave_body();
        ran
    }

    fn body(
        &mut self,
        bodies: Bodies,
        arguments: (&[Content], &[Content]),
        undecided: &[bool],
        frame: &mut Frame,
    ) -> Result<Ran, Stop> {
        let pair = self.pair;
        let want =
            self.session
                .eval_region(pair.before, bodies.before, arguments.0, &mut frame.before)?;
        let fingerprints = self.read_before(bodies.before, frame);
        for c in arguments.1 {
            if frame.known.contains(c) {
                frame.followed.shared.insert(*c);
            }
        }
        let inner = &pair.after.program.region(bodies.after).arguments;
        frame
            .followed
            .after
            .extend(inner.iter().copied().zip(arguments.1.iter().copied()));
        frame.followed.undecided.extend(
            inner
                .iter()
                .zip(undecided)
                .filter(|(_, u)| **u)
                .map(|(v, _)| *v),
        );
        let (start, mark) = (frame.followed.clone(), self.mark());
        let mut got = self.follow(bodies, &fingerprints, frame, Pass::First)?;
        self.note_mismatches(bodies, &want, &got, frame)?;
        if got != want || self.outcome.is_doubtful_since(&mark) {
            let first = Attempt {
                followed: frame.followed.clone(),
                outcome: self.outcome.clone(),
                got,
            };
            let best = self.attempts(bodies, &want, &fingerprints, frame, (start, mark), first)?;
            got = best.got;
            (frame.followed, self.outcome) = (best.followed, best.outcome);
        }
        let returned = pair.after.program.returned(bodies.after);
        let undecided = returned
            .iter()
            .map(|v| frame.followed.undecided.contains(v))
            .collect();
        Ok(Ran {
            want,
            got,
            undecided,
        })
    }

    /// Notes what the before side has computed.
    fn read_before(&mut self, region: RegionId, frame: &mut Frame) -> Fingerprints {
        let program = self.pair.before.program;
        let mut out = Fingerprints::new();
        let r = program.region(region);
        let results = r.ops.iter().flat_map(|op| &program.op(*op).results);
        for v in results.chain(&r.arguments) {
            let Some(content) = frame.before.get(v).copied() else {
                continue;
            };
            frame.known.insert(content);
            out.entry(self.session.fingerprint(content))
                .or_default()
                .push(*v);
            self.explanations.offer(self.session, content);
        }
        out
    }

    /// Runs the after side op by op and settles each value. Gives what it returns.
    fn follow(
        &mut self,
        bodies: Bodies,
        fingerprints: &Fingerprints,
        frame: &mut Frame,
        pass: Pass,
    ) -> Result<Vec<Content>, Stop> {
        let program = self.pair.after.program;
        for op in &program.region(bodies.after).ops {
            if program.op(*op).op.is_return() {
                break;
            }
            self.session.limits().check_cancelled()?;
            self.outcome.ops += 1;
            if self.repeated_call(*op, bodies, frame)?.is_some() {
                continue;
            }
            self.run_counterpart(*op, bodies, frame)?;
            let (results, mut undecided) = self.op(*op, bodies.before, frame, pass)?;
            let uses = || {
                program
                    .op(*op)
                    .operands
                    .iter()
                    .chain(self.pair.after.captures(*op))
            };
            undecided |= uses().any(|v| frame.followed.undecided.contains(v));
            let pending: BTreeSet<ValueId> = uses()
                .filter_map(|v| frame.followed.pending.get(v))
                .flatten()
                .copied()
                .collect();
            let values = &program.op(*op).results;
            // All results are there before the first is compared: bounds look at every result of an op.
            frame
                .followed
                .after
                .extend(values.iter().copied().zip(results.iter().copied()));
            let raw = results.clone();
            for (v, content) in values.iter().zip(results) {
                if undecided {
                    frame.followed.undecided.insert(*v);
                }
                if !pending.is_empty() {
                    frame.followed.pending.insert(*v, pending.clone());
                }
                let settled = self.settle((*op, *v), content, bodies, fingerprints, frame, pass)?;
                frame.followed.after.insert(*v, settled);
            }
            self.validated_call(*op, &raw, bodies, frame)?;
        }
        program
            .returned(bodies.after)
            .iter()
            .map(|v| {
                frame
                    .followed
                    .after
                    .get(v)
                    .copied()
                    .ok_or_else(|| Stop::internal("a returned value is missing"))
            })
            .collect()
    }

    /// Decides whether an after-side value is a cut point and gives the content the after side continues with.
    fn settle(
        &mut self,
        (op, v): (OpId, ValueId),
        content: Content,
        bodies: Bodies,
        fingerprints: &Fingerprints,
        frame: &mut Frame,
        pass: Pass,
    ) -> Result<Content, Stop> {
        if frame.known.contains(&content) {
            if self.is_new {
                self.probe(v, content, bodies, frame)?;
            }
            self.share(v, content, frame);
            self.outcome.identical += 1;
            return Ok(content);
        }
        if pass == Pass::Exact {
            return Ok(content);
        }
        if let Some(shared) = self.cut(v, content, bodies, fingerprints, frame)? {
            self.probe(v, shared, bodies, frame)?;
            self.share(v, shared, frame);
            return Ok(shared);
        }
        if self.session.is_independent(content) {
            if let Some(shared) = self.folded(content, frame) {
                self.share(v, shared, frame);
                return Ok(shared);
            }
            self.note_literal(op, v, content, frame);
        }
        if let Some(shared) = self.explained(v, bodies, fingerprints, frame, pass)? {
            self.share(v, shared, frame);
            return Ok(shared);
        }
        if pass == Pass::Thorough
            && let Some(shared) = self.loosely(v, content, bodies, frame)?
        {
            self.share(v, shared, frame);
            frame.followed.undecided.insert(v);
            return Ok(shared);
        }
        Ok(content)
    }

    fn share(&self, v: ValueId, content: Content, frame: &mut Frame) {
        frame.followed.shared.insert(content);
        frame.followed.pending.remove(&v);
    }
}
