//! Finds the Python whose JAX runs the programs.

use super::{Config, worker::Worker};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    location::Location,
};

/// Longest time for Python to import JAX.
const START: Duration = Duration::from_secs(120);

/// Interpreters in the order they are tried: the one named and no other; else the `.venv` of the working directory or a folder above it, that of this
/// repository, and `python3` of the path.
pub fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(python) = named {
        return vec![python.to_path_buf()];
    }
    let here = std::env::current_dir().unwrap_or_default();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let mut out: Vec<PathBuf> = vec![];
    for folder in here.ancestors().chain(repository) {
        let python = folder.join(".venv/bin/python");
        if python.exists() && !out.contains(&python) {
            out.push(python);
        }
    }
    out.push(PathBuf::from("python3"));
    out
}

/// A worker of the first candidate that has JAX, with so many devices on the host. `Err` names each that was tried and what it lacks.
pub fn start(config: &Config, devices: u64) -> Result<Worker, Error> {
    let mut flags = config.flags.clone();
    if devices > 1 {
        flags.push(format!("--xla_force_host_platform_device_count={devices}"));
    }
    let mut tried = vec![];
    for python in candidates(config.python.as_deref()) {
        match Worker::start(&python, &flags, START) {
            Ok(worker) => return Ok(worker),
            Err(why) => tried.push(format!("{}: {why}", python.display())),
        }
    }
    let diagnostic = Diagnostic::new(
        format!("no Python with JAX to run XLA ({})", tried.join("; ")),
        Location::default(),
    );
    Err(Error::InvalidProgram(vec![diagnostic.with_help(
        "`make python` makes .venv with the pinned JAX; --python names another interpreter",
    )]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told() {
        let config = Config {
            python: Some(PathBuf::from("/no/such/python")),
            ..Config::default()
        };
        let error = start(&config, 1).unwrap_err().to_string();
        assert!(
            error.contains("/no/such/python: cannot be started") && error.contains("--python"),
            "{error}"
        );
    }
}
