//! Validates a pipeline, pass by pass, or any two programs, over input classes and seeds.

#[cfg(test)]
mod identity_tests;
mod judged;
mod kernels;
pub mod known;
mod outside;
pub mod report;
mod run;

use crate::{
    alias,
    expansion::{self, StandIn},
    grid,
    inputs::Class,
    level::{self, Patience},
    normal_form,
    predicates::Exercised,
    session::Facts,
    step,
};
pub use crate::{
    level::Level,
    step::{Origin, Step},
};
pub use kernels::{first_compared, joined};
use known::Known;
use rayon::prelude::*;
pub use report::{Found, PassReport, Report, Skipped};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    numerics::{Contract, Numerics},
    program::Program,
    tensor::Value,
    types::Type,
};
use tileproof_lowering::target::TpuTarget;
use tileproof_runtime::limits::Limits;

/// Hears what is being done and the share done.
pub type Progress = Arc<dyn Fn(&str, f64) + Send + Sync>;

/// What to run a validation on.
#[derive(Clone)]
pub struct Options {
    pub level: Level,
    pub seed: u64,
    /// Arguments given by the user, in place of generated ones.
    pub given: Option<Vec<Value>>,
    /// What is known of the pipeline that the programs are part of.
    pub known: Option<Arc<Known>>,
    pub limits: Limits,
    /// Called as work goes on: what is being done, and the share done.
    pub progress: Option<Progress>,
    /// The machine that kernels are made for: how much its memories hold.
    pub target: &'static TpuTarget,
}

/// Programs whose values take more bytes than this are run one class after another: each run holds all of them.
const PARALLEL_BYTES: usize = 256 << 20;

/// Checks every step of a pipeline that starts at `source`.
pub fn pipeline(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    grid::validate(source, steps, options)
}

/// A pipeline of programs for one process.
pub fn single(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    let start = Instant::now();
    let compared = Compared::of(source, steps)?;
    let programs: Vec<Arc<Program>> = compared.programs.iter().map(normal_form::of).collect();
    let known = options.known.as_deref();
    let arguments_of = known.map(|k| normal_form::of(&step::plain(&k.source)));
    let facts: Vec<Facts> = programs.iter().map(|p| Facts::of(p)).collect();
    let mut report = Report::new(steps);
    report.choices = Exercised::of(&programs[run::first_of(&compared.pairs)]);
    let kernels = steps.iter().any(|s| !s.program.kernels.is_empty());
    let plan = level::plan(source, kernels, options);
    let job = run::Job {
        programs: &programs,
        arguments_of: arguments_of.as_deref(),
        facts: &facts,
        pairs: &compared.pairs,
        steps,
        options,
    };
    let spent = Spent::default();
    let is_decided = AtomicBool::new(false);
    let one = |i: usize| {
        if let Some(progress) = &options.progress {
            let (class, seed) = plan[i];
            progress(
                &format!("class {}, seed {seed}", class.name()),
                i as f64 / plan.len() as f64,
            );
        }
        let (class, seed) = plan[i];
        if !class.is_ordinary() && seed != options.seed && spent.of(class) > HOSTILE_TIME {
            let why = format!(
                "the other seeds of the class took {} s",
                HOSTILE_TIME.as_secs()
            );
            return Ok(run::Part::skipped(class, seed, why));
        }
        if is_decided.load(Ordering::Relaxed) {
            let why = "another run is a mismatch".to_string();
            return Ok(run::Part::skipped(class, seed, why));
        }
        let start = Instant::now();
        let part = job.run(class, seed, Patience::Short);
        spent.add(class, start.elapsed());
        let is_wrong = part.as_ref().is_ok_and(run::Part::is_mismatch);
        if is_wrong && known.is_some_and(Known::is_closed) {
            is_decided.store(true, Ordering::Relaxed);
        }
        part
    };
    let parts: Vec<Result<run::Part, Error>> = if value_bytes(source) <= PARALLEL_BYTES {
        (0..plan.len()).into_par_iter().map(one).collect()
    } else {
        (0..plan.len()).map(one).collect()
    };
    for part in parts {
        part?.merge_into(&mut report);
    }
    // Numbers of other ranges, where an output was no number or no ordinary run ended; then the first ones with patience.
    if options.given.is_none() && !is_decided.load(Ordering::Relaxed) {
        let ended = |report: &Report| report.runs.iter().any(|(class, _)| class.is_ordinary());
        for class in [Class::Unit, Class::Above, Class::Small] {
            if !ended(&report) || !report.vacuous().is_empty() {
                job.run(class, options.seed, Patience::Short)?
                    .merge_into(&mut report);
            }
        }
        if !ended(&report) {
            for class in [Class::Normal, Class::Exact] {
                job.run(class, options.seed, Patience::Long)?
                    .merge_into(&mut report);
            }
        }
    }
    alias::judge(source, steps, &mut report.passes);
    report.notes.extend(compared.notes);
    report.conclude();
    report.time = start.elapsed();
    Ok(report)
}

/// After this time, summed over threads, no more seeds of a hostile class are begun.
const HOSTILE_TIME: Duration = Duration::from_secs(20);

/// Time that the runs of each class took.
#[derive(Default)]
struct Spent(Mutex<HashMap<Class, Duration>>);

impl Spent {
    fn of(&self, class: Class) -> Duration {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&class).copied().unwrap_or_default()
    }

    fn add(&self, class: Class, time: Duration) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry(class).or_default() += time;
    }
}

/// What is run: the program before and after each step, in plain form. Two programs without a common source have their functions written alike.
struct Compared {
    programs: Vec<Arc<Program>>,
    /// Of each step, the places of its two programs.
    pairs: Vec<(usize, usize)>,
    notes: Vec<String>,
}

impl Compared {
    fn of(source: &Arc<Program>, steps: &[Step]) -> Result<Compared, Error> {
        let all = std::iter::once(source).chain(steps.iter().map(|s| &s.program));
        let mut out = Compared {
            programs: all.map(step::plain).collect(),
            pairs: vec![],
            notes: vec![],
        };
        for (k, step) in steps.iter().enumerate() {
            let mut pair = (k, k + 1);
            if step.origin == Origin::Foreign {
                let aligned = expansion::align(
                    &out.programs[k],
                    &out.programs[k + 1],
                    stand_in(&step.numerics.contract),
                )?;
                out.notes.extend(aligned.notes);
                pair = (
                    out.place(k, aligned.before),
                    out.place(k + 1, aligned.after),
                );
            }
            out.pairs.push(pair);
        }
        Ok(out)
    }

    /// The place of `program`, which is the one at `k` unless it was changed.
    fn place(&mut self, k: usize, program: Arc<Program>) -> usize {
        if Arc::ptr_eq(&program, &self.programs[k]) {
            return k;
        }
        self.programs.push(program);
        self.programs.len() - 1
    }
}

/// Where nothing is left to the compiler, an approximation is no better for being the usual one.
fn stand_in(contract: &Contract) -> StandIn {
    match contract {
        Contract::Strict => StandIn::Function,
        Contract::BitExact
        | Contract::Reassociates
        | Contract::Approximates { .. }
        | Contract::ChangesPrecision { .. }
        | Contract::Xla
        | Contract::Unknown => StandIn::Ops,
    }
}

/// Bytes of the parameters and of what every op gives once.
fn value_bytes(program: &Program) -> usize {
    let bytes = |t: &Type| {
        t.as_tensor()
            .and_then(|t| Some((t.static_dims()?, t.element.storage_bytes())))
            .map_or(0, |(dims, bytes)| {
                dims.iter().product::<u64>() as usize * bytes
            })
    };
    let results = program.op_ids().flat_map(|id| &program.op(id).results);
    let results: usize = results.map(|v| bytes(program.ty(*v))).sum();
    results + program.parameter_types().iter().map(bytes).sum::<usize>()
}

/// Checks two programs against each other under a contract.
pub fn two(
    before: &Arc<Program>,
    after: &Arc<Program>,
    numerics: &Numerics,
    options: &Options,
) -> Result<Report, Error> {
    let (b, a) = (before.parameter_types(), after.parameter_types());
    let fits = |x: &[Type], y: &[Type]| {
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
            after.main().location.clone(),
        ));
    }
    if !fits(&before.main().results, &after.main().results) {
        wrong.push(Diagnostic::new(
            format!(
                "the two programs give different results: {} and {}",
                list(&before.main().results),
                list(&after.main().results)
            ),
            after.main().location.clone(),
        ));
    }
    if !wrong.is_empty() {
        return Err(Error::InvalidProgram(wrong));
    }
    let step = Step {
        pass: "tv".to_string(),
        program: after.clone(),
        numerics: numerics.clone(),
        rewrites: vec![],
        origin: Origin::Foreign,
    };
    pipeline(before, std::slice::from_ref(&step), options)
}

fn list(types: &[Type]) -> String {
    let all: Vec<String> = types.iter().map(ToString::to_string).collect();
    format!("({})", all.join(", "))
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
