//! `tileproof native`: stage S6 alone. Lowers programs to kernels of native registers and compares the code of both generators with the simulator.

use crate::{exit, load, progress};
use clap::Args;
use std::{
    collections::BTreeMap,
    io::{stdin, stdout},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tileproof_dialect::{error::Error, program::Program, stage::Stage};
use tileproof_lowering::{manager, pipeline};
use tileproof_runtime::{
    limits::Limits,
    native::kernel::{Generator, worker},
};
use tileproof_verifier::{native, report};

/// Word on the command line.
const NAME: &str = "native";
/// Option that makes it the child in which code is made and run.
const SERVE: &str = "--serve";

/// Longest that native code of one kernel may take.
pub const LIMIT: Duration = Duration::from_secs(300);

#[derive(Args)]
pub struct Native {
    #[arg(required_unless_present = "serve")]
    programs: Vec<PathBuf>,
    /// Code generators, all unless given
    #[arg(long, value_delimiter = ',', value_name = "llvm,cranelift")]
    generators: Vec<String>,
    /// Seed of the generated inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Be the child process in which code is made and run
    #[arg(long, hide = true)]
    serve: bool,
}

impl Native {
    pub fn run(self) -> Result<u8, Error> {
        if self.serve {
            worker::serve(&mut stdin().lock(), &mut stdout().lock())
                .map_err(|e| Error::internal(format!("kernels in a child process: {e}")))?;
            return Ok(0);
        }
        let mut generators = vec![];
        for name in &self.generators {
            let generator = Generator::from_name(name).ok_or_else(|| {
                let all: Vec<&str> = Generator::ALL.iter().map(|g| g.name()).collect();
                let what = format!("no generator '{name}' (there are {})", all.join(", "));
                Error::invalid(what, Default::default())
            })?;
            generators.push(generator);
        }
        if generators.is_empty() {
            generators = Generator::ALL.to_vec();
        }
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let mut differs = false;
        for path in &self.programs {
            let start = Instant::now();
            let found = self.one(path, &generators, &limits)?;
            differs |= found.differing().next().is_some();
            let mut text = format!(
                "{}: {} distinct kernels in {:.1} s\n",
                path.display(),
                found.kernels.len(),
                start.elapsed().as_secs_f64()
            );
            text += &report::native::summary(&found);
            for kernel in found.differing() {
                text += &report::native::kernel(kernel);
            }
            exit::print(&text)?;
        }
        Ok(u8::from(differs))
    }

    fn one(
        &self,
        path: &Path,
        generators: &[Generator],
        limits: &Limits,
    ) -> Result<native::Native, Error> {
        let program = lowered(&load::program(path)?)?;
        let child = child()?;
        let how = native::How {
            child: &child,
            generators,
            limit: LIMIT,
            limits,
        };
        native::check(&program, None, self.seed, &BTreeMap::new(), &how)
    }
}

/// The program with kernels of native registers.
pub fn lowered(program: &Program) -> Result<Program, Error> {
    let passes = pipeline::up_to(Stage::S5);
    let steps = manager::run(program, &passes, &manager::Options::default())?;
    Ok(steps
        .last()
        .map_or_else(|| program.clone(), |s| (*s.program).clone()))
}

/// Makes the command of the child.
pub fn child() -> Result<impl Fn() -> Command, Error> {
    let own = std::env::current_exe()
        .map_err(|e| Error::internal(format!("no path of this program: {e}")))?;
    Ok(move || {
        let mut child = Command::new(&own);
        child.args([NAME, SERVE]);
        child
    })
}
