//! The `tpu` dialect as plain data: kernels of Mosaic's form. A program of stages S3 to S5 is `hlo` with `kernel_call`s of these.
//!
//! `types.rs`: what values of a kernel are. `op.rs`: THE list of ops a kernel may hold, with their meaning. `kernel.rs`: a kernel and its structure.
//! `builder.rs`: makes one op by op. `infer.rs`: the type rule of each op. `verify.rs`: what makes a kernel valid.
//! `hazard.rs`: what the simulator finds.

pub mod builder;
pub mod hazard;
pub mod infer;
pub mod kernel;
pub mod op;
pub mod types;
pub mod verify;

#[cfg(test)]
mod verify_tests;

pub use builder::KernelBuilder;
pub use hazard::{Hazard, HazardKind};
pub use infer::{KernelInferContext, KernelRegionType, infer};
pub use kernel::{
    GridDimension, Kernel, KernelOperand, KernelOperation, KernelRegion, KernelValue, Role,
    Semantics, Window,
};
pub use op::{CombiningKind, MatmulDimensions, TpuOp};
pub use types::{KernelType, MemRefType, MemorySpace, RefElement};
