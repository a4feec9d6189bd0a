//! Native code on this machine. The only place of this crate with foreign calls.

pub mod llvm;
