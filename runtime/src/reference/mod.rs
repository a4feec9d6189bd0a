//! Engine `reference`: the unoptimized lowering, op by op from the definitions (`OpDef::eval`), both planes.
//!
//! [`fast`] may replace the definition of single ops; each replacement is property-tested against the definition.

pub mod choices;
pub mod fast;
mod first_calls;
mod lanes;
mod plan;
mod regions;

pub use first_calls::FirstCalls;
pub use lanes::ELEMENTWISE;

use crate::{
    grid::{Devices, Rendezvous},
    limits::Limits,
    native,
    simulator::{self, Simulation},
};
use choices::Choices;
use plan::Plan;
use regions::Runner;
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};
use tileproof_dialect::{
    bound::{Bound, Bounded},
    error::Error,
    eval::{EvalContext, Events, Process, Stop, Trap},
    planes::Planes,
    program::{FunctionId, OpId, Program, RegionId, ValueId},
    tensor::Value,
    types::Type,
};

/// Which code gives the meaning of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernels {
    /// `OpDef::eval` only.
    Definition,
    /// [`fast`] where it covers the op.
    Fast,
}

/// Evaluates a program, or single functions, regions and ops of it. Usable from several threads at once.
pub struct Interpreter<'p> {
    program: &'p Program,
    planes: Planes,
    limits: &'p Limits,
    most_steps: AtomicU64,
    kernels: Kernels,
    plan: OnceLock<Plan>,
    process: Process,
    rendezvous: Option<&'p Rendezvous>,
    infeed: Option<&'p Mutex<VecDeque<Vec<Value>>>>,
    simulation: Simulation,
    first_calls: Option<&'p FirstCalls>,
    kernel_plans: Mutex<HashMap<String, Arc<simulator::Plan>>>,
    choices: Option<&'p Choices>,
    native: Option<&'p native::kernel::whole::Kernels>,
}

/// Values of one running function, by place.
struct Frame {
    values: Vec<Option<Value>>,
    /// Calls and regions around.
    depth: u64,
}

impl Frame {
    fn get(&self, slot: usize) -> Option<&Value> {
        self.values.get(slot).and_then(Option::as_ref)
    }

    fn set(&mut self, slot: usize, value: Option<Value>) {
        if let Some(place) = self.values.get_mut(slot) {
            *place = value;
        }
    }
}

/// Sees ops as they run, also those of inner regions and callees; bodies run in batches are not shown op by op.
pub trait Observer {
    /// An op starts; what its regions and callees run comes before its `observe`.
    fn enter(&mut self, _: OpId) {}

    /// An op has ended.
    fn observe(&mut self, op: OpId, operands: &[Value], results: &[Value]);
}

/// Sees nothing.
impl Observer for () {
    fn observe(&mut self, _: OpId, _: &[Value], _: &[Value]) {}
}

impl<'p> Interpreter<'p> {
    /// The program must be verified.
    pub fn new(program: &'p Program, planes: Planes, limits: &'p Limits) -> Interpreter<'p> {
        Interpreter {
            program,
            planes,
            limits,
            most_steps: AtomicU64::new(u64::MAX),
            kernels: Kernels::Fast,
            plan: OnceLock::new(),
            process: Devices::default().process(0),
            rendezvous: None,
            infeed: None,
            simulation: Simulation::default(),
            first_calls: None,
            kernel_plans: Mutex::default(),
            choices: None,
            native: None,
        }
    }

    pub fn with_kernels(mut self, kernels: Kernels) -> Interpreter<'p> {
        self.kernels = kernels;
        self
    }

    /// Runs as one process of a grid; collectives meet the others at `rendezvous`.
    pub fn with_process(mut self, process: Process, rendezvous: &'p Rendezvous) -> Interpreter<'p> {
        self.process = process;
        self.rendezvous = Some(rendezvous);
        self
    }

    /// Runs with an infeed: each entry is what one `infeed` op receives.
    pub fn with_infeed(mut self, queue: &'p Mutex<VecDeque<Vec<Value>>>) -> Interpreter<'p> {
        self.infeed = Some(queue);
        self
    }

    /// How kernels run.
    pub fn with_simulation(mut self, simulation: Simulation) -> Interpreter<'p> {
        self.simulation = simulation;
        self
    }

    /// Keeps the arguments of the first call of each kernel.
    pub fn with_first_calls(mut self, calls: &'p FirstCalls) -> Interpreter<'p> {
        self.first_calls = Some(calls);
        self
    }

    /// Runs kernels that have native code by it. For runs on the IEEE plane alone.
    pub fn with_native(mut self, kernels: &'p native::kernel::whole::Kernels) -> Interpreter<'p> {
        self.native = Some(kernels);
        self
    }

    /// Runs the kernel `name` of the program; results take the declared sizes.
    fn kernel(
        &self,
        name: &str,
        arguments: Vec<Value>,
        results: &[Type],
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let mut tensors = Vec::with_capacity(arguments.len());
        for value in arguments {
            match value {
                Value::Tensor(t) => tensors.push(t),
                Value::Token(_) | Value::Tuple(_) => {
                    return Err(Stop::internal("a kernel takes tensors"));
                }
            }
        }
        if let Some(calls) = self.first_calls {
            calls.note(name, &tensors);
        }
        let by_code = self.native.and_then(|n| n.run(name, &tensors));
        let outputs = match by_code {
            Some(Ok(outputs)) => outputs,
            Some(Err(fault)) => {
                return Err(Stop::internal(format!("native code of '{name}': {fault}")));
            }
            None => {
                let plan = self.kernel_plan(name)?;
                let simulation = &self.simulation;
                let (planes, limits) = (self.planes, self.limits);
                simulator::run(&plan, &tensors, planes, simulation, limits, events)?.outputs
            }
        };
        let sizes = |ty: &Type| ty.as_tensor().and_then(|t| t.static_dims());
        outputs
            .into_iter()
            .zip(results)
            .map(|(t, ty)| match sizes(ty) {
                Some(dims) => Ok(t.reshaped(&dims).into()),
                None => Err(Stop::internal("a kernel whose result has no static size")),
            })
            .collect()
    }

    fn kernel_plan(&self, name: &str) -> Result<Arc<simulator::Plan>, Stop> {
        let mut plans = self.kernel_plans.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(plan) = plans.get(name) {
            return Ok(plan.clone());
        }
        let Some(kernel) = self.program.kernel(name) else {
            return Err(Stop::internal(format!("kernel '{name}' does not exist")));
        };
        let plan = Arc::new(simulator::Plan::new(kernel, self.planes)?);
        plans.insert(name.to_string(), plan.clone());
        Ok(plan)
    }

    /// Lets a loop of the program take `steps` steps from now on, and no more than its limits do. Loops of kernels are no matter.
    pub fn allow_steps(&self, steps: u64) {
        self.most_steps.store(steps, Ordering::Relaxed);
    }

    fn check_step(&self, step: u64) -> Result<(), Stop> {
        let most = self.most_steps.load(Ordering::Relaxed);
        if step >= most {
            return Err(Stop::Trap(Trap::StepLimit(most)));
        }
        self.limits.check_step(step)
    }

    /// Counts in `choices` what each op chose.
    pub fn with_choices(mut self, choices: &'p Choices) -> Interpreter<'p> {
        self.choices = Some(choices);
        self
    }

    /// Made when first needed: an op without regions needs none.
    fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| Plan::new(self.program))
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    pub fn planes(&self) -> Planes {
        self.planes
    }

    /// Runs the entry function.
    pub fn run(&self, arguments: Vec<Value>, events: &mut Events) -> Result<Vec<Value>, Stop> {
        self.run_function(self.program.entry, arguments, events)
    }

    /// Runs one function.
    pub fn run_function(
        &self,
        function: FunctionId,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        self.function(function, arguments, 0, events, &mut ())
    }

    /// Runs the entry function and shows every op to `observer`.
    pub fn run_observed(
        &self,
        arguments: Vec<Value>,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Value>, Stop> {
        self.function(self.program.entry, arguments, 0, events, observer)
    }

    /// Evaluates op `id` alone on `operands`; `captured` gives the values its regions take from outside.
    pub fn eval_op(
        &self,
        id: OpId,
        operands: &[Value],
        captured: &dyn Fn(ValueId) -> Option<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let mut frame = self.frame_around(id, captured)?;
        self.evaluate(
            id,
            operands,
            &self.declared(id),
            &mut frame,
            events,
            &mut (),
        )
    }

    /// Error bounds of the results of op `id`: `values` is what it gave on `operands`, which are off by at most their bounds.
    pub fn bound_op(
        &self,
        id: OpId,
        operands: &[Bounded<'_>],
        captured: &dyn Fn(ValueId) -> Option<Value>,
        values: &[Value],
    ) -> Result<Vec<Bound>, Stop> {
        let o = self.program.op(id);
        if let (Kernels::Fast, Some(bounds)) = (self.kernels, fast::bound(&o.op, operands, values))
        {
            return bounds.map_err(|stop| self.locate(id, stop));
        }
        let mut frame = self.frame_around(id, captured)?;
        let mut runner = Runner {
            interpreter: self,
            op: id,
            frame: &mut frame,
            observer: &mut (),
        };
        let mut cx = EvalContext {
            planes: self.planes,
            runner: &mut runner,
            events: &mut Events::default(),
        };
        o.op.bound(operands, &self.declared(id), values, &mut cx)
            .map_err(|stop| self.locate(id, stop))
    }

    /// A frame that holds what the regions of op `id` take from outside.
    fn frame_around(
        &self,
        id: OpId,
        captured: &dyn Fn(ValueId) -> Option<Value>,
    ) -> Result<Frame, Stop> {
        let Some(first) = self.program.op(id).regions.first() else {
            return Ok(Frame {
                values: vec![],
                depth: 0,
            });
        };
        let Some(function) = self.plan().function_of(*first) else {
            return Err(Stop::internal("a region that stands in no function"));
        };
        let mut frame = self.frame(function, 0);
        self.capture(self.program.op_captures(id), captured, &mut frame)?;
        Ok(frame)
    }

    /// Runs region `region` alone on `arguments`; `captured` gives the values it takes from outside.
    pub fn run_region(
        &self,
        region: RegionId,
        arguments: Vec<Value>,
        captured: &dyn Fn(ValueId) -> Option<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let Some(function) = self.plan().function_of(region) else {
            return Err(Stop::internal("a region that stands in no function"));
        };
        let mut frame = self.frame(function, 0);
        self.capture(self.program.captured(region), captured, &mut frame)?;
        self.region(region, arguments, &mut frame, events, &mut ())
    }

    fn capture(
        &self,
        values: Vec<ValueId>,
        captured: &dyn Fn(ValueId) -> Option<Value>,
        frame: &mut Frame,
    ) -> Result<(), Stop> {
        for v in values {
            let Some(value) = captured(v) else {
                return Err(Stop::internal(format!(
                    "no value was given for captured value {}",
                    v.0
                )));
            };
            frame.set(self.plan().slot(v), Some(value));
        }
        Ok(())
    }

    fn frame(&self, function: FunctionId, depth: u64) -> Frame {
        Frame {
            values: vec![None; self.plan().frame_size(function)],
            depth,
        }
    }

    fn function(
        &self,
        function: FunctionId,
        arguments: Vec<Value>,
        depth: u64,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Value>, Stop> {
        let mut frame = self.frame(function, depth);
        self.region(
            self.program.function(function).body,
            arguments,
            &mut frame,
            events,
            observer,
        )
    }

    /// Runs a region in the frame of its function.
    fn region(
        &self,
        region: RegionId,
        arguments: Vec<Value>,
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Value>, Stop> {
        frame.depth += 1;
        let out = self.limits.check_depth(frame.depth).and_then(|()| {
            stacker::maybe_grow(256 << 10, 2 << 20, || {
                self.ops(region, arguments, frame, events, observer)
            })
        });
        frame.depth -= 1;
        out
    }

    fn ops(
        &self,
        region: RegionId,
        arguments: Vec<Value>,
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Value>, Stop> {
        let r = self.program.region(region);
        if arguments.len() != r.arguments.len() {
            return Err(Stop::internal(format!(
                "{} arguments for a region that takes {}",
                arguments.len(),
                r.arguments.len()
            )));
        }
        for (v, value) in r.arguments.iter().zip(arguments) {
            frame.set(self.plan().slot(*v), Some(value));
        }
        for id in &r.ops {
            self.limits.check_cancelled()?;
            let o = self.program.op(*id);
            let mut operands = Vec::with_capacity(o.operands.len());
            for v in &o.operands {
                match frame.get(self.plan().slot(*v)) {
                    Some(value) => operands.push(value.clone()),
                    None => {
                        let what = format!("'{}' uses a value that is not there", o.op.name());
                        return Err(Stop::Failed(Error::internal(what)));
                    }
                }
            }
            if o.op.is_return() {
                self.drop_dead(*id, frame);
                return Ok(operands);
            }
            let types = self.declared(*id);
            observer.enter(*id);
            let results = self.evaluate(*id, &operands, &types, frame, events, observer)?;
            observer.observe(*id, &operands, &results);
            for (v, value) in o.results.iter().zip(results) {
                frame.set(self.plan().slot(*v), Some(value));
            }
            self.drop_dead(*id, frame);
        }
        Err(Stop::internal("a region does not end with a return"))
    }

    fn drop_dead(&self, id: OpId, frame: &mut Frame) {
        for v in self.plan().dead_after(id) {
            frame.set(self.plan().slot(*v), None);
        }
    }

    fn declared(&self, id: OpId) -> Vec<Type> {
        let results = &self.program.op(id).results;
        results
            .iter()
            .map(|v| self.program.ty(*v).clone())
            .collect()
    }

    /// One op: fast kernel or definition, then the check that the values fit the declared types.
    fn evaluate(
        &self,
        id: OpId,
        operands: &[Value],
        types: &[Type],
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Value>, Stop> {
        let o = self.program.op(id);
        self.check_sizes(types)?;
        let counted = self.choices.map(|c| c.begin(o, events.predicates));
        let mut runner = Runner {
            interpreter: self,
            op: id,
            frame,
            observer,
        };
        let mut cx = EvalContext {
            planes: self.planes,
            runner: &mut runner,
            events,
        };
        let fast = match self.kernels {
            Kernels::Fast => fast::eval(&o.op, operands, types, &mut cx),
            Kernels::Definition => None,
        };
        let out = fast.unwrap_or_else(|| o.op.eval(operands, types, &mut cx));
        if matches!(out, Err(Stop::Trap(_))) && events.trapped_at.is_none() {
            events.trapped_at = Some(self.program.op(id).location.clone());
        }
        let values = out.map_err(|stop| self.locate(id, stop))?;
        if let (Some(choices), Some(begun)) = (self.choices, counted) {
            choices.end(id, &begun, events.predicates);
        }
        let fits = values.len() == types.len() && values.iter().zip(types).all(|(v, t)| fits(v, t));
        if fits {
            return Ok(values);
        }
        let list = |types: Vec<String>| types.join(", ");
        let got = list(values.iter().map(|v| v.ty().to_string()).collect());
        let want = list(types.iter().map(Type::to_string).collect());
        let dynamic = types
            .iter()
            .any(|t| t.as_tensor().is_none_or(|t| t.static_dims().is_none()));
        let message = format!("'{}' gave ({got}), declared ({want})", o.op.name());
        Err(self.locate(
            id,
            if dynamic {
                Stop::Trap(Trap::ShapeMismatch(message))
            } else {
                Stop::internal(message)
            },
        ))
    }

    /// Values with static types that would be too large never start to exist.
    fn check_sizes(&self, types: &[Type]) -> Result<(), Stop> {
        for t in types.iter().filter_map(Type::as_tensor) {
            if let Some(dims) = t.static_dims() {
                let elements = dims.iter().try_fold(1u64, |a, d| a.checked_mul(*d));
                let ring = match self.planes {
                    Planes::IeeeOnly => 0,
                    Planes::IeeeAndRing if t.element.is_complex() => 8,
                    Planes::IeeeAndRing if t.element.is_float() => 4,
                    Planes::IeeeAndRing => 0,
                };
                self.limits
                    .check_size(elements, t.element.storage_bytes() as u64 + ring)?;
            }
        }
        Ok(())
    }

    /// Says which op failed where the message does not.
    fn locate(&self, id: OpId, stop: Stop) -> Stop {
        let o = self.program.op(id);
        match stop {
            Stop::Failed(Error::Internal(m)) if !m.starts_with('\'') => Stop::Failed(
                Error::internal(format!("'{}' at {}: {m}", o.op.name(), o.location)),
            ),
            Stop::Failed(e) => Stop::Failed(e.at(&o.location)),
            other @ (Stop::Trap(_) | Stop::Cancelled) => other,
        }
    }
}

/// Whether a value has a declared type, without building its type.
pub(crate) fn fits(value: &Value, ty: &Type) -> bool {
    use tileproof_dialect::types::Dim;
    match (value, ty) {
        (Value::Tensor(v), Type::Tensor(t)) => {
            v.element() == &t.element
                && v.rank() == t.rank()
                && v.dims().iter().zip(&t.dims).all(|(have, want)| match want {
                    Dim::Static(n) => have == n,
                    Dim::Dynamic { bound } => bound.is_none_or(|b| *have <= b),
                })
        }
        (Value::Token(_), Type::Token) => true,
        (Value::Tuple(parts), Type::Tuple(types)) => {
            parts.len() == types.len() && parts.iter().zip(types.iter()).all(|(v, t)| fits(v, t))
        }
        (Value::Tensor(_) | Value::Token(_) | Value::Tuple(_), _) => false,
    }
}
