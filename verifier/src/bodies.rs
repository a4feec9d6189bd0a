//! Bounds of ops with bodies, from the bounds of the ops inside: of a branch those of the one taken, of a call those of the function, of a loop those of its
//! iterations one after the other.
//!
//! Proves: as much as the ops inside do. Cannot: bound a choice between bodies that hangs on a rounded number, or a loop of many iterations.

use crate::{
    region::{self, Functions, Part, Reach, Side},
    session::{Content, Environment, Session, Version},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    bound::Bound,
    eval::Stop,
    hlo,
    op::Op,
    program::{OpId, Operation, RegionId, ValueId},
    tensor::Tensor,
};

/// Most iterations of a loop that are followed.
const MOST_ITERATIONS: usize = 64;
/// Most elements that the ops inside of one op may give, each op counted as one more.
const MOST_WORK: usize = 1 << 22;

/// Errors of values, exact where there is none.
type Errors = HashMap<ValueId, Bound>;

/// What is known of the results of an op with bodies. `errors`, `ties`: of the values before. None: nothing, or the op has no bodies of this kind.
pub fn of_op(
    session: &mut Session<'_>,
    part: &Part<'_>,
    op: OpId,
    (errors, ties): (&Errors, &HashMap<ValueId, Vec<bool>>),
    results: &[Content],
    functions: Functions,
) -> Result<Option<Vec<Reach>>, Stop> {
    let version = part.version;
    let o = version.program.op(op);
    let Op::Hlo(inner) = &o.op;
    let has_bodies = matches!(
        inner,
        hlo::Op::If(_) | hlo::Op::Case(_) | hlo::Op::While(_) | hlo::Op::Call(_)
    );
    let mut uses = o.operands.iter().chain(version.captures(op));
    if !has_bodies || uses.any(|v| ties.contains_key(v)) {
        return Ok(None);
    }
    let events = std::mem::take(&mut session.events);
    session.open_scope();
    let mut walk = Walk {
        session,
        version,
        functions,
        left: MOST_WORK,
    };
    let found = walk.of_op(op, part.environment, errors);
    session.close_scope(&HashSet::new());
    session.events = events;
    let Some(found) = found? else {
        return Ok(None);
    };
    // The side may have gone on with values of the other one inside.
    let same = found.iter().map(|(content, _)| content).eq(results);
    Ok(same.then(|| found.into_iter().map(|(_, reach)| reach).collect()))
}

/// The body that a branch takes; `predicate` is the value of its first operand.
pub fn taken(
    session: &Session<'_>,
    branch: &Operation,
    predicate: Content,
) -> Result<Option<usize>, Stop> {
    let value = session.value(predicate)?.as_tensor();
    let Some(choice) = value.and_then(|t| t.to_i64s().first().copied()) else {
        return Ok(None);
    };
    let last = branch.regions.len().saturating_sub(1);
    Ok(Some(match &branch.op {
        // The first region is taken where the predicate holds.
        Op::Hlo(hlo::Op::If(_)) => usize::from(choice == 0),
        Op::Hlo(_) => usize::try_from(choice).map_or(last, |i| i.min(last)),
    }))
}

struct Walk<'w, 's, 'v> {
    session: &'w mut Session<'s>,
    version: &'w Version<'v>,
    functions: Functions,
    left: usize,
}

impl Walk<'_, '_, '_> {
    fn of_op(
        &mut self,
        op: OpId,
        environment: &Environment,
        errors: &Errors,
    ) -> Result<Option<Vec<(Content, Reach)>>, Stop> {
        let program = self.version.program;
        let o = program.op(op);
        let mut state = vec![];
        for v in &o.operands {
            let content = environment.get(v).copied();
            let content = content.ok_or_else(|| Stop::internal("an operand is missing"))?;
            state.push((content, errors.get(v).cloned().unwrap_or(Bound::Exact)));
        }
        let around = (environment, errors);
        match &o.op {
            Op::Hlo(hlo::Op::Call(call)) => match program.find_function(&call.callee) {
                Some(callee) => {
                    let nothing = (&Environment::new(), &Errors::new());
                    self.body(program.function(callee).body, &state, nothing)
                }
                None => Ok(None),
            },
            Op::Hlo(hlo::Op::While(_)) => self.iterations(o, state, around),
            Op::Hlo(_) => {
                let Some((predicate, Bound::Exact)) = state.first() else {
                    return Ok(None);
                };
                let region = taken(self.session, o, *predicate)?.and_then(|i| o.regions.get(i));
                match region {
                    Some(region) => self.body(*region, &[], around),
                    None => Ok(None),
                }
            }
        }
    }

    fn iterations(
        &mut self,
        o: &Operation,
        mut state: Vec<(Content, Bound)>,
        around: (&Environment, &Errors),
    ) -> Result<Option<Vec<(Content, Reach)>>, Stop> {
        let [condition, body] = o.regions[..] else {
            return Ok(None);
        };
        for _ in 0..MOST_ITERATIONS {
            let Some(decided) = self.body(condition, &state, around)? else {
                return Ok(None);
            };
            let [(go_on, reach)] = &decided[..] else {
                return Ok(None);
            };
            if !reach.bound.is_exact() || reach.ties.is_some() {
                return Ok(None);
            }
            let go_on = self.session.value(*go_on)?.as_tensor();
            if go_on.is_none_or(|t| t.to_i64s().first() == Some(&0)) {
                let each = state.into_iter().map(|(c, bound)| (c, known(c, bound)));
                return Ok(Some(each.collect()));
            }
            let Some(next) = self.body(body, &state, around)? else {
                return Ok(None);
            };
            if next.iter().any(|(_, reach)| reach.ties.is_some()) {
                return Ok(None);
            }
            state = next.into_iter().map(|(c, r)| (c, r.bound)).collect();
        }
        Ok(None)
    }

    /// What a body returns for these arguments.
    fn body(
        &mut self,
        region: RegionId,
        arguments: &[(Content, Bound)],
        (environment, errors): (&Environment, &Errors),
    ) -> Result<Option<Vec<(Content, Reach)>>, Stop> {
        let program = self.version.program;
        let (mut environment, mut errors) = (environment.clone(), errors.clone());
        for (v, (content, bound)) in program.region(region).arguments.iter().zip(arguments) {
            environment.insert(*v, *content);
            errors.insert(*v, bound.clone());
        }
        for op in &program.region(region).ops {
            let o = program.op(*op);
            if o.op.is_return() {
                break;
            }
            let results = self.session.eval_op(self.version, *op, &mut environment)?;
            for c in &results {
                let elements = self.session.value(*c)?.as_tensor().map_or(0, Tensor::len);
                self.left = self.left.saturating_sub(elements + 1);
            }
            if self.left == 0 {
                return Ok(None);
            }
            environment.extend(o.results.iter().copied().zip(results));
        }
        let mut out = vec![];
        for v in program.returned(region) {
            let side: Side = region::collect(self.version, region, *v, |_| false);
            let root = environment.get(v).copied();
            let root = root.ok_or_else(|| Stop::internal("a returned value is missing"))?;
            if side.ops.is_empty() {
                let bound = errors.get(v).cloned().unwrap_or(Bound::Exact);
                out.push((root, known(root, bound)));
                continue;
            }
            let part = Part {
                version: self.version,
                side: &side,
                environment: &environment,
                root,
                leaves: errors.clone(),
            };
            match region::reach(self.session, &part, self.functions, None)? {
                Ok(reach) => out.push((root, reach)),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(out))
    }
}

/// A value without ties.
fn known(root: Content, bound: Bound) -> Reach {
    Reach {
        root,
        bound,
        ties: None,
        cancelled: 0,
    }
}
