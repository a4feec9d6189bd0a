//! Kills of a check: every step of a pipeline against mutants of what it made.
//!
//! A mutant is killed when the check of the step, with the mutant in the place of the step's result, ends in a mismatch. The right result is checked
//! first: a mismatch there is a false alarm.

use super::{
    Mutator,
    canonical::canonical,
    equivalence,
    oracles::{self, Oracle},
};
use crate::{
    compare::bits::first_difference,
    inputs::{self, Class},
    validate::{self, Level, Progress, Report, Step, known::Known},
    verdict::Verdict,
};
use rayon::prelude::*;
use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::Error,
    location::Location,
    numerics::Contract,
    planes::{Planes, ring::mix},
    program::{OpId, Program},
    tensor::Value,
};
use tileproof_lowering::target::TpuTarget;
use tileproof_runtime::{engine::Engine, grid::Devices, limits::Limits};

/// What to measure.
pub struct Options {
    pub mutators: Vec<&'static Mutator>,
    /// The program that the pipeline began with: arguments are generated for it.
    pub source: Arc<Program>,
    /// Sites of each mutator in what each step made.
    pub sites: usize,
    /// Only this op.
    pub op: Option<OpId>,
    /// Chooses sites, ways of mutators and inputs.
    pub seed: u64,
    /// Tried in order until one kills.
    pub levels: Vec<Level>,
    /// Looked at beside the check; may be empty.
    pub oracles: Vec<&'static Oracle>,
    /// Time for the check of one mutant at one level.
    pub time: Duration,
    pub limits: Limits,
    pub progress: Option<Progress>,
    /// The machine that kernels are made for.
    pub target: &'static TpuTarget,
}

/// What came of a mutant.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// The check says mismatch, or finds hazards, at this level.
    Killed {
        level: Level,
        verdict: Verdict,
        hazards: usize,
    },
    /// The check says nothing: inconclusive, not supported, out of time.
    Undecided {
        verdict: Verdict,
    },
    /// The check takes it for right.
    Survived {
        verdict: Verdict,
        seen: Seen,
    },
    Equivalent {
        why: equivalence::Why,
    },
    /// The checker itself failed.
    Failed {
        message: String,
    },
}

/// Whether more inputs show what the check did not see.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    /// These show it: the check missed it.
    By { class: Class, seed: u64 },
    /// None of so many runs gives other outputs: either no input can, or it is rare.
    Never { runs: u64 },
}

/// One mutant and its fate.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub mutator: &'static str,
    /// The step it was planted after.
    pub pass: String,
    pub op: OpId,
    pub op_name: &'static str,
    pub location: Location,
    pub seed: u64,
    pub fate: Fate,
    /// Share of output elements the ring decided in the check that gave the fate.
    pub ring_decided: f64,
    /// Share of changed regions IEEE decided.
    pub ieee_decided: f64,
    /// Names of the oracles that take its outputs for right.
    pub passed: Vec<&'static str>,
}

/// The right result of a step under the same check.
#[derive(Debug, Clone)]
pub struct Baseline {
    pub pass: String,
    pub level: Level,
    pub verdict: Verdict,
}

/// All mutants of a program.
#[derive(Debug, Clone, Default)]
pub struct Measurement {
    pub baselines: Vec<Baseline>,
    pub mutants: Vec<Mutant>,
    /// Sites that were not tried because the user stopped.
    pub left_out: usize,
}

impl Measurement {
    /// Baselines that are mismatches.
    pub fn false_alarms(&self) -> impl Iterator<Item = &Baseline> {
        self.baselines.iter().filter(|b| b.verdict.is_mismatch())
    }
}

/// A place for a fault.
struct Site {
    mutator: &'static Mutator,
    op: OpId,
    seed: u64,
}

/// Measures the check of each step, given with the version before it.
pub fn measure(steps: &[(Arc<Program>, Step)], options: &Options) -> Result<Measurement, Error> {
    let mut out = Measurement::default();
    for (before, step) in steps {
        measure_step(before, step, options, &mut out)?;
    }
    Ok(out)
}

fn measure_step(
    before: &Arc<Program>,
    step: &Step,
    options: &Options,
    out: &mut Measurement,
) -> Result<(), Error> {
    let (limits, known) = limits_of(before, step, options, out)?;
    let sites = sites(step, options);
    let outputs = if options.oracles.is_empty() {
        None
    } else {
        outputs(&step.program, options, &limits)
    };
    let done = AtomicUsize::new(0);
    let all: Vec<Option<Mutant>> = sites
        .par_iter()
        .map(|site| {
            if options.limits.cancelled.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(progress) = &options.progress {
                let n = done.fetch_add(1, Ordering::Relaxed);
                let what = format!("{} mutants after {}", sites.len(), step.pass);
                progress(&what, n as f64 / sites.len() as f64);
            }
            judge(
                (before, step),
                site,
                options,
                (&limits, &known),
                outputs.as_deref(),
            )
        })
        .collect();
    let tried = all.iter().flatten().count();
    if options.limits.cancelled.load(Ordering::Relaxed) {
        out.left_out += all.len() - tried;
    }
    out.mutants.extend(all.into_iter().flatten());
    Ok(())
}

/// Steps of a loop at first; multiplied while the right program needs more, up to a thousand times as many.
const LOOP_STEPS: u64 = 1_000;

/// Limits under which the right result of the step is no trap, so that a fault that makes a loop endless ends soon; and what the check of it leaves known.
/// Notes the baselines.
fn limits_of(
    before: &Arc<Program>,
    step: &Step,
    options: &Options,
    out: &mut Measurement,
) -> Result<(Limits, Arc<Known>), Error> {
    let mut limits = options.limits.clone();
    limits.loop_steps = limits.loop_steps.min(LOOP_STEPS);
    let most = options.limits.loop_steps.min(1000 * LOOP_STEPS);
    loop {
        let mut baselines = vec![];
        let known = Arc::new(Known::new(options.source.clone()));
        for level in &options.levels {
            let report = check(before, step, *level, options, (&limits, &known))?;
            baselines.push(Baseline {
                pass: step.pass.clone(),
                level: *level,
                verdict: report.verdict,
            });
        }
        let is_cut = baselines.iter().any(|b| match &b.verdict {
            Verdict::Inconclusive { why } => why.contains("trap"),
            Verdict::Equal
            | Verdict::Benign { .. }
            | Verdict::EqualIeeeOnly { .. }
            | Verdict::NumericsViolation
            | Verdict::HiddenMiscompile
            | Verdict::Miscompile
            | Verdict::Unsupported { .. } => false,
        });
        if !is_cut || limits.loop_steps >= most {
            // Inputs on which the right program itself does not end stop both early.
            limits.loop_steps = if is_cut {
                LOOP_STEPS.min(most)
            } else {
                limits.loop_steps
            };
            out.baselines.extend(baselines);
            known.close();
            return Ok((limits, known));
        }
        limits.loop_steps = (limits.loop_steps * 10).min(most);
    }
}

/// Mutators that round once more and change nothing else: no fault where the contract lets results differ in the last places.
const ROUNDINGS: &[&str] = &["reciprocal"];

/// Sites in the order the seed gives.
fn sites(step: &Step, options: &Options) -> Vec<Site> {
    let program = &step.program;
    let keeps_bits = step.numerics.contract == Contract::BitExact;
    let mut out = vec![];
    for mutator in &options.mutators {
        if !keeps_bits && ROUNDINGS.contains(&mutator.name) {
            continue;
        }
        let mut random = options.seed;
        for byte in mutator.name.bytes() {
            random = mix(random ^ u64::from(byte));
        }
        let mut ops: Vec<OpId> = program.op_ids().collect();
        ops.sort_by_key(|op| mix(random ^ (u64::from(op.0) << 20)));
        if let Some(op) = options.op {
            ops.retain(|o| *o == op);
        }
        // A kernel is one op with many places: the seed picks among them.
        let draws = match (options.op, super::kernel::is_of_kernels(mutator)) {
            (None, true) => 2 * options.sites as u64,
            (Some(_), _) | (None, false) => 1,
        };
        let mut found = HashSet::new();
        for (draw, op) in (0..draws).flat_map(|draw| ops.iter().map(move |op| (draw, *op))) {
            if found.len() == options.sites {
                break;
            }
            let seed = if options.op.is_some() {
                options.seed
            } else {
                mix(random ^ u64::from(op.0) ^ (draw << 32)) % 1000
            };
            if let Some(mutant) = (mutator.mutate)(program, op, seed)
                && found.insert(mutant.structural_hash())
            {
                out.push(Site { mutator, op, seed });
            }
        }
    }
    out
}

fn check(
    before: &Arc<Program>,
    step: &Step,
    level: Level,
    options: &Options,
    (limits, known): (&Limits, &Arc<Known>),
) -> Result<Report, Error> {
    let options = validate::Options {
        level,
        seed: options.seed,
        given: None,
        known: Some(known.clone()),
        limits: limits.clone(),
        progress: None,
        target: options.target,
    };
    validate::pipeline(before, std::slice::from_ref(step), &options)
}

fn judge(
    (before, step): (&Arc<Program>, &Step),
    site: &Site,
    options: &Options,
    (limits, known): (&Limits, &Arc<Known>),
    right: Option<&[Value]>,
) -> Option<Mutant> {
    let program = &step.program;
    let mutant = Arc::new((site.mutator.mutate)(program, site.op, site.seed)?);
    let o = program.op(site.op);
    let tileproof_dialect::op::Op::Hlo(op) = &o.op;
    let mut out = Mutant {
        mutator: site.mutator.name,
        pass: step.pass.clone(),
        op: site.op,
        op_name: op.name(),
        location: o.location.clone(),
        seed: site.seed,
        fate: Fate::Undecided {
            verdict: Verdict::Equal,
        },
        ring_decided: 1.0,
        ieee_decided: 1.0,
        passed: vec![],
    };
    if canonical(program) == canonical(&mutant) {
        out.fate = Fate::Equivalent {
            why: equivalence::Why::SameForm,
        };
        return Some(out);
    }
    let step = Step {
        pass: step.pass.clone(),
        program: mutant.clone(),
        numerics: step.numerics.clone(),
        rewrites: vec![],
        origin: step.origin,
    };
    for level in &options.levels {
        match guarded(before, &step, *level, options, (limits, known)) {
            Ok(report) => {
                out.ring_decided = report.ring_decided();
                out.ieee_decided = report.ieee_decided();
                out.fate = fate(*level, &report);
            }
            Err(message) => out.fate = Fate::Failed { message },
        }
        if matches!(out.fate, Fate::Killed { .. } | Fate::Failed { .. }) {
            break;
        }
    }
    if matches!(out.fate, Fate::Survived { .. } | Fate::Undecided { .. })
        && let Some(why) = equivalence::of(program, &mutant, site.mutator, site.op, site.seed)
    {
        out.fate = Fate::Equivalent { why };
        return Some(out);
    }
    if let Fate::Survived { seen, .. } = &mut out.fate {
        *seen = look_further(program, &mutant, &step, options, limits);
    }
    if let Some(right) = right {
        let wrong = outputs(&mutant, options, limits);
        let takes = |oracle: &&&Oracle| {
            wrong
                .as_ref()
                .is_some_and(|wrong| oracles::accepts(oracle, right, wrong))
        };
        out.passed = options
            .oracles
            .iter()
            .filter(takes)
            .map(|o| o.name)
            .collect();
    }
    Some(out)
}

fn fate(level: Level, report: &Report) -> Fate {
    let verdict = report.verdict.clone();
    let hazards = report.hazards.found.len();
    if hazards > 0 {
        return Fate::Killed {
            level,
            verdict,
            hazards,
        };
    }
    match &verdict {
        Verdict::Miscompile | Verdict::HiddenMiscompile | Verdict::NumericsViolation => {
            Fate::Killed {
                level,
                verdict,
                hazards,
            }
        }
        Verdict::Inconclusive { .. } | Verdict::Unsupported { .. } => Fate::Undecided { verdict },
        Verdict::Equal | Verdict::Benign { .. } | Verdict::EqualIeeeOnly { .. } => Fate::Survived {
            verdict,
            seen: Seen::Never { runs: 0 },
        },
    }
}

/// Seeds of each input class that are tried on a survivor.
const MORE_SEEDS: u64 = 8;

/// Runs a survivor and the right program on more inputs of every class. Under a contract that lets values differ in the last places, only a difference
/// that a tolerance of 1e-3 sees counts.
fn look_further(
    right: &Program,
    mutant: &Program,
    step: &Step,
    options: &Options,
    limits: &Limits,
) -> Seen {
    let start = Instant::now();
    let exact = step.numerics.contract == Contract::BitExact;
    let mut runs = 0;
    for k in 0..MORE_SEEDS {
        for class in Class::ALL {
            if start.elapsed() > options.time {
                return Seen::Never { runs };
            }
            let seed = options.seed + 1000 + k;
            let Ok(inputs) = inputs::generate(&options.source, class, seed) else {
                continue;
            };
            let both = [right, mutant].map(|p| run(p, inputs.clone(), options, limits));
            runs += 1;
            let differs = match both {
                [Some(want), Some(got)] if exact => first_difference(&want, &got).is_some(),
                [Some(want), Some(got)] => !oracles::accepts(oracles::ALLCLOSE, &want, &got),
                [None, None] => false,
                [Some(_), None] | [None, Some(_)] => true,
            };
            if differs {
                return Seen::By { class, seed };
            }
        }
    }
    Seen::Never { runs }
}

/// The check within the time of one mutant. A panic of the checker is told as a failure.
fn guarded(
    before: &Arc<Program>,
    step: &Step,
    level: Level,
    options: &Options,
    (limits, known): (&Limits, &Arc<Known>),
) -> Result<Report, String> {
    let mut limits = limits.clone();
    limits.cancelled = Arc::new(AtomicBool::new(false));
    let watch = Watch::start(options.time, &limits.cancelled, &options.limits.cancelled);
    let report = catch_unwind(AssertUnwindSafe(|| {
        check(before, step, level, options, (&limits, known))
    }));
    drop(watch);
    match report {
        Ok(Ok(report)) => Ok(report),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the checker panicked".to_string()),
    }
}

/// Cancels a run at its deadline, or when the user stops all.
struct Watch(Arc<Mutex<bool>>);

impl Watch {
    fn start(time: Duration, run: &Arc<AtomicBool>, all: &Arc<AtomicBool>) -> Watch {
        let over = Arc::new(Mutex::new(false));
        let (run, all, ended) = (run.clone(), all.clone(), over.clone());
        let start = Instant::now();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(20));
                if ended.lock().map_or(true, |over| *over) {
                    break;
                }
                if start.elapsed() > time || all.load(Ordering::Relaxed) {
                    run.store(true, Ordering::Relaxed);
                    break;
                }
            }
        });
        Watch(over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Ok(mut over) = self.0.lock() {
            *over = true;
        }
    }
}

/// Outputs on one choice of normal inputs, as an oracle sees them; none when the run does not end well or the program needs several devices.
fn outputs(program: &Program, options: &Options, limits: &Limits) -> Option<Vec<Value>> {
    let inputs = inputs::generate(&options.source, Class::Normal, options.seed).ok()?;
    run(program, inputs, options, limits)
}

/// Outputs of the reference; none when the run does not end well.
fn run(
    program: &Program,
    inputs: Vec<Value>,
    options: &Options,
    limits: &Limits,
) -> Option<Vec<Value>> {
    let mut limits = limits.clone();
    limits.cancelled = Arc::new(AtomicBool::new(false));
    let _watch = Watch::start(options.time, &limits.cancelled, &options.limits.cancelled);
    let outcome = Engine::Reference
        .run(
            program,
            Planes::IeeeOnly,
            &Devices::default(),
            &[inputs],
            &limits,
        )
        .ok()?;
    let run = outcome
        .devices
        .into_iter()
        .next()?
        .runs
        .into_iter()
        .next()?;
    run.outputs().map(<[Value]>::to_vec)
}
