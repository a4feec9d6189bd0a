//! What kernels do, in numbers, counted by the simulator: bytes, operations of the matrix unit, memory. For `--stats`.

use super::calls;
use crate::inputs::Class;
use std::fmt;
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    planes::Planes,
    program::Program,
    stage::Stage,
    tensor::Value,
};
use tileproof_runtime::{
    limits::Limits,
    simulator::{self, Counters, Plan, Simulation},
};

/// The kernels of a program, as its first calls ran them.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    pub kernels: Vec<OfKernel>,
    /// Names of kernels that were not called, or could not be simulated.
    pub not_run: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct OfKernel {
    pub name: String,
    pub stage: Stage,
    pub counters: Counters,
}

/// Runs the program once on these arguments, or on generated ones, and counts what each kernel does in its first call.
pub fn of(
    program: &Program,
    given: Option<&[Value]>,
    seed: u64,
    limits: &Limits,
) -> Result<Statistics, Error> {
    let calls = calls::first(program, given, Class::Normal, seed, limits)?;
    let mut out = Statistics::default();
    for kernel in &program.kernels {
        let ran = calls.get(&kernel.name).map(|arguments| {
            let plan = Plan::new(kernel, Planes::IeeeOnly)?;
            let mut events = Events::default();
            let simulation = Simulation::default();
            simulator::run(
                &plan,
                arguments,
                Planes::IeeeOnly,
                &simulation,
                limits,
                &mut events,
            )
        });
        match ran {
            Some(Ok(outcome)) => out.kernels.push(OfKernel {
                name: kernel.name.clone(),
                stage: kernel.stage,
                counters: outcome.counters,
            }),
            None | Some(Err(Stop::Trap(_) | Stop::Cancelled)) => {
                out.not_run.push(kernel.name.clone());
            }
            Some(Err(Stop::Failed(e))) => return Err(e),
        }
    }
    Ok(out)
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kernels.is_empty() && self.not_run.is_empty() {
            return Ok(());
        }
        let width = |k: &OfKernel| k.name.len() + 1;
        let width = self.kernels.iter().map(width).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "{:width$}  stage  {:>8}  {:>12}  {:>14}  {:>12}  {:>10}",
            "kernel", "steps", "bytes moved", "MXU flops", "vector ops", "VMEM peak"
        )?;
        for k in &self.kernels {
            let c = &k.counters;
            writeln!(
                f,
                "{:width$}  {:5}  {:>8}  {:>12}  {:>14}  {:>12}  {:>10}",
                format!("@{}", k.name),
                k.stage.to_string(),
                c.steps,
                c.bytes_moved,
                c.matrix_operations,
                c.vector_ops,
                c.vmem_bytes
            )?;
        }
        for name in &self.not_run {
            writeln!(f, "@{name} was not called on these inputs")?;
        }
        Ok(())
    }
}
