//! `dot_general` as strided matrix products: no operand is transposed in memory where its dimensions allow.

use super::{
    contraction::{Side, contract},
    matrices::Sizes,
};
use tileproof_dialect::{
    hlo::dot_general::{Canonical, DotGeneral},
    planes::Planes,
    tensor::{Tensor, row_major_strides},
    types::{ElementType, Type},
};

/// The result, or none where the definition must do it: options that change the sums, element types without a fast product, sizes that do not fit.
pub fn eval(
    op: &DotGeneral,
    lhs: &Tensor,
    rhs: &Tensor,
    results: &[Type],
    planes: Planes,
) -> Option<Tensor> {
    let element: &ElementType = results
        .first()
        .and_then(Type::as_tensor)
        .map_or(lhs.element(), |t| &t.element);
    if op.algorithm.is_some() {
        return None;
    }
    let canonical = op.canonical(lhs.dims(), rhs.dims())?;
    let Canonical { batch, m, n, k, .. } = canonical;
    let batching = op.lhs_batching_dimensions.len();
    let contracting = op.lhs_contracting_dimensions.len();
    let (mut moved_lhs, mut moved_rhs) = (None, None);
    let left = side(lhs, &canonical.lhs_order, batching, contracting)
        .unwrap_or_else(|| Side::row_major(moved_lhs.insert(canonical.lhs(lhs)), m, k));
    let right = side(rhs, &canonical.rhs_order, batching, contracting)
        .unwrap_or_else(|| Side::row_major(moved_rhs.insert(canonical.rhs(rhs)), n, k));
    let out = contract(left, right, Sizes { batch, m, n, k }, element, planes)?;
    Some(out.reshaped(&canonical.result_dims))
}

/// The operand in place, if its batching, kept and contracted dimensions each form one stride.
fn side<'a>(
    t: &'a Tensor,
    order: &[usize],
    batching: usize,
    contracting: usize,
) -> Option<Side<'a>> {
    let strides = row_major_strides(t.dims());
    let (batch, rest) = order.split_at_checked(batching)?;
    let (kept, contracted) = rest.split_at_checked(rest.len().checked_sub(contracting)?)?;
    let stride = |group: &[usize]| one_stride(t.dims(), &strides, group);
    Some(Side {
        tensor: t,
        batch_stride: stride(batch)?,
        row_stride: stride(kept)?,
        column_stride: stride(contracted)?,
    })
}

/// The stride of several dimensions taken as one, outermost first; 1 where they hold one element.
fn one_stride(dims: &[u64], strides: &[i64], group: &[usize]) -> Option<usize> {
    let mut real = group.iter().filter(|d| dims[**d] != 1).rev();
    let Some(last) = real.next() else {
        return Some(1);
    };
    let mut covered = strides[*last] * dims[*last] as i64;
    for d in real {
        if strides[*d] != covered {
            return None;
        }
        covered *= dims[*d] as i64;
    }
    usize::try_from(strides[*last]).ok()
}
