//! `tileproof doctor`: what this machine has and what is missing.

use crate::exit;
use clap::Args;
use std::process::Command;
use tileproof_dialect::error::Error;
use tileproof_verifier::finding::Environment;

#[derive(Args)]
pub struct Doctor {}

impl Doctor {
    pub fn run(self) -> Result<u8, Error> {
        let environment = Environment::current();
        let mut out = format!(
            "tileproof {} on {} ({})\n",
            environment.tileproof, environment.os, environment.cpu
        );
        let mut missing = 0;
        let mut line = |what: &str, found: bool, help: &str| {
            out += &if found {
                format!("ok      {what}\n")
            } else {
                format!("missing {what}: {help}\n")
            };
            missing += u8::from(!found);
        };
        line(
            "AVX2 and FMA (x86-64-v3)",
            cpu(),
            "this build needs them; rebuild with another target-cpu in .cargo/config.toml",
        );
        let prefix =
            std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_string());
        let library = std::path::Path::new(&prefix).join("lib/libMLIR.so");
        line(
            &format!("MLIR 22 in {prefix}"),
            library.exists(),
            "run `make setup`, or point MLIR_SYS_220_PREFIX to it and rebuild",
        );
        let works =
            tileproof_dialect::mlir::text::check("func.func @main() {\n  return\n}", "doctor")
                .is_empty();
        line(
            "MLIR parses and verifies",
            works,
            "the library loaded does not fit this build; rebuild",
        );
        let python = if std::path::Path::new(".venv/bin/python").exists() {
            ".venv/bin/python"
        } else {
            "python3"
        };
        let jax = Command::new(python)
            .args(["-c", "import jax; print(jax.__version__)"])
            .output();
        let version = jax
            .ok()
            .filter(|o| o.status.success())
            .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
        let label = version.as_ref().map_or(
            "jax (only for Python users and the xla engine)".to_string(),
            |v| format!("jax {v}"),
        );
        line(&label, version.is_some(), "run `make python`");
        exit::print(&out)?;
        Ok(if missing == 0 { 0 } else { exit::UNDECIDED })
    }
}

#[cfg(target_arch = "x86_64")]
fn cpu() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu() -> bool {
    false
}
