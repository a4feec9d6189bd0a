//! Evaluates two versions side by side. A value of the after side that equals one of the before side (bit for bit, or in the ring) is a *cut point*:
//! from there on the after side continues with the before side's value, so every changed region starts from shared values, choices are made on one
//! IEEE plane, and unchanged ops are evaluated once.
//!
//! Proves, for the inputs and seed at hand: the ring values of all results agree, or which do not. Cannot: see paths these inputs do not take.

use crate::{
    blame,
    compare::bits::{self, Difference},
    region::{self, Part, Side},
    session::{Content, Environment, Session, Version},
    verdict::{Ieee, Ring},
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    location::Location,
    numerics::{Contract, Numerics},
    op::Op,
    program::{FunctionId, OpId, Operation, Program, RegionId, ValueDef, ValueId},
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
    pub difference: Option<Difference>,
}

/// A value that the function or body at hand returns and that differs.
#[derive(Debug, Clone)]
pub struct Mismatch {
    /// The innermost op that is to blame, with its rewrite where known.
    pub blame: blame::Blame,
    pub difference: Option<Difference>,
    pub ieee: Ieee,
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
}

/// Everything fixed during one comparison of two versions.
pub struct Pair<'p> {
    pub before: &'p Version<'p>,
    pub after: &'p Version<'p>,
    pub numerics: &'p Numerics,
    pub rewrites: &'p [blame::Rewrite],
}

/// One activation: both environments and what is shared.
#[derive(Clone, Default)]
struct Frame {
    before: Environment,
    after: Environment,
    /// Before-side value for each content of the before side.
    known: HashMap<Content, ValueId>,
    /// Contents that both sides have.
    shared: HashSet<Content>,
}

pub struct CoEvaluation<'p, 's, 'a> {
    pub pair: &'p Pair<'p>,
    pub session: &'s mut Session<'a>,
    /// Structures of regions validated so far.
    pub seen: &'s mut HashSet<(u128, u128)>,
    /// Results of after-side calls followed inside, by callee and operands. They hold substituted values of this pair, so the session, whose results are
    /// those of one version alone, never sees them.
    pub calls: HashMap<u128, Vec<Content>>,
    pub outcome: Outcome,
}

impl CoEvaluation<'_, '_, '_> {
    /// Runs both entry functions on the same arguments. Gives (before, after) contents of each result.
    pub fn main(&mut self, arguments: &[Content]) -> Result<Vec<(Content, Content)>, Stop> {
        self.function(
            self.pair.before.program.entry,
            self.pair.after.program.entry,
            arguments,
        )
    }

    fn function(
        &mut self,
        before: FunctionId,
        after: FunctionId,
        arguments: &[Content],
    ) -> Result<Vec<(Content, Content)>, Stop> {
        let regions = (
            self.pair.before.program.function(before).body,
            self.pair.after.program.function(after).body,
        );
        self.session.enter()?;
        let results = self.region(regions, arguments, &mut Frame::default());
        self.session.leave();
        results
    }

    /// Runs two regions on the same arguments inside `frame`, which holds the captured values.
    fn region(
        &mut self,
        (before, after): (RegionId, RegionId),
        arguments: &[Content],
        frame: &mut Frame,
    ) -> Result<Vec<(Content, Content)>, Stop> {
        let pair = self.pair;
        let want = self
            .session
            .eval_region(pair.before, before, arguments, &mut frame.before)?;
        for v in &pair.before.program.region(before).arguments {
            frame.known.insert(frame.before[v], *v);
        }
        let mut by_fingerprint: HashMap<u128, Vec<ValueId>> = HashMap::new();
        for op in &pair.before.program.region(before).ops {
            for v in &pair.before.program.op(*op).results {
                let content = frame.before[v];
                frame.known.entry(content).or_insert(*v);
                by_fingerprint
                    .entry(self.session.fingerprint(content))
                    .or_default()
                    .push(*v);
            }
        }
        for v in pair.before.program.region(before).arguments.iter() {
            by_fingerprint
                .entry(self.session.fingerprint(frame.before[v]))
                .or_default()
                .push(*v);
        }
        frame.shared.extend(arguments.iter().copied());
        let inner = &pair.after.program.region(after).arguments;
        frame
            .after
            .extend(inner.iter().copied().zip(arguments.iter().copied()));
        for op in pair.after.program.region(after).ops.clone() {
            if pair.after.program.op(op).op.is_return() {
                break;
            }
            self.session.limits().check_cancelled()?;
            self.outcome.ops += 1;
            let results = self.op(op, before, frame)?;
            let values = &pair.after.program.op(op).results;
            // All results are there before the first is compared: bounds look at every result of an op.
            frame
                .after
                .extend(values.iter().copied().zip(results.iter().copied()));
            for (v, content) in values.iter().zip(results) {
                let cut = self.cut(*v, content, (before, after), &by_fingerprint, frame)?;
                frame.after.insert(*v, cut);
            }
        }
        let got: Vec<Content> = pair
            .after
            .program
            .returned(after)
            .iter()
            .map(|v| {
                frame
                    .after
                    .get(v)
                    .copied()
                    .ok_or_else(|| Stop::internal("a returned value is missing"))
            })
            .collect::<Result<_, _>>()?;
        self.note_mismatches((before, after), &want, &got, frame)?;
        Ok(want.into_iter().zip(got).collect())
    }

    /// Results of an after-side op. An op with regions that has a changed counterpart on the same operands is followed inside.
    fn op(&mut self, op: OpId, before: RegionId, frame: &mut Frame) -> Result<Vec<Content>, Stop> {
        let pair = self.pair;
        if let Some(known) = self.session.known(pair.after, op, &frame.after)? {
            return Ok(known);
        }
        let key = self.session.key_of(pair.after, op, &frame.after)?;
        if let Some(known) = self.calls.get(&key)
            && known.iter().all(|c| self.session.value(*c).is_ok())
        {
            return Ok(known.clone());
        }
        if let Some(counterpart) = self.counterpart(op, before, frame)?
            && let Some(results) = self.inside(counterpart, op, frame)?
        {
            return Ok(results);
        }
        self.session.eval_op(pair.after, op, &mut frame.after)
    }

    /// The before-side op of the same kind on the same operands whose regions or callee differ; by provenance first.
    fn counterpart(&self, op: OpId, before: RegionId, frame: &Frame) -> Result<Option<OpId>, Stop> {
        let pair = self.pair;
        let o = pair.after.program.op(op);
        if !matches!(o.op, Op::Hlo(hlo::Op::Call(_) | hlo::Op::While(_))) && o.regions.is_empty() {
            return Ok(None);
        }
        let contents = |e: &Environment, operands: &[ValueId]| {
            operands
                .iter()
                .map(|v| e.get(v).copied())
                .collect::<Option<Vec<_>>>()
        };
        let wanted = contents(&frame.after, &o.operands);
        let mut fits: Vec<OpId> = vec![];
        for candidate in &pair.before.program.region(before).ops {
            let c = pair.before.program.op(*candidate);
            if std::mem::discriminant(&c.op) == std::mem::discriminant(&o.op)
                && same_kind(&c.op, &o.op)
                && same_types(pair, c, o)
                && contents(&frame.before, &c.operands) == wanted
            {
                fits.push(*candidate);
            }
        }
        let root = o.location.sources.first();
        let by_provenance = fits
            .iter()
            .find(|c| pair.before.program.op(**c).location.sources.first() == root);
        Ok(by_provenance.or(fits.first()).copied())
    }

    /// Follows a pair of control-flow ops on the same operands. None: evaluate as one op.
    fn inside(
        &mut self,
        before: OpId,
        after: OpId,
        frame: &mut Frame,
    ) -> Result<Option<Vec<Content>>, Stop> {
        let pair = self.pair;
        let (b, a) = (pair.before.program.op(before), pair.after.program.op(after));
        let arguments: Vec<Content> = b
            .operands
            .iter()
            .filter_map(|v| frame.before.get(v).copied())
            .collect();
        match (&b.op, &a.op) {
            (Op::Hlo(hlo::Op::Call(x)), Op::Hlo(hlo::Op::Call(y))) => {
                let (Some(f), Some(g)) = (
                    pair.before.program.find_function(&x.callee),
                    pair.after.program.find_function(&y.callee),
                ) else {
                    return Ok(None);
                };
                let results: Vec<Content> = self
                    .function(f, g, &arguments)?
                    .into_iter()
                    .map(|(_, got)| got)
                    .collect();
                let key = self.session.key_of(pair.after, after, &frame.after)?;
                self.calls.insert(key, results.clone());
                Ok(Some(results))
            }
            (Op::Hlo(hlo::Op::While(_)), Op::Hlo(hlo::Op::While(_))) => {
                self.loops(before, after, arguments, frame).map(Some)
            }
            (Op::Hlo(_), Op::Hlo(_)) => Ok(None),
        }
    }

    /// Two loops from the same state: as long as condition and state agree, iteration by iteration; from the first difference on, each alone.
    fn loops(
        &mut self,
        before: OpId,
        after: OpId,
        mut state: Vec<Content>,
        frame: &mut Frame,
    ) -> Result<Vec<Content>, Stop> {
        let pair = self.pair;
        let regions = |k: usize| {
            (
                pair.before.program.op(before).regions[k],
                pair.after.program.op(after).regions[k],
            )
        };
        let truth = |session: &Session<'_>, c: Content| -> Result<bool, Stop> {
            Ok(session
                .value(c)?
                .as_tensor()
                .is_some_and(|t| t.as_slice::<u8>().first() == Some(&1)))
        };
        for step in 0u64.. {
            self.session.limits().check_step(step)?;
            self.session.open_scope();
            let conditions = self.region(regions(0), &state, &mut frame.clone())?;
            let (go_on, after_goes_on) = match conditions.first() {
                Some((want, got)) => (truth(self.session, *want)?, truth(self.session, *got)?),
                None => (false, false),
            };
            if !go_on || go_on != after_goes_on {
                self.session.close_scope(&state.iter().copied().collect());
                if go_on == after_goes_on {
                    return Ok(state);
                }
                break;
            }
            let next = self.region(regions(1), &state, &mut frame.clone())?;
            let agreed = next.iter().all(|(want, got)| want == got);
            let new: Vec<Content> = next.iter().map(|(want, _)| *want).collect();
            self.session
                .close_scope(&new.iter().chain(&state).copied().collect());
            if !agreed {
                break;
            }
            state = new;
        }
        self.session.eval_op(pair.after, after, &mut frame.after)
    }

    /// Decides whether after-side value `v` is a cut point and gives the content the after side continues with.
    fn cut(
        &mut self,
        v: ValueId,
        content: Content,
        regions: (RegionId, RegionId),
        by_fingerprint: &HashMap<u128, Vec<ValueId>>,
        frame: &mut Frame,
    ) -> Result<Content, Stop> {
        if frame.known.contains_key(&content) {
            frame.shared.insert(content);
            self.outcome.identical += 1;
            return Ok(content);
        }
        let fingerprint = self.session.fingerprint(content);
        let Some(candidates) = by_fingerprint.get(&fingerprint) else {
            return Ok(content);
        };
        let Some(partner) = self.partner(v, content, candidates, frame)? else {
            return Ok(content);
        };
        self.changed_region(partner, v, content, regions, frame)?;
        let shared = frame.before[&partner];
        frame.shared.insert(shared);
        Ok(shared)
    }

    /// Before-side value with the same residues: by provenance, else the first.
    fn partner(
        &self,
        v: ValueId,
        _: Content,
        candidates: &[ValueId],
        _: &Frame,
    ) -> Result<Option<ValueId>, Stop> {
        let root = |version: &Version<'_>, v: ValueId| match version.program.value(v).def {
            ValueDef::Result { op, .. } => version.program.op(op).location.sources.first().copied(),
            ValueDef::Argument { .. } => None,
        };
        let mine = root(self.pair.after, v);
        let by_provenance = candidates
            .iter()
            .find(|c| mine.is_some() && root(self.pair.before, **c) == mine);
        Ok(by_provenance.or(candidates.first()).copied())
    }

    /// Ring equal: compares the region's IEEE values.
    fn changed_region(
        &mut self,
        partner: ValueId,
        v: ValueId,
        content: Content,
        regions: (RegionId, RegionId),
        frame: &Frame,
    ) -> Result<(), Stop> {
        let (want_side, got_side) = self.sides(partner, v, regions, frame);
        let bit_exact = self.pair.numerics.contract == Contract::BitExact;
        let structures = (
            region::structure(self.pair.before, &want_side),
            region::structure(self.pair.after, &got_side),
        );
        if !bit_exact && !self.seen.insert(structures) {
            self.outcome.repeated += 1;
            return Ok(());
        }
        let want = frame.before[&partner];
        let (ieee, at) = if bit_exact {
            (Ieee::Outside, None)
        } else {
            self.local(&want_side, want, &got_side, content, frame)?
        };
        let difference = match ieee {
            Ieee::Outside => self.difference(want, content, at)?,
            Ieee::Within | Ieee::Loose(_) | Ieee::NotRun => None,
        };
        // A region whose bits agree up to NaN payloads keeps a bit-exact contract.
        let ieee = if bit_exact && difference.is_none() {
            Ieee::Within
        } else {
            ieee
        };
        self.push_region(
            v,
            (want_side.ops.len(), got_side.ops.len()),
            Ring::Equal,
            ieee,
            difference,
        );
        Ok(())
    }

    fn sides(
        &self,
        partner: ValueId,
        v: ValueId,
        regions: (RegionId, RegionId),
        frame: &Frame,
    ) -> (Side, Side) {
        let is_shared =
            |e: &Environment, x: ValueId| e.get(&x).is_some_and(|c| frame.shared.contains(c));
        let want = region::collect(self.pair.before, regions.0, partner, |x| {
            is_shared(&frame.before, x)
        });
        let got = region::collect(self.pair.after, regions.1, v, |x| {
            is_shared(&frame.after, x)
        });
        (want, got)
    }

    fn local(
        &mut self,
        want_side: &Side,
        want: Content,
        got_side: &Side,
        got: Content,
        frame: &Frame,
    ) -> Result<(Ieee, Option<usize>), Stop> {
        let before = Part {
            version: self.pair.before,
            side: want_side,
            environment: &frame.before,
            root: want,
        };
        let after = Part {
            version: self.pair.after,
            side: got_side,
            environment: &frame.after,
            root: got,
        };
        let found = region::compare(self.session, &before, &after)?;
        Ok((found.ieee, found.outside))
    }

    /// First differing element, or element `at`.
    fn difference(
        &self,
        want: Content,
        got: Content,
        at: Option<usize>,
    ) -> Result<Option<Difference>, Stop> {
        let (want, got) = (self.session.value(want)?, self.session.value(got)?);
        Ok(match (want.as_tensor(), got.as_tensor(), at) {
            (Some(w), Some(g), Some(i)) => Some(bits::describe(
                w,
                g,
                0,
                i,
                bits::differing_ieee(w, g).len() as u64,
            )),
            (_, _, _) => {
                bits::first_difference(std::slice::from_ref(want), std::slice::from_ref(got))
            }
        })
    }

    fn push_region(
        &mut self,
        v: ValueId,
        ops: (usize, usize),
        ring: Ring,
        ieee: Ieee,
        difference: Option<Difference>,
    ) {
        let ValueDef::Result { op, .. } = self.pair.after.program.value(v).def else {
            return;
        };
        let o = self.pair.after.program.op(op);
        self.outcome.regions.push(RegionResult {
            op: o.op.name(),
            location: o.location.clone(),
            rewrite: o.location.rewrite.clone(),
            ops,
            ring,
            ieee,
            difference,
        });
    }

    /// Records every returned value that differs, with the op to blame.
    fn note_mismatches(
        &mut self,
        regions: (RegionId, RegionId),
        want: &[Content],
        got: &[Content],
        frame: &Frame,
    ) -> Result<(), Stop> {
        for (i, (w, g)) in want
            .iter()
            .zip(got)
            .enumerate()
            .filter(|(_, (w, g))| w != g)
        {
            let is_cut = |v: ValueId| {
                frame
                    .after
                    .get(&v)
                    .is_some_and(|c| frame.known.contains_key(c))
            };
            let blame = blame::find(
                self.pair,
                regions,
                i,
                is_cut,
                |v| frame.before.get(&v).copied(),
                |v| frame.after.get(&v).copied(),
            );
            let (ieee, difference) = match (blame.before, blame.after) {
                (Some(b), Some(a))
                    if self
                        .pair
                        .before
                        .program
                        .ty(b)
                        .compatible(self.pair.after.program.ty(a)) =>
                {
                    let (want_side, got_side) = self.sides(b, a, regions, frame);
                    let (x, y) = (frame.before[&b], frame.after[&a]);
                    (
                        self.local(&want_side, x, &got_side, y, frame)?.0,
                        self.difference(x, y, None)?,
                    )
                }
                (_, _) => (Ieee::NotRun, self.difference(*w, *g, None)?),
            };
            self.outcome.mismatches.push(Mismatch {
                blame,
                difference,
                ieee,
            });
        }
        Ok(())
    }
}

/// Both ops give the same number of results, of the same types.
fn same_types(pair: &Pair<'_>, before: &Operation, after: &Operation) -> bool {
    let types = |program: &Program, o: &Operation| {
        o.results
            .iter()
            .map(|v| program.ty(*v).clone())
            .collect::<Vec<_>>()
    };
    let (b, a) = (
        types(pair.before.program, before),
        types(pair.after.program, after),
    );
    b.len() == a.len() && b.iter().zip(&a).all(|(x, y)| x.compatible(y))
}

/// Ops with regions may differ in their regions, not in their attributes; calls may differ in the callee.
fn same_kind(a: &Op, b: &Op) -> bool {
    matches!(
        (a, b),
        (Op::Hlo(hlo::Op::Call(_)), Op::Hlo(hlo::Op::Call(_)))
    ) || a == b
}
