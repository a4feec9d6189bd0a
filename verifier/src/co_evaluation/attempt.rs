//! Ways to follow the after side: a body is followed once, and again where a result differs or a bound decides nothing; what knows most counts.
//!
//! Proves what each attempt proves by itself. Cannot: decide what no attempt decides.

use super::{
    Bodies, CoEvaluation, Fingerprints, Followed, Frame, Mismatch, Outcome, Pass, RegionResult,
};
use crate::{session::Content, validate::Origin, verdict::Ieee};
use std::collections::BTreeSet;
use tileproof_dialect::eval::Stop;

/// What following the after side once gave.
pub(super) struct Attempt {
    pub followed: Followed,
    pub outcome: Outcome,
    pub got: Vec<Content>,
}

impl Attempt {
    /// Results that differ.
    fn wrong(&self, want: &[Content]) -> Vec<usize> {
        let pairs = want.iter().zip(&self.got).enumerate();
        pairs.filter(|(_, (w, g))| w != g).map(|(i, _)| i).collect()
    }

    /// The one that says less against the after side; this one on a tie. A value taken for another one may fit and still be wrong further on.
    fn better(self, other: Attempt, want: &[Content], mark: &Mark) -> Attempt {
        let rank = |a: &Attempt| {
            (
                a.outcome.badness_since(mark.lengths[1]),
                a.wrong(want).len(),
            )
        };
        if rank(&other) < rank(&self) {
            other
        } else {
            self
        }
    }

    /// As [`Self::better`], result by result: each attempt shows by itself what it shows of a result.
    fn joined(self, other: Attempt, want: &[Content], mark: &Mark) -> Attempt {
        let (mine, theirs) = (self.wrong(want), other.wrong(want));
        let loses = theirs.iter().any(|i| !mine.contains(i));
        let gains = mine.iter().any(|i| !theirs.contains(i));
        if !(loses && gains) {
            return self.better(other, want, mark);
        }
        let mut out = other;
        for (i, w) in want.iter().enumerate() {
            if self.got[i] == *w {
                out.got[i] = *w;
            }
        }
        let found = mark.lengths[1];
        // Mismatches that are certain are those of the results, in their order.
        let of = |outcome: &Outcome, wrong: &[usize], i: usize| {
            let at = wrong.iter().position(|x| *x == i)?;
            let certain = outcome.mismatches.iter().skip(found).filter(|m| m.certain);
            certain.into_iter().nth(at).cloned()
        };
        let both: Vec<Mismatch> = mine
            .iter()
            .filter(|i| theirs.contains(i))
            .flat_map(|i| {
                let (a, b) = (of(&self.outcome, &mine, *i), of(&out.outcome, &theirs, *i));
                match (a, b) {
                    (Some(a), Some(b)) if b.verdict().badness() < a.verdict().badness() => Some(b),
                    (a, b) => a.or(b),
                }
            })
            .collect();
        out.outcome.mismatches.truncate(found);
        out.outcome.mismatches.extend(both);
        let regions = self.outcome.regions.into_iter().skip(mark.lengths[0]);
        out.outcome.regions.extend(regions);
        out.outcome.explained.extend(self.outcome.explained);
        out.outcome.unexplained.extend(self.outcome.unexplained);
        out.followed.undecided.extend(self.followed.undecided);
        out
    }
}

/// How much was found at one moment.
#[derive(Clone)]
pub(super) struct Mark {
    lengths: [usize; 3],
    counts: [u64; 3],
    literals: (BTreeSet<String>, BTreeSet<String>),
}

impl Outcome {
    fn ieee_since(&self, mark: &Mark) -> impl Iterator<Item = &Ieee> {
        let [regions, mismatches, _] = mark.lengths;
        let regions = self.regions.iter().skip(regions);
        let allowed = regions.filter(|r| r.clause.is_none()).map(|r| &r.ieee);
        allowed.chain(self.mismatches.iter().skip(mismatches).map(|m| &m.ieee))
    }

    /// Whether a bound decided nothing since the mark, and nothing is known to be wrong. Cut points may be to blame: a value of the other side that is equal
    /// over the reals and has other bits took the place of one that was right.
    pub(super) fn is_open_since(&self, mark: &Mark) -> bool {
        let loose = |i: &Ieee| matches!(i, Ieee::Loose(_));
        self.ieee_since(mark).any(loose) && !self.ieee_since(mark).any(|i| *i == Ieee::Outside)
    }

    /// Whether IEEE refused a region since the mark, or a result differs for certain.
    pub(super) fn is_refuted_since(&self, mark: &Mark) -> bool {
        let refused = |r: &RegionResult| r.ieee == Ieee::Outside && r.clause.is_none();
        let [regions, mismatches, _] = mark.lengths;
        self.regions[regions..].iter().any(refused) || self.badness_since(mismatches) > 0
    }

    /// Whether a region since the mark was refused for where it rounds.
    pub(super) fn rounds_otherwise_since(&self, mark: &Mark) -> bool {
        let mut regions = self.regions.iter().skip(mark.lengths[0]);
        regions.any(|r| r.rounds_otherwise && r.clause.is_none())
    }

    /// Whether every region since the mark is within its bounds and no result differs.
    pub(super) fn is_proved_since(&self, mark: &Mark) -> bool {
        let within = |r: &RegionResult| r.ieee == Ieee::Within || r.clause.is_some();
        let [regions, mismatches, _] = mark.lengths;
        self.regions[regions..].iter().all(within) && self.mismatches.len() == mismatches
    }

    /// Whether another way to follow the after side may say more.
    pub(super) fn is_doubtful_since(&self, mark: &Mark) -> bool {
        self.is_open_since(mark) || self.is_refuted_since(mark)
    }
}

impl CoEvaluation<'_, '_, '_> {
    /// The best of all ways to follow the after side, after the first.
    pub(super) fn attempts(
        &mut self,
        bodies: Bodies,
        want: &[Content],
        fingerprints: &Fingerprints,
        frame: &mut Frame,
        (start, mark): (Followed, Mark),
        mut best: Attempt,
    ) -> Result<Attempt, Stop> {
        let program = self.pair.after.program;
        let foreign = self.pair.origin == Origin::Foreign;
        let foreign_entry = foreign && bodies.after == program.function(program.entry).body;
        if foreign_entry && best.outcome.is_open_since(&mark) {
            let again = self.again(&start, &mark, frame);
            let exact = again.try_once(bodies, want, fingerprints, frame, Pass::Exact)?;
            if exact.got == want {
                best = exact;
            }
        }
        let mut last = Pass::First;
        for pass in [Pass::Explained, Pass::Thorough] {
            if want.len() != best.got.len() || best.got == want {
                break;
            }
            let again = self.again(&start, &mark, frame);
            let next = again.try_once(bodies, want, fingerprints, frame, pass)?;
            best = if foreign_entry {
                best.joined(next, want, &mark)
            } else {
                best.better(next, want, &mark)
            };
            last = pass;
        }
        // A rounding that was left out is covered by later ones, and left out all the same.
        let rounds = best.outcome.rounds_otherwise_since(&mark);
        if foreign && !self.own_ways && best.outcome.is_refuted_since(&mark) && !rounds {
            self.again(&start, &mark, frame);
            self.own_ways = true;
            let own = self.try_once(bodies, want, fingerprints, frame, last);
            self.own_ways = false;
            let own = own?;
            if own.got == want && own.outcome.is_proved_since(&mark) {
                best = own;
            }
        }
        Ok(best)
    }

    /// Follows the after side once, and notes which results differ.
    fn try_once(
        &mut self,
        bodies: Bodies,
        want: &[Content],
        fingerprints: &Fingerprints,
        frame: &mut Frame,
        pass: Pass,
    ) -> Result<Attempt, Stop> {
        let got = self.follow(bodies, fingerprints, frame, pass)?;
        self.note_mismatches(bodies, want, &got, frame)?;
        Ok(Attempt {
            followed: frame.followed.clone(),
            outcome: self.outcome.clone(),
            got,
        })
    }

    /// Ready to follow the after side once more.
    fn again(&mut self, start: &Followed, mark: &Mark, frame: &mut Frame) -> &mut Self {
        frame.followed = start.clone();
        self.back_to(mark.clone());
        self
    }

    pub(super) fn mark(&self) -> Mark {
        let o = &self.outcome;
        Mark {
            lengths: [
                o.regions.len(),
                o.mismatches.len(),
                self.seen_in_order.len(),
            ],
            counts: [o.repeated, o.identical, o.ops],
            literals: (o.explained.clone(), o.unexplained.clone()),
        }
    }

    /// Forgets what was found since the mark.
    fn back_to(&mut self, mark: Mark) {
        let o = &mut self.outcome;
        o.regions.truncate(mark.lengths[0]);
        o.mismatches.truncate(mark.lengths[1]);
        [o.repeated, o.identical, o.ops] = mark.counts;
        (o.explained, o.unexplained) = mark.literals;
        for structure in self.seen_in_order.drain(mark.lengths[2]..) {
            self.seen.remove(&structure);
        }
    }
}
