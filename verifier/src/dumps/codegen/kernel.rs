//! One kernel from the inputs it had, against what it gave.

use super::{
    Checker, Kernel, OnGrid, Outcome, Values,
    likely::{self, Excuse},
    of_each,
    walk::grid_of,
};
use crate::{
    compare::{
        bits::{self, Difference},
        bounds,
    },
    contract::lapack,
    dumps::{
        freedom::{self, Flush, Freedom},
        scheduled::{self, Ends},
    },
    estimate::{
        self,
        likely::{Known, Likely},
    },
    grid,
    isolate::extract::{self, Form, Observed, Part},
    verdict::Ieee,
};
use std::sync::Arc;
use tileproof_dialect::{
    bound::Bound,
    error::Error,
    eval::{Events, Stop},
    hlo,
    op::Op,
    planes::Planes,
    program::{OpId, Program, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::{grid::Devices, reference::Interpreter};

/// A comparison of the results of one kernel.
pub struct Judged {
    pub ieee: Ieee,
    pub identical: bool,
    pub difference: Option<Difference>,
    pub want: Vec<Value>,
    /// Decided by the probabilistic bound of a sum ([`likely`]), or by runs with disturbed roundings.
    pub likely: bool,
}

/// A kernel in its program, and on how many processes it runs.
struct Place<'a> {
    program: &'a Program,
    id: OpId,
    parameters: &'a [ValueId],
    results: &'a [ValueId],
    devices: Devices,
}

impl Checker<'_> {
    /// One kernel from the inputs it had on each process.
    pub(super) fn kernel(
        &self,
        program: &Program,
        id: OpId,
        processes: &[Values],
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
        if results.is_empty() {
            // What only carries values that cannot be shown is looked at where they are used.
            return Ok(());
        }
        let (Some(inputs), Some(got)) = (
            of_each(program, processes, &parameters),
            of_each(program, processes, &results),
        ) else {
            out.unseen(program, id);
            return Ok(());
        };
        let part = Part {
            parameters: &parameters,
            ops: &ops,
            results: &results,
        };
        let flat = extract::extract(program, &part, Form::Flat, Observed::Nothing)?;
        let place = |devices| Place {
            program,
            id,
            parameters: &parameters,
            results: &results,
            devices,
        };
        if grid::depends_on_grid(&flat) {
            let devices = grid_of(program, processes);
            let flat = grid::unrolled(&Arc::new(flat.on(&devices)), &devices)?;
            return self.look(&place(devices), &flat, &inputs, &got, out);
        }
        let flat = Arc::new(flat);
        let mut seen: Vec<usize> = vec![];
        for p in 0..processes.len() {
            // Processes that compute the same are looked at once.
            if seen
                .iter()
                .any(|q| inputs[*q] == inputs[p] && got[*q] == got[p])
            {
                continue;
            }
            seen.push(p);
            let place = place(Devices::default());
            self.look(&place, &flat, &inputs[p..=p], &got[p..=p], out)?;
        }
        Ok(())
    }

    /// A kernel that runs on as many processes as there are lists of inputs; `flat` computes them all.
    fn look(
        &self,
        place: &Place<'_>,
        flat: &Arc<Program>,
        inputs: &[Vec<Tensor>],
        got: &[Vec<Tensor>],
        out: &mut Outcome,
    ) -> Result<(), Error> {
        let (program, id) = (place.program, place.id);
        let location = &program.op(id).location;
        out.kernels += 1;
        let (all, gave) = (inputs.concat(), got.concat());
        let judged = match self.judge(flat, &all, &gave) {
            Ok(judged) => judged,
            Err(stop) => return out.stopped(stop),
        };
        match &judged.ieee {
            Ieee::Within if judged.identical => out.identical += 1,
            Ieee::Within => out.likely += u64::from(judged.likely),
            // Factors and solutions are put into the product they are for.
            Ieee::Loose(_) if lapack::holds_alone(flat, &all, &gave) => out.opened += 1,
            Ieee::Loose(why) => match self.opened(flat, &all, &gave)? {
                Ok(()) => out.opened += 1,
                Err(_) if self.near_disturbed_runs(flat, &all, &gave).or_else(never)? => {
                    out.likely += 1;
                }
                Err(inside) => {
                    out.loose += 1;
                    let name = program.op(id).op.name();
                    out.note(format!("loose: {name} at {location}: {why}; {inside}"));
                }
            },
            Ieee::NotRun => out.loose += 1,
            Ieee::Outside => {
                let part = Part {
                    parameters: place.parameters,
                    ops: &[id],
                    results: place.results,
                };
                let module = extract::extract(program, &part, Form::Module, Observed::Nothing)?
                    .on(&place.devices);
                let ends = Ends {
                    program,
                    devices: place.devices,
                    parameters: place.parameters,
                    results: place.results,
                };
                let alone = match scheduled::run_part(self.xla, &module, &ends, &[], inputs)? {
                    Ok(alone) => alone.concat(),
                    Err(failure) => {
                        out.failed(&failure, location.clone());
                        return Ok(());
                    }
                };
                let again = match self.judge(flat, &all, &alone) {
                    Ok(again) => again,
                    Err(stop) => return out.stopped(stop),
                };
                if again.ieee == Ieee::Outside {
                    out.push(program, id, again.difference);
                    out.broken.push(Kernel {
                        location: location.clone(),
                        program: Arc::new(module),
                        flat: flat.clone(),
                        inputs: all,
                        arguments: scheduled::in_memory_order(&ends, inputs).swap_remove(0),
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
        let excuse = Excuse {
            share: likely::share(flat),
            sums: likely::of_partial_sums(flat, &inputs),
            terms: likely::terms_of(flat),
            negligible: match self.freedom {
                Freedom::Strict => 0.0,
                Freedom::Xla => likely::NEGLIGIBLE,
            },
        };
        let mut judged = compare(&plain.results, &plain.distances, got, &excuse);
        if judged.ieee == Ieee::Outside && self.freedom == Freedom::Xla {
            let flushed = run(Flush::ToZero)?;
            let got: Vec<Value> = got.iter().cloned().map(Value::from).collect();
            let got: Vec<Value> = got.iter().map(|v| Flush::ToZero.apply(v)).collect();
            let got: Vec<Tensor> = got.iter().filter_map(|v| v.as_tensor().cloned()).collect();
            let other = compare(&flushed.results, &flushed.distances, &got, &excuse);
            if other.ieee != Ieee::Outside {
                judged = other;
            }
        }
        judged.want = plain.results;
        Ok(judged)
    }

    /// Whether an op of one process gave as a whole what its runs with disturbed roundings give.
    pub(super) fn is_near_as_a_whole(
        &self,
        program: &Program,
        id: OpId,
        processes: &[Values],
    ) -> Result<bool, Error> {
        let ops = [id];
        let parameters = extract::taken(program, &ops);
        let results = &program.op(id).results;
        let [values] = processes else {
            return Ok(false);
        };
        let (Some(inputs), Some(got)) = (
            super::all(program, values, &parameters),
            super::all(program, values, results),
        ) else {
            return Ok(false);
        };
        let part = Part {
            parameters: &parameters,
            ops: &ops,
            results,
        };
        let flat = extract::extract(program, &part, Form::Flat, Observed::Nothing)?;
        if grid::depends_on_grid(&flat) {
            return Ok(false);
        }
        self.near_disturbed_runs(&flat, &inputs, &got)
            .or_else(never)
    }

    /// Whether results `got` of the flat program on `inputs` lie where its runs with disturbed roundings do, and these are narrow.
    pub(super) fn near_disturbed_runs(
        &self,
        flat: &Program,
        inputs: &[Tensor],
        got: &[Tensor],
    ) -> Result<bool, Stop> {
        let inputs: Vec<Value> = inputs.iter().cloned().map(Value::from).collect();
        let Some(all) = estimate::likely::of(flat, &inputs, self.limits)? else {
            return Ok(false);
        };
        let known = if likely::is_transform(flat) {
            Known::EachOfAllTerms
        } else {
            Known::Nothing
        };
        let interpreter = Interpreter::new(flat, Planes::IeeeOnly, self.limits);
        let want = interpreter.run(inputs, &mut Events::default())?;
        let near = |((likely, want), got): ((&Likely, &Value), &Tensor)| {
            let want = want.as_tensor();
            want.is_some_and(|want| likely.decides(want, got, known).is_some())
        };
        Ok(all.len() == got.len() && all.iter().zip(&want).zip(got).all(near))
    }
}

/// A stop of the disturbed runs decides nothing.
fn never(stop: Stop) -> Result<bool, Error> {
    match stop {
        Stop::Failed(Error::Internal(what)) => Err(Error::Internal(what)),
        Stop::Failed(_) | Stop::Trap(_) => Ok(false),
        Stop::Cancelled => Err(Error::unsupported("going on after being stopped")),
    }
}

fn compare(want: &[Value], distances: &[Bound], got: &[Tensor], excuse: &Excuse) -> Judged {
    let mut out = Judged {
        ieee: Ieee::Within,
        identical: true,
        difference: None,
        want: vec![],
        likely: false,
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
                    if likely::decides(w, bound, g, excuse) {
                        out.likely |=
                            excuse.sums.is_some() || excuse.share.is_some_and(|share| share < 1.0);
                    } else {
                        out.ieee = found.ieee;
                    }
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

/// Whether the op only names a literal.
pub(super) fn is_constant(program: &Program, id: OpId) -> bool {
    matches!(&program.op(id).op, Op::Hlo(hlo::Op::Constant(_)))
}
