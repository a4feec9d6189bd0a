//! Values while a module is read: tuples are taken apart, so that programs hold tensors and tokens.

use super::{
    module::Computation,
    shape::{flatten, leaves},
};
use crate::{error::Error, program::ValueId, types::Type};
use std::rc::Rc;

/// The value of an instruction: an SSA value or a tuple that exists only here.
#[derive(Clone)]
pub enum Virtual {
    Value(ValueId),
    Tuple(Rc<[Virtual]>),
}

/// Types of the leaves of a computation's parameters.
pub fn parameter_types(computation: &Computation<'_>) -> Vec<Type> {
    let mut out = vec![];
    for i in &computation.parameters {
        if let Some(p) = computation.instructions.get(*i) {
            flatten(&p.ty, &mut out);
        }
    }
    out
}

/// The parameters of a computation, put together from their leaves.
pub fn bind(computation: &Computation<'_>, arguments: &[ValueId]) -> Vec<Virtual> {
    let mut left = arguments.iter().copied();
    let parameters = computation
        .parameters
        .iter()
        .filter_map(|i| computation.instructions.get(*i));
    parameters
        .filter_map(|p| unflatten(&p.ty, &mut left).ok())
        .collect()
}

/// The value of type `ty` whose leaves come next.
pub fn unflatten(ty: &Type, values: &mut impl Iterator<Item = ValueId>) -> Result<Virtual, Error> {
    match ty {
        Type::Tensor(_) | Type::Token => values
            .next()
            .map(Virtual::Value)
            .ok_or_else(|| Error::internal("an op has too few results")),
        Type::Tuple(parts) => Ok(Virtual::Tuple(
            parts
                .iter()
                .map(|p| unflatten(p, values))
                .collect::<Result<Vec<_>, _>>()?
                .into(),
        )),
    }
}

/// First leaf and number of leaves of each part of a tuple path; none when the path leaves the type.
pub fn leaf_of(ty: &Type, path: &[i64]) -> Option<usize> {
    let (mut ty, mut first) = (ty, 0);
    for step in path {
        let Type::Tuple(parts) = ty else { return None };
        let step = usize::try_from(*step).ok()?;
        first += parts.iter().take(step).map(leaves).sum::<usize>();
        ty = parts.get(step)?;
    }
    Some(first)
}
