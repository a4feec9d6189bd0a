//! Which value of the before side a value that a pass made new stands for: by the source op both come from, and by what uses them.
//!
//! Proves nothing: a pair that is none would be a false alarm of a probe, so a value without a certain partner has none.

use super::{Bodies, CoEvaluation, Frame};
use crate::{inputs::roles, session::Content};
use std::collections::HashMap;
use tileproof_dialect::{
    location::SourceOp,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
};

/// Which program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Which {
    Before,
    After,
}

/// Ops by source op, and ops by what they use; computed when asked for.
#[derive(Default)]
pub(super) struct Partners {
    sources: HashMap<(Which, RegionId), Groups>,
    users: HashMap<Which, Users>,
}

/// The ops of a region by the source op they stand for, in order.
type Groups = HashMap<SourceOp, Vec<OpId>>;

/// Ops that use each value, with the places of the operands.
pub(super) type Users = Vec<Vec<(OpId, usize)>>;

impl Partners {
    pub(super) fn users(&mut self, which: Which, program: &Program) -> &Users {
        self.users
            .entry(which)
            .or_insert_with(|| roles::users(program))
    }

    fn ops(
        &mut self,
        which: Which,
        program: &Program,
        region: RegionId,
        source: SourceOp,
    ) -> Vec<OpId> {
        let all = self.sources.entry((which, region));
        let all = all.or_insert_with(|| groups(program, region));
        all.get(&source).cloned().unwrap_or_default()
    }
}

fn groups(program: &Program, region: RegionId) -> Groups {
    let mut out = Groups::new();
    for id in &program.region(region).ops {
        if let Some(source) = program.op(*id).location.sources.first() {
            out.entry(*source).or_default().push(*id);
        }
    }
    out
}

/// The before-side op that `op` of `after` takes the place of. Several ops of one name on the before side are copies of one op, each of which became as many
/// after-side ops, the last of them the one that counts; ops of several names are what one op was written out as, and correspond where none was changed in
/// number or kind.
fn counterpart(
    (before, want): (&Program, &[OpId]),
    (after, got): (&Program, &[OpId]),
    op: OpId,
) -> Option<OpId> {
    let place = got.iter().position(|o| *o == op)?;
    let name = |program: &Program, o: OpId| program.op(o).op.name();
    let first = name(before, *want.first()?);
    if want.iter().all(|o| name(before, *o) == first) {
        let each = got.len() / want.len();
        let is_last = got.len() % want.len() == 0 && place % each == each - 1;
        return is_last.then(|| want[place / each]);
    }
    let alike = want.len() == got.len()
        && want
            .iter()
            .zip(got)
            .all(|(b, a)| name(before, *b) == name(after, *a));
    alike.then(|| want[place])
}

impl CoEvaluation<'_, '_, '_> {
    /// The before-side value that stands for the same source op as `v` and has its content.
    pub(super) fn of_source(
        &mut self,
        v: ValueId,
        content: Content,
        bodies: Bodies,
        frame: &Frame,
    ) -> Option<ValueId> {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        let ValueDef::Result { op, index } = after.value(v).def else {
            return None;
        };
        let source = *after.op(op).location.sources.first()?;
        let partners = &mut self.probed.partners;
        let want = partners.ops(Which::Before, before, bodies.before, source);
        let got = partners.ops(Which::After, after, bodies.after, source);
        let by_place = counterpart((before, &want), (after, &got), op)
            .and_then(|c| before.op(c).results.get(index as usize).copied());
        let fits = |p: &ValueId| {
            before.ty(*p).compatible(after.ty(v)) && frame.before.get(p) == Some(&content)
        };
        if by_place.is_some() {
            return by_place.filter(fits);
        }
        let results = want.iter().flat_map(|op| &before.op(*op).results);
        let candidates: Vec<ValueId> = results.copied().filter(fits).collect();
        self.by_use((v, op), candidates, frame)
    }

    /// The only one of `candidates` that is used as `v` is: every op that uses `v` has one of the before side's uses, at the same place of the same op. Of
    /// several, what an op of the same name makes of the same operands.
    fn by_use(
        &mut self,
        (v, op): (ValueId, OpId),
        candidates: Vec<ValueId>,
        frame: &Frame,
    ) -> Option<ValueId> {
        let (before, after) = (self.pair.before.program, self.pair.after.program);
        let partners = &mut self.probed.partners;
        let uses = partners.users(Which::After, after)[v.index()].clone();
        let users = partners.users(Which::Before, before);
        let alike = |(b, i): &(OpId, usize), (a, k): &(OpId, usize)| {
            let (b, a) = (before.op(*b), after.op(*a));
            i == k && b.op.name() == a.op.name() && b.op.to_attributes() == a.op.to_attributes()
        };
        let fitting = candidates.into_iter().filter(|p| {
            let of = &users[p.index()];
            !uses.is_empty() && uses.iter().all(|u| of.iter().any(|w| alike(w, u)))
        });
        let fitting: Vec<ValueId> = fitting.collect();
        if let [only] = fitting[..] {
            return Some(only);
        }
        let made = after.op(op);
        let operands: Vec<Option<&Content>> = made
            .operands
            .iter()
            .map(|x| frame.followed.after.get(x))
            .collect();
        let mut same = fitting.into_iter().filter(|p| match before.value(*p).def {
            ValueDef::Result { op, .. } => {
                let o = before.op(op);
                let of = o.operands.iter().map(|x| frame.before.get(x));
                o.op.name() == made.op.name() && of.eq(operands.iter().copied())
            }
            ValueDef::Argument { .. } => false,
        });
        let first = same.next()?;
        let definition = |p: ValueId| match before.value(p).def {
            ValueDef::Result { op, .. } => Some(before.op(op).op.to_attributes()),
            ValueDef::Argument { .. } => None,
        };
        same.all(|p| definition(p) == definition(first))
            .then_some(first)
    }
}
