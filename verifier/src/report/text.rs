//! The table and the findings as text.

use crate::{
    finding::{Element, Finding, contract_words},
    validate::Report,
};
use std::fmt::Write;

fn percent(x: f64) -> String {
    format!("{:.1} %", x * 100.0)
}

/// One line a pass, then decisiveness and the verdict.
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    let width = report
        .passes
        .iter()
        .map(|p| p.pass.len())
        .max()
        .unwrap_or(4)
        .max(4);
    let _ = writeln!(
        out,
        "{:width$}  {:>8}  {:>9}  {:>8}  {:>5}  {:>8}  {:<22} verdict",
        "pass", "rewrites", "identical", "regions", "loose", "time", "contract"
    );
    for p in &report.passes {
        let regions = if p.repeated > 0 {
            format!("{}+{}", p.regions, p.repeated)
        } else {
            p.regions.to_string()
        };
        let _ = writeln!(
            out,
            "{:width$}  {:>8}  {:>9}  {:>8}  {:>5}  {:>7.2}s  {:<22} {}",
            p.pass,
            p.rewrites,
            p.identical,
            regions,
            p.loose,
            p.time.as_secs_f64(),
            contract_words(&p.numerics),
            p.verdict
        );
    }
    out + &closing(report)
}

/// Inputs, decisiveness, notes and the verdict.
pub fn closing(report: &Report) -> String {
    let mut out = String::new();
    let runs: Vec<String> = report
        .runs
        .iter()
        .map(|(c, s)| format!("{} (seed {s})", c.name()))
        .collect();
    let _ = writeln!(out, "inputs: {}", runs.join(", "));
    let _ = writeln!(
        out,
        "decided: ring {} of output elements, IEEE {} of changed regions; choices taken: {} no, {} yes",
        percent(report.ring_decided()),
        percent(report.ieee_decided()),
        report.predicates[0],
        report.predicates[1]
    );
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let _ = writeln!(
        out,
        "verdict: {} ({:.2} s)",
        report.verdict,
        report.time.as_secs_f64()
    );
    out
}

fn element(out: &mut String, place: &str, e: &Element) {
    let _ = writeln!(
        out,
        "  {place}: element {:?} of output {}: want {} ({}), got {} ({})",
        e.index, e.output, e.want, e.want_bits, e.got, e.got_bits
    );
    if let Some((want, got)) = e.residues {
        let _ = writeln!(out, "    ring: want {want}, got {got}");
    }
    let _ = writeln!(out, "    {} of {} elements differ", e.differing, e.total);
}

/// One finding: what, where, first bad element with both bit patterns, contract, command.
pub fn finding(f: &Finding) -> String {
    let mut out = String::new();
    let rewrite = f.rewrite.as_deref().unwrap_or("no logged rewrite");
    let _ = writeln!(out, "{} in pass {}, {rewrite}", f.verdict, f.pass);
    let _ = writeln!(out, "  op {} at {}", f.op, f.location);
    let _ = writeln!(
        out,
        "  ring {}; IEEE {}; contract {}; inputs {} (seed {})",
        f.ring, f.ieee, f.contract, f.class, f.seed
    );
    if let Some(e) = &f.at_op {
        element(&mut out, "at the op", e);
    }
    if let Some(e) = &f.at_output {
        element(&mut out, "at the program's results", e);
    }
    let _ = writeln!(out, "  next: {}", f.command);
    out
}
