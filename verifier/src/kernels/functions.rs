//! Named functions inside kernels: the body of each `Implements` against what the version before has under that name, on many numbers.
//!
//! The ring evaluates the name and IEEE the body, so a fault in a body shows on the numbers alone that take that way through it, and a program feeds few. A
//! pass copies a body; one that is another expression than all of its name before is run beside them: all bits must be the same, NaN aside.
//!
//! Proves: a body of the same form computes the same. Cannot: see a fault of another body between the numbers tried.

use super::pointwise::Pointwise;
use crate::{
    compare::bits::{self, Difference},
    inputs::Class,
    level::Level,
    validate::{Found, Options, Origin, PassReport, Report, Step},
    verdict::{Ieee, Ring, Verdict},
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};
use tileproof_dialect::{
    hlo,
    location::Location,
    op::Op,
    planes::ring::mix,
    program::Program,
    tensor::Tensor,
    tpu::{TpuOp, kernel::walk},
    types::{Class as NumberClass, ElementType},
};

/// Functions by name.
type Named = BTreeMap<String, Vec<Pointwise>>;

/// A body that differs from all of its name.
struct Wrong {
    name: String,
    location: Location,
    rewrite: Option<Arc<str>>,
    difference: Difference,
}

/// Looks at the functions in the kernels of every step, and adds what differs to the report.
pub fn check(source: &Arc<Program>, steps: &[Step], options: &Options, report: &mut Report) {
    let before = std::iter::once(source).chain(steps.iter().map(|s| &s.program));
    for ((before, step), pass) in before.zip(steps).zip(&mut report.passes) {
        if step.program.kernels.is_empty() || step.origin != Origin::Pass {
            continue;
        }
        for wrong in differing(before, &step.program, options) {
            add(wrong, options, pass);
        }
    }
    report.verdict = report.passes.iter().fold(report.verdict.clone(), |all, p| {
        all.worst(p.verdict.clone())
    });
}

fn add(wrong: Wrong, options: &Options, pass: &mut PassReport) {
    pass.verdict = pass.verdict.clone().worst(Verdict::NumericsViolation);
    pass.findings.push(Found {
        verdict: Verdict::NumericsViolation,
        class: Class::Normal,
        seed: options.seed,
        op: format!("body of '{}'", wrong.name),
        location: wrong.location,
        rewrite: wrong.rewrite,
        inside: None,
        difference: Some(wrong.difference),
        output: None,
        ring: Ring::NotRun,
        ieee: Ieee::Outside,
    });
}

/// Bodies of the kernels of `after` that compute something else than all bodies of their name in `before`.
fn differing(before: &Program, after: &Program, options: &Options) -> Vec<Wrong> {
    let known = named(before);
    let mut seen = HashSet::new();
    let mut out = vec![];
    for kernel in &after.kernels {
        walk(&kernel.body, &mut |o| {
            let (TpuOp::Implements { name }, Some(region)) = (&o.op, o.regions.first()) else {
                return;
            };
            let Some(all) = known.get(name) else { return };
            let Some(body) = Pointwise::of_region(kernel, region) else {
                return;
            };
            if all.iter().any(|k| k.form() == body.form())
                || !seen.insert((name.clone(), body.form()))
            {
                return;
            }
            if let Some(difference) = difference(all, &body, options.level, options.seed) {
                out.push(Wrong {
                    name: name.clone(),
                    location: o.location.clone(),
                    rewrite: kernel.location.rewrite.clone(),
                    difference,
                });
            }
        });
    }
    out
}

/// Every named function of the program, as it is written out: regions of kernels and decompositions of composites.
fn named(program: &Program) -> Named {
    let mut out = Named::new();
    let mut add = |name: &str, body: Option<Pointwise>| {
        let all = out.entry(name.to_string()).or_default();
        if let Some(body) = body
            && all.iter().all(|k| k.form() != body.form())
        {
            all.push(body);
        }
    };
    for kernel in &program.kernels {
        walk(&kernel.body, &mut |o| {
            if let (TpuOp::Implements { name }, Some(region)) = (&o.op, o.regions.first()) {
                add(name, Pointwise::of_region(kernel, region));
            }
        });
    }
    let mut seen = HashSet::new();
    for id in program.op_ids() {
        if let Op::Hlo(hlo::Op::Composite(c)) = &program.op(id).op
            && c.implements().is_some()
            && seen.insert(c.decomposition.as_str())
        {
            add(&c.name, Pointwise::of_function(program, &c.decomposition));
        }
    }
    out
}

/// How `body` differs from that of `all` which it is nearest to; none where it is one of them, or none can be compared.
fn difference(all: &[Pointwise], body: &Pointwise, level: Level, seed: u64) -> Option<Difference> {
    let n = match level {
        Level::Ordinary | Level::Quick => 4096,
        Level::Full => 1 << 14,
    };
    let arguments = numbers(body.types().0, n, seed)?;
    let got = body.run(&arguments)?;
    let mut nearest: Option<Difference> = None;
    for known in all.iter().filter(|k| k.types() == body.types()) {
        let want = known.run(&arguments)?;
        let difference = bits::first_difference(&want, &got)?;
        if nearest
            .as_ref()
            .is_none_or(|d| difference.differing < d.differing)
        {
            nearest = Some(difference);
        }
    }
    nearest
}

/// `n` numbers for each parameter: all pairs of special ones first, then others of all kinds.
fn numbers(types: &[ElementType], n: usize, seed: u64) -> Option<Vec<Tensor>> {
    let mut out = vec![];
    for (k, element) in types.iter().enumerate() {
        let draw = |i: usize, salt: u64| mix(seed ^ mix((i as u64) << 8 | k as u64) ^ salt);
        let special = special(element);
        let each = special.len().pow(k as u32 % 2);
        let all = (0..n).map(
            |i| match i < special.len() * special.len() && types.len() > 1 {
                true => special[i / each % special.len()],
                false if i < special.len() => special[i],
                false => ordinary(draw(i, 0), draw(i, 1), i),
            },
        );
        out.push(match element.class() {
            NumberClass::Float => Tensor::from_f64s(&[n as u64], element, &all.collect::<Vec<_>>()),
            NumberClass::Signed | NumberClass::Unsigned | NumberClass::Boolean => {
                let ones = if *element == ElementType::I1 { 1 } else { -1 };
                let all: Vec<i64> = all.map(|x| x as i64 & ones).collect();
                Tensor::from_i64s(&[n as u64], element, &all)
            }
            NumberClass::Complex | NumberClass::Quantized => return None,
        });
    }
    Some(out)
}

/// Ends of the range, both zeros, and what is no number.
fn special(element: &ElementType) -> Vec<f64> {
    let mut out = vec![0.0, 1.0, 0.5, 2.0, 3.0, f64::from(f32::EPSILON), 1.0 + 1e-7];
    // The NaN whose bits are all ones: beyond it, as an integer, come the numbers of the other sign.
    out.push(f64::from_bits(i64::MAX as u64));
    out.extend([
        f64::INFINITY,
        f64::NAN,
        3.4e38,
        1e-38,
        1e-45,
        6e4,
        1e19,
        88.0,
        0.999_999_9,
    ]);
    let mut negative: Vec<f64> = out.iter().map(|x| -x).collect();
    out.append(&mut negative);
    if element.class() == NumberClass::Unsigned {
        out.retain(|x| *x >= 0.0);
    }
    out
}

/// One of: any magnitude, near a whole or half number, between -10 and 10, between -1 and 1.
fn ordinary(a: u64, b: u64, i: usize) -> f64 {
    let unit = (a >> 11) as f64 / (1u64 << 53) as f64;
    let sign = if b & 1 == 0 { 1.0 } else { -1.0 };
    match i % 4 {
        0 => sign * (1.0 + unit) * 2f64.powi((b >> 1) as i32 % 140 - 20),
        1 => {
            sign * (((b >> 1) % 65) as f64 / 2.0
                + (unit - 0.5) * 2f64.powi(-(((b >> 9) % 24) as i32)))
        }
        2 => sign * unit * 10.0,
        _ => sign * unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::stablehlo;

    fn function(body: &str) -> Pointwise {
        let text = format!(
            "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {{
               %c = stablehlo.constant dense<1.5> : tensor<4xf32>
               {body}
               return %0 : tensor<4xf32>
             }}"
        );
        let program = stablehlo::parse(&text, "function").unwrap();
        Pointwise::of_function(&program, "main").unwrap()
    }

    fn differs(body: &str, other: &str) -> bool {
        difference(&[function(body)], &function(other), Level::Quick, 1).is_some()
    }

    #[test]
    fn another_expression_is_told_by_its_numbers() {
        let sum = "%0 = stablehlo.add %x, %y : tensor<4xf32>";
        let turned = "%0 = stablehlo.add %y, %x : tensor<4xf32>";
        assert_ne!(function(sum).form(), function(turned).form());
        assert!(!differs(sum, turned));
        // The smaller of the two, but of NaN.
        let smaller = "%0 = stablehlo.minimum %x, %y : tensor<4xf32>";
        let chosen =
            "%p = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
          %0 = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>";
        assert!(differs(smaller, chosen));
        let scaled = "%1 = stablehlo.multiply %x, %c : tensor<4xf32>
          %0 = stablehlo.add %1, %y : tensor<4xf32>";
        let rounded = "%1 = stablehlo.multiply %x, %c : tensor<4xf32>
          %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xbf16>
          %3 = stablehlo.convert %2 : (tensor<4xbf16>) -> tensor<4xf32>
          %0 = stablehlo.add %3, %y : tensor<4xf32>";
        assert!(differs(scaled, rounded));
    }

    #[test]
    fn one_expression_has_one_form_whatever_the_order_of_its_ops() {
        let one = "%1 = stablehlo.negate %y : tensor<4xf32>
          %2 = stablehlo.exponential %x : tensor<4xf32>
          %0 = stablehlo.add %2, %1 : tensor<4xf32>";
        let other = "%2 = stablehlo.exponential %x : tensor<4xf32>
          %1 = stablehlo.negate %y : tensor<4xf32>
          %0 = stablehlo.add %2, %1 : tensor<4xf32>";
        assert_eq!(function(one).form(), function(other).form());
    }
}
