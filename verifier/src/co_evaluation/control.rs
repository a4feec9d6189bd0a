//! Ops with bodies: one that has a counterpart before is followed inside, so that cut points are found there; a loop iteration by iteration.

use super::{Bodies, CoEvaluation, Frame, Pair, Pass};
use crate::{
    bodies,
    session::{Content, Environment, Session},
    validate::Origin,
};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::Op,
    program::{OpId, Operation, Program, RegionId, ValueId},
};

impl CoEvaluation<'_, '_, '_> {
    /// Results of an after-side op, and whether they hang on what the ring did not decide inside.
    pub(super) fn op(
        &mut self,
        op: OpId,
        before: RegionId,
        frame: &mut Frame,
        pass: Pass,
    ) -> Result<(Vec<Content>, bool), Stop> {
        let pair = self.pair;
        self.is_new = false;
        if let Some(known) = self.session.known(pair.after, op, &frame.followed.after)? {
            return Ok((known, false));
        }
        let counterpart = self.counterpart(op, before, frame)?;
        if pass != Pass::Exact
            && let Some(counterpart) = counterpart
            && let Some(results) = self.inside(counterpart, op, frame)?
        {
            self.is_new = false;
            return Ok(results);
        }
        let after = &mut frame.followed.after;
        let results = match counterpart.filter(|c| self.is_made_from(*c, op)) {
            Some(c) => {
                let sides = ((pair.after, op), (pair.before, c));
                self.session
                    .eval_counterpart(sides.0, after, sides.1, &frame.before)?
            }
            None => self.session.eval_op(pair.after, op, after)?,
        };
        self.is_new = true;
        Ok((results, false))
    }

    /// The before-side op of the same kind with the most operands and captured values in common; by provenance first.
    fn counterpart(&self, op: OpId, before: RegionId, frame: &Frame) -> Result<Option<OpId>, Stop> {
        let pair = self.pair;
        let o = pair.after.program.op(op);
        if !matches!(
            o.op,
            Op::Hlo(hlo::Op::Call(_) | hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_))
        ) {
            return Ok(None);
        }
        let contents = |e: &Environment, operands: &[ValueId]| -> Vec<Option<Content>> {
            operands.iter().map(|v| e.get(v).copied()).collect()
        };
        let wanted = contents(&frame.followed.after, &o.operands);
        let taken = contents(&frame.followed.after, pair.after.captures(op));
        let mut best: Option<((bool, usize, usize), OpId)> = None;
        for candidate in &pair.before.program.region(before).ops {
            let c = pair.before.program.op(*candidate);
            if !fits(pair, c, o) {
                continue;
            }
            let have = contents(&frame.before, &c.operands);
            let mut common = wanted.iter().filter(|w| have.contains(w)).count();
            // A branch takes what its bodies use from around it.
            let captured = contents(&frame.before, pair.before.captures(*candidate));
            common += taken.iter().filter(|w| captured.contains(w)).count();
            let is_loop = matches!(o.op, Op::Hlo(hlo::Op::While(_)));
            if have != wanted && (!is_loop || !wanted.iter().any(|w| have.contains(w))) {
                continue;
            }
            let rank = (
                have == wanted,
                usize::from(self.is_made_from(*candidate, op)),
                common,
            );
            if best.is_none_or(|(r, _)| rank > r) {
                best = Some((rank, *candidate));
            }
        }
        Ok(best.map(|(_, c)| c))
    }

    /// Whether a pass of ours says that it made the after-side op from this one.
    fn is_made_from(&self, before: OpId, after: OpId) -> bool {
        let pair = self.pair;
        let sources = &pair.after.program.op(after).location.sources;
        pair.origin == Origin::Pass
            && !sources.is_empty()
            && pair.before.program.op(before).location.sources.first() == sources.first()
    }

    /// Follows a pair of control-flow ops. None: evaluate as one op.
    fn inside(
        &mut self,
        before: OpId,
        after: OpId,
        frame: &mut Frame,
    ) -> Result<Option<(Vec<Content>, bool)>, Stop> {
        let pair = self.pair;
        let (b, a) = (pair.before.program.op(before), pair.after.program.op(after));
        let state = |e: &Environment, operands: &[ValueId]| -> Result<Vec<Content>, Stop> {
            operands
                .iter()
                .map(|v| {
                    e.get(v)
                        .copied()
                        .ok_or_else(|| Stop::internal("an operand is missing"))
                })
                .collect()
        };
        let want = state(&frame.before, &b.operands)?;
        let got = state(&frame.followed.after, &a.operands)?;
        let undecided: Vec<bool> = a
            .operands
            .iter()
            .map(|v| frame.followed.undecided.contains(v))
            .collect();
        match (&b.op, &a.op) {
            (Op::Hlo(hlo::Op::Call(x)), Op::Hlo(hlo::Op::Call(y))) => {
                let (Some(f), Some(g)) = (
                    pair.before.program.find_function(&x.callee),
                    pair.after.program.find_function(&y.callee),
                ) else {
                    return Ok(None);
                };
                // Never remembered in the session: the results hold cut values of this pair.
                let results = self.function((f, g), (&want, &got), &undecided)?;
                let undecided = results.undecided.contains(&true);
                Ok(Some((results.got, undecided)))
            }
            (Op::Hlo(hlo::Op::While(_)), Op::Hlo(hlo::Op::While(_))) => {
                self.loops((before, after), (want, got), undecided, frame)
            }
            (
                Op::Hlo(hlo::Op::If(_) | hlo::Op::Case(_)),
                Op::Hlo(hlo::Op::If(_) | hlo::Op::Case(_)),
            ) => self.branch((before, after), &want, frame),
            (Op::Hlo(_), Op::Hlo(_)) => Ok(None),
        }
    }

    /// Two branches on the same predicate: the one taken.
    fn branch(
        &mut self,
        (before, after): (OpId, OpId),
        operands: &[Content],
        frame: &mut Frame,
    ) -> Result<Option<(Vec<Content>, bool)>, Stop> {
        let pair = self.pair;
        let (b, a) = (pair.before.program.op(before), pair.after.program.op(after));
        let Some(predicate) = operands.first() else {
            return Ok(None);
        };
        let Some(taken) = bodies::taken(self.session, b, *predicate)? else {
            return Ok(None);
        };
        let (Some(x), Some(y)) = (b.regions.get(taken), a.regions.get(taken)) else {
            return Ok(None);
        };
        let mut inner = frame.inner(pair.before.captures(before), pair.after.captures(after));
        let bodies = Bodies {
            before: *x,
            after: *y,
        };
        self.session.enter()?;
        let results = self.region(bodies, (&[], &[]), &[], &mut inner);
        self.session.leave();
        let results = results?;
        let undecided = results.undecided.contains(&true);
        Ok(Some((results.got, undecided)))
    }

    /// Two loops, iteration by iteration, as long as the conditions agree and every value of the state is one that both sides have. None: they part.
    fn loops(
        &mut self,
        (before, after): (OpId, OpId),
        (mut want, mut got): (Vec<Content>, Vec<Content>),
        mut undecided: Vec<bool>,
        frame: &mut Frame,
    ) -> Result<Option<(Vec<Content>, bool)>, Stop> {
        let pair = self.pair;
        let bodies = |k: usize| Bodies {
            before: pair.before.program.op(before).regions[k],
            after: pair.after.program.op(after).regions[k],
        };
        let outer = frame.inner(pair.before.captures(before), pair.after.captures(after));
        let mut parted = false;
        for step in 0u64.. {
            self.session.limits().check_step(step)?;
            self.session.open_scope();
            let conditions =
                self.region(bodies(0), (&want, &got), &undecided, &mut outer.clone())?;
            let go_on = match (conditions.want.first(), conditions.got.first()) {
                (Some(want), Some(got)) => {
                    (truth(self.session, *want)?, truth(self.session, *got)?)
                }
                (_, _) => (false, false),
            };
            if !go_on.0 || !go_on.1 {
                self.session
                    .close_scope(&want.iter().chain(&got).copied().collect());
                parted = go_on.0 != go_on.1;
                break;
            }
            let next = self.region(bodies(1), (&want, &got), &undecided, &mut outer.clone())?;
            let keep = want.iter().chain(&got).chain(&next.want).chain(&next.got);
            self.session.close_scope(&keep.copied().collect());
            // A value of the after side's state that the before side does not have: from here on the loops part.
            parted = next
                .got
                .iter()
                .zip(&got)
                .any(|(new, old)| new != old && !next.want.contains(new));
            (want, got, undecided) = (next.want, next.got, next.undecided);
            if parted {
                break;
            }
        }
        if parted {
            return Ok(None);
        }
        Ok(Some((got, undecided.iter().any(|u| *u))))
    }
}

fn truth(session: &Session<'_>, c: Content) -> Result<bool, Stop> {
    Ok(session
        .value(c)?
        .as_tensor()
        .is_some_and(|t| t.as_slice::<u8>().first() == Some(&1)))
}

/// Whether the two ops may be compared body by body: the same op, and for branches and calls the same results.
fn fits(pair: &Pair<'_>, before: &Operation, after: &Operation) -> bool {
    let Op::Hlo(a) = &after.op;
    match (&before.op, a) {
        (Op::Hlo(hlo::Op::While(_)), hlo::Op::While(_)) => true,
        (Op::Hlo(hlo::Op::Call(_)), hlo::Op::Call(_))
        | (Op::Hlo(hlo::Op::If(_)), hlo::Op::If(_))
        | (Op::Hlo(hlo::Op::Case(_)), hlo::Op::Case(_)) => {
            before.regions.len() == after.regions.len() && same_types(pair, before, after)
        }
        (Op::Hlo(_), _) => false,
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
