//! Changed regions on values of their own: an op deep inside a program sees few of the values it is defined for, and a rewrite must be right on all of them.
//! What both sides start from takes generated values instead of the program's, and the two sides are compared under the contract as ever.
//!
//! Only for passes of ours, and for ops that stand for one source op on both sides: two values that are equal by chance are no pair. The sides reach a few ops
//! back, farther than the patterns of rewrites look, so that what a rewrite knows of its operands stays true of the generated values.
//! Calls of kernels: [`kernel_probe`].

use super::{
    Bodies, CoEvaluation, Followed, Frame,
    cut::Got,
    kernel_probe,
    probe_partner::{Partners, Which},
    probe_region::{
        collect, dependent_leaves, is_constant_on_one_side, is_plain, moved_for, unlike_leaves,
    },
    probe_values::{Sign, literals, shaped},
};
use crate::{
    contract::{self, Judged},
    inputs::{Class, Draw, Random, Walk, drawn, roles},
    kernels,
    region::{self, Part, Side},
    session::{Content, Environment, Version},
    validate::Origin,
    verdict::{Ieee, Ring, decide},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    error::Error,
    eval::Stop,
    numerics::Contract,
    program::ValueId,
    tensor::{Tensor, Value},
};
use tileproof_runtime::inputs::with_ring;

/// Whether regions are tried on generated values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probing {
    Off,
    /// Only calls of kernels that cost little.
    Kernels {
        seed: u64,
    },
    On {
        seed: u64,
    },
}

/// What is generated for ops.
const PROBES: [(Class, Sign); 14] = [
    (Class::Special, Sign::Drawn),
    // What sorts and reductions of several operands do hangs on which numbers are equal.
    (Class::Special, Sign::Few),
    (Class::Special, Sign::Few),
    (Class::Normal, Sign::Few),
    (Class::Boundary, Sign::Drawn),
    (Class::Normal, Sign::Of(0b0000_0000)),
    (Class::Normal, Sign::Of(0b1111_1111)),
    (Class::Normal, Sign::Of(0b0101_0101)),
    (Class::Normal, Sign::Of(0b1010_1010)),
    (Class::Normal, Sign::Of(0b0011_0011)),
    (Class::Normal, Sign::Of(0b1100_1100)),
    (Class::Exact, Sign::Drawn),
    (Class::Wide, Sign::Drawn),
    (Class::Subnormal, Sign::Drawn),
];

/// How many ops back a side reaches at least.
const REACH: usize = 3;
/// Most ops of a side.
pub(super) const MOST_OPS: usize = 64;
/// Most scalar operations of all probes of one comparison.
const MOST_WORK: u64 = 200_000_000;
/// Most ops walked back from a value to see what it hangs on.
pub(super) const MOST_WALKED: usize = 4096;
/// Elements, scalar operations and runs of what is tried besides [`PROBES`].
const MORE_ELEMENTS: u64 = 4096;
const MORE_WORK: u64 = 2_000_000;
const MOST_MORE: u64 = 256;
/// How often a region is extended.
const MOST_STEPS_BACK: usize = 24;

/// What was probed.
#[derive(Default)]
pub struct Probed {
    pub(super) structures: HashSet<(u128, u128)>,
    work: u64,
    pub(super) partners: Partners,
}

impl CoEvaluation<'_, '_, '_> {
    /// Tries the region of `v`, for which the before side has `content` on the inputs at hand, on values of its own. Records what differs.
    pub(super) fn probe(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<(), Stop> {
        let is_call = self.is_call_result(v);
        let (seed, most) = match self.pair.probing {
            Probing::Off => return Ok(()),
            Probing::Kernels { .. } if !is_call => return Ok(()),
            Probing::Kernels { seed } => (seed, kernel_probe::QUICK_WORK.1),
            Probing::On { seed } => (seed, MOST_WORK),
        };
        if self.pair.origin != Origin::Pass || self.probed.work > most {
            return Ok(());
        }
        let readings = if is_call {
            self.kernel_regions(v, content, bodies, frame)?
        } else {
            let Some(partner) = self.of_source(v, content, bodies, frame) else {
                return Ok(());
            };
            let sides = self
                .same_operands(partner, v, bodies, frame)
                .or_else(|| self.independent_region(partner, v, bodies, frame));
            sides.into_iter().collect()
        };
        let mut is_new = !readings.is_empty();
        for (want_side, got_side) in &readings {
            let structures = (
                region::structure(self.pair.before, want_side),
                region::structure(self.pair.after, got_side),
            );
            is_new &= self
                .pair
                .probed
                .is_none_or(|right| !right.contains(&structures));
            is_new &= structures.0 != structures.1 && self.probed.structures.insert(structures);
            if matches!(self.pair.probing, Probing::Kernels { .. })
                && self.work_of(want_side, frame) > kernel_probe::QUICK_WORK.0
            {
                is_new = false;
            }
        }
        if !is_new {
            return Ok(());
        }
        let probes: &[(Class, Sign)] = match is_call {
            true => &kernel_probe::PROBES,
            false => &PROBES,
        };
        // Where sums overflow hangs on their order.
        let adds = |(want, _): &(Side, Side)| kernel_probe::adds(self.pair.before.program, want);
        let orders = is_call && readings.iter().any(adds);
        let more = match (&readings[..], is_call) {
            ([sides], false) => self.more(sides, frame)?,
            (_, _) => vec![],
        };
        let probes = probes.iter().chain(&more).copied();
        for (i, (class, sign)) in probes.enumerate() {
            let overflows = match (class, sign) {
                // NaN, infinities and ones.
                (Class::Special, Sign::Few) => false,
                (class, _) => matches!(class, Class::Special | Class::Wide),
            };
            if orders && overflows {
                continue;
            }
            let stream = seed ^ (i as u64) << 8;
            let mut found = None;
            for sides in &readings {
                found = self.tried_on(sides, class, sign, stream, frame)?;
                // Right in one reading: right.
                if found.is_none() {
                    break;
                }
            }
            if let Some(found) = found {
                self.outcome.regions.push(found);
                return Ok(());
            }
        }
        if let ([sides], true) = (&readings[..], is_call) {
            let found = self.hidden_rounding(sides, frame)?;
            self.outcome.regions.extend(found);
        }
        Ok(())
    }

    /// More probes where bits must be kept and running the sides costs little: the numbers that their literals hold, and ordinary numbers, some thousands of each.
    fn more(&self, (want, got): &(Side, Side), frame: &Frame) -> Result<Vec<(Class, Sign)>, Stop> {
        if self.pair.numerics.contract != Contract::BitExact {
            return Ok(vec![]);
        }
        let leaves = region::leaves(self.pair.before, want);
        let elements = leaves.iter().filter_map(|x| frame.before.get(x));
        let elements =
            elements.filter_map(|c| self.session.value(*c).ok()?.as_tensor().map(|t| t.len()));
        let elements = elements.max().unwrap_or(0).max(1) as u64;
        let work = self.work_of(want, frame).max(elements);
        let rounds = (MORE_ELEMENTS / elements)
            .min(MORE_WORK / work)
            .min(MOST_MORE);
        let side = |version, side, e| literals(self.session, version, side, e).len() as u64;
        let numbers = side(self.pair.before, want, &frame.before)
            + side(self.pair.after, got, &frame.followed.after);
        let for_literals = (2 * numbers).div_ceil(elements).min(rounds) as u16;
        // Functions take other ways for numbers of some tens and hundreds than for those near 1.
        let ordinary = (0..rounds).map(|i| match i % 4 {
            0 => (Class::Above, Sign::Drawn),
            1 => (Class::Wide, Sign::Drawn),
            _ => (Class::Normal, Sign::Scaled((i / 4 % 12) as i32)),
        });
        let literals = (0..for_literals).map(|i| (Class::Normal, Sign::Literals(i)));
        Ok(literals.chain(ordinary).collect())
    }

    /// As [`Self::try_on`], without trace in the session.
    fn tried_on(
        &mut self,
        (want, got): &(Side, Side),
        class: Class,
        sign: Sign,
        seed: u64,
        frame: &Frame,
    ) -> Result<Option<super::RegionResult>, Stop> {
        self.session.open_scope();
        let events = std::mem::take(&mut self.session.events);
        let tried = self.try_on((want, got), class, sign, seed, frame);
        self.session.events = events;
        self.session.close_scope(&HashSet::new());
        match tried {
            // Values of its own may be ones that a part of the region does not take.
            Err(Stop::Trap(_) | Stop::Failed(Error::Unsupported { .. })) => Ok(None),
            tried => tried,
        }
    }

    /// One op of the before side, and what takes its place on the very same operands: a rewrite that does not look at where the operands come from.
    fn same_operands(
        &self,
        partner: ValueId,
        v: ValueId,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<(Side, Side)> {
        let (before, after) = (self.pair.before, self.pair.after);
        let side = |version: &Version<'_>,
                    region,
                    root,
                    e: &Environment,
                    moved: &dyn Fn(ValueId) -> bool| {
            let side = collect(version, region, root, 1, |x| {
                !version.is_constant(x)
                    && !moved(x)
                    && e.get(&x).is_some_and(|c| frame.followed.shared.contains(c))
            })?;
            let leaves = region::leaves(version, &side).into_iter();
            let contents: Option<HashSet<Content>> = leaves.map(|x| e.get(&x).copied()).collect();
            Some((side, contents?))
        };
        let (want, w) = side(before, bodies.before, partner, &frame.before, &|_| false)?;
        let (got, g) = side(after, bodies.after, v, &frame.followed.after, &|x| {
            moved_for(after.program, x, v)
        })?;
        let unlike = unlike_leaves(
            (before, &want, &frame.before),
            (after, &got, &frame.followed.after),
        );
        let computing = want.ops.iter().filter(|op| {
            let mut results = before.program.op(**op).results.iter();
            !results.all(|x| before.is_constant(*x))
        });
        let alone = computing.count() == 1 && w == g && !w.is_empty() && unlike.is_empty();
        let plain = is_plain(before.program, &want) && is_plain(after.program, &got);
        (alone && plain).then_some((want, got))
    }

    /// Both sides, [`REACH`] ops deep and on to values that both have; the after side starts from no others than the before side, and none hangs on another.
    /// None: there are no such sides, or they are large.
    fn independent_region(
        &self,
        partner: ValueId,
        v: ValueId,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<(Side, Side)> {
        let (before, after) = (self.pair.before, self.pair.after);
        let (of_before, of_after) = (&frame.before, &frame.followed.after);
        // Contents that are not cuts.
        let mut through: HashSet<Content> = HashSet::new();
        for _ in 0..MOST_STEPS_BACK {
            let is_cut = |version: &Version<'_>, e: &Environment, x: ValueId| {
                let shared =
                    |c: &Content| frame.followed.shared.contains(c) && !through.contains(c);
                !version.is_constant(x) && e.get(&x).is_some_and(shared)
            };
            let want = collect(before, bodies.before, partner, REACH, |x| {
                is_cut(before, of_before, x)
            })?;
            let got = collect(after, bodies.after, v, REACH, |x| {
                is_cut(after, of_after, x) && !moved_for(after.program, x, v)
            })?;
            if !is_plain(before.program, &want) || !is_plain(after.program, &got) {
                return None;
            }
            let contents = |version: &Version<'_>, side: &Side, e: &Environment| {
                let all = region::leaves(version, side).into_iter();
                all.map(|x| e.get(&x).copied())
                    .collect::<Option<HashSet<Content>>>()
            };
            let w = contents(before, &want, of_before)?;
            let g = contents(after, &got, of_after)?;
            let others: Vec<Content> = g.difference(&w).copied().collect();
            let dependent = dependent_leaves(before, bodies.before, of_before, &w)?;
            let mut unlike = vec![];
            if others.is_empty() && dependent.is_empty() {
                unlike = unlike_leaves((before, &want, of_before), (after, &got, of_after));
                if unlike.is_empty() {
                    // What the after side no longer hangs on, as it is the same whatever that is: several rewrites together look farther back than each.
                    let lost: Vec<Content> = w.difference(&g).copied().collect();
                    if lost.iter().all(|c| through.contains(c)) {
                        return Some((want, got));
                    }
                    through.extend(lost);
                    continue;
                }
            }
            let known = through.len();
            through.extend(others);
            through.extend(dependent);
            through.extend(unlike);
            if through.len() == known {
                return None;
            }
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
        let numbers = match sign {
            Sign::Literals(_) => {
                let of = |version, side, e| literals(self.session, version, side, e);
                let mut all = of(before, want_side, &frame.before);
                all.extend(of(after, got_side, &frame.followed.after));
                all
            }
            Sign::Drawn
            | Sign::Scaled(_)
            | Sign::Of(_)
            | Sign::Few
            | Sign::Rising
            | Sign::Falling
            | Sign::Below
            | Sign::Beyond => vec![],
        };
        let sides = (
            (before, want_side, &frame.before),
            (after, got_side, &frame.followed.after),
        );
        if is_constant_on_one_side(sides.0, sides.1) {
            return Ok(None);
        }
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
                    // From outside the region. An index that happens to be the same number is drawn all the same.
                    _ if version.is_constant(x) => content,
                    Some(new) => *new,
                    None => {
                        let n = given.len() as u64;
                        let new =
                            self.drawn((version, x), content, (class, sign, n), (seed, &numbers))?;
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
                self.probed.work += region::work(self.session, o, environment);
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
        let (want_part, got_part) = (
            part(before, want_side, &probe.before, want),
            part(after, got_side, &probe.followed.after, got),
        );
        let numerics = kernels::numerics(self.pair, &got_part);
        let judged = contract::judge(self.session, &numerics, &want_part, &got_part)?;
        self.judged_probe((want_side, got_side), (want, got), judged, &probe)
    }

    /// The result of a probe that is a mismatch.
    pub(super) fn judged_probe(
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

    /// A value of the type of `x` for what the program does with it.
    fn drawn(
        &mut self,
        (version, x): (&Version<'_>, ValueId),
        content: Content,
        (class, sign, number): (Class, Sign, u64),
        (seed, literals): (u64, &[f64]),
    ) -> Result<Content, Stop> {
        let seed = seed ^ number << 16;
        let Some(t) = self.session.value(content)?.as_tensor().cloned() else {
            return Ok(content);
        };
        let before = self.pair.before.program;
        let role = if std::ptr::eq(version.program, before) {
            let users = self.probed.partners.users(Which::Before, before);
            roles::follow(before, users, x)
        } else {
            roles::Role::default()
        };
        let mut random = Random::new(seed, 0x9e0b);
        let walk = Walk::drawn(&mut random);
        let mut value = drawn(
            t.dims(),
            t.element(),
            Draw { class, walk },
            &role,
            &mut random,
        );
        if let (Some(places), Sign::Below | Sign::Beyond) = (role.index_below, sign) {
            let outside = if sign == Sign::Below {
                -1
            } else {
                places as i64
            };
            value = Tensor::from_i64s(value.dims(), value.element(), &vec![outside; value.len()]);
        }
        // Indices, and what functions and eliminations are not defined for elsewhere, stay as drawn.
        let free = role.index_below.is_none() && role.domain == roles::Domain::Any;
        if free && t.element().bits() > 1 || matches!(sign, Sign::Of(_)) {
            value = shaped(value, (class, sign), number ^ seed << 8, literals);
        }
        let argument = content as u64 ^ (content >> 64) as u64;
        Ok(self
            .session
            .insert(with_ring(&Value::Tensor(value), seed, argument)))
    }
}
