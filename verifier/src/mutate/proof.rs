//! Whether a mutant returns what the program returns, value by value: two values are equal that have one key of the simplified form, that are the same function
//! of few numbers, tried on all of them ([`everywhere`]) or interval by interval ([`intervals`]), or that the same op makes of equal values.
//!
//! Proves: equal results for all inputs. Arguments of bodies that correspond are taken for equal: that holds round by round, as the start of a loop is equal and
//! so is what its body returns. Cannot: see that what differs is lost later on, other than through elementwise ops of few numbers.

use super::{
    canonical::{self, Simplified, simplified},
    everywhere, intervals,
};
use std::collections::HashMap;
use tileproof_dialect::{
    op::{Kind, Op},
    program::{Program, RegionId, ValueDef, ValueId},
};

/// How the results were found equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// By their forms alone.
    Form,
    /// Some of them by trying all numbers.
    AllNumbers,
}

/// How it is known that the two programs return the same.
pub fn same(program: &Program, mutant: &Program) -> Option<Proof> {
    let (a, b) = (simplified(program), simplified(mutant));
    if [&a, &b].iter().any(|side| has_effects(&side.program)) {
        return None;
    }
    let mut pair = Pair {
        a: &a,
        b: &b,
        known: HashMap::new(),
        tried: false,
        is_inner: false,
    };
    let bodies = (a.program.main().body, b.program.main().body);
    let same = pair.returned(bodies);
    same.then_some(if pair.tried {
        Proof::AllNumbers
    } else {
        Proof::Form
    })
}

fn has_effects(program: &Program) -> bool {
    let mut all = program.op_ids();
    all.any(|id| {
        let op = &program.op(id).op;
        op.kind() == Kind::Effect && !op.is_return()
    })
}

struct Pair<'s> {
    a: &'s Simplified,
    b: &'s Simplified,
    known: HashMap<(ValueId, ValueId), bool>,
    tried: bool,
    /// The values at hand are part of an elementwise function that was looked at whole.
    is_inner: bool,
}

impl Pair<'_> {
    /// Whether two bodies return the same for the same arguments.
    fn returned(&mut self, (a, b): (RegionId, RegionId)) -> bool {
        let returned = (self.a.program.returned(a), self.b.program.returned(b));
        returned.0.len() == returned.1.len()
            && returned
                .0
                .iter()
                .zip(returned.1)
                .all(|(a, b)| self.equal(*a, *b))
    }

    fn equal(&mut self, a: ValueId, b: ValueId) -> bool {
        let keys = (self.a.keys.get(&a), self.b.keys.get(&b));
        if keys.0.is_some() && keys.0 == keys.1 {
            return true;
        }
        if let Some(known) = self.known.get(&(a, b)) {
            return *known;
        }
        let found = self.a.program.ty(a).compatible(self.b.program.ty(b))
            && (self.everywhere(a, b) || self.by_parts(a, b));
        self.known.insert((a, b), found);
        found
    }

    fn everywhere(&mut self, a: ValueId, b: ValueId) -> bool {
        let (a, b) = ((self.a, a), (self.b, b));
        let same = everywhere::same(a, b) || !self.is_inner && intervals::same(a, b);
        self.tried |= same;
        same
    }

    /// One op of equal values.
    fn by_parts(&mut self, a: ValueId, b: ValueId) -> bool {
        let (p, q) = (&self.a.program, &self.b.program);
        let (ValueDef::Result { op: x, index: i }, ValueDef::Result { op: y, index: k }) =
            (p.value(a).def, q.value(b).def)
        else {
            return false;
        };
        let is_step = everywhere::steps(p, x);
        let (x, y) = (p.op(x), q.op(y));
        let (Op::Hlo(f), Op::Hlo(g)) = (&x.op, &y.op);
        let is_one_op = i == k
            && canonical::nameless(f) == canonical::nameless(g)
            && x.op.callees().is_empty()
            && y.op.callees().is_empty()
            && x.op.kernel().is_none()
            && x.operands.len() == y.operands.len()
            && x.regions.len() == y.regions.len()
            && x.results.len() == y.results.len();
        if !is_one_op {
            return false;
        }
        let (operands, regions) = (
            x.operands.iter().copied().zip(y.operands.iter().copied()),
            x.regions.iter().copied().zip(y.regions.iter().copied()),
        );
        let (operands, regions): (Vec<_>, Vec<_>) = (operands.collect(), regions.collect());
        let was_inner = std::mem::replace(&mut self.is_inner, is_step);
        let same = operands.into_iter().all(|(a, b)| self.equal(a, b))
            && regions.into_iter().all(|bodies| self.returned(bodies));
        self.is_inner = was_inner;
        same
    }
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
