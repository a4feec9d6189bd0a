//! `tileproof run`: runs a program on an engine, with .npy files in and out.

use super::xla::Worker;
use crate::{
    exit, load,
    progress::{self, Waiting},
};
use clap::{Args, ValueEnum};
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{error::Error, eval::Trap, planes::Planes, tensor::Value};
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
    /// Most steps of one loop on the reference engine
    #[arg(long, value_name = "N", default_value_t = Limits::default().loop_steps)]
    max_steps: u64,
    /// Longest time of the run on the reference engine; without it there is no limit
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
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
        let end = |seconds| Instant::now().checked_add(Duration::from_secs(seconds));
        let limits = Limits {
            loop_steps: self.max_steps,
            deadline: self.time.and_then(end),
            ..Limits::default()
        };
        progress::stop_on_interrupt(limits.cancelled.clone());
        let devices = Devices {
            replicas: u64::from(program.num_replicas),
            partitions: u64::from(program.num_partitions),
        };
        let engine = match self.engine {
            EngineName::Reference => Engine::Reference,
            EngineName::Xla => Engine::Xla(Arc::new(Xla::new(self.worker.config()))),
        };
        let waiting = Waiting::new("running");
        let outcome = engine.run(&program, Planes::IeeeOnly, &devices, &arguments, &limits);
        drop(waiting);
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(RunError::Failed(e)) => return Err(e),
            Err(RunError::Cancelled) => {
                let why = match self.time {
                    Some(seconds) if limits.is_out_of_time() => {
                        format!("the run did not end within {seconds} s (--time)")
                    }
                    Some(_) | None => "stopped".to_string(),
                };
                exit::say(&format!("{why}; no output was written"));
                return Ok(exit::UNDECIDED);
            }
        };
        let mut codes = vec![];
        for (d, device) in outcome.devices.iter().enumerate() {
            let Some(first) = device.runs.first() else {
                continue;
            };
            let ended = match &first.end {
                End::Returned { outputs, .. } => {
                    self.write(d, outcome.devices.len(), outputs)?;
                    0
                }
                End::Trapped(trap) => {
                    let at = first.events.trapped_at.as_ref();
                    let at = at.map_or(String::new(), |l| format!("{l}: "));
                    exit::say(&format!(
                        "{at}the program trapped on device {d}: {trap}{}",
                        help(trap)
                    ));
                    exit::UNDECIDED
                }
                End::Failed(failure) => {
                    exit::say(&format!("device {d}: {failure}"));
                    exit::UNDECIDED
                }
            };
            codes.push(ended);
            if let Some(run) = other_run(device) {
                exit::say(&format!(
                    "device {d}: run {run} of the same executable gave other results than the first"
                ));
                codes.push(exit::MISMATCH);
            }
        }
        // A mismatch outweighs what was not decided.
        Ok(if codes.contains(&exit::MISMATCH) {
            exit::MISMATCH
        } else {
            codes.into_iter().max().unwrap_or(0)
        })
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
                    exit::print(&format!(
                        "output {i}: {} [{}{}]\n",
                        tensor.ty(),
                        first.join(", "),
                        if values.len() > 6 { ", ..." } else { "" }
                    ))?;
                }
            }
        }
        Ok(())
    }
}

fn help(trap: &Trap) -> &'static str {
    match trap {
        Trap::StepLimit(_) => " (--max-steps allows more)",
        Trap::AssertionFailed(_)
        | Trap::MemoryLimit(_)
        | Trap::DepthLimit(_)
        | Trap::ShapeMismatch(_)
        | Trap::Deadlock(_) => "",
    }
}

/// Number (from 2) of the first run whose results are not those of run 1.
fn other_run(device: &DeviceOutcome) -> Option<usize> {
    let first = device.runs.first()?.outputs()?;
    let position = device.runs.iter().position(|r| r.outputs() != Some(first));
    position.map(|i| i + 1)
}
