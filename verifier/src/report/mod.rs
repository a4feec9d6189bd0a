//! Words for people and JSON for programs. Findings are data elsewhere; sentences are made only here.

pub mod json;
pub mod reproducer;
pub mod stages;
pub mod text;
