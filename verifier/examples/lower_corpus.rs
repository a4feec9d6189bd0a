//! Lowers programs to kernels and runs each kernel on the operands that its ops had: reference at S2 against simulator at S3, both planes; with `--to s4`
//! or `--to s5` the simulator at that stage, and each kernel's hazards and addresses beside it.
//!
//! `cargo run --release --example lower_corpus -- [--to STAGE] [--block-bytes N] [--seed N] [--all] PATH..`: programs, or folders with a `program.mlir`. A line a kernel
//! that differs: residues (any is a fault), bits (a fault under BitExact), the largest distance over the largest value; then a line a program. Ends with 1
//! where something differs.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    import,
    numerics::Contract,
    op::Op,
    planes::Planes,
    program::{OpId, Program, RegionId, ValueId},
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{Kernel, MemorySpace, Role},
};
use tileproof_lowering::{manager, pipeline, target};
use tileproof_runtime::{
    inputs::all_with_ring,
    limits::Limits,
    reference::{Interpreter, Observer},
    simulator::{self, Depth, Plan},
};
use tileproof_verifier::{checkers::vmem, compare::bits, inputs};

struct Arguments {
    options: String,
    to: Stage,
    seed: u64,
    all: bool,
    paths: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(512 << 20).spawn(run);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false) | Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> bool {
    let mut given = Arguments {
        options: String::new(),
        to: Stage::S3,
        seed: 1,
        all: false,
        paths: vec![],
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--block-bytes" => {
                given.options = format!("(block-bytes={})", words.next().unwrap_or_default());
            }
            "--to" => {
                given.to = match words.next().as_deref() {
                    Some("s4") => Stage::S4,
                    Some("s5") => Stage::S5,
                    Some(_) | None => Stage::S3,
                };
            }
            "--seed" => given.seed = words.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--all" => given.all = true,
            path => given.paths.push(path.into()),
        }
    }
    let mut good = true;
    for path in &given.paths {
        match program(path, &given) {
            Ok(line) => {
                good &= line.1;
                println!("{}: {}", path.display(), line.0);
            }
            Err(error) => {
                good = false;
                println!("{}: {error}", path.display());
            }
        }
    }
    good
}

fn program(path: &Path, given: &Arguments) -> Result<(String, bool), Error> {
    let file = if path.is_dir() {
        path.join("program.mlir")
    } else {
        path.to_path_buf()
    };
    let text = std::fs::read_to_string(&file)
        .map_err(|e| Error::invalid(e.to_string(), Default::default()))?;
    let name = file.display().to_string();
    let source = match import::detect(text.as_bytes(), &name) {
        import::Form::OwnText => tileproof_dialect::mlir::text::parse(&text, &name)?,
        import::Form::HloText => import::hlo_text::parse(&text, &name)?,
        import::Form::StableHlo | import::Form::HloProto => import::stablehlo::parse(&text, &name)?,
    };
    let mut steps = manager::run(&source, &pipeline::pipeline(), &manager::Options::default())?;
    let before = steps
        .pop()
        .map_or_else(|| source.clone(), |s| (*s.program).clone());
    let (_, settings) = pipeline::with_settings(&format!("hlo-to-tpu{}", given.options))?;
    let passes: Vec<_> = pipeline::passes()
        .into_iter()
        .filter(|p| p.output > Stage::S2 && p.output <= given.to)
        .collect();
    let options = manager::Options {
        settings,
        ..Default::default()
    };
    let start = Instant::now();
    let steps = manager::run(&before, &passes, &options)?;
    let lowering = start.elapsed();
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for l in steps.iter().flat_map(|s| &s.left) {
        *left.entry(format!("{}: {}", l.op, l.reason)).or_insert(0) += 1;
    }
    let step = steps.last().ok_or_else(|| Error::internal("no pass ran"))?;
    let after = &step.program;
    let arguments = inputs::generate(&before, inputs::Class::Normal, given.seed)?;
    let arguments = all_with_ring(&arguments, given.seed);
    let limits = Limits::default();
    let mut judge = Judge {
        pairs: pairs(&before, after),
        before: &before,
        after,
        simulator: Interpreter::new(after, Planes::IeeeAndRing, &limits),
        exact: steps
            .iter()
            .flat_map(|s| &s.applied)
            // Behind S3 a kernel names its last pass, which may be bit-exact when the first was not.
            .filter(|a| given.to == Stage::S3 && a.numerics.contract == Contract::BitExact)
            .map(|a| a.number)
            .collect(),
        all: given.all,
        seen: 0,
        differing: 0,
        failed: 0,
        steps: 0,
        time: Duration::ZERO,
    };
    let count = judge.pairs.len();
    let reference = Interpreter::new(&before, Planes::IeeeAndRing, &limits);
    let start = Instant::now();
    let ran = reference.run_observed(arguments, &mut Events::default(), &mut judge);
    let total = start.elapsed();
    let trapped = match ran {
        Ok(_) => "",
        Err(Stop::Trap(_)) => ", trapped",
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Cancelled) => ", cancelled",
    };
    let line = format!(
        "{} kernels ({} run, {} grid steps), {} differ, {} do not run, {} ops left{trapped}; lowered in {:.1?}, simulated in {:.1?}, reference {:.1?}",
        count,
        judge.seen,
        judge.steps,
        judge.differing,
        judge.failed,
        left.values().sum::<usize>(),
        lowering,
        judge.time,
        total - judge.time,
    );
    let stages = [Stage::S3, Stage::S4, Stage::S5].map(|stage| {
        let count = after.kernels.iter().filter(|k| k.stage == stage).count();
        format!("{count} at {stage}")
    });
    let ops = after.kernels.iter().map(|k| k.types.len());
    let line = format!(
        "{line}; {}; {} values, at most {}",
        stages.join(", "),
        ops.clone().sum::<usize>(),
        ops.max().unwrap_or(0)
    );
    for (what, count) in &left {
        println!("  left: {count} x {what}");
    }
    Ok((line, judge.differing == 0 && judge.failed == 0))
}

/// A kernel call, and where its operands stand among those of the op it replaces.
struct Pair {
    call: OpId,
    operands: Vec<usize>,
}

fn pairs(before: &Program, after: &Program) -> HashMap<OpId, Pair> {
    let mut out = HashMap::new();
    for (f, g) in before.functions.iter().zip(&after.functions) {
        walk(before, f.body, after, g.body, &mut HashMap::new(), &mut out);
    }
    out
}

fn walk(
    before: &Program,
    a: RegionId,
    after: &Program,
    b: RegionId,
    names: &mut HashMap<ValueId, ValueId>,
    out: &mut HashMap<OpId, Pair>,
) {
    let (ra, rb) = (before.region(a), after.region(b));
    names.extend(
        rb.arguments
            .iter()
            .copied()
            .zip(ra.arguments.iter().copied()),
    );
    for (x, y) in ra.ops.iter().zip(&rb.ops) {
        let (o, n) = (before.op(*x), after.op(*y));
        names.extend(n.results.iter().copied().zip(o.results.iter().copied()));
        if n.op.kernel().is_some() && o.op.kernel().is_none() {
            let place = |v: &ValueId| {
                let old = names.get(v).copied();
                o.operands.iter().position(|w| Some(*w) == old)
            };
            if let Some(operands) = n.operands.iter().map(place).collect() {
                out.insert(*x, Pair { call: *y, operands });
            }
            continue;
        }
        for (ia, ib) in o.regions.iter().zip(&n.regions) {
            walk(before, *ia, after, *ib, names, out);
        }
    }
}

struct Judge<'p> {
    pairs: HashMap<OpId, Pair>,
    before: &'p Program,
    after: &'p Program,
    simulator: Interpreter<'p>,
    /// Numbers of applications that are BitExact.
    exact: Vec<u32>,
    /// Kernels in loops at every turn.
    all: bool,
    seen: u64,
    differing: u64,
    failed: u64,
    steps: u64,
    time: Duration,
}

impl Observer for Judge<'_> {
    fn observe(&mut self, op: OpId, operands: &[Value], results: &[Value]) {
        let Some(pair) = self.pairs.get(&op) else {
            return;
        };
        let (call, places) = (pair.call, pair.operands.clone());
        let start = Instant::now();
        let taken: Vec<Value> = places.iter().map(|i| operands[*i].clone()).collect();
        let mut events = Events::default();
        let got = self.simulator.eval_op(call, &taken, &|_| None, &mut events);
        self.time += start.elapsed();
        self.seen += 1;
        let Op::Hlo(what) = &self.before.op(op).op;
        let kernel = self
            .after
            .op(call)
            .op
            .kernel()
            .and_then(|name| self.after.kernel(name));
        let (name, steps) = kernel.map_or(("?", 0), |k| (k.name.as_str(), k.steps()));
        self.steps += steps;
        if start.elapsed() > Duration::from_secs(2) {
            println!(
                "  {name} ({}): {steps} steps took {:.1?}",
                what.name(),
                start.elapsed()
            );
        }
        for hazard in &events.hazards {
            println!("  {name} ({}): {hazard:?}", what.name());
        }
        let mut is_wrong = !events.hazards.is_empty();
        if let Some(kernel) = kernel.filter(|k| k.stage > Stage::S3) {
            for what in faults(kernel, &taken) {
                is_wrong = true;
                println!("  {name}: {what}");
            }
        }
        let got = match got {
            Ok(got) => got,
            Err(stop) => {
                self.failed += 1;
                println!("  {name} ({}): {stop:?}", what.name());
                return;
            }
        };
        let number = kernel.and_then(|k| {
            let id = k.location.rewrite.as_ref()?;
            id.rsplit_once('#')?.1.parse::<u32>().ok()
        });
        let is_exact = number.is_some_and(|n| self.exact.contains(&n));
        for (i, (want, got)) in results.iter().zip(&got).enumerate() {
            let (Some(want), Some(got)) = (want.as_tensor(), got.as_tensor()) else {
                continue;
            };
            let ring = bits::differing_ring(want, got).len();
            let ieee = bits::differing_ieee(want, got).len();
            let (w, g) = (want.to_f64s(), got.to_f64s());
            let scale = w
                .iter()
                .filter(|x| x.is_finite())
                .fold(0.0f64, |m, x| m.max(x.abs()));
            let off = w.iter().zip(g.iter()).fold(0.0f64, |m, (x, y)| {
                if x == y || (x.is_nan() && y.is_nan()) {
                    m
                } else {
                    m.max((x - y).abs())
                }
            });
            let far = off.is_nan() || off > 1e-2 * scale;
            if ring > 0 || far || (is_exact && ieee > 0) {
                is_wrong = true;
                println!(
                    "  {name} ({}) result {i} {}: {ring} residues and {ieee} elements of {} differ, by at most {off:e} of {scale:e}",
                    what.name(),
                    want.ty(),
                    want.len()
                );
            }
        }
        self.differing += u64::from(is_wrong);
        if !self.all {
            self.pairs.remove(&op);
        }
    }
}

/// Hazards of a kernel on these operands, and what is wrong with its addresses.
fn faults(kernel: &Arc<Kernel>, given: &[Value]) -> Vec<String> {
    let target = target::DEFAULT;
    let mut out: Vec<String> = vmem::check(kernel, target)
        .iter()
        .map(|f| format!("{f:?}"))
        .collect();
    let inputs = kernel
        .operands
        .iter()
        .filter(|o| matches!(o.role, Role::Prefetch | Role::Input));
    let arguments: Vec<Tensor> = inputs
        .zip(given)
        .filter_map(|(o, v)| Some(v.as_tensor()?.reshaped(&o.buffer.static_dims()?)))
        .collect();
    let capacities = [
        (MemorySpace::Vmem, target.vmem_bytes),
        (MemorySpace::Smem, target.smem_bytes),
    ];
    let limits = Limits::default();
    let found = Plan::new(kernel, Planes::IeeeOnly).and_then(|plan| {
        simulator::hazards(&plan, &arguments, Depth::Quick, 1, &capacities, &limits)
    });
    match found {
        Ok(found) => out.extend(found.iter().map(|h| format!("{h:?}"))),
        Err(stop) => out.push(format!("{stop:?}")),
    }
    out
}
