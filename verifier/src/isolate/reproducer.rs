//! From a broken stage to a small program with concrete inputs and a script that was seen to fail.

use super::{
    extract::{self, Form, Observed, Part},
    script,
};
use crate::{
    dumps::{
        codegen::Checker,
        freedom::{self, Flush},
        stages::{Link, Stage},
    },
    inputs,
    reduce::{
        self, Reduced,
        candidate::Base,
        oracle::{Oracle, Results, Signature},
    },
};
use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::Error, eval::Stop, export, numerics::Numerics, program::Program, tensor::Value,
};
use tileproof_runtime::limits::Limits;

/// Longest run of a script.
const SCRIPT_TIME: Duration = Duration::from_secs(120);

/// Steps a loop of a candidate may take.
const STEPS: u64 = 100_000;

/// A finding in the small.
#[derive(Debug, Clone)]
pub struct Reproducer {
    pub reduced: Reduced,
    /// StableHLO and, where it can be written, HLO text.
    pub stablehlo: String,
    pub hlo: Option<String>,
    /// A script that was run and showed the finding.
    pub script: Option<Script>,
}

#[derive(Debug, Clone)]
pub struct Script {
    pub text: String,
    /// Whether the same calls one by one are right; none where the script has no calls.
    pub right_op_by_op: Option<bool>,
}

/// What a reproducer is made with.
pub struct Maker<'a> {
    pub checker: &'a Checker<'a>,
    pub numerics: &'a Numerics,
    /// Python of the worker.
    pub python: &'a Path,
    pub budget: Duration,
}

impl Maker<'_> {
    /// Reduces what `stage` shows. None: XLA of this JAX does not show it on the source program, nor on the one before the stage.
    pub fn make(
        &self,
        chain: &[Link],
        stage: &Stage,
        given: Option<&[Value]>,
    ) -> Result<Option<Reproducer>, Error> {
        let limits = Limits {
            loop_steps: STEPS,
            cancelled: self.checker.limits.cancelled.clone(),
            ..Limits::default()
        };
        // Results that differ beyond rounding make a script; where none do, any that differ make at least a program.
        for results in [Results::Beyond, Results::Differ] {
            let oracle = Oracle {
                xla: self.checker.xla,
                signature: Signature {
                    kind: stage.kind,
                    name: stage.name.clone(),
                },
                numerics: self.numerics,
                checker: self.checker,
                limits: &limits,
                results,
            };
            if let Some(reduced) = self.reduced(chain, stage, given, &oracle)? {
                return self.written(reduced, &oracle.signature).map(Some);
            }
        }
        Ok(None)
    }

    /// The smallest program found from the source program, else from the one before the stage.
    fn reduced(
        &self,
        chain: &[Link],
        stage: &Stage,
        given: Option<&[Value]>,
        oracle: &Oracle<'_>,
    ) -> Result<Option<Reduced>, Error> {
        let first = chain.first().and_then(|l| l.program.as_ref().ok());
        let before = chain.iter().find(|l| l.path == stage.before);
        let before = before.and_then(|l| l.program.as_ref().ok());
        for program in first.into_iter().chain(before) {
            let flat = match flat(program) {
                Ok(flat) => flat,
                Err(Error::Unsupported { .. } | Error::InvalidProgram(_)) => continue,
                Err(other) => return Err(other),
            };
            for found in &stage.report.findings {
                let arguments = match given {
                    Some(values) => values.to_vec(),
                    None => inputs::generate(program, found.class, found.seed & 0xffff_ffff)?,
                };
                let output = found.output.as_ref().map_or(0, |d| d.output);
                let Some(base) = Base::new(&flat, &arguments, oracle.limits)? else {
                    continue;
                };
                let reduced = reduce::reduce(&base, output, oracle, self.budget)?;
                if reduced.is_some() {
                    return Ok(reduced);
                }
            }
        }
        Ok(None)
    }

    fn written(&self, reduced: Reduced, signature: &Signature) -> Result<Reproducer, Error> {
        let shown = &reduced.shown;
        let allowed = freedom::allowed(
            &shown.program,
            &shown.arguments,
            self.checker.freedom,
            Flush::Kept,
            self.checker.limits,
        );
        let distances = match allowed {
            Ok(allowed) => allowed.distances,
            Err(Stop::Failed(e)) => return Err(e),
            Err(Stop::Trap(_) | Stop::Cancelled) => vec![],
        };
        let title = format!("XLA, stage {} ({})", signature.kind.name(), signature.name);
        let mut script = None;
        let makers = [script::of_calls, script::of_text];
        for (i, make) in makers.iter().enumerate() {
            let text = match make(&title, shown, &distances) {
                Ok(text) => text,
                Err(Error::Unsupported { .. }) => continue,
                Err(other) => return Err(other),
            };
            if self.shows(&text, &[])? == Some(true) {
                let right_op_by_op = if i == 0 {
                    self.shows(&text, &["--op-by-op"])?.map(|shown| !shown)
                } else {
                    None
                };
                script = Some(Script {
                    text,
                    right_op_by_op,
                });
                break;
            }
        }
        Ok(Reproducer {
            stablehlo: export::stablehlo::print(&shown.program)?,
            hlo: export::hlo_text::print(&shown.program).ok(),
            script,
            reduced,
        })
    }

    /// Whether the script shows the finding; none when it does not get so far.
    fn shows(&self, text: &str, arguments: &[&str]) -> Result<Option<bool>, Error> {
        let internal = |e: std::io::Error| Error::internal(format!("cannot run a script: {e}"));
        let folder = tempfile::tempdir().map_err(internal)?;
        let path = folder.path().join("repro.py");
        std::fs::write(&path, text).map_err(internal)?;
        let output = folder.path().join("output");
        let file = std::fs::File::create(&output).map_err(internal)?;
        let mut child = Command::new(self.python)
            .arg(&path)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(Stdio::null())
            .spawn()
            .map_err(internal)?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait().map_err(internal)? {
                Some(status) => break status,
                None if start.elapsed() > SCRIPT_TIME => {
                    child.kill().and_then(|()| child.wait()).map_err(internal)?;
                    return Ok(None);
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let printed = std::fs::read_to_string(&output).map_err(internal)?;
        Ok(match status.code() {
            Some(0) => Some(false),
            Some(1) if printed.contains(script::SHOWN) => Some(true),
            Some(_) | None => None,
        })
    }
}

/// The entry function with calls inlined.
fn flat(program: &Arc<Program>) -> Result<Program, Error> {
    let body = program.main().body;
    let ops = extract::ops_of(program, body);
    let part = Part {
        parameters: &program.region(body).arguments,
        ops: &ops,
        results: program.returned(body),
    };
    extract::extract(program, &part, Form::Flat, Observed::Nothing)
}
