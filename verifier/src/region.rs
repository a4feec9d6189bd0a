//! One changed region: the ops on either side between a value that both versions share and the nearest shared values it is computed from. Both sides
//! start from the same cut values with error zero, so the bound covers this region only.
//!
//! Proves: both sides are roundings of one real value within their derived bounds. Cannot: judge a region whose bound is wide (it says `Loose`).

use crate::{
    compare::bounds,
    session::{Content, Environment, Session, Version},
    verdict::Ieee,
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    bound::Bound,
    eval::Stop,
    op::Kind,
    program::{OpId, RegionId, ValueDef, ValueId},
};
use xxhash_rust::xxh3::Xxh3;

/// Deeper chains of rounding ops are not bounded: the bound would say nothing (DESIGN.md section 7).
pub const MAX_DEPTH: u32 = 32;

/// The ops of one side that compute `root` from cut values, in program order.
#[derive(Debug, Clone)]
pub struct Side {
    pub root: ValueId,
    pub ops: Vec<OpId>,
}

/// Collects the side of `root` inside `region`: walks back until `is_cut` says that a value is shared. Values from outside the region are cuts.
pub fn collect(
    version: &Version<'_>,
    region: RegionId,
    root: ValueId,
    is_cut: impl Fn(ValueId) -> bool,
) -> Side {
    let program = &version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut found = HashSet::new();
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        let ValueDef::Result { op, .. } = program.value(v).def else {
            continue;
        };
        if !members.contains(&op) || (v != root && is_cut(v)) || !found.insert(op) {
            continue;
        }
        stack.extend(
            program
                .op(op)
                .operands
                .iter()
                .chain(version.captures(op))
                .copied(),
        );
    }
    let ops = program
        .region(region)
        .ops
        .iter()
        .copied()
        .filter(|op| found.contains(op))
        .collect();
    Side { root, ops }
}

/// Hash of the structure of a side: two regions of equal structure on both sides are validated once.
pub fn structure(version: &Version<'_>, side: &Side) -> u128 {
    let mut numbering: HashMap<ValueId, u64> = HashMap::new();
    let mut h = Xxh3::new();
    let mut number = |v: ValueId, h: &mut Xxh3| {
        let next = numbering.len() as u64;
        let n = *numbering.entry(v).or_insert_with(|| {
            h.update(version.program.ty(v).to_string().as_bytes());
            next
        });
        h.update(&n.to_le_bytes());
    };
    for op in &side.ops {
        h.update(&version.op_hash(*op).to_le_bytes());
        version
            .program
            .op(*op)
            .operands
            .iter()
            .chain(version.captures(*op))
            .for_each(|v| number(*v, &mut h));
        version
            .program
            .op(*op)
            .results
            .iter()
            .for_each(|v| number(*v, &mut h));
    }
    number(side.root, &mut h);
    h.digest128()
}

/// Bound of the root of a side whose cut values are exact. `root` is the content of the root as this side computed it; the other values are in the
/// environment. `Err(why)` inside: the region is too deep.
pub fn bound(
    session: &mut Session<'_>,
    version: &Version<'_>,
    side: &Side,
    environment: &Environment,
    root: Content,
) -> Result<Result<Bound, String>, Stop> {
    let mut errors: HashMap<ValueId, Bound> = HashMap::new();
    let mut depths: HashMap<ValueId, u32> = HashMap::new();
    let program = version.program;
    for op in &side.ops {
        let operation = program.op(*op);
        let inputs: Vec<Bound> = operation
            .operands
            .iter()
            .map(|v| errors.get(v).cloned().unwrap_or(Bound::Exact))
            .collect();
        let depth = operation
            .operands
            .iter()
            .chain(version.captures(*op))
            .filter_map(|v| depths.get(v))
            .max()
            .copied()
            .unwrap_or(0)
            + u32::from(!matches!(
                operation.op.kind(),
                Kind::Movement | Kind::Integer
            ));
        if depth > MAX_DEPTH {
            return Ok(Err(format!("deeper than {MAX_DEPTH} operations")));
        }
        let results: Vec<Content> = operation
            .results
            .iter()
            .map(|v| {
                if *v == side.root {
                    Some(root)
                } else {
                    environment.get(v).copied()
                }
            })
            .collect::<Option<_>>()
            .ok_or_else(|| Stop::internal("a value of a region is missing"))?;
        let bounds = session.bound_op(version, *op, environment, &inputs, &results)?;
        for (v, b) in operation.results.iter().zip(bounds) {
            errors.insert(*v, b);
            depths.insert(*v, depth);
        }
    }
    Ok(Ok(errors.remove(&side.root).unwrap_or(Bound::Exact)))
}

/// One version's part in a comparison.
pub struct Part<'a> {
    pub version: &'a Version<'a>,
    pub side: &'a Side,
    pub environment: &'a Environment,
    pub root: Content,
}

/// Compares the roots of both sides within their bounds.
pub fn compare(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
) -> Result<bounds::Bounded, Stop> {
    let loose = |why: String| bounds::Bounded {
        ieee: Ieee::Loose(why),
        outside: None,
        undetermined: 0,
        wide: 0,
        total: 0,
    };
    let want_bound = match bound(
        session,
        before.version,
        before.side,
        before.environment,
        before.root,
    )? {
        Ok(b) => b,
        Err(why) => return Ok(loose(why)),
    };
    let got_bound = match bound(
        session,
        after.version,
        after.side,
        after.environment,
        after.root,
    )? {
        Ok(b) => b,
        Err(why) => return Ok(loose(why)),
    };
    let (want, got) = (session.value(before.root)?, session.value(after.root)?);
    match (want.as_tensor(), got.as_tensor()) {
        (Some(w), Some(g)) if w.len() == g.len() => {
            Ok(bounds::compare(w, &want_bound, g, &got_bound))
        }
        (_, _) => Ok(loose("not a tensor".to_string())),
    }
}
