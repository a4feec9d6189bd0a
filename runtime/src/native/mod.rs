//! Native code on this machine. The only place of this crate with foreign calls.
//!
//! [`kernel`]: kernels of stage S5, by either of two generators; [`llvm`]: one of them, and kernels that XLA dumped; [`cranelift`]: the other.

mod cranelift;
pub mod kernel;
pub mod llvm;
