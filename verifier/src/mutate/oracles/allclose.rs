//! `allclose`: `numpy.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-6)`, as most test suites of compilers write it.
//!
//! Rule (numpy.testing.assert_allclose): |got - want| <= atol + rtol * |want|; NaN equals NaN, infinities themselves. Integers are compared by the same rule.

use super::{Oracle, pairs};
use tileproof_dialect::tensor::Tensor;

pub const ORACLE: Oracle = Oracle {
    name: "allclose",
    summary: "|got - want| <= 1e-6 + 1e-3 |want|, element by element",
    accepts,
};

const RELATIVE: f64 = 1e-3;
const ABSOLUTE: f64 = 1e-6;

fn accepts(want: &Tensor, got: &Tensor) -> bool {
    pairs(want, got).all(|(w, g)| {
        w == g
            || (w.is_nan() && g.is_nan())
            || (w.is_finite() && (g - w).abs() <= ABSOLUTE + RELATIVE * w.abs())
    })
}
