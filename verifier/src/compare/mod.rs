//! Comparing two values of one type: bits, and within bounds.

pub mod bits;
pub mod bounds;
pub mod sums;
