//! A program for several processes as one program: every op once per process, and each collective as plain ops between the copies (a sum over a group
//! is a chain of maps, a permutation a choice of operand). What judges one process then judges the grid: residues, cut points, local bounds and blame.
//!
//! Proves nothing by itself; `runtime::grid` runs the same programs with a thread a process and the definition of each collective, and the tests
//! compare both. Assumes that processes take the same way through a loop or branch with a collective inside, as those that do not would hang.

mod collectives;
mod unroll;

pub use unroll::{every_process, unrolled};

use crate::{
    effects,
    kernels::{functions, hazards},
    validate::{self, Options, Report, Step, known::Known},
};
use std::{collections::HashSet, sync::Arc};
use tileproof_dialect::{
    attribute::Attribute,
    error::Error,
    hlo,
    op::Op,
    program::{FunctionId, OpId, Program, RegionId},
};
use tileproof_runtime::grid::Devices;

/// Grids with more processes are not unrolled.
pub const MAX_PROCESSES: usize = 64;

/// Whether the result of the program hangs on the grid: it communicates or asks for its place.
pub fn depends_on_grid(program: &Program) -> bool {
    !grid_functions(program).is_empty()
}

/// The grid that `program` declares.
pub fn devices(program: &Program) -> Devices {
    Devices {
        replicas: u64::from(program.num_replicas.max(1)),
        partitions: u64::from(program.num_partitions.max(1)),
    }
}

/// The grid that a comparison of `programs` has to run on: the largest that one of them declares, if one of them looks at it.
pub fn of<'a>(programs: impl Iterator<Item = &'a Program> + Clone) -> Option<Devices> {
    let grid = programs
        .clone()
        .map(devices)
        .max_by_key(|d| d.replicas * d.partitions)?;
    (grid.replicas * grid.partitions > 1 && programs.into_iter().any(depends_on_grid))
        .then_some(grid)
}

/// Checks every step of a pipeline: on one process where the programs do not look at the grid, else on all at once.
pub fn validate(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    let programs = std::iter::once(source).chain(steps.iter().map(|s| &s.program));
    let grid = of(programs.clone().map(Arc::as_ref)).unwrap_or(devices(source));
    let processes = (grid.replicas * grid.partitions) as i64;
    for program in programs.clone() {
        groups_exist(program, processes)?;
    }
    let parameters = source.parameter_types().len();
    match (of(programs.map(Arc::as_ref)), &options.given) {
        (Some(devices), _) => together(source, steps, options, &devices),
        (None, Some(values)) if values.len() != parameters => Err(Error::invalid(
            format!(
                "{} arguments were given, the program takes {parameters} (its processes do not communicate: give those of one)",
                values.len()
            ),
            source.main().location.clone(),
        )),
        (None, Some(_) | None) => checked(source, steps, options),
    }
}

/// Whether every process that a collective names is there.
///
/// # Errors
/// `InvalidProgram`, located, if one is not.
fn groups_exist(program: &Program, processes: i64) -> Result<(), Error> {
    fn largest(a: &Attribute) -> i64 {
        match a {
            Attribute::Ints(all) => all.iter().copied().max().unwrap_or(-1),
            Attribute::Array(all) => all.iter().map(largest).max().unwrap_or(-1),
            _ => -1,
        }
    }
    for id in program.op_ids() {
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        if !looks_at_grid(op) {
            continue;
        }
        let attributes = o.op.to_attributes();
        let named = ["replica_groups", "source_target_pairs"];
        let named = named.iter().filter_map(|n| attributes.get(n)).map(largest);
        if let Some(p) = named.max().filter(|p| *p >= processes) {
            return Err(Error::invalid(
                format!(
                    "names process {p}, and the program declares {processes} (mhlo.num_replicas, mhlo.num_partitions)"
                ),
                o.location.clone(),
            ));
        }
    }
    Ok(())
}

/// Results, effects and hazards.
fn checked(source: &Arc<Program>, steps: &[Step], options: &Options) -> Result<Report, Error> {
    let mut report = validate::single(source, steps, options)?;
    effects::check(source, steps, options, &mut report)?;
    functions::check(source, steps, options, &mut report);
    hazards::check(steps, options, &mut report)?;
    Ok(report)
}

/// Every process of the grid at once, as one program. Given arguments are those of all processes, or of one and then the same for all.
fn together(
    source: &Arc<Program>,
    steps: &[Step],
    options: &Options,
    devices: &Devices,
) -> Result<Report, Error> {
    let unrolled_source = every_process(source, devices)?;
    let unrolled_steps = steps
        .iter()
        .map(|s| {
            Ok(Step {
                program: every_process(&s.program, devices)?,
                ..s.clone()
            })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let parameters = source.parameter_types().len();
    let wanted = unrolled_source.parameter_types().len();
    let given = options.given.as_ref().map(|values| {
        if values.len() == parameters {
            let all = std::iter::repeat_n(values, wanted / parameters.max(1));
            all.flatten().cloned().collect()
        } else {
            values.clone()
        }
    });
    let known = options.known.as_ref();
    let known = known
        .map(|k| every_process(&k.source, devices))
        .transpose()?;
    let known = known.map(|source| Arc::new(Known::new(source)));
    let options = Options {
        given,
        known,
        ..options.clone()
    };
    let mut report = checked(&unrolled_source, &unrolled_steps, &options)?;
    report.notes.push(format!(
        "{} processes: results of process 0 come first, then those of process 1, and so on",
        devices.replicas * devices.partitions
    ));
    Ok(report)
}

/// Functions that communicate or ask for their place, by themselves or through a call.
fn grid_functions(program: &Program) -> HashSet<FunctionId> {
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for id in (0..program.functions.len() as u32).map(FunctionId) {
            if region_depends(program, program.function(id).body, &found) {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn region_depends(program: &Program, region: RegionId, functions: &HashSet<FunctionId>) -> bool {
    program
        .region(region)
        .ops
        .iter()
        .any(|op| op_depends(program, *op, functions))
}

fn op_depends(program: &Program, id: OpId, functions: &HashSet<FunctionId>) -> bool {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let calls = match op {
        hlo::Op::Call(call) => program
            .find_function(&call.callee)
            .is_some_and(|f| functions.contains(&f)),
        _ => false,
    };
    calls
        || looks_at_grid(op)
        || o.regions
            .iter()
            .any(|r| region_depends(program, *r, functions))
}

/// Ops whose meaning hangs on the process that runs them. By name: the list of ops is long and this one short.
fn looks_at_grid(op: &hlo::Op) -> bool {
    matches!(
        op,
        hlo::Op::AllGather(_)
            | hlo::Op::AllGatherStart(_)
            | hlo::Op::AllReduce(_)
            | hlo::Op::AllReduceStart(_)
            | hlo::Op::AllToAll(_)
            | hlo::Op::CollectiveBroadcast(_)
            | hlo::Op::CollectivePermute(_)
            | hlo::Op::CollectivePermuteStart(_)
            | hlo::Op::CollectiveReduce(_)
            | hlo::Op::RaggedAllToAll(_)
            | hlo::Op::ReduceScatter(_)
            | hlo::Op::PartitionId(_)
            | hlo::Op::ReplicaId(_)
            | hlo::Op::Send(_)
            | hlo::Op::Recv(_)
    )
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
