//! Everything the simulator can say against a kernel: its hazards over several schedules, and whether its results hang on what memory held before.

use super::{Fill, Order, Plan, Schedule, Simulation, Validity, run};
use crate::{
    limits::Limits,
    reference::{Interpreter, Observer},
};
use std::{collections::HashSet, sync::Arc};
use tileproof_dialect::{
    eval::{Events, Stop},
    location::Location,
    planes::Planes,
    program::{OpId, Program},
    tensor::{Tensor, Value, row_major_strides},
    tpu::{Hazard, HazardKind, Kernel, MemorySpace},
};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Depth {
    /// A lazy and one random schedule.
    Quick,
    /// All schedules, shuffled grids, other contents of memory.
    Full,
}

/// The hazards of a kernel on these arguments, each once. A trap of the kernel is one of them and stops nothing else.
pub fn hazards(
    plan: &Plan,
    arguments: &[Tensor],
    depth: Depth,
    seed: u64,
    capacities: &[(MemorySpace, u64)],
    limits: &Limits,
) -> Result<Vec<Hazard>, Stop> {
    let base = Simulation {
        validity: Validity::Tracked,
        schedule: Schedule::Lazy,
        capacities: capacities.to_vec(),
        ..Simulation::default()
    };
    let mut found: Vec<Hazard> = vec![];
    let first = one(plan, arguments, &base, limits, &mut found)?;
    let mut more = vec![Simulation {
        schedule: Schedule::Random(seed),
        validity: Validity::Ignored,
        fill: Fill::LeftOver(seed),
        ..base.clone()
    }];
    if depth == Depth::Full {
        for schedule in [Schedule::Eager, Schedule::Split, Schedule::Random(seed ^ 1)] {
            more.push(Simulation {
                schedule,
                fill: Fill::LeftOver(seed ^ 2),
                ..base.clone()
            });
        }
        for order in [Order::Reversed, Order::Shuffled(seed)] {
            more.push(Simulation {
                order,
                ..base.clone()
            });
        }
    }
    for simulation in &more {
        let again = one(plan, arguments, simulation, limits, &mut found)?;
        if let (Some(a), Some(b)) = (&first, &again) {
            compare(plan, a, b, simulation.order, &mut found);
        }
    }
    Ok(found)
}

/// The hazards of every kernel a program runs, each distinct kernel once, on the operands of its first call.
pub fn program_hazards(
    program: &Program,
    arguments: Vec<Value>,
    depth: Depth,
    seed: u64,
    capacities: &[(MemorySpace, u64)],
    limits: &Limits,
) -> Result<Vec<Hazard>, Stop> {
    let mut calls = Calls {
        program,
        seen: HashSet::new(),
        first: vec![],
    };
    let mut events = Events::default();
    let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits);
    match interpreter.run_observed(arguments, &mut events, &mut calls) {
        Ok(_) | Err(Stop::Trap(_)) => {}
        Err(other @ (Stop::Failed(_) | Stop::Cancelled)) => return Err(other),
    }
    let mut found = vec![];
    for (kernel, operands) in calls.first {
        let plan = Plan::new(&kernel, Planes::IeeeOnly)?;
        found.extend(hazards(&plan, &operands, depth, seed, capacities, limits)?);
    }
    // A kernel that trapped was not observed.
    for h in events.hazards {
        if !found.iter().any(|k| k.kernel == h.kernel) {
            found.push(h);
        }
    }
    Ok(found)
}

/// Keeps the operands of the first call of each distinct kernel.
struct Calls<'p> {
    program: &'p Program,
    seen: HashSet<u128>,
    first: Vec<(Arc<Kernel>, Vec<Tensor>)>,
}

impl Observer for Calls<'_> {
    fn observe(&mut self, op: OpId, operands: &[Value], _: &[Value]) {
        let name = self.program.op(op).op.kernel();
        let Some(kernel) = name.and_then(|name| self.program.kernel(name)) else {
            return;
        };
        if self.seen.insert(kernel.structural_hash()) {
            let tensors = operands.iter().filter_map(Value::as_tensor).cloned();
            self.first.push((kernel.clone(), tensors.collect()));
        }
    }
}

/// Runs once; none when the kernel trapped.
fn one(
    plan: &Plan,
    arguments: &[Tensor],
    simulation: &Simulation,
    limits: &Limits,
    found: &mut Vec<Hazard>,
) -> Result<Option<Vec<Tensor>>, Stop> {
    let mut events = Events::default();
    let out = run(
        plan,
        arguments,
        Planes::IeeeOnly,
        simulation,
        limits,
        &mut events,
    );
    let before = found.len();
    let kind = |h: &Hazard| std::mem::discriminant(&h.kind);
    for h in events.hazards {
        let same = |k: &Hazard| (kind(k), k.op, &k.location) == (kind(&h), h.op, &h.location);
        if !found[..before].iter().any(same) {
            found.push(h);
        }
    }
    match out {
        Ok(out) => Ok(Some(out.outputs)),
        Err(Stop::Trap(_)) => Ok(None),
        Err(other @ (Stop::Failed(_) | Stop::Cancelled)) => Err(other),
    }
}

/// Adds a finding for each output that differs between two runs, unless something that explains it was found.
fn compare(plan: &Plan, a: &[Tensor], b: &[Tensor], order: Order, found: &mut Vec<Hazard>) {
    if !found.is_empty() {
        return;
    }
    for (output, (x, y)) in a.iter().zip(b).enumerate() {
        let size = x.element().storage_bytes();
        let (p, q) = (x.ieee().bytes(), y.ieee().bytes());
        if p == q {
            continue;
        }
        // Which of two NaNs a sum or a product gives is not defined.
        let numbers = x.element().is_float().then(|| (x.to_f64s(), y.to_f64s()));
        let are_nan = |i: usize| {
            let both = numbers.as_ref();
            both.is_some_and(|(x, y)| x[i].is_nan() && y[i].is_nan())
        };
        let mut each = p.chunks(size).zip(q.chunks(size)).enumerate();
        let Some((at, _)) = each.find(|(i, (p, q))| p != q && !are_nan(*i)) else {
            continue;
        };
        let strides = row_major_strides(x.dims());
        let element = strides
            .iter()
            .zip(x.dims())
            .map(|(s, d)| at as u64 / *s as u64 % d)
            .collect();
        let output = output as u32;
        found.push(Hazard {
            kernel: plan.kernel.name.clone(),
            kind: match order {
                Order::InOrder => HazardKind::StaleState { output, element },
                Order::Reversed | Order::Shuffled(_) => {
                    HazardKind::OrderDependent { output, element }
                }
            },
            op: "kernel",
            location: Location::clone(&plan.kernel.location),
            step: vec![],
            count: 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{stage::Stage, tpu::KernelBuilder, types::ElementType};

    #[test]
    fn outputs_that_differ_between_runs_are_a_finding_unless_one_was_made() {
        let kernel = KernelBuilder::new("k", Stage::S3, vec![], vec![], Location::default());
        let plan = Plan::new(&Arc::new(kernel.finish()), Planes::IeeeOnly).expect("a plan");
        let [a, b] = [[1., 2., 3., 4., 5., 6.], [1., 2., 3., 4., 0., 6.]]
            .map(|all| Tensor::from_f64s(&[2, 3], &ElementType::F32, &all));
        let mut found = vec![];
        let (a, b) = ([a], [b]);
        compare(&plan, &a, &a, Order::InOrder, &mut found);
        assert_eq!(found, []);
        compare(&plan, &a, &b, Order::InOrder, &mut found);
        let element = vec![1, 1];
        assert_eq!(found[0].kind, HazardKind::StaleState { output: 0, element });
        compare(&plan, &a, &b, Order::Reversed, &mut found);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn nan_is_nan_whatever_its_bits() {
        let kernel = KernelBuilder::new("k", Stage::S3, vec![], vec![], Location::default());
        let plan = Plan::new(&Arc::new(kernel.finish()), Planes::IeeeOnly).expect("a plan");
        let of = |all: &[f32]| [Tensor::from_slice(&[2], ElementType::F32, all)];
        let (a, b) = (of(&[f32::NAN, 1.0]), of(&[-f32::NAN, 1.0]));
        let mut found = vec![];
        compare(&plan, &a, &b, Order::InOrder, &mut found);
        assert_eq!(found, []);
        compare(&plan, &a, &of(&[0.0, 1.0]), Order::InOrder, &mut found);
        assert_eq!(found.len(), 1);
    }
}
