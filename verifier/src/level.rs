//! Levels of effort: which input classes and seeds a validation runs.

use crate::{inputs::Class, session::Version, validate::Options};
use tileproof_dialect::program::Program;

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

/// The runs of a level: class and seed.
pub fn plan(options: &Options) -> Vec<(Class, u64)> {
    let seeds = |n: u64| (0..n).map(|k| options.seed.wrapping_add(k));
    match (&options.given, options.level) {
        (Some(_), Level::Quick) => vec![(Class::Given, options.seed)],
        (Some(_), Level::Full) => seeds(3).map(|s| (Class::Given, s)).collect(),
        (None, Level::Quick) => vec![(Class::Normal, options.seed), (Class::Exact, options.seed)],
        (None, Level::Full) => {
            let all = Class::ALL
                .iter()
                .flat_map(|c| seeds(if *c == Class::Normal { 3 } else { 1 }).map(|s| (*c, s)));
            all.collect()
        }
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
