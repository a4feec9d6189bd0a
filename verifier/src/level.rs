//! Levels of effort: which input classes and seeds a validation runs.

use crate::{inputs::Class, session::Version, validate::Options};
use std::time::{Duration, Instant};
use tileproof_dialect::{program::Program, types::Type};
use tileproof_runtime::limits::Limits;

/// How much is run (DESIGN.md section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Classes normal and exact, one ring seed.
    Quick,
    /// All classes, three ring seeds.
    Full,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Quick => "quick",
            Level::Full => "full",
        }
    }
}

/// Programs with at most this many parameter elements run several seeds of the classes whose cases a small tensor cannot hold at once.
const SMALL: u64 = 128;

/// The runs of a level: class and seed.
pub fn plan(program: &Program, options: &Options) -> Vec<(Class, u64)> {
    let seeds = |n: u64| (0..n).map(|k| options.seed.wrapping_add(k));
    let small = elements(program) <= SMALL;
    match (&options.given, options.level) {
        (Some(_), Level::Quick) => vec![(Class::Given, options.seed)],
        (Some(_), Level::Full) => seeds(3).map(|s| (Class::Given, s)).collect(),
        (None, Level::Quick) => vec![(Class::Normal, options.seed), (Class::Exact, options.seed)],
        (None, Level::Full) => {
            let runs = |c: Class| match c {
                Class::Normal => 3,
                Class::Boundary if small => 12,
                Class::Special if small => 6,
                Class::Wide if small => 3,
                Class::Exact
                | Class::Wide
                | Class::Special
                | Class::Subnormal
                | Class::Boundary
                | Class::Given => 1,
                Class::Unit | Class::Above => 0,
            };
            let all = Class::ALL
                .iter()
                .flat_map(|c| seeds(runs(*c)).map(|s| (*c, s)));
            all.collect()
        }
    }
}

fn elements(program: &Program) -> u64 {
    let of = |t: &Type| {
        t.as_tensor()
            .and_then(|t| t.static_dims())
            .map_or(0, |dims| dims.iter().product())
    };
    program.parameter_types().iter().map(of).sum()
}

/// Most steps of one loop, and most time, of a run on generated inputs: numbers drawn at random may make a loop run for ever.
pub fn budget(class: Class, limits: &Limits) -> Limits {
    let (steps, seconds) = match class {
        Class::Given => return limits.clone(),
        Class::Normal | Class::Exact | Class::Unit | Class::Above => (100_000, 100),
        Class::Wide | Class::Special | Class::Subnormal | Class::Boundary => (20_000, 60),
    };
    Limits {
        loop_steps: limits.loop_steps.min(steps),
        deadline: Some(Instant::now() + Duration::from_secs(seconds)),
        ..limits.clone()
    }
}

/// The first version whose parameters have only static sizes, else the first: sizes of generated inputs come from it.
pub fn most_static<'p>(versions: &[Version<'p>]) -> &'p Program {
    let is_static = |v: &&Version<'p>| {
        let types = v.program.parameter_types();
        types
            .iter()
            .all(|t| t.as_tensor().is_none_or(|t| t.static_dims().is_some()))
    };
    versions
        .iter()
        .find(is_static)
        .map_or(versions[0].program, |v| v.program)
}
