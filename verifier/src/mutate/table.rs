//! The kills as a table and as JSON.

use super::{
    Mutator,
    measure::{Fate, Measurement, Mutant, Seen},
    oracles::Oracle,
};
use crate::{validate::Level, verdict::Verdict};
use serde_json::{Value, json};
use std::fmt::Write;

/// Counts of one group of mutants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub killed_quick: usize,
    pub killed_full: usize,
    /// Killed though the IEEE values are so close that a tolerance would have hidden the fault.
    pub hidden: usize,
    /// Killed by a hazard though the values are right on the inputs tried.
    pub by_hazard: usize,
    pub undecided: usize,
    /// Taken for right.
    pub survived: usize,
    /// Survivors that some of the further inputs show.
    pub missed: usize,
    pub equivalent: usize,
    pub failed: usize,
}

impl Counts {
    pub fn of<'m>(mutants: impl IntoIterator<Item = &'m Mutant>) -> Counts {
        let mut out = Counts::default();
        for m in mutants {
            match &m.fate {
                Fate::Killed {
                    level,
                    verdict,
                    hazards,
                } => {
                    out.by_hazard += usize::from(*hazards > 0 && !verdict.is_mismatch());
                    match level {
                        Level::Ordinary | Level::Quick => out.killed_quick += 1,
                        Level::Full => out.killed_full += 1,
                    }
                    out.hidden += usize::from(*verdict == Verdict::HiddenMiscompile);
                }
                Fate::Undecided { .. } => out.undecided += 1,
                Fate::Survived { seen, .. } => {
                    out.survived += 1;
                    out.missed += usize::from(matches!(seen, Seen::By { .. }));
                }
                Fate::Equivalent { .. } => out.equivalent += 1,
                Fate::Failed { .. } => out.failed += 1,
            }
        }
        out
    }

    pub fn killed(&self) -> usize {
        self.killed_quick + self.killed_full
    }

    /// Mutants that are faults as far as is known.
    pub fn faults(&self) -> usize {
        self.killed() + self.undecided + self.survived + self.failed
    }

    /// Killed share of the faults; none when there are no faults.
    pub fn rate(&self) -> Option<f64> {
        (self.faults() > 0).then(|| self.killed() as f64 / self.faults() as f64)
    }

    /// Killed share of the faults that some input is known to show.
    pub fn shown_rate(&self) -> Option<f64> {
        let shown = self.faults() - (self.survived - self.missed);
        (shown > 0).then(|| self.killed() as f64 / shown as f64)
    }

    fn json(&self) -> Value {
        json!({
            "killed": self.killed(), "killed_quick": self.killed_quick, "killed_full": self.killed_full, "hidden": self.hidden, "by_hazard": self.by_hazard,
            "undecided": self.undecided, "survived": self.survived, "missed": self.missed, "shown_rate": self.shown_rate(), "equivalent": self.equivalent, "failed": self.failed, "rate": self.rate(),
        })
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |s| format!("{:.1} %", s * 100.0))
}

/// Faults among `mutants` that `oracle` takes for right.
fn passed<'m>(mutants: impl IntoIterator<Item = &'m Mutant>, oracle: &Oracle) -> usize {
    mutants
        .into_iter()
        .filter(|m| !matches!(m.fate, Fate::Equivalent { .. }) && m.passed.contains(&oracle.name))
        .count()
}

/// Names of `mutants` by `key`, in order of first occurrence.
fn groups<'m>(mutants: &'m [Mutant], key: fn(&'m Mutant) -> &'m str) -> Vec<&'m str> {
    let mut out: Vec<&str> = vec![];
    for m in mutants {
        if !out.contains(&key(m)) {
            out.push(key(m));
        }
    }
    out
}

/// One line a mutator and one a pass (rate: killed share of all faults; shown: of those that some input is known to show), then the mutants that were not killed, each with the command that shows it. `command` is what runs the measurement
/// on this program.
pub fn text(m: &Measurement, oracles: &[&Oracle], command: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "{:<22} {:>6} {:>5} {:>5} {:>6} {:>6} {:>9} {:>8} {:>6} {:>10} {:>8} {:>8}",
        "mutator",
        "killed",
        "quick",
        "full",
        "hidden",
        "hazard",
        "undecided",
        "survived",
        "missed",
        "equivalent",
        "rate",
        "shown"
    );
    if !oracles.is_empty() {
        let _ = write!(out, "   let through by:");
        for o in oracles {
            let _ = write!(out, " {}", o.name);
        }
    }
    out.push('\n');
    let mut line = |name: &str, mutants: &[&Mutant]| {
        let c = Counts::of(mutants.iter().copied());
        let _ = write!(
            out,
            "{name:<22} {:>6} {:>5} {:>5} {:>6} {:>6} {:>9} {:>8} {:>6} {:>10} {:>8} {:>8}",
            c.killed(),
            c.killed_quick,
            c.killed_full,
            c.hidden,
            c.by_hazard,
            c.undecided + c.failed,
            c.survived,
            c.missed,
            c.equivalent,
            percent(c.rate()),
            percent(c.shown_rate())
        );
        if !oracles.is_empty() {
            let _ = write!(out, "   {:>15}", "");
            for o in oracles {
                let n = passed(mutants.iter().copied(), o);
                let _ = write!(out, " {n:>width$}", width = o.name.len());
            }
        }
        out.push('\n');
    };
    for name in groups(&m.mutants, |m| m.mutator) {
        let some: Vec<&Mutant> = m.mutants.iter().filter(|m| m.mutator == name).collect();
        line(name, &some);
    }
    for name in groups(&m.mutants, |m| &m.pass) {
        let some: Vec<&Mutant> = m.mutants.iter().filter(|m| m.pass == name).collect();
        line(&format!("after {name}"), &some);
    }
    let all: Vec<&Mutant> = m.mutants.iter().collect();
    line("all", &all);
    let n = all.len().max(1) as f64;
    let _ = writeln!(
        out,
        "decided: ring {} of output elements, IEEE {} of changed regions, mean over {} mutants",
        percent(Some(all.iter().map(|m| m.ring_decided).sum::<f64>() / n)),
        percent(Some(all.iter().map(|m| m.ieee_decided).sum::<f64>() / n)),
        all.len()
    );
    if m.left_out > 0 {
        let _ = writeln!(out, "stopped: {} mutants were not tried", m.left_out);
    }
    for b in &m.baselines {
        if b.verdict != Verdict::Equal {
            let what = if b.verdict.is_mismatch() {
                "FALSE ALARM"
            } else {
                "baseline"
            };
            let _ = writeln!(
                out,
                "{what}: the right program after {} is {} at level {}",
                b.pass,
                b.verdict,
                b.level.name()
            );
        }
    }
    for m in &m.mutants {
        let what = match &m.fate {
            Fate::Killed { .. } | Fate::Equivalent { .. } => continue,
            Fate::Undecided { verdict } => format!("undecided {verdict}"),
            Fate::Survived { verdict, seen } => {
                format!("survived {verdict}, {}", seen_words(*seen))
            }
            Fate::Failed { message } => format!("the checker failed: {message}"),
        };
        let _ = writeln!(
            out,
            "{what}: {} in {} at {} after {}\n    {}",
            m.mutator,
            m.op_name,
            m.location,
            m.pass,
            shown(m, command)
        );
    }
    out
}

fn seen_words(seen: Seen) -> String {
    match seen {
        Seen::By { class, seed } => {
            format!("MISSED: inputs {} (seed {seed}) show it", class.name())
        }
        Seen::Never { runs } => format!("the outputs are the same in {runs} further runs"),
    }
}

/// The command that shows one mutant: its program beside the right one, and its check.
pub fn shown(m: &Mutant, command: &str) -> String {
    format!(
        "{command} --pass {} --mutator {} --op {} --seed {} --diff",
        m.pass, m.mutator, m.op.0, m.seed
    )
}

pub fn json(m: &Measurement, oracles: &[&Oracle], command: &str) -> Value {
    let counts = |some: &[&Mutant]| {
        let mut v = Counts::of(some.iter().copied()).json();
        v["let_through"] = oracles
            .iter()
            .map(|o| (o.name.to_string(), json!(passed(some.iter().copied(), o))))
            .collect::<serde_json::Map<_, _>>()
            .into();
        v
    };
    let by = |key: fn(&Mutant) -> &str| {
        let of =
            |name: &str| -> Vec<&Mutant> { m.mutants.iter().filter(|m| key(m) == name).collect() };
        groups(&m.mutants, key)
            .into_iter()
            .map(|name| (name.to_string(), counts(&of(name))))
            .collect::<serde_json::Map<_, _>>()
    };
    json!({
        "version": 1,
        "all": counts(&m.mutants.iter().collect::<Vec<_>>()),
        "mutators": by(|m| m.mutator),
        "passes": by(|m| &m.pass),
        "left_out": m.left_out,
        "baselines": m.baselines.iter().map(|b| json!({"pass": b.pass, "level": b.level.name(), "verdict": b.verdict})).collect::<Vec<_>>(),
        "mutants": m.mutants.iter().map(|x| mutant(x, command)).collect::<Vec<_>>(),
    })
}

fn mutant(m: &Mutant, command: &str) -> Value {
    let (fate, detail) = match &m.fate {
        Fate::Killed {
            level,
            verdict,
            hazards,
        } => (
            "killed",
            json!({"level": level.name(), "verdict": verdict, "hazards": hazards}),
        ),
        Fate::Undecided { verdict } => ("undecided", json!(verdict)),
        Fate::Survived { verdict, seen } => (
            "survived",
            json!({"verdict": verdict, "seen": seen_words(*seen), "missed": matches!(seen, Seen::By { .. })}),
        ),
        Fate::Equivalent { why } => ("equivalent", json!(why.words())),
        Fate::Failed { message } => ("failed", json!(message)),
    };
    json!({
        "mutator": m.mutator, "pass": m.pass, "op": m.op.0, "op_name": m.op_name, "location": m.location.to_string(), "seed": m.seed,
        "fate": fate, "detail": detail, "ring_decided": m.ring_decided, "ieee_decided": m.ieee_decided, "let_through_by": m.passed,
        "command": shown(m, command),
    })
}

/// One line a mutator: name, faults it models, what it does.
pub fn list(mutators: impl IntoIterator<Item = &'static Mutator>) -> String {
    let mut out = String::new();
    for m in mutators {
        let faults = if m.faults.is_empty() {
            "-".to_string()
        } else {
            m.faults.join(",")
        };
        let _ = writeln!(out, "{:<22} {faults:<16} {}", m.name, m.summary);
    }
    out
}
