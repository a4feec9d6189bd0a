//! Error bounds of sums and other folds, in any order of evaluation (Higham, Accuracy and Stability, section 4.2).

use crate::{
    bound::{Bound, Bounded, gamma, normal_range, unit_roundoff},
    eval::{EvalContext, Stop},
    hlo::{elementwise::exact_or_undetermined, shape},
    tensor::{Tensor, Value, count, row_major_strides},
    types::ElementType,
};

/// Bound of `reduce`: a plain sum of n terms is off by gamma_(n) * sum |term| plus the terms' own errors; a minimum or maximum by the largest error;
/// a product of n factors by ((1 + u)^n (1 + e)...) - 1 relative; other bodies are undetermined unless integer and exact.
pub fn reduce(
    dimensions: &[i64],
    operands: &[Bounded<'_>],
    values: &[Value],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Bound>, Stop> {
    let undetermined = |v: &Value| {
        v.as_tensor().map_or(Bound::Exact, |t| {
            if t.element().is_integer() {
                exact_or_undetermined(operands, t.len())
            } else {
                Bound::undetermined(t.len())
            }
        })
    };
    let (Some((body, rounding)), [input, init]) = (cx.runner.folding_op(0), operands) else {
        return Ok(values.iter().map(undetermined).collect());
    };
    let (x, result) = (input.value.as_tensor(), shape::operand(values, 0)?);
    let Some(x) = x else {
        return Ok(values.iter().map(undetermined).collect());
    };
    if !result.element().is_float() {
        return Ok(values.iter().map(undetermined).collect());
    }
    let terms = x.len() / result.len().max(1) + 1;
    // A body that rounds in between does so once a step more.
    let u = unit_roundoff(result.element()) + rounding;
    let errors = || folded(x, dimensions, |i| input.error.at(i));
    let init_value = init.value.as_tensor().map_or(0.0, |t| t.to_f64s()[0]);
    let out: Vec<f64> = match body {
        "add" => {
            let x64 = x.to_f64s();
            let magnitude = folded(x, dimensions, |i| x64[i].abs());
            // A result narrower than f32 accumulates in f32 or in its own type: the coarser bound covers both.
            let g = gamma(terms as f64, u);
            magnitude
                .iter()
                .zip(errors())
                .map(|(m, e)| g * (m + e + init_value.abs()) + e + init.error.at(0))
                .collect()
        }
        "maximum" | "minimum" if rounding == 0.0 => largest(x, dimensions, |i| input.error.at(i))
            .iter()
            .map(|e| e.max(init.error.at(0)))
            .collect(),
        "multiply" => {
            let x64 = x.to_f64s();
            let factor = |i: usize| x64[i].abs();
            // In any order partial products lie between the product of the factors below 1 and that of the others.
            let (below, above) = (
                fold(x, dimensions, |i| factor(i).min(1.0), 1.0, |a, b| a * b),
                fold(x, dimensions, |i| factor(i).max(1.0), 1.0, |a, b| a * b),
            );
            let relative = fold(
                x,
                dimensions,
                |i| 1.0 + input.error.at(i) / factor(i).max(f64::MIN_POSITIVE),
                1.0,
                |a, b| a * b,
            );
            let start = init_value.abs();
            let of_start = 1.0 + init.error.at(0) / start.max(f64::MIN_POSITIVE);
            let g = gamma(terms as f64, u);
            let are_exact = input.error.is_exact() && init.error.is_exact();
            let all = below.iter().zip(&above).zip(&relative);
            all.map(|((below, above), relative)| {
                let ends = (below * start.min(1.0), above * start.max(1.0));
                let relative = (1.0 + g) * relative * of_start - 1.0;
                product(ends, relative, are_exact, result.element())
            })
            .collect()
        }
        _ => return Ok(values.iter().map(undetermined).collect()),
    };
    let keep = result.to_f64s();
    Ok(vec![Bound::absolute(
        out.iter()
            .zip(keep.iter())
            .map(|(e, r)| {
                if r.is_finite() || *e == 0.0 {
                    *e
                } else {
                    f64::INFINITY
                }
            })
            .collect(),
    )])
}

/// Bound of a product of factors, in any order: `below` is the product of the magnitudes below 1 and `above` that of the others. Nothing is known where a
/// partial product may leave the normal range.
pub fn product(
    (below, above): (f64, f64),
    relative: f64,
    are_exact: bool,
    element: &ElementType,
) -> f64 {
    let (low, high) = normal_range(element);
    if below == 0.0 && are_exact && above < high {
        0.0
    } else if below < low || above > high {
        f64::INFINITY
    } else {
        below * above * relative
    }
}

/// Sum over the folded dimensions of `f(linear index)`.
pub fn folded(x: &Tensor, dimensions: &[i64], f: impl Fn(usize) -> f64) -> Vec<f64> {
    fold(x, dimensions, f, 0.0, |a, b| a + b)
}

/// Largest over the folded dimensions of `f(linear index)`.
pub fn largest(x: &Tensor, dimensions: &[i64], f: impl Fn(usize) -> f64) -> Vec<f64> {
    fold(x, dimensions, f, 0.0, f64::max)
}

fn fold(
    x: &Tensor,
    dimensions: &[i64],
    f: impl Fn(usize) -> f64,
    start: f64,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let kept: Vec<usize> = (0..x.rank())
        .filter(|d| !dimensions.contains(&(*d as i64)))
        .collect();
    let kept_dims: Vec<u64> = kept.iter().map(|d| x.dims()[*d]).collect();
    let (strides, out_strides) = (row_major_strides(x.dims()), row_major_strides(&kept_dims));
    let mut out = vec![start; count(&kept_dims)];
    for i in 0..x.len() {
        let at: i64 = kept
            .iter()
            .zip(&out_strides)
            .map(|(d, s)| (i as i64 / strides[*d]) % x.dims()[*d] as i64 * s)
            .sum();
        out[at as usize] = join(out[at as usize], f(i));
    }
    out
}
