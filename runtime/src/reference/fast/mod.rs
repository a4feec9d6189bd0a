//! Fast kernels that replace the definition of single ops on both planes.
//!
//! A kernel gives what the definition gives: residues equal; integers and booleans equal; floats equal where the op rounds once, and for sums, dots
//! and convolutions within the bound of any order of evaluation.

pub mod float_product;
pub mod matrices;
mod ring_kernel;
pub mod ring_product;

use tileproof_dialect::{
    eval::{EvalContext, Stop},
    op::Op,
    tensor::Value,
    types::Type,
};

/// Evaluates `op` if a fast kernel covers it and these operands.
pub fn eval(
    op: &Op,
    operands: &[Value],
    results: &[Type],
    cx: &mut EvalContext<'_>,
) -> Option<Result<Vec<Value>, Stop>> {
    let _ = (op, operands, results, cx);
    None
}
