//! Reads HLO text as XLA prints it: unoptimized, after any pass, scheduled, optimized.
//!
//! [`module`] reads the syntax; [`instruction`] says which op of the `hlo` dialect an instruction is; [`build`] makes the program. Tuples
//! exist only while reading: a loop over a tuple becomes a loop over its leaves, a tuple as result several results. Computations called by an op
//! become its regions, inlined at each use; those of `call` become functions. A constant that XLA left out (`{...}`) becomes a custom call
//! `tileproof.elided_constant` that cannot be evaluated; everything around it can.

mod attribute;
pub(super) mod build;
pub(crate) mod contraction;
mod cursor;
mod custom_call;
mod fields;
mod frames;
pub(crate) mod instruction;
mod literal;
mod mesh;
mod mlir_attribute;
pub(super) mod module;
mod module_attributes;
mod regions;
mod shape;
mod short_forms;
pub(crate) mod syntax;
mod virtual_value;

pub(super) use attribute::Attribute;
pub(super) use literal::Constant;
pub(super) use shape::fits_memory;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use crate::{error::Error, program::Program};

/// Deepest nesting of tuples, attributes and called computations that is read.
const MAX_NESTING: usize = 256;

/// Target of the custom call that stands for a constant the text leaves out.
pub const ELIDED_CONSTANT: &str = "tileproof.elided_constant";

/// Reads the HLO text of one module. `file` names it in messages and in the locations of ops without metadata.
pub fn parse(text: &str, file: &str) -> Result<Program, Error> {
    let source = cursor::Source::new(text, file);
    build::program(&module::read(&source)?)
}
