//! Imports the StableHLO files given (folders: all `.mlir` below), prints and reads each program again, and prints one line a file that fails, then
//! counts. With `--mutate SECONDS` it then imports damaged versions of the files. `--write FOLDER` keeps what was printed,
//! `--hash` prints the structural hash of each module.

#[path = "../src/import/stablehlo/mutation.rs"]
mod mutation;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tileproof_dialect::{error::Error, export, import::stablehlo, program::Program};

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut all: Vec<_> = std::fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .collect();
        all.sort();
        all.iter().for_each(|p| collect(p, out));
    } else if path.extension().is_some_and(|e| e == "mlir") {
        out.push(path.to_path_buf());
    }
}

/// What happens to a program that is printed and read again.
fn round_trip(p: &Program) -> Result<(), String> {
    let text = export::stablehlo::print(p).map_err(|e| format!("export: {e}"))?;
    let again = stablehlo::parse(&text, "printed").map_err(|e| format!("again: {e}"))?;
    if again.structural_hash() == p.structural_hash() {
        Ok(())
    } else {
        Err("again: another structure".to_string())
    }
}

fn mutate(files: &[PathBuf], seconds: u64) {
    let texts: Vec<String> = files
        .iter()
        .filter_map(|f| std::fs::read_to_string(f).ok())
        .filter(|t| t.len() < 60_000)
        .collect();
    let start = Instant::now();
    let (mut seed, mut accepted) = (0u64, 0);
    while !texts.is_empty() && start.elapsed().as_secs() < seconds {
        let text = mutation::mutated(&texts[seed as usize % texts.len()], seed);
        for p in stablehlo::parse_modules(&text, "damaged")
            .into_iter()
            .flatten()
        {
            accepted += 1;
            if let Err(e) = round_trip(&p)
                && !e.starts_with("export")
            {
                println!("seed {seed}: {e}");
            }
        }
        seed += 1;
    }
    println!("{seed} damaged files, {accepted} programs accepted, no panic");
}

fn main() {
    let mut files = vec![];
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.iter().position(|a| a == "--mutate").map(|i| {
        arguments
            .drain(i..)
            .nth(1)
            .and_then(|s| s.parse().ok())
            .unwrap_or(60)
    });
    let hashes = arguments
        .iter()
        .position(|a| a == "--hash")
        .map(|i| arguments.remove(i))
        .is_some();
    let folder = arguments
        .iter()
        .position(|a| a == "--write")
        .and_then(|i| arguments.drain(i..).nth(1));
    arguments
        .iter()
        .for_each(|a| collect(Path::new(a), &mut files));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let (mut bytes, mut spent) = (0, Duration::ZERO);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        bytes += text.len();
        let start = Instant::now();
        let programs = stablehlo::parse_modules(&text, &path.to_string_lossy());
        spent += start.elapsed();
        for program in programs {
            let kind = match program {
                Ok(p) => match round_trip(&p) {
                    Ok(()) => {
                        if hashes {
                            println!("{} {:032x}", path.display(), p.structural_hash());
                        }
                        if let (Some(folder), Ok(text)) = (&folder, export::stablehlo::print(&p)) {
                            let name = path.to_string_lossy().replace('/', "_");
                            let _ = std::fs::write(Path::new(folder).join(name), text);
                        }
                        "ok"
                    }
                    Err(e) => {
                        println!("{}: {}", path.display(), e.lines().next().unwrap_or(""));
                        "imports only"
                    }
                },
                Err(Error::Unsupported { what, .. }) => {
                    what.split(", ")
                        .for_each(|w| *missing.entry(w.to_string()).or_default() += 1);
                    "unsupported"
                }
                Err(e @ Error::InvalidProgram(_)) => {
                    println!("{}", e.to_string().lines().next().unwrap_or(""));
                    "invalid"
                }
                Err(e @ Error::Internal(_)) => {
                    println!("{e}");
                    "internal"
                }
            };
            *counts.entry(kind).or_default() += 1;
        }
    }
    println!(
        "{} files, {bytes} bytes imported in {spent:?}: {counts:?}",
        files.len()
    );
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    println!("missing in modules: {missing:?}");
    if let Some(seconds) = seconds {
        mutate(&files, seconds);
    }
}
