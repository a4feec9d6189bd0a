//! The table and the findings as text.

use crate::{
    estimate::{Estimate, Estimated, REACH},
    finding::{Element, Finding, contract_words},
    inputs::Class,
    validate::{PassReport, Report, Skipped},
    verdict::Verdict,
};
use std::fmt::Write;
use tileproof_dialect::numerics::Contract;

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
        .chunk_by(|(c, s), (d, t)| c == d && *t == s.wrapping_add(1))
        .map(|same| match (same.first(), same.last()) {
            (Some((c, first)), Some((_, last))) if same.len() > 3 => {
                format!("{} (seeds {first} to {last})", c.name())
            }
            (_, _) => {
                let each = same.iter().map(|(c, s)| format!("{} (seed {s})", c.name()));
                each.collect::<Vec<_>>().join(", ")
            }
        })
        .collect();
    let has = |class: Class| report.runs.iter().any(|(c, _)| *c == class);
    let more: Vec<&str> = Class::ALL
        .iter()
        .filter(|c| !c.is_ordinary() && !has(**c))
        .map(|c| c.name())
        .collect();
    let more = match &more[..] {
        [] => String::new(),
        _ if has(Class::Given) => String::new(),
        [one] => format!("; --level full adds {one} and more seeds"),
        all => format!("; --level full adds {}", all.join(", ")),
    };
    let _ = writeln!(out, "inputs: {}{more}", runs.join(", "));
    let _ = writeln!(
        out,
        "decided: ring {} of output elements, IEEE {} of changed regions; choices taken: {} no, {} yes",
        percent(report.ring_decided()),
        percent(report.ieee_decided()),
        report.predicates[0],
        report.predicates[1]
    );
    let vacuous: Vec<String> = report.vacuous().iter().map(usize::to_string).collect();
    if !vacuous.is_empty() {
        let _ = writeln!(
            out,
            "outputs checked vacuously, NaN in every element of every ordinary run: {} (give --inputs for which they are numbers)",
            vacuous.join(", ")
        );
    }
    predicates(&mut out, report);
    let alike = |a: &Skipped, b: &Skipped| a.class == b.class && a.why == b.why;
    for same in report.skipped.chunk_by(alike) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else {
            continue;
        };
        let seeds = match same.len() {
            1 => format!("seed {}", first.seed),
            n => format!("{n} seeds, {} to {}", first.seed, last.seed),
        };
        let _ = writeln!(
            out,
            "skipped: {} ({seeds}): {}; nothing is known for these inputs",
            first.class.name(),
            first.why
        );
    }
    for p in &report.passes {
        pass_notes(&mut out, p);
    }
    for e in &report.estimates {
        let _ = writeln!(out, "{}", estimate(e));
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    if let Some(words) = assumptions(report) {
        let _ = writeln!(out, "{words}");
    }
    out += &super::hazards::summary(&report.hazards);
    if let Some(native) = &report.native {
        out += &super::native::summary(native);
    }
    let beside = match report.hazards.found.len() {
        0 => String::new(),
        1 => ", and 1 hazard".to_string(),
        n => format!(", and {n} hazards"),
    };
    let _ = writeln!(
        out,
        "verdict: {}{beside} ({:.2} s)",
        report.verdict,
        report.time.as_secs_f64()
    );
    out
}

/// Predicates with an outcome that no input met: nothing is known of what hangs on it.
fn predicates(out: &mut String, report: &Report) {
    const MOST: usize = 8;
    let never = report.choices.never_met();
    if never.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "predicates never exercised: {} of {} have an outcome that no input met",
        never.len(),
        report.choices.iter().count()
    );
    for p in never.iter().take(MOST) {
        let what = match p.chosen {
            [0, 0] => "never run".to_string(),
            [0, n] => format!("true all {n} times"),
            [n, _] => format!("false all {n} times"),
        };
        let _ = writeln!(out, "  {} at {}: {what}", p.op, p.location);
    }
    if never.len() > MOST {
        let _ = writeln!(out, "  and {} more (--json lists all)", never.len() - MOST);
    }
}

/// What runs of the whole program say where no bound decided: no proof.
fn estimate(e: &Estimate) -> String {
    let what = match &e.outcome {
        Estimated::NotRun(why) => format!("not run: {why}"),
        Estimated::Compared(d) => {
            let left_out = match d.left_out {
                0 => String::new(),
                n => format!("; {n} elements left out: integers that differ, or not finite"),
            };
            format!(
                "{}: {} of {} elements outside; farthest element {:.2}, farthest output {:.2} times the farthest of 8 disturbed runs from \
                 f64 (outside above {REACH}){left_out}",
                if d.is_within() { "within" } else { "outside" },
                d.outside,
                d.compared,
                d.worst_element,
                d.worst_output,
            )
        }
    };
    let (class, seed) = (e.class.name(), e.seed);
    let says = match &e.outcome {
        Estimated::Compared(d) if d.is_far_off() => "which no rounding explains",
        Estimated::Compared(_) | Estimated::NotRun(_) => "no proof",
    };
    format!(
        "{}: estimate end to end, {says}, {class} (seed {seed}): {what}",
        e.pass
    )
}

/// Regions that no bound decides, as many as are listed.
const MOST_OPEN: usize = 6;

/// What a verdict rests on besides equal residues.
fn pass_notes(out: &mut String, p: &PassReport) {
    let clauses: Vec<String> = p
        .clauses
        .iter()
        .map(|(name, n)| format!("{name} ({n} regions)"))
        .collect();
    if !clauses.is_empty() {
        let _ = writeln!(out, "{}: allowed by {}", p.pass, clauses.join(", "));
    }
    if p.not_decisive > 0 {
        let _ = writeln!(
            out,
            "{}: the ring did not decide {} regions; IEEE did",
            p.pass, p.not_decisive
        );
    }
    if matches!(p.verdict, Verdict::Inconclusive { .. }) {
        for open in p.open.iter().take(MOST_OPEN) {
            let _ = writeln!(out, "{}: no bound decides {open}", p.pass);
        }
        if p.open.len() > MOST_OPEN {
            let more = p.open.len() - MOST_OPEN;
            let _ = writeln!(out, "  and {more} more (--json lists all)");
        }
    }
    if p.undetermined > 0 {
        let _ = writeln!(
            out,
            "{}: {} elements hang on a near tie",
            p.pass, p.undetermined
        );
    }
    if p.cancelled > 0 {
        let _ = writeln!(
            out,
            "{}: {} elements cancel: their bounds are narrow beside the root mean square of their tensor, not beside themselves",
            p.pass, p.cancelled
        );
    }
    if p.likely > 0 {
        let _ = writeln!(
            out,
            "{}: {} elements are decided by a probabilistic bound: 8 sqrt(n) u max|partial sum| of sums, 8 sqrt(n) u |product| of products, else 8 times the farthest of 8 runs with disturbed roundings from f64",
            p.pass, p.likely
        );
    }
    if !p.explained.is_empty() {
        let _ = writeln!(
            out,
            "{}: {} literals or folded tensors explained (--explain prints them)",
            p.pass,
            p.explained.len()
        );
    }
    for literal in &p.unexplained {
        let _ = writeln!(
            out,
            "{}: new literal {literal}, no explanation found",
            p.pass
        );
    }
}

/// How each new literal was explained.
pub fn explanations(report: &Report) -> String {
    let mut out = String::new();
    for p in &report.passes {
        for e in &p.explained {
            let _ = writeln!(out, "{}: {e}", p.pass);
        }
    }
    out
}

/// What is taken for granted where no contract was given.
pub fn assumptions(report: &Report) -> Option<&'static str> {
    report
        .passes
        .iter()
        .any(|p| p.numerics.contract == Contract::Unknown)
        .then_some(
            "assumed, as no --contract was given: sums and products may be reassociated and literals merged; every declared rounding, NaN, infinity \
             and integer overflow is kept, and the sign of zero on special inputs; where one side applies other functions the ring decides nothing and IEEE does",
        )
}

pub(super) fn element(out: &mut String, place: &str, e: &Element) {
    let _ = writeln!(
        out,
        "  {place}: element {:?} of output {}: want {} ({}), got {} ({})",
        e.index, e.output, e.want, e.want_bits, e.got, e.got_bits
    );
    if let Some((want, got)) = e.residues {
        let _ = writeln!(out, "    ring: want {want}, got {got}");
    }
    let pattern = e
        .pattern
        .as_ref()
        .map_or(String::new(), |p| format!(": {p}"));
    let _ = writeln!(
        out,
        "    {} of {} elements differ{pattern}",
        e.differing, e.total
    );
}

/// One finding: what, where, first bad element with both bit patterns, contract, command.
pub fn finding(f: &Finding) -> String {
    if let Some(hazard) = &f.hazard {
        return super::hazards::finding(f, hazard);
    }
    if let Some(native) = &f.native {
        return super::native::finding(f, native);
    }
    let mut out = String::new();
    let rewrite = f.rewrite.as_deref().unwrap_or("no logged rewrite");
    let _ = writeln!(out, "{} in pass {}, {rewrite}", f.verdict, f.pass);
    let _ = writeln!(out, "  op {} at {}", f.op, f.location);
    if let Some(i) = &f.inside {
        let _ = writeln!(
            out,
            "  first wrong value inside kernel @{}: op {} at {}",
            i.kernel, i.op, i.location
        );
    }
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
