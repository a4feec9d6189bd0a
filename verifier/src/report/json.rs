//! The report as JSON, from typed values.

use crate::{
    estimate::{Estimate, Estimated},
    finding::{Finding, contract_words},
    validate::Report,
};
use serde_json::{Value, json};

pub fn report(r: &Report, findings: &[Finding]) -> Value {
    json!({
        "version": 1,
        "verdict": r.verdict,
        "seconds": r.time.as_secs_f64(),
        "ring_decided": r.ring_decided(),
        "ieee_decided": r.ieee_decided(),
        "predicates": r.predicates,
        "predicates_by_op": r.choices.iter().map(|p| json!({
            "op": p.op,
            "location": p.location.to_string(),
            "no": p.chosen[0],
            "yes": p.chosen[1],
            "exercised": p.is_exercised(),
        })).collect::<Vec<_>>(),
        "runs": r.runs.iter().map(|(class, seed)| json!({"class": class.name(), "seed": seed})).collect::<Vec<_>>(),
        "skipped": r.skipped.iter().map(|s| json!({"class": s.class.name(), "seed": s.seed, "why": s.why})).collect::<Vec<_>>(),
        "assumed": super::text::assumptions(r),
        "vacuous_outputs": r.vacuous(),
        "estimates": r.estimates.iter().map(estimate).collect::<Vec<_>>(),
        "notes": r.notes,
        "hazards": {
            "kernels": r.hazards.kernels,
            "stages": r.hazards.stages.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "unknown": r.hazards.unknown,
            "found": findings.iter().filter_map(|f| f.hazard.as_ref()).collect::<Vec<_>>(),
        },
        "native": r.native.as_ref().map(super::native::json),
        "passes": r.passes.iter().map(|p| json!({
            "pass": p.pass,
            "contract": contract_words(&p.numerics),
            "rewrites": p.rewrites,
            "verdict": p.verdict,
            "regions": p.regions,
            "repeated": p.repeated,
            "loose": p.loose,
            "open": p.open,
            "not_decisive": p.not_decisive,
            "undetermined": p.undetermined,
            "cancelled": p.cancelled,
            "likely": p.likely,
            "clauses": p.clauses,
            "explained": p.explained,
            "unexplained": p.unexplained,
            "identical": p.identical,
            "elements": p.elements,
            "decided": p.decided,
            "seconds": p.time.as_secs_f64(),
        })).collect::<Vec<_>>(),
        "findings": findings,
    })
}

fn estimate(e: &Estimate) -> Value {
    let of = json!({"pass": e.pass, "class": e.class.name(), "seed": e.seed});
    let outcome = match &e.outcome {
        Estimated::NotRun(why) => json!({"not_run": why}),
        Estimated::Compared(d) => json!({
            "within": d.is_within(),
            "outside": d.outside,
            "compared": d.compared,
            "left_out": d.left_out,
            "worst_element": d.worst_element,
            "worst_output": d.worst_output,
        }),
    };
    json!({"of": of, "outcome": outcome})
}
