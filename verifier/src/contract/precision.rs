//! In which float types a side rounds. A side that rounds in other types than its counterpart computes in another precision: a conversion to a narrower
//! type was dropped or added, or an op was widened.
//!
//! Proves: the sets of types differ, or a conversion rounds a tensor of which the other side rounds no element. Cannot: see a rounding that was dropped
//! beside one of the same numbers.

use super::{all_ops, is_sum};
use crate::{kernels, region::Part, session::Session};
use std::collections::{BTreeMap, HashSet};
use tileproof_dialect::{
    bound::unit_roundoff,
    hlo,
    op::{Kind, Op},
    planes::ring::Residue,
    program::{OpId, Operation, Program, ValueDef, ValueId},
    types::ElementType,
};

/// How the after side rounds beside the before side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounds {
    Alike,
    /// A rounding to a narrower type is left out, or an op is computed in a wider type.
    Less,
    /// A rounding that no compiler may leave out is: one the program asks for (`reduce_precision`), or that of an integer to a float of 32 bits or more.
    Dropped,
    /// A rounding to a narrower type is put in, or an op is computed in a narrower type.
    More,
}

/// Compares in which types the two sides round, and which values they round to narrower types. A side that rounds less often in the type of the result
/// computes in the same precision. Kernels sum narrow types in f32: that f32 is no other precision; of what they convert inside only the types are known.
pub fn compare(session: &Session<'_>, before: &Part<'_>, after: &Part<'_>) -> Rounds {
    let (mut want, mut got) = (rounds_in(before), rounds_in(after));
    let sums = name(&ElementType::F32);
    let by_kernels = (kernels::are_called(before), kernels::are_called(after));
    if by_kernels == (false, true) && !want.contains_key(&sums) {
        got.remove(&sums);
    }
    if by_kernels == (true, false) && !got.contains_key(&sums) {
        want.remove(&sums);
    }
    if by_kernels != (false, false) {
        // Kernels round the operands of a product by conversions of their own.
        for side in [&mut want, &mut got] {
            side.retain(|ty, _| !ty.starts_with(ALGORITHM));
        }
    }
    let root = float(before.version.program, before.side.root).map(name);
    let others = |a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>| -> Vec<(String, f64)> {
        a.iter()
            .filter(|(t, _)| !b.contains_key(*t))
            .filter(|(t, _)| Some(*t) != root.as_ref() || b.keys().any(|x| x != *t))
            .map(|(t, unit)| (t.clone(), *unit))
            .collect()
    };
    let coarsest = |of: &BTreeMap<String, f64>| of.values().copied().fold(0.0, f64::max);
    let (added, dropped) = (others(&got, &want), others(&want, &got));
    if added.iter().any(|(_, unit)| *unit > coarsest(&want)) {
        return Rounds::More;
    }
    if by_kernels != (false, false) {
        return if added.is_empty() && dropped.is_empty() {
            Rounds::Alike
        } else {
            Rounds::Less
        };
    }
    if is_narrower(before, after) {
        return Rounds::More;
    }
    // Most regions convert nothing, and tensors are large.
    let explicit = explicit_types(before)
        .into_iter()
        .chain(explicit_types(after))
        .collect();
    let (w, g) = (
        roundings(session, before, &explicit),
        roundings(session, after, &explicit),
    );
    if rounds_otherwise(&g, &w) {
        return Rounds::More;
    }
    if added.is_empty() && dropped.is_empty() && !rounds_otherwise(&w, &g) {
        return Rounds::Alike;
    }
    let asked = asked_for(before);
    let is_asked = |t: &String| asked.contains(t);
    let of_asked: Vec<Rounding> = w.into_iter().filter(|r| is_asked(&r.ty)).collect();
    let narrow = coarsest(&want).max(coarsest(&got)) > unit_roundoff(&ElementType::F32);
    let of_integers = converts_integers(before) || converts_integers(after);
    if dropped.iter().any(|(t, _)| is_asked(t))
        || rounds_otherwise(&of_asked, &g)
        || !narrow && (of_integers || root.is_none())
    {
        Rounds::Dropped
    } else {
        Rounds::Less
    }
}

/// Whether the before side computes element by element in a type finer than any the after side computes in.
fn is_narrower(before: &Part<'_>, after: &Part<'_>) -> bool {
    let units = |part: &Part<'_>| -> Vec<f64> {
        let program = part.version.program;
        let ops = all_ops(part).into_iter();
        ops.flat_map(|op| {
            let Op::Hlo(inner) = &program.op(op).op;
            let is_conversion = matches!(inner, hlo::Op::Convert(_) | hlo::Op::ReducePrecision(_));
            // Sums of narrow numbers are taken in f32, whatever type they are written in.
            let coarsest = if is_sum(program, op) {
                unit_roundoff(&ElementType::F32)
            } else {
                f64::INFINITY
            };
            let all = if is_conversion {
                vec![]
            } else {
                of_op(part, op)
            };
            all.into_iter().map(move |(_, unit)| unit.min(coarsest))
        })
        .collect()
    };
    let (want, got) = (units(before), units(after));
    let finest = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
    !want.is_empty() && !got.is_empty() && finest(&want) < finest(&got)
}

/// Types that the side rounds to because the program says so, whatever it computes in.
fn asked_for(part: &Part<'_>) -> HashSet<String> {
    let program = part.version.program;
    let ops = all_ops(part).into_iter().map(|op| program.op(op));
    ops.filter(|o| {
        let Op::Hlo(inner) = &o.op;
        matches!(inner, hlo::Op::ReducePrecision(_))
    })
    .flat_map(|o| narrowed(program, o))
    .collect()
}

/// Whether the side converts integers to floats or back.
fn converts_integers(part: &Part<'_>) -> bool {
    let program = part.version.program;
    all_ops(part).into_iter().any(|op| {
        let o = program.op(op);
        let Op::Hlo(inner) = &o.op;
        let all = o.operands.iter().chain(&o.results);
        matches!(inner, hlo::Op::Convert(_))
            && all.into_iter().any(|v| float(program, *v).is_none())
    })
}

/// The name of a type by its digits: as the type, where there is one.
fn by_digits(r: &hlo::reduce_precision::ReducePrecision) -> String {
    match (r.exponent_bits, r.mantissa_bits) {
        (8, 7) => name(&ElementType::BF16),
        (5, 10) => name(&ElementType::F16),
        (8, 23) => name(&ElementType::F32),
        (11, 52) => name(&ElementType::F64),
        (exponent, mantissa) => format!("e{exponent}m{mantissa}"),
    }
}

/// What the algorithm of a product rounds its operands to, among the names of types.
const ALGORITHM: &str = "operands to";

/// One rounding to a type: the residues of what it rounds.
struct Rounding {
    ty: String,
    residues: HashSet<Residue>,
    /// By a conversion, not by an op of this type.
    is_explicit: bool,
}

/// Tensors with more elements are not looked at.
const MOST_ELEMENTS: usize = 1 << 20;

/// Types that the side's conversions round to.
fn explicit_types(part: &Part<'_>) -> HashSet<String> {
    let program = part.version.program;
    part.side
        .ops
        .iter()
        .flat_map(|op| narrowed(program, program.op(*op)))
        .collect()
}

/// What the side itself rounds to one of these types, by conversions to narrower types and by ops of a type.
fn roundings(session: &Session<'_>, part: &Part<'_>, types: &HashSet<String>) -> Vec<Rounding> {
    if types.is_empty() {
        return vec![];
    }
    let program = part.version.program;
    let residues = |v: &ValueId| -> Option<HashSet<Residue>> {
        let content = if *v == part.side.root {
            part.root
        } else {
            *part.environment.get(v)?
        };
        let ring = session.value(content).ok()?.as_tensor()?.ring()?;
        (ring.len() <= MOST_ELEMENTS).then(|| ring.iter().copied().collect())
    };
    let mut out = vec![];
    for op in &part.side.ops {
        let o = program.op(*op);
        let Some(x) = o.operands.first() else {
            continue;
        };
        let explicit = narrowed(program, o);
        for ty in &explicit {
            if !is_rounded_to(program, *x, ty) {
                out.extend(residues(x).map(|residues| Rounding {
                    ty: ty.clone(),
                    residues,
                    is_explicit: true,
                }));
            }
        }
        let computes = matches!(o.op.kind(), Kind::Arithmetic | Kind::Opaque);
        if explicit.is_empty() && (computes || is_sum(program, *op)) {
            for v in &o.results {
                let ty = float(program, *v).map(name).filter(|t| types.contains(t));
                out.extend(ty.zip(residues(v)).map(|(ty, residues)| Rounding {
                    ty,
                    residues,
                    is_explicit: false,
                }));
            }
        }
    }
    out
}

/// Whether one side converts a value to a type in which the other side rounds no element of it. Real arithmetic gives equal residues, and moving elements
/// before or after a conversion keeps them.
fn rounds_otherwise(some: &[Rounding], others: &[Rounding]) -> bool {
    some.iter().filter(|r| r.is_explicit).any(|r| {
        let mut same = others.iter().filter(|o| o.ty == r.ty);
        !r.residues.is_empty() && !same.any(|o| !o.residues.is_disjoint(&r.residues))
    })
}

/// Whether the value was widened from this type, and moved at most since: rounding it to the type again changes nothing.
fn is_rounded_to(program: &Program, x: ValueId, ty: &str) -> bool {
    let mut x = x;
    loop {
        let ValueDef::Result { op, .. } = program.value(x).def else {
            return false;
        };
        let o = program.op(op);
        let Op::Hlo(inner) = &o.op;
        let Some(from) = o.operands.first() else {
            return false;
        };
        if matches!(inner, hlo::Op::Convert(_)) {
            return float(program, *from).is_some_and(|e| name(e) == ty);
        }
        if o.op.kind() != Kind::Movement || o.operands.len() != 1 {
            return false;
        }
        x = *from;
    }
}

/// The narrower type that a conversion rounds to.
fn narrowed(program: &Program, o: &Operation) -> Vec<String> {
    let Op::Hlo(inner) = &o.op;
    match inner {
        hlo::Op::Convert(_) => {
            let from = o.operands.first().and_then(|v| float(program, *v));
            o.results
                .iter()
                .filter_map(|v| float(program, *v))
                .filter(|to| from.is_some_and(|from| unit_roundoff(from) < unit_roundoff(to)))
                .map(name)
                .collect()
        }
        hlo::Op::ReducePrecision(r) => vec![by_digits(r)],
        _ => vec![],
    }
}

/// Whether the side rounds.
pub fn rounds_at_all(part: &Part<'_>) -> bool {
    !rounds_in(part).is_empty()
}

/// Types the side and the regions of its ops round in, with their unit roundoffs.
fn rounds_in(part: &Part<'_>) -> BTreeMap<String, f64> {
    all_ops(part)
        .into_iter()
        .flat_map(|op| of_op(part, op))
        .collect()
}

/// Complex numbers round in the type of their parts.
fn name(element: &ElementType) -> String {
    element
        .complex_part()
        .unwrap_or(element.clone())
        .to_string()
}

fn of_op(part: &Part<'_>, op: OpId) -> Vec<(String, f64)> {
    let program = part.version.program;
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    let results = o.results.iter().filter_map(|v| float(program, *v));
    let named = |e: &ElementType| {
        let part = e.complex_part();
        (name(e), unit_roundoff(part.as_ref().unwrap_or(e)))
    };
    match inner {
        hlo::Op::Convert(_) => {
            let from = o.operands.first().and_then(|v| float(program, *v));
            results
                .filter(|to| from.is_none_or(|from| unit_roundoff(from) < unit_roundoff(to)))
                .map(named)
                .collect()
        }
        hlo::Op::ReducePrecision(r) => {
            let unit = 2f64.powi(-(r.mantissa_bits as i32) - 1);
            vec![(by_digits(r), unit)]
        }
        hlo::Op::Negate(_) => vec![],
        hlo::Op::DotGeneral(dot) if dot.algorithm.is_some() => {
            let of = dot.algorithm.as_ref().map_or(0.0, |a| a.rounding());
            let mut all: Vec<(String, f64)> = results.map(named).collect();
            if of > 0.0 {
                all.push((format!("{ALGORITHM} {of:e}"), of));
            }
            all
        }
        hlo::Op::KernelCall(_) => kernels::of_op(program, op)
            .map(|k| {
                let used = used(part, o);
                kernels::rounding::of(k, &used).into_iter().collect()
            })
            .unwrap_or_default(),
        _ => match o.op.kind() {
            Kind::Arithmetic | Kind::Opaque => results.map(named).collect(),
            Kind::Movement | Kind::Selection | Kind::Integer | Kind::Control | Kind::Effect => {
                vec![]
            }
        },
    }
}

/// Numbers of the results of an op that the root hangs on.
fn used(part: &Part<'_>, o: &Operation) -> Vec<usize> {
    let program = part.version.program;
    let taken: HashSet<ValueId> = all_ops(part)
        .into_iter()
        .flat_map(|op| program.op(op).operands.iter().copied())
        .chain([part.side.root])
        .collect();
    let results = o.results.iter().enumerate();
    results
        .filter(|(_, v)| taken.contains(v))
        .map(|(i, _)| i)
        .collect()
}

fn float(program: &Program, v: ValueId) -> Option<&ElementType> {
    program
        .ty(v)
        .as_tensor()
        .map(|t| &t.element)
        .filter(|e| e.has_ring())
}
