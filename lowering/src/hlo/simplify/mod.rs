//! `hlo-simplify`: local rewrites to fewer or cheaper ops, all keeping every bit.
//!
//! # Before
//! `%1 = hlo.negate %0` where `%0 = hlo.negate %x`.
//! # After
//! uses of `%1` are uses of `%x`.
//! # Numerics
//! BitExact, each rewrite (NaN payloads may change).
//! # Example
//! `tests/passes/hlo-simplify/`.
//! # Leaves alone
//! Whatever would change a bit: `x*0` and `x+0` of floats, `exp(a)*exp(b)`, `log(exp(x))`. Barriers. Tensors whose sizes a rule needs and the
//! program does not say.

mod arithmetic;
mod assemble;
mod broadcast;
mod constants;
mod convert;
mod logic;
mod parts;
mod reshape;
mod select;
mod slice;
mod transpose;

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{Rewriter, ValueRef},
};
use tileproof_dialect::{error::Error, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-simplify",
    input: Stage::S0,
    output: Stage::S1,
    summary: "local rewrites to fewer or cheaper ops, all keeping every bit",
    rewrites: REWRITES,
    run: Run::Rewrite(run),
};

/// THE list of rewrites, in the order they are tried.
const REWRITES: &[Rewrite] = &[
    arithmetic::MULTIPLY_ONE,
    arithmetic::DIVIDE_ONE,
    arithmetic::SUBTRACT_ZERO,
    arithmetic::ADD_NEGATIVE_ZERO,
    arithmetic::ADD_ZERO,
    arithmetic::MULTIPLY_ZERO,
    arithmetic::SUBTRACT_SELF,
    arithmetic::REMAINDER_ONE,
    arithmetic::NEGATE_NEGATE,
    arithmetic::MULTIPLY_MINUS_ONE,
    arithmetic::SUBTRACT_FROM_ZERO,
    arithmetic::ADD_NEGATE,
    arithmetic::SUBTRACT_NEGATE,
    arithmetic::MULTIPLY_NEGATES,
    arithmetic::DIVIDE_NEGATES,
    arithmetic::ABS_NEGATE,
    arithmetic::ABS_ABS,
    arithmetic::ROUND_ROUND,
    arithmetic::DIVIDE_POWER_OF_TWO,
    arithmetic::ADD_CONSTANTS,
    arithmetic::MULTIPLY_CONSTANTS,
    logic::NOT_NOT,
    logic::NOT_COMPARE,
    logic::AND_SELF,
    logic::AND_ONES,
    logic::AND_ZERO,
    logic::OR_SELF,
    logic::OR_ZERO,
    logic::OR_ONES,
    logic::XOR_SELF,
    logic::XOR_ZERO,
    logic::XOR_ONES,
    logic::SHIFT_ZERO,
    select::MAXIMUM_SELF,
    select::MINIMUM_SELF,
    select::MAXIMUM_LOWEST,
    select::MINIMUM_HIGHEST,
    select::SELECT_SAME,
    select::SELECT_CONSTANT,
    select::SELECT_NOT,
    select::SELECT_PREDICATE,
    select::SELECT_SELECT,
    select::COMPARE_SELF,
    select::COMPARE_TRUE,
    select::SORT_SINGLE,
    convert::CONVERT_IDENTITY,
    convert::CONVERT_CONVERT,
    convert::BITCAST_CONVERT_IDENTITY,
    convert::REDUCE_PRECISION_IDENTITY,
    reshape::RESHAPE_IDENTITY,
    reshape::RESHAPE_RESHAPE,
    broadcast::BROADCAST_OLD,
    broadcast::BROADCAST_IDENTITY,
    broadcast::BROADCAST_BROADCAST,
    broadcast::BROADCAST_RESHAPE,
    transpose::TRANSPOSE_IDENTITY,
    transpose::TRANSPOSE_TRANSPOSE,
    transpose::TRANSPOSE_BROADCAST,
    transpose::TRANSPOSE_RESHAPE,
    transpose::REVERSE_REVERSE,
    transpose::REVERSE_SINGLE,
    slice::SLICE_FULL,
    slice::SLICE_SLICE,
    slice::SLICE_CONCATENATE,
    slice::DYNAMIC_SLICE_FULL,
    slice::DYNAMIC_SLICE_CONSTANT,
    slice::UPDATE_FULL,
    slice::UPDATE_EMPTY,
    assemble::PAD_NOTHING,
    assemble::CONCATENATE_ONE,
    assemble::CONCATENATE_EMPTY,
    assemble::CONCATENATE_CONCATENATE,
    assemble::CONCATENATE_SLICES,
    constants::MOVED_SPLAT,
    constants::IOTA_SINGLE,
    constants::DIMENSION_SIZE,
    parts::REAL_COMPLEX,
    parts::IMAG_COMPLEX,
    parts::COMPLEX_PARTS,
    parts::CONJ_CONJ,
    parts::ELEMENT_OF_TUPLE,
    parts::TUPLE_OF_ELEMENTS,
];

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    rewriter.apply_patterns()
}

/// The operand beside the one that fits; the right one is looked at first, where constants usually stand.
fn beside<'c>(
    lhs: ValueRef<'c>,
    rhs: ValueRef<'c>,
    fits: impl Fn(ValueRef<'c>) -> bool,
) -> Option<Vec<ValueRef<'c>>> {
    if fits(rhs) {
        Some(vec![lhs])
    } else {
        fits(lhs).then(|| vec![rhs])
    }
}
