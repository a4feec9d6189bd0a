//! `tileproof run`: runs a program on an engine, with .npy files in and out.

use crate::{load, progress};
use clap::Args;
use std::path::PathBuf;
use tileproof_dialect::{error::Error, planes::Planes, tensor::Value};
use tileproof_runtime::{
    engine::{End, Engine, RunError},
    grid::Devices,
    limits::Limits,
    npy,
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
    /// Write output_I.npy to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
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
        let outcome = match Engine::Reference.run(
            &program,
            Planes::IeeeOnly,
            &devices,
            &arguments,
            &limits,
        ) {
            Ok(outcome) => outcome,
            Err(RunError::Failed(e)) => return Err(e),
            Err(RunError::Cancelled) => {
                eprintln!("stopped; no output was written");
                return Ok(2);
            }
        };
        let mut code = 0;
        for (d, device) in outcome.devices.iter().enumerate() {
            for run in &device.runs {
                match &run.end {
                    End::Returned { outputs, .. } => {
                        self.write(d, outcome.devices.len(), outputs)?
                    }
                    End::Trapped(trap) => {
                        eprintln!("device {d}: the program trapped: {trap}");
                        code = 1;
                    }
                }
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
