//! Stage S6: kernels as native code, by each code generator, against the simulator at S5 on the arguments of their first call, bit for bit (NaN are equal).
//!
//! Proves: on these arguments the code of both generators gives the simulator's bits. Cannot: say anything of kernels that no run calls, of those that are not
//! run, or of functions that code calls the reference's definition for; those are named.

use crate::{
    compare::bits::{self, Difference},
    inputs::Class,
    kernels::calls,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    process::Command,
    time::Duration,
};
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    location::Location,
    planes::Planes,
    program::Program,
    stage::Stage,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    limits::Limits,
    native::kernel::{
        Generator,
        worker::{Ended, Worker},
    },
    simulator::{self, Plan, Simulation},
};

/// The column `native`.
#[derive(Debug, Clone, Default)]
pub struct Native {
    pub kernels: Vec<OfKernel>,
    /// Names of kernels of which nothing is known, with the reason.
    pub unknown: BTreeSet<String>,
}

/// One distinct kernel.
#[derive(Debug, Clone)]
pub struct OfKernel {
    pub name: String,
    pub location: Location,
    pub class: Class,
    pub seed: u64,
    /// How long the simulator took.
    pub simulated: Duration,
    pub outcomes: Vec<(Generator, Outcome)>,
}

/// What one generator's code gave.
#[derive(Debug, Clone)]
pub enum Outcome {
    Agrees {
        time: Duration,
        compilation: Duration,
        /// Ops that the code calls the reference's definition for.
        functions: Vec<String>,
    },
    Differs(Box<Difference>),
    /// The simulator ended; the code did not.
    Stopped(String),
    NotRun(String),
}

impl Outcome {
    /// `agrees`, `differs` or `not run`.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Agrees { .. } => "agrees",
            Outcome::Differs(_) | Outcome::Stopped(_) => "differs",
            Outcome::NotRun(_) => "not run",
        }
    }

    pub fn differs(&self) -> bool {
        matches!(self, Outcome::Differs(_) | Outcome::Stopped(_))
    }
}

/// Numbers of one generator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub agree: usize,
    pub differ: usize,
    pub not_run: usize,
    /// Why, with how often.
    pub reasons: BTreeMap<String, usize>,
    /// Ops by the reference's definition, with the number of kernels.
    pub functions: BTreeMap<String, usize>,
}

impl Native {
    /// Kernels whose code differs.
    pub fn differing(&self) -> impl Iterator<Item = &OfKernel> {
        let differs = |k: &&OfKernel| k.outcomes.iter().any(|(_, o)| o.differs());
        self.kernels.iter().filter(differs)
    }

    pub fn counts(&self, generator: Generator) -> Counts {
        let mut out = Counts::default();
        let of = |k: &OfKernel| {
            let found = k.outcomes.iter().find(|(g, _)| *g == generator);
            found.map(|(_, o)| o.clone())
        };
        for outcome in self.kernels.iter().filter_map(of) {
            match outcome {
                Outcome::Agrees { functions, .. } => {
                    out.agree += 1;
                    for f in functions {
                        *out.functions.entry(f).or_default() += 1;
                    }
                }
                Outcome::Differs(_) | Outcome::Stopped(_) => out.differ += 1,
                Outcome::NotRun(why) => {
                    out.not_run += 1;
                    *out.reasons.entry(why).or_default() += 1;
                }
            }
        }
        out
    }

    pub fn add(&mut self, other: Native) {
        self.kernels.extend(other.kernels);
        self.unknown.extend(other.unknown);
    }
}

/// How kernels are run.
pub struct How<'h> {
    /// Makes the command of a child that serves [`tileproof_runtime::native::kernel::worker`].
    pub child: &'h dyn Fn() -> Command,
    pub generators: &'h [Generator],
    /// Most time of one kernel.
    pub limit: Duration,
    pub limits: &'h Limits,
}

/// Runs each distinct kernel of `program` on the arguments of its first call. `skipped`: kernels that are not run, with the reason.
pub fn check(
    program: &Program,
    given: Option<&[Value]>,
    seed: u64,
    skipped: &BTreeMap<String, String>,
    how: &How<'_>,
) -> Result<Native, Error> {
    let class = match given {
        Some(_) => Class::Given,
        None => Class::Normal,
    };
    let calls = calls::first(program, given, class, seed, how.limits)?;
    let mut out = Native::default();
    let mut seen = HashSet::new();
    let mut worker = Worker::new(how.child, program, how.limit)?;
    for kernel in &program.kernels {
        let Some(arguments) = calls.get(&kernel.name) else {
            let name = &kernel.name;
            out.unknown
                .insert(format!("kernel '{name}' ran on no inputs"));
            continue;
        };
        if !seen.insert(kernel.structural_hash()) {
            continue;
        }
        let mut one = OfKernel {
            name: kernel.name.clone(),
            location: kernel.location.clone(),
            class,
            seed,
            simulated: Duration::ZERO,
            outcomes: vec![],
        };
        let mut refused = skipped.get(&kernel.name).cloned();
        if kernel.stage != Stage::S5 {
            refused = Some(format!("it is at stage {}", kernel.stage));
        }
        let want = match refused {
            Some(why) => Err(why),
            None => {
                let start = std::time::Instant::now();
                let want = simulated(kernel, arguments, how.limits);
                one.simulated = start.elapsed();
                want?
            }
        };
        for generator in how.generators {
            let outcome = match &want {
                Err(why) => Outcome::NotRun(why.clone()),
                Ok(want) => judged(&mut worker, &kernel.name, *generator, arguments, want)?,
            };
            one.outcomes.push((*generator, outcome));
        }
        out.kernels.push(one);
    }
    Ok(out)
}

/// What the simulator gives. Inner `Err`: why the kernel is not run natively.
#[allow(clippy::type_complexity)]
fn simulated(
    kernel: &std::sync::Arc<tileproof_dialect::tpu::Kernel>,
    arguments: &[Tensor],
    limits: &Limits,
) -> Result<Result<Vec<Tensor>, String>, Error> {
    let mut events = Events::default();
    let ran = Plan::new(kernel, Planes::IeeeOnly).and_then(|plan| {
        let how = Simulation::default();
        simulator::run(
            &plan,
            arguments,
            Planes::IeeeOnly,
            &how,
            limits,
            &mut events,
        )
    });
    Ok(match ran {
        // What a hazard makes of memory is no meaning that code could have.
        Ok(_) if !events.hazards.is_empty() => Err("a hazard".to_string()),
        Ok(outcome) => Ok(outcome.outputs),
        Err(Stop::Trap(trap)) => Err(format!("it traps: {trap}")),
        Err(Stop::Cancelled) => Err("it was cancelled".to_string()),
        Err(Stop::Failed(e)) => return Err(e),
    })
}

fn judged(
    worker: &mut Worker<'_>,
    kernel: &str,
    generator: Generator,
    arguments: &[Tensor],
    want: &[Tensor],
) -> Result<Outcome, Error> {
    let ended = worker
        .run(kernel, generator, arguments, 1)
        .map_err(|e| Error::internal(format!("a kernel in a child process: {e}")))?;
    Ok(match ended {
        Ended::Returned {
            outputs,
            time,
            compilation,
            functions,
        } => {
            let values = |all: &[Tensor]| all.iter().cloned().map(Value::from).collect::<Vec<_>>();
            if outputs.len() != want.len() {
                return Ok(Outcome::Stopped("another number of outputs".to_string()));
            }
            match bits::first_difference(&values(want), &values(&outputs)) {
                Some(difference) => Outcome::Differs(Box::new(difference)),
                None => Outcome::Agrees {
                    time,
                    compilation,
                    functions,
                },
            }
        }
        Ended::Unsupported(what) => Outcome::NotRun(format!("Unsupported{{{what}}}")),
        Ended::Failed(what) => Outcome::NotRun(format!("failed: {what}")),
        Ended::Fault(what) => Outcome::Stopped(format!("the code stops: {what}")),
        Ended::Crashed(how) => Outcome::Stopped(format!("the code crashes: {how}")),
        Ended::Hung(seconds) => Outcome::Stopped(format!("no end in {seconds} s")),
    })
}
