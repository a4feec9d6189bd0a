//! Eigenvalues of symmetric (Hermitian) matrices and singular values, by Jacobi's method.

use super::matrix::{Matrix, Scalar};

/// Sweeps after which Jacobi's method has long converged.
const SWEEPS: usize = 60;

/// The rotation (c, s) that makes the off-diagonal element of [[alpha, off], [off, beta]] zero.
fn rotation(alpha: f64, beta: f64, off: f64) -> (f64, f64) {
    let theta = (beta - alpha) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, t * c)
}

/// Columns p and q, the second times `turn` first, rotated.
fn rotate<S: Scalar>(m: &mut Matrix<S>, p: usize, q: usize, turn: S, (c, s): (f64, f64)) {
    for k in 0..m.rows {
        let (x, y) = (m.at(k, p), m.at(k, q) * turn);
        m.set(k, p, S::real(c) * x - S::real(s) * y);
        m.set(k, q, S::real(s) * x + S::real(c) * y);
    }
}

/// Eigenvectors as columns and eigenvalues in rising order, by cyclic rotations of the given triangle.
pub fn symmetric_eigen<S: Scalar>(a: &Matrix<S>, lower: bool) -> (Matrix<S>, Vec<f64>) {
    let n = a.rows;
    let mut s = a.clone();
    for i in 0..n {
        s.set(i, i, S::real(a.at(i, i).re()));
        for j in 0..i {
            let value = if lower { a.at(i, j) } else { a.at(j, i).conj() };
            s.set(i, j, value);
            s.set(j, i, value.conj());
        }
    }
    let mut v = Matrix::identity(n);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (off, phase) = s.at(p, q).polar();
                let (alpha, beta) = (s.at(p, p).re(), s.at(q, q).re());
                if off.abs() < 1e-300
                    || off.abs() <= f64::EPSILON * 1e-3 * (alpha * beta).abs().sqrt()
                {
                    continue;
                }
                rotated = true;
                let both = rotation(alpha, beta, off);
                rotate(&mut s, p, q, phase.conj(), both);
                // The rows, as columns of the adjoint.
                for k in 0..n {
                    let (x, y) = (s.at(p, k), s.at(q, k) * phase);
                    s.set(p, k, S::real(both.0) * x - S::real(both.1) * y);
                    s.set(q, k, S::real(both.1) * x + S::real(both.0) * y);
                }
                rotate(&mut v, p, q, phase.conj(), both);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| s.at(*i, *i).re().total_cmp(&s.at(*j, *j).re()));
    let mut vectors = Matrix::zeros(n, n);
    for (to, from) in order.iter().enumerate() {
        (0..n).for_each(|i| vectors.set(i, to, v.at(i, *from)));
    }
    (vectors, order.iter().map(|i| s.at(*i, *i).re()).collect())
}

/// Left vectors as columns, singular values in falling order, right vectors as columns, by one-sided rotations.
pub fn singular_values<S: Scalar>(a: &Matrix<S>) -> (Matrix<S>, Vec<f64>, Matrix<S>) {
    if a.rows < a.columns {
        let (v, values, u) = singular_values(&a.adjoint());
        return (u, values, v);
    }
    let n = a.columns;
    let mut u = a.clone();
    let mut v = Matrix::identity(n);
    let dot = |m: &Matrix<S>, p: usize, q: usize| {
        (0..m.rows).fold(S::real(0.0), |s, k| s + m.at(k, p).conj() * m.at(k, q))
    };
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (alpha, beta) = (dot(&u, p, p).re(), dot(&u, q, q).re());
                let (gamma, phase) = dot(&u, p, q).polar();
                if gamma == 0.0 || gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() {
                    continue;
                }
                rotated = true;
                let both = rotation(alpha, beta, gamma);
                rotate(&mut u, p, q, phase.conj(), both);
                rotate(&mut v, p, q, phase.conj(), both);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = (0..n).map(|j| dot(&u, j, j).re().sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| norms[*j].total_cmp(&norms[*i]));
    let (mut left, mut right) = (Matrix::zeros(a.rows, n), Matrix::zeros(n, n));
    for (to, from) in order.iter().enumerate() {
        let norm = norms[*from];
        if norm > 0.0 {
            (0..a.rows).for_each(|i| left.set(i, to, u.at(i, *from) / S::real(norm)));
        }
        (0..n).for_each(|i| right.set(i, to, v.at(i, *from)));
    }
    (left, order.iter().map(|j| norms[*j]).collect(), right)
}

/// The first `columns` columns of an orthonormal basis that begins with those of `m`; columns of zeros are filled in too.
pub fn completed<S: Scalar>(m: Matrix<S>, columns: usize) -> Matrix<S> {
    let square = |v: &[S]| v.iter().map(|x| (*x * x.conj()).re()).sum::<f64>();
    let mut basis: Vec<Vec<S>> = vec![];
    let mut units = 0..m.rows;
    for j in 0..columns {
        let mut candidate = if j < m.columns {
            m.column(j)
        } else {
            vec![S::real(0.0); m.rows]
        };
        while square(&candidate) < 0.25 {
            let Some(unit) = units.next() else { break };
            candidate = vec![S::real(0.0); m.rows];
            candidate[unit] = S::real(1.0);
            // Twice is enough (Kahan).
            for _ in 0..2 {
                for b in &basis {
                    let product = b
                        .iter()
                        .zip(&candidate)
                        .fold(S::real(0.0), |s, (x, y)| s + x.conj() * *y);
                    candidate
                        .iter_mut()
                        .zip(b)
                        .for_each(|(x, y)| *x = *x - product * *y);
                }
            }
            let norm = square(&candidate).sqrt();
            if norm > 0.5 / (m.rows as f64).sqrt() {
                candidate.iter_mut().for_each(|x| *x = *x / S::real(norm));
            }
        }
        basis.push(candidate);
    }
    let mut out = Matrix::zeros(m.rows, columns);
    for (j, column) in basis.iter().enumerate() {
        column
            .iter()
            .enumerate()
            .for_each(|(i, x)| out.set(i, j, *x));
    }
    out
}
