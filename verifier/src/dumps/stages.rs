//! Validates every consecutive pair of dumped programs: the source program against the first dump (stage *import*), and each dump against the next
//! (stage *pass*). What cannot be read or compared is a stage of its own verdict, and the chain goes on behind it.

use super::{culprit::Culprit, folder::Point};
use crate::{
    step::{Origin, Step},
    validate::{self, Options, PassReport, Report},
    verdict::Verdict,
};
use std::{path::PathBuf, sync::Arc, time::Instant};
use tileproof_dialect::{
    error::Error, location::Location, numerics::Numerics, program::Program, tensor::Value,
    types::Type,
};

/// A kind of stage, and with it who is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The source program became XLA's first module.
    Import,
    /// A pass changed the module.
    Pass,
    /// The last module became the code that ran.
    Codegen,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Import => "import",
            Kind::Pass => "pass",
            Kind::Codegen => "codegen",
        }
    }
}

/// One program of the chain.
pub struct Link {
    /// None: the source program.
    pub point: Option<Point>,
    pub path: PathBuf,
    /// Or why it cannot be read.
    pub program: Result<Arc<Program>, Error>,
}

/// What one stage did.
#[derive(Debug, Clone)]
pub struct Stage {
    pub kind: Kind,
    /// Pass, or the name of the stage.
    pub name: String,
    pub pipeline: String,
    /// The dump it ends with.
    pub point: Option<Point>,
    /// Programs before and after; after is the file of the inputs for code generation.
    pub before: PathBuf,
    pub after: PathBuf,
    pub report: PassReport,
    /// For kernels found wrong: where they stand, and who made them so.
    pub culprits: Vec<(Location, Culprit)>,
}

/// All stages of one module.
#[derive(Debug, Clone)]
pub struct Stages {
    pub stages: Vec<Stage>,
    pub report: Report,
}

/// Checks every pair of `chain` under the contract of its kind.
pub fn check(
    chain: &[Link],
    contract: impl Fn(Kind) -> Numerics,
    options: &Options,
) -> Result<Stages, Error> {
    let start = Instant::now();
    let mut out = Stages {
        stages: vec![],
        report: Report::new(&[]),
    };
    let mut from = 0;
    while from + 1 < chain.len() {
        let Ok(first) = &chain[from].program else {
            out.refuse(
                &chain[from],
                &chain[from + 1],
                &contract,
                unreadable(&chain[from]),
            );
            from += 1;
            continue;
        };
        // The longest run of programs that can be compared with each other.
        let mut to = from;
        let mut steps = vec![];
        let mut reason = None;
        while let Some(next) = chain.get(to + 1) {
            let kind = kind(&chain[to]);
            match &next.program {
                Err(_) => {
                    reason = Some(unreadable(next));
                    break;
                }
                Ok(program) => {
                    if let Some(why) = other_signature(first, program) {
                        reason = Some(Verdict::Unsupported { what: why });
                        break;
                    }
                    steps.push(Step {
                        pass: stage_name(next, kind),
                        program: program.clone(),
                        numerics: contract(kind),
                        rewrites: vec![],
                        origin: Origin::Foreign,
                    });
                }
            }
            to += 1;
        }
        if !steps.is_empty() {
            let given = fitting(first, options.given.as_deref()).map(<[Value]>::to_vec);
            let options = &Options {
                given,
                known: None,
                ..options.clone()
            };
            let report = validate::pipeline(first, &steps, options)?;
            out.absorb(&chain[from..=to], report);
        }
        if let Some(reason) = reason {
            out.refuse(&chain[to], &chain[to + 1], &contract, reason);
            to += 1;
        }
        from = to;
    }
    out.report.time = start.elapsed();
    Ok(out)
}

/// The arguments where the program takes such ones, for one process or for each: a partitioned program has smaller ones.
pub fn fitting<'v>(program: &Program, given: Option<&'v [Value]>) -> Option<&'v [Value]> {
    let types = program.parameter_types();
    given.filter(|values| {
        let whole = !types.is_empty() && values.len().is_multiple_of(types.len());
        let mut all = values.iter().zip(types.iter().cycle());
        (whole || values.is_empty()) && all.all(|(v, ty)| v.ty().compatible(ty))
    })
}

/// The stage that begins at `link`.
fn kind(link: &Link) -> Kind {
    match link.point {
        None => Kind::Import,
        Some(_) => Kind::Pass,
    }
}

fn stage_name(next: &Link, kind: Kind) -> String {
    match kind {
        Kind::Import | Kind::Codegen => kind.name().to_string(),
        Kind::Pass => next
            .point
            .as_ref()
            .map_or(String::new(), |p| p.name().to_string()),
    }
}

fn unreadable(link: &Link) -> Verdict {
    let why = link
        .program
        .as_ref()
        .err()
        .map_or(String::new(), |e| e.to_string());
    Verdict::Unsupported {
        what: format!("{}: {why}", link.path.display()),
    }
}

/// What differs in the arguments or results of two programs: the chain cannot go on across it.
fn other_signature(before: &Program, after: &Program) -> Option<String> {
    let fits = |x: &[Type], y: &[Type]| {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.compatible(y))
    };
    let words = |all: &[Type]| {
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        format!("({})", all.join(", "))
    };
    let (b, a) = (before.parameter_types(), after.parameter_types());
    if !fits(&b, &a) {
        return Some(format!(
            "a pass that changes the program's arguments from {} to {}",
            words(&b),
            words(&a)
        ));
    }
    let (b, a) = (&before.main().results, &after.main().results);
    (!fits(b, a)).then(|| {
        format!(
            "a pass that changes the program's results from {} to {}",
            words(b),
            words(a)
        )
    })
}

impl Stages {
    /// The first stage with a mismatch.
    pub fn first_broken(&self) -> Option<&Stage> {
        self.stages.iter().find(|s| s.report.verdict.is_mismatch())
    }

    /// Takes in what a run of consecutive programs gave.
    fn absorb(&mut self, links: &[Link], report: Report) {
        for (pair, pass) in links.windows(2).zip(&report.passes) {
            self.push(&pair[0], &pair[1], pass.clone());
        }
        for run in report.runs {
            if !self.report.runs.contains(&run) {
                self.report.runs.push(run);
            }
        }
        self.report.predicates[0] += report.predicates[0];
        self.report.predicates[1] += report.predicates[1];
        self.report.estimates.extend(report.estimates);
        self.report.notes.extend(report.notes);
    }

    fn refuse(
        &mut self,
        before: &Link,
        after: &Link,
        contract: impl Fn(Kind) -> Numerics,
        verdict: Verdict,
    ) {
        let kind = kind(before);
        let report = PassReport {
            verdict,
            ..PassReport::of(&stage_name(after, kind), &contract(kind))
        };
        self.push(before, after, report);
    }

    fn push(&mut self, before: &Link, after: &Link, report: PassReport) {
        let kind = kind(before);
        self.add(Stage {
            kind,
            name: stage_name(after, kind),
            pipeline: after
                .point
                .as_ref()
                .map_or(String::new(), |p| p.pipeline().to_string()),
            point: after.point.clone(),
            before: before.path.clone(),
            after: after.path.clone(),
            report,
            culprits: vec![],
        });
    }

    /// Adds a stage at the end.
    pub fn add(&mut self, stage: Stage) {
        self.report.verdict = self
            .report
            .verdict
            .clone()
            .worst(stage.report.verdict.clone());
        self.report.passes.push(stage.report.clone());
        self.stages.push(stage);
    }
}
