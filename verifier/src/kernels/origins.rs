//! Which element of a region an element is a copy of: what movement gives, and what choices give that neither side may make otherwise. Two copies of one element
//! are the same number on both sides, however far that is off: x and max(0, x), an element and the largest of its row. So are what one elementwise op makes of
//! copies, y x and y max(0, x), and exact elements of the same bits.
//!
//! Proves: elements of one origin are equal, if the other side copies where this one does. One that computes an element twice lies outside.

use crate::{region::Part, session::Session};
use smallvec::SmallVec;
use std::collections::HashMap;
use tileproof_dialect::{
    bound::Bound,
    eval::{EvalContext, Events, NoRegions, Stop},
    hlo,
    op::Op,
    planes::Planes,
    program::{OpId, Program, ValueId},
    tensor::{Tensor, Value, row_major_strides},
    tpu::infer::is_elementwise,
    types::{ElementType, Type},
};

/// Origins of the values of a region: a number an element.
#[derive(Default)]
pub struct Origins {
    known: HashMap<ValueId, Tensor>,
    made: HashMap<Made, f64>,
    next: f64,
}

/// What an element is made of: the op and its type, and bits of the origins of its operands; of an exact element its own.
type Made = (Option<u128>, ElementType, SmallVec<[u64; 3]>);

/// Integers below are all f64s.
const MOST_INTEGER: f64 = (1u64 << 53) as f64;

/// Most elements that are told apart by what they are made of.
const MOST_MADE: usize = 1 << 20;

/// Operands of an op: values, errors, origins.
struct Operands<'a> {
    values: Vec<&'a Tensor>,
    errors: &'a [Bound],
    origins: Vec<Tensor>,
}

impl Operands<'_> {
    /// Whether operand `a` lies above operand `b` on both sides: each side is off from the other by twice the bound at most.
    fn is_above(
        &self,
        (a, i): (usize, usize),
        (b, j): (usize, usize),
        numbers: &[Vec<f64>],
    ) -> bool {
        let apart = numbers[a][i] - numbers[b][j];
        apart > 2.0 * (self.errors[a].at(i) + self.errors[b].at(j))
    }
}

impl Origins {
    /// Notes where the elements of the op's result come from; of a comparison, which of its elements compare copies of one element.
    pub fn of_op(
        &mut self,
        session: &Session<'_>,
        part: &Part<'_>,
        op_id: OpId,
        errors: &[Bound],
    ) -> Result<Option<Vec<bool>>, Stop> {
        let program = part.version.program;
        let operation = program.op(op_id);
        let mut values = vec![];
        for v in &operation.operands {
            let content = part.environment.get(v);
            let Some(t) = content
                .map(|c| session.value(*c))
                .transpose()?
                .and_then(Value::as_tensor)
            else {
                return Ok(None);
            };
            values.push(t);
        }
        let ([result], false) = (&operation.results[..], values.is_empty()) else {
            return Ok(None);
        };
        let each = operation.operands.iter().zip(&values).zip(errors);
        let origins = each.map(|((v, t), e)| self.of_value(*v, t, e)).collect();
        let operands = Operands {
            values,
            errors,
            origins,
        };
        let Op::Hlo(inner) = &operation.op;
        let found = match inner {
            hlo::Op::Reshape(_)
            | hlo::Op::BroadcastInDim(_)
            | hlo::Op::Transpose(_)
            | hlo::Op::Slice(_)
            | hlo::Op::Concatenate(_)
            | hlo::Op::Reverse(_) => moved(inner, &operands, program, *result)?,
            hlo::Op::Maximum(_) => self.chosen(&operands, 1.0),
            hlo::Op::Minimum(_) => self.chosen(&operands, -1.0),
            hlo::Op::Select(_) if errors[0].is_exact() => selected(&operands),
            hlo::Op::Reduce(reduce) => match folds_to(program, op_id) {
                Some(sign) => self.largest(&operands, &reduce.dimensions, sign),
                None => None,
            },
            op if is_elementwise(op) => {
                let hash = part.version.op_hash(op_id);
                self.computed(&operands, hash, program, *result)
            }
            _ => None,
        };
        if let Some(found) = found {
            self.known.insert(*result, found);
        }
        let compares = matches!(inner, hlo::Op::Compare(_) | hlo::Op::Subtract(_));
        Ok(compares.then(|| {
            let (a, b) = (&operands.origins[0], &operands.origins[1]);
            let each = a.as_slice::<f64>().iter().zip(b.as_slice::<f64>());
            each.map(|(a, b)| a == b).collect()
        }))
    }

    /// The origins of a value: each element is its own where nothing else is known.
    fn of_value(&mut self, v: ValueId, t: &Tensor, error: &Bound) -> Tensor {
        if let Some(known) = self.known.get(&v).filter(|k| k.dims() == t.dims()) {
            return known.clone();
        }
        let real = !t.element().is_complex();
        let values = real.then(|| t.to_f64s());
        // Larger integers are no f64.
        let is_itself = |x: f64| t.element().is_float() || x.abs() < MOST_INTEGER;
        let number = |i: usize| match values.as_ref().map(|values| values[i]) {
            Some(x) if error.at(i) == 0.0 && is_itself(x) && !x.is_nan() => {
                let bits = SmallVec::from_slice(&[x.to_bits()]);
                self.made((None, t.element().clone(), bits))
            }
            Some(_) | None => self.fresh(),
        };
        let numbers: Vec<f64> = (0..t.len()).map(number).collect();
        let own = Tensor::from_slice(t.dims(), ElementType::F64, &numbers);
        self.known.insert(v, own.clone());
        own
    }

    /// One origin for all elements that are made alike.
    fn made(&mut self, of: Made) -> f64 {
        if let Some(known) = self.made.get(&of) {
            return *known;
        }
        let own = self.fresh();
        if self.made.len() < MOST_MADE {
            self.made.insert(of, own);
        }
        own
    }

    /// Of what an elementwise op gives.
    fn computed(
        &mut self,
        operands: &Operands<'_>,
        hash: u128,
        program: &Program,
        result: ValueId,
    ) -> Option<Tensor> {
        let ty = program.ty(result).as_tensor()?;
        let dims = ty.static_dims()?;
        let n = dims.iter().product::<u64>() as usize;
        let origins: Vec<&[f64]> = operands.origins.iter().map(Tensor::as_slice).collect();
        // A scalar beside tensors is the same for all elements.
        if origins.iter().any(|o| o.len() != n && o.len() != 1) {
            return None;
        }
        let number = |i: usize| {
            let of = origins
                .iter()
                .map(|o| o[if o.len() == n { i } else { 0 }].to_bits());
            self.made((Some(hash), ty.element.clone(), of.collect()))
        };
        let numbers: Vec<f64> = (0..n).map(number).collect();
        Some(Tensor::from_slice(&dims, ElementType::F64, &numbers))
    }

    fn fresh(&mut self) -> f64 {
        self.next += 1.0;
        self.next
    }

    /// Of the larger (or, for `sign` -1, the smaller) of two operands.
    fn chosen(&mut self, operands: &Operands<'_>, sign: f64) -> Option<Tensor> {
        let [x, y] = operands.values[..] else {
            return None;
        };
        let numbers: Vec<Vec<f64>> = [x, y].map(|t| scaled(t, sign)).to_vec();
        let (a, b) = (&operands.origins[0], &operands.origins[1]);
        let (a, b) = (a.as_slice::<f64>(), b.as_slice::<f64>());
        let out: Vec<f64> = (0..x.len())
            .map(|i| {
                if a[i] == b[i] || operands.is_above((0, i), (1, i), &numbers) {
                    a[i]
                } else if operands.is_above((1, i), (0, i), &numbers) {
                    b[i]
                } else {
                    self.fresh()
                }
            })
            .collect();
        Some(Tensor::from_slice(x.dims(), ElementType::F64, &out))
    }

    /// Of the largest (or smallest) along dimensions.
    fn largest(
        &mut self,
        operands: &Operands<'_>,
        dimensions: &[i64],
        sign: f64,
    ) -> Option<Tensor> {
        let [x, init] = operands.values[..] else {
            return None;
        };
        let numbers = [x, init].map(|t| scaled(t, sign)).to_vec();
        let origins = operands.origins[0].as_slice::<f64>();
        let dims = x.dims();
        let kept: Vec<usize> = (0..dims.len())
            .filter(|d| !dimensions.contains(&(*d as i64)))
            .collect();
        let kept_dims: Vec<u64> = kept.iter().map(|d| dims[*d]).collect();
        let (strides, out_strides) = (row_major_strides(dims), row_major_strides(&kept_dims));
        let group = |i: usize| -> usize {
            let each = kept.iter().zip(&out_strides);
            each.map(|(d, s)| (i as i64 / strides[*d]) % dims[*d] as i64 * s)
                .sum::<i64>() as usize
        };
        let n = kept_dims.iter().product::<u64>() as usize;
        let mut first: Vec<Option<usize>> = vec![None; n];
        for i in 0..x.len() {
            let best = first.get_mut(group(i))?;
            if best.is_none_or(|j| numbers[0][i] > numbers[0][j] || numbers[0][j].is_nan()) {
                *best = Some(i);
            }
        }
        let beats_init = |j: &usize| operands.is_above((0, *j), (1, 0), &numbers);
        let mut clear: Vec<bool> = first
            .iter()
            .map(|j| j.as_ref().is_some_and(beats_init))
            .collect();
        for i in 0..x.len() {
            let g = group(i);
            if let Some(j) = first[g]
                && origins[i] != origins[j]
                && !operands.is_above((0, j), (0, i), &numbers)
            {
                clear[g] = false;
            }
        }
        let out: Vec<f64> = (0..n)
            .map(|g| match (clear[g], first[g]) {
                (true, Some(j)) => origins[j],
                (_, _) => self.fresh(),
            })
            .collect();
        Some(Tensor::from_slice(&kept_dims, ElementType::F64, &out))
    }
}

fn scaled(t: &Tensor, sign: f64) -> Vec<f64> {
    t.to_f64s().iter().map(|x| sign * x).collect()
}

/// Of the operand that a predicate both sides share takes.
fn selected(operands: &Operands<'_>) -> Option<Tensor> {
    let [p, a, _] = operands.values[..] else {
        return None;
    };
    let p = p.as_slice::<u8>();
    let (yes, no) = (&operands.origins[1], &operands.origins[2]);
    let (yes, no) = (yes.as_slice::<f64>(), no.as_slice::<f64>());
    let out: Vec<f64> = (0..a.len())
        .map(|i| {
            // One predicate for all, or one an element.
            let taken = p.get(i).or(p.first()).is_some_and(|p| *p != 0);
            if taken { yes[i] } else { no[i] }
        })
        .collect();
    Some(Tensor::from_slice(a.dims(), ElementType::F64, &out))
}

/// Origins move as the elements do.
fn moved(
    op: &hlo::Op,
    operands: &Operands<'_>,
    program: &Program,
    result: ValueId,
) -> Result<Option<Tensor>, Stop> {
    let Some(dims) = program.ty(result).as_tensor().and_then(|t| t.static_dims()) else {
        return Ok(None);
    };
    let (mut runner, mut events) = (NoRegions, Events::default());
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut runner,
        events: &mut events,
    };
    let all: Vec<Value> = operands
        .origins
        .iter()
        .cloned()
        .map(Value::Tensor)
        .collect();
    let ty = Type::tensor(dims, ElementType::F64);
    let out = op.eval(&all, &[ty], &mut cx)?;
    Ok(match out.into_iter().next() {
        Some(Value::Tensor(t)) => Some(t),
        Some(_) | None => None,
    })
}

/// 1 where the body of a fold is one maximum, -1 where it is one minimum.
fn folds_to(program: &Program, op: OpId) -> Option<f64> {
    let region = program.op(op).regions.first()?;
    let [one, _] = program.region(*region).ops[..] else {
        return None;
    };
    match &program.op(one).op {
        Op::Hlo(hlo::Op::Maximum(_)) => Some(1.0),
        Op::Hlo(hlo::Op::Minimum(_)) => Some(-1.0),
        Op::Hlo(_) => None,
    }
}
