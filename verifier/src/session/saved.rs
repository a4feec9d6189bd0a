//! A session to start others from: its values and results, without what is under way.

use super::{Content, Limits, Planes, Session, Stored, loops::Loops};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::eval::Events;

/// The values of a run.
pub struct Saved {
    values: HashMap<Content, Stored>,
    memo: HashMap<u128, Vec<Content>>,
    chosen: HashMap<u128, [u64; 2]>,
    events: Events,
    independent: HashSet<Content>,
    settled: HashMap<Content, Content>,
    not_run: HashSet<u128>,
    loops: Loops,
}

impl<'a> Session<'a> {
    pub fn saved(self) -> Saved {
        Saved {
            values: self.values,
            memo: self.memo,
            chosen: self.chosen,
            events: self.events,
            independent: self.independent,
            settled: self.settled,
            not_run: self.not_run,
            loops: self.loops,
        }
    }

    /// A session that has the values of `saved`.
    pub fn resumed(planes: Planes, limits: &'a Limits, saved: &Saved) -> Session<'a> {
        Session {
            values: saved.values.clone(),
            memo: saved.memo.clone(),
            chosen: saved.chosen.clone(),
            events: saved.events.clone(),
            independent: saved.independent.clone(),
            settled: saved.settled.clone(),
            not_run: saved.not_run.clone(),
            loops: saved.loops.clone(),
            ..Session::new(planes, limits)
        }
    }
}
