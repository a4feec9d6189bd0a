//! Error-bound rules that elementwise ops share.

use super::unary::complexes;
use crate::{
    bound::{Bound, Bounded, complex_range, subnormal_roundoff, unit_roundoff},
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

/// Bound of a product: |(a + ea)(b + eb) - ab| <= |a| eb + |b| ea + ea eb. A complex product rounds by part, within 2 sqrt(2) u, and the product of two
/// parts may overflow where their sum would not.
pub fn bound_product(operands: &[Bounded<'_>], values: &[Value]) -> Result<Vec<Bound>, Stop> {
    let element = shape::operand(values, 0)?.element();
    let ulp = if element.is_complex() { 1.5 } else { 0.5 };
    let end = complex_range(element);
    bound_function_of_two(operands, values, ulp, |a, ea, b, eb| {
        let (a, b) = (a.abs(), b.abs());
        let carried = a * eb + b * ea + ea * eb;
        let overflows = a.is_finite() && b.is_finite() && a * b + carried > end;
        if overflows { f64::INFINITY } else { carried }
    })
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

/// Adds an absolute error of the function itself, for those that lose relative accuracy beside their roots.
pub fn with_floor(bounds: Vec<Bound>, values: &[Value], floor: f64) -> Result<Vec<Bound>, Stop> {
    let [bound] = &bounds[..] else {
        return Err(Stop::internal("one bound expected"));
    };
    bound_exact_op(values, |i| bound.at(i) + floor)
}

/// Adds `max_ulp` units in the last place of the value, or of `floor` where the value is smaller: what an approximation of the function may err.
pub fn with_ulps(
    bounds: Vec<Bound>,
    values: &[Value],
    max_ulp: f64,
    floor: f64,
) -> Result<Vec<Bound>, Stop> {
    let [bound] = &bounds[..] else {
        return Err(Stop::internal("one bound expected"));
    };
    let result = shape::operand(values, 0)?;
    let out = magnitudes(&values[0])?;
    let u = 2.0 * max_ulp * unit_roundoff(result.element());
    let tiny = 2.0 * max_ulp * subnormal_roundoff(result.element());
    bound_exact_op(values, |i| {
        if out[i].is_finite() {
            bound.at(i) + u / (1.0 - u).max(0.5) * out[i].abs().max(floor) + tiny
        } else {
            bound.at(i)
        }
    })
}

/// Nothing is known of the elements one of whose operands is subnormal.
pub fn undetermined_where_subnormal(
    bounds: Vec<Bound>,
    operands: &[Bounded<'_>],
    values: &[Value],
) -> Result<Vec<Bound>, Stop> {
    let [bound] = &bounds[..] else {
        return Err(Stop::internal("one bound expected"));
    };
    let mut magnitudes_of = vec![];
    for operand in operands {
        let element = shape::operand(std::slice::from_ref(operand.value), 0)?.element();
        // The smallest normal number: 2^-126 is 2^24 halves of the spacing 2^-149.
        let normal = subnormal_roundoff(element) / unit_roundoff(element);
        magnitudes_of.push((magnitudes(operand.value)?, normal));
    }
    bound_exact_op(values, |i| {
        let subnormal = |(x, normal): &(Vec<f64>, f64)| x[i] != 0.0 && x[i].abs() < *normal;
        if magnitudes_of.iter().any(subnormal) {
            f64::INFINITY
        } else {
            bound.at(i)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bound::Bounded,
        eval::{EvalContext, Events, NoRegions},
        hlo::{self, elementwise::testing},
        op::OpDef,
        planes::Planes,
        tensor::Tensor,
        types::ElementType,
    };

    /// Whether `bound` covers the distance; the ends of the intervals are themselves rounded to f64.
    fn covered(exact: f64, y: f64, bound: f64) -> bool {
        bound == f64::INFINITY || (exact - y).abs() <= bound * (1.0 + 1e-9) + 1e-12
    }

    /// Bound of the f32 op for operands `x` that are off by `e`, beside the f64 results at the ends of the intervals.
    fn check<O: OpDef>(op: &O, x: &[f64], e: f64) {
        let narrow = testing::tensor(ElementType::F32, x);
        let x = narrow.to_f64s().into_owned();
        let (y, _) = testing::run(op, std::slice::from_ref(&narrow));
        let (value, error) = (Value::Tensor(narrow), Bound::absolute(vec![e; x.len()]));
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext {
            planes: Planes::IeeeOnly,
            runner: &mut runner,
            events: &mut events,
        };
        let operands = [Bounded {
            value: &value,
            error: &error,
        }];
        let bound = op
            .bound(&operands, &[], &[Value::Tensor(y.clone())], &mut cx)
            .expect("a bound");
        let mut determined = 0;
        for shift in [-e, -e / 2.0, 0.0, e / 3.0, e] {
            let moved: Vec<f64> = x.iter().map(|x| x + shift).collect();
            let (exact, _) = testing::run(op, &[testing::tensor(ElementType::F64, &moved)]);
            for (i, (exact, y)) in exact
                .as_slice::<f64>()
                .iter()
                .zip(y.to_f64s().iter())
                .enumerate()
            {
                let bound = bound[0].at(i);
                determined += usize::from(bound.is_finite());
                assert!(
                    covered(*exact, *y, bound),
                    "{} at {} + {shift}: {exact} and {y}, bound {bound}",
                    O::NAME,
                    x[i]
                );
            }
        }
        assert!(
            2 * determined > x.len(),
            "{}: nearly nothing is determined",
            O::NAME
        );
    }

    #[test]
    fn unary_bounds_cover_every_operand_in_reach() {
        let wide: Vec<f64> = (-60..60).map(|i| f64::from(i) * 0.173 + 0.01).collect();
        let positive: Vec<f64> = (0..80).map(|i| f64::from(i) * 0.37 + 0.002).collect();
        let inner: Vec<f64> = (-99..100).map(|i| f64::from(i) / 100.0).collect();
        let above_one: Vec<f64> = positive.iter().map(|x| x + 1.0).collect();
        for e in [1e-7, 1e-3, 0.1] {
            check(&hlo::exponential::Exponential::default(), &wide, e);
            check(
                &hlo::exponential_minus_one::ExponentialMinusOne::default(),
                &wide,
                e,
            );
            check(&hlo::logistic::Logistic::default(), &wide, e);
            check(&hlo::tanh::Tanh::default(), &wide, e);
            check(&hlo::sine::Sine::default(), &wide, e);
            check(&hlo::cosine::Cosine::default(), &wide, e);
            check(&hlo::tan::Tan::default(), &wide, e);
            check(&hlo::cbrt::Cbrt::default(), &wide, e);
            check(&hlo::log::Log::default(), &positive, e);
            check(&hlo::log_plus_one::LogPlusOne::default(), &positive, e);
            check(&hlo::sqrt::Sqrt::default(), &positive, e);
            check(&hlo::rsqrt::Rsqrt::default(), &positive, e);
            check(&hlo::square::Square, &wide, e);
            check(&hlo::negate::Negate, &wide, e);
            check(&hlo::abs::Abs, &wide, e);
            check(&hlo::sign::Sign, &wide, e);
            check(&hlo::floor::Floor, &wide, e);
            check(&hlo::round_nearest_even::RoundNearestEven, &wide, e);
            check(&hlo::atan::Atan, &wide, e);
            check(&hlo::asin::Asin, &inner, e);
            check(&hlo::acos::Acos, &inner, e);
            check(&hlo::atanh::Atanh, &inner, e);
            check(&hlo::sinh::Sinh, &wide, e);
            check(&hlo::cosh::Cosh, &wide, e);
            check(&hlo::asinh::Asinh, &wide, e);
            check(&hlo::acosh::Acosh, &above_one, e);
            check(&hlo::erf::Erf, &wide, e);
            check(&hlo::erfc::Erfc, &wide, e);
            check(&hlo::erf_inv::ErfInv, &inner, e);
            check(&hlo::lgamma::Lgamma, &positive, e);
            check(&hlo::digamma::Digamma, &positive, e);
            check(&hlo::bessel_i1e::BesselI1e, &wide, e);
        }
    }

    /// As `check` for two operands of errors `ea` and `eb`, all pairs of the given values.
    fn check_two<O: OpDef>(op: &O, a: &[f64], b: &[f64], ea: f64, eb: f64) {
        let pairs: Vec<(f64, f64)> = a
            .iter()
            .flat_map(|a| b.iter().map(move |b| (*a, *b)))
            .collect();
        let side = |f: fn(&(f64, f64)) -> f64| {
            testing::tensor(ElementType::F32, &pairs.iter().map(f).collect::<Vec<_>>())
        };
        let operands = [side(|p| p.0), side(|p| p.1)];
        let (y, _) = testing::run(op, &operands);
        let values = operands.clone().map(Value::Tensor);
        let errors = [ea, eb].map(|e| Bound::absolute(vec![e; pairs.len()]));
        let bounded = [0, 1].map(|k| Bounded {
            value: &values[k],
            error: &errors[k],
        });
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext {
            planes: Planes::IeeeOnly,
            runner: &mut runner,
            events: &mut events,
        };
        let bound = op
            .bound(&bounded, &[], &[Value::Tensor(y.clone())], &mut cx)
            .expect("a bound");
        let moved = |t: &Tensor, e: f64| {
            testing::tensor(
                ElementType::F64,
                &t.to_f64s().iter().map(|x| x + e).collect::<Vec<_>>(),
            )
        };
        let mut determined = 0;
        for (s, t) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (1.0, -1.0),
            (-1.0, 1.0),
            (-1.0, -1.0),
            (0.5, 0.0),
        ] {
            let (exact, _) = testing::run(
                op,
                &[moved(&operands[0], s * ea), moved(&operands[1], t * eb)],
            );
            for (i, (exact, y)) in exact
                .as_slice::<f64>()
                .iter()
                .zip(y.to_f64s().iter())
                .enumerate()
            {
                let bound = bound[0].at(i);
                determined += usize::from(bound.is_finite());
                assert!(
                    covered(*exact, *y, bound),
                    "{} at {:?}: {exact} and {y}, bound {bound}",
                    O::NAME,
                    pairs[i]
                );
            }
        }
        assert!(
            2 * determined > pairs.len(),
            "{}: nearly nothing is determined",
            O::NAME
        );
    }

    #[test]
    fn bounds_of_two_operands_cover_every_pair_in_reach() {
        let wide: Vec<f64> = (-12..12).map(|i| f64::from(i) * 0.71 + 0.05).collect();
        let positive: Vec<f64> = (0..20).map(|i| f64::from(i) * 0.41 + 0.3).collect();
        for (ea, eb) in [(1e-6, 1e-6), (1e-3, 0.0), (0.0, 1e-3), (0.02, 0.01)] {
            check_two(&hlo::add::Add, &wide, &wide, ea, eb);
            check_two(&hlo::subtract::Subtract, &wide, &wide, ea, eb);
            check_two(&hlo::multiply::Multiply, &wide, &wide, ea, eb);
            check_two(&hlo::divide::Divide, &wide, &wide, ea, eb);
            check_two(&hlo::remainder::Remainder, &wide, &wide, ea, eb);
            check_two(&hlo::maximum::Maximum, &wide, &wide, ea, eb);
            check_two(&hlo::minimum::Minimum, &wide, &wide, ea, eb);
            check_two(&hlo::atan2::Atan2, &wide, &wide, ea, eb);
            check_two(&hlo::power::Power, &positive, &wide, ea, eb);
        }
        check_two(&hlo::power::Power, &wide, &[2.0, 3.0, 4.0], 1e-3, 0.0);
    }
}
