//! `hlo-expand`: ops that are short for others, written out. The example of CONTRIBUTING.md: copy this file for a new pass.
//!
//! # Before
//! `%1 = hlo.square %0`.
//! # After
//! `%1 = hlo.multiply %0, %0`.
//! # Numerics
//! BitExact: a square is defined as that product.
//! # Example
//! `tests/passes/hlo-expand/`.
//! # Leaves alone
//! Squares of complex numbers, whose product rounds each part once more.

use crate::{
    pass::{Pass, Rewrite},
    rewrite::{OpRef, Rewriter, ValueRef},
    values,
};
use tileproof_dialect::{
    hlo::multiply::Multiply, mlir::views::hlo, numerics::Numerics, stage::Stage,
};

pub static PASS: Pass = Pass {
    name: "hlo-expand",
    input: Stage::S0,
    output: Stage::S1,
    summary: "ops that are short for others, written out",
    rewrites: &[SQUARE],
    run: |rewriter| rewriter.apply_patterns(),
};

/// One rounding of the same product: BitExact.
const SQUARE: Rewrite = Rewrite {
    name: "square",
    equation: "square(x)  ->  x * x  (not complex)",
    numerics: Numerics::bit_exact,
    pattern: Some(square),
};

fn square<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let x = hlo::SquareOp::cast(op)?.operand();
    let is_complex = values::tensor_type(rewriter, x)?.element.is_complex();
    (!is_complex).then(|| rewriter.create(Multiply, &[x, x], &[]))?
}
