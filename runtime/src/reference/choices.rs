//! What each op chose over a run: outcomes of compares, selects, branches and loop conditions, and of those inside bodies that run in batches, by op.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};
use tileproof_dialect::program::{OpId, Operation};

/// Counts by op: (false, true).
#[derive(Debug, Default)]
pub struct Choices(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    by_op: BTreeMap<OpId, [u64; 2]>,
    total: [u64; 2],
}

/// What was counted when an op began.
pub struct Begun {
    events: [u64; 2],
    /// What ops inside it have counted for themselves; none where there are none.
    inside: Option<[u64; 2]>,
}

impl Choices {
    pub fn begin(&self, o: &Operation, events: [u64; 2]) -> Begun {
        let inner = !o.regions.is_empty() || o.op.is_call();
        Begun {
            events,
            inside: inner.then(|| self.with(|counts| counts.total)),
        }
    }

    /// Counts for `op` what it chose since it began, without what ops inside it chose.
    pub fn end(&self, op: OpId, begun: &Begun, events: [u64; 2]) {
        let since = |k: usize| events[k].saturating_sub(begun.events[k]);
        let all = [since(0), since(1)];
        if all == [0, 0] {
            return;
        }
        let inside = match begun.inside {
            Some(before) => {
                let now = self.with(|counts| counts.total);
                [now[0] - before[0], now[1] - before[1]]
            }
            None => [0, 0],
        };
        self.add(op, [0, 1].map(|k| all[k].saturating_sub(inside[k])));
    }

    pub fn add(&self, op: OpId, chosen: [u64; 2]) {
        if chosen == [0, 0] {
            return;
        }
        self.with(|counts| {
            let own = counts.by_op.entry(op).or_default();
            for k in 0..2 {
                own[k] += chosen[k];
                counts.total[k] += chosen[k];
            }
        });
    }

    /// The counts so far, by op.
    pub fn by_op(&self) -> BTreeMap<OpId, [u64; 2]> {
        self.with(|counts| counts.by_op.clone())
    }

    fn with<T>(&self, f: impl FnOnce(&mut Counts) -> T) -> T {
        // A panic elsewhere leaves whole counts behind.
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
