//! `reduce` of one operand with a plain body: sum, product, maximum, minimum, and, or, exclusive or.
//!
//! Floats of at most 32 bits are summed and multiplied in f64 and rounded once, f64 in interleaved partial sums: both lie within the bound of any
//! order of the body's applications.

use super::fold::{Shape, fold};
use std::borrow::Cow;
use tileproof_dialect::{
    buffer::Buffer,
    hlo::elementwise::{Integer, choice, wrap_narrow},
    hlo::reduce::Reduce,
    integer_dispatch,
    planes::ring::{self, Residue, is_code},
    tensor::{Tensor, encode_f64s, row_major_strides},
    types::{Class, ElementType, Type},
};

/// Bodies this file folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Add,
    Multiply,
    Maximum,
    Minimum,
    And,
    Or,
    Xor,
}

impl Body {
    fn from_name(name: &str) -> Option<Body> {
        Some(match name {
            "add" => Body::Add,
            "multiply" => Body::Multiply,
            "maximum" => Body::Maximum,
            "minimum" => Body::Minimum,
            "and" => Body::And,
            "or" => Body::Or,
            "xor" => Body::Xor,
            _ => return None,
        })
    }
}

/// The result for the body `name`, or none where the definition must do it.
pub fn eval(
    op: &Reduce,
    name: &str,
    operand: &Tensor,
    init: &Tensor,
    results: &[Type],
) -> Option<Tensor> {
    let body = Body::from_name(name)?;
    let element = operand.element();
    let result = results.first().and_then(Type::as_tensor)?;
    if init.element() != element || result.element != *element || init.len() != 1 {
        return None;
    }
    let (operand, shape, dims) = arranged(op, operand);
    if operand.is_empty() {
        return None;
    }
    let t = operand.as_ref();
    let ieee = match element.class() {
        Class::Float => floats(body, t, shape, init)?,
        Class::Boolean => {
            let all = t.as_slice::<u8>();
            let first = *init.as_slice::<u8>().first()?;
            let out = match body {
                Body::Add | Body::Or | Body::Maximum => fold(all, shape, |x| x, |a, b| a | b),
                Body::Multiply | Body::And | Body::Minimum => fold(all, shape, |x| x, |a, b| a & b),
                Body::Xor => fold(all, shape, |x| x, |a, b| a ^ b),
            };
            Buffer::build::<u8>(out.len(), |o| {
                o.iter_mut().zip(&out).for_each(|(o, v)| {
                    *o = match body {
                        Body::Add | Body::Or | Body::Maximum => v | first,
                        Body::Multiply | Body::And | Body::Minimum => v & first,
                        Body::Xor => v ^ first,
                    }
                });
            })
        }
        Class::Signed | Class::Unsigned => {
            integer_dispatch!(element, T => integers::<T>(body, t.as_slice::<T>(), shape, *init.as_slice::<T>().first()?, element), _ => return None)
        }
        Class::Complex | Class::Quantized => return None,
    };
    let ring = match (t.ring(), init.ring()) {
        (Some(r), Some(s)) => Some(residues(body, t, r, shape, init, *s.first()?)?),
        (Some(_) | None, _) => None,
    };
    Some(Tensor::new(dims, element.clone(), ieee, ring))
}

/// The operand as `[outer, rows, inner]` with the folded elements along rows: in place where the folded dimensions are neighbours.
fn arranged<'a>(op: &Reduce, t: &'a Tensor) -> (Cow<'a, Tensor>, Shape, Vec<u64>) {
    let folded = |d: &usize| op.dimensions.contains(&(*d as i64));
    let kept: Vec<usize> = (0..t.rank()).filter(|d| !folded(d)).collect();
    let gone: Vec<usize> = (0..t.rank()).filter(folded).collect();
    let size = |of: &[usize]| of.iter().map(|d| t.dims()[*d] as usize).product::<usize>();
    let dims = kept.iter().map(|d| t.dims()[*d]).collect();
    if let (Some(first), Some(last)) = (gone.first(), gone.last())
        && last - first + 1 == gone.len()
    {
        let (before, after): (Vec<usize>, Vec<usize>) = kept.iter().partition(|d| *d < first);
        let shape = Shape {
            outer: size(&before),
            rows: size(&gone),
            inner: size(&after),
        };
        return (Cow::Borrowed(t), shape, dims);
    }
    let strides = row_major_strides(t.dims());
    let order: Vec<usize> = kept.iter().chain(&gone).copied().collect();
    let (sizes, steps): (Vec<u64>, Vec<i64>) =
        order.iter().map(|d| (t.dims()[*d], strides[*d])).unzip();
    let shape = Shape {
        outer: size(&kept),
        rows: size(&gone),
        inner: 1,
    };
    (Cow::Owned(t.strided(&sizes, 0, &steps)), shape, dims)
}

fn floats(body: Body, t: &Tensor, shape: Shape, init: &Tensor) -> Option<Buffer> {
    let element = t.element();
    let first = *init.to_f64s().first()?;
    let finish = |out: Vec<f64>, f: fn(f64, f64) -> f64| {
        let all: Vec<f64> = out.into_iter().map(|v| f(first, v)).collect();
        encode_f64s(element, &all)
    };
    if *element == ElementType::F64 {
        let all = t.as_slice::<f64>();
        return Some(match body {
            Body::Add => finish(fold(all, shape, |x| x, |a, b| a + b), |a, b| a + b),
            Body::Multiply => finish(fold(all, shape, |x| x, |a, b| a * b), |a, b| a * b),
            Body::Maximum => finish(fold(all, shape, |x| x, choice::maximum), choice::maximum),
            Body::Minimum => finish(fold(all, shape, |x| x, choice::minimum), choice::minimum),
            Body::And | Body::Or | Body::Xor => return None,
        });
    }
    let all = t.to_f32s();
    let chosen =
        |out: Vec<f32>, f: fn(f64, f64) -> f64| finish(out.into_iter().map(f64::from).collect(), f);
    Some(match body {
        Body::Add => finish(fold(&all, shape, f64::from, |a, b| a + b), |a, b| a + b),
        Body::Multiply => finish(fold(&all, shape, f64::from, |a, b| a * b), |a, b| a * b),
        Body::Maximum => chosen(
            fold(&all, shape, |x| x, choice::maximum_f32),
            choice::maximum,
        ),
        Body::Minimum => chosen(
            fold(&all, shape, |x| x, choice::minimum_f32),
            choice::minimum,
        ),
        Body::And | Body::Or | Body::Xor => return None,
    })
}

fn integers<T: Integer + Send + Sync>(
    body: Body,
    all: &[T],
    shape: Shape,
    init: T,
    element: &ElementType,
) -> Buffer {
    let wrap = |v: i128| T::wrap(wrap_narrow(element, v));
    let apply = |a: T, b: T| {
        let (a, b) = (a.widen(), b.widen());
        wrap(match body {
            Body::Add => a.wrapping_add(b),
            Body::Multiply => a.wrapping_mul(b),
            Body::Maximum => a.max(b),
            Body::Minimum => a.min(b),
            Body::And => a & b,
            Body::Or => a | b,
            Body::Xor => a ^ b,
        })
    };
    let out = fold(all, shape, |x| x, apply);
    Buffer::build::<T>(out.len(), |o| {
        o.iter_mut()
            .zip(&out)
            .for_each(|(o, v)| *o = apply(init, *v))
    })
}

/// The ring plane; none where codes need the definition.
fn residues(
    body: Body,
    t: &Tensor,
    r: &[Residue],
    shape: Shape,
    init: &Tensor,
    first: Residue,
) -> Option<Buffer> {
    let build = |out: Vec<Residue>| Some(Buffer::from_slice(&out));
    let codes = || is_code(first) || r.iter().any(|r| is_code(*r));
    match body {
        Body::Add if codes() => {
            let sums = fold(r, shape, |r| r, ring::add);
            build(sums.into_iter().map(|s| ring::add(first, s)).collect())
        }
        Body::Add => {
            // Fewer than 2^32 residues below 2^31 fit the sum.
            let sums = fold(r, shape, u64::from, |a, b| a + b);
            build(
                sums.into_iter()
                    .map(|s| ring::reduce(s + u64::from(first)))
                    .collect(),
            )
        }
        Body::Multiply if codes() => None,
        Body::Multiply => {
            let products = fold(r, shape, |r| r, ring::mul_residues);
            build(
                products
                    .into_iter()
                    .map(|p| ring::mul_residues(first, p))
                    .collect(),
            )
        }
        Body::Maximum | Body::Minimum => {
            let sign = if body == Body::Maximum { 1.0 } else { -1.0 };
            let start = (sign * *init.to_f64s().first()?, first);
            let chosen = if *t.element() == ElementType::F64 {
                let pairs: Vec<(f64, Residue)> = t
                    .as_slice::<f64>()
                    .iter()
                    .map(|v| sign * v)
                    .zip(r.iter().copied())
                    .collect();
                fold(&pairs, shape, |p| p, larger_f64)
            } else {
                let signed = sign as f32;
                let pairs: Vec<(f32, Residue)> = t
                    .to_f32s()
                    .iter()
                    .map(|v| signed * v)
                    .zip(r.iter().copied())
                    .collect();
                fold(&pairs, shape, |p| p, larger_f32)
                    .into_iter()
                    .map(|(v, r)| (f64::from(v), r))
                    .collect()
            };
            build(chosen.into_iter().map(|p| larger_f64(start, p).1).collect())
        }
        Body::And | Body::Or | Body::Xor => None,
    }
}

/// The larger of two values with its residue, as `maximum` chooses.
#[inline(always)]
fn larger_f32((x, r): (f32, Residue), (y, s): (f32, Residue)) -> (f32, Residue) {
    if x > y {
        (x, r)
    } else if y > x {
        (y, s)
    } else if x == y {
        (x, r.min(s))
    } else {
        let residue = choice::residue_of_larger((r, x.into()), (s, y.into()));
        (choice::maximum_f32(x, y), residue)
    }
}

#[inline(always)]
fn larger_f64((x, r): (f64, Residue), (y, s): (f64, Residue)) -> (f64, Residue) {
    (
        choice::maximum(x, y),
        choice::residue_of_larger((r, x), (s, y)),
    )
}
