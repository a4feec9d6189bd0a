//! Error-bound rules that elementwise ops share.

use super::unary::complexes;
use crate::{
    bound::{Bound, Bounded, subnormal_roundoff, unit_roundoff},
    eval::Stop,
    hlo::shape,
    tensor::{Tensor, Value},
    types::Class,
};

/// Elements of a value for a rule: floats and integers themselves, complex numbers their modulus.
fn magnitudes(v: &Value) -> Result<Vec<f64>, Stop> {
    let t = v
        .as_tensor()
        .ok_or_else(|| Stop::internal("bound of a value that is no tensor"))?;
    Ok(if t.element().is_complex() {
        complexes(t).iter().map(|z| z.norm()).collect()
    } else {
        t.to_f64s().into_owned()
    })
}

fn given<'a, 'b>(operands: &'a [Bounded<'b>], i: usize) -> Result<&'a Bounded<'b>, Stop> {
    operands
        .get(i)
        .ok_or_else(|| Stop::internal(format!("bound without operand {i}")))
}

/// Bound of a float op that rounds once: `propagate(a, error of a, b, error of b)` plus the rounding of the result. Integers are exact if their
/// operands are, else undetermined.
pub fn bound_binary(
    operands: &[Bounded<'_>],
    values: &[Value],
    propagate: impl Fn(f64, f64, f64, f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    bound_function_of_two(operands, values, 0.5, propagate)
}

/// Bound of a function of two operands that errs by at most `ulp` units in the last place (a correctly rounded one by 0.5).
pub fn bound_function_of_two(
    operands: &[Bounded<'_>],
    values: &[Value],
    ulp: f64,
    propagate: impl Fn(f64, f64, f64, f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let result = shape::operand(values, 0)?;
    let (first, second) = (given(operands, 0)?, given(operands, 1)?);
    match result.element().class() {
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
            Ok(vec![exact_or_undetermined(operands, result.len())])
        }
        Class::Float | Class::Complex => {
            let (a, b) = (magnitudes(first.value)?, magnitudes(second.value)?);
            rounding(result, &values[0], ulp, |i| {
                propagate(a[i], first.error.at(i), b[i], second.error.at(i))
            })
        }
    }
}

/// Bound of a function that errs by at most `ulp` units in the last place: `propagate(operand, its error, result)` bounds how far the function's
/// value moves; it is asked only where the operand is not exact. Complex results of inexact operands are undetermined: the rule is one of real numbers.
pub fn bound_unary(
    operands: &[Bounded<'_>],
    values: &[Value],
    ulp: f64,
    propagate: impl Fn(f64, f64, f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let complex = shape::operand(values, 0)?.element().is_complex();
    bound_modulus(operands, values, ulp, |x, e, y| {
        if complex {
            f64::INFINITY
        } else {
            propagate(x, e, y)
        }
    })
}

/// As `bound_unary` with a rule that holds for the moduli of complex numbers too.
pub fn bound_modulus(
    operands: &[Bounded<'_>],
    values: &[Value],
    ulp: f64,
    propagate: impl Fn(f64, f64, f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let result = shape::operand(values, 0)?;
    let operand = given(operands, 0)?;
    match result.element().class() {
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
            Ok(vec![exact_or_undetermined(operands, result.len())])
        }
        Class::Float | Class::Complex => {
            let (x, y) = (magnitudes(operand.value)?, magnitudes(&values[0])?);
            rounding(result, &values[0], ulp, |i| match operand.error.at(i) {
                0.0 => 0.0,
                e => propagate(x[i], e, y[i]),
            })
        }
    }
}

fn rounding(
    result: &Tensor,
    value: &Value,
    ulp: f64,
    carried: impl Fn(usize) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let out = magnitudes(value)?;
    let factor = 2.0 * ulp;
    let u = factor * unit_roundoff(result.element());
    let tiny = factor * subnormal_roundoff(result.element());
    let errors = (0..out.len()).map(|i| rounded(out[i], carried(i), u, tiny));
    Ok(vec![Bound::absolute(errors.collect())])
}

/// Bound of a result that is rounded once from a value off by `carried`. A result that is infinite or NaN while its operands carry errors is undetermined.
pub fn rounded(result: f64, carried: f64, u: f64, tiny: f64) -> f64 {
    if !result.is_finite() || carried.is_nan() {
        return if carried == 0.0 { 0.0 } else { f64::INFINITY };
    }
    // The exact value is at most |result| (1 + u) + tiny, and the result lies within u of it.
    carried + (u / (1.0 - u)) * result.abs() + tiny
}

/// Bound of an op that changes values without rounding (negate, abs, maximum): `propagate(i)` alone.
pub fn bound_exact_op(
    values: &[Value],
    propagate: impl Fn(usize) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let result = shape::operand(values, 0)?;
    Ok(vec![Bound::absolute(
        (0..result.len()).map(propagate).collect(),
    )])
}

/// Bound of a step function of a float: exact where `f` gives one value on the whole interval operand +- error, else undetermined.
pub fn bound_steps(
    operands: &[Bounded<'_>],
    values: &[Value],
    f: impl Fn(f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let operand = given(operands, 0)?;
    if operand.error.is_exact() {
        return Ok(vec![Bound::Exact]);
    }
    let x = magnitudes(operand.value)?;
    bound_exact_op(values, |i| {
        let e = operand.error.at(i);
        if e == 0.0 || f(x[i] - e) == f(x[i] + e) {
            0.0
        } else {
            f64::INFINITY
        }
    })
}

/// Largest |f'| on the interval x +- e for a derivative given by a bound on an interval: `e * slope(low, high)`, undetermined where `domain` ends inside.
pub fn by_slope(x: f64, e: f64, domain: (f64, f64), slope: impl Fn(f64, f64) -> f64) -> f64 {
    let (low, high) = (x - e, x + e);
    if low < domain.0 || high > domain.1 || !e.is_finite() {
        f64::INFINITY
    } else {
        e * slope(low, high)
    }
}

/// Exact if every operand is, else undetermined: for integer and boolean results.
pub fn exact_or_undetermined(operands: &[Bounded<'_>], n: usize) -> Bound {
    if operands.iter().all(|o| o.error.is_exact()) {
        return Bound::Exact;
    }
    let same_length = |o: &Bounded<'_>| o.value.as_tensor().is_some_and(|t| t.len() == n);
    Bound::absolute(
        (0..n)
            .map(|i| {
                let exact = |o: &Bounded<'_>| {
                    o.error.is_exact() || (same_length(o) && o.error.at(i) == 0.0)
                };
                if operands.iter().all(exact) {
                    0.0
                } else {
                    f64::INFINITY
                }
            })
            .collect(),
    )
}

/// Bound of a rounding of `operand` to the values: what is lost is seen, element by element.
pub fn bound_identity(
    operand: &Tensor,
    bounded: &Bounded<'_>,
    values: &[Value],
) -> Result<Vec<Bound>, Stop> {
    let result = shape::operand(values, 0)?;
    let errors: Vec<f64> = if operand.element().is_complex() && result.element().is_complex() {
        let (x, y) = (complexes(operand), complexes(result));
        x.iter()
            .zip(&y)
            .map(|(x, y)| if x == y { 0.0 } else { (x - y).norm() })
            .collect()
    } else {
        let (x, y) = (operand.to_f64s(), result.to_f64s());
        x.iter()
            .zip(y.iter())
            .map(|(x, y)| if x == y { 0.0 } else { (x - y).abs() })
            .collect()
    };
    bound_exact_op(values, |i| {
        let error = errors[i] + bounded.error.at(i);
        // NaN to NaN loses nothing that was known.
        if error.is_nan() {
            bounded.error.at(i)
        } else {
            error
        }
    })
}
