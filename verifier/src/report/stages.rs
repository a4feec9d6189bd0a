//! The stages of an XLA compilation as text and as JSON.

use super::text;
use crate::{
    dumps::{
        culprit::Culprit,
        folder::Point,
        stages::{Kind, Stage, Stages},
    },
    finding::{Finding, contract_words},
    verdict::Verdict,
};
use serde_json::{Value, json};
use std::fmt::Write;
use tileproof_dialect::location::Location;

/// Running number of the dump that a stage ends with, as in its file name.
fn number(stage: &Stage) -> String {
    match &stage.point {
        Some(Point::AfterPass { number, .. }) => format!("{number:04}"),
        Some(Point::BeforeOptimizations | Point::AfterOptimizations) | None => String::new(),
    }
}

/// One line a stage, then decisiveness and the first stage that broke the program.
pub fn table(module: &str, all: &Stages) -> String {
    let mut out = String::new();
    if !module.is_empty() {
        let _ = writeln!(out, "module {module}");
    }
    let width = |f: fn(&Stage) -> &str| all.stages.iter().map(|s| f(s).len()).max().unwrap_or(0);
    let pipelines = width(|s| &s.pipeline).max("pipeline".len());
    let names = width(|s| &s.name).max("name".len());
    let _ = writeln!(
        out,
        "{:7}  {:4}  {:pipelines$}  {:names$}  {:>8}  {:>5}  {:>8}  verdict",
        "stage", "dump", "pipeline", "name", "regions", "loose", "time"
    );
    for s in &all.stages {
        let r = &s.report;
        let regions = if r.repeated > 0 {
            format!("{}+{}", r.regions, r.repeated)
        } else {
            r.regions.to_string()
        };
        let _ = writeln!(
            out,
            "{:7}  {:4}  {:pipelines$}  {:names$}  {:>8}  {:>5}  {:>7.2}s  {}",
            s.kind.name(),
            number(s),
            s.pipeline,
            s.name,
            regions,
            r.loose,
            r.time.as_secs_f64(),
            r.verdict
        );
    }
    out += &text::closing(&all.report);
    for (location, culprit) in all.stages.iter().flat_map(|s| &s.culprits) {
        let _ = writeln!(out, "kernel at {location}: {culprit}");
    }
    let _ = writeln!(out, "{}", conclusion(all));
    out
}

/// The first stage that broke the program, in words.
pub fn conclusion(all: &Stages) -> String {
    match all.first_broken() {
        Some(s) => format!("first broken: {}", place(s)),
        None => {
            let open = all
                .stages
                .iter()
                .filter(|s| s.report.verdict.exit_code() != 0);
            match open.count() {
                0 => "no stage changed what the program computes".to_string(),
                n => format!(
                    "no stage is known to have changed what the program computes; {n} could not be decided"
                ),
            }
        }
    }
}

/// `pass algsimp (dump 0009 of pipeline simplification)`
pub fn place(s: &Stage) -> String {
    match s.kind {
        Kind::Import => "import (the source program became before_optimizations)".to_string(),
        Kind::Codegen => "codegen (the last module became the code that ran)".to_string(),
        Kind::Pass => match &s.point {
            Some(Point::AfterPass { pipeline, .. }) => {
                format!(
                    "pass {} (dump {} of pipeline {pipeline})",
                    s.name,
                    number(s)
                )
            }
            Some(Point::BeforeOptimizations | Point::AfterOptimizations) | None => {
                format!("pass {}", s.name)
            }
        },
    }
}

fn culprit((location, culprit): &(Location, Culprit)) -> Value {
    json!({"location": location.to_string(), "culprit": culprit.name(), "why": culprit.why()})
}

pub fn json(module: &str, all: &Stages, findings: &[Finding]) -> Value {
    let stage = |s: &Stage| {
        json!({
            "stage": s.kind.name(),
            "name": s.name,
            "pipeline": s.pipeline,
            "dump": number(s),
            "before": s.before,
            "after": s.after,
            "contract": contract_words(&s.report.numerics),
            "verdict": s.report.verdict,
            "regions": s.report.regions,
            "repeated": s.report.repeated,
            "loose": s.report.loose,
            "identical": s.report.identical,
            "elements": s.report.elements,
            "decided": s.report.decided,
            "seconds": s.report.time.as_secs_f64(),
            "culprits": s.culprits.iter().map(culprit).collect::<Vec<_>>(),
        })
    };
    json!({
        "module": module,
        "verdict": all.report.verdict,
        "first_broken": all.first_broken().map(|s| json!({"stage": s.kind.name(), "name": s.name, "pipeline": s.pipeline, "dump": number(s)})),
        "seconds": all.report.time.as_secs_f64(),
        "ring_decided": all.report.ring_decided(),
        "ieee_decided": all.report.ieee_decided(),
        "runs": all.report.runs.iter().map(|(class, seed)| json!({"class": class.name(), "seed": seed})).collect::<Vec<_>>(),
        "notes": all.report.notes,
        "stages": all.stages.iter().map(stage).collect::<Vec<_>>(),
        "findings": findings,
    })
}

/// The worst verdict over modules.
pub fn worst<'a>(modules: impl IntoIterator<Item = &'a Stages>) -> Verdict {
    modules
        .into_iter()
        .fold(Verdict::Equal, |all, m| all.worst(m.report.verdict.clone()))
}
