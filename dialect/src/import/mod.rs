//! Front doors: readers of programs that other tools wrote.

pub mod hlo_proto;
pub mod hlo_text;
