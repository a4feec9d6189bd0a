//! The whole program in IEEE arithmetic, as an estimate (DESIGN.md section 7): a run of the before side over f64, and eight runs of it in its own types with
//! roundings and the order of sums disturbed. The after side is outside where it is farther from the f64 values than eight times the farthest of those.
//!
//! Proves nothing: a wrong number may lie within, and one that is right but for its roundings outside. It stands beside verdicts that no bound decides, and
//! changes them only where the after side is of another magnitude altogether ([`Distances::is_far_off`]).

pub mod likely;
mod variant;

use crate::{compare::bits, contract::clauses::normal_range, inputs::Class};
use std::time::{Duration, Instant};
use tileproof_dialect::{
    bound::unit_roundoff,
    error::Error,
    eval::{Events, Stop},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};
use variant::Variant;

/// Disturbed runs.
const RUNS: u64 = 8;
/// How much farther than the farthest disturbed run counts as outside.
pub const REACH: f64 = 8.0;
/// Longest time all runs may take, judged by the first.
const LONGEST: Duration = Duration::from_secs(20);

/// An estimate of one pass on one choice of inputs.
#[derive(Debug, Clone)]
pub struct Estimate {
    pub pass: String,
    pub class: Class,
    pub seed: u64,
    pub outcome: Estimated,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Estimated {
    Compared(Distances),
    NotRun(String),
}

/// How far the after side lies from the f64 values, in units of the farthest disturbed run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distances {
    /// Of the element farthest outside, and of the output farthest outside in l2.
    pub worst_element: f64,
    pub worst_output: f64,
    /// Elements outside, of those compared.
    pub outside: u64,
    pub compared: u64,
    /// Largest distance of an output in l2, beside its own size.
    pub relative: f64,
    /// Elements that are finite in all runs of the before side, far from the largest number, and not in the after side.
    pub not_finite: u64,
    /// Elements that are not numbers, or infinite, on a side, and integers that differ: nothing is estimated of these.
    pub left_out: u64,
}

/// From which ratio, and which distance beside the size of the output, on the after side computes something else.
const FAR_OFF: (f64, f64) = (1000.0, 1.0 / 64.0);

impl Distances {
    pub fn is_within(&self) -> bool {
        self.outside == 0 && self.worst_output <= REACH
    }

    /// Whether no rounding explains the distance: a thousand times the farthest disturbed run, and a good part of the output; or no number where
    /// every run has one.
    pub fn is_far_off(&self) -> bool {
        self.worst_output > FAR_OFF.0 && self.relative > FAR_OFF.1 || self.not_finite > 0
    }
}

/// Estimates how far `after` is from `before` on these arguments (IEEE plane). Both are in normal form.
pub fn of(before: &Program, after: &Program, arguments: &[Value], limits: &Limits) -> Estimated {
    match compared(before, after, arguments, limits) {
        Ok(outcome) => outcome,
        Err(Stop::Failed(e)) => Estimated::NotRun(words(&e)),
        Err(Stop::Trap(trap)) => Estimated::NotRun(trap.to_string()),
        Err(Stop::Cancelled) => Estimated::NotRun("out of time".to_string()),
    }
}

fn words(e: &Error) -> String {
    e.to_string().lines().next().unwrap_or_default().to_string()
}

fn compared(
    before: &Program,
    after: &Program,
    arguments: &[Value],
    limits: &Limits,
) -> Result<Estimated, Stop> {
    if !narrow(before) {
        let why = "no float type narrower than f64, and none wider to compare with";
        return Ok(Estimated::NotRun(why.to_string()));
    }
    let start = Instant::now();
    let got = run(after, arguments, limits)?;
    if start.elapsed() * (2 * RUNS as u32) > LONGEST {
        return Ok(Estimated::NotRun(
            "its runs would take too long".to_string(),
        ));
    }
    let wide = variant::of(before, Variant::Wide)?;
    let wide_arguments: Vec<Value> = arguments.iter().map(variant::widened).collect();
    let want = run(&wide, &wide_arguments, limits)?;
    let mut disturbed = vec![];
    for seed in 0..RUNS {
        let program = variant::of(before, Variant::Disturbed { seed })?;
        disturbed.push(run(&program, arguments, limits)?);
    }
    let mut out = Distances::default();
    for (i, (want, got)) in want.iter().zip(&got).enumerate() {
        let (Some(want), Some(got)) = (want.as_tensor(), got.as_tensor()) else {
            continue;
        };
        let others: Vec<&Tensor> = disturbed
            .iter()
            .filter_map(|values| values.get(i)?.as_tensor())
            .collect();
        measure(want, got, &others, &mut out);
    }
    Ok(Estimated::Compared(out))
}

/// Whether the program computes in a float type narrower than f64.
fn narrow(program: &Program) -> bool {
    program.op_ids().any(|id| {
        let results = program.op(id).results.iter();
        let mut types = results.filter_map(|v| program.ty(*v).as_tensor());
        types.any(|t| variant::wide(&t.element).is_some())
    })
}

fn run(program: &Program, arguments: &[Value], limits: &Limits) -> Result<Vec<Value>, Stop> {
    let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits);
    interpreter.run(arguments.to_vec(), &mut Events::default())
}

fn measure(want: &Tensor, got: &Tensor, others: &[&Tensor], out: &mut Distances) {
    if !(got.element().is_float() || got.element().is_complex()) {
        let differing = bits::differing_ieee(want, got);
        out.left_out += differing.len() as u64;
        return;
    }
    let part = got.element().complex_part();
    let element = part.as_ref().unwrap_or(got.element());
    let (unit, (_, highest)) = (unit_roundoff(element), normal_range(element));
    let (w, g) = (bits::parts(want), bits::parts(got));
    let others: Vec<Vec<f64>> = others.iter().map(|t| bits::parts(t)).collect();
    let mut squares = vec![0.0; others.len()];
    let (mut square, mut norm) = (0.0, 0.0);
    for i in 0..w.len().min(g.len()) {
        let all = others.iter().map(|o| o[i]);
        if !w[i].is_finite() || !g[i].is_finite() || all.clone().any(|x| !x.is_finite()) {
            let ordinary = |x: f64| x.abs() < highest.sqrt();
            out.not_finite +=
                u64::from(!g[i].is_finite() && ordinary(w[i]) && all.clone().all(ordinary));
            out.left_out += 1;
            continue;
        }
        out.compared += 1;
        // The last rounding alone may be half a unit off.
        let mut farthest = unit * w[i].abs();
        for (sum, x) in squares.iter_mut().zip(all) {
            let d = (x - w[i]).abs();
            farthest = f64::max(farthest, d);
            *sum += d * d;
        }
        let distance = (g[i] - w[i]).abs();
        square += distance * distance;
        norm += w[i] * w[i];
        let ratio = times(distance, farthest);
        out.worst_element = out.worst_element.max(ratio);
        out.outside += u64::from(ratio > REACH);
    }
    out.relative = out.relative.max(times(square.sqrt(), norm.sqrt()));
    let farthest = squares.iter().copied().fold(norm * unit * unit, f64::max);
    out.worst_output = out.worst_output.max(times(square.sqrt(), farthest.sqrt()));
}

/// How many times `unit` a distance is.
fn times(distance: f64, unit: f64) -> f64 {
    if distance == 0.0 {
        0.0
    } else {
        distance / unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{mlir, program::Program, types::ElementType};

    fn program(body: &str) -> Program {
        let text = format!(
            "func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {{\n{body}\n  return %r : tensor<64xf32>\n}}"
        );
        mlir::text::parse(&text, "test").unwrap()
    }

    fn estimate(before: &str, after: &str) -> Distances {
        let values: Vec<f32> = (0..64).map(|i| 0.1 + i as f32 / 7.0).collect();
        let argument = Tensor::from_slice(&[64], ElementType::F32, &values);
        let limits = Limits::default();
        match of(
            &program(before),
            &program(after),
            &[argument.into()],
            &limits,
        ) {
            Estimated::Compared(d) => d,
            Estimated::NotRun(why) => panic!("{why}"),
        }
    }

    const TWICE: &str =
        "%s = hlo.add %a, %a : tensor<64xf32>\n  %r = hlo.multiply %s, %s : tensor<64xf32>";

    #[test]
    fn another_order_is_within_and_another_number_outside() {
        let square = "%s = hlo.multiply %a, %a : tensor<64xf32>\n  %t = hlo.add %s, %s : tensor<64xf32>\n  %r = hlo.add %t, %t : tensor<64xf32>";
        let same = estimate(TWICE, square);
        assert!(same.is_within() && same.compared == 64, "{same:?}");
        let off = "%s = hlo.add %a, %a : tensor<64xf32>\n  %c = hlo.constant dense<1.00001> : tensor<64xf32>\n  %t = hlo.multiply %s, %c : tensor<64xf32>\n  %r = hlo.multiply %t, %s : tensor<64xf32>";
        let other = estimate(TWICE, off);
        assert!(!other.is_within() && other.outside > 32, "{other:?}");
        assert!(!other.is_far_off(), "{other:?}");
        let wrong = estimate(TWICE, &off.replace("1.00001", "1.1"));
        assert!(wrong.is_far_off() && wrong.not_finite == 0, "{wrong:?}");
        let none = estimate(TWICE, &off.replace("1.00001", "0x7fc00000"));
        assert!(none.is_far_off() && none.not_finite == 64, "{none:?}");
    }
}
