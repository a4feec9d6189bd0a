//! In which float types a side rounds. A side that rounds in other types than its counterpart computes in another precision: a conversion to a narrower
//! type was dropped or added, or an op was widened.
//!
//! Proves: the sets of types differ. Cannot: see a rounding that was dropped beside another one of its type in the same region.

use super::all_ops;
use crate::region::Part;
use std::collections::BTreeSet;
use tileproof_dialect::{
    bound::unit_roundoff,
    hlo,
    op::{Kind, Op},
    program::{OpId, Program, ValueId},
    types::ElementType,
};

/// Whether the two sides round in different float types. A side that rounds less often in the type of the result computes in the same precision.
pub fn differs(before: &Part<'_>, after: &Part<'_>) -> bool {
    let (want, got) = (rounds_in(before), rounds_in(after));
    let root = float(before.version.program, before.side.root).map(name);
    let other = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.difference(b)
            .any(|t| Some(t) != root.as_ref() || b.iter().any(|x| x != t))
    };
    other(&want, &got) || other(&got, &want)
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
