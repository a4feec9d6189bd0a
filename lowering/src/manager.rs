//! Runs passes one at a time, verifies after each, decodes the result, and keeps the log of rewrites.

use crate::{
    lowering::{Left, Lowering},
    pass::{Pass, Run},
    rewrite::{Applied, Rewriter},
    settings::Settings,
};
use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    builder::Provenance, error::Error, mlir, numerics::Numerics, program::Program,
};

/// Which passes run, and how far.
#[derive(Default)]
pub struct Options {
    /// No rewrite gets a number above this (`--stop-after-rewrite`).
    pub stop_after_rewrite: Option<u32>,
    /// Name of the last pass to run (`--stop-after`).
    pub stop_after: Option<String>,
    /// Names of the only rewrites to apply; all when none.
    pub rewrites: Option<BTreeSet<String>>,
    /// The machine and the size of blocks.
    pub settings: Settings,
    /// A fault to put into what one application made.
    #[cfg(feature = "plant")]
    pub plant: Option<Plant>,
}

impl Options {
    /// Everything up to a rewrite or pass, without a planted fault.
    pub fn stopping(after_rewrite: Option<u32>, after: Option<&str>) -> Options {
        let mut out = Options::default();
        (out.stop_after_rewrite, out.stop_after) = (after_rewrite, after.map(str::to_string));
        out
    }
}

/// A planted fault: after application number `application` (from 1) of `rewrite` (or of any rewrite) of `pass`, `mutate` changes the program the
/// pass made. It gets the program and the id of the application, and gives the changed program, or none when it has nothing to change there.
#[cfg(feature = "plant")]
pub struct Plant {
    pub pass: String,
    pub rewrite: Option<String>,
    pub application: u32,
    pub mutate: Box<dyn Fn(&Program, &str) -> Option<Program> + Send + Sync>,
}

/// What one pass made.
#[derive(Debug, Clone)]
pub struct Step {
    pub pass: &'static str,
    pub program: Arc<Program>,
    /// Joined over the rewrites that were applied.
    pub numerics: Numerics,
    pub applied: Vec<Applied>,
    /// What a lowering left as it was, and why.
    pub left: Vec<Left>,
    pub time: Duration,
}

/// Runs `passes` over `source`, in order. A step per pass.
pub fn run(
    source: &Program,
    passes: &[&'static Pass],
    options: &Options,
) -> Result<Vec<Step>, Error> {
    let last_number = options.stop_after_rewrite.unwrap_or(u32::MAX);
    if let Some(name) = &options.stop_after
        && !passes.iter().any(|p| p.name == name)
    {
        let names: Vec<&str> = passes.iter().map(|p| p.name).collect();
        return Err(Error::invalid(
            format!("no pass '{name}' in this pipeline: {}", names.join(", ")),
            Default::default(),
        ));
    }
    let mut steps: Vec<Step> = vec![];
    let mut number = 0;
    #[cfg(feature = "plant")]
    let mut planted = options.plant.is_none();
    for pass in passes {
        let start = Instant::now();
        let before = steps.last().map_or(source, |s| &s.program);
        let (program, applied, left) = one(before, pass, number, last_number, options)?;
        number += applied.len() as u32;
        #[cfg(feature = "plant")]
        let program = match &options.plant {
            Some(plant) if plant.pass == pass.name => {
                planted = true;
                plant_into(program, &applied, plant)?
            }
            Some(_) | None => program,
        };
        let numerics = applied
            .iter()
            .fold(Numerics::bit_exact(), |all, a| all.join(a.numerics.clone()));
        steps.push(Step {
            pass: pass.name,
            program: Arc::new(program),
            numerics,
            applied,
            left,
            time: start.elapsed(),
        });
        if options.stop_after.as_deref() == Some(pass.name) {
            break;
        }
    }
    #[cfg(feature = "plant")]
    if !planted {
        return Err(Error::invalid(
            "the pass to plant a fault into did not run",
            Default::default(),
        ));
    }
    Ok(steps)
}

fn one(
    before: &Program,
    pass: &'static Pass,
    number: u32,
    last_number: u32,
    options: &Options,
) -> Result<(Program, Vec<Applied>, Vec<Left>), Error> {
    let change: &dyn Fn(&mut Lowering) -> Result<Program, Error> = match pass.run {
        Run::Rewrite(rewrite) => {
            let (program, log) = rewritten(
                before,
                pass,
                rewrite,
                number,
                last_number,
                &options.rewrites,
            )?;
            return Ok((program, log, vec![]));
        }
        Run::Lower(lower) => &move |lowering| lower(before, lowering),
        Run::Kernel(change) => &move |lowering| {
            lowering.each_kernel(before, pass.input, |k, settings| change(k, settings.target))
        },
    };
    let mut lowering = Lowering::new(
        pass,
        &options.settings,
        number,
        last_number,
        options.rewrites.clone(),
    );
    let program = change(&mut lowering)?;
    let wrong = program.verify();
    if !wrong.is_empty() {
        let all: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        return Err(Error::internal(format!(
            "pass {} made an invalid program: {}",
            pass.name,
            all.join("; ")
        )));
    }
    Ok((program, lowering.log, lowering.left))
}

fn rewritten(
    before: &Program,
    pass: &'static Pass,
    run: fn(&mut Rewriter<'_>) -> Result<(), Error>,
    number: u32,
    last_number: u32,
    rewrites: &Option<BTreeSet<String>>,
) -> Result<(Program, Vec<Applied>), Error> {
    mlir::context::with_context(|context| {
        let module = mlir::encode::encode(before, context)?;
        let mut rewriter = Rewriter::new(context, &module, pass, number, last_number);
        if let Some(names) = rewrites {
            rewriter.restrict(names.clone());
        }
        run(&mut rewriter)?;
        if let Some(fault) = rewriter.take_fault() {
            return Err(fault);
        }
        let log = std::mem::take(&mut rewriter.log);
        let wrong = context.verify(module.as_operation());
        if !wrong.is_empty() {
            let all: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            return Err(Error::internal(format!(
                "pass {} made an invalid module: {}",
                pass.name,
                all.join("; ")
            )));
        }
        let program =
            mlir::decode::decode(&module, &Arc::from(before.name.as_str()), Provenance::Keep)
                .map_err(|e| {
                    Error::internal(format!("pass {} made an invalid program: {e}", pass.name))
                })?;
        Ok((program, log))
    })
}

#[cfg(feature = "plant")]
fn plant_into(program: Program, applied: &[Applied], plant: &Plant) -> Result<Program, Error> {
    let fits = |a: &&Applied| plant.rewrite.as_deref().is_none_or(|r| r == a.rewrite);
    let Some(target) = applied
        .iter()
        .filter(fits)
        .nth(plant.application.saturating_sub(1) as usize)
    else {
        let n = applied.iter().filter(fits).count();
        return Err(Error::invalid(
            format!(
                "nothing to plant into: {} such applications in pass {}",
                n, plant.pass
            ),
            Default::default(),
        ));
    };
    (plant.mutate)(&program, &target.id).ok_or_else(|| {
        Error::invalid(
            format!(
                "the mutator finds nothing to change in what {} made; try another @N",
                target.id
            ),
            Default::default(),
        )
    })
}
