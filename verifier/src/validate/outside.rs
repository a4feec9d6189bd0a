//! What two programs do as wholes on the inputs of a run: how far their results lie apart, and whether one of them ends.

use super::{report::Found, run::Delta};
use crate::{
    compare::bits::{self, Difference},
    inputs::Class,
    pattern::Pattern,
    session::{Content, Session, Version},
    verdict::{Ieee, Ring, Verdict},
};
use std::time::{Duration, Instant};
use tileproof_dialect::{
    bound::unit_roundoff,
    eval::{Events, Stop, Trap},
    planes::Planes,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

pub(super) fn is_finite(v: &Value) -> bool {
    match v {
        Value::Tensor(t) if t.element().is_float() || t.element().is_complex() => {
            bits::parts(t).iter().all(|x| x.is_finite())
        }
        Value::Tensor(_) | Value::Token(_) => true,
        Value::Tuple(all) => all.iter().all(is_finite),
    }
}

/// Whether an element is a number: two values of which every element is NaN are equal whatever was computed.
pub(super) fn holds_number(t: &Tensor) -> bool {
    let element = t.element();
    if t.is_empty() || !(element.is_float() || element.is_complex()) {
        return true;
    }
    match element.complex_part() {
        Some(part) => {
            let parts = Tensor::new(vec![2 * t.len() as u64], part, t.ieee().clone(), None);
            parts
                .to_f64s()
                .chunks_exact(2)
                .any(|z| !z[0].is_nan() && !z[1].is_nan())
        }
        None => t.to_f64s().iter().any(|x| !x.is_nan()),
    }
}

/// How far the results of two programs lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// Bit for bit the same; two NaN are.
    Same,
    /// Floats of 32 bits and more by a few roundings, all else the same.
    Rounded,
    Farther,
}

/// Units in the last place, about, that are a few roundings.
const ROUNDED: f64 = 4.0;

pub(super) fn apart(
    (before, after): (&Version<'_>, &Version<'_>),
    arguments: &[Value],
    limits: &Limits,
) -> Apart {
    let run = |v: &Version<'_>| {
        let interpreter = Interpreter::new(v.program, Planes::IeeeOnly, limits);
        interpreter.run(arguments.to_vec(), &mut Events::default())
    };
    let (Ok(want), Ok(got)) = (run(before), run(after)) else {
        return Apart::Farther;
    };
    if bits::first_difference(&want, &got).is_none() {
        return Apart::Same;
    }
    let near = |(want, got): (&Value, &Value)| match (want.as_tensor(), got.as_tensor()) {
        (Some(w), Some(g)) if w.len() == g.len() && w.element() == g.element() => {
            let differing = bits::differing_ieee(w, g);
            let part = w.element().complex_part();
            let element = part.as_ref().unwrap_or(w.element());
            let unit = 2.0 * unit_roundoff(element);
            let fine = element.is_float() && unit <= f64::from(f32::EPSILON);
            let (x, y) = (bits::parts(w), bits::parts(g));
            let each = x.len() / w.len().max(1);
            let close = |i: &usize| {
                let at = i * each..(i + 1) * each;
                let size = x[at.clone()].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                let mut pairs = x[at.clone()].iter().zip(&y[at]);
                pairs.all(|(a, b)| {
                    a.to_bits() == b.to_bits() || a != b && (a - b).abs() <= ROUNDED * unit * size
                })
            };
            differing.is_empty() || fine && differing.iter().all(close)
        }
        (_, _) => false,
    };
    if want.len() == got.len() && want.iter().zip(&got).all(near) {
        Apart::Rounded
    } else {
        Apart::Farther
    }
}

/// Steps beyond which a program that ends in the steps of a run is taken to have no end.
const NO_END: u64 = 64;

/// Whether the program, which runs out of steps, does so with many times as many; false where it takes too long to tell.
fn never_ends(session: &Session<'_>, version: &Version<'_>, arguments: &[Content]) -> bool {
    let limits = Limits {
        loop_steps: session.limits().loop_steps.saturating_mul(NO_END),
        deadline: Some(Instant::now() + Duration::from_secs(20)),
        ..session.limits().clone()
    };
    let values: Result<Vec<_>, _> = arguments
        .iter()
        .map(|c| session.value(*c).cloned())
        .collect();
    let Ok(values) = values else {
        return false;
    };
    let interpreter = Interpreter::new(version.program, Planes::IeeeOnly, &limits);
    let plain = values.into_iter().map(|v| match v {
        Value::Tensor(t) => Value::Tensor(t.with_ring(None)),
        other => other,
    });
    matches!(
        interpreter.run(plain.collect(), &mut Events::default()),
        Err(Stop::Trap(Trap::StepLimit(_)))
    )
}

/// One side trapped: the other must trap alike. Running out of steps is no trap of the program: the run is given up.
pub(super) fn trapped(
    session: &mut Session<'_>,
    before: &Version<'_>,
    after: &Version<'_>,
    arguments: &[Content],
    trap: Trap,
) -> Result<Delta, Stop> {
    let alone = |session: &mut Session<'_>, v: &Version| match session.eval_function(
        v,
        v.program.entry,
        arguments,
    ) {
        Err(Stop::Trap(t)) => Ok(Some(t)),
        Err(stop) => Err(stop),
        Ok(_) => Ok(None),
    };
    let (want, got) = match session.has_endless_loop() {
        true => (None, Some(trap.clone())),
        false => (alone(session, before)?, alone(session, after)?),
    };
    // The limits are the checker's own: the other side may take fewer steps. Only one that does not end in many times the steps of the program never ends.
    let is_limit = |t: &Option<Trap>| {
        matches!(
            t,
            Some(Trap::StepLimit(_) | Trap::MemoryLimit(_) | Trap::DepthLimit(_))
        )
    };
    let ends_not =
        |session: &Session<'_>| session.has_endless_loop() || never_ends(session, after, arguments);
    if want == got || is_limit(&want) || is_limit(&got) && !ends_not(session) {
        return Err(Stop::Trap(trap));
    }
    let what = |t: Option<Trap>| t.map_or("no trap".to_string(), |t| t.to_string());
    let difference = Difference {
        output: 0,
        index: vec![],
        want: what(want),
        got: what(got),
        want_bits: String::new(),
        got_bits: String::new(),
        residues: None,
        differing: 1,
        total: 1,
        pattern: Pattern::Everywhere,
    };
    let found = Found {
        verdict: Verdict::Miscompile,
        class: Class::Given,
        seed: 0,
        op: "trap".to_string(),
        location: Default::default(),
        rewrite: None,
        inside: None,
        difference: None,
        output: Some(difference),
        ring: Ring::Differs,
        ieee: Ieee::NotRun,
    };
    Ok(Delta {
        verdicts: vec![Verdict::Miscompile],
        found: vec![found],
        elements: 1,
        ..Delta::default()
    })
}
