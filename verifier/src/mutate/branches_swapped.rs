//! `branches-swapped`: two branches of a conditional change places.

use super::{Mutator, draft, look};
use tileproof_dialect::program::{OpId, Program, RegionId, ValueId};

pub const MUTATOR: Mutator = Mutator {
    name: "branches-swapped",
    summary: "exchanges two branches of a conditional",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let n = program.op(id).regions.len();
    if !["if", "case"].contains(&look::name(program, id)) || n < 2 {
        return None;
    }
    let at = seed as usize % (n - 1);
    let regions = &program.op(id).regions;
    let same = |f: fn(&Program, RegionId) -> (u128, Vec<ValueId>)| {
        f(program, regions[at]) == f(program, regions[at + 1])
    };
    if same(|p, r| (p.region_hash(r), p.captured(r))) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.swap(at, at + 1);
    draft::replaced(program, id, |d| d.keep_with_regions(&order))
}
