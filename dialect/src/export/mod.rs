//! Writes programs as text of other tools.

pub mod stablehlo;
pub mod hlo_text;
