//! What a program does with its parameters: which are indices and into how many places, and where the functions that take them are defined.
//!
//! Found by following each parameter forward through ops that keep its meaning (movement, conversion, the usual wrapping of negative indices) into
//! gathers, scatters, dynamic slices, logarithms and roots, through calls and loop bodies.

use std::collections::HashSet;
use tileproof_dialect::{
    hlo,
    op::{Kind, Op},
    program::{OpId, Program, RegionId, RegionParent, ValueDef, ValueId},
    types::Dim,
};

/// What is known of one parameter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Role {
    /// Valid indices are below this.
    pub index_below: Option<u64>,
    /// Where the functions that take it are defined.
    pub domain: Domain,
}

/// What a float must be for the functions that take it to give numbers; the later, the narrower.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    #[default]
    Any,
    AboveMinusOne,
    WithinOne,
    Positive,
    AboveOne,
    /// 0, 1, 2, ...
    Whole,
    /// Matrices with a diagonal that is not small.
    Triangular,
    /// Symmetric matrices with positive pivots.
    PositiveDefinite,
}

/// The domain of operand `position` of a function.
fn domain(op: &hlo::Op, position: usize) -> Option<Domain> {
    Some(match (op.name(), position) {
        ("log" | "sqrt" | "rsqrt" | "lgamma" | "digamma", _) => Domain::Positive,
        ("power", 0) | ("zeta" | "polygamma", 1) => Domain::Positive,
        ("acosh", _) | ("zeta", 0) => Domain::AboveOne,
        ("asin" | "acos" | "atanh" | "erf_inv", _) => Domain::WithinOne,
        ("log_plus_one", _) => Domain::AboveMinusOne,
        ("polygamma", 0) => Domain::Whole,
        ("cholesky", _) => Domain::PositiveDefinite,
        ("triangular_solve", 0) => Domain::Triangular,
        ("custom_call", 0) => match op {
            hlo::Op::CustomCall(call) if call.call_target_name.contains("potrf") => {
                Domain::PositiveDefinite
            }
            hlo::Op::CustomCall(call) if call.call_target_name.contains("trsm") => {
                Domain::Triangular
            }
            _ => return None,
        },
        (_, _) => return None,
    })
}

/// Roles of the entry function's parameters.
pub fn of_parameters(program: &Program) -> Vec<Role> {
    let users = users(program);
    program
        .region(program.main().body)
        .arguments
        .iter()
        .map(|v| follow(program, &users, *v))
        .collect()
}

/// Ops that use each value, with the places of the operands.
pub fn users(program: &Program) -> Vec<Vec<(OpId, usize)>> {
    let mut out = vec![vec![]; program.value_count()];
    for id in program.op_ids() {
        for (i, v) in program.op(id).operands.iter().enumerate() {
            out[v.index()].push((id, i));
        }
    }
    out
}

/// The role of a value.
pub fn follow(program: &Program, users: &[Vec<(OpId, usize)>], start: ValueId) -> Role {
    let mut role = Role::default();
    let mut seen = HashSet::new();
    let mut stack = vec![start];
    while let Some(v) = stack.pop() {
        if !seen.insert(v) {
            continue;
        }
        for (id, position) in &users[v.index()] {
            let o = program.op(*id);
            let Op::Hlo(op) = &o.op;
            let name = op.name();
            if let Some(limit) = index_limit(program, *id, *position) {
                role.index_below = Some(role.index_below.map_or(limit, |n| n.min(limit)));
                continue;
            }
            if let Some(domain) = domain(op, *position) {
                role.domain = role.domain.max(domain);
                continue;
            }
            match name {
                "return" => stack.extend(results_for(program, *id, *position)),
                "call" => stack.extend(callee_argument(program, op, *position)),
                "while" => stack.extend(
                    o.regions
                        .iter()
                        .filter_map(|r| program.region(*r).arguments.get(*position))
                        .copied()
                        .chain(o.results.get(*position).copied()),
                ),
                "select" if *position > 0 => stack.extend(o.results.iter().copied()),
                "convert"
                | "add"
                | "remainder"
                | "clamp"
                | "maximum"
                | "minimum"
                | "optimization_barrier" => stack.extend(o.results.iter().copied()),
                // JAX symmetrizes what it factorizes: (x + x^T) / 2.
                "divide" | "multiply" if scales_by_literal(program, *id, *position) => {
                    stack.extend(o.results.iter().copied());
                }
                "gather" | "dynamic_slice" if *position > 0 => {}
                _ if op.kind() == Kind::Movement => stack.extend(o.results.iter().copied()),
                _ => {}
            }
        }
    }
    role
}

/// Whether the other operand is a positive literal, and for a quotient the divisor.
fn scales_by_literal(program: &Program, id: OpId, position: usize) -> bool {
    let o = program.op(id);
    if o.op.name() == "divide" && position == 1 {
        return false;
    }
    let mut other = o.operands.get(1 - position.min(1)).copied();
    while let Some(v) = other {
        let ValueDef::Result { op, .. } = program.value(v).def else {
            return false;
        };
        let made = program.op(op);
        let Op::Hlo(inner) = &made.op;
        match inner {
            hlo::Op::Constant(c) => {
                return c
                    .value
                    .splat_value()
                    .is_some_and(|one| !one.element().is_complex() && one.to_f64s()[0] > 0.0);
            }
            _ if inner.kind() == Kind::Movement => other = made.operands.first().copied(),
            _ => return false,
        }
    }
    false
}

/// Number of valid index values if operand `position` of the op is an index.
fn index_limit(program: &Program, id: OpId, position: usize) -> Option<u64> {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let dim = |d: usize| match program.ty(*o.operands.first()?).as_tensor()?.dims.get(d)? {
        Dim::Static(n) => Some(*n),
        Dim::Dynamic { bound } => *bound,
    };
    let rank = program.ty(*o.operands.first()?).as_tensor()?.rank();
    let attributes = || op.to_attributes();
    let ints = |name: &str| match attributes().get(name) {
        Some(tileproof_dialect::attribute::Attribute::Ints(v)) => Some(v.clone()),
        Some(_) | None => None,
    };
    match op.name() {
        "dynamic_slice" if position >= 1 => dim(position - 1),
        "dynamic_update_slice" if position >= 2 => dim(position - 2),
        "gather" | "dynamic_gather" if position == 1 => ints("start_index_map")?
            .iter()
            .filter_map(|d| dim(*d as usize))
            .min(),
        // N operands, then the indices, then N updates.
        "scatter" if rank > 0 && position == o.operands.len() / 2 => {
            ints("scatter_dims_to_operand_dims")?
                .iter()
                .filter_map(|d| dim(*d as usize))
                .min()
        }
        _ => None,
    }
}

fn callee_argument(program: &Program, op: &hlo::Op, position: usize) -> Option<ValueId> {
    let callee = program.find_function(op.callees().first()?)?;
    program
        .region(program.function(callee).body)
        .arguments
        .get(position)
        .copied()
}

/// Results of the ops whose region or callee ends with this return.
fn results_for(program: &Program, id: OpId, position: usize) -> Vec<ValueId> {
    let region = (0..program.region_count())
        .map(RegionId)
        .find(|r| program.region(*r).ops.last() == Some(&id));
    match region.map(|r| program.region(r).parent) {
        Some(RegionParent::Op(parent)) => program
            .op(parent)
            .results
            .get(position)
            .copied()
            .into_iter()
            .collect(),
        Some(RegionParent::Function(f)) => {
            let name = &program.function(f).name;
            let calls = program
                .op_ids()
                .filter(|c| program.op(*c).op.callees().first() == Some(&name.as_str()));
            calls
                .filter_map(|c| program.op(c).results.get(position).copied())
                .collect()
        }
        None => vec![],
    }
}
