//! Values of equal residues that may be other numbers all the same.

use super::{CoEvaluation, Frame};
use crate::{compare::bits, session::Content, validate::Origin};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::Op,
    program::{ValueDef, ValueId},
};

impl CoEvaluation<'_, '_, '_> {
    /// Whether foreign ops take the value only to convert it to a narrower type.
    pub(super) fn is_only_narrowed(&self, v: ValueId) -> bool {
        let program = self.pair.after.program;
        let bits = |v: ValueId| {
            let t = program.ty(v).as_tensor()?;
            t.element.is_float().then(|| t.element.bits())
        };
        let (ValueDef::Result { .. }, Origin::Foreign, Some(own)) =
            (program.value(v).def, self.pair.origin, bits(v))
        else {
            return false;
        };
        let mut users = program
            .op_ids()
            .map(|id| program.op(id))
            .filter(|o| o.operands.contains(&v))
            .peekable();
        users.peek().is_some()
            && users.all(|o| {
                let result = o.results.first().and_then(|r| bits(*r));
                matches!(o.op, Op::Hlo(hlo::Op::Convert(_))) && result.is_some_and(|b| b < own)
            })
    }

    /// Whether the two values of foreign programs differ, and only where one of them is zero, infinite or NaN.
    pub(super) fn differs_where_special(
        &self,
        partner: ValueId,
        content: Content,
        frame: &Frame,
    ) -> Result<bool, Stop> {
        if self.pair.origin == Origin::Pass || frame.before.get(&partner) == Some(&content) {
            return Ok(false);
        }
        let special = |v: f64| v == 0.0 || !v.is_finite();
        let differing = self.differing_numbers(partner, content, frame)?;
        Ok(!differing.is_empty() && differing.iter().all(|(x, y)| special(*x) || special(*y)))
    }

    /// Whether each of two float values is about the other's negative. Values of one residue are so only where the ring took the other root.
    pub(super) fn is_of_other_sign(
        &self,
        partner: ValueId,
        content: Content,
        frame: &Frame,
    ) -> Result<bool, Stop> {
        let differing = self.differing_numbers(partner, content, frame)?;
        let opposite = |(x, y): &(f64, f64)| (x + y).abs() < x.abs() / 2.0;
        Ok(!differing.is_empty() && differing.iter().all(opposite))
    }

    /// Whether a value that hangs on no input differs from its partner in the sign of a zero: taking one for the other would hide what 1/x or atan2
    /// make of it.
    pub(super) fn is_zero_of_other_sign(
        &self,
        partner: ValueId,
        content: Content,
        frame: &Frame,
    ) -> Result<bool, Stop> {
        if !self.session.is_independent(content) {
            return Ok(false);
        }
        let differing = self.differing_numbers(partner, content, frame)?;
        Ok(!differing.is_empty() && differing.iter().all(|(x, y)| *x == 0.0 && *y == 0.0))
    }

    /// The numbers of two float tensors of one form where their bits differ; none for other values.
    pub(super) fn differing_numbers(
        &self,
        partner: ValueId,
        content: Content,
        frame: &Frame,
    ) -> Result<Vec<(f64, f64)>, Stop> {
        let Some(want) = frame.before.get(&partner) else {
            return Ok(vec![]);
        };
        let (want, got) = (self.session.value(*want)?, self.session.value(content)?);
        let (Some(w), Some(g)) = (want.as_tensor(), got.as_tensor()) else {
            return Ok(vec![]);
        };
        if !w.element().is_float() || w.len() != g.len() || w.element() != g.element() {
            return Ok(vec![]);
        }
        let differing = bits::differing_ieee(w, g);
        let (x, y) = (w.to_f64s(), g.to_f64s());
        Ok(differing.into_iter().map(|i| (x[i], y[i])).collect())
    }
}
