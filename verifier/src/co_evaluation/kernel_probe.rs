//! Calls of kernels on values of their own: a kernel must be right for all operands. It is tried against the ops of the before side that compute its results
//! from its operands, also on equal values and on ones that rise or fall along the tensor, so that what is largest or comes first lies at the ends of blocks.
//! Small kernels at level quick too.

use super::{
    Bodies, CoEvaluation, Frame, RegionResult,
    probe::{MOST_OPS, MOST_WALKED},
    probe_region::{dependent_leaves, is_plain},
    probe_values::Sign,
};
use crate::{
    contract,
    inputs::Class,
    kernels,
    region::{self, Part, Side},
    session::{Content, Version},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::Op,
    program::{OpId, Operation, Program, RegionId, ValueDef, ValueId},
};

/// What is generated for calls of kernels.
pub(super) const PROBES: [(Class, Sign); 15] = [
    (Class::Special, Sign::Drawn),
    (Class::Special, Sign::Few),
    (Class::Special, Sign::Few),
    // An index alone takes one value a time.
    (Class::Boundary, Sign::Below),
    (Class::Boundary, Sign::Beyond),
    (Class::Boundary, Sign::Drawn),
    (Class::Boundary, Sign::Drawn),
    (Class::Normal, Sign::Of(0b0000_0000)),
    (Class::Normal, Sign::Of(0b1111_1111)),
    (Class::Normal, Sign::Of(0b0101_0101)),
    (Class::Normal, Sign::Few),
    (Class::Normal, Sign::Rising),
    (Class::Normal, Sign::Falling),
    (Class::Wide, Sign::Drawn),
    (Class::Subnormal, Sign::Drawn),
];

/// Most ways to read the operands of one call.
const MOST_READINGS: usize = 4;

/// Most scalar operations of one probe of a kernel, and of all, at level quick.
pub(super) const QUICK_WORK: (u64, u64) = (200_000, 4_000_000);

impl CoEvaluation<'_, '_, '_> {
    pub(super) fn is_call_result(&self, v: ValueId) -> bool {
        let program = self.pair.after.program;
        match program.value(v).def {
            ValueDef::Result { op, .. } => program.op(op).op.kernel().is_some(),
            ValueDef::Argument { .. } => false,
        }
    }

    /// Scalar operations of a side on the values at hand.
    pub(super) fn work_of(&self, side: &Side, frame: &Frame) -> u64 {
        let program = self.pair.before.program;
        let each = side.ops.iter();
        each.map(|op| region::work(self.session, program.op(*op), &frame.before))
            .sum()
    }

    /// The call of a kernel that gives `v`, and the ops that compute the before side's `content` from what the kernel takes; in each way to read what it
    /// takes, and none where one of the ways cannot be tried.
    pub(super) fn kernel_regions(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<Vec<(Side, Side)>, Stop> {
        let ValueDef::Result { op, .. } = self.pair.after.program.value(v).def else {
            return Ok(vec![]);
        };
        let mut out = vec![];
        for starts in self.readings(op, bodies, frame).unwrap_or_default() {
            match self.region_from(&starts, (op, v), content, bodies, frame)? {
                Some(sides) => out.push(sides),
                None => return Ok(vec![]),
            }
        }
        Ok(out)
    }

    /// What a kernel rounds to a type that is narrower than all its ops round to, where it shows in none of the results tried: numbers that are off a little give
    /// another choice for few operands. None: it rounds as the before side does.
    pub(super) fn hidden_rounding(
        &mut self,
        (want_side, got_side): &(Side, Side),
        frame: &Frame,
    ) -> Result<Option<RegionResult>, Stop> {
        let (before, after) = (self.pair.before, self.pair.after);
        let Some(content) = frame.before.get(&want_side.root).copied() else {
            return Ok(None);
        };
        let part = |version, side, environment| Part {
            version,
            side,
            environment,
            root: content,
            leaves: HashMap::new(),
        };
        let want = part(before, want_side, &frame.before);
        let got = part(after, got_side, &frame.followed.after);
        let numerics = kernels::numerics(self.pair, &got);
        match contract::refuses_rounding(self.session, &numerics, &want, &got) {
            Some(judged) => {
                self.judged_probe((want_side, got_side), (content, content), judged, frame)
            }
            None => Ok(None),
        }
    }

    /// The call, and the ops that compute `content` from the values `starts`.
    fn region_from(
        &mut self,
        starts: &HashSet<ValueId>,
        (op, v): (OpId, ValueId),
        content: Content,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<Option<(Side, Side)>, Stop> {
        let (before, after) = (self.pair.before, self.pair.after);
        let candidates = self.candidates(op, bodies);
        let residues = self.session.fingerprint(content);
        let same = |p: &ValueId| {
            let known = frame.before.get(p);
            known.is_some_and(|c| self.session.fingerprint(*c) == residues)
                && before.program.ty(*p).compatible(after.program.ty(v))
        };
        // Two values that are equal on the inputs at hand, as a norm of 1 and what divides by it: it cannot be told which of them the kernel computes.
        let ops = before.program.region(bodies.before).ops.iter();
        let results = ops.flat_map(|o| &before.program.op(*o).results);
        let partners: Vec<ValueId> = results.copied().filter(same).collect();
        // The op that the kernel is named after tells, where it has one result.
        let partner = match &partners[..] {
            [one] => *one,
            several => match self.named_after(op, several) {
                Some(one) => one,
                None => return Ok(None),
            },
        };
        if !candidates.contains(&partner) || frame.before.get(&partner) != Some(&content) {
            return Ok(None);
        }
        let want = region::collect(before, bodies.before, partner, |x| starts.contains(&x));
        let got = Side {
            root: v,
            ops: vec![op],
        };
        let leaves = region::leaves(before, &want);
        let content_of = |x: &ValueId| frame.before.get(x).copied();
        let starts_alike = leaves
            .iter()
            .all(|x| starts.contains(x) || before.is_constant(*x));
        let fits = starts_alike
            && !want.ops.is_empty()
            && want.ops.len() <= MOST_OPS
            && is_plain(before.program, &want)
            && !eliminates(before.program, &want);
        if !fits {
            return Ok(None);
        }
        let contents: HashSet<Content> = leaves.iter().filter_map(content_of).collect();
        let mut taken = after.program.op(op).operands.iter();
        let uses_all = taken.all(|x| {
            after.is_constant(*x)
                || frame
                    .followed
                    .after
                    .get(x)
                    .is_none_or(|c| contents.contains(c))
        });
        // Values computed from one another cannot be drawn apart.
        let dependent = dependent_leaves(before, bodies.before, &frame.before, &contents);
        let apart = dependent.is_some_and(|d| d.is_empty());
        Ok((uses_all && apart).then_some((want, got)))
    }

    /// Which of these values stands for the source op that a call with one result is made of at the end.
    fn named_after(&self, op: OpId, values: &[ValueId]) -> Option<ValueId> {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        let o = after.op(op);
        let source = o.location.sources.first()?;
        let made = |v: &&ValueId| match before.value(**v).def {
            ValueDef::Result { op, .. } => before.op(op).location.sources.first() == Some(source),
            ValueDef::Argument { .. } => false,
        };
        let mut found = values.iter().filter(made);
        let one = found.next().filter(|_| o.results.len() == 1);
        one.filter(|_| found.next().is_none()).copied()
    }

    /// The before-side values that the operands of a call stand for: arguments for arguments, results of the same source ops for results. A value of
    /// the same content by chance, as an index that needed no wrapping, is none. Where an operand may stand for a value or for what is computed from it, as
    /// for a sum of squares or for what is left of it above 0, each of them is one reading. None: an operand stands for nothing, or for too many.
    fn readings(&self, op: OpId, bodies: Bodies, frame: &Frame) -> Option<Vec<HashSet<ValueId>>> {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        let region = before.region(bodies.before);
        let results = region.ops.iter().flat_map(|o| &before.op(*o).results);
        let all: Vec<ValueId> = results.chain(&region.arguments).copied().collect();
        let mut out = vec![HashSet::new()];
        for x in &after.op(op).operands {
            let content = frame.followed.after.get(x)?;
            let stands_for = |b: &ValueId| match (after.value(*x).def, before.value(*b).def) {
                (ValueDef::Argument { .. }, ValueDef::Argument { .. }) => true,
                (ValueDef::Result { op: a, .. }, ValueDef::Result { op: b, .. }) => {
                    let sources = &before.op(b).location.sources;
                    let mut mine = after.op(a).location.sources.iter();
                    mine.any(|s| sources.contains(s))
                }
                (_, _) => false,
            };
            let found: Vec<ValueId> = all
                .iter()
                .filter(|b| frame.before.get(b) == Some(content) && stands_for(b))
                .copied()
                .collect();
            if found.is_empty() && !self.pair.after.is_constant(*x) {
                return None;
            }
            let ways = self.ways(&found, bodies)?;
            out = out
                .iter()
                .flat_map(|one| ways.iter().map(move |way| one | way))
                .collect();
            if out.len() > MOST_READINGS {
                return None;
            }
        }
        Some(out)
    }

    /// Which of these before-side values of one content an operand stands for: all, but of two of which one is computed from the other only either. None: a
    /// walk grew too long.
    fn ways(&self, found: &[ValueId], bodies: Bodies) -> Option<Vec<HashSet<ValueId>>> {
        if found.len() <= 1 {
            return Some(vec![found.iter().copied().collect()]);
        }
        let before = self.pair.before;
        let mut from = vec![];
        for v in found {
            let above = computed_from(before, bodies.before, *v)?;
            from.push(above);
        }
        let related =
            |i: usize, k: usize| from[i].contains(&found[k]) || from[k].contains(&found[i]);
        let all = 0..found.len();
        let mut out: Vec<HashSet<ValueId>> = vec![];
        for i in all.clone() {
            let way = all.clone().filter(|k| *k == i || !related(i, *k));
            let way: HashSet<ValueId> = way.map(|k| found[k]).collect();
            if !out.contains(&way) {
                out.push(way);
            }
        }
        Some(out)
    }
}

/// What a value is computed from in its body. None: a walk grew too long.
fn computed_from(version: &Version<'_>, region: RegionId, v: ValueId) -> Option<HashSet<ValueId>> {
    let program = version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let (mut out, mut stack) = (HashSet::new(), vec![v]);
    while let Some(x) = stack.pop() {
        let ValueDef::Result { op, .. } = program.value(x).def else {
            continue;
        };
        if !members.contains(&op) {
            continue;
        }
        for operand in program.op(op).operands.iter().chain(version.captures(op)) {
            if out.insert(*operand) {
                stack.push(*operand);
            }
        }
        if out.len() > MOST_WALKED {
            return None;
        }
    }
    Some(out)
}

/// Whether a side solves or factors matrices: what it gives of ones that are not made for it is anything.
fn eliminates(program: &Program, side: &Side) -> bool {
    side.ops.iter().any(|id| {
        let Op::Hlo(op) = &program.op(*id).op;
        matches!(op, hlo::Op::Cholesky(_) | hlo::Op::TriangularSolve(_))
    })
}

/// Whether a side sums floats. A kernel that stands for another keeps its order.
pub(super) fn adds(program: &Program, side: &Side) -> bool {
    let is_float = |o: &Operation| {
        let element = o.results.first().and_then(|v| program.ty(*v).as_tensor());
        element.is_some_and(|t| !t.element.is_integer())
    };
    side.ops.iter().any(|id| {
        let o = program.op(*id);
        let Op::Hlo(op) = &o.op;
        let mut inner = o.regions.iter().flat_map(|r| program.ops_within(*r));
        let combines = inner.any(|id| {
            let Op::Hlo(op) = &program.op(id).op;
            matches!(op, hlo::Op::Add(_) | hlo::Op::Multiply(_))
        });
        is_float(o) && (combines || matches!(op, hlo::Op::DotGeneral(_) | hlo::Op::Convolution(_)))
    })
}
