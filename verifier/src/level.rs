//! Levels of effort: which input classes and seeds a validation runs.

use crate::{
    inputs::{Class, Walk, pattern},
    session::Version,
    validate::Options,
};
use std::time::{Duration, Instant};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{Operation, Program, RegionId},
    types::Type,
};
use tileproof_runtime::limits::Limits;

/// How much is run (DESIGN.md section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Classes normal and exact alone.
    Ordinary,
    /// Classes normal and exact, one ring seed. Small programs also run a few seeds of hostile classes, which count where they show a mismatch, and more normal
    /// ones where they have loops or branches.
    Quick,
    /// All classes, three ring seeds; small programs run many.
    Full,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Ordinary => "ordinary",
            Level::Quick => "quick",
            Level::Full => "full",
        }
    }
}

/// What all runs of one hostile class may cost, as [`cost`] counts. Small programs hold few of its cases at once, and are cheap: they run many seeds.
const CLASS_COST: u64 = 1_000_000;
/// At level quick, and most seeds of a class.
const QUICK_COST: u64 = 200_000;
/// Most seeds of a class but `pattern` and, where there are bodies, of class `normal` at level quick.
const QUICK_SEEDS: u64 = 4;
/// Seeds after which every two elements have met every pair of numbers of a class.
const ALL_PAIRS: u64 = 2 * (Walk::LENGTHS[0] * Walk::LENGTHS[0]) as u64;

/// How much slower than the reference kernels are simulated.
const OF_KERNELS: u64 = 1000;

/// The runs of a level: class and seed. `kernels`: whether kernels are simulated.
pub fn plan(program: &Program, kernels: bool, options: &Options) -> Vec<(Class, u64)> {
    let cost = || cost(program).saturating_mul(if kernels { OF_KERNELS } else { 1 });
    let seeds = |n: u64| (0..n).map(|k| options.seed.wrapping_add(k));
    match (&options.given, options.level) {
        (Some(_), Level::Ordinary | Level::Quick) => vec![(Class::Given, options.seed)],
        (Some(_), Level::Full) => seeds(3).map(|s| (Class::Given, s)).collect(),
        (None, Level::Ordinary) => [Class::Normal, Class::Exact]
            .map(|c| (c, options.seed))
            .to_vec(),
        (None, Level::Quick) => {
            let affordable = QUICK_COST / cost();
            let hostile = [
                (Class::Special, QUICK_SEEDS),
                (Class::Boundary, QUICK_SEEDS),
                (Class::Pattern, pattern::SEEDS),
                (Class::Wide, QUICK_SEEDS),
            ];
            let hostile = hostile.iter().flat_map(|(class, most)| {
                seeds(affordable.min(*most)).map(move |seed| (*class, seed))
            });
            // Which body is run, and how often, may be another with other numbers.
            let more = match has_bodies(program) {
                true => affordable.clamp(1, QUICK_SEEDS),
                false => 1,
            };
            let ordinary = seeds(more).map(|s| (Class::Normal, s));
            let ordinary = ordinary.chain([(Class::Exact, options.seed)]);
            let mut all: Vec<(Class, u64)> = ordinary.chain(hostile).collect();
            all.sort_by_key(|(class, _)| Class::ALL.iter().position(|c| c == class));
            all
        }
        (None, Level::Full) => {
            let affordable = CLASS_COST / cost();
            let runs = |c: Class| match c {
                // Kernels are also tried on values of their own.
                Class::Normal if kernels => 3,
                Class::Exact | Class::Subnormal if kernels => 1,
                Class::Wide if kernels => affordable.clamp(1, 3),
                Class::Special | Class::Pattern if kernels => affordable.clamp(1, 6),
                Class::Boundary if kernels => affordable.clamp(1, 12),
                Class::Normal => affordable.clamp(3, 8),
                Class::Exact => affordable.clamp(1, 9),
                Class::Special | Class::Boundary => affordable.clamp(1, ALL_PAIRS),
                Class::Wide => affordable.clamp(1, 64),
                Class::Pattern => affordable.clamp(3, 2 * pattern::SEEDS),
                Class::Subnormal => affordable.clamp(1, 8),
                Class::Given => 1,
                Class::Unit | Class::Above | Class::Small => 0,
            };
            let all = Class::ALL
                .iter()
                .flat_map(|c| seeds(runs(*c)).map(|s| (*c, s)));
            all.collect()
        }
    }
}

fn has_bodies(program: &Program) -> bool {
    let branches = |o: &Operation| {
        matches!(
            o.op,
            Op::Hlo(hlo::Op::If(_) | hlo::Op::Case(_) | hlo::Op::While(_))
        )
    };
    program.op_ids().any(|id| branches(program.op(id)))
}

/// What a run costs, roughly: a step for each element of each result, and the overhead of an op; bodies of loops many times.
fn cost(program: &Program) -> u64 {
    let bodies = program.functions.iter().map(|f| f.body);
    bodies
        .map(|body| cost_of(program, body))
        .fold(1, u64::saturating_add)
}

fn cost_of(program: &Program, region: RegionId) -> u64 {
    const OF_AN_OP: u64 = 100;
    const TRIPS: u64 = 50;
    let elements = |t: &Type| {
        let dims = t.as_tensor().and_then(|t| t.static_dims());
        dims.map_or(1, |dims| {
            dims.iter().fold(1, |n: u64, d| n.saturating_mul(*d))
        })
    };
    let each = program.region(region).ops.iter().map(|id| {
        let o = program.op(*id);
        let Op::Hlo(inner) = &o.op;
        let times = match inner {
            hlo::Op::While(_) => TRIPS,
            _ => 1,
        };
        let inside = o.regions.iter().map(|r| cost_of(program, *r));
        let inside = inside.fold(0, u64::saturating_add).saturating_mul(times);
        let results = o.results.iter().map(|v| elements(program.ty(*v)));
        results.fold(inside.saturating_add(OF_AN_OP), u64::saturating_add)
    });
    each.fold(0, u64::saturating_add)
}

/// How long a run on generated inputs may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Tried first: numbers drawn at random may make a loop run for ever.
    Short,
    /// Where no run ended in short time.
    Long,
}

/// Most steps of one loop, and most time, of a run.
pub fn budget(class: Class, limits: &Limits) -> Limits {
    patient_budget(class, Patience::Long, limits)
}

/// As [`budget`], with fewer steps where patience is short.
pub fn patient_budget(class: Class, patience: Patience, limits: &Limits) -> Limits {
    let (steps, seconds) = match class {
        Class::Given => return limits.clone(),
        Class::Normal | Class::Exact | Class::Unit | Class::Above | Class::Small => {
            match patience {
                Patience::Short => (20_000, 100),
                Patience::Long => (1_000_000, 100),
            }
        }
        Class::Wide | Class::Special | Class::Subnormal | Class::Boundary | Class::Pattern => {
            (20_000, 60)
        }
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
