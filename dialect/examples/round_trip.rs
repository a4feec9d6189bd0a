//! Reads every program under the given paths (`.mlir`, `.hlo`, `.txt`, `.txt.gz`, `.pb`), prints it as HLO text and as StableHLO text, reads both again and
//! compares the structures: `cargo run --release --example round_trip -- PATH..`.
//!
//! `equal`: the structures are. `equal without fusions and layouts`: those have no words in StableHLO text. `stable`: what has no words in the form is written
//! as other ops (HLO text has no broadcast of size 1, no square), and the program read back makes the trip without a change. A line for each program that fails or that a form does not express, then counts. `--write FOLDER` keeps what was printed of those that fail.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use tileproof_dialect::{
    error::Error,
    export,
    import::{self, Form, hlo_proto, hlo_text, stablehlo},
    program::Program,
};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments
        .iter()
        .position(|a| a == "--write")
        .and_then(|i| arguments.drain(i..).nth(1));
    let mut files = vec![];
    for path in &arguments {
        collect(Path::new(path), &mut files);
    }
    files.sort();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut programs, mut failed, mut bytes, mut seconds) = (0, 0, 0, 0.0);
    for path in &files {
        let raw = match read(path) {
            Ok(raw) => raw,
            Err(error) => {
                println!("{}: {error}", path.display());
                failed += 1;
                continue;
            }
        };
        let start = Instant::now();
        let all = import(&raw, &path.to_string_lossy());
        bytes += raw.len();
        seconds += start.elapsed().as_secs_f64();
        for program in all {
            programs += 1;
            let program = match program {
                Ok(program) => program,
                Err(error) => {
                    println!("{}: import: {error}", path.display());
                    failed += 1;
                    continue;
                }
            };
            for (form, outcome) in [
                ("HLO text", through_hlo(&program)),
                ("StableHLO text", through_stablehlo(&program)),
            ] {
                let word = match outcome {
                    Ok(word) => word,
                    Err(Trouble::NotExpressed(what)) => {
                        println!("{}: {form}: not expressed: {what}", path.display());
                        "not expressed"
                    }
                    Err(Trouble::Wrong(what, text)) => {
                        println!("{}: {form}: {what}", path.display());
                        failed += 1;
                        if let Some(folder) = &folder {
                            let name =
                                format!("{}.{form}", path.to_string_lossy().replace('/', "_"));
                            let _ = fs::write(Path::new(folder).join(name), text);
                        }
                        "wrong"
                    }
                };
                *counts.entry((form, word)).or_default() += 1;
            }
        }
    }
    println!(
        "{programs} programs of {} files, {:.1} MB imported in {seconds:.3} s, {failed} failures",
        files.len(),
        bytes as f64 / 1e6
    );
    for ((form, word), n) in counts {
        println!("{form}: {n} {word}");
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

enum Trouble {
    /// The form has no words for it.
    NotExpressed(String),
    /// What is wrong, and the text it is wrong with.
    Wrong(String, String),
}

fn through_hlo(program: &Program) -> Result<&'static str, Trouble> {
    through(program, |p| {
        let text = printed(export::hlo_text::print(p))?;
        read_again(hlo_text::parse(&text, "printed"), text)
    })
}

fn through_stablehlo(program: &Program) -> Result<&'static str, Trouble> {
    through(program, |p| {
        let text = printed(export::stablehlo::print(p))?;
        read_again(stablehlo::parse(&text, "printed"), text)
    })
}

fn through(
    program: &Program,
    trip: impl Fn(&Program) -> Result<(Program, String), Trouble>,
) -> Result<&'static str, Trouble> {
    let (again, _) = trip(program)?;
    if again.structural_hash() == program.structural_hash() {
        return Ok("equal");
    }
    if again.plain().structural_hash() == program.plain().structural_hash() {
        return Ok("equal without fusions and layouts");
    }
    let (twice, text) = trip(&again)?;
    if twice.structural_hash() == again.structural_hash() {
        return Ok("stable");
    }
    let what = "read back, the structure is another each time".to_string();
    Err(Trouble::Wrong(what, text))
}

fn printed(text: Result<String, Error>) -> Result<String, Trouble> {
    text.map_err(|error| match error {
        Error::Unsupported { what, .. } => Trouble::NotExpressed(what),
        other @ (Error::InvalidProgram(_) | Error::Internal(_)) => {
            Trouble::Wrong(format!("cannot be printed: {other}"), String::new())
        }
    })
}

fn read_again(read: Result<Program, Error>, text: String) -> Result<(Program, String), Trouble> {
    match read {
        Ok(again) => Ok((again, text)),
        Err(error) => Err(Trouble::Wrong(format!("not read back: {error}"), text)),
    }
}

fn import(raw: &[u8], name: &str) -> Vec<Result<Program, Error>> {
    let text = String::from_utf8_lossy(raw);
    match import::detect(raw, name) {
        Form::HloProto => vec![hlo_proto::parse(raw, name)],
        Form::HloText => vec![hlo_text::parse(&text, name)],
        Form::StableHlo => stablehlo::parse_modules(&text, name),
        Form::OwnText => vec![tileproof_dialect::mlir::text::parse(&text, name)],
    }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|e| collect(&e.path(), out));
        return;
    }
    let name = path.to_string_lossy();
    if [".mlir", ".hlo", ".txt", ".txt.gz", ".pb"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        out.push(path.to_path_buf());
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let raw = fs::read(path)?;
    if path.extension().is_none_or(|e| e != "gz") {
        return Ok(raw);
    }
    let mut out = vec![];
    flate2::read::GzDecoder::new(&raw[..]).read_to_end(&mut out)?;
    Ok(out)
}
