//! Imports every HLO text (`.hlo`, `.txt`, `.txt.gz`) and proto (`.pb`) under the given paths and prints, per file, what came of it.
//!
//!     cargo run --release --example import_hlo_all -- corpus/ dump/

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use tileproof_dialect::{
    error::Error,
    import::{hlo_proto, hlo_text},
    program::Program,
};

fn main() -> ExitCode {
    let mut files = vec![];
    for path in std::env::args().skip(1) {
        collect(Path::new(&path), &mut files);
    }
    files.sort();
    let (mut good, mut bytes, mut time) = (0, 0, 0.0);
    for path in &files {
        let (result, size, seconds) = import(path);
        match result {
            Ok(program) => {
                good += 1;
                println!(
                    "ok           {} ({} ops)",
                    path.display(),
                    program.op_count()
                );
            }
            Err(e @ Error::Unsupported { .. }) => println!("unsupported  {}: {e}", path.display()),
            Err(e @ (Error::InvalidProgram(_) | Error::Internal(_))) => {
                println!("error        {}: {e}", path.display())
            }
        }
        bytes += size;
        time += seconds;
    }
    println!(
        "{good} of {} files, {:.1} MB in {time:.3} s",
        files.len(),
        bytes as f64 / 1e6
    );
    if good == files.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|e| collect(&e.path(), out));
        return;
    }
    let name = path.to_string_lossy();
    if [".hlo", ".txt", ".txt.gz", ".pb"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        out.push(path.to_path_buf());
    }
}

/// The program, the size of the input and the seconds the importer took.
fn import(path: &Path) -> (Result<Program, Error>, usize, f64) {
    let raw = match read(path) {
        Ok(raw) => raw,
        Err(e) => return (Err(Error::internal(e.to_string())), 0, 0.0),
    };
    let name = path.to_string_lossy();
    let start = Instant::now();
    let result = if name.ends_with(".pb") {
        hlo_proto::parse(&raw, &name)
    } else {
        hlo_text::parse(&String::from_utf8_lossy(&raw), &name)
    };
    (result, raw.len(), start.elapsed().as_secs_f64())
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
