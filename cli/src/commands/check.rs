//! `tileproof check`: every pass of our compiler on one program.

use super::tv::Validation;
use crate::load;
use clap::Args;
use std::{path::PathBuf, sync::Arc};
use tileproof_dialect::error::Error;
use tileproof_lowering::{manager, pass::Pass, pipeline};
use tileproof_verifier::{blame::Rewrite, validate};

#[derive(Args)]
pub struct Check {
    /// StableHLO text, HLO text or proto, or our own dialect
    program: PathBuf,
    /// Passes to run, comma-separated, in place of the whole pipeline
    #[arg(long)]
    passes: Option<String>,
    /// Apply rewrites 1..N only
    #[arg(long, value_name = "N")]
    stop_after_rewrite: Option<u32>,
    /// Last pass to run
    #[arg(long, value_name = "PASS")]
    stop_after: Option<String>,
    /// Put a fault into what an application made: PASS[:REWRITE][@N]=MUTATOR[,seed=S]
    #[cfg(feature = "plant")]
    #[arg(long)]
    plant: Option<String>,
    #[command(flatten)]
    validation: Validation,
}

impl Check {
    pub fn run(self) -> Result<u8, Error> {
        let program = load::program(&self.program)?;
        let given = self.validation.arguments(&program)?;
        let passes = passes(self.passes.as_deref())?;
        let steps = manager::run(&program, &passes, &self.options()?)?;
        let steps: Vec<validate::Step> = steps.into_iter().map(step).collect();
        let source = Arc::new(program);
        let mut command = format!("tileproof check {}", self.program.display());
        #[cfg(feature = "plant")]
        if let Some(plant) = &self.plant {
            command += &format!(" --plant '{plant}'");
        }
        if let Some(passes) = &self.passes {
            command += &format!(" --passes {passes}");
        }
        self.validation.finish(&source, given, command, |options| {
            validate::pipeline(&source, &steps, options)
        })
    }

    #[cfg(not(feature = "plant"))]
    fn options(&self) -> Result<manager::Options, Error> {
        Ok(options(self.stop_after_rewrite, self.stop_after.as_deref()))
    }

    #[cfg(feature = "plant")]
    fn options(&self) -> Result<manager::Options, Error> {
        let mut out = options(self.stop_after_rewrite, self.stop_after.as_deref());
        out.plant = self.plant.as_deref().map(super::plant::parse).transpose()?;
        Ok(out)
    }
}

/// Options of the manager: how far to go.
pub fn options(stop_after_rewrite: Option<u32>, stop_after: Option<&str>) -> manager::Options {
    manager::Options::stopping(stop_after_rewrite, stop_after)
}

/// A step of the pass manager as the validator takes it.
pub fn step(step: manager::Step) -> validate::Step {
    let rewrites = step
        .applied
        .iter()
        .map(|a| Rewrite {
            id: a.id.clone(),
            number: a.number,
            replaced: a.replaced.clone(),
        })
        .collect();
    validate::Step {
        pass: step.pass.to_string(),
        program: step.program,
        numerics: step.numerics,
        rewrites,
        origin: validate::Origin::Pass,
    }
}

/// The passes to run, by name or all.
pub fn passes(names: Option<&str>) -> Result<Vec<&'static Pass>, Error> {
    names.map_or_else(|| Ok(pipeline::pipeline()), pipeline::named)
}
