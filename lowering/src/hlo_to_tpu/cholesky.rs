//! `cholesky`: column by column on whole matrices: the column over its pivot's root, its outer product taken off what is left.

use super::{axes::Axes, elementwise::fold, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{
    error::Error,
    hlo::{self, compare::Direction},
    tensor::Tensor,
    tpu::{CombiningKind, KernelValue},
    types::ElementType,
};

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let v = site.operands[0];
    let rank = site.dims(v)?.len();
    axes.join_all(v, site.results[0]);
    axes.keep_whole(v, rank - 1);
    axes.keep_whole(v, rank - 2);
    Ok(())
}

/// Which rows (dimension 1) or columns (dimension 2) of `[batch, n, m]` are number `at`.
pub fn line(
    e: &mut Emitter<'_>,
    dims: &[u64],
    d: usize,
    at: KernelValue,
    direction: Direction,
) -> KernelValue {
    let place = e.iota(dims, d);
    let at = e.broadcast(at, dims);
    e.compare(direction, place, at)
}

/// Rows, columns or both of `[batch, n, m]` in `mask`, added up over `over`: the only element there, `[batch, .., ..]` with ones.
pub fn picked(
    e: &mut Emitter<'_>,
    mask: KernelValue,
    from: KernelValue,
    over: &[usize],
) -> KernelValue {
    let (dims, element) = (e.dims(from), e.element(from));
    let zero = Tensor::splat_f64(&[], &element, 0.0);
    let nothing = e.splat(&dims, &zero);
    let rest = e.select(mask, from, nothing);
    let mut kept = dims;
    over.iter().for_each(|d| kept[*d] = 1);
    let start = e.splat(&kept, &zero);
    fold(e, CombiningKind::Add, rest, over, start)
}

/// `v` as `[batch, n, m]` in f32.
pub fn matrices(e: &mut Emitter<'_>, v: KernelValue) -> KernelValue {
    let dims = e.dims(v);
    let rank = dims.len();
    let batch = dims[..rank - 2].iter().product();
    let v = e.shape_cast(v, &[batch, dims[rank - 2], dims[rank - 1]]);
    e.convert(v, &ElementType::F32)
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let hlo::Op::Cholesky(cholesky) = site.op else {
        return Err(site.unsupported("no cholesky"));
    };
    debug_assert_eq!(lead(site.dims(site.operands[0])?.len()), 0);
    let a = e.value(site.operands[0])?;
    let mut a = matrices(e, a);
    if !cholesky.lower {
        a = e.transpose(a, &[0, 2, 1]);
    }
    let dims = e.dims(a);
    let one = [dims[0], 1, 1];
    let zeros = e.splat(&dims, &Tensor::splat_f64(&[], &ElementType::F32, 0.0));
    let yes = e.splat(&one, &Tensor::from_i64s(&[], &ElementType::I1, &[1]));
    let out = e.repeat(dims[1], &[a, zeros, yes], |e, j, carried| {
        let (a, l, good) = (carried[0], carried[1], carried[2]);
        let is_column = line(e, &dims, 2, j, Direction::Eq);
        let column = picked(e, is_column, a, &[2]);
        let shape = e.dims(column);
        let is_pivot = line(e, &shape, 1, j, Direction::Eq);
        let pivot = picked(e, is_pivot, column, &[1]);
        let zero = e.splat(&one, &Tensor::splat_f64(&[], &ElementType::F32, 0.0));
        let positive = e.compare(Direction::Gt, pivot, zero);
        let finite = e.elementwise(hlo::is_finite::IsFinite, &[pivot], ElementType::I1);
        let both = e.elementwise(hlo::and::And, &[positive, finite], ElementType::I1);
        let good = e.elementwise(hlo::and::And, &[good, both], ElementType::I1);
        let root = e.elementwise(
            hlo::sqrt::Sqrt {
                result_accuracy: None,
            },
            &[pivot],
            ElementType::F32,
        );
        let root = e.broadcast(root, &shape);
        let below = e.elementwise(hlo::divide::Divide, &[column, root], ElementType::F32);
        let is_below = line(e, &shape, 1, j, Direction::Gt);
        let nothing = e.splat(&shape, &Tensor::splat_f64(&[], &ElementType::F32, 0.0));
        let below = e.select(is_below, below, nothing);
        let column = e.select(is_pivot, root, below);
        let spread = e.broadcast(column, &dims);
        let l = e.select(is_column, spread, l);
        let rows = e.broadcast(below, &dims);
        let columns = e.transpose(below, &[0, 2, 1]);
        let columns = e.broadcast(columns, &dims);
        let product = e.elementwise(hlo::multiply::Multiply, &[rows, columns], ElementType::F32);
        let a = e.elementwise(hlo::subtract::Subtract, &[a, product], ElementType::F32);
        Ok(vec![a, l, good])
    })?;
    let good = e.broadcast(out[2], &dims);
    let nan = e.splat(&dims, &Tensor::splat_f64(&[], &ElementType::F32, f64::NAN));
    let mut l = e.select(good, out[1], nan);
    if !cholesky.lower {
        l = e.transpose(l, &[0, 2, 1]);
    }
    let element = site.computation.element(site.results[0])?;
    let l = e.convert(l, &element);
    let block = e.block_dims(site.results[0])?;
    Ok(vec![e.shape_cast(l, &block)])
}
