//! What a probe puts in the place of the values that both sides start from.

use crate::{
    inputs::Class,
    region::{self, Side},
    session::{Environment, Session, Version},
};
use std::collections::HashSet;
use tileproof_dialect::{
    hlo,
    op::Op,
    planes::ring,
    program::{OpId, Program},
    tensor::Tensor,
    types::ElementType,
};

/// Most literals whose numbers are put in.
const MOST_LITERALS: usize = 64;

/// What is done with the numbers that are drawn: nothing; one sign for all floats of a value, by the bit of its number; few distinct numbers, so that many
/// are equal; numbers that rise or fall along the tensor; every index just outside; numbers that the two sides have as literals, and their neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Drawn,
    Of(u8),
    Few,
    Rising,
    Falling,
    /// Indices below the first place, and beyond the last; other numbers as drawn.
    Below,
    Beyond,
    /// So many values on: of the literals each is taken once as long as there are any.
    Literals(u16),
    /// Floats times two to this power.
    Scaled(i32),
}

/// What `sign` makes of a value of a class that is no index.
pub(super) fn shaped(
    value: Tensor,
    (class, sign): (Class, Sign),
    number: u64,
    literals: &[f64],
) -> Tensor {
    let (dims, element) = (value.dims().to_vec(), value.element().clone());
    let n = value.len() as u64;
    match sign {
        Sign::Literals(_) if literals.is_empty() => value,
        Sign::Scaled(_) if !element.is_float() => value,
        Sign::Scaled(power) => {
            let numbers = value.to_f64s();
            let numbers: Vec<f64> = numbers.iter().map(|x| x * 2f64.powi(power)).collect();
            from_numbers(&dims, &element, &numbers)
        }
        Sign::Literals(on) => {
            // Values of several operands meet in all pairs, for a while.
            let at = |i: u64| match number % 2 {
                0 => i + u64::from(on) * n,
                _ => (i + u64::from(on) * n) / literals.len() as u64 + i,
            };
            let pick = |i: u64| literals[(at(i) % literals.len() as u64) as usize];
            from_numbers(&dims, &element, &(0..n).map(pick).collect::<Vec<f64>>())
        }
        Sign::Of(_) if !element.is_float() => value,
        Sign::Of(bits) => {
            let sign = if bits >> (number % 8) & 1 == 1 {
                -1.0
            } else {
                1.0
            };
            let numbers: Vec<f64> = value.to_f64s().iter().map(|x| sign * x.abs()).collect();
            Tensor::from_f64s(&dims, &element, &numbers)
        }
        Sign::Few | Sign::Rising | Sign::Falling => {
            let at = |i: u64| match sign {
                // Numbers whose order hangs on more than their size, each often.
                Sign::Few if class == Class::Special => {
                    let nan = f64::NAN;
                    let all = [
                        nan,
                        -nan,
                        0.0,
                        -0.0,
                        f64::INFINITY,
                        f64::NEG_INFINITY,
                        1.0,
                        1.0,
                    ];
                    all[(ring::mix(i ^ number << 40) % 8) as usize]
                }
                // Both zeros, and two numbers on either side.
                Sign::Few => [0.0, 1.0, -0.0, 1.0, -1.0, 0.0, 1.0, -1.0]
                    [(ring::mix(i ^ number << 40) % 8) as usize],
                Sign::Rising => i as f64,
                Sign::Falling
                | Sign::Drawn
                | Sign::Of(_)
                | Sign::Below
                | Sign::Beyond
                | Sign::Literals(_)
                | Sign::Scaled(_) => (n - i) as f64,
            };
            // Small enough to be told apart in the type, for a while.
            let scale = match (element.is_float(), sign) {
                (true, Sign::Rising | Sign::Falling) => 1.0 / 64.0,
                (_, _) => 1.0,
            };
            let numbers: Vec<f64> = (0..n).map(|i| at(i) * scale).collect();
            from_numbers(&dims, &element, &numbers)
        }
        Sign::Drawn | Sign::Below | Sign::Beyond => value,
    }
}

fn from_numbers(dims: &[u64], element: &ElementType, numbers: &[f64]) -> Tensor {
    if element.is_float() {
        return Tensor::from_f64s(dims, element, numbers);
    }
    let numbers: Vec<i64> = numbers.iter().map(|x| *x as i64).collect();
    Tensor::from_i64s(dims, element, &numbers)
}

/// The numbers that the literals of a side hold in every element, each followed by what is near it: a choice hangs on whether a value is beyond, at or below one.
pub(super) fn literals(
    session: &Session<'_>,
    version: &Version<'_>,
    side: &Side,
    environment: &Environment,
) -> Vec<f64> {
    let program = version.program;
    let mut found = vec![];
    let mut add = |tensor: Option<&Tensor>| {
        let Some(t) = tensor.filter(|t| !t.is_empty() && !t.element().is_complex()) else {
            return;
        };
        let first = t.take(&[1], &[0]).to_f64s().first().copied();
        let Some(x) = first.filter(|x| x.is_finite() && !found.contains(x)) else {
            return;
        };
        if found.len() < MOST_LITERALS {
            found.push(x);
        }
    };
    for x in region::leaves(version, side) {
        if version.is_constant(x)
            && let Some(content) = environment.get(&x)
        {
            let value = session.value(*content).ok();
            add(value.and_then(|v| v.as_tensor()));
        }
    }
    for id in within(program, &side.ops) {
        if let Op::Hlo(hlo::Op::Constant(c)) = &program.op(id).op {
            add(c.value.splat_value().as_ref());
        }
    }
    let near = |x: f64| {
        // A unit in the last place of either type of 32 and 16 bits.
        let steps = [2f64.powi(-23), 2f64.powi(-8)];
        let near = steps.map(|u| [x * (1.0 + u), x * (1.0 - u / 2.0)]);
        [x, -x].into_iter().chain(near.into_iter().flatten())
    };
    found.into_iter().flat_map(near).collect()
}

/// Ops, those of their regions, and of the functions they call.
fn within(program: &Program, ops: &[OpId]) -> Vec<OpId> {
    let mut out = vec![];
    let mut seen = HashSet::new();
    let mut stack = ops.to_vec();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        out.push(id);
        let o = program.op(id);
        for r in &o.regions {
            stack.extend(&program.region(*r).ops);
        }
        let called = o.op.callees().into_iter();
        let called = called.filter_map(|name| program.find_function(name));
        for f in called {
            stack.extend(&program.region(program.function(f).body).ops);
        }
    }
    out.sort_unstable();
    out
}
