//! Error bounds of a region: how far each element of a computed value may lie from the value real arithmetic gives.
//!
//! A bound starts at [`Bound::Exact`] on the region's inputs and is carried through each op by the rule beside it (`OpDef::bound`).

use crate::{
    buffer::Buffer,
    eval::{EvalContext, Events, NoRegions, Stop},
    op::OpDef,
    planes::Planes,
    tensor::{Tensor, Value, count},
    types::{ElementType, Type},
};
use std::sync::Arc;

/// Largest distance of each element from the exact result, absolute. Infinity: nothing is known of the element (a choice that rounding may flip, or
/// an overflow): it is *undetermined*.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// No rounding so far: bit for bit.
    Exact,
    /// One non-negative number per element, row-major; complex numbers: the distance in the complex plane.
    Absolute(Arc<Vec<f64>>),
}

/// An operand with its bound.
#[derive(Debug, Clone, Copy)]
pub struct Bounded<'a> {
    pub value: &'a Value,
    pub error: &'a Bound,
}

impl Bound {
    pub fn absolute(errors: Vec<f64>) -> Bound {
        if errors.iter().all(|e| *e == 0.0) {
            Bound::Exact
        } else {
            Bound::Absolute(Arc::new(errors))
        }
    }

    /// Nothing is known of any of `n` elements.
    pub fn undetermined(n: usize) -> Bound {
        Bound::absolute(vec![f64::INFINITY; n])
    }

    pub fn at(&self, i: usize) -> f64 {
        match self {
            Bound::Exact => 0.0,
            Bound::Absolute(e) => e[i],
        }
    }

    pub fn is_exact(&self) -> bool {
        matches!(self, Bound::Exact)
    }
}

/// Unit roundoff of a float type (half an ulp at 1): 2^-24 for f32. For complex types that of the part. Zero for integers.
pub fn unit_roundoff(element: &ElementType) -> f64 {
    let bits = match element {
        ElementType::F64 | ElementType::C128 => 53,
        ElementType::F32 | ElementType::C64 => 24,
        ElementType::F16 => 11,
        ElementType::BF16 => 8,
        ElementType::F8E3M4 => 5,
        ElementType::F8E4M3
        | ElementType::F8E4M3FN
        | ElementType::F8E4M3FNUZ
        | ElementType::F8E4M3B11FNUZ
        | ElementType::F6E2M3FN => 4,
        ElementType::F8E5M2 | ElementType::F8E5M2FNUZ | ElementType::F6E3M2FN => 3,
        ElementType::F4E2M1FN => 2,
        ElementType::F8E8M0FNU => 1,
        _ => return 0.0,
    };
    2f64.powi(-bits)
}

/// Where the parts of a complex type end; infinite for other types.
pub fn complex_range(element: &ElementType) -> f64 {
    match element {
        ElementType::C64 => f64::from(f32::MAX),
        ElementType::C128 => f64::MAX,
        _ => f64::INFINITY,
    }
}

/// Half the distance of two neighbours near zero: what rounding may add below the normal range.
pub fn subnormal_roundoff(element: &ElementType) -> f64 {
    match element {
        ElementType::F64 | ElementType::C128 => f64::from_bits(1),
        ElementType::F32 | ElementType::C64 => 2f64.powi(-150),
        ElementType::F16 => 2f64.powi(-25),
        ElementType::BF16 => 2f64.powi(-134),
        ElementType::F8E3M4 => 2f64.powi(-7),
        ElementType::F8E4M3 | ElementType::F8E4M3FN => 2f64.powi(-10),
        ElementType::F8E4M3FNUZ => 2f64.powi(-11),
        ElementType::F8E4M3B11FNUZ => 2f64.powi(-14),
        ElementType::F8E5M2 => 2f64.powi(-17),
        ElementType::F8E5M2FNUZ => 2f64.powi(-18),
        ElementType::F6E2M3FN => 2f64.powi(-4),
        ElementType::F6E3M2FN => 2f64.powi(-5),
        ElementType::F4E2M1FN => 0.25,
        ElementType::F8E8M0FNU => 2f64.powi(-128),
        _ => 0.0,
    }
}

/// Smallest normal and largest finite number of a float type.
pub fn normal_range(element: &ElementType) -> (f64, f64) {
    // Numbers of half-distance h below the normal range, 1/2u of them to a binade.
    let low = subnormal_roundoff(element) / unit_roundoff(element).max(f64::MIN_POSITIVE);
    let high = match element {
        ElementType::F64 => f64::MAX,
        ElementType::F32 => f64::from(f32::MAX),
        ElementType::BF16 => half::bf16::MAX.to_f64(),
        ElementType::F16 => half::f16::MAX.to_f64(),
        _ => f64::INFINITY,
    };
    (low, high)
}

/// gamma_n = n*u / (1 - n*u): relative error of n roundings in sequence (Higham, Accuracy and Stability, lemma 3.1). Infinity when n*u >= 1/4.
pub fn gamma(n: f64, u: f64) -> f64 {
    if n * u >= 0.25 {
        f64::INFINITY
    } else {
        n * u / (1.0 - n * u)
    }
}

/// The bound of an op that only moves elements: the errors move the same way. Runs `op` itself on f64 error tensors in place of the float operands
/// numbered `data`; the other operands (indices) keep their values, and an inexact index leaves the result undetermined.
pub fn by_movement<O: OpDef>(
    op: &O,
    data: &[usize],
    operands: &[Bounded<'_>],
    results: &[Type],
    values: &[Value],
) -> Result<Vec<Bound>, Stop> {
    if operands.iter().all(|o| o.error.is_exact()) {
        return Ok(vec![Bound::Exact; values.len()]);
    }
    if operands
        .iter()
        .enumerate()
        .any(|(i, o)| !data.contains(&i) && !o.error.is_exact())
    {
        return Ok(values
            .iter()
            .map(|v| Bound::undetermined(v.as_tensor().map_or(0, Tensor::len)))
            .collect());
    }
    let as_errors = |o: &Bounded<'_>| match o.value {
        Value::Tensor(t) => {
            let errors = Buffer::build::<f64>(count(t.dims()), |out| {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(i, e)| *e = o.error.at(i))
            });
            Value::Tensor(Tensor::new(
                t.dims().to_vec(),
                ElementType::F64,
                errors,
                None,
            ))
        }
        Value::Token(_) | Value::Tuple(_) => o.value.clone(),
    };
    let moved: Vec<Value> = operands
        .iter()
        .enumerate()
        .map(|(i, o)| {
            if data.contains(&i) {
                as_errors(o)
            } else {
                o.value.clone()
            }
        })
        .collect();
    let types: Vec<Type> = results
        .iter()
        .map(|t| match t {
            Type::Tensor(t) => t.with_element(ElementType::F64).into(),
            Type::Token | Type::Tuple(_) => t.clone(),
        })
        .collect();
    let mut events = Events::default();
    let mut runner = NoRegions;
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut runner,
        events: &mut events,
    };
    let out = op.eval(&moved, &types, &mut cx)?;
    Ok(out
        .iter()
        .map(|v| {
            v.as_tensor().map_or(Bound::Exact, |t| {
                Bound::absolute(t.as_slice::<f64>().to_vec())
            })
        })
        .collect())
}
