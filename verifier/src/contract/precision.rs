//! In which float types a side rounds. A side that rounds in other types than its counterpart computes in another precision: a conversion to a narrower
//! type was dropped or added, or an op was widened.
//!
//! Proves: the sets of types differ, or a conversion rounds a tensor of which the other side rounds no element. Cannot: see a rounding that was dropped
//! beside one of the same numbers.

use super::all_ops;
use crate::{region::Part, session::Session};
use std::collections::{BTreeSet, HashSet};
use tileproof_dialect::{
    bound::unit_roundoff,
    hlo,
    op::{Kind, Op},
    planes::ring::Residue,
    program::{OpId, Operation, Program, ValueDef, ValueId},
    tensor::{Tensor, Value},
    types::ElementType,
};

/// Whether the two sides round in different float types, or one rounds more values to a narrower type. A side that rounds less often in the type of the
/// result computes in the same precision.
pub fn differs(session: &Session<'_>, before: &Part<'_>, after: &Part<'_>) -> bool {
    let (w, g) = (roundings(session, before), roundings(session, after));
    if rounds_otherwise(&w, &g) || rounds_otherwise(&g, &w) {
        return true;
    }
    let (want, got) = (rounds_in(before), rounds_in(after));
    let root = float(before.version.program, before.side.root).map(name);
    let other = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.difference(b)
            .any(|t| Some(t) != root.as_ref() || b.iter().any(|x| x != t))
    };
    other(&want, &got) || other(&got, &want)
}

/// One explicit rounding to a narrower type: the residues of what it rounds.
struct Rounding {
    ty: String,
    residues: HashSet<Residue>,
}

/// Tensors with more elements are not looked at.
const MOST_ELEMENTS: usize = 1 << 20;

/// The conversions of the side itself that round.
fn roundings(session: &Session<'_>, part: &Part<'_>) -> Vec<Rounding> {
    let program = part.version.program;
    let mut out = vec![];
    for op in &part.side.ops {
        let o = program.op(*op);
        let Some(x) = o.operands.first() else {
            continue;
        };
        for ty in narrowed(program, o) {
            if is_rounded_to(program, *x, &ty) {
                continue;
            }
            let value = part.environment.get(x).and_then(|c| session.value(*c).ok());
            let ring = value.and_then(Value::as_tensor).and_then(Tensor::ring);
            if let Some(ring) = ring.filter(|r| r.len() <= MOST_ELEMENTS) {
                let residues = ring.iter().copied().collect();
                out.push(Rounding { ty, residues });
            }
        }
    }
    out
}

/// Whether one side rounds a value to a type in which the other side rounds no element of it. Real arithmetic gives equal residues, and moving elements before
/// or after a conversion keeps them.
fn rounds_otherwise(some: &[Rounding], others: &[Rounding]) -> bool {
    some.iter().any(|r| {
        let same = others.iter().filter(|o| o.ty == r.ty);
        !r.residues.is_empty() && !same.into_iter().any(|o| !o.residues.is_disjoint(&r.residues))
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
        hlo::Op::ReducePrecision(r) => vec![format!("e{}m{}", r.exponent_bits, r.mantissa_bits)],
        _ => vec![],
    }
}

fn rounds_in(part: &Part<'_>) -> BTreeSet<String> {
    let program = part.version.program;
    all_ops(part)
        .into_iter()
        .flat_map(|op| of_op(program, op))
        .collect()
}

/// Complex numbers round in the type of their parts.
fn name(element: &ElementType) -> String {
    element
        .complex_part()
        .unwrap_or(element.clone())
        .to_string()
}

fn of_op(program: &Program, op: OpId) -> Vec<String> {
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    let results = o.results.iter().filter_map(|v| float(program, *v));
    match inner {
        hlo::Op::Convert(_) => {
            let from = o.operands.first().and_then(|v| float(program, *v));
            results
                .filter(|to| from.is_none_or(|from| unit_roundoff(from) < unit_roundoff(to)))
                .map(name)
                .collect()
        }
        hlo::Op::ReducePrecision(r) => {
            vec![format!("e{}m{}", r.exponent_bits, r.mantissa_bits)]
        }
        hlo::Op::Negate(_) => vec![],
        _ => match o.op.kind() {
            Kind::Arithmetic | Kind::Opaque => results.map(name).collect(),
            Kind::Movement | Kind::Selection | Kind::Integer | Kind::Control | Kind::Effect => {
                vec![]
            }
        },
    }
}

fn float(program: &Program, v: ValueId) -> Option<&ElementType> {
    program
        .ty(v)
        .as_tensor()
        .map(|t| &t.element)
        .filter(|e| e.has_ring())
}
