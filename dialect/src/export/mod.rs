//! Writers of programs for other tools.

//! Writes programs as text of other tools.

pub mod stablehlo;
