//! LAPACK calls judged by what their results are for: whatever steps a library takes, factors are as good as elimination, reflections or rotations give
//! them when they multiply to the matrix within c n u of its size, and orthogonal ones are orthogonal within c n u (Higham, Accuracy and Stability of Numerical
//! Algorithms, theorems 8.5, 9.3, 10.3 and 19.4; LAPACK Users' Guide, chapter 4).
//!
//! Proves: the results are backward stable for the same matrix. Cannot: judge complex matrices, or tell one choice from another where LAPACK has one (signs of
//! vectors, bases of equal values).

use super::residual;
use tileproof_dialect::{
    attribute::Attribute,
    bound::unit_roundoff,
    hlo::{
        self,
        custom_call::CustomCall,
        lapack::{self, Routine},
        triangular_solve::{Transpose, TriangularSolve},
    },
    op::Op,
    program::{Program, ValueDef, ValueId},
    tensor::Tensor,
    types::ElementType,
};

/// Roundings beside n: a constant of the theorems, and of blocked algorithms.
const ROUNDINGS: f64 = 16.0;

/// Whether a program is a LAPACK call alone, and `results` may be its results on these inputs.
pub fn holds_alone(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> bool {
    let body = program.main().body;
    let mut calls = program.region(body).ops.iter().filter(|id| {
        let o = program.op(**id);
        !o.op.is_return() && !matches!(o.op, Op::Hlo(hlo::Op::Constant(_)))
    });
    let (Some(id), None) = (calls.next(), calls.next()) else {
        return false;
    };
    let o = program.op(*id);
    let Op::Hlo(hlo::Op::CustomCall(call)) = &o.op else {
        return false;
    };
    let input = |v: &ValueId| match program.value(*v).def {
        ValueDef::Argument { index, .. } => inputs.get(index as usize).cloned(),
        ValueDef::Result { .. } => None,
    };
    let returned = program.returned(body);
    let result = |v: &ValueId| {
        let at = returned.iter().position(|r| r == v)?;
        results.get(at).cloned()
    };
    let operands: Option<Vec<Tensor>> = o.operands.iter().map(input).collect();
    let results: Option<Vec<Tensor>> = o.results.iter().map(result).collect();
    match (operands, results) {
        (Some(operands), Some(results)) => holds(call, &operands, &results) == Some(true),
        (_, _) => false,
    }
}

/// A letter among the options of the typed interface (`uplo = 76 : ui8`).
fn letter(call: &CustomCall, name: &str) -> Option<u8> {
    let Some(Attribute::Dict(options)) = &call.backend_config else {
        return None;
    };
    match options.get(name)? {
        Attribute::Int(code) => u8::try_from(*code).ok(),
        Attribute::Literal(code) => u8::try_from(*code.to_tensor().to_i64s().first()?).ok(),
        _ => None,
    }
}

/// Whether `results` may be results of the call on `operands`. None: nothing is known of such a call.
pub fn holds(call: &CustomCall, operands: &[Tensor], results: &[Tensor]) -> Option<bool> {
    let routine = lapack::routine(&call.call_target_name)?;
    let a = operands.first()?;
    if !matches!(a.element(), ElementType::F32 | ElementType::F64) {
        return None;
    }
    let letter = |name: &str| letter(call, name);
    let lower = || Some(letter("uplo")? == b'L');
    if routine == Routine::TriangularSolve {
        let solve = TriangularSolve {
            left_side: letter("side")? == b'L',
            lower: lower()?,
            unit_diagonal: letter("diag")? == b'U',
            transpose_a: match letter("trans_x")? {
                b'N' => Transpose::NoTranspose,
                _ => Transpose::Transpose,
            },
        };
        return Some(residual::solves(
            a,
            operands.get(1)?,
            results.first()?,
            &solve,
        ));
    }
    let [.., rows, columns] = a.dims() else {
        return None;
    };
    let (rows, columns) = (*rows as usize, *columns as usize);
    let batch = a.len() / (rows * columns).max(1);
    let part = |t: &Tensor, b: usize| -> Vec<f64> {
        let n = t.len() / batch.max(1);
        t.to_f64s()[b * n..(b + 1) * n].to_vec()
    };
    let unit = unit_roundoff(a.element()) * ROUNDINGS;
    let mut all = true;
    for b in 0..batch {
        let matrix = Matrix {
            rows,
            columns,
            x: part(a, b),
        };
        let result = |i: usize| results.get(i).map(|t| part(t, b));
        // A routine that gives up leaves anything.
        let gave_up = |i: usize| result(i).is_none_or(|info| info.first() != Some(&0.0));
        all &= match routine {
            Routine::Cholesky => gave_up(1) || is_cholesky(&matrix, &result(0)?, lower()?, unit),
            Routine::Lu => gave_up(2) || is_lu(&matrix, &result(0)?, &result(1)?, unit),
            Routine::Qr => is_qr(&matrix, &result(0)?, &result(1)?, unit),
            Routine::QrOrthogonal => {
                let taus = part(operands.get(1)?, b);
                is_orthogonal_factor(&matrix, &taus, &result(0)?, unit)
            }
            Routine::SymmetricEigen if letter("mode")? == b'V' => {
                gave_up(2) || is_spectrum(&matrix, lower()?, (&result(0)?, &result(1)?), unit)
            }
            Routine::SingularValues if letter("mode")? != b'N' => {
                let (s, u, vt) = (result(1)?, result(2)?, result(3)?);
                gave_up(4) || are_singular_values(&matrix, &s, &u, &vt, unit)
            }
            Routine::SymmetricEigen
            | Routine::SingularValues
            | Routine::QrWithPivots
            | Routine::QrProduct
            | Routine::TridiagonalSolve
            | Routine::TriangularSolve => return None,
        };
    }
    Some(all)
}

/// Row-major.
struct Matrix {
    rows: usize,
    columns: usize,
    x: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, x: &[f64]) -> Matrix {
        Matrix {
            rows,
            columns: x.len() / rows.max(1),
            x: x.to_vec(),
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.x[i * self.columns + j]
    }

    fn norm(&self) -> f64 {
        self.x.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    fn column_norm(&self, j: usize) -> f64 {
        let squares = (0..self.rows).map(|i| self.at(i, j) * self.at(i, j));
        squares.sum::<f64>().sqrt()
    }

    /// Whether the first `count` columns (or rows) are orthonormal within `bound`.
    fn is_orthonormal(&self, by_columns: bool, bound: f64) -> bool {
        let (count, length) = match by_columns {
            true => (self.columns, self.rows),
            false => (self.rows, self.columns),
        };
        let at = |i: usize, k: usize| match by_columns {
            true => self.at(k, i),
            false => self.at(i, k),
        };
        (0..count).all(|i| {
            (i..count).all(|j| {
                let product: f64 = (0..length).map(|k| at(i, k) * at(j, k)).sum();
                (product - f64::from(u8::from(i == j))).abs() <= bound
            })
        })
    }

    /// The product of the reflections 1 - tau v v^T, whose vectors lie below the diagonal of `self`, with `other`.
    fn reflected(&self, taus: &[f64], other: &mut Matrix) {
        for (k, tau) in taus.iter().enumerate().rev() {
            let v = |i: usize| if i == k { 1.0 } else { self.at(i, k) };
            for j in 0..other.columns {
                let product: f64 = (k..other.rows).map(|i| v(i) * other.at(i, j)).sum();
                for i in k..other.rows {
                    other.x[i * other.columns + j] -= tau * product * v(i);
                }
            }
        }
    }

    /// Whether each reflection is one: tau is 0, or 2 over the square of its vector.
    fn reflects(&self, taus: &[f64], bound: f64) -> bool {
        taus.iter().enumerate().all(|(k, tau)| {
            let below = (k + 1..self.rows).map(|i| self.at(i, k) * self.at(i, k));
            let square = 1.0 + below.sum::<f64>();
            *tau == 0.0 || (tau * square - 2.0).abs() <= bound
        })
    }
}

fn near(want: f64, got: f64, bound: f64) -> bool {
    (want - got).abs() <= bound
}

fn is_cholesky(a: &Matrix, l: &[f64], lower: bool, unit: f64) -> bool {
    let n = a.rows;
    let l = Matrix::new(n, l);
    let at = |m: &Matrix, i: usize, j: usize| if lower { m.at(i, j) } else { m.at(j, i) };
    (0..n).all(|i| {
        (0..=i).all(|j| {
            let terms = (0..=j).map(|k| at(&l, i, k) * at(&l, j, k));
            let (sum, size) = terms.fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
            near(at(a, i, j), sum, unit * (n as f64) * size)
        })
    })
}

fn is_lu(a: &Matrix, lu: &[f64], pivots: &[f64], unit: f64) -> bool {
    let (m, n) = (a.rows, a.columns);
    let lu = Matrix::new(m, lu);
    let mut order: Vec<usize> = (0..m).collect();
    for (i, pivot) in pivots.iter().enumerate() {
        let p = *pivot as usize;
        if p < i + 1 || p > m {
            return false;
        }
        order.swap(i, p - 1);
    }
    let k = m.min(n);
    (0..m).all(|i| {
        (0..n).all(|j| {
            let last = i.min(j).min(k - 1);
            let l = |t: usize| if t == i { 1.0 } else { lu.at(i, t) };
            let terms = (0..=last).map(|t| l(t) * lu.at(t, j));
            let (sum, size) = terms.fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
            near(a.at(order[i], j), sum, unit * k as f64 * size)
        })
    })
}

fn is_qr(a: &Matrix, qr: &[f64], taus: &[f64], unit: f64) -> bool {
    let qr = Matrix::new(a.rows, qr);
    let bound = unit * (a.rows + a.columns) as f64;
    let mut product = Matrix::new(a.rows, &qr.x);
    for i in 0..a.rows {
        for j in 0..a.columns.min(i) {
            product.x[i * a.columns + j] = 0.0;
        }
    }
    qr.reflected(taus, &mut product);
    let near_column = |j: usize| {
        let size = bound * a.column_norm(j);
        (0..a.rows).all(|i| near(a.at(i, j), product.at(i, j), size))
    };
    qr.reflects(taus, bound) && (0..a.columns).all(near_column)
}

fn is_orthogonal_factor(qr: &Matrix, taus: &[f64], q: &[f64], unit: f64) -> bool {
    let q = Matrix::new(qr.rows, q);
    let mut want = Matrix::new(q.rows, &vec![0.0; q.x.len()]);
    for i in 0..q.rows.min(q.columns) {
        want.x[i * q.columns + i] = 1.0;
    }
    qr.reflected(taus, &mut want);
    let bound = unit * (q.rows + q.columns) as f64;
    want.x.iter().zip(&q.x).all(|(w, g)| near(*w, *g, bound))
}

fn is_spectrum(a: &Matrix, lower: bool, (v, w): (&[f64], &[f64]), unit: f64) -> bool {
    let n = a.rows;
    let v = Matrix::new(n, v);
    let symmetric = |i: usize, j: usize| {
        if (i >= j) == lower {
            a.at(i, j)
        } else {
            a.at(j, i)
        }
    };
    let full = Matrix::new(
        n,
        &(0..n * n)
            .map(|t| symmetric(t / n, t % n))
            .collect::<Vec<_>>(),
    );
    let bound = unit * n as f64;
    let size = bound * full.norm();
    let rises = w.windows(2).all(|pair| pair[0] <= pair[1] + size);
    rises
        && v.is_orthonormal(true, bound)
        && (0..n).all(|j| {
            (0..n).all(|i| {
                let product: f64 = (0..n).map(|k| full.at(i, k) * v.at(k, j)).sum();
                near(product, w[j] * v.at(i, j), size)
            })
        })
}

fn are_singular_values(a: &Matrix, s: &[f64], u: &[f64], vt: &[f64], unit: f64) -> bool {
    let (u, k) = (Matrix::new(a.rows, u), s.len());
    let rows = vt.len() / a.columns.max(1);
    let vt = Matrix::new(rows, vt);
    if u.columns < k || vt.rows < k {
        return false;
    }
    let bound = unit * (a.rows + a.columns) as f64;
    let size = bound * a.norm();
    let falls = s.windows(2).all(|pair| pair[0] + size >= pair[1]) && s.iter().all(|x| *x >= 0.0);
    falls
        && u.is_orthonormal(true, bound)
        && vt.is_orthonormal(false, bound)
        && (0..a.rows).all(|i| {
            (0..a.columns).all(|j| {
                let product: f64 = (0..k).map(|t| u.at(i, t) * s[t] * vt.at(t, j)).sum();
                near(a.at(i, j), product, size)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: f64 = 16.0 / 16_777_216.0;

    fn matrix(rows: usize, x: &[f64]) -> Matrix {
        Matrix::new(rows, x)
    }

    #[test]
    fn factors_that_multiply_to_the_matrix_hold_and_others_do_not() {
        // Rows change places: the pivot of the first column is 4.
        let a = matrix(2, &[2.0, 3.0, 4.0, 4.0]);
        assert!(is_lu(&a, &[4.0, 4.0, 0.5, 1.0], &[2.0, 2.0], UNIT));
        assert!(!is_lu(&a, &[4.0, 4.0, 0.5, 1.0], &[1.0, 2.0], UNIT));
        assert!(!is_lu(&a, &[4.0, 4.0, 0.5, 1.01], &[2.0, 2.0], UNIT));
        assert!(!is_lu(&a, &[4.0, 4.0, 0.5, 1.0], &[9.0, 2.0], UNIT));
        let a = matrix(2, &[4.0, 2.0, 2.0, 5.0]);
        assert!(is_cholesky(&a, &[2.0, 0.0, 1.0, 2.0], true, UNIT));
        assert!(!is_cholesky(&a, &[2.0, 0.0, 1.0, 2.001], true, UNIT));
        assert!(is_cholesky(&a, &[2.0, 1.0, 7.0, 2.0], false, UNIT));
    }

    #[test]
    fn eigenvectors_and_singular_vectors_of_either_sign_hold() {
        let a = matrix(2, &[2.0, 1.0, 1.0, 2.0]);
        let h = 0.5f64.sqrt();
        for sign in [1.0, -1.0] {
            let v = [-h, sign * h, h, sign * h];
            assert!(is_spectrum(&a, true, (&v, &[1.0, 3.0]), UNIT));
            assert!(!is_spectrum(&a, true, (&v, &[3.0, 1.0]), UNIT));
            let (u, vt) = ([h, -h, h, h], [sign * h, sign * h, -h, h]);
            let u = u.map(|x| sign * x);
            let u = [u[0], -h, u[2], h];
            assert!(are_singular_values(&a, &[3.0, 1.0], &u, &vt, UNIT));
            assert!(!are_singular_values(&a, &[3.0, 1.1], &u, &vt, UNIT));
        }
    }

    #[test]
    fn reflections_give_the_matrix_and_their_product_is_orthogonal() {
        // One column (3, 4): v = (1, 0.5), tau = 1.6, R = -5.
        let a = matrix(2, &[3.0, 4.0]);
        assert!(is_qr(&a, &[-5.0, 0.5], &[1.6], UNIT));
        assert!(!is_qr(&a, &[-5.0, 0.5], &[1.5], UNIT));
        assert!(!is_qr(&a, &[5.0, 0.5], &[1.6], UNIT));
        let qr = matrix(2, &[-5.0, 0.5]);
        assert!(is_orthogonal_factor(&qr, &[1.6], &[-0.6, -0.8], UNIT));
        assert!(!is_orthogonal_factor(&qr, &[1.6], &[0.6, 0.8], UNIT));
    }
}
