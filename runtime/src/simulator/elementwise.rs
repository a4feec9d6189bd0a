//! Elementwise ops on vectors: the `hlo` op's definition, and loops over whole registers for the ops kernels are made of.
//!
//! A fast loop gives exactly what the definition gives, in both planes; the result takes an operand's memory when no one else needs it.

use bytemuck::Pod;
use tileproof_dialect::{
    buffer::Buffer,
    eval::{EvalContext, Stop},
    hlo::{self, compare::Direction, elementwise::choice},
    planes::ring::{self, P, Residue},
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

/// The result of `op`, which has one.
pub fn eval(
    op: &hlo::Op,
    mut operands: Vec<Tensor>,
    results: &[Type],
    cx: &mut EvalContext<'_>,
) -> Result<Tensor, Stop> {
    if let [_, b] = &operands[..]
        && is_fast(op, b)
        && let (Some(b), Some(a)) = (operands.pop(), operands.pop())
    {
        if a.element() == b.element() && a.dims() == b.dims() {
            return Ok(binary(op, a, b));
        }
        operands.extend([a, b]);
    }
    let operands: Vec<Value> = operands.into_iter().map(Value::from).collect();
    let mut out = op.eval(&operands, results, cx)?;
    match out.pop() {
        Some(Value::Tensor(t)) if out.is_empty() => Ok(t),
        Some(_) | None => Err(Stop::internal(format!(
            "'{}' does not give one tensor",
            op.name()
        ))),
    }
}

fn is_fast(op: &hlo::Op, operand: &Tensor) -> bool {
    match (op, operand.element()) {
        (
            hlo::Op::Add(_)
            | hlo::Op::Subtract(_)
            | hlo::Op::Multiply(_)
            | hlo::Op::Maximum(_)
            | hlo::Op::Minimum(_),
            ElementType::F32 | ElementType::I32,
        ) => true,
        (
            hlo::Op::And(_) | hlo::Op::Or(_) | hlo::Op::Xor(_),
            ElementType::I32 | ElementType::U32 | ElementType::I1,
        ) => true,
        (_, _) => false,
    }
}

/// The two operands are of one type, one that [`is_fast`] names.
fn binary(op: &hlo::Op, a: Tensor, b: Tensor) -> Tensor {
    let residues = match (op, a.ring(), b.ring()) {
        (_, None, _) | (_, _, None) => None,
        (hlo::Op::Add(_), Some(_), Some(_)) => {
            Some(ring_loop(&a, &b, add_residues, |r, s, _, _| {
                ring::add(r, s)
            }))
        }
        (hlo::Op::Subtract(_), Some(_), Some(_)) => {
            Some(ring_loop(&a, &b, sub_residues, |r, s, _, _| {
                ring::sub(r, s)
            }))
        }
        (hlo::Op::Multiply(_), Some(_), Some(_)) => {
            Some(ring_loop(&a, &b, ring::mul_residues, |r, s, x, y| {
                ring::mul(r, s, || (x.into(), y.into()))
            }))
        }
        (hlo::Op::Maximum(_), Some(r), Some(s)) => {
            Some(choices(r, s, a.as_slice(), b.as_slice(), 1.0))
        }
        (hlo::Op::Minimum(_), Some(r), Some(s)) => {
            Some(choices(r, s, a.as_slice(), b.as_slice(), -1.0))
        }
        (_, Some(_), Some(_)) => None,
    };
    let element = a.element().clone();
    let (dims, _, x, _) = a.into_planes();
    let (_, _, y, _) = b.into_planes();
    let ieee = match (&element, op) {
        (ElementType::F32, hlo::Op::Add(_)) => zip::<f32>(x, y, |a, b| a + b),
        (ElementType::F32, hlo::Op::Subtract(_)) => zip::<f32>(x, y, |a, b| a - b),
        (ElementType::F32, hlo::Op::Multiply(_)) => zip::<f32>(x, y, |a, b| a * b),
        (ElementType::F32, hlo::Op::Maximum(_)) => zip::<f32>(x, y, choice::maximum_f32),
        (ElementType::F32, _) => zip::<f32>(x, y, choice::minimum_f32),
        (_, hlo::Op::Add(_)) => zip::<i32>(x, y, i32::wrapping_add),
        (_, hlo::Op::Subtract(_)) => zip::<i32>(x, y, i32::wrapping_sub),
        (_, hlo::Op::Multiply(_)) => zip::<i32>(x, y, i32::wrapping_mul),
        (_, hlo::Op::Maximum(_)) => zip::<i32>(x, y, i32::max),
        (_, hlo::Op::Minimum(_)) => zip::<i32>(x, y, i32::min),
        (_, hlo::Op::And(_)) => zip::<u8>(x, y, |a, b| a & b),
        (_, hlo::Op::Or(_)) => zip::<u8>(x, y, |a, b| a | b),
        (_, _) => zip::<u8>(x, y, |a, b| a ^ b),
    };
    Tensor::new(dims, element, ieee, residues)
}

/// `f` of both, in the memory of the one that is not shared.
fn zip<T: Pod>(x: Buffer, y: Buffer, f: impl Fn(T, T) -> T) -> Buffer {
    if y.is_unshared() && !x.is_unshared() {
        return y.edited(|y| {
            let all = bytemuck::cast_slice_mut::<u8, T>(y)
                .iter_mut()
                .zip(x.as_slice::<T>());
            all.for_each(|(y, x)| *y = f(*x, *y));
        });
    }
    x.edited(|x| {
        let all = bytemuck::cast_slice_mut::<u8, T>(x)
            .iter_mut()
            .zip(y.as_slice::<T>());
        all.for_each(|(x, y)| *x = f(*x, *y));
    })
}

/// Elements looked at for codes at once.
const RUN: usize = 64;

/// `plain` of both planes' residues, `coded` (which gets the IEEE operands) where a run has codes.
fn ring_loop(
    a: &Tensor,
    b: &Tensor,
    plain: impl Fn(Residue, Residue) -> Residue,
    coded: impl Fn(Residue, Residue, f32, f32) -> Residue,
) -> Buffer {
    let (r, s) = (a.ring().unwrap_or(&[]), b.ring().unwrap_or(&[]));
    let (x, y) = (a.as_slice::<f32>(), b.as_slice::<f32>());
    Buffer::build::<Residue>(r.len(), |out| {
        for (i, out) in out.chunks_mut(RUN).enumerate() {
            let here = i * RUN..i * RUN + out.len();
            let (r, s) = (&r[here.clone()], &s[here.clone()]);
            if ring::is_code(r.iter().zip(s).fold(0, |all, (r, s)| all | r | s)) {
                let operands = r.iter().zip(s).zip(x[here.clone()].iter().zip(&y[here]));
                out.iter_mut()
                    .zip(operands)
                    .for_each(|(o, ((r, s), (x, y)))| *o = coded(*r, *s, *x, *y));
            } else {
                out.iter_mut()
                    .zip(r.iter().zip(s))
                    .for_each(|(o, (r, s))| *o = plain(*r, *s));
            }
        }
    })
}

#[inline(always)]
fn add_residues(a: Residue, b: Residue) -> Residue {
    // The smaller of the sum and the sum less P, which wraps around when it is negative.
    let sum = a + b;
    sum.min(sum.wrapping_sub(P))
}

#[inline(always)]
fn sub_residues(a: Residue, b: Residue) -> Residue {
    let difference = a.wrapping_sub(b);
    difference.min(difference.wrapping_add(P))
}

/// Residues of the larger of `sign * x` and `sign * y`.
fn choices(r: &[Residue], s: &[Residue], x: &[f32], y: &[f32], sign: f32) -> Buffer {
    Buffer::build::<Residue>(r.len(), |out| {
        for (o, ((r, x), (s, y))) in out.iter_mut().zip(r.iter().zip(x).zip(s.iter().zip(y))) {
            let (x, y) = (sign * x, sign * y);
            *o = if x > y {
                *r
            } else if y > x {
                *s
            } else if x == y {
                *r.min(s)
            } else {
                choice::residue_of_larger((*r, x.into()), (*s, y.into()))
            };
        }
    })
}

/// Integer scalars: the result of `op`, where it is one of those that addresses and loops are made of.
pub fn scalar(
    op: &hlo::Op,
    operands: &[i64],
    element: &ElementType,
    result: &ElementType,
) -> Option<i64> {
    let signed = !matches!(
        element,
        ElementType::U2
            | ElementType::U4
            | ElementType::U8
            | ElementType::U16
            | ElementType::U32
            | ElementType::U64
    );
    let wide = *element == ElementType::U64;
    let out = match (op, operands) {
        (hlo::Op::Add(_), [a, b]) if *element != ElementType::I1 => a.wrapping_add(*b),
        (hlo::Op::Subtract(_), [a, b]) => a.wrapping_sub(*b),
        (hlo::Op::Multiply(_), [a, b]) if *element != ElementType::I1 => a.wrapping_mul(*b),
        (hlo::Op::Maximum(_), [a, b]) if !wide => *a.max(b),
        (hlo::Op::Minimum(_), [a, b]) if !wide => *a.min(b),
        (hlo::Op::And(_), [a, b]) => a & b,
        (hlo::Op::Or(_), [a, b]) => a | b,
        (hlo::Op::Xor(_), [a, b]) => a ^ b,
        (hlo::Op::Divide(_), [a, b]) if *b > 0 && (signed || *a >= 0) => a / b,
        (hlo::Op::Remainder(_), [a, b]) if *b > 0 && (signed || *a >= 0) => a % b,
        (hlo::Op::Select(_), [p, a, b]) => *if *p != 0 { a } else { b },
        (hlo::Op::Compare(op), [a, b]) if !wide => i64::from(match op.comparison_direction {
            Direction::Eq => a == b,
            Direction::Ne => a != b,
            Direction::Ge => a >= b,
            Direction::Gt => a > b,
            Direction::Le => a <= b,
            Direction::Lt => a < b,
        }),
        (hlo::Op::Convert(_), [a]) if *result != ElementType::I1 => *a,
        (hlo::Op::Convert(_), [a]) => i64::from(*a != 0),
        (_, _) => return None,
    };
    Some(wrapped(out, result))
}

/// `value` in the width of an integer type.
pub fn wrapped(value: i64, element: &ElementType) -> i64 {
    let shift = 64 - element.bits().clamp(1, 64);
    match element {
        ElementType::I1
        | ElementType::U2
        | ElementType::U4
        | ElementType::U8
        | ElementType::U16
        | ElementType::U32
        | ElementType::U64 => ((value as u64) << shift >> shift) as i64,
        _ => value << shift >> shift,
    }
}
