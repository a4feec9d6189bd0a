//! The only place that touches melior: parse, print, verify, and the two ways between `Module` and `Program`.

pub mod context;
pub mod views;
