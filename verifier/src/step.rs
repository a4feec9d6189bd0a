//! One version of a program and how it came from the one before it.

use crate::blame::Rewrite;
use std::{borrow::Cow, sync::Arc};
use tileproof_dialect::{numerics::Numerics, program::Program};

/// One version and how it was made from the one before it.
#[derive(Clone)]
pub struct Step {
    /// Name of the pass.
    pub pass: String,
    pub program: Arc<Program>,
    /// Joined over the rewrites that fired.
    pub numerics: Numerics,
    pub rewrites: Vec<Rewrite>,
    pub origin: Origin,
}

/// Where the program of a step comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A pass of ours: locations name the source ops, and say which op came from which.
    Pass,
    /// Another compiler, or another file: locations say nothing about the program before.
    Foreign,
}

/// The program as it is compared: fusions and layouts say where, not what.
pub fn plain(program: &Arc<Program>) -> Arc<Program> {
    match program.plain() {
        Cow::Borrowed(_) => program.clone(),
        Cow::Owned(plain) => Arc::new(plain),
    }
}
