//! Hazards: wrong uses of memory, copies and semaphores by a kernel, found by the simulator (DESIGN.md section 8). Data; the words are in `Display`.

use super::{kernel::Role, types::MemorySpace};
use crate::location::Location;
use std::fmt;

/// One hazard, merged over grid steps and elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    pub kernel: String,
    pub kind: HazardKind,
    /// The op it shows at; `kernel` where it shows at the end.
    pub op: &'static str,
    pub location: Location,
    /// Grid step it showed at first.
    pub step: Vec<u64>,
    /// Elements or events in all.
    pub count: u64,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HazardKind {
    /// Something hangs on an element that holds nothing.
    InvalidUse {
        used_as: Use,
        origin: Origin,
        /// The ops the element went through, from the origin on; long chains are cut in the middle.
        chain: Vec<Link>,
    },
    /// An index outside a reference: `index` along `dimension`, which has `size`.
    OutOfBounds {
        place: Place,
        dimension: u32,
        index: i64,
        size: u64,
    },
    /// A gather's index outside its source vector.
    GatherOutOfBounds {
        dimension: u32,
        index: i64,
        size: u64,
    },
    /// Buffers that need more than the memory has.
    OverCapacity {
        space: MemorySpace,
        needed: u64,
        capacity: u64,
    },
    /// An access that nothing orders with a copy in flight.
    Race {
        access: Access,
        copy: Access,
        place: Place,
        /// Where the copy was started.
        started: Location,
    },
    /// A wait meant for a copy that bytes of another copy can release: the target is used although the copy may not have ended.
    AmbiguousWait {
        access: Access,
        place: Place,
        started: Location,
        waited: Location,
    },
    /// A semaphore that does not end at 0.
    SemaphoreNotZero {
        place: Place,
        index: u64,
        value: i64,
    },
    /// A wait that nothing in flight can release.
    Deadlock {
        place: Place,
        wanted: u64,
        available: u64,
    },
    /// An element of an output that no step wrote.
    OutputNotWritten { output: u32, element: Vec<u64> },
    /// The result hangs on what was in memory before, or on when copies end.
    StaleState { output: u32, element: Vec<u64> },
    /// The result hangs on the order of the steps along a parallel dimension.
    OrderDependent { output: u32, element: Vec<u64> },
}

/// What an invalid element was used as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    Branch,
    LoopCondition,
    LoopBound,
    Index,
    CopySize,
    SemaphoreAmount,
    Amount,
    Mask,
    /// An element of an output in HBM.
    Output {
        output: u32,
        element: Vec<u64>,
    },
}

/// Why an element holds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Nothing was written there since the kernel began.
    Uninitialized(Place),
    /// The part of a block beyond the end of its buffer.
    Padding(Place),
    /// A block that was written back and came again.
    WrittenBack(Place),
    /// A lane a masked load left out.
    MaskedLane,
    /// Read outside a reference.
    OutOfBounds(Place),
    /// Another buffer at the same addresses was written.
    Overwritten { place: Place, by: Place },
}

/// A buffer of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the operand; none: the barrier semaphore.
    pub operand: Option<u32>,
    pub role: Role,
    pub space: MemorySpace,
}

/// A step of the way of an invalid element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link {
    pub op: &'static str,
    pub location: Location,
}

/// How memory was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            Role::Prefetch => "prefetch operand",
            Role::Input => "input",
            Role::Output => "output",
            Role::Scratch => "scratch operand",
        };
        match self.operand {
            Some(n) => write!(f, "{role} {n} in {}", self.space.word()),
            None => write!(f, "the barrier semaphore"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Uninitialized(p) => write!(f, "uninitialized memory of {p}"),
            Origin::Padding(p) => write!(f, "padding of a block of {p}"),
            Origin::WrittenBack(p) => write!(f, "a block of {p} that was written back before"),
            Origin::MaskedLane => write!(f, "a lane that a masked load left out"),
            Origin::OutOfBounds(p) => write!(f, "a read outside {p}"),
            Origin::Overwritten { place, by } => {
                write!(f, "{place}, overwritten by {by} at the same address")
            }
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Use::Branch => write!(f, "a branch condition"),
            Use::LoopCondition => write!(f, "a loop condition"),
            Use::LoopBound => write!(f, "a loop bound"),
            Use::Index => write!(f, "an index"),
            Use::CopySize => write!(f, "the size of a copy"),
            Use::SemaphoreAmount => write!(f, "a semaphore amount"),
            Use::Amount => write!(f, "an amount of rotation"),
            Use::Mask => write!(f, "a mask"),
            Use::Output { output, element } => write!(f, "element {element:?} of output {output}"),
        }
    }
}

impl fmt::Display for HazardKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HazardKind::InvalidUse {
                used_as,
                origin,
                chain,
            } => {
                write!(f, "{used_as} hangs on {origin}")?;
                for link in chain {
                    write!(f, " -> {} ({})", link.op, link.location)?;
                }
                Ok(())
            }
            HazardKind::OutOfBounds {
                place,
                dimension,
                index,
                size,
            } => {
                write!(
                    f,
                    "index {index} of dimension {dimension} of {place} is out of bounds: the size is {size}"
                )
            }
            HazardKind::GatherOutOfBounds {
                dimension,
                index,
                size,
            } => write!(
                f,
                "gather index {index} along dimension {dimension} is out of bounds: the size is {size}"
            ),
            HazardKind::OverCapacity {
                space,
                needed,
                capacity,
            } => {
                write!(
                    f,
                    "the buffers in {} need {needed} bytes, it has {capacity}",
                    space.word()
                )
            }
            HazardKind::Race {
                access,
                copy,
                place,
                started,
            } => {
                write!(
                    f,
                    "{access} of {place} races with the {copy} of the copy started at {started}"
                )
            }
            HazardKind::AmbiguousWait {
                access,
                place,
                started,
                waited,
            } => write!(
                f,
                "{access} of {place}: bytes of another copy can release the wait at {waited} before the copy started at {started} has ended"
            ),
            HazardKind::SemaphoreNotZero {
                place,
                index,
                value,
            } => {
                write!(f, "semaphore {index} of {place} ends at {value}")
            }
            HazardKind::Deadlock {
                place,
                wanted,
                available,
            } => {
                write!(
                    f,
                    "a wait for {wanted} on {place} never ends: at most {available} can arrive"
                )
            }
            HazardKind::OutputNotWritten { output, element } => {
                write!(f, "element {element:?} of output {output} is never written")
            }
            HazardKind::OrderDependent { output, element } => write!(
                f,
                "element {element:?} of output {output} hangs on the order of steps along a parallel dimension"
            ),
            HazardKind::StaleState { output, element } => {
                write!(
                    f,
                    "element {element:?} of output {output} hangs on what memory held before"
                )
            }
        }
    }
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kernel '{}', {} at {}",
            self.kernel, self.op, self.location
        )?;
        if !self.step.is_empty() {
            write!(f, ", grid step {:?}", self.step)?;
        }
        write!(f, ": {}", self.kind)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}
