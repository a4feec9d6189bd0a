//! Fuzzes the importers: `cargo run --release --example fuzz_import -- --seed S --seconds N PATH..`.
//!
//! Files below the paths (`.mlir`, `.hlo`, `.txt`, `.pb`) are damaged by seed: token by token and line by line for texts, byte by byte and field by field for
//! protos. Each damaged file is imported in a child process; what is accepted must print and read back with the same structure. A child that panics, is killed
//! or takes over a minute for one file is a finding: its seed is printed and its input kept as `fuzz-SEED` in the temporary directory. `--one SEED` replays one.

mod lines;
#[path = "../../src/import/stablehlo/mutation.rs"]
mod mutation;
mod random;
mod wire;

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::Error,
    export,
    import::{self, Form, hlo_proto, hlo_text, stablehlo},
    program::Program,
};

/// Longest file that is damaged, in bytes.
const LONGEST: u64 = 200_000;
/// Seeds that one child tries.
const BATCH: u64 = 500;
/// What one import may take.
const PATIENCE: Duration = Duration::from_secs(60);

struct Options {
    seed: u64,
    seconds: u64,
    one: Option<u64>,
    /// Set in children: seeds to try.
    batch: Option<u64>,
    paths: Vec<String>,
}

fn options() -> Option<Options> {
    let mut out = Options {
        seed: 1,
        seconds: 60,
        one: None,
        batch: None,
        paths: vec![],
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse().ok());
        match word.as_str() {
            "--seed" => out.seed = number()?,
            "--seconds" => out.seconds = number()?,
            "--one" => out.one = Some(number()?),
            "--batch" => out.batch = Some(number()?),
            _ => out.paths.push(word),
        }
    }
    Some(out)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: fuzz_import [--seed S] [--seconds N] [--one SEED] PATH..");
        return ExitCode::from(3);
    };
    let mut files = vec![];
    options
        .paths
        .iter()
        .for_each(|p| collect(Path::new(p), &mut files));
    files.sort();
    if files.is_empty() {
        eprintln!("no .mlir, .hlo, .txt or .pb file of at most {LONGEST} bytes");
        return ExitCode::from(3);
    }
    if let Some(seed) = options.one {
        let input = damaged(&files, seed);
        println!("{}", file(&files, seed).display());
        println!("{}", attempt(&input));
        return ExitCode::SUCCESS;
    }
    if let Some(n) = options.batch {
        let mut out = std::io::stdout();
        for seed in options.seed..options.seed + n {
            println!("seed {seed}");
            let _ = out.flush();
            let said = attempt(&damaged(&files, seed));
            println!("done {said}");
        }
        return ExitCode::SUCCESS;
    }
    parent(&options, &files)
}

/// Runs children until the time is over; findings are told and counted.
fn parent(options: &Options, files: &[PathBuf]) -> ExitCode {
    let start = Instant::now();
    let (mut seed, mut tried, mut findings) = (options.seed, 0u64, 0u64);
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    while start.elapsed().as_secs() < options.seconds {
        let Some(child) = spawn(options, seed) else {
            eprintln!("cannot start a child process");
            return ExitCode::from(4);
        };
        let (last, told, finished) = watch(child);
        tried += last.map_or(0, |l| l - seed + 1);
        for said in told {
            if said.starts_with("WRONG") {
                findings += 1;
                let kept = seed_of(&said).map(|seed| keep(files, seed));
                println!("{said} {}", kept.unwrap_or_default());
            }
            let word = said.split(':').next().unwrap_or("").to_string();
            *counts.entry(word).or_default() += 1;
        }
        if finished {
            seed += BATCH;
            continue;
        }
        let culprit = last.unwrap_or(seed);
        findings += 1;
        println!(
            "FINDING seed {culprit}: panic, kill or time limit; {}",
            keep(files, culprit)
        );
        seed = culprit + 1;
    }
    println!(
        "{tried} damaged files of {} in {:.0} s, {findings} findings: {counts:?}; next seed {seed}",
        files.len(),
        start.elapsed().as_secs_f64()
    );
    if findings == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Writes the input of a seed to the temporary directory and says where.
fn keep(files: &[PathBuf], seed: u64) -> String {
    let kept = std::env::temp_dir().join(format!("fuzz-{seed}"));
    let _ = std::fs::write(&kept, damaged(files, seed));
    format!(
        "{} damaged, kept as {}",
        file(files, seed).display(),
        kept.display()
    )
}

/// The seed in the words of a finding: `.. (seed N)`.
fn seed_of(said: &str) -> Option<u64> {
    said.rsplit_once("(seed ")?
        .1
        .strip_suffix(')')?
        .parse()
        .ok()
}

fn spawn(options: &Options, seed: u64) -> Option<Child> {
    Command::new(std::env::current_exe().ok()?)
        .args(["--seed", &seed.to_string(), "--batch", &BATCH.to_string()])
        .args(&options.paths)
        .stdout(Stdio::piped())
        .spawn()
        .ok()
}

/// The last seed a child began, what came of each, and whether it finished its batch. A child that is silent too long is killed.
fn watch(mut child: Child) -> (Option<u64>, Vec<String>, bool) {
    let (sender, lines) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    let (mut last, mut told) = (None, vec![]);
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                if let Some(seed) = line.strip_prefix("seed ") {
                    last = seed.parse().ok();
                } else if let Some(said) = line.strip_prefix("done ") {
                    let seed = last.unwrap_or(0);
                    told.push(if said.starts_with("WRONG") {
                        format!("{said} (seed {seed})")
                    } else {
                        said.to_string()
                    });
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let finished = child.wait().is_ok_and(|status| status.success());
                return (last, told, finished);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                let _ = child.wait();
                return (last, told, false);
            }
        }
    }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|e| collect(&e.path(), out));
    } else if path
        .extension()
        .is_some_and(|e| e == "mlir" || e == "hlo" || e == "txt" || e == "pb")
        && std::fs::metadata(path).is_ok_and(|m| m.len() <= LONGEST)
    {
        out.push(path.to_path_buf());
    }
}

fn file(files: &[PathBuf], seed: u64) -> &PathBuf {
    let spread = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    &files[spread as usize % files.len()]
}

/// The input of a seed.
fn damaged(files: &[PathBuf], seed: u64) -> Vec<u8> {
    let bytes = std::fs::read(file(files, seed)).unwrap_or_default();
    let is_proto = file(files, seed).extension().is_some_and(|e| e == "pb");
    match String::from_utf8(bytes) {
        Ok(text) if !is_proto && seed.is_multiple_of(2) => lines::damaged(&text, seed).into_bytes(),
        Ok(text) if !is_proto => mutation::mutated(&text, seed).into_bytes(),
        Ok(text) => damaged_proto(text.into_bytes(), seed),
        Err(error) => damaged_proto(error.into_bytes(), seed),
    }
}

/// A third of the protos byte by byte, which mostly gives what is no proto any more.
fn damaged_proto(bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    if seed.is_multiple_of(3) {
        return damaged_bytes(bytes, seed);
    }
    match wire::damaged(&bytes, seed) {
        Some(out) => out,
        None => damaged_bytes(bytes, seed),
    }
}

/// One to four changes: bits flipped, bytes set, parts removed, repeated or moved, numbers made large, the end cut off.
fn damaged_bytes(mut bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    let mut random = random::Random::new(seed);
    let mut below = |n: usize| random.below(n);
    for _ in 0..=below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = below(bytes.len());
        let length = (1 + below(32)).min(bytes.len() - at);
        match below(7) {
            0 => bytes[at] ^= 1 << below(8),
            1 => bytes[at] = below(256) as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part);
            }
            4 => {
                let part = bytes[at..at + length].to_vec();
                let to = below(bytes.len() - length + 1);
                bytes.splice(to..to + length, part);
            }
            // A varint of ten bytes, the largest there is.
            5 => drop(bytes.splice(
                at..at + 1,
                [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            )),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Imports an input in the form it is found to have. `WRONG: ..` is a finding.
fn attempt(input: &[u8]) -> String {
    let name = "damaged";
    let form = import::detect(input, name);
    let programs: Vec<Result<Program, Error>> = match form {
        Form::HloProto => vec![hlo_proto::parse(input, name)],
        Form::HloText => vec![hlo_text::parse(&String::from_utf8_lossy(input), name)],
        Form::StableHlo => stablehlo::parse_modules(&String::from_utf8_lossy(input), name),
        // MLIR's own parser is not given damaged text in this process.
        Form::OwnText => return "own text".to_string(),
    };
    let mut said = "rejected".to_string();
    for program in programs {
        match program {
            Ok(program) => {
                said = round_trip(&program, form).unwrap_or_else(|| "accepted".to_string())
            }
            Err(Error::InvalidProgram(all)) => {
                if all.is_empty() || all.iter().any(|d| d.message.is_empty()) {
                    return "WRONG: an error without a message".to_string();
                }
            }
            Err(Error::Unsupported { .. }) => {}
            Err(Error::Internal(message)) => return format!("WRONG: internal error {message}"),
        }
    }
    said
}

/// What is wrong with a program that is printed in the form it came in and read again.
fn round_trip(program: &Program, form: Form) -> Option<String> {
    let again = match form {
        Form::HloText | Form::HloProto => {
            hlo_text::parse(&export::hlo_text::print(program).ok()?, "printed")
        }
        Form::StableHlo | Form::OwnText => {
            stablehlo::parse(&export::stablehlo::print(program).ok()?, "printed")
        }
    };
    match again {
        Ok(again) if again.structural_hash() == program.structural_hash() => None,
        Ok(_) => Some("WRONG: printed and read, the program is another".to_string()),
        Err(error) => Some(format!("WRONG: printed and not read: {error}").replace('\n', " ")),
    }
}
