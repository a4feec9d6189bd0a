//! `triangular_solve`: substitution row by row on whole matrices: a row of the solution, then its part taken off the rows that are left.

use super::{
    axes::Axes,
    cholesky::{line, matrices, picked},
    emitter::Emitter,
    form::Site,
};
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        compare::Direction,
        triangular_solve::{Transpose, TriangularSolve},
    },
    tensor::Tensor,
    tpu::KernelValue,
    types::ElementType,
};

fn solve<'a>(site: &Site<'a>) -> Result<&'a TriangularSolve, Error> {
    match site.op {
        hlo::Op::TriangularSolve(s) => Ok(s),
        _ => Err(site.unsupported("no triangular_solve")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let (a, b, x) = (site.operands[0], site.operands[1], site.results[0]);
    let rank = site.dims(a)?.len();
    axes.join_all(b, x);
    (0..rank - 2).for_each(|d| axes.join((a, d), (b, d)));
    axes.keep_whole(a, rank - 1);
    axes.keep_whole(a, rank - 2);
    let solved = if solve(site)?.left_side {
        rank - 2
    } else {
        rank - 1
    };
    axes.keep_whole(b, solved);
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let s = solve(site)?;
    let a = e.value(site.operands[0])?;
    let mut a = matrices(e, a);
    let b = e.value(site.operands[1])?;
    let mut b = matrices(e, b);
    let mut is_transposed = s.transpose_a != Transpose::NoTranspose;
    if !s.left_side {
        // X op(A) = B is op(A)^T X^T = B^T.
        is_transposed = !is_transposed;
        b = e.transpose(b, &[0, 2, 1]);
    }
    if is_transposed {
        a = e.transpose(a, &[0, 2, 1]);
    }
    let is_lower = s.lower != is_transposed;
    let (square, wide) = (e.dims(a), e.dims(b));
    let zeros = e.splat(&wide, &Tensor::splat_f64(&[], &ElementType::F32, 0.0));
    let out = e.repeat(square[1], &[b, zeros], |e, i, carried| {
        let (b, x) = (carried[0], carried[1]);
        let j = if is_lower {
            i
        } else {
            let last = e.b.i32(square[1] as i64 - 1);
            e.elementwise(hlo::subtract::Subtract, &[last, i], ElementType::I32)
        };
        let is_row = line(e, &wide, 1, j, Direction::Eq);
        let mut row = picked(e, is_row, b, &[1]);
        let is_column = line(e, &square, 2, j, Direction::Eq);
        let column = picked(e, is_column, a, &[2]);
        let shape = e.dims(column);
        if !s.unit_diagonal {
            let is_diagonal = line(e, &shape, 1, j, Direction::Eq);
            let diagonal = picked(e, is_diagonal, column, &[1]);
            let to = e.dims(row);
            let diagonal = e.broadcast(diagonal, &to);
            row = e.elementwise(hlo::divide::Divide, &[row, diagonal], ElementType::F32);
        }
        let row = e.broadcast(row, &wide);
        let x = e.select(is_row, row, x);
        let rest = if is_lower {
            Direction::Gt
        } else {
            Direction::Lt
        };
        let is_left = line(e, &shape, 1, j, rest);
        let is_left = e.broadcast(is_left, &wide);
        let column = e.broadcast(column, &wide);
        let product = e.elementwise(hlo::multiply::Multiply, &[column, row], ElementType::F32);
        let less = e.elementwise(hlo::subtract::Subtract, &[b, product], ElementType::F32);
        Ok(vec![e.select(is_left, less, b), x])
    })?;
    let mut x = out[1];
    if !s.left_side {
        x = e.transpose(x, &[0, 2, 1]);
    }
    let element = site.computation.element(site.results[0])?;
    let x = e.convert(x, &element);
    let block = e.block_dims(site.results[0])?;
    Ok(vec![e.shape_cast(x, &block)])
}
