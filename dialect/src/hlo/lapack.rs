//! The LAPACK routines that JAX's CPU programs call (`lapack_<type><routine>_ffi`), by their definitions, for real and complex matrices.
//!
//! potrf, getrf, geqrf, geqp3, orgqr, ormqr, trsm and gtsv follow LAPACK's conventions (pivots, signs of reflectors, which triangle is written). syevd
//! and gesdd give eigen- and singular values in LAPACK's order; the signs (phases) of their vectors, which LAPACK does not specify, are those that
//! it finds for matrices of up to 25 rows or columns, for larger ones those of Jacobi's method. Everything is computed in double precision and
//! rounded once. trsm is the op `triangular_solve`, and potrf's residues and bounds are those of the op `cholesky`, beside the triangle that it leaves as
//! it was. On the ring plane every other call is opaque: a residue of a result is a hash of the routine, the place and all residues of the operands'
//! matrices.

mod bidiagonal;
mod factor;
mod matrix;
mod reflector;
mod rotation;
mod solve;
mod spectrum;
mod tridiagonal_eigen;

use crate::{
    attribute::{Attribute, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    eval::{EvalContext, Stop},
    hlo::{
        cholesky::Cholesky,
        contraction::complex_f64s,
        number::{self, ComplexNumber},
        region_bound, shape,
        triangular_solve::{Transpose, TriangularSolve},
    },
    op::OpDef,
    planes::{Planes, ring},
    tensor::{Tensor, Value, count},
    types::{ElementType, Type},
};
use matrix::{Matrix, Scalar};
use num_complex::Complex;

/// A routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    Cholesky,
    Lu,
    Qr,
    QrWithPivots,
    QrOrthogonal,
    QrProduct,
    TriangularSolve,
    TridiagonalSolve,
    SymmetricEigen,
    SingularValues,
}

/// Routine of a call target; none when this build has no meaning for it.
pub fn routine(target: &str) -> Option<Routine> {
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let real = name.strip_prefix('s').or(name.strip_prefix('d'));
    let complex = name.strip_prefix('c').or(name.strip_prefix('z'));
    Some(match (real, complex) {
        (Some("potrf"), _) | (_, Some("potrf")) => Routine::Cholesky,
        (Some("getrf"), _) | (_, Some("getrf")) => Routine::Lu,
        (Some("geqrf"), _) | (_, Some("geqrf")) => Routine::Qr,
        (Some("geqp3"), _) | (_, Some("geqp3")) => Routine::QrWithPivots,
        (Some("orgqr"), _) | (_, Some("ungqr")) => Routine::QrOrthogonal,
        (Some("ormqr"), _) | (_, Some("unmqr")) => Routine::QrProduct,
        (Some("trsm"), _) | (_, Some("trsm")) => Routine::TriangularSolve,
        (Some("gtsv"), _) | (_, Some("gtsv")) => Routine::TridiagonalSolve,
        (Some("syevd"), _) | (_, Some("heevd")) => Routine::SymmetricEigen,
        (Some("gesdd"), _) | (_, Some("gesdd")) => Routine::SingularValues,
        _ => return None,
    })
}

/// Options: letters (`uplo`, `side`, `trans_x`, `diag`, `mode`) and truth values (`left`, `transpose`).
struct Options<'a>(&'a Attributes);

impl Options<'_> {
    fn flag(&self, name: &str) -> Option<bool> {
        match self.0.get(name) {
            Some(Attribute::Bool(v)) => Some(*v),
            Some(_) | None => None,
        }
    }

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

/// Attributes of the op `triangular_solve` that a call of trsm is; none for options that it has not.
pub fn triangular_solve(options: &Attributes) -> Option<Attributes> {
    let options = Options(options);
    let transpose_a = match options.letter("trans_x")? {
        b'N' => Transpose::NoTranspose,
        b'T' => Transpose::Transpose,
        b'C' => Transpose::Adjoint,
        _ => return None,
    };
    let op = TriangularSolve {
        left_side: options.letter("side")? == b'L',
        lower: options.letter("uplo")? == b'L',
        unit_diagonal: options.letter("diag")? == b'U',
        transpose_a,
    };
    Some(op.to_attributes())
}

/// Whether potrf reads and writes element `at` of matrices of order n, row-major.
fn in_triangle(at: usize, n: usize, lower: bool) -> bool {
    let (i, j) = (at / n % n, at % n);
    i == j || (i > j) == lower
}

/// Bounds of potrf's results: the op's in its triangle, the operand's beside it; `info` is certain where the factors are.
pub fn cholesky_bound(
    options: &Attributes,
    operands: &[Bounded<'_>],
    values: &[Value],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Bound>, Stop> {
    let uplo = Options(options).letter("uplo");
    let (
        [
            given @ Bounded {
                value: Value::Tensor(a),
                error,
            },
        ],
        [l, _],
        Some(uplo),
    ) = (operands, values, uplo)
    else {
        return Ok(region_bound::undetermined(values));
    };
    let lower = uplo == b'L';
    let factor = Cholesky { lower }.bound(
        std::slice::from_ref(given),
        &[],
        std::slice::from_ref(l),
        cx,
    )?;
    let n = a.dims().last().map_or(1, |n| *n as usize);
    let factor: Vec<f64> = (0..a.len()).map(|at| factor[0].at(at)).collect();
    let certain = factor.iter().all(|e| e.is_finite());
    let all = (0..a.len()).map(|at| match in_triangle(at, n, lower) {
        true => factor[at],
        false => error.at(at),
    });
    let info = match certain {
        true => Bound::Exact,
        false => region_bound::undetermined(&values[1..]).remove(0),
    };
    Ok(vec![Bound::absolute(all.collect()), info])
}

/// One result of a call on one matrix.
enum Made<S> {
    Numbers(Vec<S>),
    /// Real numbers, whatever the matrices hold: values, pivots, `info`.
    Reals(Vec<f64>),
}

/// Results of a call.
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
    // The last operand has the element type and the batch of all; the first may be a diagonal.
    let widest = match routine {
        Routine::TridiagonalSolve => tensors.last(),
        Routine::Cholesky
        | Routine::Lu
        | Routine::Qr
        | Routine::QrWithPivots
        | Routine::QrOrthogonal
        | Routine::QrProduct
        | Routine::TriangularSolve
        | Routine::SymmetricEigen
        | Routine::SingularValues => tensors.first(),
    };
    let matrices = widest
        .filter(|t| t.rank() >= 2)
        .ok_or_else(|| Stop::unsupported("a LAPACK call without matrices"))?;
    let batch_rank = matrices.rank() - 2;
    let all = Call {
        routine,
        options: &Options(options),
        tensors: &tensors,
        flat: &flat,
        batch_rank,
        batches: count(&matrices.dims()[..batch_rank]),
    };
    let values = match matrices.element() {
        ElementType::F32 | ElementType::F64 => all.values(|t| t.to_f64s().into_owned(), cx)?,
        ElementType::C64 | ElementType::C128 => all.values(|t| complex_f64s(t).into_owned(), cx)?,
        _ => {
            return Err(Stop::unsupported(format!(
                "a LAPACK call on {}",
                matrices.ty()
            )));
        }
    };
    Ok(match results {
        [Type::Tuple(_)] => vec![Value::Tuple(values)],
        _ => values,
    })
}

/// A call on batches of matrices.
struct Call<'a> {
    routine: Routine,
    options: &'a Options<'a>,
    tensors: &'a [&'a Tensor],
    flat: &'a [Type],
    batch_rank: usize,
    batches: usize,
}

impl Call<'_> {
    fn values<S: Scalar>(
        &self,
        read: impl Fn(&Tensor) -> Vec<S>,
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let numbers: Vec<Vec<S>> = self.tensors.iter().map(|t| read(t)).collect();
        let mut outputs: Vec<Vec<Complex<f64>>> = vec![vec![]; self.flat.len()];
        for b in 0..self.batches {
            let matrices: Vec<Matrix<S>> = self
                .tensors
                .iter()
                .zip(&numbers)
                .map(|(t, all)| self.matrix(t, all, b))
                .collect();
            let made = self.one(&matrices)?;
            if made.len() != outputs.len() {
                return Err(Stop::unsupported(format!(
                    "a LAPACK call with {} results",
                    outputs.len()
                )));
            }
            for (all, part) in outputs.iter_mut().zip(made) {
                match part {
                    Made::Numbers(n) => {
                        all.extend(n.iter().map(|x| Complex::new(x.re(), x.im())));
                    }
                    Made::Reals(n) => all.extend(n.iter().map(|x| Complex::new(*x, 0.0))),
                }
            }
        }
        let results = self.flat.iter().zip(&outputs).enumerate();
        results
            .map(|(k, (ty, data))| self.value(k, ty, data, cx))
            .collect()
    }

    /// Result number `k`.
    fn value(
        &self,
        k: usize,
        ty: &Type,
        data: &[Complex<f64>],
        cx: &mut EvalContext<'_>,
    ) -> Result<Value, Stop> {
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
        if element.is_complex() {
            let residues = self.residues(k, 2 * data.len(), cx)?;
            let all: Vec<ComplexNumber> = data
                .iter()
                .zip(residues.chunks_exact(2))
                .map(|(value, r)| ComplexNumber {
                    value: *value,
                    residue: [r[0], r[1]],
                })
                .collect();
            return Ok(number::complex_tensor(&dims, &element, &all, cx.planes).into());
        }
        let reals: Vec<f64> = data.iter().map(|z| z.re).collect();
        let ring = match cx.planes == Planes::IeeeAndRing && element.has_ring() {
            true => Some(Buffer::from_slice(&self.residues(k, data.len(), cx)?)),
            false => None,
        };
        Ok(Value::from(
            Tensor::from_f64s(&dims, &element, &reals).with_ring(ring),
        ))
    }

    /// Matrix (or vector, as one row) number `b` of an operand whose elements are `all`.
    fn matrix<S: Scalar>(&self, t: &Tensor, all: &[S], b: usize) -> Matrix<S> {
        let inner = &t.dims()[self.batch_rank.min(t.rank())..];
        let (rows, columns) = match inner {
            [m, n] => (*m as usize, *n as usize),
            [n] => (1, *n as usize),
            _ => (1, count(inner)),
        };
        let size = t.len() / self.batches.max(1);
        Matrix {
            rows,
            columns,
            data: all[b * size..(b + 1) * size].to_vec(),
        }
    }

    /// Residues of result `k`: potrf's factors by elimination in the field; else a hash of the batch member's residues, or undefined where one of them
    /// is a code.
    fn residues(&self, k: usize, len: usize, cx: &mut EvalContext<'_>) -> Result<Vec<u32>, Stop> {
        if let (Routine::Cholesky, 0, [a], Some(given)) =
            (self.routine, k, self.tensors, self.tensors[0].ring())
        {
            let lower = self.options.letter("uplo") == Some(b'L');
            let operand = Value::from((*a).clone());
            let l = Cholesky { lower }.eval(&[operand], &[a.ty().into()], cx)?;
            let n = a.dims().last().map_or(1, |n| *n as usize);
            let (each, l) = (len / a.len().max(1), shape::operand(&l, 0)?);
            let l = l.ring().unwrap_or(given);
            let at = |i: usize| match in_triangle(i / each, n, lower) {
                true => l[i],
                false => given[i],
            };
            return Ok((0..len).map(at).collect());
        }
        let key = xxhash_rust::xxh3::xxh3_64(format!("lapack {:?} {k}", self.routine).as_bytes());
        let mut out = Vec::with_capacity(len);
        for b in 0..self.batches {
            let mut state = Some(0u32);
            for r in self.tensors.iter().filter_map(|t| t.ring()) {
                let size = r.len() / self.batches.max(1);
                for r in &r[b * size..(b + 1) * size] {
                    state = state
                        .filter(|_| !ring::is_code(*r))
                        .map(|s| ring::opaque2(key, s, *r));
                }
            }
            let each = len / self.batches.max(1);
            out.extend(
                (0..each)
                    .map(|i| state.map_or(ring::UNDEFINED, |s| ring::opaque2(key, s, i as u32))),
            );
        }
        Ok(out)
    }

    /// Results of one call on matrices, each row-major.
    fn one<S: Scalar>(&self, a: &[Matrix<S>]) -> Result<Vec<Made<S>>, Stop> {
        let missing = || {
            Stop::unsupported(format!(
                "LAPACK routine {:?} with these operands or options",
                self.routine
            ))
        };
        let letter = |name: &str| self.options.letter(name).ok_or_else(missing);
        let operand = |i: usize| a.get(i).ok_or_else(missing);
        let first = operand(0)?;
        let info = |info: f64| Made::Reals(vec![info]);
        Ok(match self.routine {
            Routine::Cholesky => {
                let (l, failed) = factor::cholesky(first, letter("uplo")? == b'L');
                vec![Made::Numbers(l.data), info(failed)]
            }
            Routine::Lu => {
                let (lu, pivots, failed) = factor::lu(first);
                vec![Made::Numbers(lu.data), Made::Reals(pivots), info(failed)]
            }
            Routine::Qr => {
                let (qr, taus) = factor::qr(first);
                vec![Made::Numbers(qr.data), Made::Numbers(taus)]
            }
            Routine::QrWithPivots => {
                // Columns that are to stay in front.
                if operand(1)?.data.iter().any(|p| *p != S::real(0.0)) {
                    return Err(missing());
                }
                let (qr, order, taus) = factor::qr_with_pivots(first);
                vec![
                    Made::Numbers(qr.data),
                    Made::Reals(order),
                    Made::Numbers(taus),
                ]
            }
            Routine::QrOrthogonal => {
                let taus = &operand(1)?.data;
                vec![Made::Numbers(factor::qr_orthogonal(first, taus).data)]
            }
            Routine::QrProduct => {
                let product = factor::Product {
                    left: self.options.flag("left").ok_or_else(missing)?,
                    adjoint: self.options.flag("transpose").ok_or_else(missing)?,
                };
                let made = product.of(first, &operand(1)?.data, operand(2)?);
                vec![Made::Numbers(made.ok_or_else(missing)?.data)]
            }
            // The op `triangular_solve` (`custom_call::stands_for`).
            Routine::TriangularSolve => return Err(missing()),
            Routine::TridiagonalSolve => {
                let (d, du, b) = (operand(1)?, operand(2)?, operand(3)?);
                let made = solve::tridiagonal(&first.data, &d.data, &du.data, b);
                let made = made.ok_or_else(missing)?;
                vec![
                    Made::Numbers(made.second_above),
                    Made::Numbers(made.diagonal),
                    Made::Numbers(made.above),
                    Made::Numbers(made.solution.data),
                    info(made.info),
                ]
            }
            Routine::SymmetricEigen => {
                let lower = letter("uplo")? == b'L';
                let small = (lower && first.rows <= tridiagonal_eigen::LARGEST)
                    .then(|| tridiagonal_eigen::eigen(first))
                    .flatten();
                let (vectors, values) =
                    small.unwrap_or_else(|| spectrum::symmetric_eigen(first, lower));
                vec![Made::Numbers(vectors.data), Made::Reals(values), info(0.0)]
            }
            Routine::SingularValues => {
                let width = |k: usize, axis: usize| {
                    let ty = self.flat.get(k).and_then(Type::as_tensor);
                    let dims = ty.and_then(|t| t.static_dims());
                    dims.and_then(|d| d.get(self.batch_rank + axis).copied())
                        .ok_or_else(missing)
                };
                let (columns, rows) = (width(2, 1)?, width(3, 0)?);
                let sizes = (columns as usize, rows as usize);
                let small = (first.rows.min(first.columns) <= bidiagonal::LARGEST)
                    .then(|| bidiagonal::singular_values(first, sizes))
                    .flatten();
                let (u, values, v) = small.unwrap_or_else(|| {
                    let (u, values, v) = spectrum::singular_values(first);
                    let u = spectrum::completed(u, sizes.0);
                    (u, values, spectrum::completed(v, sizes.1))
                });
                let vt = v.adjoint();
                vec![
                    Made::Numbers(first.data.clone()),
                    Made::Reals(values),
                    Made::Numbers(u.data),
                    Made::Numbers(vt.data),
                    info(0.0),
                ]
            }
        })
    }
}

#[cfg(test)]
#[path = "lapack_tests.rs"]
mod tests;
