//! Words for people and JSON for programs. Findings are data elsewhere; sentences are made only here.

mod hazards;
pub mod json;
pub mod native;
pub mod reproducer;
pub mod stages;
pub mod text;
