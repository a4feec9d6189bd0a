//! What is wrong with a kernel beside its values: a wrong use of memory that a run showed, or addresses that no run can be right with.

use crate::checkers::vmem::VmemFault;
use std::fmt;
use tileproof_dialect::{
    location::Location,
    tpu::{Hazard, HazardKind, hazard::Link},
};

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A simulation showed it.
    Memory(Hazard),
    /// The checker of addresses says so, for all runs.
    Addresses {
        kernel: String,
        location: Location,
        fault: VmemFault,
    },
}

impl Fault {
    pub fn kernel(&self) -> &str {
        match self {
            Fault::Memory(h) => &h.kernel,
            Fault::Addresses { kernel, .. } => kernel,
        }
    }

    /// Name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Memory(h) => kind_name(&h.kind),
            Fault::Addresses { fault, .. } => match fault {
                VmemFault::UnknownSize { .. } => "UnknownSize",
                VmemFault::NoAddress { .. } => "NoAddress",
                VmemFault::Misaligned { .. } => "MisalignedAddress",
                VmemFault::BeyondCapacity { .. } => "OverCapacity",
                VmemFault::Overlap { .. } => "OverlappingBuffers",
            },
        }
    }

    /// The op of the kernel, or the kernel.
    pub fn op(&self) -> &'static str {
        match self {
            Fault::Memory(h) => h.op,
            Fault::Addresses { .. } => "kernel",
        }
    }

    pub fn location(&self) -> &Location {
        match self {
            Fault::Memory(h) => &h.location,
            Fault::Addresses { location, .. } => location,
        }
    }

    /// Grid step it showed at first.
    pub fn step(&self) -> &[u64] {
        match self {
            Fault::Memory(h) => &h.step,
            Fault::Addresses { .. } => &[],
        }
    }

    pub fn count(&self) -> u64 {
        match self {
            Fault::Memory(h) => h.count,
            Fault::Addresses { .. } => 1,
        }
    }

    /// What happens, without the place.
    pub fn words(&self) -> String {
        match self {
            Fault::Memory(h) => h.kind.to_string(),
            Fault::Addresses { fault, .. } => fault.to_string(),
        }
    }

    /// The ops that an invalid element went through.
    pub fn chain(&self) -> &[Link] {
        match self {
            Fault::Memory(h) => chain(&h.kind),
            Fault::Addresses { .. } => &[],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Memory(h) => h.fmt(f),
            Fault::Addresses { kernel, fault, .. } => write!(f, "kernel '{kernel}': {fault}"),
        }
    }
}

/// Name of a kind of hazard.
pub fn kind_name(kind: &HazardKind) -> &'static str {
    match kind {
        HazardKind::InvalidUse { .. } => "InvalidUse",
        HazardKind::OutOfBounds { .. } => "OutOfBounds",
        HazardKind::GatherOutOfBounds { .. } => "GatherOutOfBounds",
        HazardKind::OverCapacity { .. } => "OverCapacity",
        HazardKind::Race { .. } => "Race",
        HazardKind::AmbiguousWait { .. } => "AmbiguousWait",
        HazardKind::SemaphoreNotZero { .. } => "SemaphoreNotZero",
        HazardKind::Deadlock { .. } => "Deadlock",
        HazardKind::OutputNotWritten { .. } => "OutputNotWritten",
        HazardKind::StaleState { .. } => "StaleState",
        HazardKind::OrderDependent { .. } => "OrderDependent",
    }
}

fn chain(kind: &HazardKind) -> &[Link] {
    match kind {
        HazardKind::InvalidUse { chain, .. } => chain,
        HazardKind::OutOfBounds { .. }
        | HazardKind::GatherOutOfBounds { .. }
        | HazardKind::OverCapacity { .. }
        | HazardKind::Race { .. }
        | HazardKind::AmbiguousWait { .. }
        | HazardKind::SemaphoreNotZero { .. }
        | HazardKind::Deadlock { .. }
        | HazardKind::OutputNotWritten { .. }
        | HazardKind::StaleState { .. }
        | HazardKind::OrderDependent { .. } => &[],
    }
}
