//! Kernels of XLA:CPU from the LLVM modules that XLA dumps, compiled here by LLVM without its optimizations and run in a child process: what a module says,
//! whatever an optimizer made of it.
//!
//! Kernels of our own compiler are in [`kernels`].
//!
//! Reading order: [`job`] (what is run, and its child process), [`kernel`] (compilation and the call), [`text`] (text of a newer LLVM), [`functions`] (bodies for
//! functions that XLA expands itself).

mod functions;
pub mod job;
mod kernel;
pub mod kernels;
mod text;

pub use functions::called as expanded_functions;
pub use job::{Contraction, Ended, Job, run, serve};
