//! Verdicts of one comparison from its regions and from the results that differ.

use super::{report::Found, run::Delta};
use crate::{
    co_evaluation::{Mismatch, RegionResult},
    compare::bits::Difference,
    inputs::Class,
    verdict::{Ieee, Ring, Verdict, decide},
};

pub(super) fn judge_regions(regions: &[RegionResult], delta: &mut Delta) {
    for r in regions {
        if let Some(clause) = r.clause {
            delta.verdicts.push(Verdict::Benign {
                clause: clause.name.to_string(),
            });
            continue;
        }
        let verdict = decide(&r.ring, &r.ieee);
        if matches!(r.ieee, Ieee::Loose(_) | Ieee::NotRun) {
            delta.loose += 1;
        }
        if verdict.is_mismatch() {
            delta.found.push(Found {
                verdict: verdict.clone(),
                class: Class::Given,
                seed: 0,
                op: r.op.clone(),
                location: r.location.clone(),
                rewrite: r.rewrite.clone(),
                inside: None,
                difference: r.difference.clone(),
                output: None,
                ring: r.ring.clone(),
                ieee: r.ieee.clone(),
            });
        }
        // A loose region whose ring is equal counts by its share only.
        if verdict.is_mismatch() || r.ring != Ring::Equal {
            delta.verdicts.push(verdict);
        }
    }
}

pub(super) fn judge_mismatch(
    mismatches: &[Mismatch],
    output: Option<Difference>,
    delta: &mut Delta,
) {
    // The worst; the innermost is the first; one without a rewrite is worse evidence than one with.
    let rank = |m: &Mismatch| (m.verdict().badness(), m.blame.rewrite.is_some());
    let Some(worst) = mismatches
        .iter()
        .filter(|m| m.certain)
        .reduce(|best, m| if rank(m) > rank(best) { m } else { best })
    else {
        // Results of other number or type have no counterpart: never equal.
        delta.verdicts.push(Verdict::Miscompile);
        return;
    };
    let verdict = worst.verdict();
    if verdict.is_mismatch() {
        delta.found.push(Found {
            verdict: verdict.clone(),
            class: Class::Given,
            seed: 0,
            op: worst.blame.op.clone(),
            location: worst.blame.location.clone(),
            rewrite: worst.blame.rewrite.clone(),
            inside: worst.blame.inside.clone(),
            difference: worst.difference.clone(),
            output,
            ring: worst.ring.clone(),
            ieee: worst.ieee.clone(),
        });
    }
    delta.verdicts.push(verdict);
}
