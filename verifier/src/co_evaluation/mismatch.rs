//! Returned values that differ after all: which op is to blame, whether the ring decides, what IEEE says beside that op.

use super::{Bodies, CoEvaluation, Frame, Mismatch, cut::Got};
use crate::{
    blame::{self, Contents},
    kernels::inside::{self, Inside},
    session::{Content, Environment, Version},
    validate::Origin,
    verdict::{Ieee, Ring},
};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::Op,
    program::{Program, RegionId, ValueDef, ValueId},
};

impl CoEvaluation<'_, '_, '_> {
    /// Records every returned value that differs, with the op to blame.
    pub(super) fn note_mismatches(
        &mut self,
        bodies: Bodies,
        want: &[Content],
        got: &[Content],
        frame: &Frame,
    ) -> Result<(), Stop> {
        let types = |program: &Program, region| -> Vec<String> {
            let returned = program.returned(region).iter();
            returned.map(|v| program.ty(*v).to_string()).collect()
        };
        if want.len() != got.len()
            || types(self.pair.before.program, bodies.before)
                != types(self.pair.after.program, bodies.after)
        {
            return Ok(());
        }
        let certain = self.pair.origin == Origin::Pass
            || bodies.after
                == self
                    .pair
                    .after
                    .program
                    .function(self.pair.after.program.entry)
                    .body;
        for (i, (w, g)) in want
            .iter()
            .zip(got)
            .enumerate()
            .filter(|(_, (w, g))| w != g)
        {
            let mut blame = blame::find(
                self.pair,
                (bodies.before, bodies.after),
                i,
                &Contents {
                    before: &frame.before,
                    after: &frame.followed.after,
                    known: &frame.known,
                },
            );
            blame.inside = self.inside_kernel(&blame, bodies, frame)?;
            let returned = (
                self.pair.before.program.returned(bodies.before).get(i),
                self.pair.after.program.returned(bodies.after).get(i),
            );
            let returned = match returned {
                (Some(b), Some(a)) if self.comparable(*b, *a) => Some((*b, *a)),
                (_, _) => None,
            };
            let beside = match (blame.before, blame.after) {
                (Some(b), Some(a)) if self.comparable(b, a) => Some((b, a)),
                (_, _) => returned,
            };
            let Some(beside) = beside else {
                let difference = self.difference(*w, *g, None)?;
                self.outcome.mismatches.push(Mismatch {
                    blame,
                    difference,
                    ring: Ring::Differs,
                    ieee: Ieee::NotRun,
                    clause: None,
                    certain,
                });
                continue;
            };
            let mut mismatch = self.mismatch(blame, beside, bodies, frame)?;
            mismatch.certain = certain;
            // Between foreign programs only what is returned corresponds for certain.
            if let (Origin::Foreign, Some(returned)) = (self.pair.origin, returned)
                && returned != beside
            {
                let whole = self.mismatch(mismatch.blame.clone(), returned, bodies, frame)?;
                if matches!(whole.ring, Ring::NotDecisive(_)) || mismatch.ring != Ring::Differs {
                    (mismatch.ring, mismatch.ieee, mismatch.clause) =
                        (whole.ring, whole.ieee, whole.clause);
                }
            }
            self.outcome.mismatches.push(mismatch);
        }
        Ok(())
    }

    /// The op inside the kernel to blame that gives the first wrong value.
    fn inside_kernel(
        &self,
        blame: &blame::Blame,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<Option<Inside>, Stop> {
        let program = self.pair.after.program;
        let Some(ValueDef::Result { op, .. }) = blame.after.map(|v| program.value(v).def) else {
            return Ok(None);
        };
        let operands = &program.op(op).operands;
        let operands: Option<Vec<Content>> = operands
            .iter()
            .map(|v| frame.followed.after.get(v).copied())
            .collect();
        let Some(operands) = operands else {
            return Ok(None);
        };
        let calls = inside::Calls {
            before: (self.pair.before.program, bodies.before),
            after: (program, op),
            values: &|v| frame.before.get(&v).copied(),
            operands: &operands,
        };
        inside::first_wrong(self.session, &calls)
    }

    fn comparable(&self, b: ValueId, a: ValueId) -> bool {
        self.pair
            .before
            .program
            .ty(b)
            .compatible(self.pair.after.program.ty(a))
    }

    fn mismatch(
        &mut self,
        blame: blame::Blame,
        (b, a): (ValueId, ValueId),
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<Mismatch, Stop> {
        let (Some(x), Some(y)) = (
            frame.before.get(&b).copied(),
            frame.followed.after.get(&a).copied(),
        ) else {
            return Err(Stop::internal("a value to blame was not computed"));
        };
        let (want_side, got_side, judged) = self.judged(b, a, &Got::plain(y), bodies, frame)?;
        let same = self.session.fingerprint(x) == self.session.fingerprint(y);
        let ring = if same || self.same_by_turns(b, y, frame) {
            Ring::Equal
        } else {
            match self.not_decisive(b, a, (&want_side, &got_side), &judged, frame)? {
                Some(why) => Ring::NotDecisive(why),
                // What was taken for the same number a turn away is another residue farther down.
                None if judged.ieee != Ieee::Outside && self.other_exponentials(bodies, frame) => {
                    Ring::NotDecisive("identity?".to_string())
                }
                None => Ring::Differs,
            }
        };
        Ok(Mismatch {
            blame,
            difference: self.difference(x, y, None)?,
            ring,
            ieee: judged.ieee,
            clause: judged.clause,
            certain: true,
        })
    }

    /// Whether the bodies of foreign programs both take exponentials or logarithms, of other numbers or not as often: exp(a) exp(a) may be an exp(2a) that
    /// was there before.
    fn other_exponentials(&self, bodies: Bodies, frame: &Frame) -> bool {
        let taken = |version: &Version<'_>, region: RegionId, e: &Environment| -> Vec<u128> {
            let program = version.program;
            let ops = program.region(region).ops.iter().map(|op| program.op(*op));
            let turning = ops.filter(|o| {
                let Op::Hlo(inner) = &o.op;
                matches!(inner, hlo::Op::Exponential(_) | hlo::Op::Log(_))
            });
            let operands = turning.filter_map(|o| o.operands.first());
            let operands = operands.filter(|v| !version.is_constant(**v));
            let contents = operands.filter_map(|v| e.get(v));
            let mut all: Vec<u128> = contents.map(|c| self.session.fingerprint(*c)).collect();
            all.sort_unstable();
            all
        };
        let want = taken(self.pair.before, bodies.before, &frame.before);
        let got = taken(self.pair.after, bodies.after, &frame.followed.after);
        let both = !want.is_empty() && !got.is_empty();
        self.pair.origin == Origin::Foreign && both && want != got
    }
}
