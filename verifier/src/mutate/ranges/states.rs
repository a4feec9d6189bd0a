//! States of a loop that are few: integers that start as one number each and go on by elementwise ops, whatever choices are made (the ends of a bisection).
//!
//! Proves: the integers of every place are among those of the states that can be reached, when every boolean from elsewhere may be either.

use super::{Range, Ranges};
use crate::mutate::{everywhere, look};
use std::collections::HashSet;
use tileproof_dialect::{
    eval::Events,
    planes::Planes,
    program::{Program, RegionId, ValueId},
    tensor::{Tensor, Value},
    types::{Class, ElementType},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// Most states, most booleans from elsewhere, and most rounds.
const MOST_STATES: usize = 4096;
const MOST_FREE: usize = 6;
const MOST_ROUNDS: usize = 64;

/// The ranges of a loop's state, with those of integers of few states made narrower, and so are values inside.
pub(super) fn narrowed(
    ranges: &mut Ranges,
    program: &Program,
    body: RegionId,
    (start, state): (&[Range], Vec<Range>),
) -> Vec<Range> {
    reached(ranges, program, body, start, &state).unwrap_or(state)
}

fn reached(
    ranges: &mut Ranges,
    program: &Program,
    body: RegionId,
    start: &[Range],
    state: &[Range],
) -> Option<Vec<Range>> {
    let arguments = &program.region(body).arguments;
    let returned = program.returned(body);
    let mut places = vec![];
    let mut first = vec![];
    for (i, v) in arguments.iter().enumerate() {
        let element = look::element(program, *v)?;
        let is_integer = matches!(element.class(), Class::Signed | Class::Unsigned);
        if let Range::Integer { low, high } = *start.get(i)?
            && low == high
            && is_integer
            && *state.get(i)? == Range::full(&element)
        {
            places.push(i);
            first.push(i64::try_from(low).ok()?);
        }
    }
    if places.is_empty() {
        return None;
    }
    let roots: Vec<ValueId> = places.iter().map(|i| returned[*i]).collect();
    let is_boolean = |v: ValueId| look::element(program, v) == Some(ElementType::I1);
    let all = everywhere::hanging(program, &roots, &|v| {
        arguments.contains(&v) || is_boolean(v)
    });
    let mut parameters: Vec<ValueId> = places.iter().map(|i| arguments[*i]).collect();
    for v in &all {
        let is_inner = look::splat(program, *v).is_some()
            || everywhere::inside(program, *v).is_some() && !is_boolean(*v);
        if !is_inner && !parameters.contains(v) {
            if !is_boolean(*v) {
                return None;
            }
            parameters.push(*v);
        }
    }
    let free = parameters.len() - places.len();
    if free > MOST_FREE {
        return None;
    }
    let elements = parameters.iter().map(|v| look::element(program, *v));
    let elements: Vec<ElementType> = elements.collect::<Option<_>>()?;
    // Every state with every choice, through the body.
    let run = |states: &[Vec<i64>], roots: &[ValueId]| -> Option<Vec<Tensor>> {
        let n = states.len() << free;
        let parameter = |v: ValueId| parameters.iter().position(|p| *p == v);
        let function = everywhere::lines(program, &all, &parameter, &elements, roots, n as u64)?;
        let arguments = elements.iter().enumerate().map(|(k, element)| {
            let numbers: Vec<i64> = (0..n)
                .map(|i| match k.checked_sub(places.len()) {
                    Some(bit) => i as i64 >> bit & 1,
                    None => states[i >> free][k],
                })
                .collect();
            Value::from(Tensor::from_i64s(&[n as u64], element, &numbers))
        });
        let limits = Limits::default();
        let interpreter = Interpreter::new(&function, Planes::IeeeOnly, &limits);
        let results = interpreter.run(arguments.collect(), &mut Events::default());
        let results = results.ok()?.into_iter();
        results.map(|v| v.as_tensor().cloned()).collect()
    };
    let mut known: HashSet<Vec<i64>> = HashSet::from([first.clone()]);
    let mut order = vec![first];
    let mut done = 0;
    for _ in 0..MOST_ROUNDS {
        if done == order.len() {
            break;
        }
        let results = run(&order[done..], &roots)?;
        done = order.len();
        let numbers: Vec<_> = results.iter().map(|t| t.to_i64s().into_owned()).collect();
        for i in 0..numbers.first()?.len() {
            let state: Vec<i64> = numbers.iter().map(|all| all[i]).collect();
            if known.insert(state.clone()) {
                order.push(state);
            }
        }
        if order.len() > MOST_STATES {
            return None;
        }
    }
    if done < order.len() {
        return None;
    }
    let inner: Vec<ValueId> = all
        .iter()
        .copied()
        .filter(|v| {
            let class = look::element(program, *v).map(|e| e.class());
            matches!(class, Some(Class::Signed | Class::Unsigned))
        })
        .collect();
    let hull = |numbers: &[i64]| {
        let low = numbers.iter().min().copied().map(i128::from);
        let high = numbers.iter().max().copied().map(i128::from);
        low.zip(high)
            .map(|(low, high)| Range::Integer { low, high })
    };
    let results = run(&order, &inner)?;
    for (v, tensor) in inner.iter().zip(&results) {
        // Numbers of 64 bits without sign may lie beyond.
        if *tensor.element() != ElementType::U64 {
            ranges.set(*v, hull(&tensor.to_i64s())?);
        }
    }
    let mut out = state.to_vec();
    for (k, i) in places.iter().enumerate() {
        let numbers: Vec<i64> = order.iter().map(|state| state[k]).collect();
        let element = look::element(program, arguments[*i])?;
        if element != ElementType::U64 {
            out[*i] = hull(&numbers)?;
            ranges.set(arguments[*i], out[*i]);
        }
    }
    Some(out)
}
