//! Passes over the `hlo` dialect, in pipeline order.

pub mod simplify;
pub mod cse;
pub mod dce;
