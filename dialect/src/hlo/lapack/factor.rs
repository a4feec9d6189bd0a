//! Factorizations: Cholesky, LU, QR with and without pivots, and products with the factor Q.

use super::{
    matrix::{Matrix, Scalar},
    reflector::larfg,
};

/// The factor in one triangle, the other left as it is; info k: the leading minor of order k is not positive.
pub fn cholesky<S: Scalar>(a: &Matrix<S>, lower: bool) -> (Matrix<S>, f64) {
    let mut l = if lower { a.clone() } else { a.adjoint() };
    let n = l.rows;
    let mut info = 0.0;
    'columns: for j in 0..n {
        let square = (0..j).fold(l.at(j, j).re(), |s, k| {
            s - (l.at(j, k) * l.at(j, k).conj()).re()
        });
        if square <= 0.0 || square.is_nan() {
            info = (j + 1) as f64;
            break 'columns;
        }
        let d = S::real(square.sqrt());
        l.set(j, j, d);
        for i in j + 1..n {
            let sum = (0..j).fold(l.at(i, j), |s, k| s - l.at(i, k) * l.at(j, k).conj());
            l.set(i, j, sum / d);
        }
    }
    (if lower { l } else { l.adjoint() }, info)
}

/// P A = L U with the largest element of each column as pivot (the first of equals); pivots count from 1.
pub fn lu<S: Scalar>(a: &Matrix<S>) -> (Matrix<S>, Vec<f64>, f64) {
    let mut a = a.clone();
    let (mut pivots, mut info) = (vec![], 0.0);
    for j in 0..a.rows.min(a.columns) {
        let mut p = j;
        for i in j + 1..a.rows {
            if a.at(i, j).pivot_size() > a.at(p, j).pivot_size() {
                p = i;
            }
        }
        pivots.push((p + 1) as f64);
        if a.at(p, j) == S::real(0.0) {
            info = if info == 0.0 { (j + 1) as f64 } else { info };
            continue;
        }
        for c in 0..a.columns {
            let (x, y) = (a.at(j, c), a.at(p, c));
            a.set(j, c, y);
            a.set(p, c, x);
        }
        for i in j + 1..a.rows {
            let factor = a.at(i, j) / a.at(j, j);
            a.set(i, j, factor);
            for c in j + 1..a.columns {
                a.set(i, c, a.at(i, c) - factor * a.at(j, c));
            }
        }
    }
    (a, pivots, info)
}

/// Turns column `j` into one of R and stores the reflector below it; its tau.
fn reflect<S: Scalar>(a: &mut Matrix<S>, j: usize) -> S {
    let column: Vec<S> = (j..a.rows).map(|i| a.at(i, j)).collect();
    let h = larfg(&column);
    for c in j + 1..a.columns {
        let inner =
            (h.v.iter().enumerate()).fold(S::real(0.0), |s, (k, v)| s + v.conj() * a.at(j + k, c));
        let inner = h.tau.conj() * inner;
        for (k, v) in h.v.iter().enumerate() {
            a.set(j + k, c, a.at(j + k, c) - inner * *v);
        }
    }
    (j + 1..a.rows).for_each(|i| a.set(i, j, h.v[i - j]));
    a.set(j, j, S::real(h.beta));
    h.tau
}

/// R in the upper triangle, reflectors I - tau v v* below it with v = 1 on the diagonal; the diagonal of R is real, of the sign opposite to the real
/// part of what it replaces.
pub fn qr<S: Scalar>(a: &Matrix<S>) -> (Matrix<S>, Vec<S>) {
    let mut a = a.clone();
    let taus = (0..a.rows.min(a.columns))
        .map(|j| reflect(&mut a, j))
        .collect();
    (a, taus)
}

/// QR of the matrix with its columns exchanged so that each step takes the longest remaining one; the numbers of the columns, from 1, and the taus.
pub fn qr_with_pivots<S: Scalar>(a: &Matrix<S>) -> (Matrix<S>, Vec<f64>, Vec<S>) {
    let mut a = a.clone();
    let mut order: Vec<usize> = (0..a.columns).collect();
    let mut taus = vec![];
    for j in 0..a.rows.min(a.columns) {
        let length = |a: &Matrix<S>, c: usize| {
            (j..a.rows).fold(0.0f64, |s, i| s.hypot(a.at(i, c).modulus()))
        };
        let mut longest = j;
        for c in j + 1..a.columns {
            // Lengths that rounding alone tells apart are equal: the first column of equals is taken.
            if length(&a, c) > length(&a, longest) * (1.0 + 8.0 * f64::EPSILON) {
                longest = c;
            }
        }
        a.swap_columns(j, longest);
        order.swap(j, longest);
        taus.push(reflect(&mut a, j));
    }
    (a, order.iter().map(|c| (c + 1) as f64).collect(), taus)
}

/// The first columns of the product of the reflectors below the diagonal.
pub fn qr_orthogonal<S: Scalar>(a: &Matrix<S>, taus: &[S]) -> Matrix<S> {
    let mut q = Matrix::zeros(a.rows, a.columns);
    (0..a.rows.min(a.columns)).for_each(|i| q.set(i, i, S::real(1.0)));
    for j in (0..taus.len().min(a.columns)).rev() {
        apply(a, j, taus[j], &mut q);
    }
    q
}

/// (I - tau v v*) C with the reflector of column `j`.
fn apply<S: Scalar>(a: &Matrix<S>, j: usize, tau: S, c: &mut Matrix<S>) {
    let v = |i: usize| if i == j { S::real(1.0) } else { a.at(i, j) };
    for k in 0..c.columns {
        let product = (j..a.rows).fold(S::real(0.0), |s, i| s + v(i).conj() * c.at(i, k));
        let product = tau * product;
        for i in j..a.rows {
            c.set(i, k, c.at(i, k) - product * v(i));
        }
    }
}

/// A product with the factor Q of a QR factorization.
pub struct Product {
    /// Q from the left.
    pub left: bool,
    /// The adjoint of Q.
    pub adjoint: bool,
}

impl Product {
    pub fn of<S: Scalar>(&self, a: &Matrix<S>, taus: &[S], c: &Matrix<S>) -> Option<Matrix<S>> {
        // C Q is the adjoint of Q* C*.
        let adjoint = self.adjoint == self.left;
        let mut out = if self.left { c.clone() } else { c.adjoint() };
        if a.rows != out.rows || taus.len() > a.columns {
            return None;
        }
        let all: Vec<usize> = if adjoint {
            (0..taus.len()).collect()
        } else {
            (0..taus.len()).rev().collect()
        };
        for j in all {
            let tau = if adjoint { taus[j].conj() } else { taus[j] };
            apply(a, j, tau, &mut out);
        }
        Some(if self.left { out } else { out.adjoint() })
    }
}
