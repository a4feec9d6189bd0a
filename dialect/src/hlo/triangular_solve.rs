//! `triangular_solve`: solves batches of linear systems with triangular matrices.
//!
//! Meaning: op(A) * X = B (left_side) or X * op(A) = B, op(A) = A, its transpose or its adjoint; only the lower (`lower`) or upper triangle of A is
//! read, and not its diagonal when `unit_diagonal`.
//! Inputs I1 a, I2 b (float or complex tensors), I3 left_side, I4 lower, I5 unit_diagonal, I6 transpose_a.
//! Constraints: C1 element types agree; C2 2 <= rank(a) = rank(b); C3 batch sizes agree, a is square of the size of b it meets; C4 type(result) =
//! type(b); I1 the element type's kind.
//! Kind: arithmetic: the substitution in the field. Numerics: in f64, rounded once; a zero on the diagonal divides.
//! Example: `%2 = hlo.triangular_solve %0, %1 {left_side = true, lower = true, unit_diagonal = false, transpose_a = "NO_TRANSPOSE"} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, gamma, subnormal_roundoff, unit_roundoff},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        contraction::magnitudes,
        number::{self, Number},
        quantization, region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TriangularSolve {
    pub left_side: bool,
    pub lower: bool,
    pub unit_diagonal: bool,
    pub transpose_a: Transpose,
}

/// What is done to the matrix first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transpose {
    NoTranspose,
    Transpose,
    Adjoint,
}

impl Transpose {
    const WORDS: [(Transpose, &'static str); 3] =
        [(Transpose::NoTranspose, "NO_TRANSPOSE"), (Transpose::Transpose, "TRANSPOSE"), (Transpose::Adjoint, "ADJOINT")];

    pub fn word(self) -> &'static str {
        Transpose::WORDS.iter().find(|(t, _)| *t == self).map_or("NO_TRANSPOSE", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<Transpose> {
        Transpose::WORDS.iter().find(|(_, w)| *w == word).map(|(t, _)| *t)
    }
}

/// Sizes of a batch of systems: matrices n x n, b rows x columns.
struct Systems {
    batch: usize,
    n: usize,
    rows: usize,
    columns: usize,
}

impl TriangularSolve {
    fn systems(&self, a: &Tensor, b: &Tensor) -> Result<Systems, Stop> {
        match (a.dims(), b.dims()) {
            ([batch @ .., m, n], [other @ .., rows, columns]) if m == n && batch == other && *n == if self.left_side { *rows } else { *columns } => {
                Ok(Systems { batch: batch.iter().product::<u64>() as usize, n: *n as usize, rows: *rows as usize, columns: *columns as usize })
            }
            _ => Err(Stop::Trap(Trap::ShapeMismatch(format!("triangular_solve of {} and {}", a.ty(), b.ty())))),
        }
    }

    /// Element (i, j) of the matrix M of the systems M * y = r that are solved, one for each vector of unknowns: op(A), or its transpose for systems
    /// X * op(A) = B.
    fn element<N: Number>(&self, a: &[N], n: usize, i: usize, j: usize) -> N {
        let transposed = (self.transpose_a == Transpose::NoTranspose) != self.left_side;
        let at = if transposed { a[j * n + i] } else { a[i * n + j] };
        match self.transpose_a {
            Transpose::NoTranspose | Transpose::Transpose => at,
            Transpose::Adjoint => at.conj(),
        }
    }

    /// Whether M is lower triangular: substitution runs forward.
    fn forward(&self) -> bool {
        let transposed = (self.transpose_a == Transpose::NoTranspose) != self.left_side;
        self.lower != transposed
    }

    /// Substitution: every unknown from the ones before it.
    fn solve<N: Number>(&self, a: &[N], b: &[N], s: &Systems, zero_divisors: &mut u64) -> Vec<N> {
        let (n, size) = (s.n, s.rows * s.columns);
        let mut out = b.to_vec();
        for batch in 0..s.batch {
            let a = &a[batch * n * n..][..n * n];
            let x = &mut out[batch * size..][..size];
            // Vector v of unknowns, element i.
            let place = |v: usize, i: usize| if self.left_side { i * s.columns + v } else { v * s.columns + i };
            let vectors = if self.left_side { s.columns } else { s.rows };
            let diagonal: Vec<(N, N)> = (0..n)
                .map(|i| {
                    let d = if self.unit_diagonal { N::exact(1.0) } else { self.element(a, n, i, i) };
                    (d, d.inverse(zero_divisors))
                })
                .collect();
            for step in 0..n {
                let i = if self.forward() { step } else { n - 1 - step };
                let known = if self.forward() { 0..i } else { i + 1..n };
                for v in 0..vectors {
                    let mut sum = x[place(v, i)];
                    for j in known.clone() {
                        sum = sum.sub(self.element(a, n, i, j).mul(x[place(v, j)]));
                    }
                    x[place(v, i)] = if self.unit_diagonal { sum } else { sum.div(diagonal[i].0, diagonal[i].1) };
                }
            }
        }
        out
    }
}

/// A non-negative number for bounds: `sub` adds, so that substitution solves with the comparison matrix (Higham, section 8.2).
#[derive(Debug, Clone, Copy)]
struct Comparison(f64);

impl Number for Comparison {
    fn exact(value: f64) -> Comparison {
        Comparison(value.abs())
    }

    fn add(self, other: Comparison) -> Comparison {
        Comparison(self.0 + other.0)
    }

    fn sub(self, other: Comparison) -> Comparison {
        Comparison(self.0 + other.0)
    }

    fn mul(self, other: Comparison) -> Comparison {
        Comparison(if self.0 == 0.0 || other.0 == 0.0 { 0.0 } else { self.0 * other.0 })
    }

    fn inverse(self, _: &mut u64) -> Comparison {
        Comparison(1.0 / self.0)
    }

    fn div(self, divisor: Comparison, _: Comparison) -> Comparison {
        Comparison(if self.0 == 0.0 { 0.0 } else { self.0 / divisor.0 })
    }

    fn sqrt(self) -> Comparison {
        Comparison(self.0.sqrt())
    }

    fn conj(self) -> Comparison {
        self
    }

    fn real_part(self) -> Comparison {
        self
    }

    fn value(self) -> f64 {
        self.0
    }
}

impl OpDef for TriangularSolve {
    const NAME: &'static str = "triangular_solve";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> TriangularSolve {
        let word = reader.str("transpose_a");
        let transpose_a = Transpose::from_word(&word).unwrap_or_else(|| {
            reader.reject(format!("I6: transpose_a '{word}' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT"));
            Transpose::NoTranspose
        });
        TriangularSolve { left_side: reader.bool("left_side"), lower: reader.bool("lower"), unit_diagonal: reader.bool("unit_diagonal"), transpose_a }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("left_side", self.left_side)
            .with("lower", self.lower)
            .with("unit_diagonal", self.unit_diagonal)
            .with("transpose_a", self.transpose_a.word())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [a, b] = shape::tensors(cx, 2)?[..] else { return Err(vec!["expected 2 operands".to_string()]) };
        let baseline = |e: &ElementType| quantization::parameters(e).map_or(e.clone(), |q| q.expressed.clone());
        let (of_a, of_b) = (baseline(&a.element), baseline(&b.element));
        let mut wrong = vec![];
        if of_a != of_b {
            wrong.push(format!("C1: element types differ: {a} and {b}"));
        }
        if !of_a.is_float() && !of_a.is_complex() {
            wrong.push(format!("I1: the element type must be float or complex, got {a}"));
        }
        if a.rank() != b.rank() || a.rank() < 2 {
            wrong.push(format!("C2: a and b must have one rank of at least 2: {a} and {b}"));
            return Err(wrong);
        }
        let r = a.rank();
        let met = b.dims[if self.left_side { r - 2 } else { r - 1 }];
        let batch_fits = (0..r - 2).all(|d| shape::join_dims(a.dims[d], b.dims[d]).is_some());
        if !batch_fits || shape::join_dims(a.dims[r - 2], a.dims[r - 1]).is_none() || shape::join_dims(a.dims[r - 1], met).is_none() {
            wrong.push(format!("C3: the shapes do not fit: {a} and {b}"));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(b.clone())]) } else { Err(wrong) } // C4
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let (a, b) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let (s, mut divisors) = (self.systems(a, b)?, 0);
        let result = if b.element().is_complex() {
            let x = self.solve(&number::complexes(a), &number::complexes(b), &s, &mut divisors);
            number::complex_tensor(b.dims(), b.element(), &x, cx.planes)
        } else {
            let x = self.solve(&number::reals(a), &number::reals(b), &s, &mut divisors);
            number::real_tensor(b.dims(), b.element(), &x, cx.planes)
        };
        if cx.planes == Planes::IeeeAndRing && !self.unit_diagonal {
            cx.events.zero_divisors += divisors;
        }
        Ok(vec![result.into()])
    }

    /// With M the comparison matrix (|diagonal| less its error, -(|a| + error) beside it), z = M^-1 |b| >= |x| and
    /// |x' - x| <= M^-1 (gamma_3n |A| z + eb + ea z): holds for substitution and for blocks that are inverted first (Higham, sections 8.1 and 14.2).
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let [Bounded { value: Value::Tensor(a), error: ea }, Bounded { value: Value::Tensor(b), error: eb }] = operands else {
            return Ok(region_bound::undetermined(values));
        };
        if quantization::parameters(a.element()).is_some() {
            return Ok(region_bound::undetermined(values));
        }
        let s = self.systems(a, b)?;
        let n = s.n;
        let (abs_a, abs_b) = (magnitudes(a), magnitudes(b));
        let (abs_a, abs_b) = (abs_a.as_slice::<f64>(), abs_b.as_slice::<f64>());
        let read = |at: usize| {
            let (i, j) = (at / n % n, at % n);
            i == j || (i > j) == self.lower
        };
        let diagonal = |at: usize| at / n % n == at % n;
        let m: Vec<Comparison> = abs_a
            .iter()
            .enumerate()
            .map(|(at, v)| Comparison(if diagonal(at) { (v - ea.at(at)).max(0.0) } else { v + ea.at(at) }))
            .collect();
        let z = self.solve(&m, &abs_b.iter().map(|v| Comparison(*v)).collect::<Vec<_>>(), &s, &mut 0);
        // Right-hand side gamma |A| z + ea z + eb, by the same dimensions as the systems.
        let factor = if b.element().is_complex() { 6.0 } else { 3.0 };
        let g = gamma(factor * n as f64 + 4.0, unit_roundoff(b.element()));
        let size = s.rows * s.columns;
        let vectors = if self.left_side { s.columns } else { s.rows };
        let mut right: Vec<Comparison> = (0..b.len()).map(|i| Comparison(eb.at(i))).collect();
        for batch in 0..s.batch {
            let matrix: Vec<Comparison> = (0..n * n)
                .map(|at| {
                    let whole = batch * n * n + at;
                    match (read(at), diagonal(at) && self.unit_diagonal) {
                        (_, true) => Comparison(g),
                        (true, false) => Comparison(g * abs_a[whole] + ea.at(whole)),
                        (false, false) => Comparison(0.0),
                    }
                })
                .collect();
            for v in 0..vectors {
                let place = |i: usize| batch * size + if self.left_side { i * s.columns + v } else { v * s.columns + i };
                for i in 0..n {
                    let sum: f64 = (0..n).map(|j| self.element(&matrix, n, i, j).mul(z[place(j)]).0).sum();
                    right[place(i)] = right[place(i)].add(Comparison(sum));
                }
            }
        }
        let errors = self.solve(&m, &right, &s, &mut 0);
        let result = magnitudes(shape::operand(values, 0)?);
        let (u, tiny) = (unit_roundoff(b.element()), subnormal_roundoff(b.element()));
        let all = errors.iter().zip(result.as_slice::<f64>()).map(|(e, x)| {
            let error = e.0 + u * x + tiny * n as f64;
            if x.is_finite() && !error.is_nan() { error } else { f64::INFINITY }
        });
        Ok(vec![Bound::absolute(all.collect())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (n, m) = (s.range(1, s.size), s.range(1, s.size));
        let batch: Vec<u64> = (0..s.range(0, 2)).map(|_| s.range(1, 3)).collect();
        let element = s.element(|e| matches!(e, ElementType::F32 | ElementType::F64 | ElementType::C64 | ElementType::C128));
        let left_side = s.range(0, 1) == 0;
        let op = TriangularSolve {
            left_side,
            lower: s.range(0, 1) == 0,
            unit_diagonal: s.range(0, 1) == 0,
            transpose_a: s.pick(&Transpose::WORDS).0,
        };
        let b = if left_side { [n, m] } else { [m, n] };
        let ty = |last: [u64; 2]| Type::tensor([&batch[..], &last].concat(), element.clone());
        Sampler::single(op, &[ty([n, n]), ty(b)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};
    use num_complex::Complex;

    fn plain() -> TriangularSolve {
        TriangularSolve { left_side: true, lower: true, unit_diagonal: false, transpose_a: Transpose::NoTranspose }
    }

    fn eval(op: &TriangularSolve, a: &Tensor, b: &Tensor) -> (Tensor, Bound) {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let operands = [Value::from(a.clone().with_embedded_ring()), Value::from(b.clone().with_embedded_ring())];
        let values = op.eval(&operands, &[b.ty().into()], &mut cx).unwrap();
        let bounded = [0, 1].map(|i| Bounded { value: &operands[i], error: &Bound::Exact });
        let bound = op.bound(&bounded, &[], &values, &mut cx).unwrap().remove(0);
        (values[0].as_tensor().unwrap().clone(), bound)
    }

    #[test]
    fn all_sixteen_forms_solve_their_system() {
        // A has 1s off the stored triangle as poison; the diagonal 2, 4 is not read when it is taken as 1.
        let b = [3f64, -1., 2., 5.];
        for form in 0..24 {
            let op = TriangularSolve {
                left_side: form & 1 == 0,
                lower: form & 2 == 0,
                unit_diagonal: form & 4 == 0,
                transpose_a: Transpose::WORDS[form >> 3].0,
            };
            let a = if op.lower { [2f64, 99., 3., 4.] } else { [2f64, 3., 99., 4.] };
            let (x, _) = eval(&op, &Tensor::from_slice(&[2, 2], ElementType::F64, &a), &Tensor::from_slice(&[2, 2], ElementType::F64, &b));
            let x = x.as_slice::<f64>();
            // op(A) as it is meant.
            let mut m = if op.lower { [[2., 0.], [3., 4.]] } else { [[2., 3.], [0., 4.]] };
            if op.unit_diagonal {
                (m[0][0], m[1][1]) = (1., 1.);
            }
            if op.transpose_a != Transpose::NoTranspose {
                m = [[m[0][0], m[1][0]], [m[0][1], m[1][1]]];
            }
            let product: Vec<f64> = (0..4)
                .map(|at| {
                    let (i, j) = (at / 2, at % 2);
                    (0..2).map(|k| if op.left_side { m[i][k] * x[k * 2 + j] } else { x[i * 2 + k] * m[k][j] }).sum()
                })
                .collect();
            assert_eq!(product, b, "{op:?}");
        }
    }

    #[test]
    fn the_ring_and_complex_adjoints() {
        let a = Tensor::from_slice(&[2, 2], ElementType::F32, &[2f32, 0., 3., 4.]);
        let b = Tensor::from_slice(&[2, 1], ElementType::F32, &[4f32, 18.]);
        assert_eq!(eval(&plain(), &a, &b).0.ring(), Some(&[2, 3][..]));
        // conj(i) * x = 2: x = 2i.
        let a = Tensor::from_slice(&[1, 1], ElementType::C64, &[Complex::new(0f32, 1.)]);
        let b = Tensor::from_slice(&[1, 1], ElementType::C64, &[Complex::new(2f32, 0.)]);
        let (x, _) = eval(&TriangularSolve { transpose_a: Transpose::Adjoint, ..plain() }, &a, &b);
        assert_eq!((x.as_slice::<[f32; 2]>(), x.ring()), (&[[0f32, 2.]][..], Some(&[0, 2][..])));
    }

    #[test]
    fn the_bound_covers_a_computation_in_f32() {
        let n = 5;
        let a: Vec<f32> = (0..n * n).map(|i| if i / n == i % n { 2.0 + (i as f32).cos() } else { (i as f32).sin() }).collect();
        let b: Vec<f32> = (0..n).map(|i| 0.1 + i as f32).collect();
        let mut x = b.clone();
        for i in 0..n {
            for j in 0..i {
                x[i] -= a[i * n + j] * x[j];
            }
            x[i] /= a[i * n + i];
        }
        let (want, bound) = eval(&plain(), &Tensor::from_slice(&[n as u64, n as u64], ElementType::F32, &a), &Tensor::from_slice(&[n as u64, 1], ElementType::F32, &b));
        for (i, (got, want)) in x.iter().zip(want.as_slice::<f32>()).enumerate() {
            let distance = f64::from((got - want).abs());
            assert!(distance <= bound.at(i) && bound.at(i) < 1e-2, "{i}: {distance} {}", bound.at(i));
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        let f = |dims: &[u64]| t(dims, ElementType::F32);
        let infer = |a: Type, b: Type| plain().infer(&InferContext { operands: &[a, b], declared: &[], regions: &[] });
        assert!(infer(f(&[2, 3, 3]), f(&[2, 3, 1])).is_ok());
        for (tag, got) in [
            ("C1", infer(t(&[3, 3], ElementType::F64), f(&[3, 1]))),
            ("C2", infer(f(&[3]), f(&[3]))),
            ("C2", infer(f(&[3, 3]), f(&[1, 3, 1]))),
            ("C3", infer(f(&[3, 4]), f(&[4, 1]))),
            ("C3", infer(f(&[3, 3]), f(&[4, 1]))),
            ("C3", infer(f(&[2, 3, 3]), f(&[1, 3, 1]))),
            ("I1", infer(t(&[3, 3], ElementType::I32), t(&[3, 1], ElementType::I32))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
