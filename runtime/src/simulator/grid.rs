//! The grid of a kernel and its windows: blocks fetched before a step, written back after the last step in a row that has them.

use super::{
    cell::Cell,
    context::{AT_END, Context},
    machine::Machine,
    memory::{Memory, place_of},
    overlap::{self, Overlaps},
    plan::Plan,
    shadow::Tag,
    terms,
    view::{Reach, View},
};
use std::collections::HashSet;
use tileproof_dialect::{
    eval::Stop,
    planes::ring,
    tensor::Tensor,
    tpu::{
        MemRefType, MemorySpace, Role, Semantics, Window,
        hazard::{HazardKind, Origin, Place, Use},
    },
    types::Dim,
};

/// In which order the steps of a grid run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row-major.
    InOrder,
    /// Parallel dimensions from their last index to the first.
    Reversed,
    /// Parallel dimensions in an order of a seed.
    Shuffled(u64),
}

/// The buffers of one operand.
#[derive(Debug, Clone)]
pub struct Home {
    /// The buffer as the caller sees it.
    pub buffer: u32,
    /// The block the body sees, where there is a window.
    pub block: Option<Block>,
}

/// The block of a window.
#[derive(Debug, Clone)]
pub struct Block {
    pub buffer: u32,
    /// Block coordinates it holds.
    at: Option<Vec<i64>>,
    /// Block coordinates it held before.
    seen: HashSet<Vec<i64>>,
}

/// Makes the buffers of a kernel: prefetch operands and inputs hold `arguments`.
pub fn lay_out(
    cx: &mut Context<'_>,
    memory: &mut Memory,
    arguments: &[Tensor],
) -> Result<Vec<Home>, Stop> {
    let kernel = cx.plan.kernel.clone();
    let mut given = arguments.iter();
    let mut homes: Vec<Home> = vec![];
    for (number, o) in kernel.operands.iter().enumerate() {
        let Some(dims) = o.buffer.static_dims() else {
            return Err(Stop::unsupported(
                "a kernel operand whose size is not known",
            ));
        };
        let place = place_of(o, number);
        let value = match o.role {
            Role::Prefetch | Role::Input => match given.next() {
                Some(t) => Some(t.clone()),
                None => return Err(Stop::internal("a kernel call lacks an argument")),
            },
            // It takes over the input's buffer with what is in it.
            Role::Output => match o.alias {
                Some(input) => {
                    let home = homes.get(input as usize).map(|h: &Home| h.buffer);
                    home.map(|h| memory.data(h).map(|l| l.value.clone()))
                        .transpose()?
                }
                None => None,
            },
            Role::Scratch => None,
        };
        let buffer = memory.add(place, &o.buffer, dims, value, &mut cx.shadow);
        if let (Role::Output, Some(input)) = (o.role, o.alias)
            && let Some(home) = homes.get(input as usize)
        {
            memory.buffers[buffer as usize].takes = Some(home.buffer);
        }
        let block = o.window.as_ref().map(|w| {
            let place = Place {
                space: MemorySpace::Vmem,
                ..place
            };
            let ty = MemRefType {
                dims: w.block.iter().map(|d| Dim::Static(*d)).collect(),
                space: MemorySpace::Vmem,
                ..o.buffer.clone()
            };
            Block {
                buffer: memory.add(place, &ty, w.block.clone(), None, &mut cx.shadow),
                at: None,
                seen: HashSet::new(),
            }
        });
        homes.push(Home { buffer, block });
    }
    let addressed = homes.iter().zip(&kernel.operands).filter_map(|(home, o)| {
        let stored = memory.buffers.get(home.buffer as usize)?;
        Some((home.buffer, &o.buffer, stored.dims.as_slice(), o.address?))
    });
    memory.overlaps = Overlaps::new(addressed);
    if let Some(terms) = &mut cx.shadow.terms {
        let buffers: Vec<u32> = homes.iter().map(|h| h.buffer).collect();
        terms::plant(terms, &kernel, memory, &buffers)?;
    }
    Ok(homes)
}

/// Reports buffers that need more than `capacities`, and notes how much VMEM is used.
pub fn check_capacity(cx: &mut Context<'_>, memory: &Memory, capacities: &[(MemorySpace, u64)]) {
    let ends = overlap::space_ends(&cx.plan.kernel.operands);
    let all_vmem = memory
        .buffers
        .iter()
        .filter(|b| b.ty.space == MemorySpace::Vmem)
        .map(|b| overlap::buffer_bytes(&b.ty, &b.dims))
        .sum();
    cx.counters.vmem_bytes = ends.get(&MemorySpace::Vmem).copied().unwrap_or(all_vmem);
    for (space, capacity) in capacities {
        if let Some(needed) = ends.get(space).filter(|n| *n > capacity) {
            let kind = HazardKind::OverCapacity {
                space: *space,
                needed: *needed,
                capacity: *capacity,
            };
            cx.report(AT_END, u64::from(space.word().len() as u32), kind, 1);
        }
    }
}

/// Runs all steps.
pub fn run(m: &mut Machine<'_>, homes: &mut [Home], order: Order) -> Result<(), Stop> {
    let plan = m.plan();
    let kernel = &plan.kernel;
    let orders: Vec<Vec<u64>> = kernel
        .grid
        .iter()
        .enumerate()
        .map(|(d, dimension)| {
            let mut all: Vec<u64> = (0..dimension.size).collect();
            match (order, dimension.semantics) {
                (Order::InOrder, _) | (_, Semantics::Arbitrary) => {}
                (Order::Reversed, Semantics::Parallel) => all.reverse(),
                (Order::Shuffled(seed), Semantics::Parallel) => {
                    all.sort_by_key(|i| ring::mix(seed ^ ring::mix((d as u64) << 32 | i)));
                }
            }
            all
        })
        .collect();
    let steps = kernel.steps();
    m.cx.counters.steps += steps;
    for n in 0..steps {
        m.limits.check_step(n)?;
        let mut rest = n;
        let mut step = vec![0; orders.len()];
        for (d, all) in orders.iter().enumerate().rev() {
            let size = all.len() as u64;
            step[d] = all[(rest % size) as usize];
            rest /= size;
        }
        m.cx.step = step;
        one_step(m, plan, homes)?;
    }
    for (number, home) in homes.iter_mut().enumerate() {
        if plan.kernel.operands[number].role == Role::Output {
            write_back(m, plan, number, home)?;
        }
    }
    Ok(())
}

fn one_step<'a>(m: &mut Machine<'a>, plan: &'a Plan, homes: &mut [Home]) -> Result<(), Stop> {
    let indices: Vec<Cell> =
        m.cx.step
            .iter()
            .map(|i| Cell::Int {
                value: *i as i64,
                tag: 0,
            })
            .collect();
    let whole = |m: &Machine<'_>, buffer: u32| {
        Ok::<_, Stop>(Cell::Ref(View::whole(
            buffer,
            &m.memory.stored(buffer)?.dims,
        )))
    };
    let prefetched: Vec<Cell> = plan
        .kernel
        .with_role(Role::Prefetch)
        .map(|(number, _)| whole(m, homes[number].buffer))
        .collect::<Result<_, Stop>>()?;
    // What was written goes back before anything is fetched: a pipeline may fetch earlier, not later.
    let is_output = |n: &usize| plan.kernel.operands[*n].role == Role::Output;
    let (outputs, others): (Vec<usize>, Vec<usize>) = (0..homes.len()).partition(is_output);
    for number in outputs.into_iter().chain(others) {
        if let Some(transform) = &plan.transforms[number] {
            let arguments = indices.iter().chain(&prefetched).cloned();
            let coordinates = m.block(transform, arguments)?;
            move_window(m, plan, number, &mut homes[number], &coordinates)?;
        }
    }
    let mut arguments = indices;
    for home in homes.iter() {
        let buffer = home.block.as_ref().map_or(home.buffer, |b| b.buffer);
        arguments.push(whole(m, buffer)?);
    }
    m.block(&plan.body, arguments)?;
    for v in m.plan().body.arguments.iter() {
        m.cells[*v] = None;
    }
    Ok(())
}

/// Number of the op that ends an index map: uses of an invalid block index are reported there.
fn reported_at(plan: &Plan, number: usize) -> u32 {
    let steps = plan.transforms[number].as_ref().map(|b| &b.steps);
    steps.and_then(|s| s.last()).map_or(AT_END, |s| s.op)
}

fn move_window<'a>(
    m: &mut Machine<'a>,
    plan: &'a Plan,
    number: usize,
    home: &mut Home,
    coordinates: &[Cell],
) -> Result<(), Stop> {
    let mut at = Vec::with_capacity(coordinates.len());
    for c in coordinates {
        let (value, tag): (i64, Tag) = c.int()?;
        m.cx.use_of(reported_at(plan, number), tag, Use::Index, 1);
        at.push(value);
    }
    let Some(block) = &home.block else {
        return Ok(());
    };
    if block.at.as_ref() == Some(&at) {
        return Ok(());
    }
    let role = plan.kernel.operands[number].role;
    if role == Role::Output {
        write_back(m, plan, number, home)?;
    }
    let Some(block) = &mut home.block else {
        return Ok(());
    };
    let place = m.memory.place(block.buffer)?;
    let again = block.seen.contains(&at);
    block.seen.insert(at.clone());
    block.at = Some(at);
    if role == Role::Output {
        let origin = if again {
            Origin::WrittenBack(place)
        } else {
            Origin::Uninitialized(place)
        };
        return m.memory.forget(block.buffer, origin, &mut m.cx.shadow);
    }
    let Some(window) = &plan.kernel.operands[number].window else {
        return Ok(());
    };
    let access = window_access(m, plan, number, home, window)?;
    let origin = Origin::Padding(place);
    let lanes = m.memory.load_from(&access, origin, &mut m.cx.shadow)?;
    let Some(block) = &home.block else {
        return Ok(());
    };
    *m.memory.data_mut(block.buffer)? = lanes;
    Ok(())
}

/// The elements of the buffer a block stands for. A block that lies outside altogether is reported.
fn window_access(
    m: &mut Machine<'_>,
    plan: &Plan,
    number: usize,
    home: &Home,
    window: &Window,
) -> Result<Reach, Stop> {
    let at = home
        .block
        .as_ref()
        .and_then(|b| b.at.clone())
        .unwrap_or_default();
    if at.len() != window.block.len() {
        return Err(Stop::internal(
            "an index map gives another number of coordinates than the block has",
        ));
    }
    let dims = m.memory.stored(home.buffer)?.dims.clone();
    let starts: Vec<i64> = at
        .iter()
        .zip(&window.block)
        .map(|(i, b)| i.saturating_mul(*b as i64))
        .collect();
    let access = View::whole(home.buffer, &dims).access(&starts, &window.block, &[]);
    let outside = starts
        .iter()
        .zip(&dims)
        .position(|(s, d)| *s < 0 || *s >= (*d as i64).max(1));
    if let Some(d) = outside {
        let kind = HazardKind::OutOfBounds {
            place: m.memory.place(home.buffer)?,
            dimension: d as u32,
            index: starts[d],
            size: dims[d],
        };
        m.cx.report(reported_at(plan, number), number as u64, kind, 1);
    }
    let element = m.memory.data(home.buffer)?.value.element().clone();
    let elements = access.inside().elements();
    m.cx.counters.bytes_moved += (elements * u64::from(element.bits())).div_ceil(8);
    Ok(access)
}

fn write_back(m: &mut Machine<'_>, plan: &Plan, number: usize, home: &Home) -> Result<(), Stop> {
    let Some(window) = &plan.kernel.operands[number].window else {
        return Ok(());
    };
    let Some(block) = &home.block else {
        return Ok(());
    };
    if block.at.is_none() {
        return Ok(());
    }
    let access = window_access(m, plan, number, home, window)?;
    let lanes = m.memory.data(block.buffer)?.clone();
    m.memory.store(&access, lanes, &mut m.cx.shadow)
}

/// Contents of the outputs; what is invalid in them is reported.
pub fn results(m: &mut Machine<'_>, homes: &[Home]) -> Result<Vec<Tensor>, Stop> {
    let plan = m.plan();
    let mut out = vec![];
    for (output, (number, _)) in plan.kernel.with_role(Role::Output).enumerate() {
        let lanes = m.memory.data(homes[number].buffer)?.clone();
        if let Some(terms) = &mut m.cx.shadow.terms {
            terms.note_output(&lanes);
        } else if let Some(tags) = &lanes.tags {
            report_output(m, output as u32, number as u32, tags);
        }
        out.push(lanes.value);
    }
    Ok(out)
}

fn report_output(m: &mut Machine<'_>, output: u32, operand: u32, tags: &Tensor) {
    let strides = tileproof_dialect::tensor::row_major_strides(tags.dims());
    let mut first: Vec<(Tag, usize, u64)> = vec![];
    for (i, tag) in tags
        .as_slice::<Tag>()
        .iter()
        .enumerate()
        .filter(|(_, t)| **t != 0)
    {
        match first.iter_mut().find(|(t, _, _)| t == tag) {
            Some((_, _, n)) => *n += 1,
            None => first.push((*tag, i, 1)),
        }
    }
    for (tag, at, count) in first {
        let element: Vec<u64> = strides
            .iter()
            .zip(tags.dims())
            .map(|(s, d)| at as u64 / *s as u64 % d)
            .collect();
        let (origin, ops) = m.cx.shadow.story(tag);
        let never = matches!(&origin, Some(Origin::Uninitialized(p)) if p.operand == Some(operand))
            && ops.is_empty();
        if never {
            let detail = u64::from(output) << 32 | u64::from(tag);
            m.cx.report(
                AT_END,
                detail,
                HazardKind::OutputNotWritten { output, element },
                count,
            );
        } else {
            m.cx.use_of(AT_END, tag, Use::Output { output, element }, count);
        }
    }
}
