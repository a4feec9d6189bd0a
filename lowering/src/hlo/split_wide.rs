//! `hlo-split-wide`: 64-bit integers and complex numbers as pairs of 32-bit values, where kernels compute on no wider ones.
//!
//! # Before
//! `%1 = hlo.add %a, %b : tensor<4xi64>`; `%1 = hlo.subtract %a, %b : tensor<4xcomplex<f32>>`.
//! # After
//! The halves of `%a` and `%b` as ui32 (low half first), their sum with a carry, and the halves put together by `hlo.bitcast_convert`; the parts of the
//! complex numbers, and `hlo.complex` of the results. An op that takes a pair this pass made takes its members: between split ops nothing is put together.
//! # Numerics
//! BitExact: integers wrap at 64 bits as before; a sum of complex numbers is the sum of the parts, each rounded once.
//! # Example
//! `tests/passes/hlo-split-wide/`.
//! # Leaves alone
//! f64 and complex<f64>, which stay library calls. Products, quotients and functions of complex numbers, whose parts are rounded once. Division, remainder,
//! population counts, conversions to and from floats of 64-bit integers; indices; what loops and functions carry; dynamic sizes; empty tensors.

mod complexes;
mod integers;
mod movement;
mod pairs;

use crate::{
    pass::{Pass, Pattern, Rewrite, Run},
    rewrite::Rewriter,
};
use melior::ir::{Value, operation::OperationLike};
use tileproof_dialect::{error::Error, numerics::Numerics, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-split-wide",
    input: Stage::S0,
    output: Stage::S1,
    summary: "64-bit integers and complex numbers as pairs of 32-bit values",
    rewrites: &[
        rewrite(
            "add",
            "a + b  ->  (l, ha + hb + [l < la]),  l = la + lb",
            integers::add,
        ),
        rewrite(
            "subtract",
            "a - b  ->  (la - lb, ha - hb - [la < lb])",
            integers::subtract,
        ),
        rewrite("negate", "-a  ->  0 - a", integers::negate),
        rewrite(
            "multiply",
            "a * b  ->  (la lb, high(la lb) + la hb + ha lb)",
            integers::multiply,
        ),
        rewrite(
            "bitwise",
            "a & b, a | b, a ^ b, ~a  ->  the same of the halves",
            integers::bitwise,
        ),
        rewrite(
            "shift",
            "a << n, a >> n  ->  shifts of the halves, and what goes from one to the other",
            integers::shift,
        ),
        rewrite(
            "compare",
            "a < b  ->  ha < hb or ha = hb and la < lb",
            integers::compare,
        ),
        rewrite(
            "choose",
            "max(a, b), min(a, b)  ->  select(a > b, ..)",
            integers::choose,
        ),
        rewrite(
            "convert",
            "widening: (a, sign); narrowing: the low half",
            integers::convert,
        ),
        rewrite("iota", "iota  ->  (iota, 0)", integers::iota),
        rewrite(
            "complex-sum",
            "z + w, z - w, -z, conj(z)  ->  the same of the parts",
            complexes::sum,
        ),
        rewrite(
            "complex-compare",
            "z = w  ->  re z = re w and im z = im w",
            complexes::compare,
        ),
        rewrite(
            "movement",
            "reshape, slice, select, ... of pairs  ->  of each member",
            movement::movement,
        ),
    ],
    run: Run::Rewrite(run),
};

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    // Most programs have nothing to split.
    let is_wide = |v| pairs::wide(rewriter, v).is_some();
    let ops = rewriter.ops();
    let found = ops
        .iter()
        .any(|op| op.operands().any(is_wide) || op.results().any(|r| is_wide(Value::from(r))));
    if found {
        rewriter.apply_patterns()
    } else {
        Ok(())
    }
}

/// Halves of integers wrap and carry as the whole; sums of parts are rounded once: BitExact.
const fn rewrite(name: &'static str, equation: &'static str, pattern: Pattern) -> Rewrite {
    Rewrite {
        name,
        equation,
        numerics: Numerics::bit_exact,
        pattern: Some(pattern),
    }
}
