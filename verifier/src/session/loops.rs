//! Loops that do not end: how many steps each loop took, and one that takes many times those of its counterpart.

use super::{Content, Environment, Session, Version};
use std::collections::HashMap;
use tileproof_dialect::{
    eval::{Stop, Trap},
    program::OpId,
};

/// A loop that takes so many times the steps of its counterpart is taken to have no end.
const NO_END: u64 = 64;
/// Steps that a counterpart counts as at least.
const FEWEST: u64 = 32;

/// Steps of the loops that were run.
#[derive(Clone, Default)]
pub(super) struct Loops {
    /// Of the longest loop of an op, by its key.
    steps: HashMap<u128, u64>,
    /// Whether a loop took too many.
    endless: bool,
}

impl Loops {
    pub(super) fn note(&mut self, key: u128, steps: u64) {
        if steps > 0 {
            self.steps.insert(key, steps);
        }
    }
}

impl Session<'_> {
    /// Evaluates an op that has the counterpart `before` of another version, which ended: where that is a loop, this one must end in at most [`NO_END`] times
    /// as many steps.
    pub fn eval_counterpart(
        &mut self,
        (version, op): (&Version<'_>, OpId),
        environment: &mut Environment,
        (before, counterpart): (&Version<'_>, OpId),
        have: &Environment,
    ) -> Result<Vec<Content>, Stop> {
        let key = self.key_of(before, counterpart, have)?;
        let Some(steps) = self.loops.steps.get(&key).copied() else {
            return self.eval_op(version, op, environment);
        };
        let most = steps.max(FEWEST).saturating_mul(NO_END);
        let interpreter = version.interpreter(self.planes);
        interpreter.allow_steps(most);
        let results = self.eval_op(version, op, environment);
        interpreter.allow_steps(u64::MAX);
        if matches!(results, Err(Stop::Trap(Trap::StepLimit(n))) if n == most) {
            self.loops.endless = true;
        }
        results
    }

    /// Whether a loop took too many steps beside its counterpart.
    pub fn has_endless_loop(&self) -> bool {
        self.loops.endless
    }
}
