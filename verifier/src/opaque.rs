//! Applications of opaque functions. The ring keeps few identities of functions; where one side applies other functions, or to another number of
//! distinct operands, a difference in the ring may be an identity (log(exp x) = x) and decides nothing.
//!
//! Proves: equal counts of distinct applications on both sides. Cannot: see an identity that keeps the counts, but for the logarithm of a power.

use crate::{
    region::Side,
    session::{Content, Environment, Session, Version},
};
use std::collections::{BTreeMap, BTreeSet};
use tileproof_dialect::{
    hlo::{
        self,
        composite::Values,
        lapack::{self, Routine},
    },
    op::{Kind, Op},
    planes::ring::{self, Residue, is_code, mul_residues},
    program::{OpId, Program},
};

/// Which applications are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    /// Without functions of what depends on no input.
    OfInputs,
}

/// Number of distinct applications by function, in a side and the regions of its ops.
pub fn applications(
    session: &Session<'_>,
    version: &Version<'_>,
    side: &Side,
    environment: &Environment,
    which: Which,
) -> BTreeMap<&'static str, usize> {
    let mut distinct: BTreeSet<(&'static str, u128, Vec<u128>)> = BTreeSet::new();
    let program = version.program;
    for op in &side.ops {
        let o = program.op(*op);
        if let Some(name) = function(program, *op) {
            let contents = o.operands.iter().filter_map(|v| environment.get(v));
            let contents: Vec<Content> = contents.copied().collect();
            if which == Which::OfInputs && contents.iter().all(|c| session.is_independent(*c)) {
                continue;
            }
            let operands = contents.iter().map(|c| session.fingerprint(*c)).collect();
            distinct.insert((name, 0, operands));
        }
        for r in &o.regions {
            for inside in program.ops_within(*r) {
                if let Some(name) = function(program, inside) {
                    distinct.insert((name, u128::from(inside.0) + 1, vec![]));
                }
            }
        }
    }
    let mut out = BTreeMap::new();
    for (name, _, _) in distinct {
        *out.entry(name).or_default() += 1;
    }
    out
}

/// Whether one side takes the logarithm of the square, the root or the inverse of what the other takes it of: log(sqrt x) = log(x) / 2.
pub fn has_logarithm_of_power(
    session: &Session<'_>,
    before: (&Version<'_>, &Side, &Environment),
    after: (&Version<'_>, &Side, &Environment),
) -> bool {
    let (b, a) = (logarithms(before), logarithms(after));
    let residues = |c: &Content| {
        let t = session.value(*c).ok()?.as_tensor()?;
        Some(t.ring()?.to_vec())
    };
    b.difference(&a).filter_map(residues).any(|x| {
        let others = a.difference(&b).filter_map(residues);
        others.filter(|y| x.len() == y.len()).any(|y| {
            // The square of a root is its radicand or the negative of it.
            let all = |f: fn(Residue, Residue) -> Residue, to: fn(Residue, Residue) -> Residue| {
                x.iter().zip(&y).all(|(x, y)| {
                    let (f, to) = (f(*x, *y), to(*x, *y));
                    !is_code(*x) && !is_code(*y) && (f == to || ring::add(f, to) == 0)
                })
            };
            all(|x, _| mul_residues(x, x), |_, y| y)
                || all(|_, y| mul_residues(y, y), |x, _| x)
                || all(mul_residues, |_, _| 1)
        })
    })
}

/// What the side takes logarithms of.
fn logarithms(
    (version, side, environment): (&Version<'_>, &Side, &Environment),
) -> BTreeSet<Content> {
    let operands = side.ops.iter().filter_map(|op| {
        let o = version.program.op(*op);
        let Op::Hlo(inner) = &o.op;
        matches!(inner, hlo::Op::Log(_)).then(|| o.operands.first())?
    });
    operands
        .filter_map(|v| environment.get(v))
        .copied()
        .collect()
}

/// Whether the op is a function with the residues of what another program writes for it.
pub fn is_judge(program: &Program, op: OpId) -> bool {
    let Op::Hlo(inner) = &program.op(op).op;
    match inner {
        hlo::Op::Composite(composite) => composite
            .implements()
            .is_some_and(|i| i.values == Values::OfFunction),
        _ => false,
    }
}

/// Whether the op is a factorization: sqrt x sqrt x is x on the real numbers, and in the ring for every other x.
pub fn is_factorization(program: &Program, op: OpId) -> bool {
    let Op::Hlo(inner) = &program.op(op).op;
    match inner {
        hlo::Op::Cholesky(_) => true,
        hlo::Op::CustomCall(call) => {
            lapack::routine(&call.call_target_name) == Some(Routine::Cholesky)
        }
        _ => false,
    }
}

fn function(program: &Program, op: OpId) -> Option<&'static str> {
    let Op::Hlo(inner) = &program.op(op).op;
    if let hlo::Op::Composite(composite) = inner {
        return composite
            .implements()
            .filter(|i| i.op.kind() == Kind::Opaque)
            .map(|i| i.op.name());
    }
    (inner.kind() == Kind::Opaque
        && program.op(op).results.iter().any(|v| {
            program
                .ty(*v)
                .as_tensor()
                .is_some_and(|t| t.element.has_ring())
        }))
    .then(|| inner.name())
}
