//! Error bounds of single ops, for comparing changed regions.

use super::{Frame, Interpreter, regions::Runner};
use tileproof_dialect::{
    bound::{Bound, Bounded},
    eval::{EvalContext, Events, Stop},
    planes::Planes,
    program::{OpId, ValueId},
    tensor::Value,
};

impl Interpreter<'_> {
    /// Bounds of the results `values` of op `id` on operands with bounds; `captured` as in [`Interpreter::eval_op`].
    pub fn bound_op(
        &self,
        id: OpId,
        operands: &[Bounded<'_>],
        captured: &dyn Fn(ValueId) -> Option<Value>,
        values: &[Value],
    ) -> Result<Vec<Bound>, Stop> {
        let o = self.program.op(id);
        let types = self.declared(id);
        let mut frame = match o.regions.first().and_then(|r| self.plan.function_of(*r)) {
            Some(function) => self.frame(function, 0),
            None => Frame { values: vec![], depth: 0 },
        };
        if !o.regions.is_empty() {
            self.capture(self.program.op_captures(id), captured, &mut frame)?;
        }
        let mut events = Events::default();
        let mut runner = Runner { interpreter: self, op: id, frame: &mut frame };
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        o.op.bound(operands, &types, values, &mut cx)
    }
}
