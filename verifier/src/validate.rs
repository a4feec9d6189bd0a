//! Validates a pipeline, pass by pass, or any two programs, over input classes and seeds.

use crate::{
    alias,
    co_evaluation::{CoEvaluation, Mismatch, Outcome, Pair, RegionResult},
    compare::bits::{self, Difference},
    expansion,
    grid,
    inputs::{self, Class},
    level,
    session::{Content, Session, Version},
    step, unknown_contract,
    verdict::{Ieee, NOTHING_COMPARED, Ring, Verdict, decide},
};
pub use crate::{
    level::Level,
    step::{Origin, Step},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    eval::{Stop, Trap},
    numerics::Numerics,
    planes::Planes,
    program::Program,
    tensor::Value,
};
use tileproof_runtime::{inputs::with_ring, limits::Limits};

/// Share of loose regions above which a program whose ring is equal is inconclusive.
const LOOSE_SHARE: f64 = 0.05;

/// Hears what is being done and the share done.
pub type Progress = Arc<dyn Fn(&str, f64) + Send + Sync>;

/// What to run a validation on.
#[derive(Clone)]
pub struct Options {
    pub level: Level,
    pub seed: u64,
    /// Arguments given by the user, in place of generated ones.
    pub given: Option<Vec<Value>>,
    pub limits: Limits,
    /// Called as work goes on: what is being done, and the share done.
    pub progress: Option<Progress>,
}

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
    /// Values of rewritten ops that are bit-identical.
    pub identical: u64,
    /// Output elements, and those that the ring (or, for integers, equality) decided.
    pub elements: u64,
    pub decided: u64,
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
    pub location: tileproof_dialect::location::Location,
    pub rewrite: Option<Arc<str>>,
    /// At the op to blame.
    pub difference: Option<Difference>,
    /// At the program's outputs.
    pub output: Option<Difference>,
    pub ring: Ring,
    pub ieee: Ieee,
}

/// Result of a whole validation.
#[derive(Debug, Clone)]
pub struct Report {
    pub verdict: Verdict,
    pub passes: Vec<PassReport>,
    /// (class, seed) of every run.
    pub runs: Vec<(Class, u64)>,
    /// Outcomes of compares, selects and branches over the runs: (false, true).
    pub predicates: [u64; 2],
    pub notes: Vec<String>,
    pub time: Duration,
}

impl Report {
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

fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        1.0
    } else {
        part as f64 / all as f64
    }
}

/// Checks every step of a pipeline that starts at `source`.
pub fn pipeline(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    grid::validate(source, steps, options)
}

/// A pipeline of programs for one process.
pub fn single(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    let start = Instant::now();
    let plain = step::plain(source, steps);
    let version = |p| Version::new(p, &options.limits);
    let versions: Vec<Version<'_>> = plain.iter().map(|p| version(p)).collect();
    let mut report = Report {
        verdict: Verdict::Equal,
        passes: steps.iter().map(PassReport::new).collect(),
        runs: vec![],
        predicates: [0, 0],
        notes: vec![],
        time: Duration::ZERO,
    };
    let mut seen = vec![HashSet::new(); steps.len()];
    let plan = level::plan(options);
    for (i, (class, seed)) in plan.iter().enumerate() {
        if let Some(progress) = &options.progress {
            progress(
                &format!("class {}, seed {seed}", class.name()),
                i as f64 / plan.len() as f64,
            );
        }
        run(
            &versions,
            steps,
            *class,
            *seed,
            options,
            &mut seen,
            &mut report,
        )?;
    }
    alias::judge(source, steps, &mut report.passes);
    for (k, pass) in report.passes.iter_mut().enumerate() {
        pass.conclude();
        if !steps[k].numerics.contract.names_its_identities() {
            unknown_contract::weaken(versions[k].program, versions[k + 1].program, pass);
        }
        report.verdict = report.verdict.clone().worst(pass.verdict.clone());
    }
    report.time = start.elapsed();
    Ok(report)
}

/// Checks two programs against each other under a contract.
pub fn two(
    before: &Arc<Program>,
    after: &Arc<Program>,
    numerics: &Numerics,
    options: &Options,
) -> Result<Report, Error> {
    let (b, a) = (before.parameter_types(), after.parameter_types());
    let fits = |x: &[tileproof_dialect::types::Type], y: &[tileproof_dialect::types::Type]| {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.compatible(y))
    };
    let mut wrong = vec![];
    if !fits(&b, &a) {
        wrong.push(Diagnostic::new(
            format!(
                "the two programs take different arguments: {} and {}",
                list(&b),
                list(&a)
            ),
            a_location(after),
        ));
    }
    if !fits(&before.main().results, &after.main().results) {
        wrong.push(Diagnostic::new(
            format!(
                "the two programs give different results: {} and {}",
                list(&before.main().results),
                list(&after.main().results)
            ),
            a_location(after),
        ));
    }
    if !wrong.is_empty() {
        return Err(Error::InvalidProgram(wrong));
    }
    let aligned = expansion::align(before, after)?;
    let step = Step {
        pass: "tv".to_string(),
        program: aligned.after,
        numerics: numerics.clone(),
        rewrites: vec![],
        origin: Origin::Foreign,
    };
    let mut report = pipeline(&aligned.before, std::slice::from_ref(&step), options)?;
    report.notes.extend(aligned.notes);
    Ok(report)
}

fn a_location(program: &Program) -> tileproof_dialect::location::Location {
    program.main().location.clone()
}

fn list(types: &[tileproof_dialect::types::Type]) -> String {
    let all: Vec<String> = types.iter().map(ToString::to_string).collect();
    format!("({})", all.join(", "))
}

/// How often a seed is redrawn when a residue of a divisor is zero by chance.
const REDRAWS: u64 = 3;

fn run(
    versions: &[Version<'_>],
    steps: &[Step],
    class: Class,
    seed: u64,
    options: &Options,
    seen: &mut [HashSet<(u128, u128)>],
    report: &mut Report,
) -> Result<(), Error> {
    for draw in 0..=REDRAWS {
        let ring_seed = seed.wrapping_add(draw << 32);
        let last = draw == REDRAWS;
        if let Some(outcomes) =
            attempt(versions, steps, class, seed, ring_seed, options, seen, last)?
        {
            report.runs.push((class, ring_seed));
            for (pass, mut new) in report.passes.iter_mut().zip(outcomes.passes) {
                new.stamp(class, ring_seed);
                pass.absorb(new);
            }
            report.predicates[0] += outcomes.predicates[0];
            report.predicates[1] += outcomes.predicates[1];
            report.notes.extend(outcomes.notes);
            return Ok(());
        }
    }
    Ok(())
}

struct Attempt {
    passes: Vec<Delta>,
    predicates: [u64; 2],
    notes: Vec<String>,
}

/// What one run adds to a pass report.
#[derive(Default)]
struct Delta {
    outcome: Outcome,
    verdicts: Vec<Verdict>,
    found: Vec<Found>,
    loose: u64,
    elements: u64,
    decided: u64,
    time: Duration,
}

impl Delta {
    fn stamp(&mut self, class: Class, seed: u64) {
        for f in &mut self.found {
            (f.class, f.seed) = (class, seed);
        }
    }
}

/// One run over all versions with one choice of inputs. None: a zero residue stood as divisor; draw again.
#[allow(clippy::too_many_arguments)]
fn attempt(
    versions: &[Version<'_>],
    steps: &[Step],
    class: Class,
    seed: u64,
    ring_seed: u64,
    options: &Options,
    seen: &mut [HashSet<(u128, u128)>],
    last: bool,
) -> Result<Option<Attempt>, Error> {
    let arguments = match &options.given {
        Some(values) => values.clone(),
        None => inputs::generate(level::most_static(versions), class, seed)?,
    };
    let mut session = Session::new(Planes::IeeeAndRing, &options.limits);
    let contents: Vec<Content> = arguments
        .into_iter()
        .enumerate()
        .map(|(i, v)| session.insert(with_ring(&v, ring_seed, i as u64)))
        .collect();
    let mut passes = vec![];
    let mut zero_divisors = false;
    for (k, step) in steps.iter().enumerate() {
        let start = Instant::now();
        let mut delta = match compare(
            &mut session,
            &versions[k],
            &versions[k + 1],
            step,
            &contents,
            &mut seen[k],
        ) {
            Ok(delta) => delta,
            Err(stop) => stopped(stop)?,
        };
        delta.time = start.elapsed();
        if session.events.zero_divisors > 0 {
            zero_divisors = true;
            if !last {
                return Ok(None);
            }
            delta.decided = 0;
            delta.verdicts.push(Verdict::EqualIeeeOnly {
                why: "zero divisor in the ring under four seeds".to_string(),
            });
            delta
                .found
                .iter_mut()
                .for_each(|f| f.ring = Ring::NotDecisive("zero divisor".to_string()));
        }
        passes.push(delta);
    }
    let notes = if zero_divisors {
        vec![format!(
            "class {}: a divisor's residue is zero under every seed tried",
            class.name()
        )]
    } else {
        vec![]
    };
    Ok(Some(Attempt {
        passes,
        predicates: session.events.predicates,
        notes,
    }))
}

/// A stop of the run as a verdict, or as the error it is.
fn stopped(stop: Stop) -> Result<Delta, Error> {
    match stop {
        Stop::Failed(Error::Unsupported { what, .. }) => Ok(Delta {
            verdicts: vec![Verdict::Unsupported { what }],
            ..Delta::default()
        }),
        Stop::Failed(e) => Err(e),
        Stop::Trap(trap) => Ok(Delta {
            verdicts: vec![Verdict::Inconclusive {
                why: format!("both programs trap: {trap}"),
            }],
            ..Delta::default()
        }),
        Stop::Cancelled => Ok(Delta {
            verdicts: vec![Verdict::Inconclusive {
                why: "stopped by the user".to_string(),
            }],
            ..Delta::default()
        }),
    }
}

fn compare(
    session: &mut Session<'_>,
    before: &Version<'_>,
    after: &Version<'_>,
    step: &Step,
    arguments: &[Content],
    seen: &mut HashSet<(u128, u128)>,
) -> Result<Delta, Stop> {
    let pair = Pair {
        before,
        after,
        numerics: &step.numerics,
        rewrites: &step.rewrites,
    };
    let mut run = CoEvaluation {
        pair: &pair,
        session,
        seen,
        calls: HashMap::new(),
        outcome: Outcome::default(),
    };
    let results = match run.main(arguments) {
        Ok(results) => results,
        Err(Stop::Trap(trap)) => return trapped(session, before, after, arguments, trap),
        Err(stop) => return Err(stop),
    };
    let outcome = std::mem::take(&mut run.outcome);
    let mut delta = Delta::default();
    for (want, _) in &results {
        let n = session
            .value(*want)?
            .as_tensor()
            .map_or(1, |t| t.len() as u64);
        delta.elements += n;
        delta.decided += if session.events.opaque_random > 0 {
            0
        } else {
            n
        };
    }
    judge_regions(&outcome.regions, &mut delta);
    if results.iter().any(|(want, got)| want != got) {
        let values = |pick: fn(&(Content, Content)) -> Content| {
            results
                .iter()
                .map(|r| session.value(pick(r)).cloned())
                .collect::<Result<Vec<_>, _>>()
        };
        let (want, got) = (values(|r| r.0)?, values(|r| r.1)?);
        judge_mismatch(
            &outcome.mismatches,
            bits::first_difference(&want, &got),
            &mut delta,
        );
    }
    delta.outcome = outcome;
    Ok(delta)
}

/// One side trapped: the other must trap alike.
fn trapped(
    session: &mut Session<'_>,
    before: &Version<'_>,
    after: &Version<'_>,
    arguments: &[Content],
    trap: Trap,
) -> Result<Delta, Stop> {
    let alone = |session: &mut Session<'_>, v: &Version| match session.eval_function(
        v,
        v.program.entry,
        arguments,
    ) {
        Err(Stop::Trap(t)) => Ok(Some(t)),
        Err(stop) => Err(stop),
        Ok(_) => Ok(None),
    };
    let (want, got) = (alone(session, before)?, alone(session, after)?);
    if want == got {
        return Err(Stop::Trap(trap));
    }
    let what = |t: Option<Trap>| t.map_or("no trap".to_string(), |t| t.to_string());
    let difference = Difference {
        output: 0,
        index: vec![],
        want: what(want),
        got: what(got),
        want_bits: String::new(),
        got_bits: String::new(),
        residues: None,
        differing: 1,
        total: 1,
    };
    let found = Found {
        verdict: Verdict::Miscompile,
        class: Class::Given,
        seed: 0,
        op: "trap".to_string(),
        location: Default::default(),
        rewrite: None,
        difference: None,
        output: Some(difference),
        ring: Ring::Differs,
        ieee: Ieee::NotRun,
    };
    Ok(Delta {
        verdicts: vec![Verdict::Miscompile],
        found: vec![found],
        elements: 1,
        ..Delta::default()
    })
}

fn judge_regions(regions: &[RegionResult], delta: &mut Delta) {
    for r in regions {
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
                difference: r.difference.clone(),
                output: None,
                ring: r.ring.clone(),
                ieee: r.ieee.clone(),
            });
            delta.verdicts.push(verdict);
        }
    }
}

fn judge_mismatch(mismatches: &[Mismatch], output: Option<Difference>, delta: &mut Delta) {
    // The innermost mismatch is the first; one without a rewrite is worse evidence than one with.
    let Some(first) = mismatches
        .iter()
        .find(|m| m.blame.rewrite.is_some())
        .or(mismatches.first())
    else {
        return;
    };
    let verdict = decide(&Ring::Differs, &first.ieee);
    delta.found.push(Found {
        verdict: verdict.clone(),
        class: Class::Given,
        seed: 0,
        op: first.blame.op.clone(),
        location: first.blame.location.clone(),
        rewrite: first.blame.rewrite.clone(),
        difference: first.difference.clone(),
        output,
        ring: Ring::Differs,
        ieee: first.ieee.clone(),
    });
    delta.verdicts.push(verdict);
}

impl PassReport {
    fn new(step: &Step) -> PassReport {
        PassReport {
            pass: step.pass.clone(),
            numerics: step.numerics.clone(),
            rewrites: step.rewrites.len(),
            verdict: Verdict::Equal,
            regions: 0,
            repeated: 0,
            loose: 0,
            identical: 0,
            elements: 0,
            decided: 0,
            findings: vec![],
            time: Duration::ZERO,
        }
    }

    fn absorb(&mut self, delta: Delta) {
        self.regions += delta.outcome.regions.len() as u64;
        self.repeated += delta.outcome.repeated;
        self.loose += delta.loose;
        self.identical += delta.outcome.identical;
        self.elements += delta.elements;
        self.decided += delta.decided;
        self.time += delta.time;
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
        if self.loose as f64 > self.regions as f64 * LOOSE_SHARE {
            let why = format!("loose bounds in {} of {} regions", self.loose, self.regions);
            self.verdict = self.verdict.clone().worst(Verdict::Inconclusive { why });
        }
        // Findings of one cause are one finding: the first of each (verdict, op, rewrite).
        let mut first: BTreeMap<String, ()> = BTreeMap::new();
        self.findings.retain(|f| {
            first
                .insert(
                    format!("{}|{}|{:?}|{}", f.verdict, f.op, f.rewrite, f.location),
                    (),
                )
                .is_none()
        });
    }
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
