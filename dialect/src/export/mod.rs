//! Writes programs as text of other tools.

pub mod hlo_text;
pub mod jax;
pub mod stablehlo;
