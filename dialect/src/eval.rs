//! What an op's definition gets to run: planes, the regions of the op, and a place to report what happened.

use crate::{
    error::Error, location::Location, planes::Planes, tensor::Tensor, tensor::Value, tpu::Hazard,
    types::Type,
};

/// Why an execution stopped before its end.
#[derive(Debug, Clone)]
pub enum Stop {
    /// The tested program trapped: a value of the run, compared like any other.
    Trap(Trap),
    /// The run could not be carried out.
    Failed(Error),
    /// The caller asked to stop (Ctrl-C, time limit).
    Cancelled,
}

/// A trap of the tested program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trap {
    /// A `shape_assertion` or `check.*` custom call failed.
    AssertionFailed(String),
    /// A loop ran longer than the limit of the run.
    StepLimit(u64),
    /// A tensor would be larger than the limit of the run.
    MemoryLimit(u64),
    /// Calls nested deeper than the limit of the run.
    DepthLimit(u64),
    /// Shapes that only the run knows do not fit (dynamic shapes).
    ShapeMismatch(String),
    /// A collective whose processes do not meet.
    Deadlock(String),
}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trap::AssertionFailed(m) => write!(f, "assertion failed: {m}"),
            Trap::StepLimit(n) => write!(f, "a loop ran more than {n} steps"),
            Trap::MemoryLimit(n) => write!(f, "a tensor needs more than {n} bytes"),
            Trap::DepthLimit(n) => write!(f, "calls are nested deeper than {n}"),
            Trap::ShapeMismatch(m) => write!(f, "shapes do not fit: {m}"),
            Trap::Deadlock(m) => write!(f, "deadlock: {m}"),
        }
    }
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop::Failed(e)
    }
}

impl Stop {
    pub fn internal(message: impl Into<String>) -> Stop {
        Stop::Failed(Error::internal(message))
    }

    pub fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Failed(Error::unsupported(what))
    }
}

/// What a run met besides its values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Elements whose residue was divided by a zero residue while the IEEE divisor was not zero: the seed must be redrawn.
    pub zero_divisors: u64,
    /// Random numbers were drawn (`rng`): nothing downstream is decisive in the ring.
    pub opaque_random: u64,
    /// How far `rng_get_and_update_state` has moved the generator of the module.
    pub generator_steps: u128,
    /// Floats made from integer bits: the ring took the exact dyadic value of the bits.
    pub from_bits: u64,
    /// Outcomes of compares, selects and branches: (false, true) counts in order of first execution, summed over the run.
    pub predicates: [u64; 2],
    /// Steps of the loop that took most.
    pub longest_loop: u64,
    /// Effects in order: infeed, outfeed, send, recv, custom calls with side effects, printed values.
    pub effects: Vec<Effect>,
    /// Where the run trapped, if it did: the innermost op.
    pub trapped_at: Option<Location>,
    /// Wrong uses of memory, copies and semaphores by kernels.
    pub hazards: Vec<Hazard>,
}

/// One observable effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub kind: String,
    pub values: Vec<Value>,
}

/// Runs the regions and callees of the op being evaluated.
pub trait RegionRunner {
    /// Runs the op's region number `region` once.
    fn run(
        &mut self,
        region: usize,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop>;

    /// Runs the op's region number `region`, whose arguments and results are rank-0 tensors, once per lane in a batch: every argument is a
    /// tensor of shape `[lanes]`, and so is every result.
    fn run_lanes(
        &mut self,
        region: usize,
        lanes: usize,
        arguments: Vec<Tensor>,
        events: &mut Events,
    ) -> Result<Vec<Tensor>, Stop>;

    /// Runs the function `callee`.
    fn call(
        &mut self,
        callee: &str,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop>;

    /// Runs the kernel `name` of the module.
    fn kernel(
        &mut self,
        name: &str,
        arguments: Vec<Value>,
        results: &[Type],
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop>;

    /// Number of regions of the op.
    fn region_count(&self) -> usize;

    /// Name of the only op of region `region` if its body is that one op applied to the two arguments in order (a commutative op: in any order)
    /// and returned; lets a fast path recognise a plain sum, product, minimum, maximum, and, or. `return` if the body has no op and returns the
    /// second half of its arguments (a scatter that overwrites).
    fn single_op(&self, region: usize) -> Option<&'static str>;

    /// As [`Self::single_op`], where conversions to other float types may stand before and after the op: its name and the sum of what they round by, relative.
    fn folding_op(&self, region: usize) -> Option<(&'static str, f64)> {
        self.single_op(region).map(|name| (name, 0.0))
    }

    /// Position of this process in the simulated grid: (replica, partition), and the size of the grid.
    fn process(&self) -> Process;

    /// Meets the other processes of `group` (flat process numbers): gives every member's payload in the order of `group`.
    fn exchange(
        &mut self,
        channel: i64,
        group: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop>;

    /// The next values of the infeed, of these types; `config` is the op's `infeed_config`.
    fn infeed(&mut self, config: &str, types: &[Type]) -> Result<Vec<Value>, Stop>;

    /// Puts values on their way; does not wait.
    fn send(&mut self, route: Route, values: Vec<Value>) -> Result<(), Stop>;

    /// Waits for the next values sent along `route`, which must be of these types.
    fn receive(&mut self, route: Route, types: &[Type]) -> Result<Vec<Value>, Stop>;

    /// Whether a loop may go on for step number `step` (from 0), or the run must stop.
    fn tick(&mut self, step: u64) -> Result<(), Stop>;
}

/// Place of a process in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub replica: u64,
    pub partition: u64,
    pub replicas: u64,
    pub partitions: u64,
}

/// One way of a channel. Values arrive in the order they were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Route {
    pub channel: i64,
    /// Flat numbers of the sending and the receiving process; none: between a process and the host.
    pub ends: Option<(u64, u64)>,
}

/// All an op's `eval` may use besides its operands.
pub struct EvalContext<'a> {
    pub planes: Planes,
    pub runner: &'a mut dyn RegionRunner,
    pub events: &'a mut Events,
}

impl EvalContext<'_> {
    pub fn run(&mut self, region: usize, arguments: Vec<Value>) -> Result<Vec<Value>, Stop> {
        self.runner.run(region, arguments, self.events)
    }

    pub fn run_lanes(
        &mut self,
        region: usize,
        lanes: usize,
        arguments: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, Stop> {
        self.runner.run_lanes(region, lanes, arguments, self.events)
    }

    pub fn call(&mut self, callee: &str, arguments: Vec<Value>) -> Result<Vec<Value>, Stop> {
        self.runner.call(callee, arguments, self.events)
    }

    pub fn kernel(
        &mut self,
        name: &str,
        arguments: Vec<Value>,
        results: &[Type],
    ) -> Result<Vec<Value>, Stop> {
        self.runner.kernel(name, arguments, results, self.events)
    }

    /// A tensor whose ring plane, if this run has one, is the exact value of its elements.
    pub fn embedded(&self, t: Tensor) -> Tensor {
        match self.planes {
            Planes::IeeeOnly => t,
            Planes::IeeeAndRing => t.with_embedded_ring(),
        }
    }
}

/// For ops without regions: a runner whose every request fails. Used by constant folding and by tests of single ops.
pub struct NoRegions;

impl NoRegions {
    fn refuse<T>() -> Result<T, Stop> {
        Err(Stop::internal("an op without regions asked for one"))
    }
}

impl RegionRunner for NoRegions {
    fn run(&mut self, _: usize, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        NoRegions::refuse()
    }

    fn run_lanes(
        &mut self,
        _: usize,
        _: usize,
        _: Vec<Tensor>,
        _: &mut Events,
    ) -> Result<Vec<Tensor>, Stop> {
        NoRegions::refuse()
    }

    fn call(&mut self, _: &str, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        NoRegions::refuse()
    }

    fn kernel(
        &mut self,
        _: &str,
        _: Vec<Value>,
        _: &[Type],
        _: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        NoRegions::refuse()
    }

    fn region_count(&self) -> usize {
        0
    }

    fn single_op(&self, _: usize) -> Option<&'static str> {
        None
    }

    fn process(&self) -> Process {
        Process {
            replica: 0,
            partition: 0,
            replicas: 1,
            partitions: 1,
        }
    }

    fn exchange(
        &mut self,
        _: i64,
        _: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        Ok(vec![payload])
    }

    fn infeed(&mut self, _: &str, _: &[Type]) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported("infeed in a run without one"))
    }

    fn send(&mut self, _: Route, _: Vec<Value>) -> Result<(), Stop> {
        Ok(())
    }

    fn receive(&mut self, route: Route, _: &[Type]) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(format!(
            "recv on channel {} in a run of one process",
            route.channel
        )))
    }

    fn tick(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}
