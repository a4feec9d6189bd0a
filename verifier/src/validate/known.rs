//! What is known of a pipeline whose programs are checked many times with one thing changed, as mutants are: the program it began with, and what the check of
//! the right program found. A check of a changed program starts from the values of the right one, and runs what is changed.
//!
//! Assumes that a kernel which is as it was gives what it gave and has the hazards that it had, on the same operands.

use super::run::Delta;
use crate::{
    inputs::Class,
    kernels::hazards::Calls,
    level::Level,
    session::{Saved, Session},
    verdict::Verdict,
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};
use tileproof_dialect::{program::Program, tpu::Hazard};

/// Most bytes of values that are kept of all runs.
const MOST_BYTES: usize = 512 << 20;

/// A run: level, class, seed of the inputs and of the residues.
pub type Run = (&'static str, Class, u64, u64);

/// What is known.
pub struct Known {
    /// The program that the pipeline began with: arguments are generated for it. One made from it no longer says what they are for: a factorization in
    /// a kernel does not tell that it needs a positive definite matrix.
    pub source: Arc<Program>,
    /// Whether what runs is the right program.
    is_right: AtomicBool,
    runs: Mutex<HashMap<Run, Arc<Kept>>>,
    /// Runs that the right program was given up on, with the reason.
    given_up: Mutex<HashMap<(&'static str, Class, u64), String>>,
    bytes: AtomicUsize,
    calls: Mutex<HashMap<(Class, u64), Calls>>,
    hazards: Mutex<HashMap<u128, Vec<Hazard>>>,
}

/// What a run of the right program left.
pub struct Kept {
    pub session: Saved,
    /// Structures of both sides of what was tried on values of its own.
    pub probed: HashSet<(u128, u128)>,
    pub calls: Calls,
}

impl Known {
    /// Nothing but the program; what is checked first is the right one.
    pub fn new(source: Arc<Program>) -> Known {
        Known {
            source,
            is_right: AtomicBool::new(true),
            runs: Mutex::default(),
            given_up: Mutex::default(),
            bytes: AtomicUsize::new(0),
            calls: Mutex::default(),
            hazards: Mutex::default(),
        }
    }

    /// From now on changed programs are checked.
    pub fn close(&self) {
        self.is_right.store(false, Ordering::Relaxed);
    }

    /// Whether a changed program is checked: one mismatch is enough.
    pub fn is_closed(&self) -> bool {
        !self.is_right.load(Ordering::Relaxed)
    }

    pub fn run(&self, run: &Run) -> Option<Arc<Kept>> {
        locked(&self.runs).get(run).cloned()
    }

    /// Keeps a run of the right program that found nothing wrong.
    pub fn keep(
        &self,
        run: Run,
        session: Session<'_>,
        passes: &[Delta],
        probed: HashSet<(u128, u128)>,
        calls: &Calls,
    ) {
        let wrong = |d: &Delta| d.verdicts.iter().any(Verdict::is_mismatch);
        if self.is_closed() || passes.iter().any(wrong) {
            return;
        }
        let bytes = session.bytes();
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_BYTES {
            return;
        }
        let kept = Kept {
            session: session.saved(),
            probed,
            calls: calls.clone(),
        };
        locked(&self.runs).insert(run, Arc::new(kept));
    }

    /// Why the right program was given up on; a changed one is not begun.
    pub fn given_up(&self, level: Level, class: Class, seed: u64) -> Option<String> {
        let all = locked(&self.given_up);
        let why = all.get(&(level.name(), class, seed)).cloned();
        why.filter(|_| self.is_closed())
    }

    pub fn give_up(&self, level: Level, class: Class, seed: u64, why: &str) {
        if !self.is_closed() {
            let run = (level.name(), class, seed);
            locked(&self.given_up).insert(run, why.to_string());
        }
    }

    /// With which arguments the right program calls its kernels first.
    pub fn calls(&self, class: Class, seed: u64) -> Option<Calls> {
        locked(&self.calls).get(&(class, seed)).cloned()
    }

    pub fn keep_calls(&self, class: Class, seed: u64, calls: &Calls) {
        if !self.is_closed() {
            locked(&self.calls).insert((class, seed), calls.clone());
        }
    }

    /// Hazards by the hash of kernel, arguments and effort.
    pub fn hazards(&self, key: u128) -> Option<Vec<Hazard>> {
        locked(&self.hazards).get(&key).cloned()
    }

    pub fn keep_hazards(&self, key: u128, found: &[Hazard]) {
        if !self.is_closed() {
            locked(&self.hazards).insert(key, found.to_vec());
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The run of a level.
pub fn run(level: Level, class: Class, seed: u64, ring_seed: u64) -> Run {
    (level.name(), class, seed, ring_seed)
}
