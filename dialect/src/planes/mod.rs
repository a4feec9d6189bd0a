//! The two value planes: IEEE decides, ring proves. Every float element has an IEEE value and a residue.

pub mod ring;

/// Which planes an execution computes. The IEEE plane always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Planes {
    IeeeOnly,
    IeeeAndRing,
}
