//! Reads programs of any accepted form and arrays from .npy files.

use std::{
    collections::HashMap,
    io::Read,
    path::{Path, PathBuf},
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    hlo::collective,
    import::{self, Form},
    location::Location,
    mlir,
    program::Program,
    tensor::Value,
    types::{Dim, TensorType, Type},
};
use tileproof_runtime::npy;

/// Largest program that is read, packed or unpacked: 1 GiB. A device that never ends is no program.
const LARGEST: u64 = 1 << 30;

/// The content of a file, unpacked.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let name = path.display().to_string();
    let cannot = |e| Error::invalid(format!("cannot read {name}: {e}"), Location::default());
    let bytes = limited(std::fs::File::open(path).map_err(cannot)?, &name)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked(&bytes, &name)
    } else {
        Ok(bytes)
    }
}

/// Deepest chain of calls; engines run no deeper one, and passes follow calls by recursion.
const DEEPEST_CALLS: usize = 1000;

/// Reads a program; its form is told by its content.
pub fn program(path: &Path) -> Result<Program, Error> {
    let program = parse(path)?;
    if calls_deeper_than(&program, DEEPEST_CALLS) {
        return Err(Error::unsupported(format!(
            "calls nested deeper than {DEEPEST_CALLS}"
        )));
    }
    Ok(program)
}

/// Whether some chain of calls has more than `limit` functions. Functions that call each other in a circle are for the run to refuse.
fn calls_deeper_than(program: &Program, limit: usize) -> bool {
    let names: HashMap<&str, usize> = program
        .functions
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name.as_str(), i))
        .collect();
    let callees: Vec<Vec<usize>> = program
        .functions
        .iter()
        .map(|f| {
            let inside = program.ops_within(f.body);
            let called = inside.iter().flat_map(|op| program.op(*op).op.callees());
            called.filter_map(|c| names.get(c)).copied().collect()
        })
        .collect();
    // Depths grow by one a round until nothing changes.
    let mut depths = vec![1; callees.len()];
    for _ in 0..=limit {
        let mut changed = false;
        for f in 0..callees.len() {
            let deepest = callees[f].iter().map(|c| depths[*c] + 1).max().unwrap_or(1);
            changed |= deepest > depths[f];
            depths[f] = deepest.max(depths[f]);
        }
        let deepest = depths.iter().copied().max().unwrap_or(0);
        if deepest > callees.len() {
            return false;
        }
        if deepest > limit {
            return true;
        }
        if !changed {
            return false;
        }
    }
    false
}

/// How files of MLIR bytecode start, as those of StableHLO's portable artifacts.
const MLIR_BYTECODE: &[u8] = b"ML\xefR";

fn parse(path: &Path) -> Result<Program, Error> {
    let name = path.display().to_string();
    let bytes = bytes(path)?;
    if bytes.starts_with(MLIR_BYTECODE) {
        return Err(Error::invalid(
            "the file is MLIR bytecode, which is not read; its text is mlir_module() of a jax.export.Exported",
            Location::at(&name.as_str().into(), 1, 1),
        ));
    }
    let form = import::detect(&bytes, name.trim_end_matches(".gz"));
    if form == Form::HloProto {
        return import::hlo_proto::parse(&bytes, &name);
    }
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count() as u32
            + 1;
        Error::invalid(
            "the file is not UTF-8 text and not an HLO proto",
            Location::at(&name.as_str().into(), line, 1),
        )
    })?;
    match form {
        Form::StableHlo => import::stablehlo::parse(text, &name),
        Form::HloText => import::hlo_text::parse(text, &name),
        Form::OwnText => mlir::text::parse(text, &name),
        Form::HloProto => Err(Error::internal("a proto was read as text")),
    }
}

/// The content of a gzip file, as dumps are often kept.
fn unpacked(bytes: &[u8], name: &str) -> Result<Vec<u8>, Error> {
    limited(flate2::read::MultiGzDecoder::new(bytes), name)
}

/// Everything there is to read, if it is no more than a program may be.
fn limited(reader: impl Read, name: &str) -> Result<Vec<u8>, Error> {
    let mut out = vec![];
    let read = reader.take(LARGEST + 1).read_to_end(&mut out);
    read.map_err(|e| Error::invalid(format!("cannot read {name}: {e}"), Location::default()))?;
    if out.len() as u64 > LARGEST {
        let message = format!("{name} holds more than {LARGEST} bytes, the largest program read");
        return Err(Error::invalid(message, Location::default()));
    }
    Ok(out)
}

/// Reads the arguments of `program` from .npy files in argument order: one set for all processes, or, where a file has a leading axis of the size of the
/// process grid, one set a process.
pub fn arguments(program: &Program, paths: &[PathBuf]) -> Result<Vec<Vec<Value>>, Error> {
    let types = program.parameter_types();
    if types.len() != paths.len() {
        let message = format!(
            "the program takes {} arguments, --inputs names {}",
            types.len(),
            paths.len()
        );
        return Err(Error::InvalidProgram(vec![Diagnostic::new(
            message,
            program.main().location.clone(),
        )]));
    }
    let processes =
        u64::from(program.num_replicas.max(1)) * u64::from(program.num_partitions.max(1));
    let mut wrong = vec![];
    let mut columns: Vec<Vec<Value>> = vec![];
    for (path, ty) in paths.iter().zip(&types) {
        match ty {
            Type::Tensor(t) => match argument(path, t, processes) {
                Ok(values) => columns.push(values),
                Err(Error::InvalidProgram(all)) => wrong.extend(all),
                Err(other) => return Err(other),
            },
            Type::Token | Type::Tuple(_) => {
                return Err(Error::unsupported(format!("an argument of type {ty}")));
            }
        }
    }
    if !wrong.is_empty() {
        return Err(Error::InvalidProgram(wrong));
    }
    let sets = columns.iter().map(Vec::len).max().unwrap_or(1);
    let set = |p: usize| {
        let pick = |values: &Vec<Value>| values.get(p).or(values.first()).cloned();
        columns.iter().filter_map(pick).collect()
    };
    Ok((0..sets).map(set).collect())
}

/// One value, or one a process.
fn argument(path: &Path, ty: &TensorType, processes: u64) -> Result<Vec<Value>, Error> {
    let refused = match npy::read(path, ty) {
        Ok(tensor) => return Ok(vec![tensor.into()]),
        Err(refused) => refused,
    };
    if processes <= 1 {
        return Err(refused);
    }
    let mut dims = ty.dims.clone();
    dims.insert(0, Dim::Static(processes));
    let Ok(all) = npy::read(path, &ty.with_dims(dims)) else {
        return Err(refused);
    };
    let part = |p| {
        let one = collective::part(&all, 0, p as usize, processes as usize);
        one.map(|t| t.reshaped(&all.dims()[1..]).into())
            .map_err(|_| Error::internal("an argument could not be divided among the processes"))
    };
    (0..processes).map(part).collect()
}
