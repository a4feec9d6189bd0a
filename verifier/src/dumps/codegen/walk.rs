//! Goes through a module in the order it runs: regions with all values shown, loops round by round, branches as they were taken.

use super::{Checker, OnGrid, Outcome, Values, all, of_each, tensor, values};
use crate::{
    compare::bits,
    dumps::{
        freedom::Freedom,
        scheduled::{self, Ends},
    },
    isolate::extract::{self, Form, Observed, Part},
};
use tileproof_dialect::{
    error::Error,
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
    tensor::Tensor,
};
use tileproof_runtime::grid::Devices;

/// Rounds of a loop whose kernels are checked: the first ones; of those behind, every round whose number is a power of two.
const ROUNDS: u64 = 4;

/// Rounds after which a loop is left.
const MOST_ROUNDS: u64 = 2000;

impl Checker<'_> {
    /// Runs a region with all values shown and checks each of its ops. `processes`: what each process has before. Gives the region's results on each process
    /// as XLA computed them; none if it does not run so.
    pub(super) fn region(
        &self,
        program: &Program,
        region: RegionId,
        parameters: &[ValueId],
        mut processes: Vec<Values>,
        out: &mut Outcome,
    ) -> Result<Option<Vec<Vec<Tensor>>>, Error> {
        let ops = extract::ops_of(program, region);
        let returned = program.returned(region);
        let shown = extract::observable(program, &ops);
        let part = Part {
            parameters,
            ops: &ops,
            results: returned,
        };
        let ran = self.run(program, &part, Observed::Everything, &shown, &processes)?;
        let devices = match ran {
            Ok(devices) => devices,
            Err(failure) => {
                out.note(format!(
                    "a module with all values shown does not run: {failure}"
                ));
                out.undecided("kernels could not be looked at one by one".to_string());
                return Ok(None);
            }
        };
        let mut results = vec![];
        for (mine, all) in processes.iter_mut().zip(devices) {
            let (returned, inner) = all.split_at(returned.len());
            mine.extend(shown.iter().copied().zip(inner.iter().cloned()));
            results.push(returned.to_vec());
        }
        for id in ops {
            self.limits
                .check_cancelled()
                .map_err(|_| Error::unsupported("going on after being stopped"))?;
            self.op(program, id, &processes, out)?;
        }
        Ok(Some(results))
    }

    /// Runs a part of the program on every process.
    fn run(
        &self,
        program: &Program,
        part: &Part<'_>,
        observed: Observed,
        shown: &[ValueId],
        processes: &[Values],
    ) -> Result<Result<Vec<Vec<Tensor>>, tileproof_runtime::xla::Failure>, Error> {
        let devices = grid_of(program, processes);
        let module = extract::extract(program, part, Form::Module, observed)?.on(&devices);
        let lost = || Error::internal("a part takes a value that was not shown");
        let inputs = of_each(program, processes, part.parameters).ok_or_else(lost)?;
        let ends = Ends {
            program,
            devices,
            parameters: part.parameters,
            results: part.results,
        };
        scheduled::run_part(self.xla, &module, &ends, shown, &inputs)
    }

    fn op(
        &self,
        program: &Program,
        id: OpId,
        processes: &[Values],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let Op::Hlo(inner) = &o.op;
        match inner {
            hlo::Op::Constant(_) => Ok(()),
            hlo::Op::While(_) => self.rounds(program, id, processes, out),
            hlo::Op::If(_) | hlo::Op::Case(_) => self.branch(program, id, processes, out),
            hlo::Op::Call(call) => {
                let mut whole = Outcome::default();
                self.kernel(program, id, processes, &mut whole)?;
                if whole.is_open() {
                    self.called(program, (id, &call.callee), processes, out)
                } else {
                    out.take(whole);
                    Ok(())
                }
            }
            _ => self.kernel(program, id, processes, out),
        }
    }

    /// The ops of a function, where the call as a whole is open.
    fn called(
        &self,
        program: &Program,
        (id, callee): (OpId, &str),
        processes: &[Values],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let Some(function) = program.find_function(callee) else {
            return Ok(());
        };
        let body = program.function(function).body;
        let arguments = &program.region(body).arguments;
        let Some(given) = of_each(program, processes, &program.op(id).operands) else {
            out.unseen(program, id);
            return Ok(());
        };
        let given = given
            .into_iter()
            .map(|g| arguments.iter().copied().zip(g).collect())
            .collect();
        let results = self.region(program, body, arguments, given, out)?;
        self.composed(program, id, results, processes, out)
    }

    /// The branch that was taken.
    fn branch(
        &self,
        program: &Program,
        id: OpId,
        processes: &[Values],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let last = o.regions.len().saturating_sub(1);
        let taken = |values: &Values| {
            let index = o.operands.first().and_then(|v| tensor(program, values, *v));
            let index = index
                .and_then(|t| t.to_i64s().first().copied())
                .unwrap_or(0);
            match &o.op {
                // Region 0 is taken when the predicate is true.
                Op::Hlo(hlo::Op::If(_)) => usize::from(index == 0),
                Op::Hlo(_) => usize::try_from(index).map_or(last, |i| i.min(last)),
            }
        };
        let branch = processes.first().map_or(0, taken);
        if processes.iter().any(|p| taken(p) != branch) {
            out.undecided(format!(
                "processes part at {} at {}",
                o.op.name(),
                o.location
            ));
            return Ok(());
        }
        let captured = program.captured(o.regions[branch]);
        let Some(given) = of_each(program, processes, &captured) else {
            out.unseen(program, id);
            return Ok(());
        };
        // Literals of outside are copied into the part.
        let parameters: Vec<ValueId> = captured
            .iter()
            .copied()
            .filter(|v| processes.iter().all(|p| p.contains_key(v)))
            .collect();
        let given = given
            .into_iter()
            .map(|g| captured.iter().copied().zip(g).collect())
            .collect();
        let results = self.region(program, o.regions[branch], &parameters, given, out)?;
        self.composed(program, id, results, processes, out)
    }

    /// A loop, round by round on XLA's own state; the state at the end must be what the loop gave.
    fn rounds(
        &self,
        program: &Program,
        id: OpId,
        processes: &[Values],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let [condition, body] = o.regions[..] else {
            return Ok(());
        };
        let Some(mut states) = of_each(program, processes, &o.operands) else {
            out.unseen(program, id);
            return Ok(());
        };
        for round in 0u64.. {
            if round > MOST_ROUNDS {
                out.note(format!(
                    "{} at {} was followed for {MOST_ROUNDS} rounds",
                    o.op.name(),
                    o.location
                ));
                return Ok(());
            }
            let checked = round < ROUNDS || round.is_power_of_two();
            let next = |region: RegionId, out: &mut Outcome| {
                let captured = program.captured(region);
                let arguments = &program.region(region).arguments;
                let inner: Vec<Values> = processes
                    .iter()
                    .zip(&states)
                    .map(|(values, state)| {
                        let mut inner: Values = captured
                            .iter()
                            .filter_map(|v| Some((*v, tensor(program, values, *v)?)))
                            .collect();
                        inner.extend(arguments.iter().copied().zip(state.iter().cloned()));
                        inner
                    })
                    .collect();
                let parameters: Vec<ValueId> = arguments.iter().copied().chain(captured).collect();
                if checked {
                    return self.region(program, region, &parameters, inner, out);
                }
                let ops = extract::ops_of(program, region);
                let part = Part {
                    parameters: &parameters,
                    ops: &ops,
                    results: program.returned(region),
                };
                Ok(self
                    .run(program, &part, Observed::Nothing, &[], &inner)?
                    .ok())
            };
            let Some(go_on) = next(condition, out)? else {
                return Ok(());
            };
            let goes_on: Vec<bool> = go_on
                .iter()
                .map(|r| r.first().and_then(|t| t.to_i64s().first().copied()) == Some(1))
                .collect();
            if goes_on.iter().any(|g| *g != goes_on[0]) {
                out.undecided(format!(
                    "processes part at {} at {}",
                    o.op.name(),
                    o.location
                ));
                return Ok(());
            }
            if goes_on.first() != Some(&true) {
                break;
            }
            match next(body, out)? {
                Some(new) => states = new,
                None => return Ok(()),
            }
        }
        self.composed(program, id, Some(states), processes, out)
    }

    /// What the parts of an op gave must be what the op gave.
    fn composed(
        &self,
        program: &Program,
        id: OpId,
        parts: Option<Vec<Vec<Tensor>>>,
        processes: &[Values],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let whole: Option<Vec<Vec<Tensor>>> = processes
            .iter()
            .map(|values| all(program, values, &o.results))
            .collect();
        let (Some(parts), Some(whole)) = (parts, whole) else {
            return Ok(());
        };
        out.kernels += 1;
        if parts == whole {
            out.identical += 1;
            return Ok(());
        }
        let difference = bits::first_difference(&values(&parts), &values(&whole));
        match self.freedom {
            // The same kernels on the same values: the same bits, unless the loop or branch around them is wrong.
            Freedom::Strict => out.push(program, id, difference),
            // The parts alone are contracted and vectorized otherwise, and a loop carries what they err.
            Freedom::Xla if self.is_near_as_a_whole(program, id, processes)? => out.likely += 1,
            Freedom::Xla => out.undecided(format!(
                "{} at {} gives other results than its parts one by one",
                o.op.name(),
                o.location
            )),
        }
        Ok(())
    }
}

impl Outcome {
    /// An op was not looked at: it takes or gives what XLA cannot give out.
    pub(super) fn unseen(&mut self, program: &Program, id: OpId) {
        let o = program.op(id);
        self.undecided(format!(
            "{} at {} works on what cannot be shown",
            o.op.name(),
            o.location
        ));
    }
}

/// The grid that `processes` are all of, or one process.
pub(super) fn grid_of(program: &Program, processes: &[Values]) -> Devices {
    if processes.len() > 1 {
        crate::grid::devices(program)
    } else {
        Devices::default()
    }
}
