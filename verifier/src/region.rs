//! One changed region: the ops on either side between a value that both versions share and the nearest shared values it is computed from. Both sides
//! start from the same cut values with error zero, so the bound covers this region only.
//!
//! Proves: both sides are roundings of one real value within their derived bounds. Cannot: judge a region whose bound is wide (it says `Loose`).

use crate::{
    bodies,
    compare::bounds,
    contract::function_ulp,
    kernels::{
        self,
        refined::{Refined, Refining},
    },
    session::{Content, Environment, Session, Version},
    tie,
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};
use tileproof_dialect::{
    bound::{Bound, subnormal_roundoff, unit_roundoff},
    eval::Stop,
    hlo,
    op::{Kind, Op},
    program::{OpId, Operation, Program, RegionId, ValueDef, ValueId},
    tensor::{Tensor, Value},
};
use xxhash_rust::xxh3::Xxh3;

/// Deeper chains of rounding ops are not bounded: the bound would say nothing (DESIGN.md section 7).
pub const MAX_DEPTH: u32 = 32;

/// The ops of one side that compute `root` from cut values, in program order.
#[derive(Debug, Clone)]
pub struct Side {
    pub root: ValueId,
    pub ops: Vec<OpId>,
}

impl Side {
    /// Ops and places, for the log: `hlo.add at x.mlir:3:5, hlo.multiply at x.mlir:2:5`.
    pub fn words(&self, program: &Program) -> String {
        let of = |id: &OpId| {
            let o = program.op(*id);
            format!("{} at {}", o.op.name(), o.location)
        };
        self.ops.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}

/// Collects the side of `root` inside `region`: walks back until `is_cut` says that a value is shared. Values from outside the region are cuts.
pub fn collect(
    version: &Version<'_>,
    region: RegionId,
    root: ValueId,
    is_cut: impl Fn(ValueId) -> bool,
) -> Side {
    let program = &version.program;
    let members: HashSet<OpId> = program.region(region).ops.iter().copied().collect();
    let mut found = HashSet::new();
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        let ValueDef::Result { op, .. } = program.value(v).def else {
            continue;
        };
        if !members.contains(&op) || (v != root && is_cut(v)) || !found.insert(op) {
            continue;
        }
        stack.extend(
            program
                .op(op)
                .operands
                .iter()
                .chain(version.captures(op))
                .copied(),
        );
    }
    let ops = program
        .region(region)
        .ops
        .iter()
        .copied()
        .filter(|op| found.contains(op))
        .collect();
    Side { root, ops }
}

/// Values that a side takes from outside itself, in order of first use.
pub fn leaves(version: &Version<'_>, side: &Side) -> Vec<ValueId> {
    let program = version.program;
    let inside: HashSet<OpId> = side.ops.iter().copied().collect();
    let mut out = vec![];
    for op in &side.ops {
        let uses = program.op(*op).operands.iter().chain(version.captures(*op));
        for v in uses {
            let computed = match program.value(*v).def {
                ValueDef::Result { op, .. } => inside.contains(&op),
                ValueDef::Argument { .. } => false,
            };
            if !computed && !out.contains(v) {
                out.push(*v);
            }
        }
    }
    if side.ops.is_empty() {
        out.push(side.root);
    }
    out
}

/// Hash of the structure of a side: two regions of equal structure on both sides are validated once.
pub fn structure(version: &Version<'_>, side: &Side) -> u128 {
    let mut numbering: HashMap<ValueId, u64> = HashMap::new();
    let mut h = Xxh3::new();
    let mut number = |v: ValueId, h: &mut Xxh3| {
        let next = numbering.len() as u64;
        let n = *numbering.entry(v).or_insert_with(|| {
            h.update(version.program.ty(v).to_string().as_bytes());
            next
        });
        h.update(&n.to_le_bytes());
    };
    for op in &side.ops {
        h.update(&version.op_hash(*op).to_le_bytes());
        version
            .program
            .op(*op)
            .operands
            .iter()
            .chain(version.captures(*op))
            .for_each(|v| number(*v, &mut h));
        version
            .program
            .op(*op)
            .results
            .iter()
            .for_each(|v| number(*v, &mut h));
    }
    number(side.root, &mut h);
    h.digest128()
}

/// What is known of the root of a side whose cut values are exact.
#[derive(Clone)]
pub struct Reach {
    /// What the bound is of: the root as it follows from the last cut points.
    pub root: Content,
    pub bound: Bound,
    /// Elements that hang on a near tie, if any.
    pub ties: Option<Vec<bool>>,
    /// Elements on the way whose terms cancel, decided with their tensor.
    pub cancelled: u64,
}

/// Bound of the root of a side. Where the other side is known to compute a value too, both go on from its number there, and errors start again. `root` is the content of the root as this side computed it; the other values are in the environment; `leaves` gives the
/// errors of cut values that are not exact (explained literals). `Err(why)` inside: the region is too deep, and nothing is known of what lies inside.
pub fn reach(
    session: &mut Session<'_>,
    part: &Part<'_>,
    functions: Functions,
    refined: Option<Refined<'_>>,
) -> Result<Result<Reach, String>, Stop> {
    let (version, side) = (part.version, part.side);
    let mut refining = Refining::new(part, refined);
    if refining.inner().is_none() && depth(version, side) > MAX_DEPTH {
        return Ok(Err(too_deep()));
    }
    let mut errors: HashMap<ValueId, Bound> = part.leaves.clone();
    let mut ties: HashMap<ValueId, Vec<bool>> = HashMap::new();
    let mut environment = Cow::Borrowed(part.environment);
    // Values that follow from numbers of the other side.
    let mut theirs: HashSet<ValueId> = HashSet::new();
    let mut root = part.root;
    let program = version.program;
    for op in &side.ops {
        let operation = program.op(*op);
        let inputs: Vec<Bound> = operation
            .operands
            .iter()
            .map(|v| errors.get(v).cloned().unwrap_or(Bound::Exact))
            .collect();
        let mut uses = operation.operands.iter().chain(version.captures(*op));
        let results: Vec<Content> = if uses.any(|v| theirs.contains(v)) {
            let all = session.eval_op(version, *op, environment.to_mut())?;
            let named = operation.results.iter().copied().zip(all.iter().copied());
            environment.to_mut().extend(named);
            theirs.extend(&operation.results);
            all
        } else {
            let known = |v: &ValueId| match *v == side.root {
                true => Some(part.root),
                false => part.environment.get(v).copied(),
            };
            let all: Option<_> = operation.results.iter().map(known).collect();
            all.ok_or_else(|| Stop::internal("a value of a region is missing"))?
        };
        let at_root = operation.results.iter().position(|v| *v == side.root);
        root = at_root
            .and_then(|i| results.get(i))
            .copied()
            .unwrap_or(root);
        let here = Part {
            version,
            side,
            environment: &environment,
            root,
            leaves: HashMap::new(),
        };
        let inside = bodies::of_op(session, &here, *op, (&errors, &ties), &results, functions)?;
        if let Some(inside) = inside {
            for (v, reach) in operation.results.iter().zip(inside) {
                errors.insert(*v, reach.bound);
                ties.extend(reach.ties.map(|t| (*v, t)));
            }
            continue;
        }
        let mut bounds = session.bound_op(version, *op, &environment, &inputs, &results)?;
        if operation.op.kind() == Kind::Opaque {
            for (b, c) in bounds.iter_mut().zip(&results) {
                let Op::Hlo(inner) = &operation.op;
                *b = functions.widened(inner.name(), b, session.value(*c)?);
            }
        }
        let bounds = refining.of_op(session, &here, *op, &inputs, &results, bounds)?;
        let found = tie::of_op(session, &here, *op, &inputs, &results, &bounds, &ties)?;
        let cut = match operation.results[..] {
            [v] if v != side.root => refining.cut(session, &here, *op, &results, &bounds)?,
            _ => None,
        };
        if let (Some(number), [v]) = (cut, &operation.results[..]) {
            let content = session.insert(number.into());
            if results != [content] {
                environment.to_mut().insert(*v, content);
                theirs.insert(*v);
            }
            continue;
        }
        for ((v, b), t) in operation.results.iter().zip(bounds).zip(found) {
            errors.insert(*v, b);
            if let Some(t) = t {
                ties.insert(*v, t);
            }
        }
    }
    Ok(Ok(Reach {
        root,
        bound: errors.remove(&side.root).unwrap_or(Bound::Exact),
        ties: ties.remove(&side.root),
        cancelled: refining.cancelled,
    }))
}

fn too_deep() -> String {
    format!("deeper than {MAX_DEPTH} operations")
}

/// Longest chain of dependent ops that round or choose.
fn depth(version: &Version<'_>, side: &Side) -> u32 {
    let mut depths: HashMap<ValueId, u32> = HashMap::new();
    let mut deepest = 0;
    for op in &side.ops {
        let operation = version.program.op(*op);
        let rounds = !matches!(operation.op.kind(), Kind::Movement | Kind::Integer);
        let depth = operation
            .operands
            .iter()
            .chain(version.captures(*op))
            .filter_map(|v| depths.get(v))
            .max()
            .copied()
            .unwrap_or(0)
            + u32::from(rounds);
        deepest = deepest.max(depth);
        depths.extend(operation.results.iter().map(|v| (*v, depth)));
    }
    deepest
}

/// How far functions may err beyond what their definitions state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Functions {
    AsStated,
    /// Units in the last place allowed.
    Ulp(f64),
    /// As measured of a compiler's own approximations.
    Measured,
}

impl Functions {
    fn widened(self, name: &str, bound: &Bound, value: &Value) -> Bound {
        let Some(t) = value.as_tensor() else {
            return bound.clone();
        };
        let ulp = match self {
            Functions::AsStated => 0.0,
            Functions::Ulp(ulp) => ulp,
            Functions::Measured => function_ulp::measured(name, t.element()).unwrap_or(0.0),
        };
        if ulp == 0.0 {
            return bound.clone();
        }
        if !t.element().is_float() {
            return bound.clone();
        }
        let (u, tiny) = (
            2.0 * ulp * unit_roundoff(t.element()),
            2.0 * ulp * subnormal_roundoff(t.element()),
        );
        let y = t.to_f64s();
        let at = |i: usize| {
            let more = u * y[i].abs() + tiny;
            bound.at(i) + if more.is_finite() { more } else { 0.0 }
        };
        Bound::absolute((0..t.len()).map(at).collect())
    }
}

/// One version's part in a comparison.
pub struct Part<'a> {
    pub version: &'a Version<'a>,
    pub side: &'a Side,
    pub environment: &'a Environment,
    pub root: Content,
    /// Errors of cut values that are not exact.
    pub leaves: HashMap<ValueId, Bound>,
}

/// Elements of the roots that hang on a near tie on either side; none where a side is too deep to tell.
pub fn ties(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
) -> Result<Option<Vec<bool>>, Stop> {
    let mut out = None;
    for part in [before, after] {
        let program = part.version.program;
        let any = |is: fn(&Program, OpId) -> bool| part.side.ops.iter().any(|op| is(program, *op));
        // How often a loop ran may hang on a near tie; which, only following it inside tells.
        if any(tie::loops_on_floats) {
            let n = session.value(part.root)?.as_tensor().map_or(0, Tensor::len);
            return Ok(Some(vec![true; n]));
        }
        if any(tie::chooses) {
            let found = reach(session, part, Functions::AsStated, None)?.ok();
            out = tie::joined(out, found.and_then(|r| r.ties));
        }
    }
    Ok(out)
}

/// Compares the roots of both sides within their bounds; what `refined` says is for sides of which one computes by kernels.
pub fn compare(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    functions: Functions,
    refined: Refined<'_>,
) -> Result<bounds::Bounded, Stop> {
    let (x, y) = match kernels::bounds::reached(session, before, after, functions, refined)? {
        Ok(both) => both,
        Err(why) => return Ok(bounds::Bounded::loose(why)),
    };
    let (want, got) = (session.value(x.root)?, session.value(y.root)?);
    match (want.as_tensor(), got.as_tensor()) {
        (Some(w), Some(g)) if w.len() == g.len() => {
            let mut out = bounds::compare(w, &x.bound, g, &y.bound);
            out.ties = tie::joined(x.ties, y.ties);
            out.cancelled += x.cancelled.max(y.cancelled);
            Ok(out)
        }
        (_, _) => Ok(bounds::Bounded::loose("not a tensor".to_string())),
    }
}

/// About how many scalar operations an op takes.
pub fn work(session: &Session<'_>, o: &Operation, environment: &Environment) -> u64 {
    let len = |v: &ValueId| {
        environment
            .get(v)
            .and_then(|c| session.value(*c).ok())
            .and_then(Value::as_tensor)
            .map_or(1, |t| t.len() as u64)
    };
    let (operands, results): (Vec<u64>, Vec<u64>) = (
        o.operands.iter().map(len).collect(),
        o.results.iter().map(len).collect(),
    );
    let Op::Hlo(inner) = &o.op;
    match (inner, &operands[..], &results[..]) {
        // M*K, K*N and M*N elements take M*K*N products.
        (hlo::Op::DotGeneral(_) | hlo::Op::Convolution(_), [a, b, ..], [r]) => {
            ((*a as f64) * (*b as f64) * (*r as f64)).sqrt() as u64
        }
        // A body may run once per element, op by op.
        (_, _, _) if !o.regions.is_empty() => 64 * operands.iter().chain(&results).sum::<u64>(),
        (_, _, _) => operands.iter().chain(&results).sum(),
    }
}
