//! Measures the reference engine on the corpus: runs programs in both planes, compares with the corpus references, prints time and result.
//!
//! `cargo run --release --example corpus_run -- CORPUS [--ieee] [--profile] [PROGRAM..]`; without names all programs. Inputs of recipe programs are
//! made by `gen_inputs.py` into the folder `tileproof-corpus` of the temporary directory.
//!
//! Rule, per output: max |out - ref| <= 4 * max(measured distance of XLA, one ulp of the output type at the largest reference value); NaN and
//! infinities at the same places; integers and booleans equal.

use serde_json::Value as Json;
use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    bound::unit_roundoff,
    eval::Events,
    import::stablehlo,
    op::Op,
    planes::Planes,
    program::{OpId, Program},
    tensor::{Tensor, Value},
    types::{ElementType, TensorType},
};
use tileproof_runtime::{
    inputs::all_with_ring,
    limits::Limits,
    npy,
    reference::{Interpreter, Observer},
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, words): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with("--"));
    let has = |flag: &str| flags.iter().any(|f| *f == flag);
    let Some((corpus, names)) = words.split_first() else {
        return Err("usage: corpus_run CORPUS [--ieee] [--profile] [PROGRAM..]".into());
    };
    let corpus = Path::new(corpus.as_str());
    let mut all: Vec<String> = std::fs::read_dir(corpus)?
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|n| corpus.join(n).join("program.mlir").exists())
        .collect();
    all.sort();
    if !names.is_empty() {
        all.retain(|n| names.contains(&n));
    }
    let planes = if has("--ieee") {
        Planes::IeeeOnly
    } else {
        Planes::IeeeAndRing
    };
    let mut failed = 0;
    for name in &all {
        let start = Instant::now();
        let result = run(corpus, name, planes, has("--profile"));
        match result {
            Ok(line) => println!("{name:24} {line}"),
            Err(e) => {
                failed += 1;
                println!("{name:24} FAIL after {:.2?}: {e}", start.elapsed());
            }
        }
    }
    println!("{} of {} pass", all.len() - failed, all.len());
    Ok(())
}

fn run(corpus: &Path, name: &str, planes: Planes, profile: bool) -> Result<String, Box<dyn Error>> {
    let folder = corpus.join(name);
    let path = folder.join("program.mlir");
    let start = Instant::now();
    let program = stablehlo::parse(
        &std::fs::read_to_string(&path)?,
        &path.display().to_string(),
    )?;
    let parsed = start.elapsed();
    let meta: Json = read_json(&folder.join("meta.json"))?;
    let from = input_folder(corpus, name)?;
    let mut inputs = vec![];
    for (i, ty) in program.parameter_types().iter().enumerate() {
        let ty = ty.as_tensor().ok_or("a parameter is no tensor")?;
        inputs.push(Value::from(npy::read(
            &from.join(format!("input_{i}.npy")),
            ty,
        )?));
    }
    let start = Instant::now();
    if planes == Planes::IeeeAndRing {
        inputs = all_with_ring(&inputs, 1);
    }
    let prepared = start.elapsed();
    let limits = Limits::default();
    let interpreter = Interpreter::new(&program, planes, &limits);
    let mut events = Events::default();
    let mut times = Times {
        program: &program,
        open: vec![],
        by_op: BTreeMap::new(),
    };
    let start = Instant::now();
    let outputs = if profile {
        interpreter.run_observed(inputs, &mut events, &mut times)
    } else {
        interpreter.run(inputs, &mut events)
    };
    let took = start.elapsed();
    let outputs = outputs.map_err(|stop| format!("{stop:?}"))?;
    if profile {
        times.print();
    }
    compare(&folder, &meta, &outputs)?;
    let xla = meta["xla_cpu_run_ms_median"].as_f64().unwrap_or(f64::NAN);
    Ok(format!(
        "ok  run {:9.1} ms  parse {:7.1} ms  ring of inputs {:7.1} ms  XLA {xla:8.2} ms  zero divisors {}",
        ms(took),
        ms(parsed),
        ms(prepared),
        events.zero_divisors
    ))
}

/// Reads a file of JSON as Python writes it: numbers that are not finite stand alone on their lines and become strings.
fn read_json(path: &Path) -> Result<Json, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let quoted = |line: &str| match line.trim().trim_end_matches(',') {
        word @ ("NaN" | "Infinity" | "-Infinity") => line.replace(word, &format!("\"{word}\"")),
        _ => line.to_string(),
    };
    let lines: Vec<String> = text.lines().map(quoted).collect();
    Ok(serde_json::from_str(&lines.join("\n"))?)
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}

/// Where the inputs lie; made first where the corpus has only the recipe.
fn input_folder(corpus: &Path, name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = corpus.join(name);
    if !folder.join("inputs.json").exists() {
        return Ok(folder);
    }
    let made = std::env::temp_dir().join("tileproof-corpus").join(name);
    if !made.join("input_0.npy").exists() {
        std::fs::create_dir_all(&made)?;
        let out = Command::new("python3")
            .arg(corpus.join("gen_inputs.py"))
            .arg(name)
            .arg(&made)
            .output()?;
        if !out.status.success() {
            return Err(format!("gen_inputs.py: {}", String::from_utf8_lossy(&out.stderr)).into());
        }
    }
    Ok(made)
}

fn compare(folder: &Path, meta: &Json, outputs: &[Value]) -> Result<(), Box<dyn Error>> {
    let recipe = folder.join("outputs.json");
    let recipe: Option<Json> = match recipe.exists() {
        true => Some(read_json(&recipe)?),
        false => None,
    };
    let mut wrong = vec![];
    for (i, value) in outputs.iter().enumerate() {
        let got = value.as_tensor().ok_or("an output is no tensor")?;
        let said = match &recipe {
            Some(recipe) => compare_recipe(&recipe["ref"][i], &meta["xla_vs_ref"][i], got),
            None => compare_file(folder, i, &meta["outputs"][i], &meta["xla_vs_ref"][i], got)?,
        };
        if let Some(said) = said {
            wrong.push(format!("output {i} ({}): {said}", got.ty()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; ").into())
    }
}

fn compare_file(
    folder: &Path,
    i: usize,
    output: &Json,
    distance: &Json,
    got: &Tensor,
) -> Result<Option<String>, Box<dyn Error>> {
    let word = output["ref_dtype"]
        .as_str()
        .ok_or("meta.json: no ref_dtype")?;
    let element = ElementType::from_hlo_name(word)
        .or_else(|| ElementType::from_mlir_name(word))
        .ok_or_else(|| format!("unknown ref_dtype {word}"))?;
    let ty = TensorType::new(got.dims().iter().copied(), element);
    let reference = npy::read(&folder.join(format!("ref_output_{i}.npy")), &ty)?;
    Ok(compare_values(
        &parts(got),
        &parts(&reference),
        distance,
        got.element(),
    ))
}

/// Numbers of a tensor, two for a complex one.
fn parts(t: &Tensor) -> Vec<f64> {
    match t.element() {
        ElementType::C64 => t.as_slice::<f32>().iter().map(|v| f64::from(*v)).collect(),
        ElementType::C128 => t.as_slice::<f64>().to_vec(),
        _ => t.to_f64s().into_owned(),
    }
}

fn compare_recipe(reference: &Json, distance: &Json, got: &Tensor) -> Option<String> {
    let got_all = parts(got);
    let numbers = |key: &str| -> Vec<f64> {
        reference[key]
            .as_array()
            .into_iter()
            .flatten()
            .map(number)
            .collect()
    };
    let places: Vec<usize> = numbers("sample_index")
        .iter()
        .map(|v| *v as usize)
        .collect();
    let mut want = numbers("first64");
    let mut have: Vec<f64> = got_all.iter().take(want.len()).copied().collect();
    have.extend(places.iter().filter_map(|p| got_all.get(*p).copied()));
    want.extend(numbers("sample"));
    if want.is_empty() {
        return Some("outputs.json holds no elements".to_string());
    }
    compare_values(&have, &want, distance, got.element())
}

fn number(v: &Json) -> f64 {
    match v {
        Json::Bool(b) => f64::from(*b),
        Json::String(s) => s.parse().unwrap_or(f64::NAN),
        other => other.as_f64().unwrap_or(f64::NAN),
    }
}

fn compare_values(
    got: &[f64],
    want: &[f64],
    distance: &Json,
    element: &ElementType,
) -> Option<String> {
    if got.len() != want.len() {
        return Some(format!("{} elements, expected {}", got.len(), want.len()));
    }
    if element.is_integer() {
        let wrong = got.iter().zip(want).filter(|(g, w)| g != w).count();
        return (wrong > 0).then(|| format!("{wrong} of {} integers differ", got.len()));
    }
    let largest = distance["ref_absmax"].as_f64().unwrap_or(0.0);
    let ulp =
        2.0 * unit_roundoff(element) * 2f64.powf(largest.max(f64::MIN_POSITIVE).log2().floor());
    let allowed = 4.0 * distance["max_abs"].as_f64().unwrap_or(0.0).max(ulp);
    let mut worst = (0.0, 0);
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        if g.is_finite() != w.is_finite() || g.is_nan() != w.is_nan() || (g.is_infinite() && g != w)
        {
            return Some(format!("element {i} is {g:e}, expected {w:e}"));
        }
        if w.is_finite() && (g - w).abs() > worst.0 {
            worst = ((g - w).abs(), i);
        }
    }
    (worst.0 > allowed).then(|| {
        let i = worst.1;
        format!(
            "element {i} is {:e}, expected {:e}: distance {:.3e}, allowed {allowed:.3e}",
            got[i], want[i], worst.0
        )
    })
}

/// Time by op name, without the time of what an op runs inside.
struct Times<'p> {
    program: &'p Program,
    open: Vec<(Instant, Duration)>,
    by_op: BTreeMap<&'static str, (u64, Duration)>,
}

impl Observer for Times<'_> {
    fn enter(&mut self, _: OpId) {
        self.open.push((Instant::now(), Duration::ZERO));
    }

    fn observe(&mut self, op: OpId, _: &[Value], _: &[Value]) {
        let Some((start, inside)) = self.open.pop() else {
            return;
        };
        let took = start.elapsed();
        if let Some((_, outer)) = self.open.last_mut() {
            *outer += took;
        }
        let Op::Hlo(op) = &self.program.op(op).op;
        let entry = self.by_op.entry(op.name()).or_default();
        entry.0 += 1;
        entry.1 += took.saturating_sub(inside);
    }
}

impl Times<'_> {
    fn print(&self) {
        let mut all: Vec<_> = self.by_op.iter().collect();
        all.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
        for (name, (n, time)) in all.iter().take(14) {
            println!("    {name:24} {n:8} x {:10.2} ms", ms(*time));
        }
    }
}
