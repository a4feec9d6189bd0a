//! `tileproof run`: runs a program on an engine, with .npy files in and out.

use super::xla::Worker;
use crate::{exit, load, progress};
use clap::{Args, ValueEnum};
use std::{path::PathBuf, sync::Arc};
use tileproof_dialect::{error::Error, planes::Planes, tensor::Value};
use tileproof_runtime::{
    engine::{DeviceOutcome, End, Engine, RunError},
    grid::Devices,
    limits::Limits,
    npy,
    xla::Xla,
};
use tileproof_verifier::inputs::{self, Class};

#[derive(Args)]
pub struct Run {
    program: PathBuf,
    /// Arguments as .npy files, in argument order; without it they are generated
    #[arg(long, value_delimiter = ',', value_name = "A.npy,B.npy")]
    inputs: Option<Vec<PathBuf>>,
    /// Seed of generated inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What runs the program
    #[arg(long, value_enum, default_value_t = EngineName::Reference)]
    engine: EngineName,
    #[command(flatten)]
    worker: Worker,
    /// Write output_I.npy to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum EngineName {
    /// Op by op from the specification
    Reference,
    /// XLA of the user's JAX, in a process of its own, three times
    Xla,
}

impl Run {
    pub fn run(self) -> Result<u8, Error> {
        let program = load::program(&self.program)?;
        let arguments = match &self.inputs {
            Some(paths) => load::arguments(&program, paths)?,
            None => vec![inputs::generate(&program, Class::Normal, self.seed)?],
        };
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let devices = Devices {
            replicas: u64::from(program.num_replicas),
            partitions: u64::from(program.num_partitions),
        };
        let engine = match self.engine {
            EngineName::Reference => Engine::Reference,
            EngineName::Xla => Engine::Xla(Arc::new(Xla::new(self.worker.config()))),
        };
        let outcome = match engine.run(&program, Planes::IeeeOnly, &devices, &arguments, &limits) {
            Ok(outcome) => outcome,
            Err(RunError::Failed(e)) => return Err(e),
            Err(RunError::Cancelled) => {
                eprintln!("stopped; no output was written");
                return Ok(exit::UNDECIDED);
            }
        };
        let mut code = 0;
        for (d, device) in outcome.devices.iter().enumerate() {
            let Some(first) = device.runs.first() else {
                continue;
            };
            match &first.end {
                End::Returned { outputs, .. } => self.write(d, outcome.devices.len(), outputs)?,
                End::Trapped(trap) => {
                    let at = first.events.trapped_at.as_ref();
                    let at = at.map_or(String::new(), |l| format!("{l}: "));
                    eprintln!("{at}the program trapped on device {d}: {trap}");
                    code = 1;
                }
                End::Failed(failure) => {
                    eprintln!("device {d}: {failure}");
                    code = 1;
                }
            }
            if let Some(run) = other_run(device) {
                eprintln!(
                    "device {d}: run {run} of the same executable gave other results than the first"
                );
                code = 1;
            }
        }
        Ok(code)
    }

    /// Writes the outputs of device `d`, or prints a line for each.
    fn write(&self, d: usize, devices: usize, outputs: &[Value]) -> Result<(), Error> {
        for (i, value) in outputs.iter().enumerate() {
            let Some(tensor) = value.as_tensor() else {
                continue;
            };
            match &self.out {
                Some(folder) => {
                    let name = if devices == 1 {
                        format!("output_{i}.npy")
                    } else {
                        format!("output_{i}.device_{d}.npy")
                    };
                    npy::write(&folder.join(name), tensor)?;
                }
                None => {
                    let values = tensor.to_f64s();
                    let first: Vec<String> =
                        values.iter().take(6).map(|v| format!("{v}")).collect();
                    println!(
                        "output {i}: {} [{}{}]",
                        tensor.ty(),
                        first.join(", "),
                        if values.len() > 6 { ", ..." } else { "" }
                    );
                }
            }
        }
        Ok(())
    }
}

/// Number (from 2) of the first run whose results are not those of run 1.
fn other_run(device: &DeviceOutcome) -> Option<usize> {
    let first = device.runs.first()?.outputs()?;
    let position = device.runs.iter().position(|r| r.outputs() != Some(first));
    position.map(|i| i + 1)
}
