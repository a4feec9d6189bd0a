//! The LAPACK routines that JAX's CPU programs call (`lapack_<type><routine>_ffi`), by their definitions, for real matrices.
//!
//! potrf, getrf, geqrf, orgqr and trsm follow LAPACK's conventions (pivots, signs of reflectors, which triangle is written). syevd and gesdd give
//! eigen- and singular values in LAPACK's order; the signs of their vectors, which LAPACK does not specify, are those of Jacobi's method.
//! Everything is computed in double precision and rounded once. On the ring plane a call is opaque: every residue of a result is a hash of the
//! routine, the place and all residues of the operands' matrices.

use crate::{
    attribute::{Attribute, Attributes},
    eval::{EvalContext, Stop},
    hlo::shape,
    planes::{Planes, ring},
    tensor::{Tensor, Value, count},
    types::{ElementType, Type},
};

/// A routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    Cholesky,
    Lu,
    Qr,
    QrOrthogonal,
    TriangularSolve,
    SymmetricEigen,
    SingularValues,
}

/// Routine of a call target for real numbers; none when this build has no meaning for it.
pub fn routine(target: &str) -> Option<Routine> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let name = name.strip_prefix('s').or(name.strip_prefix('d'))?;
    Some(match name {
        "potrf" => Routine::Cholesky,
        "getrf" => Routine::Lu,
        "geqrf" => Routine::Qr,
        "orgqr" => Routine::QrOrthogonal,
        "trsm" => Routine::TriangularSolve,
        "syevd" => Routine::SymmetricEigen,
        "gesdd" => Routine::SingularValues,
        _ => return None,
    })
}

/// A row-major matrix.
#[derive(Debug, Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix {
            rows,
            columns,
            data: vec![0.0; rows * columns],
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.columns + j]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.data[i * self.columns + j] = value;
    }

    fn transposed(&self) -> Matrix {
        let mut out = Matrix::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            for j in 0..self.columns {
                out.set(j, i, self.at(i, j));
            }
        }
        out
    }

    fn column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }
}

/// Letters of the options: `uplo`, `side`, `trans_x`, `diag`, `mode`.
struct Options<'a>(&'a Attributes);

impl Options<'_> {
    fn letter(&self, name: &str) -> Option<u8> {
        match self.0.get(name) {
            Some(Attribute::Int(code)) => u8::try_from(*code).ok(),
            // `76 : ui8`.
            Some(Attribute::Literal(code)) => {
                u8::try_from(*code.to_tensor().to_i64s().first()?).ok()
            }
            Some(_) | None => None,
        }
    }
}

/// Results of a call; `None` in place of a result stands for the scalar `info`.
pub fn eval(
    routine: Routine,
    options: &Attributes,
    operands: &[Value],
    results: &[Type],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Value>, Stop> {
    let tensors: Vec<&Tensor> = (0..operands.len())
        .map(|i| shape::operand(operands, i))
        .collect::<Result<_, _>>()?;
    let flat: Vec<Type> = match results {
        [Type::Tuple(parts)] => parts.to_vec(),
        _ => results.to_vec(),
    };
    let first = tensors
        .first()
        .ok_or_else(|| Stop::unsupported("a LAPACK call without operands"))?;
    if !matches!(first.element(), ElementType::F32 | ElementType::F64) || first.rank() < 2 {
        return Err(Stop::unsupported(format!(
            "a LAPACK call on {}",
            first.ty()
        )));
    }
    let batch_rank = first.rank() - 2;
    let batches = count(&first.dims()[..batch_rank]);
    let mut outputs: Vec<Vec<f64>> = vec![vec![]; flat.len()];
    for b in 0..batches {
        let matrices: Vec<Matrix> = tensors
            .iter()
            .map(|t| matrix(t, batch_rank, batches, b))
            .collect();
        let made = one(routine, &Options(options), &matrices, &flat, batch_rank)?;
        if made.len() != outputs.len() {
            return Err(Stop::unsupported(format!(
                "a LAPACK call with {} results",
                outputs.len()
            )));
        }
        outputs
            .iter_mut()
            .zip(made)
            .for_each(|(all, part)| all.extend(part));
    }
    let mut values = vec![];
    for (k, (ty, data)) in flat.iter().zip(&outputs).enumerate() {
        let dims = ty
            .as_tensor()
            .and_then(|t| t.static_dims())
            .ok_or_else(|| Stop::unsupported("a LAPACK call of dynamic size"))?;
        let element = ty
            .as_tensor()
            .map_or(ElementType::F64, |t| t.element.clone());
        if count(&dims) != data.len() {
            return Err(Stop::unsupported(format!(
                "a LAPACK call with a result of type {ty}"
            )));
        }
        let t = Tensor::from_f64s(&dims, &element, data);
        let ring = (cx.planes == Planes::IeeeAndRing && element.has_ring())
            .then(|| residues(routine, k, &tensors, batches, data.len()));
        values.push(Value::from(t.with_ring(ring)));
    }
    Ok(match results {
        [Type::Tuple(_)] => vec![Value::Tuple(values)],
        _ => values,
    })
}

/// Matrix (or vector, as one row) number `b` of a batch.
fn matrix(t: &Tensor, batch_rank: usize, batches: usize, b: usize) -> Matrix {
    let inner = &t.dims()[batch_rank.min(t.rank())..];
    let (rows, columns) = match inner {
        [m, n] => (*m as usize, *n as usize),
        [n] => (1, *n as usize),
        _ => (1, count(inner)),
    };
    let size = t.len() / batches.max(1);
    Matrix {
        rows,
        columns,
        data: t.to_f64s()[b * size..(b + 1) * size].to_vec(),
    }
}

/// Residues of result `k`: a hash of the batch member's residues, or undefined where one of them is a code.
fn residues(
    routine: Routine,
    k: usize,
    tensors: &[&Tensor],
    batches: usize,
    len: usize,
) -> crate::buffer::Buffer {
    let key = xxhash_rust::xxh3::xxh3_64(format!("lapack {routine:?} {k}").as_bytes());
    let mut out = Vec::with_capacity(len);
    for b in 0..batches {
        let mut state = Some(0u32);
        for r in tensors.iter().filter_map(|t| t.ring()) {
            let size = r.len() / batches.max(1);
            for r in &r[b * size..(b + 1) * size] {
                state = state
                    .filter(|_| !ring::is_code(*r))
                    .map(|s| ring::opaque2(key, s, *r));
            }
        }
        let each = len / batches.max(1);
        out.extend(
            (0..each).map(|i| state.map_or(ring::UNDEFINED, |s| ring::opaque2(key, s, i as u32))),
        );
    }
    crate::buffer::Buffer::from_slice(&out)
}

/// Results of one call on matrices, each row-major.
fn one(
    routine: Routine,
    options: &Options<'_>,
    a: &[Matrix],
    results: &[Type],
    batch_rank: usize,
) -> Result<Vec<Vec<f64>>, Stop> {
    let missing = || {
        Stop::unsupported(format!(
            "LAPACK routine {routine:?} with these operands or options"
        ))
    };
    let first = a.first().ok_or_else(missing)?;
    match routine {
        Routine::Cholesky => {
            let lower = options.letter("uplo").ok_or_else(missing)? == b'L';
            let (factor, info) = cholesky(first, lower);
            Ok(vec![factor.data, vec![info]])
        }
        Routine::Lu => {
            let (lu, pivots, info) = lu(first);
            Ok(vec![lu.data, pivots, vec![info]])
        }
        Routine::Qr => {
            let (qr, tau) = qr(first);
            Ok(vec![qr.data, tau])
        }
        Routine::QrOrthogonal => {
            let tau = a.get(1).ok_or_else(missing)?;
            Ok(vec![qr_orthogonal(first, &tau.data).data])
        }
        Routine::TriangularSolve => {
            let b = a.get(1).ok_or_else(missing)?;
            let letter = |name: &str| options.letter(name).ok_or_else(missing);
            let solve = Solve {
                left: letter("side")? == b'L',
                lower: letter("uplo")? == b'L',
                transposed: letter("trans_x")? != b'N',
                unit: letter("diag")? == b'U',
            };
            solve
                .solve(first, b)
                .map(|x| vec![x.data])
                .ok_or_else(missing)
        }
        Routine::SymmetricEigen => {
            let lower = options.letter("uplo").ok_or_else(missing)? == b'L';
            let (vectors, values) = symmetric_eigen(first, lower);
            Ok(vec![vectors.data, values, vec![0.0]])
        }
        Routine::SingularValues => {
            let width = |k: usize, axis: usize| {
                results
                    .get(k)
                    .and_then(Type::as_tensor)
                    .and_then(|t| t.static_dims())
                    .and_then(|d| d.get(batch_rank + axis).copied())
            };
            let (columns, rows) = (
                width(2, 1).ok_or_else(missing)?,
                width(3, 0).ok_or_else(missing)?,
            );
            let (u, values, v) = singular_values(first);
            let u = completed(u, columns as usize);
            let vt = completed(v, rows as usize).transposed();
            Ok(vec![first.data.clone(), values, u.data, vt.data, vec![0.0]])
        }
    }
}

/// The factor in one triangle, the other left as it is; info k: the leading minor of order k is not positive.
fn cholesky(a: &Matrix, lower: bool) -> (Matrix, f64) {
    let mut l = if lower { a.clone() } else { a.transposed() };
    let n = l.rows;
    let mut info = 0.0;
    'columns: for j in 0..n {
        let square = (0..j).fold(l.at(j, j), |s, k| s - l.at(j, k) * l.at(j, k));
        if square <= 0.0 || square.is_nan() {
            info = (j + 1) as f64;
            break 'columns;
        }
        let d = square.sqrt();
        l.set(j, j, d);
        for i in j + 1..n {
            let sum = (0..j).fold(l.at(i, j), |s, k| s - l.at(i, k) * l.at(j, k));
            l.set(i, j, sum / d);
        }
    }
    (if lower { l } else { l.transposed() }, info)
}

/// P A = L U with the largest element of each column as pivot (the first of equals); pivots count from 1.
fn lu(a: &Matrix) -> (Matrix, Vec<f64>, f64) {
    let mut a = a.clone();
    let (mut pivots, mut info) = (vec![], 0.0);
    for j in 0..a.rows.min(a.columns) {
        let mut p = j;
        for i in j + 1..a.rows {
            if a.at(i, j).abs() > a.at(p, j).abs() {
                p = i;
            }
        }
        pivots.push((p + 1) as f64);
        if a.at(p, j) == 0.0 {
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

/// R in the upper triangle, reflectors I - tau v v' below it with v = 1 on the diagonal; the diagonal of R has the sign opposite to what it replaces.
fn qr(a: &Matrix) -> (Matrix, Vec<f64>) {
    let mut a = a.clone();
    let mut taus = vec![];
    for j in 0..a.rows.min(a.columns) {
        let alpha = a.at(j, j);
        let below = (j + 1..a.rows).fold(0.0f64, |s, i| s.hypot(a.at(i, j)));
        if below == 0.0 {
            taus.push(0.0);
            continue;
        }
        let beta = -alpha.hypot(below).copysign(alpha);
        let tau = (beta - alpha) / beta;
        for i in j + 1..a.rows {
            a.set(i, j, a.at(i, j) / (alpha - beta));
        }
        a.set(j, j, beta);
        for c in j + 1..a.columns {
            let product = (j + 1..a.rows).fold(a.at(j, c), |s, i| s + a.at(i, j) * a.at(i, c));
            a.set(j, c, a.at(j, c) - tau * product);
            for i in j + 1..a.rows {
                a.set(i, c, a.at(i, c) - tau * product * a.at(i, j));
            }
        }
        taus.push(tau);
    }
    (a, taus)
}

/// The first columns of the product of the reflectors below the diagonal.
fn qr_orthogonal(a: &Matrix, tau: &[f64]) -> Matrix {
    let mut q = Matrix::zeros(a.rows, a.columns);
    (0..a.rows.min(a.columns)).for_each(|i| q.set(i, i, 1.0));
    for j in (0..tau.len().min(a.columns)).rev() {
        let v = |i: usize| if i == j { 1.0 } else { a.at(i, j) };
        for c in 0..a.columns {
            let product = (j..a.rows).fold(0.0, |s, i| s + v(i) * q.at(i, c));
            for i in j..a.rows {
                q.set(i, c, q.at(i, c) - tau[j] * product * v(i));
            }
        }
    }
    q
}

/// op(A) X = B, or X op(A) = B from the right.
struct Solve {
    left: bool,
    lower: bool,
    transposed: bool,
    unit: bool,
}

impl Solve {
    fn solve(&self, a: &Matrix, b: &Matrix) -> Option<Matrix> {
        // X op(A) = B is op(A)' X' = B'.
        let transpose = self.transposed == self.left;
        let a = if transpose { a.transposed() } else { a.clone() };
        let lower = self.lower != transpose;
        let mut x = if self.left { b.clone() } else { b.transposed() };
        if a.rows != a.columns || a.rows != x.rows {
            return None;
        }
        let n = a.rows;
        let order: Vec<usize> = if lower {
            (0..n).collect()
        } else {
            (0..n).rev().collect()
        };
        for c in 0..x.columns {
            for &i in &order {
                let known = if lower { 0..i } else { i + 1..n };
                let sum = known.fold(x.at(i, c), |s, k| s - a.at(i, k) * x.at(k, c));
                x.set(i, c, if self.unit { sum } else { sum / a.at(i, i) });
            }
        }
        Some(if self.left { x } else { x.transposed() })
    }
}

/// Sweeps after which Jacobi's method has long converged.
const SWEEPS: usize = 60;

/// Eigenvectors as columns and eigenvalues in rising order, by cyclic Jacobi rotations of the given triangle.
fn symmetric_eigen(a: &Matrix, lower: bool) -> (Matrix, Vec<f64>) {
    let n = a.rows;
    let mut s = a.clone();
    for i in 0..n {
        for j in 0..i {
            let value = if lower { a.at(i, j) } else { a.at(j, i) };
            s.set(i, j, value);
            s.set(j, i, value);
        }
    }
    let mut v = Matrix::zeros(n, n);
    (0..n).for_each(|i| v.set(i, i, 1.0));
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = s.at(p, q);
                if off == 0.0
                    || off.abs() < 1e-300
                    || off.abs() <= f64::EPSILON * 1e-3 * (s.at(p, p) * s.at(q, q)).abs().sqrt()
                {
                    continue;
                }
                rotated = true;
                let theta = (s.at(q, q) - s.at(p, p)) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let sine = t * c;
                for k in 0..n {
                    let (x, y) = (s.at(k, p), s.at(k, q));
                    s.set(k, p, c * x - sine * y);
                    s.set(k, q, sine * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (s.at(p, k), s.at(q, k));
                    s.set(p, k, c * x - sine * y);
                    s.set(q, k, sine * x + c * y);
                    let (x, y) = (v.at(k, p), v.at(k, q));
                    v.set(k, p, c * x - sine * y);
                    v.set(k, q, sine * x + c * y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| s.at(*i, *i).total_cmp(&s.at(*j, *j)));
    let mut vectors = Matrix::zeros(n, n);
    for (to, from) in order.iter().enumerate() {
        (0..n).for_each(|i| vectors.set(i, to, v.at(i, *from)));
    }
    (vectors, order.iter().map(|i| s.at(*i, *i)).collect())
}

/// Left vectors as columns, singular values in falling order, right vectors as columns, by one-sided Jacobi rotations.
fn singular_values(a: &Matrix) -> (Matrix, Vec<f64>, Matrix) {
    if a.rows < a.columns {
        let (v, values, u) = singular_values(&a.transposed());
        return (u, values, v);
    }
    let n = a.columns;
    let mut u = a.clone();
    let mut v = Matrix::zeros(n, n);
    (0..n).for_each(|i| v.set(i, i, 1.0));
    let dot =
        |m: &Matrix, p: usize, q: usize| (0..m.rows).map(|k| m.at(k, p) * m.at(k, q)).sum::<f64>();
    let rotate = |m: &mut Matrix, p: usize, q: usize, c: f64, s: f64| {
        for k in 0..m.rows {
            let (x, y) = (m.at(k, p), m.at(k, q));
            m.set(k, p, c * x - s * y);
            m.set(k, q, s * x + c * y);
        }
    };
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (alpha, beta, gamma) = (dot(&u, p, p), dot(&u, q, q), dot(&u, p, q));
                if gamma == 0.0 || gamma.abs() <= f64::EPSILON * (alpha * beta).sqrt() {
                    continue;
                }
                rotated = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate(&mut u, p, q, c, c * t);
                rotate(&mut v, p, q, c, c * t);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = (0..n).map(|j| dot(&u, j, j).sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| norms[*j].total_cmp(&norms[*i]));
    let (mut left, mut right) = (Matrix::zeros(a.rows, n), Matrix::zeros(n, n));
    for (to, from) in order.iter().enumerate() {
        let norm = norms[*from];
        (0..a.rows).for_each(|i| {
            left.set(
                i,
                to,
                if norm > 0.0 {
                    u.at(i, *from) / norm
                } else {
                    0.0
                },
            )
        });
        (0..n).for_each(|i| right.set(i, to, v.at(i, *from)));
    }
    (left, order.iter().map(|j| norms[*j]).collect(), right)
}

/// The first `columns` columns of an orthonormal basis that begins with those of `m`; columns of zeros are filled in too.
fn completed(m: Matrix, columns: usize) -> Matrix {
    let mut basis: Vec<Vec<f64>> = vec![];
    let mut units = 0..m.rows;
    for j in 0..columns {
        let mut candidate = if j < m.columns {
            m.column(j)
        } else {
            vec![0.0; m.rows]
        };
        while candidate.iter().map(|x| x * x).sum::<f64>() < 0.25 {
            let Some(unit) = units.next() else { break };
            candidate = vec![0.0; m.rows];
            candidate[unit] = 1.0;
            // Twice is enough (Kahan).
            for _ in 0..2 {
                for b in &basis {
                    let product: f64 = b.iter().zip(&candidate).map(|(x, y)| x * y).sum();
                    candidate
                        .iter_mut()
                        .zip(b)
                        .for_each(|(x, y)| *x -= product * y);
                }
            }
            let norm = candidate.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > 0.5 / (m.rows as f64).sqrt() {
                candidate.iter_mut().for_each(|x| *x /= norm);
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

#[cfg(test)]
#[path = "lapack_tests.rs"]
mod tests;
