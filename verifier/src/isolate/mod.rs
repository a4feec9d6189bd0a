//! From a finding to the part of the program that shows it.
//!
//! [`extract`]: a part as a program of its own. [`reproducer`]: reduced, and written as [`script`]s that are run before they are given out.

pub mod extract;
pub mod reproducer;
pub mod script;
