//! Near ties: a choice (a comparison, a maximum, a sort, a rounding to an integer) between operands closer than their error bounds. Rounding may flip
//! it, and the ring then follows another operand although nothing is wrong. An element that hangs on one is undetermined, not different. Operands that
//! are equal in IEEE and not in the ring tie too: the choice between them shows in the ring alone.
//!
//! Proves: without the tie the element would hang on operands that both sides share. Cannot: say which choice real arithmetic makes.

use crate::{
    region::{Part, Side},
    session::{Content, Session},
};
use std::collections::HashMap;
use tileproof_dialect::{
    bound::Bound,
    eval::Stop,
    hlo,
    op::{Kind, Op},
    program::{OpId, Program, ValueId},
    tensor::{Tensor, Value, row_major_strides},
};

/// Elements of each result of `op` that hang on a near tie. `inputs`, `bounds`: errors of operands and results; `ties`: ties of the values before.
pub fn of_op(
    session: &mut Session<'_>,
    part: &Part<'_>,
    op: OpId,
    inputs: &[Bound],
    results: &[Content],
    bounds: &[Bound],
    ties: &HashMap<ValueId, Vec<bool>>,
) -> Result<Vec<Option<Vec<bool>>>, Stop> {
    let program = part.version.program;
    let operation = program.op(op);
    let exact = inputs.iter().all(Bound::is_exact);
    let carried = operation.operands.iter().any(|v| ties.contains_key(v));
    if exact && !carried && operation.op.kind() != Kind::Selection && operation.regions.is_empty() {
        return Ok(vec![None; results.len()]);
    }
    let mut out: Vec<Option<Vec<bool>>> = vec![];
    let (operands, _) = session.operands(part.version, op, part.environment)?;
    let operands: Vec<Value> = operands
        .iter()
        .map(|c| session.value(*c).cloned())
        .collect::<Result<_, _>>()?;
    let finite = inputs.iter().zip(&operands).all(|(b, v)| is_finite(b, v));
    let chooses = chooses(program, op);
    for (bound, content) in bounds.iter().zip(results) {
        let n = session.value(*content)?.as_tensor().map_or(0, Tensor::len);
        // An infinite bound from finite ones is a choice that may go either way.
        let flips = (chooses && finite && !exact && !bound.is_exact())
            .then(|| (0..n).map(|i| bound.at(i).is_infinite()).collect());
        out.push(joined(
            flips,
            among_values(program, op, &operands, inputs, n),
        ));
    }
    if carried {
        let spread: Vec<Bound> = operation
            .operands
            .iter()
            .zip(inputs)
            .map(|(v, b)| match ties.get(v) {
                Some(t) => Bound::absolute(
                    t.iter()
                        .enumerate()
                        .map(|(i, tied)| if *tied { f64::INFINITY } else { b.at(i) })
                        .collect(),
                ),
                None => b.clone(),
            })
            .collect();
        let spread = session.bound_op(part.version, op, part.environment, &spread, results)?;
        for ((o, s), content) in out.iter_mut().zip(spread).zip(results) {
            let n = session.value(*content)?.as_tensor().map_or(0, Tensor::len);
            let reached = (0..n).map(|i| s.at(i).is_infinite()).collect();
            *o = joined(o.take(), Some(reached));
        }
    }
    Ok(out)
}

/// Whether an op of the side makes a choice.
pub fn may_tie(program: &Program, side: &Side) -> bool {
    side.ops.iter().any(|op| chooses(program, *op))
}

/// Elements tied in either.
pub fn joined(a: Option<Vec<bool>>, b: Option<Vec<bool>>) -> Option<Vec<bool>> {
    let any = |t: Option<Vec<bool>>| t.filter(|t| t.iter().any(|x| *x));
    match (any(a), any(b)) {
        (Some(a), Some(b)) => Some(a.iter().zip(&b).map(|(x, y)| *x || *y).collect()),
        (a, b) => a.or(b),
    }
}

fn is_finite(bound: &Bound, value: &Value) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Absolute(_) => {
            (0..value.as_tensor().map_or(0, Tensor::len)).all(|i| bound.at(i).is_finite())
        }
    }
}

/// Whether the op, or the body it runs, makes a choice.
pub fn chooses(program: &Program, op: OpId) -> bool {
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    match inner {
        hlo::Op::Convert(_) => o.results.first().is_some_and(|v| {
            program
                .ty(*v)
                .as_tensor()
                .is_some_and(|t| t.element.is_integer())
        }),
        // Folds choose where their bodies do; loops, branches and calls are followed inside.
        hlo::Op::Reduce(_)
        | hlo::Op::ReduceWindow(_)
        | hlo::Op::Scatter(_)
        | hlo::Op::SelectAndScatter(_)
        | hlo::Op::Map(_)
        | hlo::Op::Sort(_) => o
            .regions
            .iter()
            .flat_map(|r| program.ops_within(*r))
            .any(|inside| program.op(inside).op.kind() == Kind::Selection),
        _ => o.op.kind() == Kind::Selection,
    }
}

/// Whether the op is a loop in which choices hang on floats.
pub fn loops_on_floats(program: &Program, op: OpId) -> bool {
    let o = program.op(op);
    matches!(o.op, Op::Hlo(hlo::Op::While(_)))
        && o.regions
            .iter()
            .flat_map(|r| program.ops_within(*r))
            .any(|inside| {
                let i = program.op(inside);
                i.op.kind() == Kind::Selection
                    && i.operands.iter().any(|v| {
                        program
                            .ty(*v)
                            .as_tensor()
                            .is_some_and(|t| t.element.has_ring())
                    })
            })
}

/// Ties whose IEEE value is bounded all the same: the larger of two close numbers is close to either, but its residue is one of them.
fn among_values(
    program: &Program,
    op: OpId,
    operands: &[Value],
    inputs: &[Bound],
    n: usize,
) -> Option<Vec<bool>> {
    let o = program.op(op);
    let Op::Hlo(inner) = &o.op;
    let tensors: Vec<&Tensor> = operands.iter().filter_map(Value::as_tensor).collect();
    if tensors.len() != operands.len() || !tensors.iter().all(|t| t.element().is_float()) {
        return None;
    }
    let values: Vec<_> = tensors.iter().map(|t| t.to_f64s()).collect();
    let close = |a: usize, i: usize, b: usize, j: usize| {
        let reach = inputs[a].at(i) + inputs[b].at(j);
        let same = match (tensors[a].ring(), tensors[b].ring()) {
            (Some(r), Some(s)) => r[i] == s[j],
            (_, _) => false,
        };
        !same && (values[a][i] - values[b][j]).abs() <= reach
    };
    match inner {
        hlo::Op::Maximum(_) | hlo::Op::Minimum(_) | hlo::Op::Compare(_) => {
            Some((0..n).map(|i| close(0, i, 1, i)).collect())
        }
        hlo::Op::Clamp(_) => {
            let at = |k: usize, i: usize| if tensors[k].rank() == 0 { 0 } else { i };
            Some(
                (0..n)
                    .map(|i| close(1, i, 0, at(0, i)) || close(1, i, 2, at(2, i)))
                    .collect(),
            )
        }
        hlo::Op::Abs(_) | hlo::Op::Sign(_) => Some(
            (0..n)
                .map(|i| inputs[0].at(i) > 0.0 && values[0][i].abs() <= inputs[0].at(i))
                .collect(),
        ),
        hlo::Op::Reduce(reduce) if tensors.len() == 2 => {
            let end = extremum(program, op)?;
            Some(extremum_ties(
                tensors[0],
                &values[0],
                &inputs[0],
                &reduce.dimensions,
                end,
                n,
            ))
        }
        // Coarse: any window may hold a tie.
        hlo::Op::ReduceWindow(_) | hlo::Op::SelectAndScatter(_) => {
            extremum(program, op).map(|_| vec![true; n])
        }
        _ => None,
    }
}

/// Which end of the order a fold looks for.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Largest,
    Smallest,
}

/// The end that the body of the op, a plain maximum, minimum or comparison, looks for.
fn extremum(program: &Program, op: OpId) -> Option<End> {
    let ops = &program.region(*program.op(op).regions.first()?).ops;
    if ops.len() != 2 {
        return None;
    }
    match &program.op(ops[0]).op {
        Op::Hlo(hlo::Op::Maximum(_) | hlo::Op::Compare(_)) => Some(End::Largest),
        Op::Hlo(hlo::Op::Minimum(_)) => Some(End::Smallest),
        Op::Hlo(_) => None,
    }
}

/// Groups in which an element with another residue than the extremum's reaches it.
fn extremum_ties(
    x: &Tensor,
    values: &[f64],
    error: &Bound,
    dimensions: &[i64],
    end: End,
    n: usize,
) -> Vec<bool> {
    let kept: Vec<usize> = (0..x.rank())
        .filter(|d| !dimensions.contains(&(*d as i64)))
        .collect();
    let kept_dims: Vec<u64> = kept.iter().map(|d| x.dims()[*d]).collect();
    let (strides, out_strides) = (row_major_strides(x.dims()), row_major_strides(&kept_dims));
    let group = |i: usize| -> usize {
        kept.iter()
            .zip(&out_strides)
            .map(|(d, s)| (i as i64 / strides[*d]) % x.dims()[*d] as i64 * s)
            .sum::<i64>() as usize
    };
    let mut chosen: Vec<Option<usize>> = vec![None; n];
    for i in 0..x.len() {
        if let Some(c) = chosen.get_mut(group(i))
            && c.is_none_or(|j| match end {
                End::Largest => values[i] > values[j],
                End::Smallest => values[i] < values[j],
            })
        {
            *c = Some(i);
        }
    }
    let ring = x.ring();
    let mut out = vec![false; n];
    for i in 0..x.len() {
        let g = group(i);
        if let Some(Some(j)) = chosen.get(g) {
            let reach = error.at(i) + error.at(*j);
            let other = ring.is_none_or(|r| r[i] != r[*j]);
            out[g] |= other && (values[i] - values[*j]).abs() <= reach;
        }
    }
    out
}
