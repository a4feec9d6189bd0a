//! Names the op and the rewrite behind a difference: the first after-side op that computes a value without partner from shared values only.

use crate::{
    co_evaluation::Pair,
    kernels::{self, inside::Inside},
    session::{Content, Environment, Version},
    validate::Origin,
};
use std::{collections::HashSet, sync::Arc};
use tileproof_dialect::{
    location::{Location, SourceOp},
    numerics::Numerics,
    program::{OpId, RegionId, ValueDef, ValueId},
};

/// One applied rewrite, from the pass manager's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// `PASS:REWRITE#N`.
    pub id: Arc<str>,
    pub number: u32,
    /// Source ops of the op that was replaced, the one whose value it computed first.
    pub replaced: Vec<SourceOp>,
    /// What it may change, where the pass says so of each rewrite.
    pub numerics: Option<Numerics>,
}

/// Where a difference comes from.
#[derive(Debug, Clone)]
pub struct Blame {
    /// Name of the after-side op.
    pub op: String,
    pub location: Location,
    pub rewrite: Option<Arc<str>>,
    /// The value that differs and its counterpart by provenance.
    pub after: Option<ValueId>,
    pub before: Option<ValueId>,
    /// Of an op that calls a kernel: the op in it that gives the first wrong value, where one is known.
    pub inside: Option<Inside>,
}

/// What both sides computed.
pub struct Contents<'e> {
    pub before: &'e Environment,
    pub after: &'e Environment,
    /// Contents of the before side.
    pub known: &'e HashSet<Content>,
}

/// Blame for returned value number `index` of the two regions.
pub fn find(
    pair: &Pair<'_>,
    (before, after): (RegionId, RegionId),
    index: usize,
    contents: &Contents<'_>,
) -> Blame {
    let is_cut = |v: ValueId| {
        contents
            .after
            .get(&v)
            .is_some_and(|c| contents.known.contains(c))
    };
    let program = &pair.after.program;
    let Some(root) = program.returned(after).get(index).copied() else {
        return Blame {
            op: "return".to_string(),
            location: Location::default(),
            rewrite: None,
            after: None,
            before: None,
            inside: None,
        };
    };
    match frontier(pair.after, after, root, &is_cut) {
        Some(op) => {
            let o = program.op(op);
            let after_value = o
                .results
                .iter()
                .copied()
                .find(|v| !is_cut(*v))
                .or(o.results.first().copied());
            let counterpart = match pair.origin {
                Origin::Pass => counterpart(pair, before, op),
                Origin::Foreign => twin(pair, (before, after), op, contents),
            };
            let before_value = counterpart.and_then(|c| {
                let position = o
                    .results
                    .iter()
                    .position(|v| Some(*v) == after_value)
                    .unwrap_or(0);
                pair.before.program.op(c).results.get(position).copied()
            });
            let own = kernels::made_by(program, op)
                .filter(|id| pair.rewrites.iter().any(|r| r.id == *id));
            let rewrite =
                own.or_else(|| counterpart.and_then(|c| operand_rewrite(pair, c, op, contents)));
            Blame {
                op: kernels::name(program, op),
                location: o.location.clone(),
                rewrite,
                after: after_value,
                before: before_value,
                inside: None,
            }
        }
        // The returned value itself was replaced by a shared one.
        None => {
            let want = pair.before.program.returned(before).get(index).copied();
            let rewrite = want.and_then(|v| rewrite_of_value(pair, v));
            let def = |version: &Version<'_>, v: ValueId| match version.program.value(v).def {
                ValueDef::Result { op, .. } => Some((
                    version.program.op(op).op.name(),
                    version.program.op(op).location.clone(),
                )),
                ValueDef::Argument { .. } => None,
            };
            let (op, location) = want
                .and_then(|v| def(pair.before, v))
                .unwrap_or(("return".to_string(), Location::default()));
            Blame {
                op,
                location,
                rewrite,
                after: Some(root),
                before: want,
                inside: None,
            }
        }
    }
}

/// First op, in program order, that feeds `root` through values without partner and itself has only shared operands.
fn frontier(
    version: &Version<'_>,
    region: RegionId,
    root: ValueId,
    is_cut: &impl Fn(ValueId) -> bool,
) -> Option<OpId> {
    let program = &version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut reached = HashSet::new();
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        let ValueDef::Result { op, .. } = program.value(v).def else {
            continue;
        };
        if is_cut(v) || !members.contains(&op) || !reached.insert(op) {
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
    program.region(region).ops.iter().copied().find(|op| {
        reached.contains(op)
            && program
                .op(*op)
                .operands
                .iter()
                .chain(version.captures(*op))
                .all(|v| match program.value(*v).def {
                    ValueDef::Result { op: inner, .. } => is_cut(*v) || !reached.contains(&inner),
                    ValueDef::Argument { .. } => true,
                })
    })
}

/// Before-side op with the same first source op: one of the same name if there is one, else the last.
fn counterpart(pair: &Pair<'_>, before: RegionId, op: OpId) -> Option<OpId> {
    let o = pair.after.program.op(op);
    let root = o.location.sources.first()?;
    let fits = || {
        pair.before
            .program
            .region(before)
            .ops
            .iter()
            .copied()
            .filter(|c| pair.before.program.op(*c).location.sources.first() == Some(root))
    };
    fits()
        .find(|c| pair.before.program.op(*c).op.name() == o.op.name())
        .or_else(|| fits().next_back())
}

/// Before-side op of the same name and result types with the most operands in common, the one at the nearest place among equals. It shares an operand,
/// or stands at the same place.
fn twin(
    pair: &Pair<'_>,
    (before, after): (RegionId, RegionId),
    op: OpId,
    contents: &Contents<'_>,
) -> Option<OpId> {
    let o = pair.after.program.op(op);
    let place = |ops: &[OpId], op: OpId| {
        ops.iter()
            .position(|x| *x == op)
            .map(|i| i as f64 / ops.len() as f64)
    };
    let (b, a) = (
        &pair.before.program.region(before).ops,
        &pair.after.program.region(after).ops,
    );
    let at = place(a, op)?;
    let types = |p: &tileproof_dialect::program::Program, vs: &[ValueId]| -> Vec<String> {
        vs.iter().map(|v| p.ty(*v).to_string()).collect()
    };
    let mine = types(pair.after.program, &o.results);
    let common = |c: OpId| {
        pair.before
            .program
            .op(c)
            .operands
            .iter()
            .zip(&o.operands)
            .filter(|(x, y)| {
                contents.before.get(x).is_some() && contents.before.get(x) == contents.after.get(y)
            })
            .count()
    };
    b.iter()
        .enumerate()
        .filter(|(_, c)| {
            let c = pair.before.program.op(**c);
            c.op.name() == o.op.name() && types(pair.before.program, &c.results) == mine
        })
        .map(|(i, c)| {
            let near = -(i as f64 / b.len() as f64 - at).abs();
            ((common(*c), near), *c)
        })
        .max_by(|x, y| x.0.0.cmp(&y.0.0).then(x.0.1.total_cmp(&y.0.1)))
        .map(|(_, c)| c)
}

/// Rewrite that replaced the first operand in which the op and its counterpart differ.
fn operand_rewrite(
    pair: &Pair<'_>,
    before: OpId,
    after: OpId,
    contents: &Contents<'_>,
) -> Option<Arc<str>> {
    let (b, a) = (
        &pair.before.program.op(before).operands,
        &pair.after.program.op(after).operands,
    );
    let changed = b
        .iter()
        .zip(a)
        .find(|(x, y)| contents.before.get(x) != contents.after.get(y));
    changed.and_then(|(x, _)| rewrite_of_value(pair, *x))
}

/// The logged rewrite that replaced the op computing before-side value `v`.
fn rewrite_of_value(pair: &Pair<'_>, v: ValueId) -> Option<Arc<str>> {
    let ValueDef::Result { op, .. } = pair.before.program.value(v).def else {
        return None;
    };
    let root = pair.before.program.op(op).location.sources.first()?;
    pair.rewrites
        .iter()
        .find(|r| r.replaced.first() == Some(root))
        .map(|r| r.id.clone())
}
