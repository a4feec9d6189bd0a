//! Reads programs of any accepted form and arrays from .npy files.

use std::{
    io::Read,
    path::{Path, PathBuf},
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    import::{self, Form},
    location::Location,
    mlir,
    program::Program,
    tensor::Value,
    types::Type,
};
use tileproof_runtime::npy;

/// Reads a program; its form is told by its content.
pub fn program(path: &Path) -> Result<Program, Error> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|e| Error::invalid(format!("cannot read {name}: {e}"), Location::default()))?;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked(&bytes, &name)?
    } else {
        bytes
    };
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
    let mut out = vec![];
    flate2::read::MultiGzDecoder::new(bytes)
        .read_to_end(&mut out)
        .map_err(|e| Error::invalid(format!("cannot unpack {name}: {e}"), Location::default()))?;
    Ok(out)
}

/// Reads the arguments of `program` from .npy files in argument order.
pub fn arguments(program: &Program, paths: &[PathBuf]) -> Result<Vec<Value>, Error> {
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
    let mut wrong = vec![];
    let mut out = vec![];
    for (path, ty) in paths.iter().zip(&types) {
        match ty {
            Type::Tensor(t) => match npy::read(path, t) {
                Ok(tensor) => out.push(Value::Tensor(tensor)),
                Err(Error::InvalidProgram(all)) => wrong.extend(all),
                Err(other) => return Err(other),
            },
            Type::Token | Type::Tuple(_) => {
                return Err(Error::unsupported(format!("an argument of type {ty}")));
            }
        }
    }
    if wrong.is_empty() {
        Ok(out)
    } else {
        Err(Error::InvalidProgram(wrong))
    }
}
