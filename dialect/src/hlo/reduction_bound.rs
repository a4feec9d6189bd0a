//! Error bounds of sums and other folds, in any order of evaluation (Higham, Accuracy and Stability, section 4.2).

use crate::{
    bound::{Bound, Bounded, gamma, unit_roundoff},
    eval::{EvalContext, Stop},
    hlo::{elementwise::exact_or_undetermined, shape},
    tensor::{Tensor, Value, count, row_major_strides},
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
    let (Some(body), [input, init]) = (cx.runner.single_op(0), operands) else {
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
    let u = unit_roundoff(result.element());
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
        "maximum" | "minimum" => largest(x, dimensions, |i| input.error.at(i))
            .iter()
            .map(|e| e.max(init.error.at(0)))
            .collect(),
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

/// Sum over the folded dimensions of `f(linear index)`.
pub fn folded(x: &Tensor, dimensions: &[i64], f: impl Fn(usize) -> f64) -> Vec<f64> {
    fold(x, dimensions, f, |a, b| a + b)
}

/// Largest over the folded dimensions of `f(linear index)`.
pub fn largest(x: &Tensor, dimensions: &[i64], f: impl Fn(usize) -> f64) -> Vec<f64> {
    fold(x, dimensions, f, f64::max)
}

fn fold(
    x: &Tensor,
    dimensions: &[i64],
    f: impl Fn(usize) -> f64,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let kept: Vec<usize> = (0..x.rank())
        .filter(|d| !dimensions.contains(&(*d as i64)))
        .collect();
    let kept_dims: Vec<u64> = kept.iter().map(|d| x.dims()[*d]).collect();
    let (strides, out_strides) = (row_major_strides(x.dims()), row_major_strides(&kept_dims));
    let mut out = vec![0.0; count(&kept_dims)];
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
