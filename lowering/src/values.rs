//! What a rewrite can know of a value: its sizes, and whether all its elements are one constant.

use crate::rewrite::{OpRef, Rewriter, ValueRef, definition};
use melior::ir::attribute::AttributeLike;
use std::sync::Arc;
use tileproof_dialect::{
    hlo::{self, constant::Constant},
    literal::Literal,
    mlir::views,
    tensor::Tensor,
    types::{Class, TensorType, Type},
};

/// The type of a tensor.
pub fn tensor_type(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Arc<TensorType>> {
    rewriter.ty(value)?.as_tensor().cloned()
}

/// The sizes of a tensor, when all are static.
pub fn sizes(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Vec<i64>> {
    let dims = tensor_type(rewriter, value)?.static_dims()?;
    dims.into_iter().map(|n| i64::try_from(n).ok()).collect()
}

/// What arithmetic the elements of a tensor have.
pub fn class(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Class> {
    Some(tensor_type(rewriter, value)?.element.class())
}

/// Whether the elements are integers or booleans.
pub fn is_integer(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> bool {
    tensor_type(rewriter, value).is_some_and(|t| t.element.is_integer())
}

/// The literal of a constant that is small or one value repeated. Larger ones are not read: their bytes would be hashed anew at every look.
pub fn literal(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Literal> {
    let constant = views::hlo::ConstantOp::cast(definition(value)?)?;
    if !constant.value()?.is_dense_elements() {
        return None;
    }
    let hlo::Op::Constant(constant) = rewriter.read(constant.operation())? else {
        return None;
    };
    Some(constant.value)
}

/// The value that all elements of a constant have, as a tensor of rank 0; seen through broadcasts and reshapes.
pub fn splat(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Tensor> {
    let mut value = value;
    while let Some(operand) = repeated(definition(value)?) {
        value = operand;
    }
    literal(rewriter, value)?.splat_value()
}

/// The operand of an op whose result has no other elements than its operand.
fn repeated(op: OpRef<'_>) -> Option<ValueRef<'_>> {
    let broadcast_in_dim = views::hlo::BroadcastInDimOp::cast(op).map(|op| op.operand());
    let broadcast = || views::hlo::BroadcastOp::cast(op).map(|op| op.operand());
    let reshape = || views::hlo::ReshapeOp::cast(op).map(|op| op.operand());
    broadcast_in_dim.or_else(broadcast).or_else(reshape)
}

/// [`splat`] of integers and booleans. Unsigned 64-bit numbers wrap.
pub fn splat_integer(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<i64> {
    let one = splat(rewriter, value).filter(|one| one.element().is_integer())?;
    one.to_i64s().first().copied()
}

/// [`splat`] of floats.
pub fn splat_float(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<f64> {
    let one = splat(rewriter, value).filter(|one| one.element().is_float())?;
    one.to_f64s().first().copied()
}

/// Whether all elements are the number `n`, real.
pub fn is_number(rewriter: &Rewriter<'_>, value: ValueRef<'_>, n: i64) -> bool {
    is_integer_number(rewriter, value, n) || splat_float(rewriter, value) == Some(n as f64)
}

/// Whether all elements are the integer `n`.
pub fn is_integer_number(rewriter: &Rewriter<'_>, value: ValueRef<'_>, n: i64) -> bool {
    splat_integer(rewriter, value) == Some(n)
}

/// Whether all elements are the float `x`, the sign of zero included.
pub fn is_exactly(rewriter: &Rewriter<'_>, value: ValueRef<'_>, x: f64) -> bool {
    splat_float(rewriter, value).is_some_and(|v| v.to_bits() == x.to_bits())
}

/// Whether every bit of every element is set: -1, the largest unsigned number, true.
pub fn is_all_ones(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> bool {
    let Some(one) = splat(rewriter, value).filter(|one| one.element().is_integer()) else {
        return false;
    };
    let mask = u64::MAX >> 64u32.saturating_sub(one.element().bits());
    one.to_i64s()
        .first()
        .is_some_and(|v| *v as u64 & mask == mask)
}

/// A constant of type `ty` with `one`, of rank 0, in every element. None for dynamic sizes and for no elements.
pub fn constant_of(ty: &TensorType, one: &Tensor) -> Option<Constant> {
    ty.elements().filter(|n| *n > 0)?;
    let value = Literal::new(ty.static_dims()?, ty.element.clone(), one.ieee().clone())?;
    Some(Constant { value })
}

/// A constant of the type of `like` with the integer `n` in every element.
pub fn integer_like<'c>(
    rewriter: &mut Rewriter<'c>,
    like: ValueRef<'c>,
    n: i64,
) -> Option<Vec<ValueRef<'c>>> {
    let ty = tensor_type(rewriter, like)?;
    let constant = constant_of(&ty, &Tensor::from_i64s(&[], &ty.element, &[n]))?;
    rewriter.create(constant, &[], &[])
}

/// The type of `value` in a list, for ops whose result type is declared.
pub fn declared(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Vec<Type>> {
    Some(vec![rewriter.ty(value)?])
}
