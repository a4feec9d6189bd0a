//! Wrong uses of memory, copies and semaphores by kernels, beside the values.
//!
//! Each distinct kernel is simulated on the arguments of its first call in a run of the program: at level quick the kernels of the last stage under a lazy
//! and a random schedule, at level full those of every stage under all schedules, and on special and boundary inputs too. A hazard is told at the first
//! stage that has it. The addresses of kernels are checked beside, for all runs at once ([`crate::checkers::vmem`]).
//!
//! Proves: these schedules on these arguments show no hazard. Cannot: see kernels that no run calls (they are named), other arguments, other schedules.

use super::{calls, fault::Fault};
use crate::{
    checkers::vmem,
    inputs::{self, Class},
    level::{self, Level},
    validate::{Options, Report, Step},
};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::Hash,
    sync::Arc,
};
use tileproof_dialect::{
    error::Error,
    eval::Stop,
    planes::Planes,
    program::Program,
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{Hazard, Kernel, MemorySpace},
};
use tileproof_runtime::{
    limits::Limits,
    simulator::{self, Depth, Plan},
};
use xxhash_rust::xxh3::Xxh3;

/// What was looked at, and what was found.
#[derive(Debug, Clone, Default)]
pub struct Hazards {
    /// Distinct kernels that were simulated.
    pub kernels: usize,
    /// Stages whose kernels were looked at.
    pub stages: BTreeSet<Stage>,
    /// Names of kernels that no run called, or that could not be simulated, with the reason: nothing is known of their hazards.
    pub unknown: BTreeSet<String>,
    pub found: Vec<Found>,
}

/// One hazard.
#[derive(Debug, Clone)]
pub struct Found {
    /// The pass after which it shows first, and the rewrite that made the kernel.
    pub pass: String,
    pub rewrite: Option<Arc<str>>,
    pub stage: Stage,
    pub fault: Fault,
    pub class: Class,
    pub seed: u64,
}

/// Looks at the kernels of the steps.
pub fn check(steps: &[Step], options: &Options, report: &mut Report) -> Result<(), Error> {
    let with_kernels: Vec<&Step> = steps
        .iter()
        .filter(|s| !s.program.kernels.is_empty())
        .collect();
    let Some(last) = with_kernels.last() else {
        return Ok(());
    };
    let (looked, runs) = match options.level {
        Level::Ordinary | Level::Quick => (vec![*last], vec![(Class::Normal, Depth::Quick)]),
        Level::Full => (
            with_kernels.clone(),
            vec![
                (Class::Normal, Depth::Full),
                (Class::Boundary, Depth::Quick),
                (Class::Special, Depth::Quick),
            ],
        ),
    };
    let runs = match &options.given {
        Some(_) => vec![(Class::Given, runs[0].1)],
        None => runs,
    };
    let mut out = Hazards::default();
    addresses(&with_kernels, runs[0].0, options, &mut out);
    let mut seen = HashSet::new();
    let noted = std::mem::take(&mut report.first_calls);
    for step in looked {
        let mut open: BTreeSet<&str> = names(&step.program);
        for (class, depth) in &runs {
            let look = Look {
                class: *class,
                depth: *depth,
                options,
            };
            let of_run = *class == runs[0].0 && holds_all(&noted, &step.program);
            let calls = if of_run {
                noted.clone()
            } else {
                look.first_calls(&step.program)?
            };
            let kernels: Vec<(&Arc<Kernel>, &Vec<Tensor>)> = step
                .program
                .kernels
                .iter()
                .filter_map(|k| Some((k, calls.get(&k.name)?)))
                .filter(|(k, _)| seen.insert((k.structural_hash(), *class)))
                .collect();
            let called = called(&calls, &step.program);
            open.retain(|name| {
                let kernel = step.program.kernel(name);
                kernel.is_none_or(|k| !called.contains(&k.structural_hash()))
            });
            out.stages.extend(kernels.iter().map(|(k, _)| k.stage));
            if *class == runs[0].0 {
                out.kernels += kernels.len();
            }
            let found: Vec<Vec<Hazard>> = kernels
                .par_iter()
                .map(|(k, arguments)| look.hazards(k, arguments))
                .collect::<Result<_, Stop>>()
                .map_err(failed)?;
            for ((kernel, _), hazards) in kernels.into_iter().zip(found) {
                if hazards.is_empty() || out.has(&kernel.name) {
                    continue;
                }
                let (step, kernel, hazards) =
                    look.earliest(&with_kernels, step, kernel, hazards)?;
                out.found.extend(hazards.into_iter().map(|hazard| Found {
                    pass: step.pass.clone(),
                    rewrite: kernel.location.rewrite.clone(),
                    stage: kernel.stage,
                    fault: Fault::Memory(hazard),
                    class: *class,
                    seed: options.seed,
                }));
            }
        }
        out.unknown.extend(open.into_iter().map(|name| {
            format!("kernel '{name}' ran on no inputs; nothing is known of its hazards")
        }));
    }
    report.hazards = out;
    Ok(())
}

impl Hazards {
    fn has(&self, kernel: &str) -> bool {
        self.found.iter().any(|f| f.fault.kernel() == kernel)
    }
}

/// Structures of the kernels that were called.
fn called(calls: &Calls, program: &Program) -> HashSet<u128> {
    let kernels = calls.keys().filter_map(|name| program.kernel(name));
    kernels.map(|k| k.structural_hash()).collect()
}

/// Whether each kernel of the program, or one of the same structure, was called.
fn holds_all(calls: &Calls, program: &Program) -> bool {
    let called = called(calls, program);
    program
        .kernels
        .iter()
        .all(|k| called.contains(&k.structural_hash()))
}

/// Checks the addresses of the kernels of each step that have some, and of all registers' kernels: those are the last before the machine.
fn addresses(steps: &[&Step], class: Class, options: &Options, out: &mut Hazards) {
    for step in steps {
        for kernel in &step.program.kernels {
            let placed = kernel.operands.iter().any(|o| o.address.is_some());
            let due = kernel.stage == Stage::S5 || kernel.stage == Stage::S4 && placed;
            if !due || out.has(&kernel.name) {
                continue;
            }
            let found = vmem::check(kernel, options.target).into_iter();
            out.found.extend(found.map(|fault| Found {
                pass: step.pass.clone(),
                rewrite: kernel.location.rewrite.clone(),
                stage: kernel.stage,
                fault: Fault::Addresses {
                    kernel: kernel.name.clone(),
                    location: kernel.location.clone(),
                    fault,
                },
                class,
                seed: options.seed,
            }));
        }
    }
}

fn names(program: &Program) -> BTreeSet<&str> {
    program.kernels.iter().map(|k| k.name.as_str()).collect()
}

/// A simulation that cannot go on is no hazard.
fn failed(stop: Stop) -> Error {
    match stop {
        Stop::Failed(e) => e,
        Stop::Trap(trap) => Error::internal(format!("a simulation stopped: {trap}")),
        Stop::Cancelled => Error::internal("a simulation was cancelled"),
    }
}

/// Arguments of the first call of kernels, by name.
pub type Calls = BTreeMap<String, Vec<Tensor>>;

/// One choice of inputs and effort.
struct Look<'o> {
    class: Class,
    depth: Depth,
    options: &'o Options,
}

impl Look<'_> {
    fn first_calls(&self, program: &Program) -> Result<Calls, Error> {
        let limits = level::budget(self.class, &self.options.limits);
        let (class, seed) = (self.class, self.options.seed);
        let known = self.options.known.as_deref();
        if let Some(calls) = known.and_then(|k| k.calls(class, seed)) {
            return Ok(calls);
        }
        let drawn = match known {
            Some(known) => Some(inputs::generate(&known.source, class, seed)?),
            None => None,
        };
        let given = self.options.given.as_deref().or(drawn.as_deref());
        let calls = calls::first(program, given, class, seed, &limits)?;
        if let Some(known) = known {
            known.keep_calls(class, seed, &calls);
        }
        Ok(calls)
    }

    fn hazards(&self, kernel: &Arc<Kernel>, arguments: &[Tensor]) -> Result<Vec<Hazard>, Stop> {
        let target = self.options.target;
        let capacities = [
            (MemorySpace::Vmem, target.vmem_bytes),
            (MemorySpace::Smem, target.smem_bytes),
        ];
        let mut key = Xxh3::new();
        (kernel.structural_hash(), self.class, self.depth).hash(&mut key);
        let arguments_hash = |t: &Tensor| Value::Tensor(t.clone()).content_hash();
        arguments
            .iter()
            .map(arguments_hash)
            .for_each(|h| h.hash(&mut key));
        let key = key.digest128();
        let known = self.options.known.as_deref();
        if let Some(found) = known.and_then(|k| k.hazards(key)) {
            return Ok(found);
        }
        let limits: Limits = level::budget(self.class, &self.options.limits);
        let plan = Plan::new(kernel, Planes::IeeeOnly)?;
        let seed = self.options.seed;
        let found = simulator::hazards(&plan, arguments, self.depth, seed, &capacities, &limits)?;
        if let Some(known) = known {
            known.keep_hazards(key, &found);
        }
        Ok(found)
    }

    /// The first step whose kernel of this name has hazards, with the kernel and its hazards.
    fn earliest<'s>(
        &self,
        steps: &[&'s Step],
        step: &'s Step,
        kernel: &'s Arc<Kernel>,
        hazards: Vec<Hazard>,
    ) -> Result<(&'s Step, &'s Arc<Kernel>, Vec<Hazard>), Error> {
        for earlier in steps.iter().take_while(|s| !std::ptr::eq(**s, step)) {
            let Some(k) = earlier.program.kernel(&kernel.name) else {
                continue;
            };
            if k.structural_hash() == kernel.structural_hash() {
                return Ok((*earlier, k, hazards));
            }
            let calls = self.first_calls(&earlier.program)?;
            let Some(arguments) = calls.get(&k.name) else {
                continue;
            };
            let found = self.hazards(k, arguments).map_err(failed)?;
            if !found.is_empty() {
                return Ok((*earlier, k, found));
            }
        }
        Ok((step, kernel, hazards))
    }
}
