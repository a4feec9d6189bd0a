//! Factors and solutions judged by what they are for: whatever ops compute it, L is a Cholesky factor of A as good as elimination gives one when L L^T is within
//! gamma |L| |L|^T of A, and X a solution of T X = B as good as substitution gives one when T X is within gamma |T| |X| of B (Higham, Accuracy and
//! Stability of Numerical Algorithms, theorems 10.3 and 8.5).
//!
//! Proves: the other side's value is backward stable for the same matrix. Cannot: say anything of one that is not; it may be a block algorithm.

use crate::{
    region::Part,
    session::{Content, Session},
};
use tileproof_dialect::{
    bound::{gamma, unit_roundoff},
    eval::Stop,
    hlo::{
        self,
        triangular_solve::{Transpose, TriangularSolve},
    },
    op::Op,
    tensor::Tensor,
};

/// Roundings of an element beyond those of a sum of n terms: XLA takes s / sqrt(s) for sqrt(s) on the diagonal.
const MORE_ROUNDINGS: usize = 3;

/// Whether one side is a factorization or solution alone and the other side's value is one too.
pub fn is_stable(
    session: &Session<'_>,
    (before, after): (&Part<'_>, &Part<'_>),
    (want, got): (&Tensor, &Tensor),
) -> Result<bool, Stop> {
    Ok(holds(session, before, got)? || holds(session, after, want)?)
}

fn holds(session: &Session<'_>, part: &Part<'_>, value: &Tensor) -> Result<bool, Stop> {
    let [id] = part.side.ops[..] else {
        return Ok(false);
    };
    let o = part.version.program.op(id);
    let tensor = |i: usize| -> Result<Option<&Tensor>, Stop> {
        let content: Option<&Content> = o.operands.get(i).and_then(|v| part.environment.get(v));
        match content {
            Some(content) => Ok(session.value(*content)?.as_tensor()),
            None => Ok(None),
        }
    };
    let Some(a) = tensor(0)? else {
        return Ok(false);
    };
    // f64 tells what rounding in a narrower type did.
    let element = a.element();
    if !element.is_float() || unit_roundoff(element) < 2f64.powi(-24) || value.element() != element
    {
        return Ok(false);
    }
    let Op::Hlo(inner) = &o.op;
    Ok(match inner {
        hlo::Op::Cholesky(c) => factors(a, value, c.lower),
        hlo::Op::TriangularSolve(solve) => match tensor(1)? {
            Some(b) => solves(a, b, value, solve),
            None => false,
        },
        _ => false,
    })
}

/// Order of the matrices in the last two dimensions.
fn order(t: &Tensor) -> usize {
    t.dims().last().map_or(0, |n| *n as usize)
}

fn factors(a: &Tensor, l: &Tensor, lower: bool) -> bool {
    let n = order(a);
    if n == 0 || a.dims() != l.dims() {
        return false;
    }
    let bound = gamma((n + MORE_ROUNDINGS) as f64, unit_roundoff(a.element()));
    let (a, l) = (a.to_f64s(), l.to_f64s());
    let at = |i: usize, j: usize| if lower { i * n + j } else { j * n + i };
    a.chunks_exact(n * n)
        .zip(l.chunks_exact(n * n))
        .all(|(a, l)| {
            (0..n).all(|i| {
                l[at(i, i)] > 0.0
                    && (0..=i).all(|j| {
                        let terms = (0..=j).map(|k| l[at(i, k)] * l[at(j, k)]);
                        near(a[at(i, j)], terms, bound)
                    })
            })
        })
}

pub(super) fn solves(a: &Tensor, b: &Tensor, x: &Tensor, solve: &TriangularSolve) -> bool {
    let n = order(a);
    let (rows, columns) = match b.dims() {
        [.., rows, columns] => (*rows as usize, *columns as usize),
        _ => return false,
    };
    if n == 0 || rows * columns == 0 || b.dims() != x.dims() {
        return false;
    }
    let bound = gamma((n + MORE_ROUNDINGS) as f64, unit_roundoff(a.element()));
    let (a, b, x) = (a.to_f64s(), b.to_f64s(), x.to_f64s());
    let transposed = solve.transpose_a != Transpose::NoTranspose;
    a.chunks_exact(n * n)
        .zip(
            b.chunks_exact(rows * columns)
                .zip(x.chunks_exact(rows * columns)),
        )
        .all(|(a, (b, x))| {
            // op(A) at (i, j).
            let matrix = |i: usize, j: usize| {
                let (i, j) = if transposed { (j, i) } else { (i, j) };
                match (i == j, (i > j) == solve.lower) {
                    (true, _) if solve.unit_diagonal => 1.0,
                    (true, _) | (false, true) => a[i * n + j],
                    (false, false) => 0.0,
                }
            };
            (0..rows).all(|r| {
                (0..columns).all(|c| {
                    let terms = (0..n).map(|k| match solve.left_side {
                        true => matrix(r, k) * x[k * columns + c],
                        false => x[r * columns + k] * matrix(k, c),
                    });
                    near(b[r * columns + c], terms, bound)
                })
            })
        })
}

/// Whether the terms add up to `want` within `bound` of the sum of their magnitudes.
fn near(want: f64, terms: impl Iterator<Item = f64>, bound: f64) -> bool {
    let (sum, magnitude) = terms.fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
    (sum - want).abs() <= bound * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::types::ElementType;

    fn t(dims: &[u64], x: &[f32]) -> Tensor {
        Tensor::from_slice(dims, ElementType::F32, x)
    }

    #[test]
    fn a_factor_off_by_an_ulp_holds_and_one_off_by_many_does_not() {
        let a = t(&[2, 2], &[4.0, 2.0, 2.0, 5.0]);
        let factor = |x: f32| factors(&a, &t(&[2, 2], &[2.0, 0.0, 1.0, x]), true);
        assert!(factor(2.0) && factor(2.0 + 2.4e-7));
        assert!(!factor(2.0001) && !factor(-2.0) && !factor(f32::NAN));
        assert!(factors(&a, &t(&[2, 2], &[2.0, 1.0, 9.0, 2.0]), false));
    }

    #[test]
    fn a_solution_is_put_into_the_system() {
        let a = t(&[2, 2], &[2.0, 7.0, 1.0, 4.0]);
        let solve = |left_side, lower, transpose_a| TriangularSolve {
            left_side,
            lower,
            unit_diagonal: false,
            transpose_a,
        };
        let b = t(&[2, 1], &[2.0, 9.0]);
        let plain = solve(true, true, Transpose::NoTranspose);
        assert!(solves(&a, &b, &t(&[2, 1], &[1.0, 2.0]), &plain));
        assert!(!solves(&a, &b, &t(&[2, 1], &[1.0, 2.001]), &plain));
        // The transpose of the lower triangle: 2 x + y = 4, 4 y = 8.
        let b = t(&[2, 1], &[4.0, 8.0]);
        assert!(solves(
            &a,
            &b,
            &t(&[2, 1], &[1.0, 2.0]),
            &solve(true, true, Transpose::Transpose)
        ));
        // From the right with the upper triangle: 2 x = 2, 7 x + 4 y = 15.
        let b = t(&[1, 2], &[2.0, 15.0]);
        assert!(solves(
            &a,
            &b,
            &t(&[1, 2], &[1.0, 2.0]),
            &solve(false, false, Transpose::NoTranspose)
        ));
    }
}
