//! What the loop carries for a window whose block changes at some steps only: which buffer, whether a block begins, sizes of the blocks on their way out.

use super::{
    copy::Place,
    window::{Change, Pipe},
};
use crate::kernels::emit::Emitter;
use tileproof_dialect::tpu::{KernelValue, Role};

/// Carried values of one window; nothing for one that never or always changes.
pub enum State {
    Nothing,
    Changing {
        /// Of an input: the buffer of this block. Of an output: number of blocks that were copied back.
        counter: KernelValue,
        /// Whether this step is the first of its block.
        first: KernelValue,
        /// Of an output: sizes along ragged dimensions of the last block copied back, and of the one before.
        last: Vec<KernelValue>,
        before_last: Vec<KernelValue>,
    },
}

/// Blocks of an output that may be on their way to HBM.
pub struct Leaving {
    /// Number of blocks that were started.
    pub blocks: KernelValue,
    /// Sizes along ragged dimensions of the last one and of the one before.
    pub last: Vec<KernelValue>,
    pub before_last: Vec<KernelValue>,
}

impl State {
    /// States before the first step.
    pub fn initial(e: &mut Emitter, pipes: &[Pipe]) -> Vec<State> {
        let mut out = vec![];
        for pipe in pipes {
            out.push(match pipe.change {
                Change::Never | Change::EveryStep => State::Nothing,
                Change::Sometimes => {
                    let ragged = match pipe.role {
                        Role::Output => (0..pipe.dims.len()).filter(|d| pipe.is_ragged(*d)).count(),
                        Role::Input | Role::Prefetch | Role::Scratch => 0,
                    };
                    let sizes: Vec<KernelValue> = (0..ragged).map(|_| e.int(0)).collect();
                    State::Changing {
                        counter: e.int(0),
                        first: e.boolean(true),
                        last: sizes.clone(),
                        before_last: sizes,
                    }
                }
            });
        }
        out
    }

    /// All carried values, in order.
    pub fn values(states: &[State]) -> Vec<KernelValue> {
        let mut out = vec![];
        for state in states {
            if let State::Changing {
                counter,
                first,
                last,
                before_last,
            } = state
            {
                out.extend([*counter, *first]);
                out.extend(last.iter().chain(before_last));
            }
        }
        out
    }

    /// Takes the carried values back, in the same order.
    pub fn set(states: &mut [State], values: &[KernelValue]) {
        let mut rest = values.iter().copied();
        for state in states {
            if let State::Changing {
                counter,
                first,
                last,
                before_last,
            } = state
            {
                let all = [counter, first];
                for v in all.into_iter().chain(last).chain(before_last) {
                    *v = rest.next().unwrap_or(*v);
                }
            }
        }
    }

    /// The buffer of this step's block.
    pub fn slot(&self, e: &mut Emitter, pipe: &Pipe, step: KernelValue) -> KernelValue {
        if pipe.slots() == 1 {
            return e.int(0);
        }
        match (self, pipe.role) {
            (State::Nothing, _) => e.remainder(step, 2),
            (State::Changing { counter, .. }, Role::Output) => e.remainder(*counter, 2),
            (State::Changing { counter, .. }, _) => *counter,
        }
    }

    /// Whether this step is the first of its block.
    pub fn first(&self, e: &mut Emitter) -> KernelValue {
        match self {
            State::Nothing => e.boolean(true),
            State::Changing { first, .. } => *first,
        }
    }

    /// What is on its way out; none where the step tells.
    pub fn leaving(&self) -> Option<Leaving> {
        match self {
            State::Nothing => None,
            State::Changing {
                counter,
                last,
                before_last,
                ..
            } => Some(Leaving {
                blocks: *counter,
                last: last.clone(),
                before_last: before_last.clone(),
            }),
        }
    }

    /// After the body. `changes`: the next step has another block; `ends`: this step was the last of its block.
    pub fn advance(
        &mut self,
        e: &mut Emitter,
        pipe: &Pipe,
        changes: KernelValue,
        ends: KernelValue,
        place: &Place,
    ) {
        let State::Changing {
            counter,
            first,
            last,
            before_last,
        } = self
        else {
            return;
        };
        *first = changes;
        let one = e.int(1);
        let (next, moved) = match pipe.role {
            Role::Output => (e.add(*counter, one), ends),
            Role::Input | Role::Prefetch | Role::Scratch => (e.subtract(one, *counter), changes),
        };
        *counter = e.select(moved, next, *counter);
        let sizes: Vec<KernelValue> = place.sizes.iter().flatten().copied().collect();
        for ((last, before_last), size) in last.iter_mut().zip(before_last).zip(sizes) {
            *before_last = e.select(ends, *last, *before_last);
            *last = e.select(ends, size, *last);
        }
    }
}
