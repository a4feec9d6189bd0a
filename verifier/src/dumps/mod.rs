//! Which stage of XLA changed what a program computes: import, a pass, or code generation.
//!
//! Reading order: [`folder`] (what a dump folder holds), [`stages`] (every consecutive pair of programs), [`codegen`] (the last module against the code that
//! runs), [`freedom`] (what the code generator may do to the numbers), [`culprit`] (XLA's emitter or LLVM), [`scheduled`] (modules on XLA as they are).

pub mod codegen;
pub mod codegen_stage;
pub mod culprit;
pub mod folder;
pub mod freedom;
pub mod scheduled;
pub mod stages;
pub mod xla_ulps;
