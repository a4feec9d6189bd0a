//! Imports the StableHLO files given (folders: all `.mlir` below) and prints one line a file that fails, then counts.

use std::{collections::BTreeMap, path::{Path, PathBuf}, time::Instant};
use tileproof_dialect::{error::Error, import::stablehlo};

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut all: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        all.sort();
        all.iter().for_each(|p| collect(p, out));
    } else if path.extension().is_some_and(|e| e == "mlir") {
        out.push(path.to_path_buf());
    }
}

fn main() {
    let mut files = vec![];
    std::env::args().skip(1).for_each(|a| collect(Path::new(&a), &mut files));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let (mut bytes, start) = (0, Instant::now());
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        bytes += text.len();
        for program in stablehlo::parse_modules(&text, &path.to_string_lossy()) {
            let kind = match program {
                Ok(_) => "ok",
                Err(Error::Unsupported { what, .. }) => {
                    what.split(", ").for_each(|w| *missing.entry(w.to_string()).or_default() += 1);
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
    println!("{} files, {bytes} bytes in {:?}: {counts:?}", files.len(), start.elapsed());
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    println!("missing in modules: {missing:?}");
}
