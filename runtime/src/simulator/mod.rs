//! The simulator: runs kernels of stages S3 to S5 on both planes, deterministic for a [`Simulation`].
//!
//! `plan.rs` makes a kernel ready; `machine.rs` runs its ops, `vectors.rs` and `elementwise.rs` those on vectors, `access.rs` those that touch memory,
//! `copies.rs` copies and semaphores; `grid.rs` steps and windows. `memory.rs`, `view.rs`, `overlap.rs`: buffers, references, shared bytes.
//! `shadow.rs`: validity of every element. What is wrong comes out as [`tileproof_dialect::tpu::Hazard`]s; a hazard does not stop the run.
//!
//! What it cannot show: memory shared by several cores, and accesses that race only through addresses of buffers without `address`.

mod access;
mod cell;
mod check;
mod context;
mod copies;
mod elementwise;
mod grid;
mod machine;
mod memory;
mod movement;
mod overlap;
mod plan;
mod shadow;
pub mod terms;
mod vectors;
mod view;

pub use check::{Depth, hazards, program_hazards};
pub use context::Counters;
pub use copies::Schedule;
pub use grid::Order;
pub use memory::Fill;
pub use plan::Plan;

use crate::limits::Limits;
use context::{Context, Hazards};
use copies::Copies;
use machine::Machine;
use memory::Memory;
use shadow::Shadow;
use tileproof_dialect::{
    eval::{Events, Stop},
    planes::Planes,
    tensor::Tensor,
    tpu::{Hazard, MemorySpace},
};

/// Whether the validity of elements is tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Validity {
    Ignored,
    Tracked,
    /// Expressions in place of validity ([`terms`]).
    Terms,
}

/// How a kernel is run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Simulation {
    pub schedule: Schedule,
    pub validity: Validity,
    pub fill: Fill,
    pub order: Order,
    /// Bytes each memory has, where that is to be checked.
    pub capacities: Vec<(MemorySpace, u64)>,
}

impl Default for Simulation {
    /// For values: copies at once, validity ignored.
    fn default() -> Simulation {
        Simulation {
            schedule: Schedule::Eager,
            validity: Validity::Ignored,
            fill: Fill::Poison,
            order: Order::InOrder,
            capacities: vec![],
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The outputs in order, in the sizes of the kernel's buffers.
    pub outputs: Vec<Tensor>,
    pub counters: Counters,
}

/// Hears of every vector that an op of the kernel gives: number of the op in [`Plan::ops`], the vector.
pub type Observer<'a> = dyn FnMut(u32, &Tensor) + 'a;

/// Runs a kernel on its prefetch operands and inputs in order. Hazards go to `events`, also when the run stops.
pub fn run(
    plan: &Plan,
    arguments: &[Tensor],
    planes: Planes,
    simulation: &Simulation,
    limits: &Limits,
    events: &mut Events,
) -> Result<Outcome, Stop> {
    observed(plan, arguments, planes, simulation, limits, events, None)
}

/// As [`run`], and tells `observer` what the ops give.
pub fn observed<'a>(
    plan: &'a Plan,
    arguments: &[Tensor],
    planes: Planes,
    simulation: &Simulation,
    limits: &'a Limits,
    events: &'a mut Events,
    observer: Option<&'a mut Observer<'a>>,
) -> Result<Outcome, Stop> {
    simulated(
        plan,
        arguments,
        planes,
        simulation,
        limits,
        (events, Shadow::default()),
        observer,
    )
    .map(|(outcome, _)| outcome)
}

/// Runs a kernel on terms.
fn with_terms(
    plan: &Plan,
    arguments: &[Tensor],
    simulation: &Simulation,
    limits: &Limits,
    events: &mut Events,
    terms: &mut terms::Terms,
) -> Result<(), Stop> {
    let shadow = Shadow::of_terms(std::mem::take(terms));
    let (_, shadow) = simulated(
        plan,
        arguments,
        Planes::IeeeOnly,
        simulation,
        limits,
        (events, shadow),
        None,
    )?;
    *terms = shadow.terms.unwrap_or_default();
    Ok(())
}

fn simulated<'a>(
    plan: &'a Plan,
    arguments: &[Tensor],
    planes: Planes,
    simulation: &Simulation,
    limits: &'a Limits,
    (events, shadow): (&'a mut Events, Shadow),
    observer: Option<&'a mut Observer<'a>>,
) -> Result<(Outcome, Shadow), Stop> {
    let shadowed = simulation.validity != Validity::Ignored;
    let mut memory = Memory::new(planes, simulation.fill, shadowed);
    let mut cx = Context {
        plan,
        planes,
        events,
        shadow,
        counters: Counters::default(),
        hazards: Hazards::default(),
        step: vec![],
    };
    let mut homes = grid::lay_out(&mut cx, &mut memory, arguments)?;
    grid::check_capacity(&mut cx, &memory, &simulation.capacities);
    let mut machine = Machine {
        cx,
        memory,
        copies: Copies::new(simulation.schedule),
        limits,
        cells: vec![None; plan.kernel.types.len()],
        observer,
    };
    let outputs = grid::run(&mut machine, &mut homes, simulation.order)
        .and_then(|()| machine.settle())
        .and_then(|()| grid::results(&mut machine, &homes));
    let Machine { cx, .. } = machine;
    let found: Vec<Hazard> = cx.hazards.found;
    cx.events.hazards.extend(found);
    let outcome = Outcome {
        outputs: outputs?,
        counters: cx.counters,
    };
    Ok((outcome, cx.shadow))
}
