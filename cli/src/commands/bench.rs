//! `tileproof bench`: what running and checking a program costs next to compiling and running it with XLA, in one run.

use super::native;
use crate::{exit, load, progress};
use clap::Args;
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{error::Error, export, planes::Planes, program::Program, tensor::Value};
use tileproof_lowering::{manager, pipeline};
use tileproof_runtime::{
    engine::{Engine, RunError},
    grid::Devices,
    inputs::all_with_ring,
    limits::Limits,
    native::kernel::{
        Generator,
        worker::{self, Worker},
    },
    xla::{self, Ended, Form, Request, Xla},
};
use tileproof_verifier::{
    inputs::{self, Class},
    validate,
};

#[derive(Args)]
pub struct Bench {
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// Arguments as .npy files, in argument order; without it they are generated
    #[arg(long, value_delimiter = ',', value_name = "A.npy,B.npy")]
    inputs: Option<Vec<PathBuf>>,
    /// Seed of generated inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs of each engine; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Leave out `check`
    #[arg(long)]
    no_check: bool,
    /// Leave out native code of the kernels
    #[arg(long)]
    no_native: bool,
    #[command(flatten)]
    worker: super::xla::Worker,
    /// Print the times as JSON
    #[arg(long)]
    json: bool,
}

/// Times of one program.
struct Times {
    /// Compilation and one run; none: why not.
    xla: Result<(Duration, Duration), String>,
    ieee: Duration,
    both: Duration,
    check: Option<Duration>,
    /// The program with its kernels as native code; none where it was left out.
    native: Option<Result<OfNative, String>>,
}

/// A program with its kernels as native code, the rest on the reference.
struct OfNative {
    compilation: Duration,
    run: Duration,
    /// Kernels, and those of them without code, which the simulator runs.
    kernels: usize,
    without: Vec<String>,
}

impl Bench {
    pub fn run(self) -> Result<u8, Error> {
        let xla = Xla::new(self.worker.config());
        if self.worker.is_named() {
            xla.versions()?;
        }
        let mut all = vec![];
        for path in &self.programs {
            let times = self.time(path, &xla)?;
            if !self.json {
                exit::print(&format!("{}\n{}", path.display(), text(&times)))?;
            }
            all.push(record(path, &times));
        }
        if self.json {
            exit::print(&format!("{:#}\n", json!({ "programs": all })))?;
        }
        Ok(0)
    }

    fn time(&self, path: &Path, xla: &Xla) -> Result<Times, Error> {
        let program = load::program(path)?;
        let arguments = match &self.inputs {
            Some(paths) => load::arguments(&program, paths)?,
            None => vec![inputs::generate(&program, Class::Normal, self.seed)?],
        };
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let xla = self.xla(xla, &program, &arguments)?;
        let ieee = self.reference(&program, Planes::IeeeOnly, &arguments, &limits)?;
        let with_ring: Vec<Vec<Value>> = arguments
            .iter()
            .map(|device| all_with_ring(device, self.seed))
            .collect();
        let both = self.reference(&program, Planes::IeeeAndRing, &with_ring, &limits)?;
        let native = match self.no_native {
            true => None,
            false => Some(self.native(&program, &arguments)),
        };
        let check = if self.no_check {
            None
        } else {
            Some(self.check(program, arguments, limits)?)
        };
        Ok(Times {
            xla,
            ieee,
            both,
            check,
            native,
        })
    }

    /// Median run and compilation on XLA; a program XLA does not run, or no XLA, is told.
    fn xla(
        &self,
        xla: &Xla,
        program: &Program,
        arguments: &[Vec<Value>],
    ) -> Result<Result<(Duration, Duration), String>, Error> {
        let text = match export::stablehlo::print(program) {
            Ok(text) => text,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let tensors: Result<Vec<_>, Error> = arguments.iter().map(|d| xla::tensors(d)).collect();
        let (arguments, results) = match (tensors, xla::tensor_types(&program.main().results)) {
            (Ok(arguments), Ok(results)) => (arguments, results),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error.to_string())),
        };
        let request = Request {
            form: Form::StableHlo,
            text: &text,
            options: &[],
            replicas: u64::from(program.num_replicas),
            partitions: u64::from(program.num_partitions),
            arguments: &arguments,
            results: &results,
            // The first run warms up.
            runs: self.runs + 1,
        };
        Ok(match xla.timed(&request) {
            Ok((Ended::Returned(_), times)) => {
                let warm = times.runs.get(1..).unwrap_or_default();
                Ok((times.compile, median(warm.to_vec())))
            }
            Ok((Ended::Failed(failure), _)) => Err(failure.to_string()),
            Err(error) => Err(error.to_string()),
        })
    }

    fn reference(
        &self,
        program: &Program,
        planes: Planes,
        arguments: &[Vec<Value>],
        limits: &Limits,
    ) -> Result<Duration, Error> {
        let devices = Devices {
            replicas: u64::from(program.num_replicas),
            partitions: u64::from(program.num_partitions),
        };
        let mut times = vec![];
        for _ in 0..self.runs {
            let start = Instant::now();
            match Engine::Reference.run(program, planes, &devices, arguments, limits) {
                Ok(_) => times.push(start.elapsed()),
                Err(RunError::Failed(error)) => return Err(error),
                Err(RunError::Cancelled) => return Err(Error::unsupported("a cancelled run")),
            }
        }
        Ok(median(times))
    }

    /// Median run with kernels by LLVM, in a child process.
    fn native(&self, program: &Program, arguments: &[Vec<Value>]) -> Result<OfNative, String> {
        let [arguments] = arguments else {
            return Err("a grid of several processes".to_string());
        };
        let said = |e: Error| e.to_string();
        let lowered = native::lowered(program).map_err(said)?;
        let child = native::child().map_err(said)?;
        let mut worker = Worker::of_whole(&child, &lowered, native::LIMIT * 2).map_err(said)?;
        let tensors = xla::tensors(arguments).map_err(said)?;
        // The first run warms up.
        let ended = worker.run_whole(Generator::Llvm, &tensors, self.runs + 1);
        match ended.map_err(|e| e.to_string())? {
            worker::Ended::Returned {
                time,
                compilation,
                functions,
                ..
            } => Ok(OfNative {
                compilation,
                run: time,
                kernels: lowered.kernels.len(),
                without: functions,
            }),
            worker::Ended::Unsupported(why)
            | worker::Ended::Failed(why)
            | worker::Ended::Fault(why)
            | worker::Ended::Crashed(why) => Err(why),
            worker::Ended::Hung(seconds) => Err(format!("no end in {seconds} s")),
        }
    }

    /// All passes and their validation at level quick, once.
    fn check(
        &self,
        program: Program,
        arguments: Vec<Vec<Value>>,
        limits: Limits,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        let steps = manager::run(
            &program,
            &pipeline::pipeline(),
            &manager::Options::default(),
        )?;
        let steps: Vec<validate::Step> = steps.into_iter().map(super::check::step).collect();
        let options = validate::Options {
            level: validate::Level::Quick,
            seed: self.seed,
            given: self.inputs.as_ref().map(|_| arguments.concat()),
            known: None,
            limits,
            progress: None,
            target: tileproof_lowering::target::DEFAULT,
        };
        validate::pipeline(&Arc::new(program), &steps, &options)?;
        Ok(start.elapsed())
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// `a` over `b`; none where b is too short to be timed.
fn ratio(a: Duration, b: Duration) -> Option<f64> {
    (b > Duration::ZERO).then(|| a.as_secs_f64() / b.as_secs_f64())
}

fn text(times: &Times) -> String {
    let mut out = String::new();
    let run = times.xla.as_ref().ok().map(|(_, run)| *run);
    let total = times
        .xla
        .as_ref()
        .ok()
        .map(|(compile, run)| *compile + *run);
    let line = |what: &str, time: Duration, against: Option<Duration>, of: &str| {
        let said = against.and_then(|b| ratio(time, b));
        let said = said.map_or(String::new(), |r| format!("  {r:.2}x {of}"));
        format!("  {what:<28} {:>12.3} ms{said}\n", ms(time))
    };
    match &times.xla {
        Ok((compile, run)) => {
            out += &line("XLA compile", *compile, None, "");
            out += &line("XLA run", *run, None, "");
        }
        Err(why) => out += &line(&format!("XLA not timed: {why}"), Duration::ZERO, None, ""),
    }
    match &times.native {
        Some(Ok(native)) => {
            out += &line("native code, LLVM", native.run, run, "XLA run");
            out += &line("native code, compilation", native.compilation, None, "");
            out += &format!(
                "  {} kernels by native code, {} by the simulator, the rest on the reference\n",
                native.kernels - native.without.len().min(native.kernels),
                native.without.len()
            );
        }
        Some(Err(why)) => out += &format!("  native code not timed: {why}\n"),
        None => {}
    }
    out += &line("reference, IEEE", times.ieee, run, "XLA run");
    out += &line("reference, IEEE and ring", times.both, run, "XLA run");
    if let Some(check) = times.check {
        out += &line("check quick", check, total, "XLA compile + run");
    }
    out
}

fn record(path: &Path, times: &Times) -> serde_json::Value {
    let run = times.xla.as_ref().ok().map(|(_, run)| *run);
    let total = times
        .xla
        .as_ref()
        .ok()
        .map(|(compile, run)| *compile + *run);
    let against = |time: Duration, b: Option<Duration>| b.and_then(|b| ratio(time, b));
    json!({
        "program": path.display().to_string(),
        "xla_compile_ms": times.xla.as_ref().ok().map(|(compile, _)| ms(*compile)),
        "xla_run_ms": run.map(ms),
        "xla_error": times.xla.as_ref().err(),
        "reference_ieee_ms": ms(times.ieee),
        "reference_ieee_ratio": against(times.ieee, run),
        "reference_both_ms": ms(times.both),
        "reference_both_ratio": against(times.both, run),
        "native": times.native.as_ref().map(|native| match native {
            Ok(native) => json!({
                "run_ms": ms(native.run),
                "run_ratio": against(native.run, run),
                "compilation_ms": ms(native.compilation),
                "kernels": native.kernels,
                "without_code": native.without,
            }),
            Err(why) => json!({"error": why}),
        }),
        "check_quick_ms": times.check.map(ms),
        "check_quick_ratio": times.check.and_then(|c| against(c, total)),
    })
}
