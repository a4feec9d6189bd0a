//! Cut points by the ring: an after-side value whose residues are those of a before-side value. Its region is compared in IEEE arithmetic.

use super::{Bodies, CoEvaluation, Fingerprints, Frame, RegionResult};
use crate::{
    compare::bits::{self, Difference},
    contract::{self, Judged, clauses},
    kernels,
    region::{self, Part, Side},
    session::{Content, Environment},
    validate::Origin,
    verdict::{Ieee, Ring},
};
use std::collections::HashMap;
use tileproof_dialect::{
    bound::Bound,
    eval::Stop,
    hlo,
    location::SourceOp,
    numerics::Contract,
    op::{Kind, Op},
    program::{Program, ValueDef, ValueId},
    tensor::Tensor,
};

/// Most candidates compared in IEEE before the closest is taken.
const MOST_PARTNERS: usize = 4;

/// How the after side computed the root of a region.
pub(super) struct Got<'e> {
    pub content: Content,
    /// Values it used, where they are not those of the frame.
    pub environment: Option<&'e Environment>,
    /// Errors of the literals it used.
    pub leaves: HashMap<ValueId, Bound>,
    /// Its ops, where they are not all those since the shared values.
    pub side: Option<&'e Side>,
}

impl Got<'_> {
    pub(super) fn plain(content: Content) -> Got<'static> {
        Got {
            content,
            environment: None,
            leaves: HashMap::new(),
            side: None,
        }
    }
}

/// What rounding there is between what both sides have and a value.
enum Exactness {
    Rounded,
    /// Conversions to wider types at most.
    Widened,
    /// None: elements are moved.
    Moved,
}

impl CoEvaluation<'_, '_, '_> {
    /// The before-side value with the residues of `content`, after its region was compared. None: there is no such value.
    pub(super) fn cut(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        fingerprints: &Fingerprints,
        frame: &Frame,
    ) -> Result<Option<Content>, Stop> {
        let Some(candidates) = fingerprints.get(&self.session.fingerprint(content)) else {
            return Ok(None);
        };
        let partners = self.partners(v, content, candidates, frame)?;
        let Some(first) = partners.first().copied() else {
            return Ok(None);
        };
        let got = Got::plain(content);
        let mut chosen = None;
        if partners.len() > 1 {
            // Several values of the before side are equal over the reals; the region is the one whose IEEE values fit.
            for p in &partners {
                let (_, _, judged) = self.judged(*p, v, &got, bodies, frame)?;
                if judged.ieee == Ieee::Within {
                    chosen = Some(*p);
                    break;
                }
            }
        }
        let partner = chosen.unwrap_or(first);
        if self.is_zero_of_other_sign(partner, content, frame)? {
            return Ok(None);
        }
        let exactness = self.exactness(partner, v, &got, bodies, frame);
        if matches!(exactness, Exactness::Widened) {
            return Ok(None);
        }
        // Where every bit is kept, so is every bit on the way.
        let moved = matches!(exactness, Exactness::Moved)
            && self.pair.numerics.contract != Contract::BitExact;
        // Few residues, and a field of 2^31 elements: equal by chance unless IEEE says so.
        let by_chance = chosen.is_none() && self.is_degenerate(content)?;
        // A result that is compared with the result that it stands for: what differs there is found there.
        let returned = || {
            let results = self.pair.before.program.returned(bodies.before).iter();
            let pairs = results.zip(self.pair.after.program.returned(bodies.after));
            pairs.into_iter().any(|(b, a)| *b == partner && *a == v)
        };
        let own_way = self.own_ways && !returned();
        // Another value may have the residues of x where x is special: |x| for x = -0.
        let special = !returned() && self.differs_where_special(partner, content, frame)?;
        // What is rounded at once stands for the rounded value, and may have the residues of another.
        let narrowed = !returned() && self.is_only_narrowed(v);
        // A root of a square is x or -x in the ring, as it comes.
        let other_root = !returned() && self.is_of_other_sign(partner, content, frame)?;
        if moved || by_chance || own_way || special || narrowed || other_root {
            let (_, _, judged) = self.judged(partner, v, &got, bodies, frame)?;
            let open = judged.ieee != Ieee::Within;
            let refused = match judged.clause {
                Some(clause) => own_way && *clause == clauses::EXCESS_PRECISION,
                None => judged.ieee == Ieee::Outside || open && (moved || other_root),
            };
            if refused {
                return Ok(None);
            }
        }
        self.changed_region(partner, v, &got, Ring::Equal, bodies, frame)?;
        Ok(frame.before.get(&partner).copied())
    }

    /// How exactly the after side computes `v` from what both have. Where it rounds nothing, a partner of other bits is another value, equal over the reals: what
    /// was there before a rounding, or the mirror image of a symmetric matrix. What hangs on `v` is then judged from what both have.
    fn exactness(
        &self,
        partner: ValueId,
        v: ValueId,
        got: &Got<'_>,
        bodies: Bodies,
        frame: &Frame,
    ) -> Exactness {
        let program = self.pair.after.program;
        let (_, side) = self.sides(partner, v, got, bodies, frame);
        let float = |v: Option<&ValueId>| {
            v.and_then(|v| program.ty(*v).as_tensor())
                .map(|t| &t.element)
                .filter(|e| e.is_float())
        };
        let mut out = Exactness::Moved;
        for op in &side.ops {
            let o = program.op(*op);
            match (float(o.operands.first()), float(o.results.first())) {
                (Some(from), Some(to)) if matches!(o.op, Op::Hlo(hlo::Op::Convert(_))) => {
                    if from.bits() >= to.bits() {
                        return Exactness::Rounded;
                    }
                    out = Exactness::Widened;
                }
                (Some(_), _) if o.op.kind() == Kind::Movement => {}
                // A choice between values rounds neither.
                (_, Some(_)) if matches!(o.op, Op::Hlo(hlo::Op::Select(_))) => {}
                (_, _) => return Exactness::Rounded,
            }
        }
        if side.ops.is_empty() {
            return Exactness::Rounded;
        }
        out
    }

    /// Whether equal residues may be chance: the value hangs on no input, or all its elements have one residue. Of a pass of ours: it is zero over the reals, as
    /// every sum is whose terms cancel.
    fn is_degenerate(&self, content: Content) -> Result<bool, Stop> {
        let ring = self.session.value(content)?.as_tensor();
        let ring = ring.and_then(Tensor::ring).unwrap_or_default();
        let all = |x: u32| ring.iter().all(|r| *r == x);
        if self.pair.origin == Origin::Pass {
            return Ok(!ring.is_empty() && all(0));
        }
        let one = match ring {
            [] => false,
            [only] => *only == 0,
            [first, ..] => all(*first),
        };
        Ok(one || self.session.is_independent(content))
    }

    /// Candidates, by provenance or closest first.
    fn partners(
        &self,
        v: ValueId,
        content: Content,
        candidates: &[ValueId],
        frame: &Frame,
    ) -> Result<Vec<ValueId>, Stop> {
        let source = |program: &tileproof_dialect::program::Program, v: ValueId| match program
            .value(v)
            .def
        {
            ValueDef::Result { op, .. } => program.op(op).location.sources.first().copied(),
            ValueDef::Argument { .. } => None,
        };
        let mut same: Vec<ValueId> = vec![];
        if self.pair.origin == Origin::Pass {
            let mine = self.sources(v);
            let shares = |c: &ValueId| {
                let theirs = source(self.pair.before.program, *c);
                theirs.is_some_and(|s| mine.contains(&s))
            };
            same.extend(candidates.iter().copied().filter(shares));
            if let [one] = same[..] {
                return Ok(vec![one]);
            }
            // Bits may differ where residues do not: x and x + 0. Without a common source a value of other bits is no partner, and what hangs on it is judged.
            if same.is_empty() && self.pair.numerics.contract == Contract::BitExact {
                return Ok(vec![]);
            }
        }
        // A function that is called twice gives two values of one source.
        let candidates = if same.is_empty() { candidates } else { &same };
        let mut distinct: Vec<(Content, ValueId)> = vec![];
        for c in candidates {
            let Some(content) = frame.before.get(c) else {
                continue;
            };
            match distinct.iter_mut().find(|(have, _)| have == content) {
                // Of one content: what stands for the same ops, and is computed.
                Some((_, have)) if self.likeness(*c, v) > self.likeness(*have, v) => *have = *c,
                Some(_) => {}
                None => distinct.push((*content, *c)),
            }
        }
        if distinct.len() > 1 {
            let got = self.session.value(content)?.clone();
            let mut ranked = vec![];
            for (i, (want, c)) in distinct.iter().enumerate() {
                let want = self.session.value(*want)?;
                let far = match (want.as_tensor(), got.as_tensor()) {
                    (Some(w), Some(g)) => far(w, g),
                    (_, _) => f64::INFINITY,
                };
                ranked.push((far, i, *c));
            }
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            return Ok(ranked
                .into_iter()
                .take(MOST_PARTNERS)
                .map(|(_, _, c)| c)
                .collect());
        }
        Ok(distinct.into_iter().map(|(_, c)| c).collect())
    }

    /// The source ops that an after-side value stands for: the first of its op, but of an op with several results any.
    fn sources(&self, v: ValueId) -> &[SourceOp] {
        let program = self.pair.after.program;
        let ValueDef::Result { op, .. } = program.value(v).def else {
            return &[];
        };
        let o = program.op(op);
        match (&o.location.sources[..], &o.results[..]) {
            ([first, ..], [_]) => std::slice::from_ref(first),
            (all, _) => all,
        }
    }

    /// How much a before-side value looks like what an op of a pass of ours computes: it stands for one of the same source ops; it is no constant.
    fn likeness(&self, candidate: ValueId, v: ValueId) -> (bool, bool) {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        match (before.value(candidate).def, after.value(v).def) {
            (ValueDef::Result { op: b, .. }, ValueDef::Result { op: a, .. })
                if self.pair.origin == Origin::Pass =>
            {
                let b = before.op(b);
                let mut sources = b.location.sources.iter();
                let shares = sources.any(|s| after.op(a).location.sources.contains(s));
                let is_constant = matches!(b.op, Op::Hlo(hlo::Op::Constant(_)));
                (shares, !is_constant)
            }
            (_, _) => (false, false),
        }
    }

    /// Both sides of the region between `partner` and `v`, and what IEEE says of them. Cut values are exact only where both sides start from them: a
    /// side that starts from a value which the other computes on the way is followed farther back before it is called outside, or before no bound decides what
    /// kernels compute.
    pub(super) fn judged(
        &mut self,
        partner: ValueId,
        v: ValueId,
        got: &Got<'_>,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<(Side, Side, Judged), Stop> {
        let (want_side, got_side) = self.sides(partner, v, got, bodies, frame);
        let judged = self.judged_sides(&want_side, &got_side, got, frame)?;
        let calls = |program: &Program, side: &Side| {
            let mut ops = side.ops.iter();
            ops.any(|op| program.op(*op).op.kernel().is_some())
        };
        let open = match judged.ieee {
            Ieee::Outside => judged.clause.is_none(),
            Ieee::Loose(_) => {
                calls(self.pair.before.program, &want_side)
                    || calls(self.pair.after.program, &got_side)
            }
            Ieee::Within | Ieee::NotRun => false,
        };
        if !open || got.side.is_some() {
            return Ok((want_side, got_side, judged));
        }
        let Some((want, have)) = self.common_start((&want_side, &got_side), bodies, frame) else {
            return Ok((want_side, got_side, judged));
        };
        let again = self.judged_sides(&want, &have, got, frame)?;
        tracing::debug!(
            "farther back: {} | {}: {:?}, was {:?}",
            want.words(self.pair.before.program),
            have.words(self.pair.after.program),
            again.ieee,
            judged.ieee
        );
        if judged.ieee == Ieee::Outside || again.ieee == Ieee::Within {
            return Ok((want, have, again));
        }
        Ok((want_side, got_side, judged))
    }

    fn judged_sides(
        &mut self,
        want_side: &Side,
        got_side: &Side,
        got: &Got<'_>,
        frame: &Frame,
    ) -> Result<Judged, Stop> {
        let before = Part {
            version: self.pair.before,
            side: want_side,
            environment: &frame.before,
            root: frame
                .before
                .get(&want_side.root)
                .copied()
                .ok_or_else(|| Stop::internal("a partner without value"))?,
            leaves: HashMap::new(),
        };
        let after = Part {
            version: self.pair.after,
            side: got_side,
            environment: got.environment.unwrap_or(&frame.followed.after),
            root: got.content,
            leaves: got.leaves.clone(),
        };
        let numerics = kernels::numerics(self.pair, &after);
        contract::judge(self.session, &numerics, &before, &after)
    }

    /// Compares the region's IEEE values and records what came of it; once per structure.
    pub(super) fn changed_region(
        &mut self,
        partner: ValueId,
        v: ValueId,
        got: &Got<'_>,
        ring: Ring,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<(), Stop> {
        let (want_side, got_side) = self.sides(partner, v, got, bodies, frame);
        let structures = (
            region::structure(self.pair.before, &want_side),
            region::structure(self.pair.after, &got_side),
        );
        if !self.seen.insert(structures) {
            self.outcome.repeated += 1;
            return Ok(());
        }
        self.seen_in_order.push(structures);
        let (_, _, judged) = self.judged(partner, v, got, bodies, frame)?;
        self.push_region(
            partner,
            v,
            (&want_side, &got_side),
            got,
            ring,
            judged,
            frame,
        )
    }

    /// The ops of both sides between the roots and what both have.
    pub(super) fn sides(
        &self,
        partner: ValueId,
        v: ValueId,
        got: &Got<'_>,
        bodies: Bodies,
        frame: &Frame,
    ) -> (Side, Side) {
        let shared = |e: &Environment, x: ValueId| {
            e.get(&x).is_some_and(|c| frame.followed.shared.contains(c))
        };
        let want = region::collect(self.pair.before, bodies.before, partner, |x| {
            shared(&frame.before, x)
        });
        let got = match got.side {
            Some(side) => side.clone(),
            None => region::collect(self.pair.after, bodies.after, v, |x| {
                shared(&frame.followed.after, x)
            }),
        };
        (want, got)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn push_region(
        &mut self,
        partner: ValueId,
        v: ValueId,
        sides: (&Side, &Side),
        got: &Got<'_>,
        ring: Ring,
        judged: Judged,
        frame: &Frame,
    ) -> Result<(), Stop> {
        let ValueDef::Result { op, .. } = self.pair.after.program.value(v).def else {
            return Ok(());
        };
        let want = frame
            .before
            .get(&partner)
            .copied()
            .ok_or_else(|| Stop::internal("a partner without value"))?;
        let difference = match judged.ieee {
            Ieee::Outside => self.difference(want, got.content, judged.at)?,
            Ieee::Within | Ieee::Loose(_) | Ieee::NotRun => None,
        };
        let program = self.pair.after.program;
        tracing::debug!(
            "region: {} | {}: {:?}, ring {:?}",
            sides.0.words(self.pair.before.program),
            sides.1.words(program),
            judged.ieee,
            ring
        );
        self.outcome.regions.push(RegionResult {
            op: kernels::name(program, op),
            location: program.op(op).location.clone(),
            rewrite: kernels::made_by(program, op),
            ops: (sides.0.ops.len(), sides.1.ops.len()),
            // What is compared bit for bit is decided whatever the ring keeps.
            ring: match (&ring, &self.pair.numerics.contract) {
                (Ring::NotDecisive(_), Contract::BitExact) if judged.ieee == Ieee::Within => {
                    Ring::Equal
                }
                (_, _) => ring,
            },
            ieee: judged.ieee,
            clause: judged.clause,
            undetermined: judged
                .ties
                .map_or(0, |t| t.iter().filter(|t| **t).count() as u64),
            cancelled: judged.cancelled,
            likely: judged.likely,
            rounds_otherwise: judged.rounds_otherwise,
            difference,
        });
        Ok(())
    }

    /// First differing element, or element `at`.
    pub(super) fn difference(
        &self,
        want: Content,
        got: Content,
        at: Option<usize>,
    ) -> Result<Option<Difference>, Stop> {
        let (want, got) = (self.session.value(want)?, self.session.value(got)?);
        Ok(match (want.as_tensor(), got.as_tensor(), at) {
            (Some(w), Some(g), Some(i)) if w.len() == g.len() => {
                Some(bits::describe(w, g, 0, i, &bits::differing_ieee(w, g)))
            }
            (_, _, _) => {
                bits::first_difference(std::slice::from_ref(want), std::slice::from_ref(got))
            }
        })
    }
}

/// Elements of a tensor that stand for it where values are only looked for: at most 256, evenly spaced.
pub(super) fn sample(t: &Tensor) -> Vec<f64> {
    const SAMPLE: usize = 256;
    let step = t.len().div_ceil(SAMPLE).max(1);
    let indices: Vec<usize> = (0..t.len()).step_by(step).collect();
    t.take(&[indices.len() as u64], &indices)
        .to_f64s()
        .into_owned()
}

/// How far the samples of two tensors of one type lie apart: share of elements that differ for integers; largest relative distance for floats.
pub(super) fn far(w: &Tensor, g: &Tensor) -> f64 {
    if w.len() != g.len() || w.element() != g.element() {
        return f64::INFINITY;
    }
    distance(w.element().is_float(), &sample(w), &sample(g))
}

/// Distance of two samples: the share of numbers that differ (integers), or the relative distance that all but one in twenty stay within (floats).
pub(super) fn distance(float: bool, a: &[f64], b: &[f64]) -> f64 {
    let relative = |x: f64, y: f64| {
        if x == y || (x.is_nan() && y.is_nan()) {
            return 0.0;
        }
        let d = (x - y).abs() / x.abs().max(y.abs());
        if d.is_nan() || !float { 1.0 } else { d }
    };
    let mut all: Vec<f64> = a.iter().zip(b).map(|(x, y)| relative(*x, *y)).collect();
    if !float {
        return all.iter().sum::<f64>() / all.len().max(1) as f64;
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() - 1 - all.len() / 20)
        .copied()
        .unwrap_or(0.0)
}
