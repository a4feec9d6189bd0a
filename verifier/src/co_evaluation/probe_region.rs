//! Which ops of a body a probe takes: those near its root, if all of them end and repeat, from values that do not hang on each other.

use super::probe::{MOST_OPS, MOST_WALKED};
use crate::{
    region::{self, Side},
    session::{Content, Environment, Version},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    hlo,
    location::SourceOp,
    op::{Kind, Op},
    program::{OpId, Program, RegionId, ValueDef, ValueId},
};

/// Whether `x` is what the rewrite that made `v` moved for it. It may be what both sides have by chance: the transpose of a matrix that is symmetric on the
/// inputs at hand.
pub(super) fn moved_for(program: &Program, x: ValueId, v: ValueId) -> bool {
    let definition = |v: ValueId| match program.value(v).def {
        ValueDef::Result { op, .. } => Some(program.op(op)),
        ValueDef::Argument { .. } => None,
    };
    let (Some(moved), Some(made)) = (definition(x), definition(v)) else {
        return false;
    };
    let source = made.location.sources.first();
    x != v
        && moved.op.kind() == Kind::Movement
        && source.is_some()
        && moved.location.sources.first() == source
}

/// As [`region::collect`], but the `reach` ops nearest to the root are in the side whatever is cut. None: the side is large.
pub(super) fn collect(
    version: &Version<'_>,
    region: RegionId,
    root: ValueId,
    reach: usize,
    is_cut: impl Fn(ValueId) -> bool,
) -> Option<Side> {
    let program = version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut found = HashSet::new();
    let mut level = vec![root];
    for depth in 0.. {
        let mut next = vec![];
        for x in level {
            let ValueDef::Result { op, .. } = program.value(x).def else {
                continue;
            };
            if !members.contains(&op) || (depth >= reach && is_cut(x)) || !found.insert(op) {
                continue;
            }
            next.extend(program.op(op).operands.iter().chain(version.captures(op)));
        }
        if found.len() > MOST_OPS {
            return None;
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    let ops = program.region(region).ops.iter().copied();
    let ops: Vec<OpId> = ops.filter(|op| found.contains(op)).collect();
    (!ops.is_empty()).then_some(Side { root, ops })
}

/// Whether every op of the side ends, and gives the same each time, whatever its operands.
pub(super) fn is_plain(program: &Program, side: &Side) -> bool {
    let plain = |id: OpId| {
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        o.op.kind() != Kind::Effect
            && !matches!(
                op,
                hlo::Op::While(_) | hlo::Op::Rng(_) | hlo::Op::CustomCall(_) | hlo::Op::Call(_)
            )
    };
    side.ops.iter().all(|op| {
        let mut inner = program
            .op(*op)
            .regions
            .iter()
            .flat_map(|r| program.ops_within(*r));
        plain(*op) && inner.all(plain)
    })
}

/// Of these contents, those that are computed from another of them. None: a walk grew too long.
pub(super) fn dependent_leaves(
    version: &Version<'_>,
    region: RegionId,
    environment: &Environment,
    all: &HashSet<Content>,
) -> Option<Vec<Content>> {
    let program = version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut out = vec![];
    let holds = |x: &ValueId| environment.get(x).is_some_and(|c| all.contains(c));
    let results = program
        .region(region)
        .ops
        .iter()
        .flat_map(|op| &program.op(*op).results);
    for start in results.filter(|x| holds(x)) {
        let own = environment.get(start);
        let mut seen = HashSet::new();
        let mut stack = vec![*start];
        while let Some(x) = stack.pop() {
            if x != *start && environment.get(&x) != own && holds(&x) {
                out.extend(own);
                break;
            }
            let ValueDef::Result { op, .. } = program.value(x).def else {
                continue;
            };
            if !members.contains(&op) || !seen.insert(op) {
                continue;
            }
            if seen.len() > MOST_WALKED {
                return None;
            }
            stack.extend(program.op(op).operands.iter().chain(version.captures(op)));
        }
    }
    Some(out)
}

/// A side with the values its program has.
type Valued<'a> = (&'a Version<'a>, &'a Side, &'a Environment);

/// Contents that the two sides start from, and that are one value only on the inputs at hand, as far as can be told: an index, and that index where no
/// negative one was counted from the end. One value are: the same argument, results of one source op, and values that are alone in having the content.
pub(super) fn unlike_leaves(before: Valued<'_>, after: Valued<'_>) -> Vec<Content> {
    let mut named: HashMap<Content, HashSet<Name>> = HashMap::new();
    for (version, side, environment) in [before, after] {
        for x in region::leaves(version, side) {
            if let Some(content) = environment.get(&x) {
                let name = Name::of(version.program, x);
                named.entry(*content).or_default().insert(name);
            }
        }
    }
    let is_alone = |(version, _, environment): Valued<'_>, content: &Content| {
        let mut all = environment.iter().filter(|(_, c)| *c == content);
        let first = all.next().map(|(x, _)| Name::of(version.program, *x));
        all.all(|(x, _)| Some(Name::of(version.program, *x)) == first)
    };
    named
        .into_iter()
        .filter(|(content, names)| {
            names.len() > 1 && !(is_alone(before, content) && is_alone(after, content))
        })
        .map(|(content, _)| content)
        .collect()
}

/// Whether a value that the sides start from is a constant in one program and none in the other: it cannot be drawn for both.
pub(super) fn is_constant_on_one_side(before: Valued<'_>, after: Valued<'_>) -> bool {
    let starts = |(version, side, e): Valued<'_>, constant: bool| -> HashSet<Content> {
        let all = region::leaves(version, side).into_iter();
        let all = all.filter(|x| version.is_constant(*x) == constant);
        all.filter_map(|x| e.get(&x).copied()).collect()
    };
    let fixed_in = |one: Valued<'_>, other: Valued<'_>| {
        let (constant, drawn) = (starts(one, true), starts(one, false));
        let others = starts(other, false);
        constant
            .iter()
            .any(|c| !drawn.contains(c) && others.contains(c))
    };
    fixed_in(before, after) || fixed_in(after, before)
}

/// What tells a value from others.
#[derive(PartialEq, Eq, Hash)]
enum Name {
    Argument(u32),
    Result(SourceOp),
    Unknown(ValueId),
}

impl Name {
    fn of(program: &Program, v: ValueId) -> Name {
        match program.value(v).def {
            ValueDef::Argument { index, .. } => Name::Argument(index),
            ValueDef::Result { op, .. } => match program.op(op).location.sources.first() {
                Some(source) => Name::Result(*source),
                None => Name::Unknown(v),
            },
        }
    }
}
