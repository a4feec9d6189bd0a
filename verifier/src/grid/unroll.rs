//! Writes a program for several processes as one for one process.

use super::{MAX_PROCESSES, grid_functions, op_depends};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo,
    location::Location,
    program::{FunctionId, Operation, Program, RegionId, ValueId},
    types::Type,
};
use tileproof_runtime::grid::Devices;

/// `program` on `devices` as one program: parameters and results of process 0, then of process 1, and so on. A program that does not look at the grid is
/// given back as it is, for its processes do not differ.
///
/// # Errors
/// `Unsupported`: too many processes, or an op between processes that has no plain form (send, infeed, a root only the run knows).
pub fn unrolled(program: &Arc<Program>, devices: &Devices) -> Result<Arc<Program>, Error> {
    let functions = grid_functions(program);
    if functions.is_empty() {
        return Ok(program.clone());
    }
    with_copies(program, devices, functions)
}

/// As [`unrolled`], with every process also where the program does not look at the grid: the form of a program that another one is compared with.
///
/// # Errors
/// As [`unrolled`].
pub fn every_process(program: &Arc<Program>, devices: &Devices) -> Result<Arc<Program>, Error> {
    let mut functions = grid_functions(program);
    functions.insert(program.entry);
    with_copies(program, devices, functions)
}

fn with_copies(
    program: &Arc<Program>,
    devices: &Devices,
    functions: HashSet<FunctionId>,
) -> Result<Arc<Program>, Error> {
    let count = devices
        .count()
        .filter(|n| *n <= MAX_PROCESSES)
        .ok_or_else(|| {
            Error::unsupported(format!(
                "collectives over more than {MAX_PROCESSES} processes"
            ))
        })?;
    let mut unroller = Unroller {
        source: program,
        devices: *devices,
        count,
        functions,
        builder: ProgramBuilder::new(&program.name, Provenance::Keep),
    };
    for id in (0..program.functions.len() as u32).map(FunctionId) {
        unroller.function(id)?;
    }
    unroller.builder.program_mut().kernels = program.kernels.clone();
    Ok(Arc::new(unroller.builder.finish()?))
}

/// New value of each value of the source, one map a process.
pub(super) type Copies = Vec<HashMap<ValueId, ValueId>>;

pub(super) struct Unroller<'a> {
    pub(super) source: &'a Arc<Program>,
    pub(super) devices: Devices,
    pub(super) count: usize,
    functions: HashSet<FunctionId>,
    pub(super) builder: ProgramBuilder,
}

impl Unroller<'_> {
    fn function(&mut self, id: FunctionId) -> Result<(), Error> {
        let f = self.source.function(id);
        let arguments = &self.source.region(f.body).arguments;
        let types: Vec<Type> = arguments
            .iter()
            .map(|v| self.source.ty(*v).clone())
            .collect();
        let copies = if self.functions.contains(&id) {
            self.count
        } else {
            1
        };
        let parameters =
            self.builder
                .begin_function(&f.name, &repeated(&types, copies), f.location.clone());
        let mut env = assign(arguments, &parameters, copies);
        let results = self.body(f.body, &mut env)?;
        let made = self.builder.end_function(&results, f.location.clone());
        let program = self.builder.program_mut();
        program.functions[made.index()].is_private = f.is_private;
        if id == self.source.entry {
            program.entry = made;
        }
        Ok(())
    }

    /// Copies the ops of a region for every process of `env`; gives what it returns, process by process.
    fn body(&mut self, region: RegionId, env: &mut Copies) -> Result<Vec<ValueId>, Error> {
        for id in &self.source.region(region).ops {
            let o = self.source.op(*id);
            if o.op.is_return() {
                break;
            }
            if env.len() > 1 && op_depends(self.source, *id, &self.functions) {
                self.together(o, env)?;
            } else {
                for copy in env.iter_mut() {
                    self.alone(o, copy)?;
                }
            }
        }
        let returned = self.source.returned(region);
        env.iter()
            .map(|copy| values(returned, copy))
            .collect::<Result<Vec<_>, _>>()
            .map(|all| all.concat())
    }

    /// One op of one process.
    fn alone(&mut self, o: &Operation, copy: &mut HashMap<ValueId, ValueId>) -> Result<(), Error> {
        let regions = o
            .regions
            .iter()
            .map(|r| self.region(*r, std::slice::from_mut(copy)))
            .collect::<Result<_, _>>()?;
        let operands = values(&o.operands, copy)?;
        let results = self.builder.op(
            o.op.clone(),
            &operands,
            &self.types(&o.results),
            regions,
            o.location.clone(),
        );
        copy.extend(o.results.iter().copied().zip(results));
        Ok(())
    }

    /// A region of an op, for every process at once, over copies of what it captures.
    pub(super) fn region(
        &mut self,
        region: RegionId,
        env: &mut [HashMap<ValueId, ValueId>],
    ) -> Result<RegionId, Error> {
        self.region_of(region, env, 1)
    }

    /// As `region`; the region returns the values of the first 1/`share` of the processes.
    fn region_of(
        &mut self,
        region: RegionId,
        env: &mut [HashMap<ValueId, ValueId>],
        share: usize,
    ) -> Result<RegionId, Error> {
        let arguments = &self.source.region(region).arguments;
        let types = repeated(&self.types(arguments), env.len());
        let inner = self.builder.begin_region(&types);
        let mut copies: Copies = env.to_vec();
        for (copy, given) in copies.iter_mut().zip(assign(arguments, &inner, env.len())) {
            copy.extend(given);
        }
        let mut results = self.body(region, &mut copies)?;
        results.truncate(results.len() / share);
        Ok(self.builder.end_region(&results, Location::default()))
    }

    /// Calls, loops and branches: operands, results and region arguments process by process; conditions are those of process 0.
    pub(super) fn control(
        &mut self,
        o: &Operation,
        op: &hlo::Op,
        env: &mut Copies,
    ) -> Result<(), Error> {
        let all: Vec<Vec<ValueId>> = env
            .iter()
            .map(|copy| values(&o.operands, copy))
            .collect::<Result<_, _>>()?;
        let is_branch = matches!(op, hlo::Op::If(_) | hlo::Op::Case(_));
        let operands = if is_branch {
            all[0].clone()
        } else {
            all.concat()
        };
        let is_loop = matches!(op, hlo::Op::While(_));
        let mut regions = vec![];
        for (k, r) in o.regions.iter().enumerate() {
            let share = if is_loop && k == 0 { self.count } else { 1 };
            regions.push(self.region_of(*r, env, share)?);
        }
        let types = repeated(&self.types(&o.results), self.count);
        let results = self
            .builder
            .op(o.op.clone(), &operands, &types, regions, o.location.clone());
        for (copy, given) in env.iter_mut().zip(assign(&o.results, &results, self.count)) {
            copy.extend(given);
        }
        Ok(())
    }

    fn types(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|v| self.source.ty(*v).clone()).collect()
    }
}

fn repeated(types: &[Type], times: usize) -> Vec<Type> {
    std::iter::repeat_n(types, times)
        .flatten()
        .cloned()
        .collect()
}

/// Values given process by process, as one map a process.
fn assign(names: &[ValueId], given: &[ValueId], copies: usize) -> Copies {
    (0..copies)
        .map(|p| {
            let mine = given.iter().skip(p * names.len());
            names.iter().copied().zip(mine.copied()).collect()
        })
        .collect()
}

pub(super) fn value(v: ValueId, copy: &HashMap<ValueId, ValueId>) -> Result<ValueId, Error> {
    copy.get(&v)
        .copied()
        .ok_or_else(|| Error::internal("a value is used before it is made"))
}

pub(super) fn values(
    all: &[ValueId],
    copy: &HashMap<ValueId, ValueId>,
) -> Result<Vec<ValueId>, Error> {
    all.iter().map(|v| value(*v, copy)).collect()
}
