//! `root-mean-square`: one number for the whole tensor, as `migraphx-driver verify` compares outputs.
//!
//! Rule (AMD MIGraphX, model validation: --rms-tol 0.001 by default; migraphx::verify::rms_range): sqrt(sum (got - want)^2 / n) divided by the
//! largest magnitude of either tensor must not exceed 0.001. A NaN or infinity on one side only is refused.

use super::{Oracle, numbers};
use tileproof_dialect::tensor::Tensor;

pub const ORACLE: Oracle = Oracle {
    name: "root-mean-square",
    summary: "root mean square of the errors <= 0.001 of the largest magnitude, whole tensor",
    accepts,
};

const TOLERANCE: f64 = 1e-3;

fn accepts(want: &Tensor, got: &Tensor) -> bool {
    let (want, got) = (numbers(want), numbers(got));
    let (mut squares, mut largest) = (0.0, f64::MIN_POSITIVE);
    for (w, g) in want.iter().zip(&got) {
        if w == g || (w.is_nan() && g.is_nan()) {
            largest = f64::max(largest, if w.is_finite() { w.abs() } else { 0.0 });
            continue;
        }
        if !w.is_finite() || !g.is_finite() {
            return false;
        }
        squares += (g - w) * (g - w);
        largest = largest.max(w.abs()).max(g.abs());
    }
    let n = want.len().max(1) as f64;
    (squares / n).sqrt() <= TOLERANCE * largest
}
