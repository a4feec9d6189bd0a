//! Shared harness of the integration tests.

pub mod rust_source;
pub mod workspace;
