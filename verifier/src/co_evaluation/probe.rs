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
    probe_region::{collect, dependent_leaves, is_plain, moved_for, unlike_leaves},
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
    location::SourceOp,
    planes::ring,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
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
const PROBES: [(Class, Sign); 11] = [
    (Class::Special, Sign::Drawn),
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

/// What is done with the numbers that are drawn: nothing; one sign for all floats of a value, by the bit of its number; few distinct numbers, so that many
/// are equal; numbers that rise or fall along the tensor; every index just outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Drawn,
    Of(u8),
    Few,
    Rising,
    Falling,
    /// Indices below the first place, and beyond the last; other numbers as drawn.
    Below,
    Beyond,
}

/// How many ops back a side reaches at least.
const REACH: usize = 3;
/// Most ops of a side.
pub(super) const MOST_OPS: usize = 64;
/// Most scalar operations of all probes of one comparison.
const MOST_WORK: u64 = 200_000_000;
/// Most ops walked back from a value to see what it hangs on.
pub(super) const MOST_WALKED: usize = 4096;
/// How often a region is extended.
const MOST_STEPS_BACK: usize = 24;

/// What was probed.
#[derive(Default)]
pub struct Probed {
    pub(super) structures: HashSet<(u128, u128)>,
    work: u64,
    users: Option<Vec<Vec<(OpId, usize)>>>,
    sources: HashMap<(Which, RegionId), Groups>,
}

/// The ops of a region by the source op they stand for, in order.
type Groups = HashMap<SourceOp, Vec<OpId>>;

/// Which program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Which {
    Before,
    After,
}

fn groups(program: &Program, region: RegionId) -> Groups {
    let mut out = Groups::new();
    for id in &program.region(region).ops {
        if let Some(source) = program.op(*id).location.sources.first() {
            out.entry(*source).or_default().push(*id);
        }
    }
    out
}

/// The before-side op that `op` of `after` takes the place of. Several ops of one name on the before side are copies of one op, each of which became as many
/// after-side ops, the last of them the one that counts; ops of several names are what one op was written out as, and correspond where none was changed in
/// number or kind.
fn counterpart(
    (before, want): (&Program, &[OpId]),
    (after, got): (&Program, &[OpId]),
    op: OpId,
) -> Option<OpId> {
    let place = got.iter().position(|o| *o == op)?;
    let name = |program: &Program, o: OpId| program.op(o).op.name();
    let first = name(before, *want.first()?);
    if want.iter().all(|o| name(before, *o) == first) {
        let each = got.len() / want.len();
        let is_last = got.len() % want.len() == 0 && place % each == each - 1;
        return is_last.then(|| want[place / each]);
    }
    let alike = want.len() == got.len()
        && want
            .iter()
            .zip(got)
            .all(|(b, a)| name(before, *b) == name(after, *a));
    alike.then(|| want[place])
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
        for (i, (class, sign)) in probes.iter().copied().enumerate() {
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
                        let new = self.drawn((version, x), content, (class, sign, n), seed)?;
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

    /// The before-side value that stands for the same source op as `v` and has its content.
    fn of_source(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<ValueId> {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        let ValueDef::Result { op, index } = after.value(v).def else {
            return None;
        };
        let source = after.op(op).location.sources.first()?;
        let mut ops = |of: Which, program: &Program, region: RegionId| {
            let all = self.probed.sources.entry((of, region));
            let all = all.or_insert_with(|| groups(program, region));
            all.get(source).cloned().unwrap_or_default()
        };
        let want = ops(Which::Before, before, bodies.before);
        let got = ops(Which::After, after, bodies.after);
        let counterpart = counterpart((before, &want), (after, &got), op)?;
        let partner = *before.op(counterpart).results.get(index as usize)?;
        let same = before.ty(partner).compatible(after.ty(v))
            && frame.before.get(&partner) == Some(&content);
        same.then_some(partner)
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
        seed: u64,
    ) -> Result<Content, Stop> {
        let seed = seed ^ number << 16;
        let Some(t) = self.session.value(content)?.as_tensor().cloned() else {
            return Ok(content);
        };
        let before = self.pair.before.program;
        let role = if std::ptr::eq(version.program, before) {
            let users = self
                .probed
                .users
                .get_or_insert_with(|| roles::users(before));
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
            value = shaped(value, (class, sign), number ^ seed << 8);
        }
        let argument = content as u64 ^ (content >> 64) as u64;
        Ok(self
            .session
            .insert(with_ring(&Value::Tensor(value), seed, argument)))
    }
}

/// What `sign` makes of a value of a class that is no index.
fn shaped(value: Tensor, (class, sign): (Class, Sign), number: u64) -> Tensor {
    let (dims, element) = (value.dims().to_vec(), value.element().clone());
    let n = value.len() as u64;
    match sign {
        Sign::Drawn | Sign::Below | Sign::Beyond => value,
        Sign::Of(_) if !element.is_float() => value,
        Sign::Of(bits) => {
            let sign = if bits >> (number % 8) & 1 == 1 {
                -1.0
            } else {
                1.0
            };
            let numbers: Vec<f64> = value.to_f64s().iter().map(|x| sign * x.abs()).collect();
            Tensor::from_f64s(&dims, &element, &numbers)
        }
        Sign::Few | Sign::Rising | Sign::Falling => {
            let at = |i: u64| match sign {
                // Numbers whose order hangs on more than their size, each often.
                Sign::Few if class == Class::Special => {
                    let nan = f64::NAN;
                    let all = [
                        nan,
                        -nan,
                        0.0,
                        -0.0,
                        f64::INFINITY,
                        f64::NEG_INFINITY,
                        1.0,
                        1.0,
                    ];
                    all[(ring::mix(i ^ number << 40) % 8) as usize]
                }
                // Both zeros, and two numbers on either side.
                Sign::Few => [0.0, 1.0, -0.0, 1.0, -1.0, 0.0, 1.0, -1.0]
                    [(ring::mix(i ^ number << 40) % 8) as usize],
                Sign::Rising => i as f64,
                Sign::Falling | Sign::Drawn | Sign::Of(_) | Sign::Below | Sign::Beyond => {
                    (n - i) as f64
                }
            };
            // Small enough to be told apart in the type, for a while.
            let scale = match (element.is_float(), sign) {
                (true, Sign::Rising | Sign::Falling) => 1.0 / 64.0,
                (_, _) => 1.0,
            };
            let numbers: Vec<f64> = (0..n).map(|i| at(i) * scale).collect();
            match element.is_float() {
                true => Tensor::from_f64s(&dims, &element, &numbers),
                false => {
                    let numbers: Vec<i64> = numbers.iter().map(|x| *x as i64).collect();
                    Tensor::from_i64s(&dims, &element, &numbers)
                }
            }
        }
    }
}
