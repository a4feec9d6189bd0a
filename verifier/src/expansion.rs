//! Functions by name in one program, written out in the other: the named side is expanded, so that arithmetic is compared with arithmetic. And how far
//! an expansion lies from its function.
//!
//! `align` proves nothing: it changes a program by `hlo-expand`, whose bodies `measure` compares with the functions' definitions.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};
use tileproof_dialect::{
    bound::{subnormal_roundoff, unit_roundoff},
    builder::{ProgramBuilder, Provenance},
    error::Error,
    eval::{Events, Stop},
    hlo::{self, call::Call, composite::Values},
    location::Location,
    op::{Kind, Op, read_hlo},
    planes::Planes,
    program::{Operation, Program, ValueId},
    tensor::{Tensor, Value},
    types::{ElementType, TensorType, Type},
};
use tileproof_lowering::{
    hlo::expand::{self, COMPLEX_EXPANSIONS, EXPANSIONS, Expansion},
    manager,
    pass::Pass,
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// Two programs whose functions are named alike.
pub struct Aligned {
    pub before: Arc<Program>,
    pub after: Arc<Program>,
    /// What was expanded.
    pub notes: Vec<String>,
}

/// What stands for a function that the other program writes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandIn {
    /// The ops XLA writes for it: equal ops are equal, however good an approximation they are.
    Ops,
    /// The function's own values, with the residues of those ops.
    Function,
}

/// The two programs with each function that one of them names and the other does not as what stands in for it.
pub fn align(
    before: &Arc<Program>,
    after: &Arc<Program>,
    stand_in: StandIn,
) -> Result<Aligned, Error> {
    let (of_before, of_after) = (names(before), names(after));
    let mut notes = vec![];
    let mut expand = |program: &Arc<Program>, own: &BTreeSet<String>, other, side: &str| {
        let folded = match stand_in {
            StandIn::Ops => of_numbers(program),
            StandIn::Function => BTreeSet::new(),
        };
        let only: BTreeSet<String> = own.difference(other).cloned().collect();
        let only: BTreeSet<String> = only.difference(&folded).cloned().collect();
        if only.is_empty() {
            return Ok(program.clone());
        }
        let list: Vec<&str> = only.iter().map(String::as_str).collect();
        let list = list.join(", ");
        notes.push(match stand_in {
            StandIn::Ops => format!(
                "functions the other program does not name are written out in the {side} program: {list}"
            ),
            StandIn::Function => format!(
                "functions the {side} program names and the other writes out, judged by the functions' own values: {list}"
            ),
        });
        let pass = match stand_in {
            StandIn::Ops => &expand::WRITE_OUT,
            StandIn::Function => &expand::JUDGE,
        };
        written_out(program, &only, pass).map(Arc::new)
    };
    Ok(Aligned {
        before: expand(before, &of_before, &of_after, "first")?,
        after: expand(after, &of_after, &of_before, "second")?,
        notes,
    })
}

/// The expansion of the function an op names: itself, or what a named expansion implements.
fn name(program: &Program, operation: &Operation) -> Option<&'static str> {
    let Op::Hlo(op) = &operation.op;
    let name = match op {
        hlo::Op::Composite(composite) => composite.implements()?.op.name(),
        other => other.name(),
    };
    let element = &program
        .ty(*operation.operands.first()?)
        .as_tensor()?
        .element;
    EXPANSIONS
        .iter()
        .chain(COMPLEX_EXPANSIONS)
        .find(|e| e.op == name && e.takes(element))
        .map(|e| e.name)
}

/// Functions with an expansion that the program names.
fn names(program: &Program) -> BTreeSet<String> {
    let all = program
        .op_ids()
        .filter_map(|id| name(program, program.op(id)));
    all.map(str::to_string).collect()
}

/// Functions that the program names of single numbers that hang on no input, and of nothing else: where the other side does not name them it holds their values.
fn of_numbers(program: &Program) -> BTreeSet<String> {
    let mut independent: HashSet<ValueId> = HashSet::new();
    let (mut of_numbers, mut of_others) = (BTreeSet::new(), BTreeSet::new());
    for id in program.op_ids() {
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        let computes = match o.op.kind() {
            Kind::Movement | Kind::Arithmetic | Kind::Selection | Kind::Opaque | Kind::Integer => {
                o.regions.is_empty() && !matches!(op, hlo::Op::Rng(_))
            }
            Kind::Control | Kind::Effect => false,
        };
        let is_literal = matches!(op, hlo::Op::Constant(_) | hlo::Op::Iota(_));
        let of_independent =
            !o.operands.is_empty() && o.operands.iter().all(|v| independent.contains(v));
        if computes && (is_literal || of_independent) {
            independent.extend(o.results.iter().copied());
        }
        let one = |v: &ValueId| program.ty(*v).as_tensor().is_some_and(|t| t.rank() == 0);
        if let Some(name) = name(program, o) {
            match of_independent && o.results.iter().all(one) {
                true => of_numbers.insert(name.to_string()),
                false => of_others.insert(name.to_string()),
            };
        }
    }
    of_numbers.difference(&of_others).cloned().collect()
}

/// The program with these functions as what their expansions make of them; named expansions as calls of their bodies.
fn written_out(
    program: &Arc<Program>,
    only: &BTreeSet<String>,
    pass: &'static Pass,
) -> Result<Program, Error> {
    let options = manager::Options {
        rewrites: Some(only.clone()),
        ..manager::Options::default()
    };
    let mut steps = manager::run(program, &[pass], &options)?;
    let expanded = steps.pop().map_or(program.clone(), |step| step.program);
    expanded.with_ops(|operation| match &operation.op {
        Op::Hlo(hlo::Op::Composite(composite)) => {
            let is_own = composite
                .implements()
                .is_some_and(|i| i.values == Values::OfDecomposition);
            if !is_own {
                return None;
            }
            let callee = composite.decomposition.clone();
            let is_named = name(&expanded, operation).is_some_and(|n| only.contains(n));
            is_named.then(|| hlo::Op::from(Call { callee }).into())
        }
        Op::Hlo(_) => None,
    })
}

/// Distance of an expansion from its function over many operands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distance {
    /// Largest distance in units in the last place of the function's value (of the floor, where the value is smaller).
    pub worst_ulp: f64,
    /// Operands where it is.
    pub worst_at: Vec<f64>,
    /// Operands where one of the two is NaN or infinite and the other is not.
    pub apart: Vec<Vec<f64>>,
    pub compared: u64,
}

impl Distance {
    fn join(&mut self, other: Distance) {
        if other.worst_ulp > self.worst_ulp {
            (self.worst_ulp, self.worst_at) = (other.worst_ulp, other.worst_at);
        }
        self.apart.extend(other.apart);
        self.compared += other.compared;
    }
}

/// Which bit patterns of a type are looked at: every `stride`th, the `window` on each side of every power of two and of zero, where the branches of such
/// functions meet, and on each side of every [`landmarks`] number `near` at distances of each power of two of patterns. 16-bit types: all.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    pub stride: u64,
    pub window: u64,
    pub near: u64,
}

/// Numbers where functions have poles, zeros and ends: whole and half numbers, powers of two, where exponentials overflow and underflow in f32 and f64,
/// where complements of erf do, and zeros of lgamma and digamma.
fn landmarks() -> Vec<f64> {
    let mut out: Vec<f64> = (0..=128).map(|n| f64::from(n) / 2.0).collect();
    out.extend((-30..=30).map(|e| 2f64.powi(e)));
    out.extend([
        709.782, 710.475, 745.133, 88.722, 89.415, 103.972, 26.543, 27.226, 9.194, 10.054, 35.04,
        171.624, 1.461632,
    ]);
    let negative: Vec<f64> = out.iter().map(|x| -x).collect();
    out.extend(negative);
    out
}

/// Elements compared at a time.
const CHUNK: usize = 1 << 16;

impl Sweep {
    /// The patterns as runs of (first, step, number).
    fn runs(&self, element: &ElementType) -> Vec<(u64, u64, u64)> {
        let bits = element.bits();
        if bits == 16 {
            return vec![(0, 1, 1 << 16)];
        }
        // f64 takes as many as f32.
        let step = self.stride.max(1) << (bits - 32);
        let mut runs = vec![(0, step, (1u64 << 32).div_ceil(self.stride.max(1)))];
        let (mantissa, exponents) = if bits == 64 {
            (52, 1 << 12)
        } else {
            (23, 1 << 9)
        };
        for power in 0..exponents {
            let start = (power << mantissa) - if power > 0 { self.window } else { 0 };
            runs.push((start, 1, 2 * self.window));
        }
        runs
    }

    /// Patterns around the landmarks.
    fn near(&self, element: &ElementType) -> Vec<u64> {
        let mantissa = match element.bits() {
            16 => return vec![],
            32 => 23,
            _ => 52,
        };
        let mut out = vec![];
        for (i, x) in landmarks().into_iter().enumerate() {
            let center = match element.bits() {
                32 => u64::from((x as f32).to_bits()),
                _ => x.to_bits(),
            };
            for power in 0..mantissa {
                for n in 0..self.near {
                    let scattered = (n + self.near * (power + mantissa * i as u64))
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let distance = (1 << power) + (scattered >> 8) % (1 << power);
                    out.push(center.wrapping_add(distance));
                    // Below zero there is nothing.
                    out.extend(center.checked_sub(distance));
                }
            }
        }
        if element.bits() == 32 {
            out.retain(|pattern| *pattern <= u64::from(u32::MAX));
        }
        out
    }
}

/// Compares an expansion with its function, of normal operands only where it says nothing of others. The function is evaluated in f64 and not rounded. The first of two operands of zeta and polygamma runs over small
/// numbers.
pub fn measure(
    expansion: &Expansion,
    element: &ElementType,
    sweep: Sweep,
    floor: f64,
) -> Result<Distance, Error> {
    let mut all = Distance::default();
    let limits = Limits::default();
    let mut patterns = vec![];
    for (first, step, n) in sweep.runs(element) {
        for i in 0..n {
            // The low bits of wide strides are scattered.
            let low = if step > 1 {
                i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % step
            } else {
                0
            };
            patterns.push(first + i * step + low);
            if patterns.len() == CHUNK {
                let operands = operands(expansion, element, &patterns);
                all.join(compare(expansion, element, &operands, floor, &limits)?);
                patterns.clear();
            }
        }
    }
    patterns.extend(sweep.near(element));
    for chunk in patterns.chunks(CHUNK) {
        let operands = operands(expansion, element, chunk);
        all.join(compare(expansion, element, &operands, floor, &limits)?);
    }
    Ok(all)
}

/// The operands for these patterns of the last one.
fn operands(expansion: &Expansion, element: &ElementType, patterns: &[u64]) -> Vec<Tensor> {
    let n = patterns.len() as u64;
    let from_bits = |bits: &mut dyn Iterator<Item = u64>| match element.bits() {
        16 => {
            let bits: Vec<u16> = bits.map(|b| b as u16).collect();
            Tensor::from_slice(&[n], element.clone(), &bits)
        }
        32 => {
            let bits: Vec<u32> = bits.map(|b| b as u32).collect();
            Tensor::from_slice(&[n], element.clone(), &bits)
        }
        _ => Tensor::from_slice(&[n], element.clone(), &bits.collect::<Vec<u64>>()),
    };
    let last = from_bits(&mut patterns.iter().copied());
    let small = |f: &dyn Fn(u64) -> f64| {
        let values: Vec<f64> = (0..n).map(f).collect();
        Tensor::from_f64s(&[n], element, &values)
    };
    match expansion.name {
        "polygamma" => vec![small(&|i| (i % 13) as f64), last],
        "zeta" => vec![small(&|i| 1.25 + (i % 64) as f64 / 4.0), last],
        _ if expansion.operands() == 2 => {
            let scattered = &mut patterns
                .iter()
                .map(|b| b.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            vec![from_bits(scattered), last]
        }
        _ => vec![last],
    }
}

fn compare(
    expansion: &Expansion,
    element: &ElementType,
    operands: &[Tensor],
    floor: f64,
    limits: &Limits,
) -> Result<Distance, Error> {
    let ty = operands[0].ty();
    let body = expansion.function("main", &ty, &Location::default())?;
    let got = run(&body, operands, limits)?;
    // Neighbours are those of the type; all other functions are those of real numbers.
    let exact = expansion.name == "next_after";
    let function = function(
        expansion,
        &if exact {
            ty
        } else {
            ty.with_element(ElementType::F64)
        },
    )?;
    let wide: Vec<Tensor> = operands
        .iter()
        .map(|t| match exact {
            true => t.clone(),
            false => Tensor::from_slice(t.dims(), ElementType::F64, &t.to_f64s()),
        })
        .collect();
    let want = run(&function, &wide, limits)?;
    let (got, want) = (got.to_f64s(), want.to_f64s());
    let rounded = Tensor::from_f64s(&[want.len() as u64], element, &want);
    let rounded = rounded.to_f64s();
    let normal_only = expand::accuracy(expansion.name, element).is_some_and(|a| a.normal_operands);
    let mut out = Distance::default();
    for i in 0..want.len() {
        out.compared += 1;
        let at = || {
            operands
                .iter()
                .map(|t| t.to_f64s()[i])
                .collect::<Vec<f64>>()
        };
        let (g, w) = (got[i], want[i]);
        if normal_only
            && operands
                .iter()
                .any(|t| is_subnormal(element, t.to_f64s()[i]))
        {
            continue;
        }
        if g == rounded[i] || (g.is_nan() && w.is_nan()) {
            continue;
        }
        if !g.is_finite() || !rounded[i].is_finite() {
            out.apart.push(at());
            continue;
        }
        let ulp = (g - w).abs() / spacing(element, w.abs().max(floor));
        if ulp > out.worst_ulp {
            (out.worst_ulp, out.worst_at) = (ulp, at());
        }
    }
    Ok(out)
}

fn is_subnormal(element: &ElementType, x: f64) -> bool {
    x != 0.0 && x.abs() < subnormal_roundoff(element) / unit_roundoff(element)
}

/// Distance of the neighbours around a positive number.
fn spacing(element: &ElementType, value: f64) -> f64 {
    let smallest = 2.0 * subnormal_roundoff(element);
    let power = f64::from_bits(value.to_bits() & (0x7ff << 52));
    (2.0 * unit_roundoff(element) * power).max(smallest)
}

/// The function itself, as a program of its op.
fn function(expansion: &Expansion, ty: &TensorType) -> Result<Program, Error> {
    let location = Location::default();
    let (op, _) = read_hlo(expansion.name, Default::default(), &location)?;
    let mut builder = ProgramBuilder::new(expansion.name, Provenance::Keep);
    let parameters = vec![Type::from(ty.clone()); expansion.operands()];
    let arguments = builder.begin_function("main", &parameters, location.clone());
    let results = builder.infer(op.into(), &arguments, &[], vec![], location.clone());
    builder.end_function(&results, location);
    builder.finish()
}

fn run(program: &Program, operands: &[Tensor], limits: &Limits) -> Result<Tensor, Error> {
    let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits);
    let arguments = operands.iter().cloned().map(Value::Tensor).collect();
    let results =
        interpreter
            .run(arguments, &mut Events::default())
            .map_err(|stop| match stop {
                Stop::Failed(error) => error,
                Stop::Trap(trap) => Error::internal(trap.to_string()),
                Stop::Cancelled => Error::internal("cancelled"),
            })?;
    match results.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        Some(Value::Token(_) | Value::Tuple(_)) | None => {
            Err(Error::internal("a function without a tensor as result"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_lowering::hlo::expand::{ELEMENTS, accuracy};

    /// A coarse sweep stays within what the whole one measured, which is no wider than it needs to be.
    #[test]
    fn expansions_are_as_accurate_as_they_say() {
        for expansion in EXPANSIONS {
            for element in &ELEMENTS {
                let Some(stored) = accuracy(expansion.name, element) else {
                    continue;
                };
                let sweep = Sweep {
                    stride: 99_991,
                    window: 8,
                    near: 2,
                };
                let found = measure(expansion, element, sweep, stored.floor).unwrap();
                let what = format!("{} {element}: {found:?}", expansion.name);
                assert!(found.compared >= 1 << 15, "{what}");
                assert!(found.worst_ulp <= stored.max_ulp, "{what}");
                assert_eq!(found.apart, Vec::<Vec<f64>>::new(), "{what}");
            }
        }
    }

    /// What keeps zeta out of the named expansions.
    #[test]
    fn xlas_zeta_is_wrong_left_of_minus_nine() {
        let zeta = EXPANSIONS.iter().find(|e| e.name == "zeta").unwrap();
        let at = |s: f64, q: f64| {
            let operands = [s, q].map(|x| Tensor::from_f64s(&[1], &ElementType::F64, &[x]));
            let limits = Limits::default();
            compare(zeta, &ElementType::F64, &operands, 1.0, &limits).unwrap()
        };
        assert!(at(3.0, 2.5).worst_ulp <= 4.0);
        assert!(at(3.0, -9.75).worst_ulp > 1e6);
        assert_eq!(at(3.0, f64::INFINITY).apart.len(), 1);
    }
}
