//! Bounds of ops that run regions or functions, and of ops that regroup values. The bound of a tuple is that of its tensors one after another.

use crate::{
    bound::{Bound, Bounded},
    tensor::{Tensor, Value},
};

/// Number of elements of a value, over the tensors of a tuple.
pub fn elements(value: &Value) -> usize {
    match value {
        Value::Tensor(t) => t.len(),
        Value::Token(_) => 0,
        Value::Tuple(parts) => parts.iter().map(elements).sum(),
    }
}

/// Nothing is known: validation descends into the bodies instead.
pub fn undetermined(values: &[Value]) -> Vec<Bound> {
    values
        .iter()
        .map(|v| Bound::undetermined(elements(v)))
        .collect()
}

/// Results that are the operands, one by one; results without an operand are exact.
pub fn passed(operands: &[Bounded<'_>], values: &[Value]) -> Vec<Bound> {
    (0..values.len())
        .map(|i| operands.get(i).map_or(Bound::Exact, |o| o.error.clone()))
        .collect()
}

/// Exact where every operand is, else undetermined.
pub fn exact_or_undetermined(operands: &[Bounded<'_>], values: &[Value]) -> Vec<Bound> {
    if operands.iter().all(|o| o.error.is_exact()) {
        vec![Bound::Exact; values.len()]
    } else {
        undetermined(values)
    }
}

/// Errors of `len` elements from `start`.
pub fn part(bound: &Bound, start: usize, len: usize) -> Bound {
    match bound {
        Bound::Exact => Bound::Exact,
        Bound::Absolute(_) => Bound::absolute((start..start + len).map(|i| bound.at(i)).collect()),
    }
}

/// Errors of several values one after another.
pub fn joined(operands: &[Bounded<'_>]) -> Bound {
    if operands.iter().all(|o| o.error.is_exact()) {
        return Bound::Exact;
    }
    let each =
        |o: &Bounded<'_>| -> Vec<f64> { (0..elements(o.value)).map(|i| o.error.at(i)).collect() };
    Bound::absolute(operands.iter().flat_map(each).collect())
}

/// The one truth value of a predicate, or the number of a branch.
pub fn scalar(value: Option<&Value>) -> Option<i64> {
    let t: &Tensor = value?.as_tensor()?;
    t.to_i64s().first().copied()
}
