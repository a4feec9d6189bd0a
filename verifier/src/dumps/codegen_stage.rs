//! The line of stage *codegen*: the check of [`super::codegen`] over the inputs of a level.

use super::{
    codegen::{Checker, Kernel, Outcome},
    culprit::{self, Culprit},
    stages::{self, Kind, Link, Stage},
};
use crate::{
    compare::bits,
    grid, inputs, level,
    validate::{Options, PassReport},
    verdict::Verdict,
};
use std::{process::Command, sync::Arc, time::Instant};
use tileproof_dialect::{
    error::Error,
    location::Location,
    numerics::Numerics,
    program::Program,
    tensor::{Tensor, Value},
};

/// The stage with what a reproducer starts from.
pub struct Checked {
    pub stage: Stage,
    pub kernels: Vec<Kernel>,
    pub notes: Vec<String>,
}

/// Seeds of a class that the compiled program is run with: each is a run of XLA.
const SEEDS: u64 = 4;

/// Checks the last program of a chain, whose text is `text`.
pub fn check(
    checker: &Checker<'_>,
    last: &Link,
    program: &Arc<Program>,
    text: &str,
    numerics: &Numerics,
    options: &Options,
) -> Result<Checked, Error> {
    let start = Instant::now();
    let mut out = Checked {
        stage: stage(last, numerics),
        kernels: vec![],
        notes: vec![],
    };
    let plan = level::plan(program, false, options).into_iter();
    for (class, seed) in plan.filter(|(_, seed)| seed.wrapping_sub(options.seed) < SEEDS) {
        let arguments = match arguments(program, class, seed, options.given.as_deref()) {
            Ok(arguments) => arguments,
            Err(Error::Unsupported { what, .. }) => {
                out.worst(Verdict::Unsupported { what });
                return Ok(out);
            }
            Err(other) => return Err(other),
        };
        let mut outcome = match checker.check(program, text, &arguments) {
            Ok(outcome) => outcome,
            Err(Error::Unsupported { what, .. }) => Outcome {
                verdicts: vec![Verdict::Unsupported { what }],
                ..Outcome::default()
            },
            Err(other) => return Err(other),
        };
        for f in &mut outcome.found {
            (f.class, f.seed) = (class, seed);
        }
        out.absorb(outcome);
    }
    out.stage.report.time = start.elapsed();
    if out.stage.report.elements == 0 {
        out.worst(Verdict::Inconclusive {
            why: "nothing was compared".to_string(),
        });
    }
    Ok(out)
}

/// Arguments of each process. Those given are of all processes in turn, or of one and then the same for all.
fn arguments(
    program: &Arc<Program>,
    class: inputs::Class,
    seed: u64,
    given: Option<&[Value]>,
) -> Result<Vec<Vec<Value>>, Error> {
    let devices = grid::devices(program);
    let processes = devices.count().unwrap_or(1);
    let parameters = program.parameter_types().len();
    let all = match stages::fitting(program, given) {
        Some(values) => values.to_vec(),
        // Drawn for all processes at once; where they do not look at the grid they do the same.
        None => inputs::generate(&*grid::unrolled(program, &devices)?, class, seed)?,
    };
    if all.len() == parameters {
        return Ok(vec![all; processes]);
    }
    Ok(all
        .chunks(parameters.max(1))
        .map(<[Value]>::to_vec)
        .collect())
}

/// The stage without XLA at hand: results recorded with the dump against the reference.
pub fn recorded(last: &Link, got: &[Tensor], want: &[Value], numerics: &Numerics) -> Stage {
    let mut out = stage(last, numerics);
    let got: Vec<Value> = got.iter().cloned().map(Value::from).collect();
    out.report.elements = want
        .iter()
        .filter_map(Value::as_tensor)
        .map(|t| t.len() as u64)
        .sum();
    out.report.regions = 1;
    match bits::first_difference(want, &got) {
        None => {
            out.report.identical = 1;
            out.report.decided = out.report.elements;
        }
        Some(_) => {
            out.report.loose = 1;
            out.report.verdict = Verdict::Inconclusive {
                why: "recorded results differ, and kernels cannot be run one by one without JAX"
                    .to_string(),
            };
        }
    }
    out
}

/// The stage where it was not run, and why.
pub fn refused(last: &Link, numerics: &Numerics, what: String) -> Stage {
    let mut out = stage(last, numerics);
    out.report.verdict = Verdict::Unsupported { what };
    out
}

fn stage(last: &Link, numerics: &Numerics) -> Stage {
    Stage {
        kind: Kind::Codegen,
        name: Kind::Codegen.name().to_string(),
        pipeline: String::new(),
        point: None,
        before: last.path.clone(),
        after: last.path.clone(),
        report: PassReport::of(Kind::Codegen.name(), numerics),
        culprits: vec![],
    }
}

/// Kernels whose culprit is looked for.
const MOST_CULPRITS: usize = 4;

impl Checked {
    /// Looks for who is to blame for the first kernels found wrong. `child` makes the command that runs one LLVM module.
    pub fn blame(
        &mut self,
        checker: &Checker<'_>,
        child: &dyn Fn() -> Command,
    ) -> Result<(), Error> {
        for kernel in &self.kernels {
            let known = |(location, _): &(Location, Culprit)| *location == kernel.location;
            if self.stage.culprits.len() < MOST_CULPRITS && !self.stage.culprits.iter().any(known) {
                let culprit = culprit::of(checker, kernel, child)?;
                self.stage.culprits.push((kernel.location.clone(), culprit));
            }
        }
        Ok(())
    }

    fn absorb(&mut self, outcome: Outcome) {
        let r = &mut self.stage.report;
        r.regions += outcome.kernels;
        r.identical += outcome.identical;
        r.loose += outcome.loose;
        r.elements += outcome.elements;
        r.decided += outcome.decided;
        for v in outcome.verdicts {
            r.verdict = r.verdict.clone().worst(v);
        }
        for f in outcome.found {
            let known = |o: &&crate::validate::Found| o.op == f.op && o.location == f.location;
            if !r.findings.iter().any(|o| known(&o)) {
                r.findings.push(f);
            }
        }
        self.kernels.extend(outcome.broken);
        for note in outcome.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    fn worst(&mut self, verdict: Verdict) {
        let r = &mut self.stage.report;
        r.verdict = r.verdict.clone().worst(verdict);
    }
}
