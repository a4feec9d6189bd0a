//! Changed regions on values of their own: an op deep inside a program sees few of the values it is defined for, and a rewrite must be right on all of them.
//! What both sides start from takes generated values instead of the program's, and the two sides are compared under the contract as ever.
//!
//! Only for passes of ours, whose rewrites know of an operand whether it is constant and nothing else. Of two values one of which hangs on the other only
//! that one is generated: the region then starts farther back.

use super::{Bodies, CoEvaluation, Fingerprints, Followed, Frame, cut::Got, explain::work};
use crate::{
    contract::{self, Judged},
    inputs::{Class, Random, drawn, roles},
    region::{self, Part, Side},
    session::{Content, Environment, Version},
    validate::Origin,
    verdict::{Ieee, Ring, decide},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    error::Error,
    eval::Stop,
    hlo,
    op::{Kind, Op},
    program::{OpId, Program, RegionId, ValueDef, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::inputs::with_ring;

/// Whether regions are tried on generated values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probing {
    Off,
    On { seed: u64 },
}

/// What is generated.
const PROBES: [(Class, Sign); 7] = [
    (Class::Special, Sign::Any),
    (Class::Boundary, Sign::Any),
    (Class::Normal, Sign::Negative),
    (Class::Normal, Sign::Positive),
    (Class::Exact, Sign::Any),
    (Class::Wide, Sign::Any),
    (Class::Subnormal, Sign::Any),
];

/// Which floats are kept as they are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Any,
    Negative,
    Positive,
}

/// Most ops of both sides.
const MOST_OPS: usize = 64;
/// Most scalar operations of all probes of one comparison.
const MOST_WORK: u64 = 200_000_000;
/// Most ops walked back from a value to see what it hangs on.
const MOST_WALKED: usize = 4096;
/// How often a region is extended.
const MOST_STEPS_BACK: usize = 4;

/// What was probed.
#[derive(Default)]
pub struct Probed {
    structures: HashSet<(u128, u128)>,
    work: u64,
    users: Option<Vec<Vec<(OpId, usize)>>>,
}

impl CoEvaluation<'_, '_, '_> {
    /// Tries the region of `v`, which equals a value of the before side on the inputs at hand, on values of its own. Records what differs.
    pub(super) fn probe(
        &mut self,
        partner: ValueId,
        v: ValueId,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<(), Stop> {
        let Probing::On { seed } = self.pair.probing else {
            return Ok(());
        };
        if self.pair.origin != Origin::Pass || self.probed.work > MOST_WORK {
            return Ok(());
        }
        let Some((want_side, got_side)) = self.independent_region(partner, v, bodies, frame) else {
            return Ok(());
        };
        let structures = (
            region::structure(self.pair.before, &want_side),
            region::structure(self.pair.after, &got_side),
        );
        if structures.0 == structures.1 || !self.probed.structures.insert(structures) {
            return Ok(());
        }
        for (i, (class, sign)) in PROBES.into_iter().enumerate() {
            self.session.open_scope();
            let events = std::mem::take(&mut self.session.events);
            let stream = seed ^ (i as u64) << 8;
            let tried = self.try_on((&want_side, &got_side), class, sign, stream, frame);
            self.session.events = events;
            self.session.close_scope(&HashSet::new());
            match tried {
                Ok(None) => {}
                Ok(Some(found)) => {
                    self.outcome.regions.push(found);
                    return Ok(());
                }
                // Values of its own may be ones that a part of the region does not take.
                Err(Stop::Trap(_)) => {}
                Err(Stop::Failed(Error::Unsupported { .. })) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// Both sides from the same values, none of which hangs on another. None: there are no such sides, or they are large.
    fn independent_region(
        &self,
        partner: ValueId,
        v: ValueId,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<(Side, Side)> {
        let (before, after) = (self.pair.before, self.pair.after);
        let (of_before, of_after) = (&frame.before, &frame.followed.after);
        let session = &*self.session;
        // Contents that are not cuts.
        let mut through: HashSet<Content> = HashSet::new();
        for _ in 0..MOST_STEPS_BACK {
            let is_cut = |e: &Environment, x: ValueId| {
                e.get(&x).is_some_and(|c| {
                    session.is_independent(*c)
                        || (frame.followed.shared.contains(c) && !through.contains(c))
                })
            };
            let want = region::collect(before, bodies.before, partner, |x| is_cut(of_before, x));
            let got = region::collect(after, bodies.after, v, |x| is_cut(of_after, x));
            let is_small = want.ops.len() + got.ops.len() <= MOST_OPS;
            if got.ops.is_empty() || !is_small {
                return None;
            }
            if !is_plain(before.program, &want) || !is_plain(after.program, &got) {
                return None;
            }
            let contents = |version: &Version<'_>, side: &Side, e: &Environment| {
                let all = region::leaves(version, side).into_iter();
                all.map(|x| e.get(&x).copied())
                    .filter(|c| c.is_none_or(|c| !session.is_independent(c)))
                    .collect::<Option<HashSet<Content>>>()
            };
            let w = contents(before, &want, of_before)?;
            let g = contents(after, &got, of_after)?;
            // Each side may use fewer values than the other; it must not use others that both have on the way.
            let computed = |program: &Program, side: &Side, e: &Environment| {
                let ops = side.ops.iter().flat_map(|op| &program.op(*op).results);
                ops.filter_map(|x| e.get(x).copied())
                    .collect::<HashSet<Content>>()
            };
            let inside_want = computed(before.program, &want, of_before);
            let inside_got = computed(after.program, &got, of_after);
            let crossing: Vec<Content> = w
                .intersection(&inside_got)
                .chain(g.intersection(&inside_want))
                .copied()
                .collect();
            let all: HashSet<Content> = w.union(&g).copied().collect();
            let dependent = dependent_leaves(before, bodies.before, of_before, &all)?;
            if crossing.is_empty() && dependent.is_empty() {
                // What the before side does not have cannot be given to it.
                let known = g.iter().all(|c| frame.known.contains(c));
                return known.then_some((want, got));
            }
            through.extend(crossing);
            through.extend(dependent);
        }
        None
    }

    /// What differs with generated values in place of what the sides start from.
    fn try_on(
        &mut self,
        (want_side, got_side): (&Side, &Side),
        class: Class,
        sign: Sign,
        seed: u64,
        frame: &Frame,
    ) -> Result<Option<super::RegionResult>, Stop> {
        let (before, after) = (self.pair.before, self.pair.after);
        let mut given: HashMap<Content, Content> = HashMap::new();
        let mut environments = vec![];
        for (version, side, e) in [
            (before, want_side, &frame.before),
            (after, got_side, &frame.followed.after),
        ] {
            let mut environment = Environment::new();
            for x in region::leaves(version, side) {
                let content = *e
                    .get(&x)
                    .ok_or_else(|| Stop::internal("a leaf without value"))?;
                let value = match given.get(&content) {
                    Some(new) => *new,
                    None => {
                        let n = given.len() as u64;
                        let new = self.drawn((version, x), content, class, sign, seed ^ n << 16)?;
                        given.insert(content, new);
                        new
                    }
                };
                environment.insert(x, value);
            }
            environments.push(environment);
        }
        let mut roots = vec![];
        for ((version, side), environment) in [(before, want_side), (after, got_side)]
            .into_iter()
            .zip(&mut environments)
        {
            for op in &side.ops {
                let results = self.session.eval_op(version, *op, environment)?;
                let o = version.program.op(*op);
                self.probed.work += work(self.session, o, environment);
                environment.extend(o.results.iter().copied().zip(results));
            }
            let root = environment.get(&side.root).copied();
            roots.push(root.ok_or_else(|| Stop::internal("a probe without root"))?);
        }
        let (want, got) = (roots[0], roots[1]);
        if want == got || self.session.events.zero_divisors > 0 {
            return Ok(None);
        }
        let probe = Frame {
            known: environments[0].values().copied().collect(),
            before: environments.remove(0),
            followed: Followed {
                after: environments.remove(0),
                ..Followed::default()
            },
        };
        let part = |version, side, environment, root| Part {
            version,
            side,
            environment,
            root,
            leaves: HashMap::new(),
        };
        let judged = contract::judge(
            self.session,
            self.pair.numerics,
            &part(before, want_side, &probe.before, want),
            &part(after, got_side, &probe.followed.after, got),
        )?;
        self.judged_probe((want_side, got_side), (want, got), judged, &probe)
    }

    /// The before-side value of the content of `v`: of the same source where there are several.
    pub(super) fn of_content(
        &self,
        v: ValueId,
        content: Content,
        fingerprints: &Fingerprints,
        frame: &Frame,
    ) -> Option<ValueId> {
        let candidates = fingerprints.get(&self.session.fingerprint(content))?;
        let same = |p: &&ValueId| frame.before.get(p) == Some(&content);
        let source = |program: &Program, x: ValueId| match program.value(x).def {
            ValueDef::Result { op, .. } => program.op(op).location.sources.first().copied(),
            ValueDef::Argument { .. } => None,
        };
        let mine = source(self.pair.after.program, v);
        let mut all = candidates.iter().filter(same);
        let first = all.next()?;
        let of_source =
            std::iter::once(first).chain(all).find(|p| source(self.pair.before.program, **p) == mine);
        Some(*of_source.unwrap_or(first))
    }

    /// The result of a probe that is a mismatch.
    fn judged_probe(
        &mut self,
        sides: (&Side, &Side),
        (want, got): (Content, Content),
        judged: Judged,
        probe: &Frame,
    ) -> Result<Option<super::RegionResult>, Stop> {
        let (p, v) = (sides.0.root, sides.1.root);
        let ring = if self.session.fingerprint(want) == self.session.fingerprint(got) {
            Ring::Equal
        } else {
            match self.not_decisive(p, v, sides, &judged, probe)? {
                Some(why) => Ring::NotDecisive(why),
                None => Ring::Differs,
            }
        };
        // Bounds at the ends of the range say little: only what lies outside counts.
        let counts = judged.clause.is_none()
            && judged.ieee == Ieee::Outside
            && decide(&ring, &judged.ieee).is_mismatch();
        if !counts {
            return Ok(None);
        }
        let plain = Got::plain(got);
        self.push_region(p, v, sides, &plain, ring, judged, probe)?;
        Ok(self.outcome.regions.pop())
    }

    /// A value of the type of `x` for what the program does with it. Values that hang on no input stay.
    fn drawn(
        &mut self,
        (version, x): (&Version<'_>, ValueId),
        content: Content,
        class: Class,
        sign: Sign,
        seed: u64,
    ) -> Result<Content, Stop> {
        if self.session.is_independent(content) {
            return Ok(content);
        }
        let Some(t) = self.session.value(content)?.as_tensor().cloned() else {
            return Ok(content);
        };
        let before = self.pair.before.program;
        let role = if std::ptr::eq(version.program, before) {
            let users = self.probed.users.get_or_insert_with(|| roles::users(before));
            roles::follow(before, users, x)
        } else {
            roles::Role::default()
        };
        let mut random = Random::new(seed, 0x9e0b);
        let mut value = drawn(t.dims(), t.element(), class, &role, &mut random);
        if sign != Sign::Any && t.element().is_float() {
            let turned = |x: &f64| match sign {
                Sign::Negative => -x.abs(),
                Sign::Positive => x.abs(),
                Sign::Any => *x,
            };
            let numbers: Vec<f64> = value.to_f64s().iter().map(turned).collect();
            value = Tensor::from_f64s(t.dims(), t.element(), &numbers);
        }
        let argument = content as u64 ^ (content >> 64) as u64;
        Ok(self
            .session
            .insert(with_ring(&Value::Tensor(value), seed, argument)))
    }
}

/// Whether every op of the side ends, and gives the same each time, whatever its operands.
fn is_plain(program: &Program, side: &Side) -> bool {
    let plain = |id: OpId| {
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        o.op.kind() != Kind::Effect
            && !matches!(
                op,
                hlo::Op::While(_) | hlo::Op::Rng(_) | hlo::Op::CustomCall(_) | hlo::Op::Call(_)
            )
    };
    side.ops.iter().all(|op| {
        let mut inner = program.op(*op).regions.iter().flat_map(|r| program.ops_within(*r));
        plain(*op) && inner.all(plain)
    })
}

/// Of these contents, those that are computed from another of them. None: a walk grew too long.
fn dependent_leaves(
    version: &Version<'_>,
    region: RegionId,
    environment: &Environment,
    all: &HashSet<Content>,
) -> Option<Vec<Content>> {
    let program = version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut out = vec![];
    let holds = |x: &ValueId| environment.get(x).is_some_and(|c| all.contains(c));
    let results = program
        .region(region)
        .ops
        .iter()
        .flat_map(|op| &program.op(*op).results);
    for start in results.filter(|x| holds(x)) {
        let own = environment.get(start);
        let mut seen = HashSet::new();
        let mut stack = vec![*start];
        while let Some(x) = stack.pop() {
            if x != *start && environment.get(&x) != own && holds(&x) {
                out.extend(own);
                break;
            }
            let ValueDef::Result { op, .. } = program.value(x).def else {
                continue;
            };
            if !members.contains(&op) || !seen.insert(op) {
                continue;
            }
            if seen.len() > MOST_WALKED {
                return None;
            }
            stack.extend(program.op(op).operands.iter().chain(version.captures(op)));
        }
    }
    Some(out)
}
