//! Where in a kernel the first wrong value is made.
//!
//! Every op of a kernel names the source op it implements, and so does every op of the program before. The residues (integers: the numbers) that the ops of
//! one source and name give over a whole run are a set, whatever the blocks and their order: what was there before and is missing now was not computed.
//!
//! Proves nothing: it names a place to look at. Ops that put a value together step by step (sums over blocks) have no counterpart and are passed over.

use super::of_op;
use crate::session::{Content, Session};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    eval::{Events, Stop},
    hlo,
    location::{Location, SourceOp},
    op::Op,
    planes::Planes,
    program::{OpId, Program, RegionId, ValueId},
    tensor::Tensor,
};
use tileproof_runtime::{
    limits::Limits,
    simulator::{self, Plan, Simulation},
};

/// The op of a kernel that gives the first wrong value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inside {
    pub kernel: String,
    pub op: String,
    pub location: Location,
}

/// Ops are alike by the source op they implement first and their name.
type Key = (SourceOp, &'static str);

/// Values, each once.
type Seen = HashSet<u64>;

/// Most elements looked at.
const MOST_ELEMENTS: usize = 1 << 22;

/// Both versions of a kernel call and what they were called with.
pub struct Calls<'a> {
    pub before: (&'a Program, RegionId),
    pub after: (&'a Program, OpId),
    /// Contents of the values before and of the operands after.
    pub values: &'a dyn Fn(ValueId) -> Option<Content>,
    pub operands: &'a [Content],
}

/// The first op of the called kernel whose values are not those of its counterpart. None: no such op is known.
pub fn first_wrong(session: &Session<'_>, calls: &Calls<'_>) -> Result<Option<Inside>, Stop> {
    let (program, op) = calls.after;
    let Some(kernel) = of_op(program, op) else {
        return Ok(None);
    };
    let tensors = |contents: &[Content]| -> Result<Option<Vec<Tensor>>, Stop> {
        let each = contents
            .iter()
            .map(|c| Ok(session.value(*c)?.as_tensor().cloned()))
            .collect::<Result<Vec<_>, Stop>>()?;
        Ok(each.into_iter().collect())
    };
    let Some(arguments) = tensors(calls.operands)? else {
        return Ok(None);
    };
    let wanted = wanted(session, calls, &tensors)?;
    let plan = Plan::new(kernel, Planes::IeeeAndRing)?;
    let mut got: HashMap<Key, (usize, Seen)> = HashMap::new();
    let Some(()) = watch(&plan, &arguments, session.limits(), &mut |key, at, t| {
        let (first, seen) = got.entry(key).or_insert((at, Seen::new()));
        *first = (*first).min(at);
        seen.extend(values(t));
    }) else {
        return Ok(None);
    };
    let wrong = got
        .iter()
        .filter(|(key, (_, seen))| {
            wanted
                .get(key)
                .is_some_and(|want| !want.is_subset(seen) && !seen.is_subset(want))
        })
        .map(|(_, (at, _))| *at)
        .min();
    Ok(wrong.map(|at| {
        let (name, location) = &plan.ops[at];
        Inside {
            kernel: kernel.name.clone(),
            op: name.to_string(),
            location: location.clone(),
        }
    }))
}

/// Tensors of contents that still are there.
type Tensors<'a> = dyn Fn(&[Content]) -> Result<Option<Vec<Tensor>>, Stop> + 'a;

/// What the program before computes, by source op: its `hlo` ops, and the ops inside its kernels.
fn wanted(
    session: &Session<'_>,
    calls: &Calls<'_>,
    tensors: &Tensors<'_>,
) -> Result<HashMap<Key, Seen>, Stop> {
    let (program, region) = calls.before;
    let sources = &calls.after.0.op(calls.after.1).location.sources;
    let mut out: HashMap<Key, Seen> = HashMap::new();
    let mut left = MOST_ELEMENTS;
    for id in &program.region(region).ops {
        let o = program.op(*id);
        let Op::Hlo(op) = &o.op;
        if !o.location.sources.iter().any(|s| sources.contains(s)) {
            continue;
        }
        let contents = |all: &[ValueId]| -> Option<Vec<Content>> {
            all.iter().map(|v| (calls.values)(*v)).collect()
        };
        if let (Some(kernel), Some(operands)) = (of_op(program, *id), contents(&o.operands)) {
            let Some(arguments) = tensors(&operands)? else {
                continue;
            };
            let plan = Plan::new(kernel, Planes::IeeeAndRing)?;
            watch(&plan, &arguments, session.limits(), &mut |key, _, t| {
                left = left.saturating_sub(t.len());
                if left > 0 {
                    out.entry(key).or_default().extend(values(t));
                }
            });
            continue;
        }
        let (Some(source), Some(results)) = (o.location.sources.first(), contents(&o.results))
        else {
            continue;
        };
        if matches!(op, hlo::Op::Constant(_)) {
            continue;
        }
        for t in tensors(&results)?.unwrap_or_default() {
            left = left.saturating_sub(t.len());
            if left > 0 {
                out.entry((*source, op.name()))
                    .or_default()
                    .extend(values(&t));
            }
        }
    }
    Ok(out)
}

/// Runs a kernel and tells of every vector its ops give. None: the run does not end well.
fn watch(
    plan: &Plan,
    arguments: &[Tensor],
    limits: &Limits,
    tell: &mut dyn FnMut(Key, usize, &Tensor),
) -> Option<()> {
    let mut left = MOST_ELEMENTS;
    let mut hear = |at: u32, t: &Tensor| {
        let at = at as usize;
        left = left.saturating_sub(t.len());
        let Some((name, location)) = plan.ops.get(at).filter(|_| left > 0) else {
            return;
        };
        if let Some(source) = location.sources.first() {
            tell((*source, *name), at, t);
        }
    };
    let (simulation, mut events) = (Simulation::default(), Events::default());
    let ran = simulator::observed(
        plan,
        arguments,
        Planes::IeeeAndRing,
        &simulation,
        limits,
        &mut events,
        Some(&mut hear),
    );
    ran.is_ok().then_some(())
}

fn values(t: &Tensor) -> Vec<u64> {
    match t.ring() {
        Some(residues) if t.element().is_float() => {
            residues.iter().map(|r| u64::from(*r)).collect()
        }
        Some(_) | None => t.to_i64s().iter().map(|x| *x as u64).collect(),
    }
}
