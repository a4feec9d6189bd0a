//! Both verifiers: MLIR's on the structure, ours on everything else.

use super::{context::with_context, encode::encode};
use crate::{
    error::{Diagnostic, Error},
    program::Program,
};

/// Every violation that MLIR's verifier and `Program::verify` find. Empty: the program is valid in both forms.
pub fn verify(program: &Program) -> Vec<Diagnostic> {
    let mut all = program.verify();
    with_context(|context| match encode(program, context) {
        Ok(module) => all.extend(context.verify(module.as_operation())),
        Err(Error::InvalidProgram(more)) => all.extend(more),
        Err(other @ (Error::Unsupported { .. } | Error::Internal(_))) => {
            all.push(Diagnostic::new(other.to_string(), Default::default()))
        }
    });
    // Both may say the same of one op.
    let mut seen = vec![];
    all.retain(|diagnostic| {
        !seen.contains(diagnostic) && {
            seen.push(diagnostic.clone());
            true
        }
    });
    all
}
