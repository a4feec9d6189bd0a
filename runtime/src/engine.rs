//! THE list of engines, and what a run of one gives.

use crate::{
    grid::{Devices, Rendezvous},
    limits::Limits,
    reference::{Interpreter, fits},
    xla::{self, Xla},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    eval::{Events, Stop, Trap},
    location::Location,
    planes::Planes,
    program::Program,
    tensor::Value,
};

/// An engine: a way to run a program.
#[derive(Debug, Clone)]
pub enum Engine {
    /// Op by op from the specification.
    Reference,
    /// XLA of the user's JAX, in a worker process.
    Xla(Arc<Xla>),
}

impl Engine {
    pub const NAMES: &'static [&'static str] = &["reference", "xla"];

    pub fn name(&self) -> &'static str {
        match self {
            Engine::Reference => Engine::NAMES[0],
            Engine::Xla(_) => Engine::NAMES[1],
        }
    }
}

/// What a run gave, per device in the order of flat process numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub devices: Vec<DeviceOutcome>,
}

/// What one device gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceOutcome {
    /// One entry per run of the executable; engines that are deterministic by construction run once.
    pub runs: Vec<Run>,
}

/// One run on one device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub end: End,
    pub events: Events,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Returned {
        outputs: Vec<Value>,
        /// Final contents of the parameters whose buffer an output reuses, by parameter number.
        aliased: Vec<(u32, Value)>,
    },
    Trapped(Trap),
    /// The engine itself failed on the program: a finding about a compiler that is tested.
    Failed(xla::Failure),
}

/// Why there is no outcome.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Failed(#[from] Error),
    #[error("the run was cancelled")]
    Cancelled,
}

impl Run {
    /// The outputs, unless the run trapped.
    pub fn outputs(&self) -> Option<&[Value]> {
        match &self.end {
            End::Returned { outputs, .. } => Some(outputs),
            End::Trapped(_) | End::Failed(_) => None,
        }
    }
}

impl Engine {
    /// Runs the entry function on every process of `devices`. `inputs` holds one list of arguments per device, or one for all devices.
    /// Float arguments must have a ring plane when `planes` asks for it (see [`crate::inputs`]). A trap of the program is part of the outcome.
    pub fn run(
        &self,
        program: &Program,
        planes: Planes,
        devices: &Devices,
        inputs: &[Vec<Value>],
        limits: &Limits,
    ) -> Result<Outcome, RunError> {
        let Some(count) = devices.count() else {
            let what = format!(
                "a grid of {} replicas x {} partitions (1 to 1024 processes)",
                devices.replicas, devices.partitions
            );
            return Err(Error::unsupported(what).into());
        };
        if inputs.len() != 1 && inputs.len() != count {
            let what = format!(
                "arguments were given for {} devices, the grid has {count}",
                inputs.len()
            );
            return Err(Error::invalid(what, Location::default()).into());
        }
        for arguments in inputs {
            check_arguments(program, planes, arguments)?;
        }
        match self {
            Engine::Reference => run_reference(program, planes, devices, inputs, limits),
            Engine::Xla(xla) => Ok(xla::run(xla, program, planes, devices, inputs)?),
        }
    }
}

/// Number, types and planes of the arguments.
fn check_arguments(program: &Program, planes: Planes, arguments: &[Value]) -> Result<(), Error> {
    let types = program.parameter_types();
    let location = &program.main().location;
    if types.len() != arguments.len() {
        let what = format!(
            "function '{}' takes {} arguments, {} were given",
            program.main().name,
            types.len(),
            arguments.len()
        );
        return Err(Error::invalid(what, location.clone()));
    }
    let mut wrong = vec![];
    for (i, (ty, value)) in types.iter().zip(arguments).enumerate() {
        if !fits(value, ty) {
            let what = format!("argument {i} must be {ty}, got {}", value.ty());
            wrong.push(Diagnostic::new(what, location.clone()));
        }
        if planes == Planes::IeeeAndRing && !has_ring(value) {
            let what = format!("argument {i} has no ring plane");
            wrong.push(Diagnostic::new(what, location.clone()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::InvalidProgram(wrong))
    }
}

fn has_ring(value: &Value) -> bool {
    match value {
        Value::Tensor(t) => !t.element().has_ring() || t.ring().is_some(),
        Value::Token(_) => true,
        Value::Tuple(parts) => parts.iter().all(has_ring),
    }
}

fn in_planes(value: &Value, planes: Planes) -> Value {
    match (value, planes) {
        (Value::Tensor(t), Planes::IeeeOnly) => t.clone().with_ring(None).into(),
        (Value::Tuple(parts), _) => {
            Value::Tuple(parts.iter().map(|p| in_planes(p, planes)).collect())
        }
        (Value::Tensor(_) | Value::Token(_), _) => value.clone(),
    }
}

fn run_reference(
    program: &Program,
    planes: Planes,
    devices: &Devices,
    inputs: &[Vec<Value>],
    limits: &Limits,
) -> Result<Outcome, RunError> {
    let count = devices.count().unwrap_or(1);
    let rendezvous = Rendezvous::new(devices);
    let one = |flat: usize| {
        let interpreter = Interpreter::new(program, planes, limits)
            .with_process(devices.process(flat), &rendezvous);
        let given = if inputs.len() == 1 { 0 } else { flat };
        let arguments = inputs[given].iter().map(|v| in_planes(v, planes)).collect();
        let mut events = Events::default();
        let out = catch_unwind(AssertUnwindSafe(|| interpreter.run(arguments, &mut events)));
        rendezvous.leave();
        let end = match out {
            Ok(Ok(outputs)) => End::Returned {
                aliased: aliased(program, &outputs),
                outputs,
            },
            Ok(Err(Stop::Trap(trap))) => End::Trapped(trap),
            Ok(Err(Stop::Failed(e))) => return Err(RunError::Failed(e)),
            Ok(Err(Stop::Cancelled)) => return Err(RunError::Cancelled),
            Err(panic) => return Err(RunError::Failed(panicked(panic.as_ref()))),
        };
        Ok(Run { end, events })
    };
    let runs: Vec<Result<Run, RunError>> = if count == 1 {
        vec![one(0)]
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..count)
                .map(|flat| scope.spawn(move || one(flat)))
                .collect();
            threads
                .into_iter()
                .map(|t| {
                    t.join()
                        .unwrap_or_else(|p| Err(panicked(p.as_ref()).into()))
                })
                .collect()
        })
    };
    let devices = runs
        .into_iter()
        .map(|run| Ok(DeviceOutcome { runs: vec![run?] }))
        .collect::<Result<_, RunError>>()?;
    Ok(Outcome { devices })
}

/// A reused buffer ends with the output that takes it.
pub(crate) fn aliased(program: &Program, outputs: &[Value]) -> Vec<(u32, Value)> {
    let aliases = &program.main().aliases;
    let mut out: Vec<(u32, Value)> = aliases
        .iter()
        .filter_map(|a| Some((a.parameter, outputs.get(a.output as usize)?.clone())))
        .collect();
    out.sort_by_key(|(parameter, _)| *parameter);
    out
}

/// A panic inside an engine is a fault of tileproof, told as an error.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let message = panic
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown".to_string());
    Error::internal(format!("an engine panicked: {message}"))
}
