//! `hlo-to-tpu`: every fusion, and every op that is none, becomes a kernel: a grid, blocks of operands and results, a body on blocks.
//!
//! # Before
//! `%1 = hlo.fusion %0 {..} : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> { .. }`.
//! # After
//! `%1 = hlo.kernel_call @loop_1(%0)` and the kernel: a grid of 8 steps, windows of 128x1024, the ops of the fusion on vectors of a block.
//! # Numerics
//! BitExact for elementwise ops and movement. Reassociates for sums and dots, which are taken block by block; sums of floats narrower than f32 run in f32
//! and are rounded once. Named expansions stay named (`tpux.implements`).
//! # Example
//! `tests/passes/hlo-to-tpu/`.
//! # Leaves alone
//! Ops without a lowering, other types than those of kernels (f64, complex, i64), empty and dynamic tensors, kernels that do not fit VMEM: they stay library
//! calls, each noted with its reason (`opt --stats`). Control flow, calls and effects stay around the kernels. Bodies of named expansions.

mod axes;
mod broadcast_in_dim;
mod cholesky;
mod composite;
mod computation;
mod concatenate;
mod constant;
mod convolution;
pub(crate) mod dot_general;
mod dynamic_slice;
mod dynamic_update_slice;
mod elementwise;
mod emitter;
mod form;
mod gather;
mod indices;
mod iota;
mod lanes;
mod map;
mod pad;
mod plan;
mod reduce;
mod reduce_window;
mod reshape;
mod reverse;
mod rewrites;
mod scatter;
mod select_and_scatter;
mod slice;
mod sort;
#[cfg(test)]
mod tests;
mod top_k;
mod transpose;
mod triangular_solve;
mod vectors;

use crate::{
    analysis::library::{Runs, runs},
    lowering::Lowering,
    pass::{Pass, Rewrite, Run},
    rebuild::{Replacement, rebuild},
};
use axes::Axes;
use computation::Computation;
use form::Site;
use plan::Plan;
use std::collections::HashMap;
use tileproof_dialect::{
    error::Error,
    hlo::{self, kernel_call::KernelCall},
    op::Op,
    program::{OpId, Program, RegionId},
    stage::Stage,
    tpu::Kernel,
};

pub static PASS: Pass = Pass {
    name: "hlo-to-tpu",
    input: Stage::S2,
    output: Stage::S3,
    summary: "fusions and single ops become kernels with a grid and windows",
    rewrites: rewrites::REWRITES,
    run: Run::Lower(run),
};

fn run(program: &Program, lowering: &mut Lowering) -> Result<Program, Error> {
    let mut all = All {
        program,
        lowering,
        replaced: HashMap::new(),
        kernels: vec![],
    };
    let expansions: Vec<&str> = program
        .op_ids()
        .filter_map(|id| match &program.op(id).op {
            Op::Hlo(hlo::Op::Composite(c)) => Some(c.decomposition.as_str()),
            Op::Hlo(_) => None,
        })
        .collect();
    for f in &program.functions {
        if !expansions.contains(&f.name.as_str()) {
            all.region(f.body)?;
        }
    }
    rebuild(program, &all.replaced, all.kernels)
}

struct All<'p, 'l> {
    program: &'p Program,
    lowering: &'l mut Lowering,
    replaced: HashMap<OpId, Replacement>,
    kernels: Vec<Kernel>,
}

impl All<'_, '_> {
    fn region(&mut self, region: RegionId) -> Result<(), Error> {
        for id in &self.program.region(region).ops {
            let o = self.program.op(*id);
            let Op::Hlo(op) = &o.op;
            if matches!(op, hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_)) {
                for inner in &o.regions {
                    self.region(*inner)?;
                }
                continue;
            }
            if o.op.kernel().is_some() {
                continue;
            }
            match runs(self.program, *id, self.lowering.settings.target) {
                Runs::Free | Runs::Transfer => {}
                Runs::Library => self.leave(*id, "it runs as a library call in this type"),
                Runs::Kernel => self.op(*id)?,
            }
        }
        Ok(())
    }

    fn leave(&mut self, id: OpId, reason: &str) {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        self.lowering.leave(op.name(), reason, &o.location);
    }

    fn op(&mut self, id: OpId) -> Result<(), Error> {
        if self.lowering.is_exhausted() {
            return Ok(());
        }
        match self.kernel(id) {
            Ok(()) => Ok(()),
            Err(Error::Unsupported { what, .. }) => {
                self.leave(id, &what);
                Ok(())
            }
            Err(error @ (Error::InvalidProgram(_) | Error::Internal(_))) => Err(error),
        }
    }

    fn kernel(&mut self, id: OpId) -> Result<(), Error> {
        let computation = Computation::new(self.program, id)?;
        let rewrite = named(&computation)?;
        let axes = divided(&computation)?;
        let plan = Plan::new(&computation, &axes, &self.lowering.settings)?;
        let settings = self.lowering.settings.clone();
        let name = self.free_name(rewrite);
        let mut fault = None;
        let made =
            self.lowering.apply(
                rewrite,
                &computation.location,
                |location| match emitter::emit(
                    &computation,
                    &axes,
                    &plan,
                    &settings,
                    &name,
                    location,
                ) {
                    Ok(kernel) => Some((kernel, location.clone())),
                    Err(error) => {
                        fault = Some(error);
                        None
                    }
                },
            );
        if let Some(error) = fault {
            return Err(error);
        }
        if let Some((kernel, location)) = made {
            let op = hlo::Op::KernelCall(KernelCall {
                kernel: kernel.name.clone(),
            });
            let operands = plan.prefetch.iter().chain(&plan.inputs).copied().collect();
            self.replaced.insert(
                id,
                Replacement {
                    op: Op::Hlo(op),
                    operands,
                    location,
                },
            );
            self.kernels.push(kernel);
        }
        Ok(())
    }

    /// A name that no function or kernel has, nor begins with: the index maps of a kernel are named after it in text.
    fn free_name(&self, rewrite: &Rewrite) -> String {
        let functions = self.program.functions.iter().map(|f| &f.name);
        let kernels = self.program.kernels.iter().map(|k| &k.name);
        let taken: Vec<&String> = functions.chain(kernels).collect();
        let is_free = |name: &String| {
            !self.kernels.iter().any(|k| k.name == *name)
                && !taken.iter().any(|t| {
                    let rest = t.strip_prefix(name.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
                })
        };
        let mut n = self.program.kernels.len() + self.kernels.len() + 1;
        loop {
            let name = format!("{}_{n}", rewrite.name);
            if is_free(&name) {
                return name;
            }
            n += 1;
        }
    }
}

/// The rewrite of a computation: the freest that one of its ops has.
fn named(computation: &Computation<'_>) -> Result<&'static Rewrite, Error> {
    let mut best = 0;
    for id in &computation.ops {
        let (_, op) = computation.op(*id);
        let form = form::form(op)
            .ok_or_else(|| Error::unsupported(format!("{} has no kernel yet", op.name())))?;
        let place = rewrites::REWRITES
            .iter()
            .position(|r| r.name == form.rewrite.name);
        best = best.max(place.unwrap_or(0));
    }
    Ok(&rewrites::REWRITES[best])
}

fn divided(computation: &Computation<'_>) -> Result<Axes, Error> {
    let inner = computation
        .ops
        .iter()
        .flat_map(|id| &computation.program.op(*id).results);
    for v in inner.chain(&computation.inputs) {
        if computation.dims(*v)?.contains(&0) {
            return Err(Error::unsupported("a tensor without elements"));
        }
    }
    let mut axes = Axes::new(computation)?;
    for id in &computation.ops {
        let site = Site::new(computation, *id);
        let form = form::form(site.op).ok_or_else(|| Error::unsupported(site.op.name()))?;
        (form.divide)(&site, &mut axes)?;
    }
    Ok(axes)
}
