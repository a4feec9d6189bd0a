//! Stage *codegen*: the last module on the reference engine against the code XLA makes of it.
//!
//! Where all results agree bit for bit, that is all. Else the module runs once more with every value shown, and each kernel (an op of the schedule: a
//! fusion, a library call, a loop) is evaluated here from the very inputs it had there, so that no difference is carried from kernel to kernel and each is
//! judged by its own bound ([`freedom`]). A kernel outside its bound runs once more alone before it counts.
//!
//! Proves, for the inputs at hand: every kernel computed what its ops say within what the contract leaves to it. Cannot: see other inputs.

use super::{
    freedom::{self, Flush, Freedom},
    scheduled::{self, Ends},
};
use crate::{
    compare::{
        bits::{self, Difference},
        bounds,
    },
    inputs::Class,
    isolate::extract::{self, Form, Observed, Part},
    validate::Found,
    verdict::{Ieee, Ring, Verdict},
};
use std::{collections::HashMap, sync::Arc};
use tileproof_dialect::{
    bound::Bound,
    error::Error,
    eval::Stop,
    export, hlo,
    location::Location,
    op::Op,
    planes::Planes,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    limits::Limits,
    reference::Interpreter,
    xla::{self, Failure, Xla},
};

/// Rounds of a loop whose kernels are checked: the first ones; of those behind, every round whose number is a power of two.
const ROUNDS: u64 = 4;

/// Rounds after which a loop is left.
const MOST_ROUNDS: u64 = 2000;

/// What runs the check.
pub struct Checker<'a> {
    pub xla: &'a Xla,
    pub freedom: Freedom,
    pub limits: &'a Limits,
}

/// A kernel that is wrong, with the inputs that show it.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The kernel as a scheduled module.
    pub program: Arc<Program>,
    pub inputs: Vec<Tensor>,
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
    /// Elements of the results, and those decided.
    pub elements: u64,
    pub decided: u64,
    pub verdicts: Vec<Verdict>,
    pub found: Vec<Found>,
    pub broken: Vec<Kernel>,
    pub notes: Vec<String>,
}

impl Outcome {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn undecided(&mut self, why: String) {
        self.verdicts.push(Verdict::Inconclusive { why });
    }
}

impl Checker<'_> {
    /// Checks `program`, whose text is `text`, on `arguments`.
    pub fn check(
        &self,
        program: &Program,
        text: &str,
        arguments: &[Value],
    ) -> Result<Outcome, Error> {
        let mut out = Outcome::default();
        let body = program.main().body;
        let mut events = Default::default();
        let interpreter = Interpreter::new(program, Planes::IeeeOnly, self.limits);
        let want = match interpreter.run(arguments.to_vec(), &mut events) {
            Ok(values) => values,
            Err(stop) => {
                out.verdicts.push(stopped(stop)?);
                return Ok(out);
            }
        };
        let given = xla::tensors(arguments)?;
        let parameters = &program.region(body).arguments;
        let results = program.returned(body);
        let ends = Ends {
            program,
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
            own = export::hlo_text::print(&module)?;
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
            let first: Vec<Value> = got[0].iter().cloned().map(Value::from).collect();
            let other: Vec<Value> = got[run].iter().cloned().map(Value::from).collect();
            out.nondeterministic(bits::first_difference(&first, &other), self.freedom);
        }
        let first: Vec<Value> = got[0].iter().cloned().map(Value::from).collect();
        let output = bits::first_difference(&want, &first);
        if output.is_none() {
            out.kernels = 1;
            out.identical = 1;
            out.decided = out.elements;
            return Ok(out);
        }
        let values: HashMap<ValueId, Tensor> = parameters.iter().copied().zip(given).collect();
        let shown = self.region(program, body, parameters, values, &mut out)?;
        for f in &mut out.found {
            f.output = f.output.take().or(output.clone());
        }
        if let Some(shown) = shown
            && shown != got[0]
            && out.found.is_empty()
        {
            out.undecided("results change when inner values are shown".to_string());
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

    /// Runs a region with all values shown and checks each of its ops. Gives the region's results as XLA computed them; none if it does not run so.
    fn region(
        &self,
        program: &Program,
        region: RegionId,
        parameters: &[ValueId],
        mut values: HashMap<ValueId, Tensor>,
        out: &mut Outcome,
    ) -> Result<Option<Vec<Tensor>>, Error> {
        let ops = extract::ops_of(program, region);
        let returned = program.returned(region);
        let part = Part {
            parameters,
            ops: &ops,
            results: returned,
        };
        let shown = extract::observable(program, &ops);
        let module = extract::extract(program, &part, Form::Module, Observed::Everything)?;
        let inputs: Vec<Tensor> = parameters.iter().map(|v| values[v].clone()).collect();
        let ends = Ends {
            program,
            parameters,
            results: returned,
        };
        let runs = match scheduled::run_part(self.xla, &module, &ends, &shown, &inputs)? {
            Ok(results) => results,
            Err(failure) => {
                out.note(format!(
                    "a module with all values shown does not run: {failure}"
                ));
                out.undecided("kernels could not be looked at one by one".to_string());
                return Ok(None);
            }
        };
        let (results, inner) = runs.split_at(returned.len());
        values.extend(shown.iter().copied().zip(inner.iter().cloned()));
        for id in ops {
            self.limits
                .check_cancelled()
                .map_err(|_| Error::unsupported("going on after being stopped"))?;
            self.op(program, id, &values, out)?;
        }
        Ok(Some(results.to_vec()))
    }

    fn op(
        &self,
        program: &Program,
        id: OpId,
        values: &HashMap<ValueId, Tensor>,
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let Op::Hlo(inner) = &o.op;
        match inner {
            hlo::Op::Constant(_) => Ok(()),
            hlo::Op::While(_) => self.rounds(program, id, values, out),
            hlo::Op::If(_) | hlo::Op::Case(_) => {
                let index = o.operands.first().and_then(|v| tensor(program, values, *v));
                let index = index
                    .and_then(|t| t.to_i64s().first().copied())
                    .unwrap_or(0);
                let last = o.regions.len().saturating_sub(1);
                let branch = match inner {
                    // Region 0 is taken when the predicate is true.
                    hlo::Op::If(_) => usize::from(index == 0),
                    _ => usize::try_from(index).map_or(last, |i| i.min(last)),
                };
                let captured = program.captured(o.regions[branch]);
                let Some(given) = all(program, values, &captured) else {
                    return Ok(());
                };
                let taken: Vec<ValueId> = captured
                    .iter()
                    .copied()
                    .filter(|v| values.contains_key(v))
                    .collect();
                let given: HashMap<ValueId, Tensor> = captured.iter().copied().zip(given).collect();
                let results = self.region(program, o.regions[branch], &taken, given, out)?;
                self.composed(program, id, results, values, out)
            }
            _ => self.kernel(program, id, values, out),
        }
    }

    /// A loop, round by round on XLA's own state; the state at the end must be what the loop gave.
    fn rounds(
        &self,
        program: &Program,
        id: OpId,
        values: &HashMap<ValueId, Tensor>,
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let [condition, body] = o.regions[..] else {
            return Ok(());
        };
        let Some(mut state) = all(program, values, &o.operands) else {
            out.note(format!(
                "{} at {} carries what cannot be shown",
                o.op.name(),
                o.location
            ));
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
                let mut inner: HashMap<ValueId, Tensor> = program
                    .captured(region)
                    .into_iter()
                    .filter_map(|v| Some((v, tensor(program, values, v)?)))
                    .collect();
                let arguments = &program.region(region).arguments;
                inner.extend(arguments.iter().copied().zip(state.iter().cloned()));
                let captured = program.captured(region);
                let parameters: Vec<ValueId> = arguments.iter().copied().chain(captured).collect();
                if checked {
                    return self.region(program, region, &parameters, inner, out);
                }
                let inputs: Vec<Tensor> = parameters.iter().map(|v| inner[v].clone()).collect();
                let ops = extract::ops_of(program, region);
                let part = Part {
                    parameters: &parameters,
                    ops: &ops,
                    results: program.returned(region),
                };
                let module = extract::extract(program, &part, Form::Module, Observed::Nothing)?;
                let ends = Ends {
                    program,
                    parameters: &parameters,
                    results: part.results,
                };
                Ok(scheduled::run_part(self.xla, &module, &ends, &[], &inputs)?.ok())
            };
            let go_on = next(condition, out)?.and_then(|r| r.first()?.to_i64s().first().copied());
            if go_on != Some(1) {
                break;
            }
            match next(body, out)? {
                Some(new) => state = new,
                None => return Ok(()),
            }
        }
        self.composed(program, id, Some(state), values, out)
    }

    /// What the parts of an op gave must be what the op gave.
    fn composed(
        &self,
        program: &Program,
        id: OpId,
        parts: Option<Vec<Tensor>>,
        values: &HashMap<ValueId, Tensor>,
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let (Some(parts), Some(whole)) = (parts, all(program, values, &o.results)) else {
            return Ok(());
        };
        out.kernels += 1;
        if parts == whole {
            out.identical += 1;
            return Ok(());
        }
        let values = |t: Vec<Tensor>| t.into_iter().map(Value::from).collect::<Vec<_>>();
        let difference = bits::first_difference(&values(parts), &values(whole));
        match self.freedom {
            // The same kernels on the same values: the same bits, unless the loop or branch around them is wrong.
            Freedom::Strict => out.push(program, id, difference),
            Freedom::Xla => out.undecided(format!(
                "{} at {} gives other results than its parts one by one",
                o.op.name(),
                o.location
            )),
        }
        Ok(())
    }

    /// One kernel from the inputs it had.
    fn kernel(
        &self,
        program: &Program,
        id: OpId,
        values: &HashMap<ValueId, Tensor>,
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let o = program.op(id);
        let ops = [id];
        let parameters = extract::taken(program, &ops);
        let results: Vec<ValueId> = o
            .results
            .iter()
            .copied()
            .filter(|v| program.ty(*v).as_tensor().is_some())
            .collect();
        let (Some(inputs), Some(got)) = (
            all(program, values, &parameters),
            all(program, values, &results),
        ) else {
            return Ok(());
        };
        if results.is_empty() {
            return Ok(());
        }
        let part = Part {
            parameters: &parameters,
            ops: &ops,
            results: &results,
        };
        let flat = extract::extract(program, &part, Form::Flat, Observed::Nothing)?;
        out.kernels += 1;
        let judged = match self.judge(&flat, &inputs, &got) {
            Ok(judged) => judged,
            Err(stop) => {
                out.verdicts.push(stopped(stop)?);
                return Ok(());
            }
        };
        match judged.ieee {
            Ieee::Within if judged.identical => out.identical += 1,
            Ieee::Within => {}
            Ieee::Loose(_) | Ieee::NotRun => out.loose += 1,
            Ieee::Outside => {
                let module = extract::extract(program, &part, Form::Module, Observed::Nothing)?;
                let ends = Ends {
                    program,
                    parameters: &parameters,
                    results: &results,
                };
                let alone = match scheduled::run_part(self.xla, &module, &ends, &[], &inputs)? {
                    Ok(alone) => alone,
                    Err(failure) => {
                        out.failed(&failure, o.location.clone());
                        return Ok(());
                    }
                };
                let again = match self.judge(&flat, &inputs, &alone) {
                    Ok(again) => again,
                    Err(stop) => {
                        out.verdicts.push(stopped(stop)?);
                        return Ok(());
                    }
                };
                if again.ieee == Ieee::Outside {
                    out.push(program, id, again.difference);
                    out.broken.push(Kernel {
                        program: Arc::new(module),
                        inputs,
                        want: again.want,
                        got: alone,
                    });
                } else {
                    out.push(program, id, judged.difference);
                }
            }
        }
        Ok(())
    }

    /// Results `got` of the flat program on `inputs` against what the contract allows.
    pub fn judge(&self, flat: &Program, inputs: &[Tensor], got: &[Tensor]) -> Result<Judged, Stop> {
        let inputs: Vec<Value> = inputs.iter().cloned().map(Value::from).collect();
        let run = |flush| freedom::allowed(flat, &inputs, self.freedom, flush, self.limits);
        let plain = run(Flush::Kept)?;
        let mut judged = compare(&plain.results, &plain.distances, got);
        if judged.ieee == Ieee::Outside && self.freedom == Freedom::Xla {
            let flushed = run(Flush::ToZero)?;
            let got: Vec<Value> = got.iter().cloned().map(Value::from).collect();
            let got: Vec<Value> = got.iter().map(|v| Flush::ToZero.apply(v)).collect();
            let got: Vec<Tensor> = got.iter().filter_map(|v| v.as_tensor().cloned()).collect();
            let other = compare(&flushed.results, &flushed.distances, &got);
            if other.ieee != Ieee::Outside {
                judged = other;
            }
        }
        judged.want = plain.results;
        Ok(judged)
    }
}

/// A comparison of the results of one kernel.
pub struct Judged {
    pub ieee: Ieee,
    pub identical: bool,
    pub difference: Option<Difference>,
    pub want: Vec<Value>,
}

fn compare(want: &[Value], distances: &[Bound], got: &[Tensor]) -> Judged {
    let mut out = Judged {
        ieee: Ieee::Within,
        identical: true,
        difference: None,
        want: vec![],
    };
    for (i, ((w, bound), g)) in want.iter().zip(distances).zip(got).enumerate() {
        let Some(w) = w.as_tensor() else { continue };
        let differing = bits::differing_ieee(w, g);
        if differing.is_empty() {
            continue;
        }
        out.identical = false;
        let compared = match bound {
            // No rounding is left to the compiler: signs of zero count.
            Bound::Exact => Some(differing[0]),
            Bound::Absolute(_) => {
                let found = bounds::compare(w, bound, g, &Bound::Exact);
                if let Ieee::Loose(_) = found.ieee {
                    out.ieee = found.ieee;
                }
                found.outside
            }
        };
        if let Some(at) = compared {
            out.ieee = Ieee::Outside;
            out.difference = Some(bits::describe(w, g, i, at, &differing));
            return out;
        }
    }
    out
}

/// XLA's value of `v`, or the literal it is.
fn tensor(program: &Program, values: &HashMap<ValueId, Tensor>, v: ValueId) -> Option<Tensor> {
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

fn all(
    program: &Program,
    values: &HashMap<ValueId, Tensor>,
    wanted: &[ValueId],
) -> Option<Vec<Tensor>> {
    wanted.iter().map(|v| tensor(program, values, *v)).collect()
}

impl Outcome {
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
}

/// A stop of the reference as a verdict, or as the error it is.
fn stopped(stop: Stop) -> Result<Verdict, Error> {
    match stop {
        Stop::Failed(Error::Unsupported { what, .. }) => Ok(Verdict::Unsupported { what }),
        Stop::Failed(e) => Err(e),
        Stop::Trap(trap) => Ok(Verdict::Inconclusive {
            why: format!("the module traps: {trap}"),
        }),
        Stop::Cancelled => Ok(Verdict::Inconclusive {
            why: "stopped by the user".to_string(),
        }),
    }
}
