//! `tileproof opt`: runs passes and prints IR.

use super::check;
use crate::{exit, load};
use clap::{Args, ValueEnum};
use std::{collections::BTreeMap, io::IsTerminal, path::PathBuf};
use tileproof_dialect::{
    error::Error,
    export,
    mlir::text::{self, Literals, Locations},
    program::Program,
};
use tileproof_lowering::{manager, pass::Pass, pipeline, rewrite::Applied, settings::Settings};
use tileproof_verifier::finding::write_atomically;

#[derive(Args)]
pub struct Opt {
    program: PathBuf,
    /// Passes to run, comma-separated; none: only read and print
    #[arg(long)]
    passes: Option<String>,
    /// Run the pipeline
    #[arg(long, conflicts_with = "passes")]
    pipeline: bool,
    /// Run the pipeline to this stage
    #[arg(long, value_enum, value_name = "STAGE", conflicts_with = "passes")]
    to: Option<check::To>,
    /// Apply rewrites 1..N only
    #[arg(long, value_name = "N")]
    stop_after_rewrite: Option<u32>,
    /// Last pass to run
    #[arg(long, value_name = "PASS")]
    stop_after: Option<String>,
    /// Print the IR after this pass, or after `all`
    #[arg(long, value_name = "PASS")]
    print_ir_after: Option<String>,
    /// Print what each pass changed, line by line
    #[arg(long)]
    print_ir_diff: bool,
    /// Print every applied rewrite with its number
    #[arg(long)]
    print_rewrites: bool,
    /// Print kernels, fusions, library calls and bytes moved on stderr
    #[arg(long)]
    stats: bool,
    /// Write the IR after each pass to this folder
    #[arg(long, value_name = "DIR")]
    dump_dir: Option<PathBuf>,
    /// Form of the printed result
    #[arg(long, value_enum, default_value_t = Form::Own)]
    emit: Form,
    /// Print locations (own form)
    #[arg(long)]
    locations: bool,
    /// Literals above 1 KiB in own form: with their bytes, by a hash that cannot be read back, or `auto`: by hash on a terminal and on stderr
    #[arg(long, value_enum, default_value_t = LiteralsArgument::Auto, default_missing_value = "whole", num_args = 0..=1, require_equals = true)]
    literals: LiteralsArgument,
    /// Write the result here in place of printing it
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum LiteralsArgument {
    Auto,
    Whole,
    Hashed,
}

impl LiteralsArgument {
    /// How literals are printed where it is not said; what is kept must be readable again.
    fn or(self, automatic: Literals) -> Literals {
        match self {
            LiteralsArgument::Auto => automatic,
            LiteralsArgument::Whole => Literals::Whole,
            LiteralsArgument::Hashed => Literals::Hashed,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Our own dialect
    Own,
    Stablehlo,
    /// HLO text
    Hlo,
    /// A Python script that computes the same with JAX
    Jax,
}

impl Opt {
    pub fn run(self) -> Result<u8, Error> {
        let program = load::program(&self.program)?;
        let (passes, settings) = if self.passes.is_some() || self.pipeline || self.to.is_some() {
            check::select(self.passes.as_deref(), self.to, self.stop_after.as_deref())?
        } else {
            (vec![], Settings::default())
        };
        let after = self.print_ir_after.as_deref().filter(|name| *name != "all");
        for (option, name) in [
            ("--print-ir-after", after),
            ("--stop-after", self.stop_after.as_deref()),
        ] {
            if let Some(name) = name
                && !passes.iter().any(|p| p.name == name)
            {
                return Err(not_run(option, name, &passes));
            }
        }
        let mut options = check::options(self.stop_after_rewrite, self.stop_after.as_deref());
        options.settings = settings;
        let steps = manager::run(&program, &passes, &options)?;
        let mut before = &program;
        for (i, step) in steps.iter().enumerate() {
            if self.print_rewrites {
                let line = |a: &Applied| format!("{} at {}\n", a.id, a.location);
                exit::print_on_stderr(&step.applied.iter().map(line).collect::<String>())?;
            }
            if self
                .print_ir_after
                .as_deref()
                .is_some_and(|p| p == "all" || p == step.pass)
            {
                let shown = self.own(&step.program, Literals::Hashed)?;
                exit::print_on_stderr(&format!("// after {}\n{shown}\n", step.pass))?;
            }
            if self.print_ir_diff {
                let changed = changed_lines(
                    &self.own(before, Literals::Hashed)?,
                    &self.own(&step.program, Literals::Hashed)?,
                );
                exit::print_on_stderr(&format!("// {}\n{changed}\n", step.pass))?;
            }
            if let Some(folder) = &self.dump_dir {
                write_atomically(
                    &folder.join(format!("{:02}-{}.mlir", i + 1, step.pass)),
                    self.own(&step.program, Literals::Whole)?.as_bytes(),
                )?;
            }
            before = &step.program;
        }
        if self.stats {
            let counted = check::statistics(&program, &steps, &options, None, 1)?;
            exit::print_on_stderr(&format!("{counted}{}", left(&steps)))?;
        }
        let kept = if self.output.is_some() || !std::io::stdout().is_terminal() {
            Literals::Whole
        } else {
            Literals::Hashed
        };
        let result = match self.emit {
            Form::Own => self.own(before, kept)?,
            Form::Stablehlo => export::stablehlo::print(before)?,
            Form::Hlo => hlo_text(before)?,
            Form::Jax => export::jax::print(before)?,
        };
        match &self.output {
            Some(path) => write_atomically(path, result.as_bytes())?,
            None => exit::print(&format!("{}\n", result.trim_end()))?,
        }
        Ok(0)
    }

    fn own(&self, program: &Program, automatic: Literals) -> Result<String, Error> {
        let locations = if self.locations {
            Locations::Shown
        } else {
            Locations::Hidden
        };
        text::print(program, locations, self.literals.or(automatic))
    }
}

/// The pass that `option` names is none of `passes`.
fn not_run(option: &str, name: &str, passes: &[&Pass]) -> Error {
    let names = |all: &[&Pass]| all.iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
    let message = if passes.is_empty() {
        format!(
            "{option}: no pass runs here, so not '{name}' either; --pipeline, --to and --passes run some, the passes are: {}",
            names(&pipeline::passes())
        )
    } else {
        let all = if option == "--print-ir-after" {
            "all, "
        } else {
            ""
        };
        format!(
            "{option}: pass '{name}' does not run here; these do: {all}{}",
            names(passes)
        )
    };
    Error::invalid(message, Default::default())
}

/// HLO text; functions that HLO has no instruction for are written out, as pass hlo-expand does it.
fn hlo_text(program: &Program) -> Result<String, Error> {
    let printed = export::hlo_text::print(program);
    if !matches!(printed, Err(Error::Unsupported { .. })) {
        return printed;
    }
    let (passes, settings) = check::select(Some("hlo-expand"), None, None)?;
    let mut options = check::options(None, None);
    options.settings = settings;
    match manager::run(program, &passes, &options) {
        Ok(steps) => steps
            .last()
            .map_or(printed, |step| export::hlo_text::print(&step.program)),
        Err(_) => printed,
    }
}

/// What lowerings left as it was: how often, what, why.
fn left(steps: &[manager::Step]) -> String {
    let mut counts: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
    for step in steps {
        for l in &step.left {
            *counts.entry((step.pass, &l.op, &l.reason)).or_default() += 1;
        }
    }
    let line = |((pass, op, reason), n): (&(&str, &str, &str), &u64)| {
        format!("{pass} left {n} {op}: {reason}\n")
    };
    counts.iter().map(line).collect()
}

/// Lines of `after` that are not in `before`, and the other way round, in order.
fn changed_lines(before: &str, after: &str) -> String {
    similar::TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(1)
        .to_string()
}
