//! A step of a pass over kernels that may change bits: two kernels have no bound of their own, so what differs is judged from the last program that
//! computes by `hlo` ops, whose bounds hold for every order of evaluation.

use super::{
    Step,
    run::{Delta, Job},
};
use crate::blame::Rewrite;
use tileproof_dialect::{
    numerics::{Contract, Numerics},
    program::Program,
};

/// What a step is judged from in place of the program before it.
pub struct Base {
    /// Place of the program.
    pub before: usize,
    /// All passes from there to the step, as one.
    pub step: Step,
}

/// Number of the first of the steps that are judged as one with step `k`: `k` itself, but where a pass over kernels may change bits.
pub fn first_compared(source: &Program, steps: &[Step], k: usize) -> usize {
    let calls = |place: usize| match place.checked_sub(1) {
        Some(i) => !steps[i].program.kernels.is_empty(),
        None => !source.kernels.is_empty(),
    };
    if !calls(k) || steps[k].numerics.contract == Contract::BitExact {
        return k;
    }
    (0..k).rev().find(|place| !calls(*place)).unwrap_or(k)
}

impl Job<'_> {
    /// The base of step `k`; none where the program before it calls no kernels, the step keeps all bits, or a pass in between is a mismatch already: what
    /// this one did could not be told from it.
    pub fn base(&self, k: usize, earlier: &[Delta]) -> Option<Base> {
        let before = first_compared(&self.programs[0], self.steps, k);
        if before == k {
            return None;
        }
        let wrong = |d: &Delta| d.verdicts.iter().any(|v| v.is_mismatch());
        if earlier[before..].iter().any(wrong) {
            return None;
        }
        Some(Base {
            before,
            step: joined(&self.steps[before..=k])?,
        })
    }
}

/// Several steps as one. A kernel is named after its last rewrite, but all may have changed it: none says for itself what it may.
pub fn joined(steps: &[Step]) -> Option<Step> {
    let (last, earlier) = steps.split_last()?;
    if earlier.is_empty() {
        return Some(last.clone());
    }
    let numerics = steps
        .iter()
        .fold(Numerics::bit_exact(), |all, s| all.join(s.numerics.clone()));
    let rewrite = |r: &Rewrite| Rewrite {
        numerics: None,
        ..r.clone()
    };
    Some(Step {
        rewrites: steps
            .iter()
            .flat_map(|s| s.rewrites.iter().map(rewrite))
            .collect(),
        numerics,
        ..last.clone()
    })
}

impl Delta {
    /// Whether every value is that of the program before, bit for bit.
    pub fn is_identical(&self) -> bool {
        self.outcome.regions.is_empty() && self.outcome.repeated == 0 && self.verdicts.is_empty()
    }
}
