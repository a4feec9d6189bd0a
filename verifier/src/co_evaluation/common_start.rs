//! Values that both sides of a region start from. A side that starts from a cut value which the other side computes on the way takes for exact what is rounded
//! there: both are followed back behind it, as far as they have to be and no farther.

use super::{Bodies, CoEvaluation, Frame};
use crate::{
    region::{self, Side},
    session::{Content, Environment, Version},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::program::{RegionId, ValueId};

/// How often both sides are followed back.
const MOST_STEPS_BACK: usize = 256;

impl CoEvaluation<'_, '_, '_> {
    /// The same region from values that both sides start from, where the given sides do not. None: they do, or there is nothing farther back.
    pub(super) fn common_start(
        &self,
        (want, got): (&Side, &Side),
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<(Side, Side)> {
        let (before, after) = (self.pair.before, self.pair.after);
        let (mut w, mut g) = (want.clone(), got.clone());
        let contents = |version: &Version<'_>, side: &Side, e: &Environment| {
            let mut all = region::leaves(version, side);
            all.retain(|x| !version.is_constant(*x));
            let each = all.iter().filter_map(|x| e.get(x));
            each.copied().collect::<HashSet<Content>>()
        };
        let made = self.made(bodies.before, frame);
        // What only one side starts from is no start of either: the last of it first, for the rest may be what it is computed from.
        let mut passed: HashSet<Content> = HashSet::new();
        for _ in 0..MOST_STEPS_BACK {
            let starts = contents(before, &w, &frame.before);
            let others = contents(after, &g, &frame.followed.after);
            let apart = starts.symmetric_difference(&others);
            let apart = apart.filter(|c| !passed.contains(c));
            // Arguments are all that is left.
            let Some(place) = apart.filter_map(|c| made.get(c)).max() else {
                break;
            };
            passed.extend(made.iter().filter(|(_, at)| *at == place).map(|(c, _)| *c));
            let starts = |e: &Environment, x: ValueId| {
                e.get(&x)
                    .is_some_and(|c| frame.followed.shared.contains(c) && !passed.contains(c))
            };
            let farther = (
                region::collect(before, bodies.before, want.root, |x| {
                    starts(&frame.before, x)
                }),
                region::collect(after, bodies.after, got.root, |x| {
                    starts(&frame.followed.after, x)
                }),
            );
            // What an op passes on unchanged is made there too, and changes nothing.
            (w, g) = farther;
        }
        (w.ops != want.ops || g.ops != got.ops).then_some((w, g))
    }

    /// Which op of a body of the before side gives a content first.
    fn made(&self, body: RegionId, frame: &Frame) -> HashMap<Content, usize> {
        let program = self.pair.before.program;
        let mut out = HashMap::new();
        for (place, op) in program.region(body).ops.iter().enumerate() {
            for v in &program.op(*op).results {
                if let Some(content) = frame.before.get(v) {
                    out.entry(*content).or_insert(place);
                }
            }
        }
        out
    }
}
