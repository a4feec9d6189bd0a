//! `tileproof check`: every pass of our compiler on one program.

use super::tv::Validation;
use crate::{exit, load};
use clap::{Args, ValueEnum};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use tileproof_dialect::{error::Error, program::Program, stage::Stage, tensor::Value};
use tileproof_lowering::{analysis, manager, pass::Pass, pipeline, settings::Settings};
use tileproof_runtime::{limits::Limits, native::kernel::Generator};
use tileproof_verifier::{blame::Rewrite, kernels, native, validate};

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
    /// Last pass to run; may be one of kernels
    #[arg(long, value_name = "PASS")]
    stop_after: Option<String>,
    /// Lower to this stage: s2 unless given
    #[arg(long, value_enum, value_name = "STAGE", conflicts_with = "passes")]
    to: Option<To>,
    /// Put a fault into what an application made: PASS[:REWRITE][@N]=MUTATOR[,seed=S]
    #[cfg(feature = "plant")]
    #[arg(long)]
    plant: Option<String>,
    /// Print kernels, library calls, bytes moved and what each kernel does on stderr
    #[arg(long)]
    stats: bool,
    /// Make native code of the kernels by both generators and compare it with the simulator; lowers to s5
    #[arg(long)]
    native: bool,
    #[command(flatten)]
    validation: Validation,
}

impl Check {
    pub fn run(self) -> Result<u8, Error> {
        let program = load::program(&self.program)?;
        let given = self.validation.arguments(&program)?;
        let native = self.native || matches!(self.to, Some(To::S6));
        let to = match (self.to, self.passes.is_some() || self.stop_after.is_some()) {
            (None, false) if native => Some(To::S6),
            (to, _) => to,
        };
        let (passes, settings) = select(self.passes.as_deref(), to, self.stop_after.as_deref())?;
        let mut options = self.options()?;
        options.settings = settings;
        let steps = manager::run(&program, &passes, &options)?;
        if self.stats {
            let (given, seed) = (given.as_deref(), self.validation.seed);
            let counted = statistics(&program, &steps, &options, given, seed)?;
            exit::print_on_stderr(&counted)?;
        }
        let steps: Vec<validate::Step> = steps.into_iter().map(step).collect();
        let target = options.settings.target;
        let source = Arc::new(program);
        let mut command = format!("tileproof check {}", self.program.display());
        #[cfg(feature = "plant")]
        if let Some(plant) = &self.plant {
            command += &format!(" --plant '{plant}'");
        }
        if let Some(passes) = &self.passes {
            command += &format!(" --passes '{passes}'");
        }
        if let Some(to) = self.to {
            command += &format!(" --to {}", to.word());
        }
        if let Some(pass) = &self.stop_after {
            command += &format!(" --stop-after {pass}");
        }
        if self.native {
            command += " --native";
        }
        self.validation
            .finish(&source, given, command, target, |options| {
                let mut report = validate::pipeline(&source, &steps, options)?;
                if native {
                    let last = steps.last().map_or(&source, |s| &s.program);
                    report.take_native(of_native_code(last, &report, options)?);
                }
                Ok(report)
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

/// Native code of the last program's kernels against the simulator. Kernels with hazards are left out.
fn of_native_code(
    program: &Program,
    report: &validate::Report,
    options: &validate::Options,
) -> Result<native::Native, Error> {
    let child = super::native::child()?;
    let found = &report.hazards.found;
    let skipped: BTreeMap<String, String> = found
        .iter()
        .map(|f| (f.fault.kernel().to_string(), "a hazard".to_string()))
        .collect();
    let how = native::How {
        child: &child,
        generators: &Generator::ALL,
        limit: super::native::LIMIT,
        limits: &options.limits,
    };
    native::check(
        program,
        options.given.as_deref(),
        options.seed,
        &skipped,
        &how,
    )
}

/// Options of the manager: how far to go.
pub fn options(stop_after_rewrite: Option<u32>, stop_after: Option<&str>) -> manager::Options {
    manager::Options::stopping(stop_after_rewrite, stop_after)
}

/// What the last program makes a machine do: kernels, library calls and bytes as they are written, then what each kernel did when it ran.
pub fn statistics(
    program: &Program,
    steps: &[manager::Step],
    options: &manager::Options,
    given: Option<&[Value]>,
    seed: u64,
) -> Result<String, Error> {
    // What fusion saves is measured against the last program without fusions.
    let unfused = steps.iter().take_while(|s| s.pass != "hlo-fuse").last();
    let unfused = unfused.map_or(program, |s| &*s.program);
    let last = steps.last().map_or(program, |s| &*s.program);
    let count = |p| analysis::statistics::statistics(p, options.settings.target);
    let written = count(last).compared(&count(unfused));
    let ran = kernels::statistics::of(last, given, seed, &Limits::default())?;
    Ok(format!("{written}{ran}"))
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
            numerics: Some(a.numerics.clone()),
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

/// How far a program is lowered.
#[derive(Clone, Copy, ValueEnum)]
pub enum To {
    /// Simplified `hlo`
    S1,
    /// Fused, with layouts
    S2,
    /// Kernels with windows
    S3,
    /// Kernels that copy and wait themselves
    S4,
    /// Kernels of native registers
    S5,
    /// Kernels of native registers, and native code of them as with --native
    S6,
}

impl To {
    fn stage(self) -> Stage {
        match self {
            To::S1 => Stage::S1,
            To::S2 => Stage::S2,
            To::S3 => Stage::S3,
            To::S4 => Stage::S4,
            // Native code is made of the last kernels, by no pass.
            To::S5 | To::S6 => Stage::S5,
        }
    }

    fn word(self) -> String {
        match self {
            To::S6 => "s6".to_string(),
            To::S1 | To::S2 | To::S3 | To::S4 | To::S5 => self.stage().to_string().to_lowercase(),
        }
    }
}

/// The passes to run: by name, up to a stage or pass, or those that run unless more is asked for; and their settings.
pub fn select(
    names: Option<&str>,
    to: Option<To>,
    stop_after: Option<&str>,
) -> Result<(Vec<&'static Pass>, Settings), Error> {
    if let Some(names) = names {
        return pipeline::with_settings(names);
    }
    let last = stop_after.and_then(|name| pipeline::passes().into_iter().find(|p| p.name == name));
    let stage = match (to, last) {
        (Some(to), _) => to.stage(),
        (None, Some(pass)) => pass.output.max(pipeline::DEFAULT_STAGE),
        (None, None) => pipeline::DEFAULT_STAGE,
    };
    Ok((pipeline::up_to(stage), Settings::default()))
}

/// The passes to run, by name or those of the default pipeline.
pub fn passes(names: Option<&str>) -> Result<Vec<&'static Pass>, Error> {
    Ok(select(names, None, None)?.0)
}
