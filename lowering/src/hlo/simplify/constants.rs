//! Rewrites to constants. No value is computed here: elements are copied, or are zero or a size. All BitExact.

use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef},
    values,
};
use tileproof_dialect::{
    mlir::views::hlo,
    numerics::Numerics,
    tensor::Tensor,
    types::{Class, ElementType},
};

/// Where all elements are alike, moving them changes nothing: BitExact.
pub const MOVED_SPLAT: Rewrite = Rewrite {
    name: "moved-splat",
    equation: "f(constant c..c)  ->  constant c..c  for f of broadcast_in_dim, reshape, transpose, slice, reverse",
    numerics: Numerics::bit_exact,
    pattern: Some(moved_splat),
};

fn moved_splat<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let broadcast = hlo::BroadcastInDimOp::cast(op).map(|op| (op.operand(), op.result()));
    let reshape = || hlo::ReshapeOp::cast(op).map(|op| (op.operand(), op.result()));
    let transpose = || hlo::TransposeOp::cast(op).map(|op| (op.operand(), op.result()));
    let slice = || hlo::SliceOp::cast(op).map(|op| (op.operand(), op.result()));
    let reverse = || hlo::ReverseOp::cast(op).map(|op| (op.operand(), op.result()));
    let moved = broadcast
        .or_else(reshape)
        .or_else(transpose)
        .or_else(slice)
        .or_else(reverse);
    let (operand, result) = moved?;
    if values::class(rewriter, operand)? == Class::Quantized {
        return None;
    }
    let one = values::splat(rewriter, operand)?;
    let constant = values::constant_of(&*values::tensor_type(rewriter, result)?, &one)?;
    rewriter.create(constant, &[], &[])
}

/// The only index is 0: BitExact.
pub const IOTA_SINGLE: Rewrite = Rewrite {
    name: "iota-single",
    equation: "iota(dimension of size 1)  ->  constant 0..0",
    numerics: Numerics::bit_exact,
    pattern: Some(iota_single),
};

fn iota_single<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::IotaOp::cast(op)?;
    let ty = values::tensor_type(rewriter, op.result())?;
    let sizes = values::sizes(rewriter, op.result())?;
    if *sizes.get(usize::try_from(op.iota_dimension()?).ok()?)? != 1 {
        return None;
    }
    // Not every narrow float type has a zero.
    let zero = match ty.element {
        ElementType::BF16 | ElementType::F16 | ElementType::F32 | ElementType::F64 => {
            Tensor::from_f64s(&[], &ty.element, &[0.0])
        }
        _ if ty.element.is_integer() => Tensor::from_i64s(&[], &ty.element, &[0]),
        _ => return None,
    };
    rewriter.create(values::constant_of(&ty, &zero)?, &[], &[])
}

/// BitExact.
pub const DIMENSION_SIZE: Rewrite = Rewrite {
    name: "dimension-size",
    equation: "get_dimension_size(x, d)  ->  constant  where the type says the size",
    numerics: Numerics::bit_exact,
    pattern: Some(dimension_size),
};

fn dimension_size<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::GetDimensionSizeOp::cast(op)?;
    let sizes = values::sizes(rewriter, op.operand())?;
    let size = *sizes.get(usize::try_from(op.dimension()?).ok()?)?;
    i32::try_from(size).ok()?;
    values::integer_like(rewriter, op.result(), size)
}
