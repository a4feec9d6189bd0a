//! What a validation found, per pass and over all runs.

use super::{Step, run::Delta};
use crate::{
    compare::bits::Difference,
    estimate::Estimate,
    inputs::Class,
    kernels::{
        hazards::{Calls, Hazards},
        inside::Inside,
    },
    native::Native,
    predicates::Exercised,
    verdict::{Ieee, NOTHING_COMPARED, Ring, Verdict},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tileproof_dialect::{location::Location, numerics::Numerics};

/// Share of loose regions above which a program whose ring is equal is inconclusive.
const LOOSE_SHARE: f64 = 0.05;

/// What one pass did to the program.
#[derive(Debug, Clone)]
pub struct PassReport {
    pub pass: String,
    pub numerics: Numerics,
    pub rewrites: usize,
    pub verdict: Verdict,
    /// Changed regions compared, summed over classes and seeds.
    pub regions: u64,
    /// Regions that repeat the structure of one compared before.
    pub repeated: u64,
    /// Regions IEEE could not decide, of those compared.
    pub loose: u64,
    /// Which they are, and why.
    pub open: BTreeSet<String>,
    /// Both, of each run of ordinary inputs: bounds at the ends of the range say little, and their share decides nothing.
    pub ordinary: Vec<(u64, u64)>,
    /// Of each run of ordinary inputs, whether the ring left something open for a near tie alone.
    pub tied: Vec<bool>,
    /// Regions the ring could not decide, of those compared.
    pub not_decisive: u64,
    /// Elements of regions that hang on a near tie.
    pub undetermined: u64,
    /// Elements of regions whose terms cancel: their bounds are narrow beside the tensor, not beside them.
    pub cancelled: u64,
    /// Elements of regions decided by a probabilistic bound of their sums.
    pub likely: u64,
    /// Values of rewritten ops that are bit-identical.
    pub identical: u64,
    /// Output elements, and those that the ring (or, for integers, equality) decided.
    pub elements: u64,
    pub decided: u64,
    /// Regions a clause of the contract explains, by clause.
    pub clauses: BTreeMap<&'static str, u64>,
    /// Literals and folded tensors that were explained, and literals that only the after side has and nothing explains.
    pub explained: BTreeSet<String>,
    pub unexplained: BTreeSet<String>,
    pub findings: Vec<Found>,
    pub time: Duration,
}

/// One finding, before it becomes a record.
#[derive(Debug, Clone)]
pub struct Found {
    pub verdict: Verdict,
    pub class: Class,
    pub seed: u64,
    pub op: String,
    pub location: Location,
    pub rewrite: Option<Arc<str>>,
    /// Of a kernel: the op in it that gives the first wrong value, where one is known.
    pub inside: Option<Inside>,
    /// At the op to blame.
    pub difference: Option<Difference>,
    /// At the program's outputs.
    pub output: Option<Difference>,
    pub ring: Ring,
    pub ieee: Ieee,
}

/// A run of generated inputs that was given up, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Skipped {
    pub class: Class,
    pub seed: u64,
    pub why: String,
}

/// Result of a whole validation.
#[derive(Debug, Clone)]
pub struct Report {
    pub verdict: Verdict,
    pub passes: Vec<PassReport>,
    /// (class, seed) of every run.
    pub runs: Vec<(Class, u64)>,
    /// Runs given up: nothing is known for these inputs.
    pub skipped: Vec<Skipped>,
    /// Outcomes of compares, selects and branches over the runs: (false, true).
    pub predicates: [u64; 2],
    /// What each choosing op of the first program chose over the runs.
    pub choices: Exercised,
    /// Of each output of the first program, whether some ordinary run gave a number.
    pub numbers: Vec<bool>,
    /// Where no bound decided: what runs of the whole program say.
    pub estimates: Vec<Estimate>,
    pub notes: Vec<String>,
    /// Wrong uses of memory, copies and semaphores, beside the verdict.
    pub hazards: Hazards,
    /// With which arguments kernels were called, until the hazards are looked for.
    pub first_calls: Calls,
    /// Stage S6, where it was asked for: beside the passes, a difference is a `Miscompile`.
    pub native: Option<Native>,
    pub time: Duration,
}

impl Report {
    /// A report of steps of which none has been run.
    pub fn new(steps: &[Step]) -> Report {
        Report {
            verdict: Verdict::Equal,
            passes: steps.iter().map(PassReport::new).collect(),
            runs: vec![],
            skipped: vec![],
            predicates: [0, 0],
            choices: Exercised::default(),
            numbers: vec![],
            estimates: vec![],
            notes: vec![],
            hazards: Hazards::default(),
            first_calls: Calls::default(),
            native: None,
            time: Duration::ZERO,
        }
    }

    /// Exit code of the command line: 1 where there is a hazard, else the verdict's.
    pub fn exit_code(&self) -> u8 {
        if self.hazards.found.is_empty() {
            self.verdict.exit_code()
        } else {
            1
        }
    }

    /// Takes in what native code gave. Where it agrees or was not run the verdict stays.
    pub fn take_native(&mut self, native: Native) {
        if native.differing().next().is_some() {
            self.verdict = self.verdict.clone().worst(Verdict::Miscompile);
        }
        self.native.get_or_insert_default().add(native);
    }

    pub(super) fn conclude(&mut self) {
        for pass in &mut self.passes {
            pass.conclude();
            self.verdict = self.verdict.clone().worst(pass.verdict.clone());
        }
        // An output without a number on any input was not compared.
        if let (Some(output), false) = (self.vacuous().first(), self.runs.is_empty()) {
            let why = format!("output {output} is NaN on every input, give --inputs");
            self.verdict = self.verdict.clone().worst(Verdict::EqualIeeeOnly { why });
        }
        self.notes.sort();
        self.notes.dedup();
    }

    pub(super) fn note_numbers(&mut self, of_run: &[bool]) {
        self.numbers
            .resize(self.numbers.len().max(of_run.len()), false);
        for (all, one) in self.numbers.iter_mut().zip(of_run) {
            *all |= one;
        }
    }

    /// Outputs that are NaN in every element of every ordinary run: nothing is known of what they compute.
    pub fn vacuous(&self) -> Vec<usize> {
        let all = self.numbers.iter().enumerate();
        all.filter(|(_, number)| !**number)
            .map(|(i, _)| i)
            .collect()
    }

    /// Share of output elements the ring decided.
    pub fn ring_decided(&self) -> f64 {
        share(
            self.passes.iter().map(|p| p.decided).sum(),
            self.passes.iter().map(|p| p.elements).sum(),
        )
    }

    /// Share of changed regions IEEE decided.
    pub fn ieee_decided(&self) -> f64 {
        let all: u64 = self.passes.iter().map(|p| p.regions).sum();
        share(all - self.passes.iter().map(|p| p.loose).sum::<u64>(), all)
    }
}

/// Whether so many regions are loose that equal residues alone do not make the program equal.
pub(super) fn is_loose(loose: u64, regions: u64) -> bool {
    loose as f64 > regions as f64 * LOOSE_SHARE
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        1.0
    } else {
        part as f64 / all as f64
    }
}

impl PassReport {
    fn new(step: &Step) -> PassReport {
        PassReport {
            rewrites: step.rewrites.len(),
            ..PassReport::of(&step.pass, &step.numerics)
        }
    }

    /// The report of a pass that has not been run.
    pub fn of(pass: &str, numerics: &Numerics) -> PassReport {
        PassReport {
            pass: pass.to_string(),
            numerics: numerics.clone(),
            rewrites: 0,
            verdict: Verdict::Equal,
            regions: 0,
            repeated: 0,
            loose: 0,
            open: BTreeSet::new(),
            ordinary: vec![],
            tied: vec![],
            not_decisive: 0,
            undetermined: 0,
            cancelled: 0,
            likely: 0,
            identical: 0,
            elements: 0,
            decided: 0,
            clauses: BTreeMap::new(),
            explained: BTreeSet::new(),
            unexplained: BTreeSet::new(),
            findings: vec![],
            time: Duration::ZERO,
        }
    }

    pub(super) fn absorb(&mut self, delta: Delta) {
        self.regions += delta.outcome.regions.len() as u64;
        self.repeated += delta.outcome.repeated;
        self.loose += delta.loose;
        self.identical += delta.outcome.identical;
        self.elements += delta.elements;
        self.decided += delta.decided;
        self.time += delta.time;
        for region in &delta.outcome.regions {
            self.not_decisive += u64::from(matches!(region.ring, Ring::NotDecisive(_)));
            self.undetermined += region.undetermined;
            self.cancelled += region.cancelled;
            self.likely += region.likely;
            if let (Ieee::Loose(why), None) = (&region.ieee, region.clause) {
                let (op, location) = (&region.op, &region.location);
                self.open.insert(format!("{op} at {location}: {why}"));
            }
            if let Some(clause) = region.clause {
                *self.clauses.entry(clause.name).or_default() += 1;
            }
        }
        self.explained.extend(delta.outcome.explained);
        self.unexplained.extend(delta.outcome.unexplained);
        for v in delta.verdicts {
            self.verdict = self.verdict.clone().worst(v);
        }
        self.findings.extend(delta.found);
    }

    /// Verdict once all runs are in: nothing compared is not equal, and many loose regions are inconclusive.
    fn conclude(&mut self) {
        if self.elements == 0 {
            self.verdict = self.verdict.clone().worst(Verdict::Inconclusive {
                why: NOTHING_COMPARED.to_string(),
            });
        }
        if !self.tied.is_empty() && self.tied.iter().all(|tied| *tied) {
            self.verdict = self.verdict.clone().worst(Verdict::near_tie());
        }
        // One kind of inputs for which the bounds decide is enough: small integers, where sums of ordinary numbers cancel.
        let mut runs = self.ordinary.iter();
        if !self.ordinary.is_empty() && runs.all(|(regions, loose)| is_loose(*loose, *regions)) {
            let sum = |part: fn(&(u64, u64)) -> u64| self.ordinary.iter().map(part).sum::<u64>();
            let why = format!(
                "loose bounds in {} of {} regions",
                sum(|(_, loose)| *loose),
                sum(|(regions, _)| *regions)
            );
            self.verdict = self.verdict.clone().worst(Verdict::Inconclusive { why });
        }
        // Findings of one cause are one finding: the first of each (verdict, op, rewrite).
        let mut first = BTreeSet::new();
        self.findings.retain(|f| {
            first.insert(format!(
                "{}|{}|{:?}|{}",
                f.verdict, f.op, f.rewrite, f.location
            ))
        });
    }
}
