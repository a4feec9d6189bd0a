//! `sum-only`: only the sum of all elements is looked at, as smoke tests and training losses do (`f(x).sum()` against a stored number).
//!
//! Rule: numpy's allclose with its defaults (rtol 1e-5, atol 1e-8) on the two sums.

use super::{Oracle, numbers};
use tileproof_dialect::tensor::Tensor;

pub const ORACLE: Oracle = Oracle {
    name: "sum-only",
    summary: "the sums of all elements within 1e-5",
    accepts,
};

fn accepts(want: &Tensor, got: &Tensor) -> bool {
    let sum = |t: &Tensor| numbers(t).iter().sum::<f64>();
    let (w, g) = (sum(want), sum(got));
    w == g || (w.is_nan() && g.is_nan()) || (w.is_finite() && (g - w).abs() <= 1e-8 + 1e-5 * w.abs())
}
