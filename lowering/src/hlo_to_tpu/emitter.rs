//! Emits the body of a kernel by pulling: to make a block of a result, the blocks of what it is made from.
//!
//! Values that hang on no divided fold are made at every step; what a fold makes is accumulated in scratch and goes on at the last step.

use super::{
    axes::Axes,
    computation::Computation,
    form::{self, Site},
    plan::{Plan, Ragged, kernel_dims, padded_bytes},
};
use crate::settings::Settings;
use std::collections::HashMap;
use tileproof_dialect::{
    error::Error,
    hlo::{self, compare::Direction},
    location::Location,
    program::{OpId, ValueId},
    stage::Stage,
    tpu::{
        GridDimension, Kernel, KernelBuilder, KernelOperand, KernelType, KernelValue, MemRefType,
        MemorySpace, Role, Semantics, TpuOp, Window,
    },
    types::{ElementType, TensorType},
};

/// A kernel under construction.
pub struct Emitter<'a> {
    pub computation: &'a Computation<'a>,
    pub axes: &'a Axes,
    pub plan: &'a Plan,
    pub b: KernelBuilder,
    /// Blocks made so far that are visible here.
    pub(super) values: HashMap<ValueId, KernelValue>,
    pub(super) scalars: HashMap<ValueId, KernelValue>,
    /// Number of the kernel's operand for each input.
    operands: HashMap<ValueId, usize>,
    /// Scratch in which values were put.
    pub(super) stored: HashMap<ValueId, KernelValue>,
    /// What folding ops accumulate in, by result.
    pub(super) accumulators: HashMap<ValueId, KernelValue>,
}

/// Makes the kernel `name` of a computation.
pub fn emit(
    computation: &Computation<'_>,
    axes: &Axes,
    plan: &Plan,
    settings: &Settings,
    name: &str,
    location: &Location,
) -> Result<Kernel, Error> {
    let mut operands: Vec<KernelOperand> = vec![];
    let mut numbers = HashMap::new();
    for v in &plan.prefetch {
        numbers.insert(*v, operands.len());
        let dims = kernel_dims(&computation.dims(*v)?);
        operands.push(KernelOperand {
            role: Role::Prefetch,
            buffer: MemRefType::new(&dims, computation.element(*v)?, MemorySpace::Smem),
            window: None,
            alias: None,
            address: None,
        });
    }
    let windows = plan.inputs.iter().map(|v| (Role::Input, *v));
    let windows = windows.chain(computation.results.iter().map(|v| (Role::Output, *v)));
    for (role, v) in windows {
        if role == Role::Input {
            numbers.insert(v, operands.len());
        }
        let block = plan.block_dims(computation, axes, v)?;
        let is_far = role == Role::Input && plan.far.contains(&v);
        operands.push(KernelOperand {
            role,
            buffer: buffer(
                &kernel_dims(&computation.dims(v)?),
                computation.element(v)?,
                settings,
            ),
            window: (!is_far).then(|| Window::of(&block)),
            alias: None,
            address: None,
        });
    }
    let first_result = operands.len() - computation.results.len();
    let grid = plan.grid.iter().map(|g| GridDimension {
        size: g.steps,
        semantics: g.semantics,
    });
    let mut emitter = Emitter {
        computation,
        axes,
        plan,
        b: KernelBuilder::new(name, Stage::S3, grid.collect(), operands, location.clone()),
        values: HashMap::new(),
        scalars: HashMap::new(),
        operands: numbers,
        stored: HashMap::new(),
        accumulators: HashMap::new(),
    };
    emitter.index_maps(first_result)?;
    emitter.body(first_result)?;
    let kernel = emitter.b.finish();
    fits(&kernel, settings)?;
    Ok(kernel)
}

/// A buffer in HBM, tiled as the target does.
fn buffer(dims: &[u64], element: ElementType, settings: &Settings) -> MemRefType {
    let order: Vec<u64> = (0..dims.len() as u64).rev().collect();
    let ty = TensorType::new(dims.iter().copied(), element.clone());
    let layout = settings.target.layout(&ty, &order);
    MemRefType {
        tiles: layout.map(|l| l.tiles).unwrap_or_default(),
        ..MemRefType::new(dims, element, MemorySpace::Any)
    }
}

/// A kernel that does not fit its memories is refused with the names of its buffers.
fn fits(kernel: &Kernel, settings: &Settings) -> Result<(), Error> {
    let mut sizes: Vec<(u64, String)> = vec![];
    for (i, o) in kernel.operands.iter().enumerate() {
        let Some(element) = o.buffer.data() else {
            continue;
        };
        let whole = o.buffer.static_dims().unwrap_or_default();
        let (dims, copies) = match &o.window {
            // Two copies: one is filled while the other is used.
            Some(window) if kernel.steps() > 1 => (&window.block, 2),
            Some(window) => (&window.block, 1),
            None if o.buffer.space == MemorySpace::Vmem => (&whole, 1),
            None => continue,
        };
        let bytes = copies * padded_bytes(dims, element, settings);
        let role = match o.role {
            Role::Prefetch => "prefetch",
            Role::Input => "input",
            Role::Output => "output",
            Role::Scratch => "scratch",
        };
        sizes.push((bytes, format!("{role} {i} {dims:?} {element}")));
    }
    let total: u64 = sizes.iter().map(|(b, _)| b).sum();
    if total <= settings.target.vmem_bytes {
        return Ok(());
    }
    sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let list: Vec<String> = sizes
        .iter()
        .take(4)
        .map(|(bytes, name)| format!("{name} ({bytes} bytes)"))
        .collect();
    Err(Error::unsupported(format!(
        "a kernel that does not fit the VMEM of {} ({} bytes): {}",
        settings.target.name,
        settings.target.vmem_bytes,
        list.join(", ")
    )))
}

impl<'a> Emitter<'a> {
    fn index_maps(&mut self, first_result: usize) -> Result<(), Error> {
        let (computation, axes, plan) = (self.computation, self.axes, self.plan);
        let results = computation.results.iter().enumerate();
        let all: Vec<(usize, ValueId)> = plan
            .inputs
            .iter()
            .enumerate()
            .map(|(i, v)| (plan.prefetch.len() + i, *v))
            .chain(results.map(|(i, v)| (first_result + i, *v)))
            .collect();
        for (operand, v) in all {
            if operand < first_result && plan.far.contains(&v) {
                continue;
            }
            let dims = computation.dims(v)?;
            let rank = dims.len();
            let places: Vec<Option<usize>> = (0..rank)
                .map(|d| plan.divided(axes, v, d).map(|(place, _)| place))
                .collect();
            self.b.index_map(operand, |b, grid| {
                let zeros = super::plan::lead(rank);
                let mut out: Vec<KernelValue> = (0..zeros).map(|_| b.i32(0)).collect();
                for place in places {
                    out.push(match place {
                        Some(i) => grid[i],
                        None => b.i32(0),
                    });
                }
                out
            });
        }
        Ok(())
    }

    fn body(&mut self, first_result: usize) -> Result<(), Error> {
        let computation = self.computation;
        for i in &self.plan.accumulating {
            self.accumulate(*i)?;
        }
        let (late, early): (Vec<_>, Vec<_>) = computation
            .results
            .iter()
            .enumerate()
            .partition(|(_, v)| self.plan.late.contains(v));
        for (i, v) in early {
            self.write(first_result + i, *v)?;
        }
        if late.is_empty() {
            return Ok(());
        }
        let last = self.at_step(Step::Last);
        self.when(last, |e| {
            for (i, v) in late {
                e.write(first_result + i, *v)?;
            }
            Ok(())
        })
    }

    fn write(&mut self, operand: usize, v: ValueId) -> Result<(), Error> {
        let value = self.value(v)?;
        let target = self.b.operand_ref(operand);
        self.store_all(value, target);
        Ok(())
    }

    /// One folding op at one step: puts the start value in scratch at the first step and adds this step's part.
    fn accumulate(&mut self, number: usize) -> Result<(), Error> {
        let site = Site::new(self.computation, self.computation.ops[number]);
        let form = form::form(site.op).ok_or_else(|| Error::unsupported(site.op.name()))?;
        let accumulate = form
            .accumulate
            .ok_or_else(|| Error::internal(format!("{} does not accumulate", site.op.name())))?;
        self.at(site.id, |e| accumulate(&site, e))
    }

    /// What `make` emits stands for op `id`: it names its source, and the rewrite of the kernel.
    fn at<T>(&mut self, id: OpId, make: impl FnOnce(&mut Self) -> T) -> T {
        let own = &self.computation.program.op(id).location;
        let location = Location {
            rewrite: self.b.location.rewrite.clone(),
            ..own.clone()
        };
        let around = std::mem::replace(&mut self.b.location, location);
        let made = make(self);
        self.b.location = around;
        made
    }

    /// Scratch for the sums of `result`, and whether this is the first step.
    pub fn accumulator(
        &mut self,
        result: ValueId,
        dims: &[u64],
        element: &ElementType,
    ) -> KernelValue {
        let reference = self
            .b
            .scratch(MemRefType::new(dims, element.clone(), MemorySpace::Vmem));
        self.accumulators.insert(result, reference);
        reference
    }

    /// Whether this is the first or last step along all folded axes of the grid.
    pub fn at_step(&mut self, step: Step) -> KernelValue {
        let grid = self.plan.grid.clone();
        let mut all: Option<KernelValue> = None;
        for (i, g) in grid.iter().enumerate() {
            if g.semantics != Semantics::Arbitrary {
                continue;
            }
            let index = self.b.grid_index(i);
            let want = self.b.i32(match step {
                Step::First => 0,
                Step::Last => g.steps as i64 - 1,
            });
            let is = self.compare(Direction::Eq, index, want);
            all = Some(match all {
                Some(known) => self.elementwise(hlo::and::And, &[known, is], ElementType::I1),
                None => is,
            });
        }
        match all {
            Some(all) => all,
            None => self.scalar_constant(1, ElementType::I1),
        }
    }

    /// The block of `v` at this step, as a vector.
    pub fn value(&mut self, v: ValueId) -> Result<KernelValue, Error> {
        let v = self.computation.resolve(v);
        if let Some(known) = self.values.get(&v) {
            return Ok(*known);
        }
        let value = match (self.operands.get(&v), self.computation.definition(v)) {
            (Some(operand), _) => self.input(v, *operand)?,
            (None, Some((id, index))) => {
                if let Some(reference) = self.accumulators.get(&v).copied() {
                    let sum = self.load_all(reference);
                    let element = self.computation.element(v)?;
                    let sum = self.convert(sum, &element);
                    self.values.insert(v, sum);
                    return Ok(sum);
                }
                let results = self.run(id)?;
                let names = self.computation.program.op(id).results.clone();
                self.values
                    .extend(names.into_iter().zip(results.iter().copied()));
                *results
                    .get(index)
                    .ok_or_else(|| Error::internal("an op without its result"))?
            }
            (None, None) => return Err(Error::internal("a value from nowhere")),
        };
        self.values.insert(v, value);
        Ok(value)
    }

    fn input(&mut self, v: ValueId, operand: usize) -> Result<KernelValue, Error> {
        let reference = self.b.operand_ref(operand);
        if self.plan.far.contains(&v) {
            return Err(Error::internal("a tensor in HBM is used as a whole"));
        }
        if self.plan.prefetch.contains(&v) {
            if !self.computation.dims(v)?.is_empty() {
                return Err(Error::unsupported(
                    "indices that are computed with as a tensor",
                ));
            }
            let scalar = self.scalar(v)?;
            return Ok(self.broadcast(scalar, &[1, 1]));
        }
        Ok(self.load_all(reference))
    }

    fn run(&mut self, id: OpId) -> Result<Vec<KernelValue>, Error> {
        let site = Site::new(self.computation, id);
        let form = form::form(site.op).ok_or_else(|| Error::unsupported(site.op.name()))?;
        self.at(id, |e| (form.emit)(&site, e))
    }

    /// The reference of an input, or scratch that holds the block of `v`.
    pub fn reference(&mut self, v: ValueId) -> Result<KernelValue, Error> {
        let v = self.computation.resolve(v);
        if let Some(operand) = self.operands.get(&v)
            && !self.plan.prefetch.contains(&v)
        {
            return Ok(self.b.operand_ref(*operand));
        }
        if let Some(known) = self.stored.get(&v) {
            return Ok(*known);
        }
        let value = self.value(v)?;
        let reference = self.put(value)?;
        self.stored.insert(v, reference);
        Ok(reference)
    }

    /// The reference of an input that stays in HBM.
    pub fn far(&self, v: ValueId) -> Option<KernelValue> {
        let v = self.computation.resolve(v);
        let is_far = self.plan.far.contains(&v);
        is_far.then(|| self.b.operand_ref(self.operands[&v]))
    }

    /// The reference of a prefetch operand in SMEM.
    pub fn prefetched(&self, v: ValueId) -> Option<KernelValue> {
        let v = self.computation.resolve(v);
        self.plan
            .prefetch
            .contains(&v)
            .then(|| self.b.operand_ref(self.operands[&v]))
    }

    /// Scratch that holds `value`.
    pub fn put(&mut self, value: KernelValue) -> Result<KernelValue, Error> {
        let (dims, element) = self.vector_type(value)?;
        let reference = self
            .b
            .scratch(MemRefType::new(&dims, element, MemorySpace::Vmem));
        self.store_all(value, reference);
        Ok(reference)
    }

    /// The scalar `v` as a scalar: from SMEM, computed from such, or taken out of a vector.
    pub fn scalar(&mut self, v: ValueId) -> Result<KernelValue, Error> {
        let v = self.computation.resolve(v);
        if let Some(known) = self.scalars.get(&v) {
            return Ok(*known);
        }
        let element = self.computation.element(v)?;
        let value = if let Some(reference) = self.prefetched(v) {
            let zero = self.index(0);
            self.b.one(
                TpuOp::ScalarLoad,
                &[reference, zero, zero],
                KernelType::Scalar(element),
            )
        } else if let Some(constant) = self.computation.splat(v) {
            self.constant(&constant)
        } else if let Some((id, 0)) = self.computation.definition(v)
            && let (o, op) = self.computation.op(id)
            && form::is_elementwise(op)
            && self.computation.dims(v)?.is_empty()
        {
            let operands: Vec<KernelValue> = o
                .operands
                .iter()
                .map(|v| self.scalar(*v))
                .collect::<Result<_, _>>()?;
            self.elementwise(op.clone(), &operands, element)
        } else if let Some((id, 0)) = self.computation.definition(v)
            && let (o, hlo::Op::Reshape(_)) = self.computation.op(id)
            && self.computation.dims(o.operands[0])?.is_empty()
        {
            self.scalar(o.operands[0])?
        } else {
            let vector = self.value(v)?;
            self.extract(vector)
        };
        self.scalars.insert(v, value);
        Ok(value)
    }

    /// Sizes of the block of `v`.
    pub fn block_dims(&self, v: ValueId) -> Result<Vec<u64>, Error> {
        let v = self.computation.resolve(v);
        self.plan.block_dims(self.computation, self.axes, v)
    }

    /// First element of the block of `v` along dimension `d`, as an i32 scalar; none where the dimension is not divided.
    pub fn offset(&mut self, v: ValueId, d: usize) -> Option<KernelValue> {
        let (place, elements) = self.plan.divided(self.axes, v, d)?;
        let index = self.b.grid_index(place);
        let elements = self.b.i32(elements as i64);
        Some(self.elementwise(
            hlo::multiply::Multiply,
            &[index, elements],
            ElementType::I32,
        ))
    }

    /// Where the block of `v` lies inside the tensor, looking at `dimensions` only; none where it always does.
    pub fn inside(
        &mut self,
        v: ValueId,
        dimensions: &[usize],
    ) -> Result<Option<KernelValue>, Error> {
        let dims = self.computation.dims(v)?;
        let block = self.block_dims(v)?;
        let lead = super::plan::lead(dims.len());
        let mut all: Option<KernelValue> = None;
        for d in dimensions {
            let Some((place, _)) = self.plan.divided(self.axes, v, *d) else {
                continue;
            };
            if self.plan.grid[place].ragged == Ragged::Even {
                continue;
            }
            let Some(offset) = self.offset(v, *d) else {
                continue;
            };
            let size = self.b.i32(dims[*d] as i64);
            let left = self.elementwise(hlo::subtract::Subtract, &[size, offset], ElementType::I32);
            let place = self.iota(&block, lead + d);
            let left = self.broadcast(left, &block);
            let is = self.compare(Direction::Lt, place, left);
            all = Some(match all {
                Some(known) => self.elementwise(hlo::and::And, &[known, is], ElementType::I1),
                None => is,
            });
        }
        Ok(all)
    }
}

/// A step along the folded axes of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    First,
    Last,
}
