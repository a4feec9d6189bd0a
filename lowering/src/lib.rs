//! How programs change: passes over the MLIR form, the rewriter they use, the manager that runs and logs them, the one pipeline.
//!
//! Reading order: [`pass`], [`rewrite`], [`values`], [`manager`], [`pipeline`], then a pass, e.g. [`hlo::simplify`].

pub mod hlo;
pub mod manager;
pub mod pass;
pub mod pipeline;
pub mod rewrite;
pub mod values;
