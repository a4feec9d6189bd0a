//! `tileproof kernel`: the child process in which `tileproof xla` runs one LLVM module that XLA dumped. Not for users.

use clap::Args;
use std::io::{stdin, stdout};
use tileproof_dialect::error::Error;
use tileproof_runtime::native::llvm;

/// Word on the command line.
pub const NAME: &str = "kernel";

#[derive(Args)]
pub struct Kernel;

impl Kernel {
    pub fn run(self) -> Result<u8, Error> {
        llvm::serve(&mut stdin().lock(), &mut stdout().lock())
            .map_err(|e| Error::internal(format!("a kernel in a child process: {e}")))?;
        Ok(0)
    }
}
