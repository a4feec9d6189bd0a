//! A kernel whose bound is loose, op by op: errors of its first ops, carried through to its results, allow more than they should.
//!
//! XLA runs the same ops once more, each as a kernel of its own and every value shown. Each of these is judged from the values it had, and the results of the
//! kernel at hand from the inner values nearest to them that give a bound which is not loose.
//!
//! Proves: inner values exist from which the kernel's results follow by ops that are each within their own bound, so a correct compiler may give these
//! results. Cannot: say what the kernel's own inner values were.

use super::{Checker, Values, all, kernel::is_constant, tensor};
use crate::{
    dumps::scheduled::{self, Ends},
    isolate::extract::{self, Form, Observed, Part},
    verdict::Ieee,
};
use std::collections::HashSet;
use tileproof_dialect::{
    error::Error,
    eval::Stop,
    program::{OpId, Program, ValueDef, ValueId},
    tensor::Tensor,
};
use tileproof_runtime::grid::Devices;

impl Checker<'_> {
    /// Whether results `got` of the flat program follow from `inputs` by ops within their bounds; else what stands in the way.
    pub(super) fn opened(
        &self,
        flat: &Program,
        inputs: &[Tensor],
        got: &[Tensor],
    ) -> Result<Result<(), String>, Error> {
        let body = flat.main().body;
        let ops: Vec<OpId> = extract::ops_of(flat, body)
            .into_iter()
            .filter(|id| !is_constant(flat, *id))
            .collect();
        if ops.len() < 2 {
            return Ok(Err("a single op".to_string()));
        }
        let parameters = &flat.region(body).arguments;
        let results = flat.returned(body);
        let part = Part {
            parameters,
            ops: &ops,
            results,
        };
        let module = extract::extract(flat, &part, Form::Module, Observed::Everything)?;
        let shown = extract::observable(flat, &ops);
        let ends = Ends {
            program: flat,
            devices: Devices::default(),
            parameters,
            results,
        };
        let ran = scheduled::run_part(self.xla, &module, &ends, &shown, &[inputs.to_vec()])?;
        let Ok(ran) = ran else {
            return Ok(Err("its ops do not run one by one".to_string()));
        };
        let inner = ran.concat().split_off(results.len());
        let mut values: Values = parameters.iter().copied().zip(inputs.to_vec()).collect();
        values.extend(shown.iter().copied().zip(inner));
        for id in &ops {
            let made: Vec<ValueId> = extract::observable(flat, std::slice::from_ref(id));
            let Some(gave) = all(flat, &values, &made) else {
                return Ok(Err("it holds values that cannot be shown".to_string()));
            };
            if let Err(why) = self.follows(flat, &[*id], &made, &values, &gave)? {
                let o = flat.op(*id);
                return Ok(Err(format!("{} at {}: {why}", o.op.name(), o.location)));
            }
        }
        let mut depth = 1;
        loop {
            let near = near(flat, results, &ops, depth);
            let judged = self.follows(flat, &near, results, &values, got)?;
            match judged {
                Ok(()) => return Ok(Ok(())),
                Err(why) if near.len() == ops.len() => {
                    return Ok(Err(format!("its ops together: {why}")));
                }
                Err(_) => depth *= 2,
            }
        }
    }

    /// Whether the values `got` follow from `values` by `ops` of the flat program.
    fn follows(
        &self,
        flat: &Program,
        ops: &[OpId],
        results: &[ValueId],
        values: &Values,
        got: &[Tensor],
    ) -> Result<Result<(), String>, Error> {
        let parameters = extract::taken(flat, ops);
        let part = Part {
            parameters: &parameters,
            ops,
            results,
        };
        let program = extract::extract(flat, &part, Form::Flat, Observed::Nothing)?;
        let inputs: Option<Vec<Tensor>> = parameters
            .iter()
            .map(|v| tensor(flat, values, *v))
            .collect();
        let Some(inputs) = inputs else {
            return Ok(Err("takes values that cannot be shown".to_string()));
        };
        match self.judge(&program, &inputs, got) {
            Ok(judged) => Ok(match judged.ieee {
                Ieee::Within => Ok(()),
                Ieee::Loose(why) => Err(why),
                Ieee::Outside => Err("outside its bound".to_string()),
                Ieee::NotRun => Err("not compared".to_string()),
            }),
            Err(Stop::Failed(Error::Unsupported { what, .. })) => Ok(Err(what)),
            Err(Stop::Failed(e)) => Err(e),
            Err(Stop::Trap(trap)) => Ok(Err(trap.to_string())),
            Err(Stop::Cancelled) => Err(Error::unsupported("going on after being stopped")),
        }
    }
}

/// Those of `ops`, in their order, that are fewer than `depth` steps before one of `results`.
fn near(flat: &Program, results: &[ValueId], ops: &[OpId], depth: usize) -> Vec<OpId> {
    let mut found: HashSet<OpId> = HashSet::new();
    let mut layer = results.to_vec();
    for _ in 0..depth {
        let mut next = vec![];
        for v in layer {
            if let ValueDef::Result { op, .. } = flat.value(v).def
                && !is_constant(flat, op)
                && found.insert(op)
            {
                let o = flat.op(op);
                next.extend(o.operands.iter().copied().chain(flat.op_captures(op)));
            }
        }
        layer = next;
    }
    ops.iter()
        .copied()
        .filter(|id| found.contains(id))
        .collect()
}
