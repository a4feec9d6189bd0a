//! Measures the reference engine on StableHLO's own test programs: `cargo run --release --example conformance -- FOLDER [--failures]`.
//!
//! Every public function without arguments is run (`main` alone where there is one), its checks are judged: `expect_eq` exactly (-0 is 0, NaN is not
//! NaN), `expect_close` by units in the last place (3 for calls, 1 for the op), `expect_almost_eq` by an absolute tolerance (1e-3 for calls, 1e-4 for the op), `eq` by 1e-4.
//! `interpreter.run_parallel` runs its functions on a grid of processes. Prints passes per op and per file.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::Mutex,
};
use tileproof_dialect::{
    attribute::{Attribute, Attributes},
    eval::{Events, Stop},
    hlo,
    import::stablehlo,
    op::Op,
    planes::Planes,
    program::{FunctionId, OpId, Operation, Program, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    grid::{Devices, Rendezvous},
    limits::Limits,
    reference::Interpreter,
};

fn main() {
    let (flags, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let mut files = vec![];
    folders
        .iter()
        .for_each(|f| collect(Path::new(f), &mut files));
    if files.is_empty() {
        eprintln!("usage: conformance FOLDER.. [--failures]");
        std::process::exit(3);
    }
    let mut by_op: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut by_folder: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut programs = [0u64; 2];
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else {
            println!("{}: cannot be read", path.display());
            continue;
        };
        if text
            .lines()
            .next()
            .is_some_and(|l| l.contains("RUN-DISABLED"))
        {
            continue;
        }
        let mut tested = BTreeSet::new();
        let mut failures = vec![];
        for module in stablehlo::parse_modules(&text, &path.display().to_string()) {
            programs[1] += 1;
            let failed = match module {
                Ok(program) => {
                    tested.extend(ops(&program));
                    check(&program).err()
                }
                Err(error) => Some(error.to_string()),
            };
            match failed {
                Some(failure) => failures.push(failure),
                None => programs[0] += 1,
            }
        }
        let passed = u64::from(failures.is_empty());
        let folder = path
            .parent()
            .map_or(String::new(), |p| p.display().to_string());
        for op in tested {
            count(by_op.entry(op).or_default(), passed);
        }
        count(by_folder.entry(folder).or_default(), passed);
        for failure in &failures {
            println!("FAIL {}: {failure}", path.display());
        }
    }
    if flags.iter().all(|f| f != "--failures") {
        by_op
            .iter()
            .for_each(|(op, [passed, all])| println!("{op:32} {passed:5} of {all:5}"));
    }
    by_folder
        .iter()
        .for_each(|(f, [passed, all])| println!("{f}: {passed} of {all} files"));
    println!("{} of {} modules", programs[0], programs[1]);
}

fn count(counts: &mut [u64; 2], passed: u64) {
    counts[0] += passed;
    counts[1] += 1;
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        all.sort();
        all.iter().for_each(|p| collect(p, out));
    } else if path.extension().is_some_and(|e| e == "mlir") {
        out.push(path.to_path_buf());
    }
}

/// Names of the ops a module is about.
fn ops(program: &Program) -> BTreeSet<String> {
    let names = program.op_ids().map(|id| program.op(id).op.name());
    let plain = ["hlo.call", "hlo.constant", "hlo.custom_call", "hlo.return"];
    names.filter(|n| !plain.contains(&n.as_str())).collect()
}

/// Runs every test of a module.
fn check(program: &Program) -> Result<(), String> {
    let without_arguments = |id: &FunctionId| {
        let function = program.function(*id);
        program.region(function.body).arguments.is_empty() && !function.is_private
    };
    let all = (0..program.functions.len() as u32).map(FunctionId);
    let tests: Vec<FunctionId> = match program.find_function("main") {
        Some(main) => vec![main],
        None => all.filter(without_arguments).collect(),
    };
    let limits = Limits::default();
    for id in tests {
        let test = Test {
            program,
            limits: &limits,
            values: HashMap::new(),
            probes: HashMap::new(),
        };
        let name = &program.function(id).name;
        test.run(id).map_err(|e| format!("@{name}: {e}"))?;
    }
    Ok(())
}

/// One function under test, run op by op so that its checks can be seen.
struct Test<'p> {
    program: &'p Program,
    limits: &'p Limits,
    values: HashMap<ValueId, Value>,
    /// What each probe saw, iteration by iteration.
    probes: HashMap<String, Vec<Value>>,
}

impl Test<'_> {
    fn run(mut self, function: FunctionId) -> Result<(), String> {
        let interpreter = Interpreter::new(self.program, Planes::IeeeOnly, self.limits);
        let body = self.program.function(function).body;
        for id in &self.program.region(body).ops {
            let operation = self.program.op(*id);
            if operation.op.is_return() {
                break;
            }
            let operands = self.operands(operation)?;
            let target = match &operation.op {
                Op::Hlo(hlo::Op::CustomCall(call)) => call.call_target_name.as_str(),
                Op::Hlo(_) => "",
            };
            let results = if target == "interpreter.run_parallel" {
                self.parallel(operation, operands)?
            } else if target.starts_with("check.") {
                self.judge(target, operation, &operands)?
            } else {
                self.evaluate(&interpreter, *id, &operands)?
            };
            self.values
                .extend(operation.results.iter().copied().zip(results));
        }
        Ok(())
    }

    fn operands(&self, operation: &Operation) -> Result<Vec<Value>, String> {
        let each = operation
            .operands
            .iter()
            .map(|v| self.values.get(v).cloned());
        each.collect::<Option<_>>()
            .ok_or("an operand has no value".to_string())
    }

    fn evaluate(
        &mut self,
        interpreter: &Interpreter<'_>,
        id: OpId,
        operands: &[Value],
    ) -> Result<Vec<Value>, String> {
        let mut events = Events::default();
        let captured = |v: ValueId| self.values.get(&v).cloned();
        let results = interpreter
            .eval_op(id, operands, &captured, &mut events)
            .map_err(|stop| words(&stop))?;
        let mut probes = vec![];
        self.probes_in(id, &mut probes);
        for effect in events.effects {
            if effect.kind == "interpreter.probe" {
                // Effects do not say which of several probes they are of.
                let [name] = &probes[..] else {
                    return Err(format!("an op with {} probes", probes.len()));
                };
                let seen = self.probes.entry(name.clone()).or_default();
                seen.extend(effect.values);
                continue;
            }
            if let (Some(name), [Value::Tensor(want), Value::Tensor(got)]) =
                (effect.kind.strip_prefix("check."), &effect.values[..])
            {
                agree(name, got, want, &Rule::of(name, true, &Attributes::new()))?;
            }
        }
        Ok(results)
    }

    /// Names of the probes that an op is or holds.
    fn probes_in(&self, id: OpId, out: &mut Vec<String>) {
        let operation = self.program.op(id);
        if let Op::Hlo(hlo::Op::CustomCall(call)) = &operation.op
            && call.call_target_name == "interpreter.probe"
        {
            out.extend(probe(operation));
        }
        for region in &operation.regions {
            for inner in &self.program.region(*region).ops {
                self.probes_in(*inner, out);
            }
        }
    }

    /// Judges a check of the function under test; `eq` gives its answer.
    fn judge(
        &self,
        target: &str,
        operation: &Operation,
        operands: &[Value],
    ) -> Result<Vec<Value>, String> {
        let name = target.trim_start_matches("check.");
        let Op::Hlo(hlo::Op::CustomCall(call)) = &operation.op else {
            return Err("no check".to_string());
        };
        let attributes = attributes(operation);
        let constant = match attributes.get("value") {
            Some(Attribute::Literal(literal)) => Some(Value::from(literal.to_tensor())),
            Some(_) | None => None,
        };
        let want = match name {
            "expect_serialized_eq" => {
                let iteration = match attributes.get("iter").or(attributes.get("iteration")) {
                    Some(Attribute::Int(n)) => usize::try_from(*n).unwrap_or(usize::MAX),
                    Some(_) | None => 0,
                };
                let seen = probe(operation).and_then(|p| self.probes.get(&p));
                seen.and_then(|all| all.get(iteration)).cloned()
            }
            _ => operands.get(1).cloned().or(constant),
        };
        let (Some(Value::Tensor(got)), Some(Value::Tensor(want))) = (operands.first(), want) else {
            return Err(format!("{target} without two tensors"));
        };
        let rule = Rule::of(name, call.has_side_effect, &attributes);
        agree(target, got, &want, &rule)?;
        Ok(operation
            .results
            .iter()
            .map(|_| {
                Tensor::from_i64s(&[], &tileproof_dialect::types::ElementType::I1, &[1]).into()
            })
            .collect())
    }

    /// `programs = [[@f, ..], ..]`: a function for each replica and partition; arguments and results of all of them one after another.
    fn parallel(&self, operation: &Operation, operands: Vec<Value>) -> Result<Vec<Value>, String> {
        let list = |a: &Attribute| match a {
            Attribute::Array(all) => Some(all.clone()),
            _ => None,
        };
        let rows: Vec<Vec<Attribute>> = attributes(operation)
            .get("programs")
            .and_then(list)
            .and_then(|rows| rows.iter().map(list).collect::<Option<_>>())
            .ok_or("run_parallel without programs")?;
        let devices = Devices {
            replicas: rows.len() as u64,
            partitions: rows.first().map_or(0, Vec::len) as u64,
        };
        let mut left = operands.into_iter();
        let mut runs = vec![];
        for name in rows.iter().flatten() {
            let Attribute::Symbol(name) = name else {
                return Err("run_parallel of no function".to_string());
            };
            let id = self
                .program
                .find_function(name)
                .ok_or_else(|| format!("no function @{name}"))?;
            let n = self
                .program
                .region(self.program.function(id).body)
                .arguments
                .len();
            runs.push((id, left.by_ref().take(n).collect::<Vec<Value>>()));
        }
        let rendezvous = Rendezvous::new(&devices);
        let infeed = Mutex::new(self.infeed(operation)?);
        let one = |flat: usize, id: FunctionId, arguments: Vec<Value>| {
            let result = Interpreter::new(self.program, Planes::IeeeOnly, self.limits)
                .with_process(devices.process(flat), &rendezvous)
                .with_infeed(&infeed)
                .run_function(id, arguments, &mut Events::default());
            rendezvous.leave();
            result
        };
        let results: Vec<Result<Vec<Value>, String>> = std::thread::scope(|scope| {
            let threads: Vec<_> = runs
                .into_iter()
                .enumerate()
                .map(|(flat, (id, arguments))| scope.spawn(move || one(flat, id, arguments)))
                .collect();
            threads
                .into_iter()
                .map(|t| match t.join() {
                    Ok(result) => result.map_err(|stop| words(&stop)),
                    Err(_) => Err("a process panicked".to_string()),
                })
                .collect()
        });
        Ok(results.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }
}

impl Test<'_> {
    /// `infeed = [@f, ..]`: what each function gives is one entry of the infeed.
    fn infeed(&self, operation: &Operation) -> Result<VecDeque<Vec<Value>>, String> {
        let Some(Attribute::Array(names)) = attributes(operation).get("infeed").cloned() else {
            return Ok(VecDeque::new());
        };
        let interpreter = Interpreter::new(self.program, Planes::IeeeOnly, self.limits);
        let each = names.iter().map(|name| {
            let id = match name {
                Attribute::Symbol(name) => self.program.find_function(name),
                _ => None,
            };
            let id = id.ok_or("an infeed of no function")?;
            interpreter
                .run_function(id, vec![], &mut Events::default())
                .map_err(|stop| words(&stop))
        });
        each.collect()
    }
}

/// Attributes that the call's op does not define, and its options.
fn attributes(operation: &Operation) -> Attributes {
    let mut out = operation.extra.clone();
    if let Op::Hlo(hlo::Op::CustomCall(call)) = &operation.op
        && let Some(Attribute::Dict(config)) = &call.backend_config
    {
        out.0.extend(config.0.clone());
    }
    out
}

fn probe(operation: &Operation) -> Option<String> {
    match attributes(operation).get("probe_id") {
        Some(Attribute::Str(name)) => Some(name.clone()),
        Some(_) | None => None,
    }
}

fn words(stop: &Stop) -> String {
    match stop {
        Stop::Failed(error) => error.to_string(),
        Stop::Trap(trap) => format!("trap: {trap}"),
        Stop::Cancelled => "cancelled".to_string(),
    }
}

/// When two elements agree.
#[derive(Debug)]
enum Rule {
    Exact,
    Ulp { least: i64, most: i64 },
    Absolute(f64),
}

impl Rule {
    fn of(name: &str, is_call: bool, attributes: &Attributes) -> Rule {
        let number = |name: &str| match attributes.get(name) {
            Some(Attribute::Int(n)) => Some(*n as f64),
            Some(Attribute::Float(bits)) => Some(f64::from_bits(*bits)),
            Some(_) | None => None,
        };
        match name {
            "expect_close" | "expect_close_const" => Rule::Ulp {
                least: number("min_ulp_difference").unwrap_or(0.0) as i64,
                most: number("max_ulp_difference").unwrap_or(if is_call { 3.0 } else { 1.0 })
                    as i64,
            },
            "expect_almost_eq" | "expect_almost_eq_const" => {
                Rule::Absolute(number("tolerance").unwrap_or(if is_call { 1e-3 } else { 1e-4 }))
            }
            "eq" => Rule::Absolute(1e-4),
            _ => Rule::Exact,
        }
    }
}

/// Compares two tensors element by element; complex numbers by part.
fn agree(what: &str, got: &Tensor, want: &Tensor, rule: &Rule) -> Result<(), String> {
    if got.ty().to_string() != want.ty().to_string() {
        return Err(format!("{what}: {} against {}", got.ty(), want.ty()));
    }
    let part = got
        .element()
        .complex_part()
        .unwrap_or(got.element().clone());
    let parts = |t: &Tensor| match t.element().complex_part() {
        Some(part) => Tensor::new(vec![2 * t.len() as u64], part, t.ieee().clone(), None),
        None => t.clone(),
    };
    let (g, w) = (parts(got), parts(want));
    if !part.is_float() {
        return if g.ieee() == w.ieee() {
            Ok(())
        } else {
            let (g, w) = (g.to_i64s(), w.to_i64s());
            let wrong = g.iter().zip(w.iter()).position(|(a, b)| a != b);
            let at = wrong.unwrap_or(0);
            Err(format!(
                "{what}: element {at} is {:?}, expected {:?}",
                g.get(at),
                w.get(at)
            ))
        };
    }
    let order = |t: &Tensor| -> Vec<i64> {
        let bits = t.element().bits();
        let raw: Vec<u64> = match bits {
            64 => t.as_slice::<u64>().to_vec(),
            32 => t.as_slice::<u32>().iter().map(|b| u64::from(*b)).collect(),
            16 => t.as_slice::<u16>().iter().map(|b| u64::from(*b)).collect(),
            _ => t.as_slice::<u8>().iter().map(|b| u64::from(*b)).collect(),
        };
        // Floats in order: negative ones count down from zero.
        let sign = 1u64 << (bits - 1);
        let position = |b: &u64| {
            if b & sign != 0 {
                -((b ^ sign) as i64)
            } else {
                *b as i64
            }
        };
        raw.iter().map(position).collect()
    };
    let (go, wo) = (order(&g), order(&w));
    for (i, (a, b)) in g.to_f64s().iter().zip(w.to_f64s().iter()).enumerate() {
        let both_nan = a.is_nan() && b.is_nan();
        let ok = match rule {
            Rule::Exact => a == b,
            Rule::Absolute(tolerance) => a == b || both_nan || (a - b).abs() <= *tolerance,
            Rule::Ulp { least, most } => {
                let distance = (go[i] as i128 - wo[i] as i128).unsigned_abs() as i64;
                both_nan
                    || (a.is_infinite() || b.is_infinite()) && a == b
                    || a.is_finite() && b.is_finite() && (*least..=*most).contains(&distance)
            }
        };
        if !ok {
            return Err(format!(
                "{what}: element {i} is {a:e}, expected {b:e} ({rule:?})"
            ));
        }
    }
    Ok(())
}
