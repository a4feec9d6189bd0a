//! Values as pairs of members: halves of integers, low first, or parts of complex numbers.

use crate::{
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use melior::ir::operation::OperationLike;
use std::sync::Arc;
use tileproof_dialect::{
    hlo::{
        bitcast_convert::BitcastConvert, complex::Complex, concatenate::Concatenate, imag::Imag,
        real::Real, reshape::Reshape, slice::Slice,
    },
    mlir::views::hlo,
    tensor::Tensor,
    types::{ElementType, TensorType, Type},
};

/// What is split, and into what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wide {
    Signed,
    Unsigned,
    Complex,
}

impl Wide {
    /// How values of this type are split; none for types that are not, for dynamic sizes and empty tensors.
    pub fn of(ty: &TensorType) -> Option<Wide> {
        ty.elements().filter(|n| *n > 0)?;
        let all = [
            (ElementType::I64, Wide::Signed),
            (ElementType::U64, Wide::Unsigned),
            (ElementType::C64, Wide::Complex),
        ];
        all.into_iter()
            .find(|(e, _)| *e == ty.element)
            .map(|(_, wide)| wide)
    }

    pub fn is_integer(self) -> bool {
        self != Wide::Complex
    }

    pub fn member(self) -> ElementType {
        match self {
            Wide::Signed | Wide::Unsigned => ElementType::U32,
            Wide::Complex => ElementType::F32,
        }
    }
}

/// Whether `op` is one of these ops; costs less than reading it.
pub fn is_named(op: OpRef<'_>, names: &[&str]) -> bool {
    let name = op.name();
    let name = name.as_string_ref();
    let name = name
        .as_str()
        .ok()
        .and_then(|name| name.strip_prefix("hlo."));
    name.is_some_and(|name| names.contains(&name))
}

/// The type of `v` where it is split.
pub fn wide<'c>(rewriter: &Rewriter<'c>, v: ValueRef<'c>) -> Option<(Wide, Arc<TensorType>)> {
    let ty = values::tensor_type(rewriter, v)?;
    Some((Wide::of(&ty)?, ty))
}

/// The members of `v`.
pub fn split<'c>(rewriter: &mut Rewriter<'c>, v: ValueRef<'c>) -> Option<[ValueRef<'c>; 2]> {
    let (kind, ty) = wide(rewriter, v)?;
    if kind == Wide::Complex {
        if let Some(whole) = definition(v).and_then(hlo::ComplexOp::cast) {
            return Some([whole.lhs(), whole.rhs()]);
        }
        return Some([
            rewriter.create_one(Real, &[v], &[])?,
            rewriter.create_one(Imag, &[v], &[])?,
        ]);
    }
    if let Some(members) = joined(v)
        && members.iter().all(|m| {
            values::tensor_type(rewriter, *m)
                .is_some_and(|t| *t == ty.with_element(ElementType::U32))
        })
    {
        return Some(members);
    }
    if let Some(n) = values::splat_integer(rewriter, v) {
        return Some([
            splat(rewriter, &ty, n as u32)?,
            splat(rewriter, &ty, (n >> 32) as u32)?,
        ]);
    }
    let dims = ty.static_dims()?;
    let rank = dims.len();
    let pairs = Type::tensor(dims.iter().copied().chain([2]), ElementType::U32);
    let both = rewriter.create_one(BitcastConvert, &[v], &[pairs])?;
    let member = Type::tensor(dims.iter().copied(), ElementType::U32);
    let mut out = vec![];
    for half in 0..2 {
        let mut start_indices = vec![0; rank];
        start_indices.push(half);
        let mut limit_indices: Vec<i64> = dims.iter().map(|n| *n as i64).collect();
        limit_indices.push(half + 1);
        let slice = Slice {
            start_indices,
            limit_indices,
            strides: vec![1; rank + 1],
        };
        let one = rewriter.create_one(slice, &[both], &[])?;
        out.push(rewriter.create_one(Reshape, &[one], std::slice::from_ref(&member))?);
    }
    Some([out[0], out[1]])
}

/// The members that [`join`] put together.
fn joined(v: ValueRef<'_>) -> Option<[ValueRef<'_>; 2]> {
    let whole = hlo::BitcastConvertOp::cast(definition(v)?)?.operand();
    let both = hlo::ConcatenateOp::cast(definition(whole)?)?.inputs();
    match both.as_slice() {
        [low, high] => {
            let low = hlo::ReshapeOp::cast(definition(*low)?)?.operand();
            Some([low, hlo::ReshapeOp::cast(definition(*high)?)?.operand()])
        }
        _ => None,
    }
}

/// The value of type `ty` with these members.
pub fn join<'c>(
    rewriter: &mut Rewriter<'c>,
    ty: &TensorType,
    members: [ValueRef<'c>; 2],
) -> Option<ValueRef<'c>> {
    if ty.element == ElementType::C64 {
        return rewriter.create_one(Complex, &members, &[]);
    }
    let dims = ty.static_dims()?;
    let one = Type::tensor(dims.iter().copied().chain([1]), ElementType::U32);
    let low = rewriter.create_one(Reshape, &[members[0]], std::slice::from_ref(&one))?;
    let high = rewriter.create_one(Reshape, &[members[1]], &[one])?;
    let both = rewriter.create_one(
        Concatenate {
            dimension: dims.len() as i64,
        },
        &[low, high],
        &[],
    )?;
    rewriter.create_one(BitcastConvert, &[both], &[ty.clone().into()])
}

/// A ui32 in every element of a tensor of the sizes of `ty`.
pub fn splat<'c>(rewriter: &mut Rewriter<'c>, ty: &TensorType, n: u32) -> Option<ValueRef<'c>> {
    let member = ty.with_element(ElementType::U32);
    let one = Tensor::from_i64s(&[], &ElementType::U32, &[i64::from(n)]);
    let constant = values::constant_of(&member, &one)?;
    rewriter.create_one(constant, &[], &[])
}
