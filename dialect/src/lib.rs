//! What programs mean: the types every engine, pass and comparator shares, the list of ops with their definitions, and the bridge to MLIR.
//!
//! Reading order: [`types`], [`tensor`], [`planes`], [`attribute`], [`op`], [`program`], [`hlo`].

pub mod attribute;
pub mod bound;
pub mod buffer;
pub mod builder;
pub mod encode;
pub mod error;
pub mod eval;
#[cfg(test)]
pub(crate) mod eval_test_runner;
pub mod export;
pub mod float;
pub mod hlo;
pub mod import;
pub mod layout;
pub mod literal;
pub mod location;
pub mod mlir;
pub mod numerics;
pub mod op;
pub mod plain;
pub mod planes;
pub mod program;
pub mod special;
pub mod stage;
pub mod strided;
pub mod tensor;
pub mod tpu;
pub mod types;
