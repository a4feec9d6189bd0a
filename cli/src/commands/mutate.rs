//! `tileproof mutate`: how many faults the check of each pass finds. Mutants are planted in what the passes make of one program.

use super::check;
use crate::{
    exit, load,
    progress::{self, Progress},
};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use similar::TextDiff;
use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tileproof_dialect::{
    error::Error,
    mlir::text::{self, Literals, Locations},
    program::{OpId, Program},
};
use tileproof_lowering::{manager, pipeline, target::TpuTarget};
use tileproof_runtime::limits::Limits;
use tileproof_verifier::{
    mutate::{
        self, Mutator,
        measure::{self, Mutant},
        oracles::ORACLES,
        table,
    },
    validate::{self, Level, Step},
};

#[derive(Args)]
pub struct Mutate {
    /// StableHLO text, HLO text or proto, or our own dialect
    #[arg(required_unless_present = "list")]
    program: Option<PathBuf>,
    /// Only mutants of what these passes made, comma-separated; the whole pipeline runs
    #[arg(long, value_delimiter = ',')]
    pass: Option<Vec<String>>,
    /// Lower to this stage: s2 unless given
    #[arg(long, value_enum, value_name = "STAGE")]
    to: Option<check::To>,
    /// Options of passes, comma-separated: block-bytes=4096
    #[arg(long, value_delimiter = ',', value_name = "OPTION=VALUE")]
    option: Vec<String>,
    /// Only these mutators, comma-separated
    #[arg(long, value_delimiter = ',')]
    mutator: Option<Vec<String>>,
    /// Places for each mutator in what each pass made
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    sites: u32,
    /// Chooses places, variants and inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this op, by its number as the list of survivors gives it
    #[arg(long, value_name = "N")]
    op: Option<u32>,
    /// What the check may do to kill a mutant
    #[arg(long, value_enum, default_value_t = LevelName::Full)]
    level: LevelName,
    /// Also count the mutants that public oracles let through on one choice of random inputs
    #[arg(long)]
    oracles: bool,
    /// Seconds for the check of one mutant
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    time: u64,
    /// Print what each mutant changes, line by line
    #[arg(long)]
    diff: bool,
    /// Print the measurement as JSON
    #[arg(long)]
    json: bool,
    /// Print the mutators with the faults they model
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LevelName {
    /// Level quick only
    Quick,
    /// Level quick, then level full for what quick does not kill
    Full,
}

impl Mutate {
    pub fn run(self) -> Result<u8, Error> {
        let Some(path) = self.program.as_ref().filter(|_| !self.list) else {
            exit::print(&if self.json {
                format!("{:#}\n", list())
            } else {
                table::list(mutate::all())
            })?;
            return Ok(0);
        };
        let mutators = self.mutators()?;
        let source = Arc::new(load::program(path)?);
        let (steps, target) = self.steps(&source)?;
        self.check_op(&steps)?;
        let limits = Limits::default();
        let cancelled = limits.cancelled.clone();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let bar = Progress::new();
        let options = measure::Options {
            mutators,
            source: source.clone(),
            sites: self.sites as usize,
            op: self.op.map(OpId),
            seed: self.seed,
            levels: match self.level {
                LevelName::Quick => vec![Level::Quick],
                LevelName::Full => vec![Level::Quick, Level::Full],
            },
            oracles: if self.oracles {
                ORACLES.iter().collect()
            } else {
                vec![]
            },
            time: Duration::from_secs(self.time),
            limits,
            progress: Some(Arc::new(move |what, share| bar.update(what, share))),
            target,
        };
        let measured = measure::measure(&steps, &options)?;
        let mut command = format!("tileproof mutate {}", path.display());
        if !self.option.is_empty() {
            command += &format!(" --option {}", self.option.join(","));
        }
        // Read once: what is printed and the exit code say the same.
        let stopped = cancelled.load(Ordering::Relaxed);
        let diffs: Vec<Option<String>> = if self.diff {
            let of = |m| diff(&steps, m);
            measured.mutants.iter().map(of).collect::<Result<_, _>>()?
        } else {
            vec![]
        };
        let out = if self.json {
            let mut all = table::json(&measured, &options.oracles, &command);
            all["stopped"] = json!(stopped);
            for (i, diff) in diffs.iter().enumerate() {
                all["mutants"][i]["diff"] = json!(diff);
            }
            format!("{all:#}\n")
        } else {
            let shown: Vec<String> = measured
                .mutants
                .iter()
                .zip(&diffs)
                .filter_map(|(m, diff)| Some((m, diff.as_ref()?)))
                .map(|(m, diff)| {
                    format!("{} in {} after {}\n{diff}\n", m.mutator, m.op_name, m.pass)
                })
                .collect();
            shown.concat() + &table::text(&measured, &options.oracles, &command)
        };
        drop(options);
        exit::print(&out)?;
        if measured.false_alarms().next().is_some() {
            return Ok(exit::MISMATCH);
        }
        if stopped {
            exit::say("stopped: the rates are those of the mutants tried so far");
            return Ok(exit::UNDECIDED);
        }
        if measured.mutants.is_empty() {
            exit::say("nothing was measured: none of the mutators applies to what was asked for");
            return Ok(exit::UNDECIDED);
        }
        Ok(0)
    }

    /// `--op` must be an op of something that is measured.
    fn check_op(&self, steps: &[(Arc<Program>, Step)]) -> Result<(), Error> {
        let most = steps.iter().map(|(_, s)| s.program.op_count()).max();
        let Some(op) = self.op.filter(|op| *op as usize >= most.unwrap_or(0)) else {
            return Ok(());
        };
        let message = format!(
            "--op {op}: what is measured has {} ops, counted from 0",
            most.unwrap_or(0)
        );
        Err(Error::invalid(message, Default::default()))
    }

    fn mutators(&self) -> Result<Vec<&'static Mutator>, Error> {
        match &self.mutator {
            None => Ok(mutate::all().collect()),
            Some(names) => names.iter().map(|n| mutate::find(n)).collect(),
        }
    }

    /// The steps to measure, each with the version before it: those that changed the program, or the last one where none did.
    fn steps(&self, source: &Arc<Program>) -> Result<Steps, Error> {
        if let Some(names) = &self.pass {
            check::passes(Some(&names.join(",")))?;
        }
        // A pass that is asked for by name runs: the pipeline goes as far as it.
        let furthest = self.pass.iter().flatten().max_by_key(|name| {
            let place = pipeline::passes().iter().position(|p| p.name == **name);
            place.unwrap_or(0)
        });
        let (passes, mut settings) = check::select(None, self.to, furthest.map(String::as_str))?;
        for option in &self.option {
            settings.set(option)?;
        }
        let target = settings.target;
        let options = manager::Options {
            settings,
            ..manager::Options::default()
        };
        let steps = manager::run(source, &passes, &options)?;
        let changed: Vec<bool> = steps.iter().map(|s| !s.applied.is_empty()).collect();
        let steps: Vec<Step> = steps.into_iter().map(check::step).collect();
        let mut out = vec![];
        for (i, step) in steps.iter().enumerate() {
            let wanted = match &self.pass {
                Some(names) => names.contains(&step.pass),
                None => changed[i] || (i + 1 == steps.len() && out.is_empty()),
            };
            if wanted {
                let first = validate::first_compared(source, &steps, i);
                let before = match first.checked_sub(1) {
                    Some(place) => steps[place].program.clone(),
                    None => source.clone(),
                };
                out.extend(validate::joined(&steps[first..=i]).map(|step| (before, step)));
            }
        }
        Ok((out, target))
    }
}

/// The steps to measure, each with the version before it, and the machine they lower to.
type Steps = (Vec<(Arc<Program>, Step)>, &'static TpuTarget);

/// What a mutant changes, line by line; none where it cannot be made again.
fn diff(steps: &[(Arc<Program>, Step)], m: &Mutant) -> Result<Option<String>, Error> {
    let own = |p: &Program| text::print(p, Locations::Hidden, Literals::Hashed);
    let Some((_, step)) = steps.iter().find(|(_, s)| s.pass == m.pass) else {
        return Ok(None);
    };
    let mutator = mutate::find(m.mutator)?;
    let Some(mutant) = (mutator.mutate)(&step.program, m.op, m.seed) else {
        return Ok(None);
    };
    let (right, wrong) = (own(&step.program)?, own(&mutant)?);
    let diff = TextDiff::from_lines(&right, &wrong);
    Ok(Some(diff.unified_diff().context_radius(1).to_string()))
}

/// The mutators with the faults they model.
fn list() -> Value {
    let one = |m: &Mutator| json!({"name": m.name, "faults": m.faults, "summary": m.summary});
    json!({"version": 1, "mutators": mutate::all().map(one).collect::<Vec<_>>()})
}
