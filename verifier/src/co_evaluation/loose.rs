//! Cut points by IEEE, where the ring decides nothing: an identity the ring does not keep, a literal nothing explains, a near tie. The region is then
//! judged by its IEEE values alone, and the after side goes on with the before side's value.

use super::{
    Bodies, CoEvaluation, Frame,
    cut::{Got, distance, sample},
};
use crate::{
    compare::{bits, bounds},
    contract::{self, Judged},
    opaque,
    region::{self, Side},
    session::{Content, Environment, Session, Version},
    tie,
    verdict::{Ieee, NEAR_TIE, Ring},
};
use std::collections::{BTreeSet, HashSet};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    numerics::Contract,
    op::Op,
    planes::ring::{exponential::differ_by_turns, is_code},
    program::{Program, ValueId},
    tensor::{Tensor, Value},
    types::ElementType,
};

/// Candidates looked at in IEEE for one value, closest first.
const MOST_CANDIDATES: usize = 3;
/// Farther apart than this two values are not worth a comparison; the comparison itself is within derived bounds. A bound above 1/16 decides nothing.
const WORTH_A_LOOK: f64 = 1.0 / 16.0;
/// Nearer than this two values may be the same one.
const CLOSEST: f64 = 1.0 / 4096.0;
/// Most scalar operations of all regions compared.
const MOST_WORK: u64 = 500_000_000;
/// Most ops of both sides of a region compared.
const MOST_OPS: usize = 96;

impl CoEvaluation<'_, '_, '_> {
    /// The before-side value that `v` equals within bounds though their residues differ for a reason that decides nothing.
    pub(super) fn loosely(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        frame: &mut Frame,
    ) -> Result<Option<Content>, Stop> {
        let program = self.pair.before.program;
        let Some(got) = self.session.value(content)?.as_tensor().cloned() else {
            return Ok(None);
        };
        if got.is_empty() {
            return Ok(None);
        }
        let (float, mine) = (got.element().is_float(), sample(&got));
        let mut ranked: Vec<(f64, usize, ValueId)> = vec![];
        let values = program
            .region(bodies.before)
            .ops
            .iter()
            .flat_map(|op| &program.op(*op).results);
        for (i, p) in values.enumerate() {
            let Some((content, want)) = frame.before.get(p).and_then(|c| {
                let t = self.session.value(*c).ok()?.as_tensor()?;
                Some((*c, t))
            }) else {
                continue;
            };
            if want.dims() != got.dims() || want.element() != got.element() {
                continue;
            }
            let theirs = self.samples.entry(content).or_insert_with(|| sample(want));
            let apart = distance(float, theirs, &mine);
            if apart <= WORTH_A_LOOK {
                ranked.push((apart, i, *p));
            }
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let all = ranked.clone();
        // What is the same number on the real numbers goes before what is near.
        ranked.truncate(MOST_CANDIDATES);
        ranked.sort_by_cached_key(|(_, _, p)| !self.same_by_turns(*p, content, frame));
        for (apart, _, p) in ranked.into_iter().take(MOST_CANDIDATES) {
            let plain = Got::plain(content);
            let (want_side, got_side) = self.sides(p, v, &plain, bodies, frame);
            let ops = want_side.ops.len() + got_side.ops.len();
            if got_side.ops.is_empty() || ops > MOST_OPS {
                continue;
            }
            // Without a choice on either side only what the sides consist of may keep the ring from deciding.
            let chooses = tie::may_tie(self.pair.before.program, &want_side)
                || tie::may_tie(self.pair.after.program, &got_side);
            if !chooses && self.without_ties((&want_side, &got_side), frame).is_none() {
                continue;
            }
            for (program, side, environment) in [
                (self.pair.before.program, &want_side, &frame.before),
                (self.pair.after.program, &got_side, &frame.followed.after),
            ] {
                let ops = side.ops.iter().map(|op| program.op(*op));
                self.loose_work += ops
                    .map(|o| region::work(self.session, o, environment))
                    .sum::<u64>();
            }
            if self.loose_work > MOST_WORK {
                return Ok(None);
            }
            let (want_side, got_side, judged) = self.judged(p, v, &plain, bodies, frame)?;
            let acceptable = match judged.ieee {
                Ieee::Within => true,
                // Without a bound only values that are as good as equal may stand for each other.
                Ieee::Loose(_) => self.is_close(p, &got, frame)?,
                Ieee::Outside | Ieee::NotRun => judged.clause.is_some(),
            };
            if !acceptable {
                continue;
            }
            let sides = (&want_side, &got_side);
            let ring = match self.same_by_turns(p, content, frame) {
                true => Ring::Equal,
                false => match self.not_decisive(p, v, sides, &judged, frame)? {
                    Some(why) => Ring::NotDecisive(why),
                    None => continue,
                },
            };
            self.push_region(p, v, (&want_side, &got_side), &plain, ring, judged, frame)?;
            let chosen = frame.before.get(&p).copied();
            // Another value that is as near may be the one.
            let near = all.iter().any(|(other, _, q)| {
                *other <= apart.max(CLOSEST) && frame.before.get(q).copied() != chosen
            });
            if near {
                frame.followed.ambiguous.insert(v);
            }
            return Ok(chosen);
        }
        Ok(None)
    }

    /// Whether the residues of a value before and of a content are those of one number, but for turns of exponentials and logarithms.
    pub(super) fn same_by_turns(&self, p: ValueId, content: Content, frame: &Frame) -> bool {
        let ring = |c: Content| self.session.value(c).ok()?.as_tensor()?.ring();
        let Some(want) = frame.before.get(&p).copied().and_then(ring) else {
            return false;
        };
        ring(content).is_some_and(|got| {
            let mut pairs = want.iter().zip(got);
            want.len() == got.len()
                && pairs.all(|(a, b)| a == b || !is_code(*a | *b) && differ_by_turns(*a, *b))
        })
    }

    /// Whether all elements agree in half of their digits.
    fn is_close(&self, p: ValueId, got: &Tensor, frame: &Frame) -> Result<bool, Stop> {
        let Some(content) = frame.before.get(&p) else {
            return Ok(false);
        };
        let Some(want) = self.session.value(*content)?.as_tensor() else {
            return Ok(false);
        };
        Ok(bounds::agree_in_half(want, got))
    }

    /// Why a difference of residues between `p` and `v` decides nothing. None: it decides.
    pub(super) fn not_decisive(
        &mut self,
        p: ValueId,
        v: ValueId,
        (want_side, got_side): (&Side, &Side),
        judged: &Judged,
        frame: &Frame,
    ) -> Result<Option<String>, Stop> {
        if let Some(ties) = &judged.ties
            && self.all_tied(p, v, ties, frame)?
        {
            return Ok(Some(NEAR_TIE.to_string()));
        }
        if self.pair.numerics.contract == Contract::BitExact {
            return Ok(None);
        }
        let sums = contract::has_sums_within(self.pair.before.program, want_side)
            || contract::has_sums_within(self.pair.after.program, got_side);
        if self.differs_in_codes(p, v, sums, frame)? {
            return Ok(Some("infinities".to_string()));
        }
        // Contract strict names no identity; where every bit is the same one may be at work all the same: sqrt(x x) is |x|.
        let numerics = self.pair.numerics;
        if numerics.contract == Contract::Strict
            && self.has_equal_bits(p, v, frame)?
            && self.applies_other_functions((want_side, got_side), frame)
        {
            return Ok(Some("identity?".to_string()));
        }
        Ok(self.without_ties((want_side, got_side), frame))
    }

    /// Whether the two sides apply different functions, or to other numbers of operands.
    fn applies_other_functions(
        &self,
        (want_side, got_side): (&Side, &Side),
        frame: &Frame,
    ) -> bool {
        let session = &*self.session;
        let all = opaque::Which::All;
        let want = opaque::applications(session, self.pair.before, want_side, &frame.before, all);
        let after = &frame.followed.after;
        want != opaque::applications(session, self.pair.after, got_side, after, all)
    }

    fn has_equal_bits(&self, p: ValueId, v: ValueId, frame: &Frame) -> Result<bool, Stop> {
        let (Some(want), Some(got)) = (frame.before.get(&p), frame.followed.after.get(&v)) else {
            return Ok(false);
        };
        let (want, got) = (self.session.value(*want)?, self.session.value(*got)?);
        Ok(match (want.as_tensor(), got.as_tensor()) {
            (Some(w), Some(g)) => w.len() == g.len() && bits::differing_ieee(w, g).is_empty(),
            (_, _) => false,
        })
    }

    /// Whether both residues are codes and the numbers equal wherever residues differ: real arithmetic does not say which infinity a complex product is.
    fn differs_in_codes(
        &self,
        p: ValueId,
        v: ValueId,
        sums: bool,
        frame: &Frame,
    ) -> Result<bool, Stop> {
        let (Some(want), Some(got)) = (frame.before.get(&p), frame.followed.after.get(&v)) else {
            return Ok(false);
        };
        let (want, got) = (self.session.value(*want)?, self.session.value(*got)?);
        let (Some(want), Some(got)) = (want.as_tensor(), got.as_tensor()) else {
            return Ok(false);
        };
        let (Some(w), Some(g)) = (want.ring(), got.ring()) else {
            return Ok(false);
        };
        // XLA writes convolutions and products with zeros in between, and an infinity times such a zero is NaN.
        let padded = sums && self.pair.numerics.contract == Contract::Xla;
        let codes = |a: u32, b: u32| match padded {
            true => is_code(a) || is_code(b),
            false => is_code(a) && is_code(b),
        };
        let mut pairs = w.iter().zip(g);
        if w.len() != g.len() || !pairs.all(|(a, b)| a == b || codes(*a, *b)) {
            return Ok(false);
        }
        // Which infinity, or NaN, infinite terms add up to hangs on their order.
        let (x, y) = (bits::parts(want), bits::parts(got));
        let infinite = |x: f64, y: f64| match padded {
            true => !x.is_finite() || !y.is_finite(),
            false => !x.is_finite() && !y.is_finite(),
        };
        let parts = x.len() / w.len().max(1);
        let open = |i: usize| sums && (i * parts..(i + 1) * parts).all(|k| infinite(x[k], y[k]));
        let other_bits: HashSet<usize> = bits::differing_ieee(want, got).into_iter().collect();
        let mut unlike = (0..w.len()).filter(|i| w[*i] != g[*i]);
        Ok(unlike.all(|i| !other_bits.contains(&i) || open(i)))
    }

    /// As [`Self::not_decisive`], ties left out.
    fn without_ties(
        &mut self,
        (want_side, got_side): (&Side, &Side),
        frame: &Frame,
    ) -> Option<String> {
        if self.session.events.zero_divisors > 0 {
            return Some("zero divisor".to_string());
        }
        let numerics = self.pair.numerics;
        if numerics.contract == Contract::BitExact {
            return None;
        }
        let ambiguous = &frame.followed.ambiguous;
        if region::leaves(self.pair.after, got_side)
            .iter()
            .any(|x| ambiguous.contains(x))
        {
            return Some("several values as near as the one taken".to_string());
        }
        if !numerics.identities.is_empty() {
            return Some(format!("uses identities {:?}", numerics.identities));
        }
        let sides = [
            (self.pair.before.program, want_side),
            (self.pair.after.program, got_side),
        ];
        if sides.iter().any(|(p, side)| goes_through_bits(p, side)) {
            return Some("from bits".to_string());
        }
        if self.session.events.opaque_random > 0 {
            return Some("random numbers".to_string());
        }
        // What a library computes is hashed as one thing: another call may compute the same.
        if library_calls(sides[0]) != library_calls(sides[1]) {
            return Some("library calls of other form".to_string());
        }
        let factors = |program, side: &Side| {
            let mut ops = side.ops.iter();
            ops.any(|op| opaque::is_factorization(program, *op))
        };
        if factors(self.pair.before.program, want_side)
            != factors(self.pair.after.program, got_side)
        {
            return Some("a factorization written out".to_string());
        }
        // The residues are those of one way to write the function out; there are others.
        for (program, side) in [
            (self.pair.before.program, want_side),
            (self.pair.after.program, got_side),
        ] {
            if side.ops.iter().any(|op| opaque::is_judge(program, *op)) {
                return Some("a function written out otherwise".to_string());
            }
        }
        let [want, got] = sides;
        if numerics.contract == Contract::Strict
            && (contract::writes_out(want, got) || contract::writes_out(got, want))
        {
            return Some("a function written out otherwise".to_string());
        }
        if !numerics.contract.names_its_identities() {
            let session = &*self.session;
            let want = (self.pair.before, want_side, &frame.before);
            let got = (self.pair.after, got_side, &frame.followed.after);
            if self.applies_other_functions((want_side, got_side), frame)
                || opaque::has_logarithm_of_power(session, want, got)
            {
                return Some("identity?".to_string());
            }
        }
        if numerics.contract.merges_literals() {
            let after = lonely_literals(
                self.session,
                self.pair.after,
                got_side,
                &frame.followed.after,
                |t, x| self.literals.0.contains(t.element(), x),
                &frame.followed.shared,
            );
            let before = lonely_literals(
                self.session,
                self.pair.before,
                want_side,
                &frame.before,
                |t, x| self.literals.1.contains(t.element(), x),
                &frame.followed.shared,
            );
            if let Some((element, x)) = after.first() {
                if self.searched(element, *x).is_empty() {
                    self.outcome
                        .unexplained
                        .insert(format!("{x:?} : {element}"));
                }
                return Some(format!("literal {x:?}"));
            }
            if let Some((_, x)) = before.first() {
                return Some(format!("literal {x:?}"));
            }
        }
        None
    }

    /// Whether every element whose residues differ hangs on a near tie.
    fn all_tied(&self, p: ValueId, v: ValueId, ties: &[bool], frame: &Frame) -> Result<bool, Stop> {
        let tensor = |c: Option<&Content>| -> Result<Option<&Tensor>, Stop> {
            c.map(|c| self.session.value(*c))
                .transpose()
                .map(|v| v.and_then(Value::as_tensor))
        };
        let (Some(w), Some(g)) = (
            tensor(frame.before.get(&p))?,
            tensor(frame.followed.after.get(&v))?,
        ) else {
            return Ok(false);
        };
        let differing = bits::differing_ring(w, g);
        Ok(!differing.is_empty() && differing.iter().all(|i| ties.get(*i) == Some(&true)))
    }
}

/// The custom calls of a side that the ring takes as one thing, by what they are.
fn library_calls((program, side): (&Program, &Side)) -> BTreeSet<String> {
    let ops = side.ops.iter().map(|op| &program.op(*op).op);
    ops.filter_map(|op| match op {
        Op::Hlo(hlo::Op::CustomCall(call)) if call.is_opaque() => Some(format!("{call:?}")),
        Op::Hlo(_) => None,
    })
    .collect()
}

/// Whether the side takes floats apart to bits and makes floats of bits: residues do not follow.
fn goes_through_bits(program: &Program, side: &Side) -> bool {
    let is_float = |v: Option<&ValueId>| {
        v.and_then(|v| program.ty(*v).as_tensor())
            .is_some_and(|t| t.element.has_ring())
    };
    let casts = |from_float: bool| {
        side.ops.iter().any(|op| {
            let o = program.op(*op);
            matches!(o.op, Op::Hlo(hlo::Op::BitcastConvert(_)))
                && is_float(o.operands.first()) == from_float
                && is_float(o.results.first()) != from_float
        })
    };
    casts(true) && casts(false)
}

/// Float literals of a side that the other program does not have: scalars and splats by value; other tensors that hang on no input (literals, folded
/// or computed on the way) by content.
fn lonely_literals(
    session: &Session<'_>,
    version: &Version<'_>,
    side: &Side,
    environment: &Environment,
    has: impl Fn(&Tensor, f64) -> bool,
    shared: &HashSet<Content>,
) -> Vec<(ElementType, f64)> {
    let program = version.program;
    let mut out = vec![];
    let look = |t: &Tensor| -> Option<(ElementType, f64)> {
        let x = crate::literal::table::scalar(t)?;
        (x.is_finite() && x != 0.0 && !has(t, x)).then(|| (t.element().clone(), x))
    };
    for op in &side.ops {
        let o = program.op(*op);
        let inner = o.regions.iter().flat_map(|r| program.ops_within(*r));
        for id in std::iter::once(*op).chain(inner) {
            if let Op::Hlo(hlo::Op::Constant(c)) = &program.op(id).op
                && let Some(one) = c.value.splat_value()
            {
                out.extend(look(&one));
            }
        }
        // Literals from outside the region: scalars that the side takes.
        for v in o.operands.iter().chain(version.captures(*op)) {
            if let Some(c) = environment.get(v)
                && session.is_independent(*c)
                && let Some(t) = session.value(*c).ok().and_then(Value::as_tensor)
            {
                if t.len() == 1 {
                    out.extend(look(t));
                } else if t.element().has_ring()
                    && !shared.contains(c)
                    && let Some(first) = t.to_f64s().first()
                {
                    out.push((t.element().clone(), *first));
                }
            }
        }
    }
    out
}
