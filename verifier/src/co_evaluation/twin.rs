//! Rounding twins: values that are equal over the reals where one is the other rounded to a narrower type. Both planes of a program that computes
//! the same in two precisions hold such pairs, and what hangs on one twin has the residues of what hangs on the other.

use super::{Bodies, CoEvaluation, Frame, cut::Got};
use crate::{
    region::{self, Side},
    session::Content,
    validate::Origin,
};
use std::collections::HashSet;
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::Op,
    planes::ring::Residue,
    program::{OpId, Program, ValueId},
    tensor::Tensor,
    types::ElementType,
};

impl CoEvaluation<'_, '_, '_> {
    /// Whether `partner` and `v` start from twins or one of them is rounded on the way, so that equal residues do not make one the counterpart of the other: `v` then keeps its own value,
    /// and what hangs on it is judged.
    pub(super) fn starts_from_twins(
        &self,
        partner: ValueId,
        v: ValueId,
        got: &Got<'_>,
        bodies: Bodies,
        frame: &Frame,
    ) -> Result<bool, Stop> {
        if self.pair.origin == Origin::Pass {
            return Ok(false);
        }
        let (want, have) = self.sides(partner, v, got, bodies, frame);
        if roundings(self.pair.before.program, &want) != roundings(self.pair.after.program, &have) {
            return Ok(true);
        }
        let want: HashSet<Content> = region::leaves(self.pair.before, &want)
            .iter()
            .filter_map(|x| frame.before.get(x))
            .copied()
            .collect();
        let have: HashSet<Content> = region::leaves(self.pair.after, &have)
            .iter()
            .filter_map(|x| frame.followed.after.get(x))
            .copied()
            .collect();
        let dependent = |c: &&Content| !self.session.is_independent(**c);
        for w in want.difference(&have).filter(dependent) {
            for h in have.difference(&want).filter(dependent) {
                let (w, h) = (self.session.value(*w)?, self.session.value(*h)?);
                if let (Some(w), Some(h)) = (w.as_tensor(), h.as_tensor())
                    && are_twins(w, h)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Conversions of floats to narrower types in a side.
fn roundings(program: &Program, side: &Side) -> usize {
    let element = |v: Option<&ValueId>| {
        let t = v.and_then(|v| program.ty(*v).as_tensor());
        t.map(|t| t.element.clone()).filter(ElementType::is_float)
    };
    let rounds = |op: &&OpId| {
        let o = program.op(**op);
        let Op::Hlo(inner) = &o.op;
        let (from, to) = (element(o.operands.first()), element(o.results.first()));
        match (inner, from, to) {
            (hlo::Op::Convert(_), Some(from), Some(to)) => to.bits() < from.bits(),
            (_, _, _) => false,
        }
    };
    side.ops.iter().filter(rounds).count()
}

/// Whether two tensors of floats hold the same residues, in any order, and not the same numbers.
fn are_twins(a: &Tensor, b: &Tensor) -> bool {
    let (Some(x), Some(y)) = (a.ring(), b.ring()) else {
        return false;
    };
    if !a.element().is_float() || !b.element().is_float() || x.len() != y.len() {
        return false;
    }
    let sorted = |r: &[Residue]| {
        let mut r = r.to_vec();
        r.sort_unstable();
        r
    };
    let numbers = |t: &Tensor| {
        let mut bits: Vec<u64> = t.to_f64s().iter().map(|v| v.to_bits()).collect();
        bits.sort_unstable();
        bits
    };
    sorted(x) == sorted(y) && numbers(a) != numbers(b)
}
