//! Bounds of what a region computes on the way, sharper than the rules of its ops, where the other side computes the same by kernels.
//!
//! A conversion to a narrower type gives the same number on both sides wherever what it rounds lies farther from the next boundary than both may be apart:
//! from there on they go on from one number, and what they hang on is no error of the real value but the value itself. Elsewhere they are as far apart as the
//! numbers that the two ends round to. Kernels round in the types of their ops ([`super::rounding`]), so both sides round there; one that does not lies outside.
//! Sums err by their partial sums in all likelihood ([`sums`]). Copies of one element ([`origins`]) compare alike on both sides.
//!
//! Proves: the same as the bounds of ops. What follows from likely sums holds but for one element in 10^13, and is counted as such.

use super::{inner_values::InnerValues, origins::Origins};
use crate::{
    compare::{bounds, sums},
    region::Part,
    session::{Content, Session},
    verdict::Ieee,
};
use tileproof_dialect::{
    bound::{Bound, unit_roundoff},
    eval::{EvalContext, Events, NoRegions, Stop},
    hlo,
    op::{Op, OpDef},
    planes::Planes,
    program::{OpId, Program},
    tensor::{Tensor, Value},
    types::{Class, Type},
};

/// How bounds are refined beyond conversions and copies.
#[derive(Clone, Copy)]
pub struct Refined<'i> {
    pub sums: Sums,
    /// What the kernels compute on the way.
    pub inner: Option<&'i InnerValues>,
}

/// How far sums err.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    AtWorst,
    InAllLikelihood,
}

impl Refined<'_> {
    /// Conversions and copies alone.
    pub const PLAIN: Refined<'static> = Refined {
        sums: Sums::AtWorst,
        inner: None,
    };
}

/// What is carried through a region, op by op.
pub struct Refining<'i> {
    /// None: the rules of the ops hold.
    refined: Option<Refined<'i>>,
    /// Where the side compares floats.
    origins: Option<Origins>,
    /// Elements of cut points whose terms cancel.
    pub cancelled: u64,
}

impl<'i> Refining<'i> {
    pub fn new(part: &Part<'_>, refined: Option<Refined<'i>>) -> Refining<'i> {
        let program = part.version.program;
        let compares = |op: &OpId| {
            let o = program.op(*op);
            let first = o.operands.first().and_then(|v| program.ty(*v).as_tensor());
            let floats = first.is_some_and(|t| t.element.is_float());
            floats && matches!(&o.op, Op::Hlo(hlo::Op::Compare(_)))
        };
        let due = refined.is_some() && part.side.ops.iter().any(compares);
        Refining {
            refined,
            origins: due.then(Origins::default),
            cancelled: 0,
        }
    }

    /// The bounds of the results of `op`, from those of its operands and its own rule.
    pub fn of_op(
        &mut self,
        session: &Session<'_>,
        part: &Part<'_>,
        op: OpId,
        inputs: &[Bound],
        results: &[Content],
        stated: Vec<Bound>,
    ) -> Result<Vec<Bound>, Stop> {
        let Some(refined) = self.refined else {
            return Ok(stated);
        };
        let alike = match &mut self.origins {
            Some(origins) => origins.of_op(session, part, op, inputs)?,
            None => None,
        };
        let own = sharper(session, part, op, inputs, results, stated, refined.sums)?;
        let (Some(alike), [one]) = (alike, &own[..]) else {
            return Ok(own);
        };
        let at = |(i, same): (usize, &bool)| if *same { 0.0 } else { one.at(i) };
        Ok(vec![Bound::absolute(
            alike.iter().enumerate().map(at).collect(),
        )])
    }

    /// The numbers of a value that the kernels compute too, where the bounds decide them as they would at a root: both sides go on from there. None: it is no cut
    /// point.
    pub fn cut(
        &mut self,
        session: &Session<'_>,
        part: &Part<'_>,
        op: OpId,
        results: &[Content],
        bounds: &[Bound],
    ) -> Result<Option<Tensor>, Stop> {
        let (Some(inner), [bound], [content]) = (self.inner(), bounds, results) else {
            return Ok(None);
        };
        let value = session.value(*content)?.as_tensor();
        let Some(x) = value.filter(|t| t.element().is_float()) else {
            return Ok(None);
        };
        let Some(y) = inner.nearest(part, op, x) else {
            return Ok(None);
        };
        let found = bounds::compare(x, bound, &y, bound);
        if found.ieee != Ieee::Within {
            return Ok(None);
        }
        self.cancelled += found.cancelled + found.zeros;
        Ok(Some(y))
    }

    /// What the kernels compute on the way, where it is known.
    pub fn inner(&self) -> Option<&'i InnerValues> {
        self.refined.and_then(|r| r.inner)
    }
}

fn sharper(
    session: &Session<'_>,
    part: &Part<'_>,
    op: OpId,
    inputs: &[Bound],
    results: &[Content],
    stated: Vec<Bound>,
    sums: Sums,
) -> Result<Vec<Bound>, Stop> {
    let program = part.version.program;
    let operation = program.op(op);
    if stated.iter().all(Bound::is_exact) {
        return Ok(stated);
    }
    let operand = |i: usize| -> Result<Option<&Tensor>, Stop> {
        match operation
            .operands
            .get(i)
            .and_then(|v| part.environment.get(v))
        {
            Some(content) => Ok(session.value(*content)?.as_tensor()),
            None => Ok(None),
        }
    };
    let ([own], [content], Some(x)) = (&stated[..], results, operand(0)?) else {
        return Ok(stated);
    };
    let Some(y) = session.value(*content)?.as_tensor() else {
        return Ok(stated);
    };
    let Op::Hlo(inner) = &operation.op;
    let sharper = match inner {
        hlo::Op::Convert(_) if narrows(x, y) => rounded(x, &inputs[0], |t| {
            Ok(Tensor::from_f64s(t.dims(), y.element(), &t.to_f64s()))
        })?,
        hlo::Op::ReducePrecision(r) if x.element().is_float() => {
            rounded(x, &inputs[0], |t| evaluated(r, t))?
        }
        hlo::Op::Reduce(reduce) if sums == Sums::InAllLikelihood => {
            let init = operand(1)?.map_or(0.0, |t| t.to_f64s().first().copied().unwrap_or(0.0));
            let start = inputs.get(1).map_or(0.0, |b| b.at(0));
            let dimensions = &reduce.dimensions;
            match folds_by(program, op) {
                Some(hlo::Op::Add(_)) => {
                    let likely = sums::likely(x, dimensions, init);
                    let errors = sums::total(x, dimensions, |i| inputs[0].at(i));
                    let each = likely.iter().zip(errors);
                    each.map(|(l, e)| l.bound + e + start).collect()
                }
                Some(hlo::Op::Multiply(_)) if start == 0.0 => {
                    let likely = sums::likely_product(x, dimensions, init);
                    let numbers = x.to_f64s();
                    let relative = |i: usize| inputs[0].at(i) / numbers[i].abs();
                    let errors = sums::total(x, dimensions, relative);
                    let each = likely.iter().zip(errors);
                    // (1 + e).. - 1 below 2 sum e, for a sum below 1/2.
                    let carried = |l: &sums::Likely, e: f64| match e {
                        0.0 => 0.0,
                        e if e < 0.5 => 2.0 * e * (l.value.abs() + l.bound),
                        _ => f64::INFINITY,
                    };
                    each.map(|(l, e)| l.bound + carried(l, e)).collect()
                }
                Some(_) | None => return Ok(stated),
            }
        }
        _ => return Ok(stated),
    };
    let narrower = |i: usize| {
        let (a, b) = (own.at(i), sharper.get(i).copied().unwrap_or(f64::INFINITY));
        if b.is_nan() { a } else { a.min(b) }
    };
    Ok(vec![Bound::absolute((0..y.len()).map(narrower).collect())])
}

fn narrows(x: &Tensor, y: &Tensor) -> bool {
    let floats = x.element().class() == Class::Float && y.element().class() == Class::Float;
    floats && unit_roundoff(x.element()) < unit_roundoff(y.element())
}

/// How far two numbers may be apart that `round` makes of numbers within twice the bound from `x`.
fn rounded(
    x: &Tensor,
    bound: &Bound,
    round: impl Fn(&Tensor) -> Result<Tensor, Stop>,
) -> Result<Vec<f64>, Stop> {
    let values = x.to_f64s();
    let end = |sign: f64| -> Result<Tensor, Stop> {
        let ends = values.iter().enumerate();
        let ends: Vec<f64> = ends.map(|(i, v)| v + sign * 2.0 * bound.at(i)).collect();
        round(&Tensor::from_f64s(x.dims(), x.element(), &ends))
    };
    let (low, high) = (end(-1.0)?, end(1.0)?);
    let (low, high) = (low.to_f64s(), high.to_f64s());
    let apart = |i: usize| {
        let apart = high[i] - low[i];
        // What overflows, and what is no number, is left to the op's own rule.
        if apart.is_finite() {
            apart
        } else {
            f64::INFINITY
        }
    };
    Ok((0..x.len()).map(apart).collect())
}

/// The op on floats without residues.
fn evaluated<O: OpDef>(op: &O, x: &Tensor) -> Result<Tensor, Stop> {
    let (mut runner, mut events) = (NoRegions, Events::default());
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut runner,
        events: &mut events,
    };
    let ty = Type::tensor(x.dims().to_vec(), x.element().clone());
    let out = op.eval(&[Value::Tensor(x.clone())], &[ty], &mut cx)?;
    match out.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        _ => Err(Stop::internal("a rounding without result")),
    }
}

/// The op that the body of a fold is.
fn folds_by(program: &Program, op: OpId) -> Option<&hlo::Op> {
    let region = program.op(op).regions.first()?;
    let [one, _] = program.region(*region).ops[..] else {
        return None;
    };
    let Op::Hlo(inner) = &program.op(one).op;
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::types::ElementType;

    #[test]
    fn a_rounding_is_shared_but_near_a_boundary() {
        // Between the bf16 numbers 1 and 1 + 2^-7 the boundary lies at 1 + 2^-8.
        let x = Tensor::from_slice(
            &[3],
            ElementType::F32,
            &[1.001f32, 1.0 + 2f32.powi(-8), 1.0],
        );
        let bound = Bound::absolute(vec![1e-6, 1e-6, 0.0]);
        let to = |t: &Tensor| {
            Ok(Tensor::from_f64s(
                t.dims(),
                &ElementType::BF16,
                &t.to_f64s(),
            ))
        };
        let found = rounded(&x, &bound, to).unwrap();
        assert_eq!(found, [0.0, 2f64.powi(-7), 0.0]);
        // Just inside and just outside of what may round otherwise.
        let near = |by: f64| {
            let value = 1.0 + 2f64.powi(-8) + 2f64.powi(-20);
            let x = Tensor::from_f64s(&[1], &ElementType::F32, &[value]);
            rounded(&x, &Bound::absolute(vec![by]), to).unwrap()[0]
        };
        assert_eq!(near(2f64.powi(-22)), 0.0);
        assert_eq!(near(2f64.powi(-20)), 2f64.powi(-7));
    }
}
