//! `tpu-pipeline-windows`: windows become copies between HBM and buffers in VMEM, one block ahead of the body.
//!
//! # Before
//! S3: a kernel whose body sees, at each grid step, the block of every window.
//!
//! # After
//! S4: operands with a window stay whole in HBM. Each has a scratch buffer in VMEM, one block or two, and a DMA semaphore for each. The grid is one
//! `scf.for` over its steps in row-major order. An input's next block is copied while the body works on this one, when its index differs, and waited
//! for before its first step. An output's block is copied back after the last step in a row that has its index, and waited for before its buffer is
//! used again and at the end. A block beyond the end of its operand is copied with the size that is left. Every wait takes off the bytes of one copy, the
//! only one in flight on its semaphore. A window that is the same at all steps has one buffer, copied outside the loop.
//!
//! # Numerics
//! Bit-exact: values move.
//!
//! # Example
//! `f32[16,128]` in blocks of `[8,128]`: start block 0; for step 0..2 { start block step+1, wait for block step, body, copy back }; wait for both.
//!
//! # Leaves alone
//! Operands without a window, scratch, copies and semaphores of the body. An output that takes an input's buffer is copied like any other: a kernel that
//! reads a block of that input after it was written over is wrong at S3 already.

use crate::{
    kernels::{
        clean::clean,
        emit::{Emitter, ValueMap},
    },
    pass::{Pass, Rewrite, Run},
    target::TpuTarget,
};
use carried::State;
use tileproof_dialect::{
    error::Error,
    hlo::compare::Direction,
    numerics::Numerics,
    stage::Stage,
    tpu::{
        Kernel, KernelBuilder, KernelOperand, KernelValue, MemRefType, MemorySpace, Role,
        kernel::Role::{Input, Output, Scratch},
    },
    types::Dim,
};
use window::{Change, Pipe};

mod carried;
mod copy;
mod window;

pub static PASS: Pass = Pass {
    name: "tpu-pipeline-windows",
    input: Stage::S3,
    output: Stage::S4,
    summary: "windows become copies between HBM and buffers in VMEM",
    rewrites: &[Rewrite {
        name: "pipeline",
        equation: "kernel(grid, windows) = kernel(loop, copies)",
        numerics: Numerics::bit_exact,
        pattern: None,
    }],
    run: Run::Kernel(pipeline_windows),
};

/// Makes the copies of a kernel of stage S3 explicit.
pub fn pipeline_windows(kernel: &Kernel, _: &TpuTarget) -> Result<Kernel, Error> {
    if kernel.stage != Stage::S3 {
        return Err(Error::internal(format!(
            "tpu-pipeline-windows takes kernels of stage S3; @{} is of {}",
            kernel.name, kernel.stage
        )));
    }
    let mut operands: Vec<KernelOperand> = vec![];
    for operand in &kernel.operands {
        let mut operand = operand.clone();
        if operand.window.take().is_some() {
            operand.buffer.space = MemorySpace::Hbm;
        }
        operands.push(operand);
    }
    let mut pipes = window::pipes(kernel)?;
    for pipe in &mut pipes {
        let scratch = |buffer| KernelOperand {
            role: Scratch,
            buffer,
            window: None,
            alias: None,
            address: None,
        };
        let mut block = pipe.block_type.clone();
        let mut semaphores = MemRefType::dma_semaphores(&[]);
        if pipe.slots() == 2 {
            block.dims.insert(0, Dim::Static(2));
            semaphores.dims = vec![Dim::Static(2)];
        }
        pipe.buffer = operands.len();
        operands.push(scratch(block));
        pipe.semaphores = operands.len();
        operands.push(scratch(semaphores));
    }
    let builder = KernelBuilder::new(
        &kernel.name,
        Stage::S4,
        vec![],
        operands,
        kernel.location.clone(),
    );
    let mut e = Emitter::new(builder);
    steps(kernel, &pipes, &mut e);
    Ok(clean(e.b.finish()))
}

/// Everything the body holds: first copies, the loop, last copies.
fn steps(kernel: &Kernel, pipes: &[Pipe], e: &mut Emitter) {
    let count = kernel.steps() as i64;
    if count == 0 {
        return;
    }
    let first = grid_indices(kernel, e, None);
    let indices: Vec<Vec<KernelValue>> = pipes
        .iter()
        .map(|p| p.block_index(kernel, e, &first))
        .collect();
    let ahead = |p: &&(&Pipe, &Vec<KernelValue>)| p.0.role == Input;
    let inputs: Vec<(&Pipe, &Vec<KernelValue>)> = pipes.iter().zip(&indices).collect();
    for (pipe, index) in inputs.iter().filter(ahead) {
        let zero = e.int(0);
        let place = copy::place(e, pipe, index);
        copy::start(e, pipe, &place, zero);
    }
    let never = |p: &&(&Pipe, &Vec<KernelValue>)| p.0.change == Change::Never;
    for (pipe, index) in inputs.iter().filter(ahead).filter(never) {
        let zero = e.int(0);
        let place = copy::place(e, pipe, index);
        copy::wait(e, pipe, &place, zero);
    }
    if count == 1 {
        body(kernel, pipes, e, &first, |_, _| None);
    } else {
        let mut states = State::initial(e, pipes);
        let initial = State::values(&states);
        let last = e.repeat(0, count, &initial, |e, step, carried| {
            State::set(&mut states, carried);
            one_step(kernel, pipes, e, step, &mut states);
            State::values(&states)
        });
        State::set(&mut states, &last);
        for (pipe, state) in pipes.iter().zip(&states) {
            last_waits(kernel, pipe, state, e);
        }
    }
    let outputs = inputs.iter().filter(never).filter(|p| p.0.role == Output);
    for (pipe, index) in outputs.clone() {
        let zero = e.int(0);
        let place = copy::place(e, pipe, index);
        copy::start(e, pipe, &place, zero);
    }
    for (pipe, index) in outputs {
        let zero = e.int(0);
        let place = copy::place(e, pipe, index);
        copy::wait(e, pipe, &place, zero);
    }
}

/// The grid indices of a step, of the first where there is none; a dimension of one step is 0.
fn grid_indices(kernel: &Kernel, e: &mut Emitter, step: Option<KernelValue>) -> Vec<KernelValue> {
    let mut out = vec![];
    let mut inner = kernel.steps() as i64;
    let mut outermost = true;
    for d in &kernel.grid {
        let size = d.size as i64;
        inner /= size;
        let Some(step) = step.filter(|_| size > 1) else {
            out.push(e.int(0));
            continue;
        };
        let q = e.divide(step, inner);
        out.push(if outermost { q } else { e.remainder(q, size) });
        outermost = false;
    }
    out
}

/// One step of the loop.
fn one_step(
    kernel: &Kernel,
    pipes: &[Pipe],
    e: &mut Emitter,
    step: KernelValue,
    states: &mut [State],
) {
    let count = kernel.steps() as i64;
    let now = grid_indices(kernel, e, Some(step));
    let (one, last_step) = (e.int(1), e.int(count - 1));
    let is_last = e.compare(Direction::Eq, step, last_step);
    let next_step = e.add(step, one);
    // The index map of a step behind the last could read behind the end of a prefetched operand.
    let next_step = e.minimum(next_step, last_step);
    let next = grid_indices(kernel, e, Some(next_step));

    let mut plans = vec![];
    for (pipe, state) in pipes.iter().zip(states.iter()) {
        let index = pipe.block_index(kernel, e, &now);
        let following = pipe.block_index(kernel, e, &next);
        let changes = match pipe.change {
            Change::Never => e.boolean(false),
            Change::EveryStep => e.compare(Direction::Lt, step, last_step),
            Change::Sometimes => {
                let mut any = e.boolean(false);
                for (a, b) in index.iter().zip(&following) {
                    let differs = e.compare(Direction::Ne, *a, *b);
                    any = e.or(any, differs);
                }
                any
            }
        };
        let slot = state.slot(e, pipe, step);
        let first = state.first(e);
        plans.push(StepPlan {
            index,
            following,
            changes,
            slot,
            first,
        });
    }
    let moving = |pipe: &Pipe| pipe.change != Change::Never;
    for (pipe, plan) in pipes.iter().zip(&plans) {
        if pipe.role == Input && moving(pipe) {
            let other = e.subtract(one, plan.slot);
            e.when(plan.changes, |e| {
                let place = copy::place(e, pipe, &plan.following);
                copy::start(e, pipe, &place, other);
            });
        }
    }
    for (pipe, plan) in pipes.iter().zip(&plans) {
        if pipe.role == Input && moving(pipe) {
            e.when(plan.first, |e| {
                let place = copy::place(e, pipe, &plan.index);
                copy::wait(e, pipe, &place, plan.slot);
            });
        }
    }
    for ((pipe, plan), state) in pipes.iter().zip(&plans).zip(states.iter()) {
        if pipe.role == Output && moving(pipe) {
            wait_for_buffer(kernel, pipe, plan, state, step, e);
        }
    }
    body(kernel, pipes, e, &now, |p, _| Some(plans[p].slot));
    for ((pipe, plan), state) in pipes.iter().zip(&plans).zip(states.iter_mut()) {
        if !moving(pipe) {
            continue;
        }
        let place = copy::place(e, pipe, &plan.index);
        let last = match pipe.change {
            Change::EveryStep => e.boolean(true),
            Change::Never | Change::Sometimes => e.or(plan.changes, is_last),
        };
        if pipe.role == Output {
            e.when(last, |e| {
                copy::start(e, pipe, &place, plan.slot);
            });
        }
        state.advance(e, pipe, plan.changes, last, &place);
    }
}

/// What one step does with one window.
struct StepPlan {
    /// Block of this step and of the next, equal at the last.
    index: Vec<KernelValue>,
    following: Vec<KernelValue>,
    /// Whether the next step has another block.
    changes: KernelValue,
    /// Buffer of this step's block.
    slot: KernelValue,
    /// Whether this is the first step of the block.
    first: KernelValue,
}

/// Before the first step of an output's block: the buffer's last block but one must have left it.
fn wait_for_buffer(
    kernel: &Kernel,
    pipe: &Pipe,
    plan: &StepPlan,
    state: &State,
    step: KernelValue,
    e: &mut Emitter,
) {
    let two = e.int(2);
    match state.leaving() {
        None => {
            let used = e.compare(Direction::Ge, step, two);
            e.when(used, |e| {
                let earlier = e.subtract(step, two);
                let earlier = grid_indices(kernel, e, Some(earlier));
                let index = pipe.block_index(kernel, e, &earlier);
                let place = copy::place(e, pipe, &index);
                copy::wait(e, pipe, &place, plan.slot);
            });
        }
        Some(leaving) => {
            let used = e.compare(Direction::Ge, leaving.blocks, two);
            let used = e.and(plan.first, used);
            e.when(used, |e| {
                let place = copy::of_sizes(e, pipe, &leaving.before_last);
                copy::wait(e, pipe, &place, plan.slot);
            });
        }
    }
}

/// After the loop: an output's last two blocks must have left.
fn last_waits(kernel: &Kernel, pipe: &Pipe, state: &State, e: &mut Emitter) {
    if pipe.role != Output || pipe.change == Change::Never {
        return;
    }
    let count = kernel.steps() as i64;
    match state.leaving() {
        None => {
            for step in [count - 2, count - 1] {
                let (at, slot) = (e.int(step), e.int(step % 2));
                let indices = grid_indices(kernel, e, Some(at));
                let index = pipe.block_index(kernel, e, &indices);
                let place = copy::place(e, pipe, &index);
                copy::wait(e, pipe, &place, slot);
            }
        }
        Some(leaving) => {
            let (one, two) = (e.int(1), e.int(2));
            let blocks = leaving.blocks;
            let slot = e.remainder(blocks, 2);
            let both = e.compare(Direction::Ge, blocks, two);
            e.when(both, |e| {
                let place = copy::of_sizes(e, pipe, &leaving.before_last);
                copy::wait(e, pipe, &place, slot);
            });
            let other = e.subtract(one, slot);
            let place = copy::of_sizes(e, pipe, &leaving.last);
            copy::wait(e, pipe, &place, other);
        }
    }
}

/// The body with the blocks in the buffers given; none: the only buffer.
fn body(
    kernel: &Kernel,
    pipes: &[Pipe],
    e: &mut Emitter,
    grid: &[KernelValue],
    slot: impl Fn(usize, &Pipe) -> Option<KernelValue>,
) {
    let mut map = ValueMap::new();
    for (i, v) in grid.iter().enumerate() {
        map.insert(kernel.grid_index(i), *v);
    }
    for i in 0..kernel.operands.len() {
        map.insert(kernel.operand_ref(i), e.b.operand_ref(i));
    }
    for (p, pipe) in pipes.iter().enumerate() {
        let slot = slot(p, pipe);
        let block = copy::buffer(e, pipe, slot);
        map.insert(kernel.operand_ref(pipe.operand), block);
    }
    e.transcribe(kernel, &kernel.body, &mut map);
}

/// Prefetch operands of a kernel, as the new kernel sees them.
fn prefetched(kernel: &Kernel, e: &Emitter) -> Vec<KernelValue> {
    kernel
        .with_role(Role::Prefetch)
        .map(|(i, _)| e.b.operand_ref(i))
        .collect()
}
