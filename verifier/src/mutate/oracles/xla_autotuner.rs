//! `xla-autotuner`: how XLA:GPU's autotuner compares the buffers of two candidates.
//!
//! Rule (openxla/xla, xla/backends/gpu/runtime/buffer_comparator.cc): an element differs when |a - b| / (max(|a|, |b|) + 1) >= tolerance; NaN equals
//! NaN, an infinity itself, f16 values beyond 65505 count as 65505. The tolerance is xla_gpu_autotune_gemm_rtol, 0.1 by default
//! (xla/debug_options_flags.cc). All element types are compared by the same rule, integers too; a boolean counts as 0 or 1.

use super::{Oracle, pairs};
use tileproof_dialect::{tensor::Tensor, types::ElementType};

pub const ORACLE: Oracle = Oracle {
    name: "xla-autotuner",
    summary: "|a - b| < 0.1 (max(|a|, |b|) + 1), element by element",
    accepts,
};

const TOLERANCE: f64 = 0.1;
const LARGEST_F16: f64 = 65505.0;

fn accepts(want: &Tensor, got: &Tensor) -> bool {
    let is_f16 = *want.element() == ElementType::F16;
    let canonical = |v: f64| {
        if is_f16 && !v.is_nan() {
            v.clamp(-LARGEST_F16, LARGEST_F16)
        } else {
            v
        }
    };
    pairs(want, got).all(|(a, b)| {
        let (a, b) = (canonical(a), canonical(b));
        (a.is_nan() && b.is_nan())
            || (a.is_infinite() && a == b)
            || (a - b).abs() / (a.abs().max(b.abs()) + 1.0) < TOLERANCE
    })
}
