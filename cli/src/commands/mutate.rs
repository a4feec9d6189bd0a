//! `tileproof mutate`: how many faults the check of each pass finds. Mutants are planted in what the passes make of one program.

use super::check;
use crate::{
    exit, load,
    progress::{self, Progress},
};
use clap::{Args, ValueEnum};
use similar::TextDiff;
use std::{path::PathBuf, sync::Arc, time::Duration};
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
        measure::{self, Measurement},
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
    #[arg(long, default_value_t = 2)]
    sites: usize,
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
            exit::print(&table::list(mutate::all()))?;
            return Ok(0);
        };
        let mutators = self.mutators()?;
        let source = Arc::new(load::program(path)?);
        let (steps, target) = self.steps(&source)?;
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let bar = Progress::new();
        let options = measure::Options {
            mutators,
            sites: self.sites,
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
        let mut out = String::new();
        if self.diff {
            out += &diffs(&steps, &measured)?;
        }
        out += &if self.json {
            format!("{:#}\n", table::json(&measured, &options.oracles, &command))
        } else {
            table::text(&measured, &options.oracles, &command)
        };
        drop(options);
        exit::print(&out)?;
        Ok(u8::from(measured.false_alarms().next().is_some()))
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

/// What each mutant changes.
fn diffs(steps: &[(Arc<Program>, Step)], measured: &Measurement) -> Result<String, Error> {
    let own = |p: &Program| text::print(p, Locations::Hidden, Literals::Hashed);
    let mut out = String::new();
    for m in &measured.mutants {
        let Some((_, step)) = steps.iter().find(|(_, s)| s.pass == m.pass) else {
            continue;
        };
        let mutator = mutate::find(m.mutator)?;
        let Some(mutant) = (mutator.mutate)(&step.program, m.op, m.seed) else {
            continue;
        };
        let (right, wrong) = (own(&step.program)?, own(&mutant)?);
        let diff = TextDiff::from_lines(&right, &wrong);
        out += &format!(
            "{} in {} after {}\n{}\n",
            m.mutator,
            m.op_name,
            m.pass,
            diff.unified_diff().context_radius(1)
        );
    }
    Ok(out)
}
