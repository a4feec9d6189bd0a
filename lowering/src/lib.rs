//! How programs change: passes over the MLIR form, the rewriter they use, the manager that runs and logs them, the one pipeline; kernels as plain data.
//!
//! Reading order: [`pass`], [`rewrite`], [`values`], [`manager`], [`pipeline`], then a pass, e.g. [`hlo::simplify`]; for fusion
//! [`target`], [`analysis`], [`outline`]; for kernels [`lowering`], [`settings`].

pub mod analysis;
pub mod hlo;
pub mod hlo_to_tpu;
pub mod kernels;
pub mod lowering;
pub mod manager;
pub mod outline;
pub mod pass;
pub mod pipeline;
pub mod rebuild;
pub mod rewrite;
pub mod settings;
pub mod target;
pub mod tpu;
pub mod values;
