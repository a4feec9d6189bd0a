//! `hlo-isolation`: how XLA's hlo_isolation_test compares an isolated module with its reference.
//!
//! Rule (openxla/xla, xla/tools/hlo_isolation: abs_error_bound 0.01, rel_error_bound 0.1 by default; xla/literal_comparison.cc, Near): a float differs when
//! |got - want| > 0.01 and |got - want| / |want| > 0.1, both; an infinity or NaN on one side only always does. Integers must be equal.

use super::{Oracle, is_exact, pairs, same_bits};
use tileproof_dialect::tensor::Tensor;

pub const ORACLE: Oracle = Oracle {
    name: "hlo-isolation",
    summary: "absolute error <= 0.01 or relative error <= 0.1, element by element",
    accepts,
};

const ABSOLUTE: f64 = 0.01;
const RELATIVE: f64 = 0.1;

fn accepts(want: &Tensor, got: &Tensor) -> bool {
    if is_exact(want) {
        return same_bits(want, got);
    }
    pairs(want, got).all(|(w, g)| {
        if w == g || (w.is_nan() && g.is_nan()) {
            return true;
        }
        let error = (g - w).abs();
        error <= ABSOLUTE || (w.is_finite() && error <= RELATIVE * w.abs())
    })
}
