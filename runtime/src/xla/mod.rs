//! XLA as a black box: a worker process with the user's JAX compiles and runs programs. A crash, a hang or running out of memory of the worker is a
//! value, not an error; the worker is started again for the next program.
//!
//! Reading order: [`Request`] and [`Ended`], [`python`] (which Python), [`worker`] (the process), [`protocol`] (its frames).

mod protocol;
pub mod python;
mod worker;

use crate::{
    engine::{DeviceOutcome, End, Outcome, Run, aliased},
    grid::Devices,
};
use serde_json::Value as Json;
use std::{path::PathBuf, sync::Mutex, time::Duration};
use tileproof_dialect::{
    error::Error,
    eval::Events,
    export,
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
    types::{TensorType, Type},
};

/// How often an executable runs, so that results that change from run to run are seen.
pub const RUNS: u32 = 3;

/// How a worker is started. XLA reads its flags once a process, so another set of flags is another worker.
#[derive(Debug, Clone)]
pub struct Config {
    /// Interpreter with JAX; none: see [`python::find`].
    pub python: Option<PathBuf>,
    /// Flags of XLA (`--xla_..`), added to those in `XLA_FLAGS`.
    pub flags: Vec<String>,
    /// Longest time for one program, compilation included.
    pub timeout: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            python: None,
            flags: vec![],
            timeout: Duration::from_secs(120),
        }
    }
}

/// What the text of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A StableHLO module, compiled from the start.
    StableHlo,
    /// HLO text, compiled from the start.
    Hlo,
    /// HLO text of a scheduled module, given to the code generator as it is. Arguments and results are in the memory order of their layouts: dimensions
    /// from major to minor.
    OptimizedHlo,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Form::StableHlo => "stablehlo",
            Form::Hlo => "hlo",
            Form::OptimizedHlo => "optimized_hlo",
        }
    }
}

/// One program to compile and run.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub form: Form,
    pub text: &'a str,
    /// Debug options of this compilation, by flag without `--`: `xla_disable_hlo_passes`.
    pub options: &'a [(String, Json)],
    pub replicas: u64,
    pub partitions: u64,
    /// One list of arguments per device, or one for all.
    pub arguments: &'a [Vec<Tensor>],
    pub results: &'a [TensorType],
    /// How often the executable runs; results that differ between runs show nondeterminism.
    pub runs: u32,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Results per run and device.
    Returned(Vec<Vec<Vec<Tensor>>>),
    Failed(Failure),
}

/// What a request took inside the worker.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Times {
    /// Zero for a program compiled before.
    pub compile: Duration,
    /// Each run, from arguments on the device to results on the device.
    pub runs: Vec<Duration>,
}

/// A failure of XLA on a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("XLA does not compile the program: {0}")]
    Compile(String),
    #[error("the compiled program reports an error: {0}")]
    Run(String),
    #[error("XLA runs out of memory: {0}")]
    OutOfMemory(String),
    #[error("XLA crashes with {0}")]
    Crashed(String),
    #[error("XLA does not end within {0} s")]
    Hung(u64),
}

impl Failure {
    /// One word for reports and signatures.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Compile(_) => "compile-error",
            Failure::Run(_) => "run-error",
            Failure::OutOfMemory(_) => "out-of-memory",
            Failure::Crashed(_) => "crash",
            Failure::Hung(_) => "hang",
        }
    }
}

/// XLA with one configuration. One program at a time; the process stays warm between programs.
#[derive(Debug)]
pub struct Xla {
    config: Config,
    worker: Mutex<Option<Started>>,
}

/// A worker and the number of host devices it was started with, which XLA reads once.
#[derive(Debug)]
struct Started {
    worker: worker::Worker,
    devices: u64,
}

/// Versions of a started worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    pub jax: String,
    pub jaxlib: String,
    pub platform: String,
    /// The interpreter.
    pub python: PathBuf,
}

impl Xla {
    /// Nothing is started before the first request.
    pub fn new(config: Config) -> Xla {
        Xla {
            config,
            worker: Mutex::new(None),
        }
    }

    /// Starts the worker if need be and says what it runs. `Err`: no Python with JAX.
    pub fn versions(&self) -> Result<Versions, Error> {
        self.with_worker(1, |worker| Ok(worker.versions.clone()))
    }

    /// Compiles and runs one program. `Err` only for what this build or platform cannot do and for a worker that cannot be started.
    pub fn run(&self, request: &Request<'_>) -> Result<Ended, Error> {
        self.timed(request).map(|(ended, _)| ended)
    }

    /// [`Xla::run`] with the times the worker took.
    pub fn timed(&self, request: &Request<'_>) -> Result<(Ended, Times), Error> {
        let header = protocol::header(request);
        let payload = protocol::payload(request);
        let mut failed = None;
        let devices = request.replicas.saturating_mul(request.partitions);
        let answer = self.with_worker(devices, |worker| {
            let answer = worker.exchange(&header, &payload, self.config.timeout);
            Ok(answer.inspect_err(|f| failed = Some(f.clone())))
        })?;
        if failed.is_some() {
            // The process is gone or unusable: a new one for the next program.
            *self.lock() = None;
        }
        match answer {
            Err(failure) => Ok((Ended::Failed(failure), Times::default())),
            Ok(frame) => {
                let seconds =
                    |v: &Json| Duration::from_secs_f64(v.as_f64().unwrap_or(0.0).max(0.0));
                let runs = frame.header["run_seconds"].as_array();
                let times = Times {
                    compile: seconds(&frame.header["compile_seconds"]),
                    runs: runs.into_iter().flatten().map(seconds).collect(),
                };
                protocol::ended(&frame, request).map(|ended| (ended, times))
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Started>> {
        // A panic elsewhere leaves a worker that is still whole or gone.
        self.worker
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A worker with at least so many devices, where the platform has devices for the asking (the host).
    fn with_worker<T>(
        &self,
        devices: u64,
        f: impl FnOnce(&mut worker::Worker) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut slot = self.lock();
        let started = match slot.take().filter(|s| s.devices >= devices) {
            Some(started) => started,
            None => Started {
                worker: python::start(&self.config, devices)?,
                devices,
            },
        };
        f(&mut slot.insert(started).worker)
    }
}

/// Runs a program as StableHLO text, or as HLO text where it has ops that StableHLO lacks.
pub(crate) fn run(
    xla: &Xla,
    program: &Program,
    planes: Planes,
    devices: &Devices,
    inputs: &[Vec<Value>],
) -> Result<Outcome, Error> {
    if planes == Planes::IeeeAndRing {
        return Err(Error::unsupported("the ring plane on engine xla"));
    }
    let (form, text) = match export::stablehlo::print(program) {
        Ok(text) => (Form::StableHlo, text),
        Err(Error::Unsupported { .. }) => (Form::Hlo, export::hlo_text::print(program)?),
        Err(other) => return Err(other),
    };
    let arguments: Vec<Vec<Tensor>> = inputs
        .iter()
        .map(|device| tensors(device))
        .collect::<Result<_, _>>()?;
    let ended = xla.run(&Request {
        form,
        text: &text,
        options: &[],
        replicas: devices.replicas,
        partitions: devices.partitions,
        arguments: &arguments,
        results: &tensor_types(&program.main().results)?,
        runs: RUNS,
    })?;
    Ok(outcome(program, devices, ended))
}

/// What a request gave, by device.
fn outcome(program: &Program, devices: &Devices, ended: Ended) -> Outcome {
    let count = devices.count().unwrap_or(1);
    let run = |end: End| Run {
        end,
        events: Events::default(),
    };
    let of_device = |d: usize| match &ended {
        Ended::Failed(failure) => vec![run(End::Failed(failure.clone()))],
        Ended::Returned(runs) => runs
            .iter()
            .filter_map(|devices| devices.get(d))
            .map(|results| {
                let outputs: Vec<Value> = results.iter().cloned().map(Value::from).collect();
                run(End::Returned {
                    aliased: aliased(program, &outputs),
                    outputs,
                })
            })
            .collect(),
    };
    Outcome {
        devices: (0..count)
            .map(|d| DeviceOutcome { runs: of_device(d) })
            .collect(),
    }
}

/// Arguments as tensors: XLA takes no token or tuple from outside.
pub fn tensors(values: &[Value]) -> Result<Vec<Tensor>, Error> {
    let tensor = |v: &Value| {
        let t = v.as_tensor().cloned();
        t.ok_or_else(|| Error::unsupported(format!("an argument of type {} on engine xla", v.ty())))
    };
    values.iter().map(tensor).collect()
}

/// Result types as tensor types.
pub fn tensor_types(types: &[Type]) -> Result<Vec<TensorType>, Error> {
    let tensor = |t: &Type| {
        let tensor = t.as_tensor().map(|t| (**t).clone());
        tensor.ok_or_else(|| Error::unsupported(format!("a result of type {t} on engine xla")))
    };
    types.iter().map(tensor).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A stand-in for Python: says that it is ready, reads the length of one request, and goes on with `then`.
    fn worker(name: &str, then: &str) -> (PathBuf, Xla) {
        let ready = r#"{"outcome": "ready", "jax": "1", "jaxlib": "2", "platform": "cpu"}"#;
        let script = format!(
            "#!/bin/sh\nprintf '\\{:03o}\\0\\0\\0%s' '{ready}'\nhead -c 4 >/dev/null\n{then}\n",
            ready.len()
        );
        let path = std::env::temp_dir().join(format!("tileproof-{}-{name}", std::process::id()));
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let xla = Xla::new(Config {
            python: Some(path.clone()),
            timeout: Duration::from_secs(2),
            ..Config::default()
        });
        (path, xla)
    }

    fn run(xla: &Xla) -> Ended {
        let request = Request {
            form: Form::StableHlo,
            text: "",
            options: &[],
            replicas: 1,
            partitions: 1,
            arguments: &[],
            results: &[],
            runs: 1,
        };
        xla.run(&request).unwrap()
    }

    #[test]
    fn a_crash_a_kill_and_a_hang_are_outcomes_and_the_worker_is_started_again() {
        let cases = [
            (
                "abort",
                "echo why >&2; kill -ABRT $$",
                "crash",
                "SIGABRT: why",
            ),
            ("segv", "kill -SEGV $$", "crash", "SIGSEGV"),
            ("kill", "kill -KILL $$", "out-of-memory", "SIGKILL"),
            ("hang", "sleep 60", "hang", "2 s"),
        ];
        for (name, then, kind, words) in cases {
            let (path, xla) = worker(name, then);
            for _ in 0..2 {
                let Ended::Failed(failure) = run(&xla) else {
                    panic!("{name} returned");
                };
                assert_eq!(failure.name(), kind);
                assert!(failure.to_string().contains(words), "{failure}");
            }
            assert_eq!(xla.versions().unwrap().jaxlib, "2");
            std::fs::remove_file(path).unwrap();
        }
    }
}
