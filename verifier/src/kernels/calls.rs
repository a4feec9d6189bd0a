//! With which arguments kernels are called.

use crate::inputs::{self, Class};
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    limits::Limits,
    reference::{FirstCalls, Interpreter},
};

/// Arguments of the first call of each kernel, by name, in a run on these arguments or on generated ones. What was called before the run trapped counts
/// too; what is wrong with the run itself is the comparison's business.
pub fn first(
    program: &Program,
    given: Option<&[Value]>,
    class: Class,
    seed: u64,
    limits: &Limits,
) -> Result<BTreeMap<String, Vec<Tensor>>, Error> {
    let arguments = match given {
        Some(values) => values.to_vec(),
        None => inputs::generate(program, class, seed)?,
    };
    let calls = FirstCalls::default();
    let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits).with_first_calls(&calls);
    match interpreter.run(arguments, &mut Events::default()) {
        Ok(_) | Err(Stop::Trap(_) | Stop::Cancelled | Stop::Failed(_)) => {}
    }
    Ok(calls.into_inner())
}
