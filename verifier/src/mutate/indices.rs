//! Gathers and scatters whose indices are few: a fault in their dimension numbers is none where every choice of indices takes or puts the same elements.

use super::{Mutator, equivalence::same_outputs, look};
use crate::isolate::extract::{self, Form, Observed, Part};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
    tensor::{Tensor, Value, count},
};

/// Most choices of indices tried.
const MOST_CHOICES: u64 = 4096;
/// Most elements of all operands.
const MOST_ELEMENTS: u64 = 1 << 16;

/// Whether op `id`, a gather or a scatter, and its mutant give the same for all indices from -1 to one beyond the end.
pub fn same(program: &Program, mutator: &Mutator, id: OpId, seed: u64) -> bool {
    holds(program, mutator, id, seed) == Some(true)
}

fn holds(program: &Program, mutator: &Mutator, id: OpId, seed: u64) -> Option<bool> {
    let o = program.op(id);
    let Op::Hlo(hlo::Op::Gather(_) | hlo::Op::Scatter(_)) = &o.op else {
        return None;
    };
    if o.regions
        .iter()
        .any(|_| !program.op_captures(id).is_empty())
    {
        return None;
    }
    let mut parameters = vec![];
    for v in &o.operands {
        if !parameters.contains(v) {
            parameters.push(*v);
        }
    }
    let part = Part {
        parameters: &parameters,
        ops: &[id],
        results: &o.results,
    };
    let copy = extract::extract(program, &part, Form::Flat, Observed::Nothing).ok()?;
    let at = copy
        .op_ids()
        .find(|at| copy.op(*at).op.name() == o.op.name())?;
    let wrong = (mutator.mutate)(&copy, at, seed)?;
    let indices = o.operands.get(1).filter(|v| {
        let element = look::element(program, **v);
        element.is_some_and(|e| e.is_integer())
    })?;
    let places = count(&look::dims(program, *indices)?);
    let largest = o.operands.iter().filter(|v| *v != indices);
    let largest: u64 = largest
        .map(|v| look::dims(program, *v).and_then(|d| d.into_iter().max()))
        .collect::<Option<Vec<u64>>>()?
        .into_iter()
        .max()?;
    let choices = largest + 2;
    let all = choices.checked_pow(u32::try_from(places).ok()?)?;
    let elements = parameters
        .iter()
        .map(|v| look::dims(program, *v).map(|d| count(&d) as u64));
    let elements: u64 = elements.sum::<Option<u64>>()?;
    if all > MOST_CHOICES || elements > MOST_ELEMENTS {
        return None;
    }
    for choice in 0..all {
        let mut arguments: Vec<Value> = vec![];
        let mut next = 1i64;
        for v in &parameters {
            let (dims, element) = (look::dims(program, *v)?, look::element(program, *v)?);
            let n = count(&dims) as i64;
            let values: Vec<i64> = if v == indices {
                let mut left = choice;
                (0..n)
                    .map(|_| {
                        let digit = left % choices;
                        left /= choices;
                        digit as i64 - 1
                    })
                    .collect()
            } else {
                // Distinct numbers, exact in the type.
                next += n;
                (0..n).map(|i| next - n + i).collect()
            };
            if v != indices && !holds_labels(element.bits(), element.is_float(), next) {
                return None;
            }
            arguments.push(Tensor::from_i64s(&dims, &element, &values).into());
        }
        if !same_outputs(&copy, &wrong, &arguments) {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether a type of so many bits tells all numbers below `end` apart.
pub fn holds_labels(bits: u32, is_float: bool, end: i64) -> bool {
    let digits = match (is_float, bits) {
        (true, 64) => 53,
        (true, 32) => 24,
        (true, 16) => 8,
        (true, _) => 2,
        (false, bits) => bits - 1,
    };
    end < 1i64 << digits.min(62)
}
