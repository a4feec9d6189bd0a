//! Ranges through regions: branches give what either gives, loops and reducers what any number of rounds gives.

use super::{Range, Ranges, full, number::Floats, plain, states, sum};
use crate::mutate::look;
use tileproof_dialect::{
    hlo::{self, compare::Direction},
    op::Op,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
};

/// Rounds after which what grows is taken to grow to the end.
const EXACT_ROUNDS: usize = 3;
/// Rounds in which the result is made narrower again.
const NARROWING_ROUNDS: usize = 2;

/// The ranges of all values in a region whose arguments are known.
pub(super) fn region(ranges: &mut Ranges, program: &Program, region: RegionId) {
    for id in &program.region(region).ops {
        op(ranges, program, *id);
    }
}

/// What a region returns.
fn returned(
    ranges: &mut Ranges,
    program: &Program,
    body: RegionId,
    arguments: &[Range],
) -> Vec<Range> {
    for (v, range) in program.region(body).arguments.iter().zip(arguments) {
        ranges.set(*v, *range);
    }
    region(ranges, program, body);
    let all = program.returned(body).iter();
    all.map(|v| ranges.get(program, *v)).collect()
}

fn op(ranges: &mut Ranges, program: &Program, id: OpId) {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let operands: Vec<Range> = o.operands.iter().map(|v| ranges.get(program, *v)).collect();
    let results: Option<Vec<Range>> = match op {
        hlo::Op::While(_) => Some(repeated(ranges, program, id, operands)),
        hlo::Op::Case(_) | hlo::Op::If(_) => {
            let each: Vec<Vec<Range>> = o
                .regions
                .iter()
                .map(|r| returned(ranges, program, *r, &[]))
                .collect();
            let either =
                |a: Vec<Range>, b: Vec<Range>| a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect();
            match branch(op, &operands, each.len()) {
                Some(taken) => each.into_iter().nth(taken),
                None => each.into_iter().reduce(either),
            }
        }
        hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_) => reduced(ranges, program, id, &operands),
        hlo::Op::Sort(_) => {
            let pairs: Vec<Range> = operands.iter().flat_map(|r| [*r, *r]).collect();
            o.regions
                .iter()
                .for_each(|r| drop(returned(ranges, program, *r, &pairs)));
            Some(operands)
        }
        _ => {
            // Arguments of other bodies may be anything.
            for r in &o.regions {
                let arguments = &program.region(*r).arguments;
                let all: Vec<Range> = arguments.iter().map(|v| full(program, *v)).collect();
                returned(ranges, program, *r, &all);
            }
            match o.results[..] {
                [_] if o.regions.is_empty() => Some(vec![plain(ranges, program, id)]),
                _ => None,
            }
        }
    };
    for (i, v) in o.results.iter().enumerate() {
        let found = results.as_ref().and_then(|all| all.get(i)).copied();
        ranges.set(*v, found.unwrap_or_else(|| full(program, *v)));
    }
}

/// The number of the branch that is always taken.
pub fn branch(op: &hlo::Op, operands: &[Range], n: usize) -> Option<usize> {
    let Some(Range::Integer { low, high }) = operands.first() else {
        return None;
    };
    let last = n as i128 - 1;
    // An index out of range takes the last branch.
    let place = |x: i128| if (0..=last).contains(&x) { x } else { last };
    match op {
        hlo::Op::If(_) if low == high => Some(if *low == 1 { 0 } else { 1 }),
        hlo::Op::Case(_) if low == high || *low >= last => usize::try_from(place(*low)).ok(),
        _ => None,
    }
}

/// The state of a loop after any number of rounds.
fn repeated(ranges: &mut Ranges, program: &Program, id: OpId, start: Vec<Range>) -> Vec<Range> {
    let o = program.op(id);
    let [condition, body] = o.regions[..] else {
        return o.results.iter().map(|v| full(program, *v)).collect();
    };
    let mut state = start.clone();
    let mut round = 0;
    let once = |ranges: &mut Ranges, state: &[Range]| {
        returned(ranges, program, condition, state);
        let inside = limited(ranges, program, condition, state);
        returned(ranges, program, body, &inside)
    };
    loop {
        let after = once(ranges, &state);
        let grown: Vec<Range> = state
            .iter()
            .zip(&after)
            .zip(&o.results)
            .map(|((was, is), v)| match look::element(program, *v) {
                Some(e) if round >= EXACT_ROUNDS => was.widened(*is, &e),
                Some(_) | None => was.or(*is),
            })
            .collect();
        if grown == state {
            break;
        }
        (state, round) = (grown, round + 1);
    }
    for _ in 0..NARROWING_ROUNDS {
        let after = once(ranges, &state);
        state = start.iter().zip(after).map(|(a, b)| a.or(b)).collect();
    }
    // The last run leaves the ranges of the values inside.
    once(ranges, &state);
    states::narrowed(ranges, program, body, (&start, state))
}

/// The state of a loop where its condition holds: integers that it compares.
fn limited(ranges: &Ranges, program: &Program, condition: RegionId, state: &[Range]) -> Vec<Range> {
    let mut out = state.to_vec();
    let mut stack: Vec<ValueId> = program.returned(condition).to_vec();
    while let Some(v) = stack.pop() {
        let Some(id) = look::definition(program, v) else {
            continue;
        };
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        match op {
            hlo::Op::And(_) => stack.extend(&o.operands),
            hlo::Op::Compare(c) => {
                let [a, b] = o.operands[..] else {
                    continue;
                };
                let argument = |v: ValueId| match program.value(v).def {
                    ValueDef::Argument { region, index } if region == condition => {
                        Some(index as usize)
                    }
                    ValueDef::Argument { .. } | ValueDef::Result { .. } => None,
                };
                for (v, other, direction) in [
                    (a, b, c.comparison_direction),
                    (b, a, turned(c.comparison_direction)),
                ] {
                    let (Some(i), Range::Integer { low, high }) =
                        (argument(v), ranges.get(program, other))
                    else {
                        continue;
                    };
                    let Some(range) = out.get_mut(i) else {
                        continue;
                    };
                    *range = match direction {
                        Direction::Lt => range.within(i128::MIN, high - 1),
                        Direction::Le => range.within(i128::MIN, high),
                        Direction::Gt => range.within(low + 1, i128::MAX),
                        Direction::Ge => range.within(low, i128::MAX),
                        Direction::Eq => range.within(low, high),
                        Direction::Ne => *range,
                    };
                }
            }
            _ => {}
        }
    }
    out
}

/// The direction for exchanged operands.
pub fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Gt => Direction::Lt,
        Direction::Le => Direction::Ge,
        Direction::Ge => Direction::Le,
        Direction::Eq => Direction::Eq,
        Direction::Ne => Direction::Ne,
    }
}

/// What a reducer gives in any order of the operands; of a sum also that it starts from its initial value.
fn reduced(
    ranges: &mut Ranges,
    program: &Program,
    id: OpId,
    operands: &[Range],
) -> Option<Vec<Range>> {
    let o = program.op(id);
    let [body] = o.regions[..] else {
        return None;
    };
    let n = o.results.len();
    let (values, starts) = (operands.get(..n)?, operands.get(n..2 * n)?);
    let mut all: Vec<Range> = values.iter().zip(starts).map(|(a, b)| a.or(*b)).collect();
    for round in 0.. {
        let both: Vec<Range> = all.iter().chain(&all).copied().collect();
        let after = returned(ranges, program, body, &both);
        let grown: Vec<Range> = all
            .iter()
            .zip(&after)
            .zip(&o.results)
            .map(|((was, is), v)| match look::element(program, *v) {
                Some(e) if round >= EXACT_ROUNDS => was.widened(*is, &e),
                Some(_) | None => was.or(*is),
            })
            .collect();
        if grown == all {
            break;
        }
        all = grown;
    }
    let is_sum = is_sum(program, body);
    match (is_sum, values, starts) {
        (true, [Range::Float(x)], [Range::Float(start)]) => {
            let start: Floats = *start;
            Some(vec![Range::Float(start.or(sum(start, *x)))])
        }
        (_, _, _) => Some(all),
    }
}

/// Whether a body adds its two arguments.
fn is_sum(program: &Program, body: RegionId) -> bool {
    let region = program.region(body);
    let ([only, _], [a, b]) = (&region.ops[..], &region.arguments[..]) else {
        return false;
    };
    let operands = &program.op(*only).operands;
    look::name(program, *only) == "add" && (operands[..] == [*a, *b] || operands[..] == [*b, *a])
}
