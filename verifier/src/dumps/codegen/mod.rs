//! Stage *codegen*: the last module on the reference engine against the code XLA makes of it.
//!
//! Where all results agree bit for bit, that is all. Else the module runs once more with every value shown, and each kernel (an op of the schedule: a
//! fusion, a library call, a loop) is evaluated here from the very inputs it had there, so that no difference is carried from kernel to kernel and each is
//! judged by its own bound ([`super::freedom`]). A kernel outside its bound runs once more alone before it counts; one whose bound is loose is judged op by
//! op ([`opened`]). A module for several processes runs on all of them: an op between them is judged on all at once, others process by process.
//!
//! Proves, for the inputs at hand: every kernel computed what its ops say within what the contract leaves to it. Cannot: see other inputs.
//!
//! Reading order: [`walk`] (kernels in the order they run, loops and branches inside), [`kernel`] (one of them), [`opened`], [`likely`].

mod kernel;
mod likely;
mod opened;
mod walk;

use super::{
    freedom::Freedom,
    scheduled::{self, Ends},
};
use crate::{
    compare::bits::{self, Difference},
    grid,
    inputs::Class,
    isolate::extract::{self, Form, Observed, Part},
    validate::Found,
    verdict::{Ieee, Ring, Verdict},
};
use std::{collections::HashMap, sync::Arc};
use tileproof_dialect::{
    error::Error,
    eval::Stop,
    export, hlo,
    location::Location,
    op::Op,
    planes::Planes,
    program::{OpId, Program, ValueDef, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    engine::{End, Engine, RunError},
    grid::Devices,
    limits::Limits,
    xla::{self, Failure, Xla},
};

pub use kernel::Judged;

/// What runs the check.
pub struct Checker<'a> {
    pub xla: &'a Xla,
    pub freedom: Freedom,
    pub limits: &'a Limits,
}

/// A kernel that is wrong, with the inputs that show it.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Where the op stands in the module.
    pub location: Location,
    /// The kernel as a scheduled module, and with the ops of its fusions in their place.
    pub program: Arc<Program>,
    pub flat: Arc<Program>,
    /// Inputs of the flat program, and arguments of the module: the same in memory order, of the first process.
    pub inputs: Vec<Tensor>,
    pub arguments: Vec<Tensor>,
    pub want: Vec<Value>,
    pub got: Vec<Tensor>,
}

/// What was found on one choice of arguments.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Kernels compared, and those bit-identical.
    pub kernels: u64,
    pub identical: u64,
    pub loose: u64,
    /// Kernels with a loose bound whose ops are all within theirs.
    pub opened: u64,
    /// Kernels with a wide worst-case bound that are within a probabilistic one.
    pub likely: u64,
    /// Elements of the results, and those decided.
    pub elements: u64,
    pub decided: u64,
    pub verdicts: Vec<Verdict>,
    pub found: Vec<Found>,
    pub broken: Vec<Kernel>,
    pub notes: Vec<String>,
}

/// What one process holds: XLA's values.
type Values = HashMap<ValueId, Tensor>;

impl Checker<'_> {
    /// Checks `program`, whose text is `text`, on the arguments of each process.
    pub fn check(
        &self,
        program: &Program,
        text: &str,
        arguments: &[Vec<Value>],
    ) -> Result<Outcome, Error> {
        let mut out = Outcome::default();
        let body = program.main().body;
        let devices = grid::devices(program);
        let Some(want) = self.reference(program, &devices, arguments, &mut out)? else {
            return Ok(out);
        };
        let given: Vec<Vec<Tensor>> = arguments
            .iter()
            .map(|device| xla::tensors(device))
            .collect::<Result<_, _>>()?;
        let parameters = &program.region(body).arguments;
        let results = program.returned(body);
        let ends = Ends {
            program,
            devices,
            parameters,
            results,
        };
        let own;
        let odd = |v: &ValueId| extract::major_to_minor(program.ty(*v)).is_some();
        let text = if parameters.iter().chain(results).any(odd) {
            // Arguments or results in another layout than row-major: the same ops behind bitcasts.
            let ops = extract::ops_of(program, body);
            let part = Part {
                parameters,
                ops: &ops,
                results,
            };
            let module = extract::extract(program, &part, Form::Module, Observed::Nothing)?;
            own = export::hlo_text::print(&module.on(&devices))?;
            &own
        } else {
            text
        };
        let got = match scheduled::run(self.xla, text, &ends, &given, xla::RUNS)? {
            Ok(runs) => runs,
            Err(failure) => {
                out.failed(&failure, program.main().location.clone());
                return Ok(out);
            }
        };
        out.elements = want
            .iter()
            .filter_map(Value::as_tensor)
            .map(|t| t.len() as u64)
            .sum();
        if let Some(run) = got.iter().position(|r| *r != got[0]) {
            out.nondeterministic(
                bits::first_difference(&values(&got[0]), &values(&got[run])),
                self.freedom,
            );
        }
        let output = bits::first_difference(&want, &values(&got[0]));
        if output.is_none() {
            out.kernels = 1;
            out.identical = 1;
            out.decided = out.elements;
            return Ok(out);
        }
        let processes: Vec<Values> = given
            .into_iter()
            .map(|g| parameters.iter().copied().zip(g).collect())
            .collect();
        let shown = self.region(program, body, parameters, processes, &mut out)?;
        for f in &mut out.found {
            f.output = f.output.take().or(output.clone());
        }
        if let Some(shown) = shown
            && shown != got[0]
            && out.found.is_empty()
        {
            out.undecided("results change when inner values are shown".to_string());
        }
        if out.likely > 0 {
            let n = out.likely;
            out.note(format!(
                "codegen: {n} kernels are decided by a probabilistic bound, 8 sqrt(n) u sum|terms| or 8 sqrt(n) u max|partial sum|, or 8 times the farthest of runs with disturbed roundings"
            ));
        }
        if out.opened > 0 {
            let n = out.opened;
            out.note(format!("codegen: {n} kernels are decided op by op"));
        }
        if out.loose as f64 > out.kernels as f64 * 0.05 {
            out.undecided(format!(
                "loose bounds in {} of {} kernels",
                out.loose, out.kernels
            ));
        }
        if out.found.is_empty() && out.verdicts.is_empty() {
            out.decided = out.elements;
        }
        Ok(out)
    }

    /// Results of every process in turn, as the reference computes them; none when it stops, which is noted.
    fn reference(
        &self,
        program: &Program,
        devices: &Devices,
        arguments: &[Vec<Value>],
        out: &mut Outcome,
    ) -> Result<Option<Vec<Value>>, Error> {
        let ran = Engine::Reference.run(program, Planes::IeeeOnly, devices, arguments, self.limits);
        let ran = match ran {
            Ok(outcome) => outcome,
            Err(RunError::Failed(Error::Unsupported { what, .. })) => {
                out.verdicts.push(Verdict::Unsupported { what });
                return Ok(None);
            }
            Err(RunError::Failed(e)) => return Err(e),
            Err(RunError::Cancelled) => {
                out.undecided(STOPPED.to_string());
                return Ok(None);
            }
        };
        let mut want = vec![];
        for run in ran.devices.into_iter().flat_map(|d| d.runs) {
            match run.end {
                End::Returned { outputs, .. } => want.extend(outputs),
                End::Trapped(trap) => {
                    out.undecided(format!("the module traps: {trap}"));
                    return Ok(None);
                }
                End::Failed(failure) => return Err(Error::internal(failure.to_string())),
            }
        }
        Ok(Some(want))
    }
}

const STOPPED: &str = "stopped by the user";

/// Results of all processes in turn as values.
fn values(devices: &[Vec<Tensor>]) -> Vec<Value> {
    devices.iter().flatten().cloned().map(Value::from).collect()
}

/// XLA's value of `v`, or the literal it is.
fn tensor(program: &Program, values: &Values, v: ValueId) -> Option<Tensor> {
    if let Some(t) = values.get(&v) {
        return Some(t.clone());
    }
    match program.value(v).def {
        ValueDef::Result { op, .. } => match &program.op(op).op {
            Op::Hlo(hlo::Op::Constant(c)) => Some(c.value.to_tensor()),
            Op::Hlo(_) => None,
        },
        ValueDef::Argument { .. } => None,
    }
}

fn all(program: &Program, values: &Values, wanted: &[ValueId]) -> Option<Vec<Tensor>> {
    wanted.iter().map(|v| tensor(program, values, *v)).collect()
}

/// The values of every process.
fn of_each(
    program: &Program,
    processes: &[Values],
    wanted: &[ValueId],
) -> Option<Vec<Vec<Tensor>>> {
    processes
        .iter()
        .map(|values| all(program, values, wanted))
        .collect()
}

/// A module says which grid it is for.
trait OnGrid {
    fn on(self, devices: &Devices) -> Self;
}

impl OnGrid for Program {
    fn on(mut self, devices: &Devices) -> Program {
        self.num_replicas = devices.replicas as u32;
        self.num_partitions = devices.partitions as u32;
        self
    }
}

impl Outcome {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether nothing is wrong, and something not decided.
    fn is_open(&self) -> bool {
        let undecided = |v: &Verdict| matches!(v, Verdict::Inconclusive { .. });
        self.found.is_empty() && (self.loose > 0 || self.verdicts.iter().any(undecided))
    }

    /// Adds what another part of the module gave.
    fn take(&mut self, part: Outcome) {
        self.kernels += part.kernels;
        self.identical += part.identical;
        self.loose += part.loose;
        self.opened += part.opened;
        self.likely += part.likely;
        self.elements += part.elements;
        self.decided += part.decided;
        self.verdicts.extend(part.verdicts);
        self.found.extend(part.found);
        self.broken.extend(part.broken);
        part.notes.into_iter().for_each(|note| self.note(note));
    }

    fn undecided(&mut self, why: String) {
        self.verdicts.push(Verdict::Inconclusive { why });
    }

    fn push(&mut self, program: &Program, id: OpId, difference: Option<Difference>) {
        let o = program.op(id);
        self.add(o.op.name(), o.location.clone(), difference);
    }

    fn add(&mut self, op: String, location: Location, difference: Option<Difference>) {
        self.verdicts.push(Verdict::Miscompile);
        self.found.push(Found {
            verdict: Verdict::Miscompile,
            class: Class::Given,
            seed: 0,
            op,
            location,
            rewrite: None,
            inside: None,
            difference,
            output: None,
            ring: Ring::NotRun,
            ieee: Ieee::Outside,
        });
    }

    fn failed(&mut self, failure: &Failure, location: Location) {
        self.note(failure.to_string());
        match failure {
            Failure::Compile(_) => self.undecided(failure.to_string()),
            Failure::Run(_) | Failure::OutOfMemory(_) | Failure::Crashed(_) | Failure::Hung(_) => {
                self.add(failure.name().to_string(), location, None);
            }
        }
    }

    fn nondeterministic(&mut self, difference: Option<Difference>, freedom: Freedom) {
        match freedom {
            Freedom::Strict => self.add(
                "nondeterministic".to_string(),
                Location::default(),
                difference,
            ),
            Freedom::Xla => self.undecided("results change from run to run".to_string()),
        }
    }

    /// What a stop of the reference on a kernel says, or the error it is.
    fn stopped(&mut self, stop: Stop) -> Result<(), Error> {
        self.verdicts.push(match stop {
            Stop::Failed(Error::Unsupported { what, .. }) => Verdict::Unsupported { what },
            Stop::Failed(e) => return Err(e),
            Stop::Trap(trap) => Verdict::Inconclusive {
                why: format!("the module traps: {trap}"),
            },
            Stop::Cancelled => Verdict::Inconclusive {
                why: STOPPED.to_string(),
            },
        });
        Ok(())
    }
}
