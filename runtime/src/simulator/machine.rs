//! Runs the ops of a kernel in order: control flow, dispatch, registers.

use super::{
    Observer, access,
    cell::{Cell, Lanes},
    context::Context,
    copies::Copies,
    elementwise,
    memory::Memory,
    plan::{Block, Code, Plan, Step},
    vectors,
};
use crate::limits::Limits;
use smallvec::{SmallVec, smallvec};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    planes::Planes,
    tensor::Tensor,
    tpu::hazard::{HazardKind, Origin, Use},
    types::{ElementType, Type},
};

/// A kernel in the middle of a run.
pub struct Machine<'a> {
    pub cx: Context<'a>,
    pub memory: Memory,
    pub copies: Copies,
    pub limits: &'a Limits,
    /// Values by number.
    pub cells: Vec<Option<Cell>>,
    pub observer: Option<&'a mut Observer<'a>>,
}

/// Operands of an op, taken out of the registers where this is their last use.
pub type Operands = SmallVec<[Cell; 4]>;

impl<'a> Machine<'a> {
    pub fn plan(&self) -> &'a Plan {
        self.cx.plan
    }

    pub fn get(&self, value: usize) -> Result<&Cell, Stop> {
        self.cells
            .get(value)
            .and_then(Option::as_ref)
            .ok_or_else(|| Stop::internal("a kernel uses a value that is not there"))
    }

    pub fn set(&mut self, value: usize, cell: Cell) {
        if let Some(place) = self.cells.get_mut(value) {
            *place = Some(cell);
        }
    }

    /// Runs a block on `arguments`; gives the operands of its terminator.
    pub fn block(
        &mut self,
        block: &'a Block,
        arguments: impl IntoIterator<Item = Cell>,
    ) -> Result<Vec<Cell>, Stop> {
        for (value, cell) in block.arguments.iter().zip(arguments) {
            self.set(*value, cell);
        }
        for step in &block.steps {
            self.step(step).map_err(|stop| self.located(step, stop))?;
            for v in &step.drops {
                self.cells[*v] = None;
            }
        }
        block.yields.iter().map(|v| self.get(*v).cloned()).collect()
    }

    fn located(&self, step: &Step, stop: Stop) -> Stop {
        let (name, location) = self.cx.op(step.op);
        match stop {
            Stop::Failed(e) => Stop::Failed(match e {
                tileproof_dialect::error::Error::Internal(m) if !m.starts_with('\'') => {
                    tileproof_dialect::error::Error::internal(format!(
                        "'{name}' at {location} of kernel '{}': {m}",
                        self.plan().kernel.name
                    ))
                }
                e => e.at(&location),
            }),
            other @ (Stop::Trap(_) | Stop::Cancelled) => other,
        }
    }

    fn operands(&mut self, step: &Step) -> Result<Operands, Stop> {
        step.operands
            .iter()
            .map(|o| {
                let cell = self.cells.get_mut(o.value);
                let cell = cell.and_then(|c| if o.last { c.take() } else { c.clone() });
                cell.ok_or_else(|| Stop::internal("a kernel uses a value that is not there"))
            })
            .collect()
    }

    /// Operand `at` as a tensor.
    pub fn lanes(&self, step: &Step, operands: &mut Operands, at: usize) -> Result<Lanes, Stop> {
        let (Some(cell), Some(o)) = (operands.get_mut(at), step.operands.get(at)) else {
            return Err(Stop::internal("an op of a kernel lacks an operand"));
        };
        let cell = std::mem::replace(cell, Cell::Int { value: 0, tag: 0 });
        match &self.plan().elements[o.value] {
            Some(element) => cell.lanes(element),
            None => Err(Stop::internal("a reference where a value is expected")),
        }
    }

    fn all_lanes(&self, step: &Step, operands: &mut Operands) -> Result<Vec<Lanes>, Stop> {
        (0..step.operands.len())
            .map(|at| self.lanes(step, operands, at))
            .collect()
    }

    /// Operand `at` as a number that decides something: an invalid one is reported.
    pub fn number(
        &mut self,
        step: &Step,
        operands: &Operands,
        at: usize,
        used_as: Use,
    ) -> Result<i64, Stop> {
        let Some(cell) = operands.get(at) else {
            return Err(Stop::internal("an op of a kernel lacks an operand"));
        };
        let (value, tag) = cell.int()?;
        self.cx.use_of(step.op, tag, used_as, 1);
        Ok(value)
    }

    fn step(&mut self, step: &'a Step) -> Result<(), Stop> {
        let operands = self.operands(step)?;
        let out = self.run(step, operands)?;
        if let Some(observer) = &mut self.observer {
            for cell in &out {
                if let Cell::Lanes(lanes) = cell {
                    observer(step.op, &lanes.value);
                }
            }
        }
        for (v, cell) in step.results.iter().zip(out) {
            self.set(*v, cell);
        }
        Ok(())
    }

    /// The results of an op.
    fn run(&mut self, step: &'a Step, mut all: Operands) -> Result<SmallVec<[Cell; 1]>, Stop> {
        let operands = &mut all;
        let cell = match &step.code {
            Code::Constant(cell) => cell.clone(),
            Code::Elementwise { op, results } => self.elementwise(step, operands, op, results)?,
            Code::ToInteger(element) => {
                let Some(Cell::Int { value, tag }) = operands.first() else {
                    return Err(Stop::internal("not an integer scalar"));
                };
                let tag = match &mut self.cx.shadow.terms {
                    Some(terms) => terms.cast(*tag, element),
                    None => self.cx.shadow.through(*tag, step.op),
                };
                Cell::Int {
                    value: elementwise::wrapped(*value, element),
                    tag,
                }
            }
            Code::Move {
                walk,
                offset,
                strides,
                dims,
            } => {
                let x = self.lanes(step, operands, 0)?;
                let mut out = x.moved(|t| {
                    let t = t.strided(walk, *offset, strides);
                    if walk == dims { t } else { t.reshaped(dims) }
                });
                out.tags = self.cx.shadow.all_through(out.tags, step.op);
                Cell::of(out)
            }
            Code::Reduce {
                combine,
                dims,
                accumulated,
            } => {
                let x = self.lanes(step, operands, 0)?;
                let mut out = self.cx.fold(combine, x, dims, step.op)?;
                if *accumulated {
                    let accumulator = self.lanes(step, operands, 1)?;
                    let ty: Type = out.value.ty().into();
                    out = self
                        .cx
                        .elementwise(combine, vec![accumulator, out], &[ty], step.op)?;
                }
                Cell::of(out)
            }
            Code::AllReduce { combine, dimension } => {
                let x = self.lanes(step, operands, 0)?;
                let dims = x.value.dims().to_vec();
                let out = self.cx.fold(combine, x, &[*dimension], step.op)?;
                let mut strides = tileproof_dialect::tensor::row_major_strides(out.value.dims());
                strides.insert((*dimension).min(strides.len()), 0);
                Cell::Lanes(out.moved(|t| t.strided(&dims, 0, &strides)))
            }
            Code::Insert { offset, strides } => {
                let part = self.lanes(step, operands, 0)?;
                let into = self.lanes(step, operands, 1)?;
                Cell::Lanes(into.written(&part, |t, p| t.written(p, *offset, strides)))
            }
            Code::Concatenate { dimension } => {
                let parts = self.all_lanes(step, operands)?;
                let parts: Vec<&Lanes> = parts.iter().collect();
                Cell::Lanes(vectors::concatenated(&parts, *dimension)?)
            }
            Code::Rotate { dimension, amount } => {
                let amount = match amount {
                    Some(amount) => *amount as i64,
                    None => self.number(step, operands, 1, Use::Amount)?,
                };
                let x = self.lanes(step, operands, 0)?;
                self.cx.count_vector(x.value.len() as u64);
                Cell::Lanes(vectors::rotated(&x, *dimension, amount)?)
            }
            Code::Gather { dimension } => self.gather(step, operands, *dimension)?,
            Code::Matmul {
                dot,
                results,
                operations,
            } => {
                let all = [0, 1, 2].map(|at| self.lanes(step, operands, at));
                let [a, b, c] = all;
                self.cx.counters.matrix_operations += operations;
                Cell::Lanes(self.cx.matmul(dot, [a?, b?, c?], results, step.op)?)
            }
            Code::Mask { dims } => self.mask(step, operands, dims)?,
            Code::Load { dims, how } => access::load(self, step, operands, dims, how)?,
            Code::Store { how } => {
                let value = self.lanes(step, operands, 0)?;
                access::store(self, step, operands, value, how)?;
                return Ok(smallvec![]);
            }
            Code::Pack { dims } => {
                let parts = self.all_lanes(step, operands)?;
                Cell::Lanes(vectors::packed(&parts.iter().collect::<Vec<_>>(), dims)?)
            }
            Code::Roll { dims } => {
                let parts = self.all_lanes(step, operands)?;
                Cell::Lanes(vectors::rolled(&parts.iter().collect::<Vec<_>>(), dims)?)
            }
            Code::Unroll { dims } => {
                let block = self.lanes(step, operands, 0)?;
                let all = vectors::unrolled(&block, dims)?;
                return Ok(all.into_iter().map(Cell::Lanes).collect());
            }
            Code::Slice { sizes } => access::slice(self, step, operands, sizes)?,
            Code::Squeeze { dims } => access::reshaped(operands, |v| v.squeezed(dims))?,
            Code::Reshape { dims } => access::reshaped(operands, |v| v.reshaped(dims))?,
            Code::Bitcast { dims, element } => access::cast(operands, dims, element)?,
            Code::Enqueue { source_semaphore } => {
                self.enqueue(step, operands, *source_semaphore)?;
                return Ok(smallvec![]);
            }
            Code::WaitDma => {
                self.wait_copy(step, operands)?;
                return Ok(smallvec![]);
            }
            Code::Signal => {
                self.signal(step, operands)?;
                return Ok(smallvec![]);
            }
            Code::Wait => {
                self.wait(step, operands)?;
                return Ok(smallvec![]);
            }
            Code::Read => self.read_semaphore(operands)?,
            Code::Barrier => Cell::Ref(self.copies.barrier(&mut self.memory, &mut self.cx.shadow)),
            Code::For => return Ok(self.run_for(step, all)?.into()),
            Code::If => return Ok(self.run_if(step, all)?.into()),
            Code::While => return Ok(self.run_while(step, all)?.into()),
            Code::Implements { function, results } => {
                return Ok(self
                    .implements(step, all, function.as_ref(), results)?
                    .into());
            }
        };
        Ok(smallvec![cell])
    }

    fn elementwise(
        &mut self,
        step: &Step,
        operands: &mut Operands,
        op: &hlo::Op,
        results: &[Type],
    ) -> Result<Cell, Stop> {
        if let (Some(o), Some(Type::Tensor(result))) = (step.operands.first(), results.first())
            && result.dims.is_empty()
            && let Some(element) = step
                .operands
                .last()
                .and_then(|o| self.plan().elements[o.value].as_ref())
        {
            let element = match op {
                hlo::Op::Convert(_) => self.plan().elements[o.value].as_ref().unwrap_or(element),
                _ => element,
            };
            let mut numbers: SmallVec<[i64; 4]> = SmallVec::new();
            let (mut tag, mut all) = (0, true);
            for cell in operands.iter() {
                match cell {
                    Cell::Int { value, tag: t } => {
                        numbers.push(*value);
                        tag = if tag != 0 { tag } else { *t };
                    }
                    Cell::Lanes(_) | Cell::Ref(_) => all = false,
                }
            }
            let joins = matches!(op, hlo::Op::Select(_) | hlo::Op::And(_) | hlo::Op::Or(_));
            let decides = tag != 0 && (joins || self.cx.shadow.terms.is_some());
            if all
                && !decides
                && result.element.is_integer()
                && let Some(value) = elementwise::scalar(op, &numbers, element, &result.element)
            {
                let tag = self.cx.shadow.through(tag, step.op);
                return Ok(Cell::Int { value, tag });
            }
        }
        let lanes = self.all_lanes(step, operands)?;
        Ok(Cell::of(self.cx.elementwise(op, lanes, results, step.op)?))
    }

    fn gather(
        &mut self,
        step: &Step,
        operands: &mut Operands,
        dimension: usize,
    ) -> Result<Cell, Stop> {
        let source = self.lanes(step, operands, 0)?;
        let indices = self.lanes(step, operands, 1)?;
        let (memory, shadow) = (&self.memory, &mut self.cx.shadow);
        shadow.decide(indices.tags.as_ref());
        let element = source.value.element();
        let (out, wrong) = vectors::gathered(&source, &indices, dimension, |dims| {
            memory.nothing(dims, element, Origin::MaskedLane, shadow)
        })?;
        if let Some(index) = wrong {
            let size = source.value.dims().get(dimension).copied().unwrap_or(0);
            let kind = HazardKind::GatherOutOfBounds {
                dimension: dimension as u32,
                index,
                size,
            };
            self.cx.report(step.op, 0, kind, 1);
        }
        self.cx.count_vector(out.value.len() as u64);
        Ok(Cell::Lanes(out))
    }

    fn mask(&mut self, step: &Step, operands: &mut Operands, dims: &[u64]) -> Result<Cell, Stop> {
        let mut ends = Vec::with_capacity(operands.len());
        for at in 0..operands.len() {
            ends.push(self.number(step, operands, at, Use::Mask)?);
        }
        let (low, high) = ends.split_at(dims.len().min(ends.len()));
        let mut all = vec![0u8; tileproof_dialect::tensor::count(dims)];
        vectors::set_inside(&mut all, dims, low, high);
        self.cx.count_vector(all.len() as u64);
        Ok(Cell::Lanes(
            Tensor::from_slice(dims, ElementType::I1, &all).into(),
        ))
    }

    fn run_for(&mut self, step: &'a Step, mut operands: Operands) -> Result<Vec<Cell>, Stop> {
        let lower = self.number(step, &operands, 0, Use::LoopBound)?;
        let upper = self.number(step, &operands, 1, Use::LoopBound)?;
        let by = self.number(step, &operands, 2, Use::LoopBound)?;
        if by <= 0 {
            return Err(Stop::internal(format!("a loop with step {by}")));
        }
        let mut carried: Vec<Cell> = operands.drain(3..).collect();
        drop(operands);
        let body = step
            .blocks
            .first()
            .ok_or_else(|| Stop::internal("a loop without body"))?;
        let (mut i, mut round) = (lower, 0);
        while i < upper {
            self.limits.check_step(round)?;
            let index = Cell::Int { value: i, tag: 0 };
            carried = self.block(body, std::iter::once(index).chain(carried))?;
            self.release(body);
            i = i.saturating_add(by);
            round += 1;
        }
        Ok(carried)
    }

    /// Lets go of the values a block yielded and of its arguments, so that the next round can work in their memory.
    fn release(&mut self, block: &Block) {
        for v in block.arguments.iter().chain(&block.own_yields) {
            self.cells[*v] = None;
        }
    }

    fn run_if(&mut self, step: &'a Step, operands: Operands) -> Result<Vec<Cell>, Stop> {
        let condition = self.number(step, &operands, 0, Use::Branch)?;
        drop(operands);
        self.cx.events.predicates[usize::from(condition != 0)] += 1;
        match step.blocks.get(usize::from(condition == 0)) {
            Some(block) => {
                let out = self.block(block, [])?;
                self.release(block);
                Ok(out)
            }
            // No else.
            None => Ok(vec![]),
        }
    }

    fn run_while(&mut self, step: &'a Step, operands: Operands) -> Result<Vec<Cell>, Stop> {
        let [before, after] = &step.blocks[..] else {
            return Err(Stop::internal("a while loop without its two regions"));
        };
        let mut carried: Vec<Cell> = operands.into_iter().collect();
        for round in 0.. {
            self.limits.check_step(round)?;
            let mut out = self.block(before, carried)?;
            self.release(before);
            if out.is_empty() {
                return Err(Stop::internal("a while loop without condition"));
            }
            let condition: Operands = out.drain(..1).collect();
            let goes_on = self.number(step, &condition, 0, Use::LoopCondition)?;
            self.cx.events.predicates[usize::from(goes_on != 0)] += 1;
            if goes_on == 0 {
                return Ok(out);
            }
            carried = self.block(after, out)?;
            self.release(after);
        }
        Ok(vec![])
    }

    /// The body's values with the residues of the function it stands for.
    fn implements(
        &mut self,
        step: &'a Step,
        mut operands: Operands,
        function: Option<&hlo::Op>,
        results: &[Type],
    ) -> Result<Vec<Cell>, Stop> {
        let body = step
            .blocks
            .first()
            .ok_or_else(|| Stop::internal("'tpux.implements' without body"))?;
        let (Some(function), Planes::IeeeAndRing) = (function, self.cx.planes) else {
            let out = self.block(body, operands)?;
            self.release(body);
            return Ok(out);
        };
        let lanes = self.all_lanes(step, &mut operands)?;
        let named = self
            .cx
            .elementwise(function, lanes.clone(), results, step.op)?;
        let bare = lanes.into_iter().map(|l| {
            Cell::of(Lanes {
                value: l.value.with_ring(None),
                tags: l.tags,
            })
        });
        // What the body meets on the ring plane decides nothing.
        self.cx.planes = Planes::IeeeOnly;
        let (zeros, bits) = (self.cx.events.zero_divisors, self.cx.events.from_bits);
        let out = self.block(body, bare);
        self.release(body);
        self.cx.planes = Planes::IeeeAndRing;
        self.cx.events.zero_divisors = zeros;
        self.cx.events.from_bits = bits;
        out?.into_iter()
            .zip(results)
            .map(|(cell, ty)| {
                let element = ty
                    .as_tensor()
                    .map_or(ElementType::F32, |t| t.element.clone());
                let lanes = cell.lanes(&element)?;
                if lanes.value.dims() != named.value.dims() {
                    return Err(Stop::internal(
                        "'tpux.implements' gives another shape than its function",
                    ));
                }
                let ring = named.value.ring_buffer().cloned();
                Ok(Cell::Lanes(Lanes {
                    value: lanes.value.with_ring(ring),
                    tags: lanes.tags,
                }))
            })
            .collect()
    }
}
