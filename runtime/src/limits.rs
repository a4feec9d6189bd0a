//! Limits of a run: what the tested program may use before the run traps or stops.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use tileproof_dialect::eval::{Stop, Trap};

/// Limits of one run. Reaching one is a [`Trap`] of the tested program; cancellation is [`Stop::Cancelled`].
#[derive(Debug, Clone)]
pub struct Limits {
    /// Largest size of one value in bytes, planes together.
    pub value_bytes: u64,
    /// Most steps of one loop.
    pub loop_steps: u64,
    /// Deepest nesting of calls and regions.
    pub depth: u64,
    /// Set to true to stop the run (Ctrl-C, time limit).
    pub cancelled: Arc<AtomicBool>,
    /// When the run stops by itself.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            value_bytes: 8 << 30,
            loop_steps: 100_000_000,
            depth: 1000,
            cancelled: Arc::new(AtomicBool::new(false)),
            deadline: None,
        }
    }
}

impl Limits {
    /// Whether the deadline has passed.
    pub fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    pub fn check_cancelled(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) || self.is_out_of_time() {
            Err(Stop::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Whether a loop may run step number `step` (from 0).
    pub fn check_step(&self, step: u64) -> Result<(), Stop> {
        self.check_cancelled()?;
        if step >= self.loop_steps {
            Err(Stop::Trap(Trap::StepLimit(self.loop_steps)))
        } else {
            Ok(())
        }
    }

    pub fn check_depth(&self, depth: u64) -> Result<(), Stop> {
        if depth > self.depth {
            Err(Stop::Trap(Trap::DepthLimit(self.depth)))
        } else {
            Ok(())
        }
    }

    /// Whether a value of `elements` elements (none: more than a `u64` counts) of `bytes_each` bytes may exist.
    pub fn check_size(&self, elements: Option<u64>, bytes_each: u64) -> Result<(), Stop> {
        match elements.and_then(|n| n.checked_mul(bytes_each)) {
            Some(bytes) if bytes <= self.value_bytes => Ok(()),
            Some(_) | None => Err(Stop::Trap(Trap::MemoryLimit(self.value_bytes))),
        }
    }
}
