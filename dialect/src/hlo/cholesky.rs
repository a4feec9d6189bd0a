//! `cholesky`: triangular factor of positive definite matrices.
//!
//! Meaning: for every matrix A of the batch, L with A = L * adjoint(L), L lower triangular with positive diagonal; without `lower` the upper factor
//! adjoint(L), A read from its upper triangle. The other triangle of the result is zero. A matrix that is not positive definite gives NaN everywhere.
//! Inputs I1 a (float or complex tensor), I2 lower. Constraints: C1 type(result) = type(a); C2 rank(a) >= 2; C3 the last two sizes are equal; I1 the
//! element type's kind.
//! Kind: arithmetic: the elimination in the field, square roots as x^(2^29). Numerics: in f64, rounded once.
//! Example: `%1 = hlo.cholesky %0 {lower = true} : tensor<3x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        approximate::Approximate,
        number::{self, ComplexNumber, Number, Real},
        quantization, region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};
use num_complex::Complex;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cholesky {
    pub lower: bool,
}

/// The factor of one n x n matrix; none when a pivot is not positive.
fn factor<N: Number>(a: &[N], n: usize, lower: bool, zero_divisors: &mut u64) -> Option<Vec<N>> {
    let at = |i: usize, j: usize| if lower { a[i * n + j] } else { a[j * n + i].conj() };
    let mut l = vec![N::exact(0.0); n * n];
    for j in 0..n {
        let mut pivot = at(j, j).real_part();
        for k in 0..j {
            pivot = pivot.sub(l[j * n + k].mul(l[j * n + k].conj()).real_part());
        }
        if !(pivot.value() > 0.0 && pivot.value().is_finite()) {
            return None;
        }
        let diagonal = pivot.sqrt();
        let inverse = diagonal.inverse(zero_divisors);
        l[j * n + j] = diagonal;
        for i in j + 1..n {
            let mut sum = at(i, j);
            for k in 0..j {
                sum = sum.sub(l[i * n + k].mul(l[j * n + k].conj()));
            }
            l[i * n + j] = sum.div(diagonal, inverse);
        }
    }
    if lower {
        return Some(l);
    }
    Some((0..n * n).map(|at| l[at % n * n + at / n].conj()).collect())
}

/// Factors of all matrices; `undefined` fills those that have none.
fn factors<N: Number>(a: &[N], n: usize, lower: bool, undefined: N, zero_divisors: &mut u64) -> Vec<N> {
    a.chunks_exact((n * n).max(1)).flat_map(|m| factor(m, n, lower, zero_divisors).unwrap_or_else(|| vec![undefined; n * n])).collect()
}

/// Size of the square matrices of a tensor.
fn order(t: &Tensor) -> Result<usize, Stop> {
    match t.dims() {
        [.., m, n] if m == n => Ok(*n as usize),
        _ => Err(Stop::Trap(Trap::ShapeMismatch(format!("cholesky of {}", t.ty())))),
    }
}

impl OpDef for Cholesky {
    const NAME: &'static str = "cholesky";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Cholesky {
        Cholesky { lower: reader.opt_bool("lower").unwrap_or(false) }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("lower", self.lower)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let a = shape::tensors(cx, 1)?[0];
        let element = quantization::parameters(&a.element).map_or(&a.element, |q| &q.expressed);
        let mut wrong = vec![];
        if !element.is_float() && !element.is_complex() {
            wrong.push(format!("I1: the element type must be float or complex, got {a}"));
        }
        match a.dims[..] {
            [.., m, n] => {
                if shape::join_dims(m, n).is_none() {
                    wrong.push(format!("C3: the matrices must be square, got {a}"));
                }
            }
            _ => wrong.push(format!("C2: the rank must be at least 2, got {a}")),
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(a.clone())]) } else { Err(wrong) } // C1
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let a = shape::operand(operands, 0)?;
        let (n, zero) = (order(a)?, &mut cx.events.zero_divisors);
        let mut divisors = 0;
        let result = if a.element().is_complex() {
            let undefined = ComplexNumber { value: Complex::new(f64::NAN, f64::NAN), residue: [ring::UNDEFINED; 2] };
            let all = factors(&number::complexes(a), n, self.lower, undefined, &mut divisors);
            number::complex_tensor(a.dims(), a.element(), &all, cx.planes)
        } else {
            let undefined = Real { value: f64::NAN, residue: ring::UNDEFINED };
            let all = factors(&number::reals(a), n, self.lower, undefined, &mut divisors);
            number::real_tensor(a.dims(), a.element(), &all, cx.planes)
        };
        if cx.planes == crate::planes::Planes::IeeeAndRing {
            *zero += divisors;
        }
        Ok(vec![result.into()])
    }

    /// The elimination with running errors; sums of the trailing updates may be taken in any order. Complex matrices are undetermined.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let [Bounded { value: Value::Tensor(a), error }] = operands else { return Ok(region_bound::undetermined(values)) };
        if !a.element().is_float() {
            return Ok(region_bound::undetermined(values));
        }
        let given: Vec<Approximate> = a.to_f64s().iter().enumerate().map(|(i, v)| Approximate::given(*v, error.at(i), a.element())).collect();
        let undefined = Approximate::given(0.0, f64::INFINITY, a.element());
        let all = factors(&given, order(a)?, self.lower, undefined, &mut 0);
        Ok(vec![Bound::absolute(all.iter().map(|x| x.error()).collect())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let n = s.range(1, s.size);
        let mut dims: Vec<u64> = (0..s.range(0, 2)).map(|_| s.range(1, 3)).collect();
        dims.extend([n, n]);
        let element = s.element(|e| matches!(e, ElementType::F32 | ElementType::F64 | ElementType::C64 | ElementType::C128));
        Sampler::single(Cholesky { lower: s.range(0, 1) == 0 }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
    };

    fn eval(lower: bool, a: &Tensor) -> (Tensor, Bound) {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let operand = Value::from(a.clone().with_embedded_ring());
        let values = Cholesky { lower }.eval(std::slice::from_ref(&operand), &[a.ty().into()], &mut cx).unwrap();
        let bound = Cholesky { lower }.bound(&[Bounded { value: &operand, error: &Bound::Exact }], &[], &values, &mut cx).unwrap().remove(0);
        (values[0].as_tensor().unwrap().clone(), bound)
    }

    #[test]
    fn the_example_of_the_specification_and_its_upper_form() {
        // Values of the triangle that is not read are poison.
        let a = Tensor::from_slice(&[3, 3], ElementType::F32, &[1f32, 99., 99., 2., 20., 99., 3., 26., 70.]);
        let (l, bound) = eval(true, &a);
        assert_eq!(l.as_slice::<f32>(), [1., 0., 0., 2., 4., 0., 3., 5., 6.]);
        assert!(bound.at(8) > 0.0 && bound.at(8) < 1e-4 && bound.at(1) == 0.0);
        let a = Tensor::from_slice(&[3, 3], ElementType::F32, &[1f32, 2., 3., 99., 20., 26., 99., 99., 70.]);
        assert_eq!(eval(false, &a).0.as_slice::<f32>(), [1., 2., 3., 0., 4., 5., 0., 0., 6.]);
    }

    #[test]
    fn the_ring_eliminates_in_the_field() {
        let a = Tensor::from_slice(&[2, 2], ElementType::F64, &[4f64, 0., 6., 10.]);
        let (l, _) = eval(true, &a);
        let r = l.ring().unwrap();
        // L = [[2, 0], [3, 1]].
        assert_eq!(r, [2, 0, 3, 1]);
    }

    #[test]
    fn a_complex_matrix() {
        // L = [[2, 0], [1 + i, 3]]: A = [[4, .], [2 + 2i, 11]].
        let z = |re: f64, im: f64| Complex::new(re, im);
        let a = Tensor::from_slice(&[2, 2], ElementType::C128, &[z(4., 0.), z(9., 9.), z(2., 2.), z(11., 0.)]);
        let (l, _) = eval(true, &a);
        assert_eq!(l.as_slice::<Complex<f64>>(), [z(2., 0.), z(0., 0.), z(1., 1.), z(3., 0.)]);
        let a = Tensor::from_slice(&[2, 2], ElementType::C128, &[z(4., 0.), z(2., -2.), z(9., 9.), z(11., 0.)]);
        assert_eq!(eval(false, &a).0.as_slice::<Complex<f64>>(), [z(2., 0.), z(1., -1.), z(0., 0.), z(3., 0.)]);
    }

    #[test]
    fn only_the_matrix_that_is_not_positive_definite_becomes_nan() {
        let a = Tensor::from_slice(&[2, 1, 1], ElementType::F32, &[-1f32, 9.]);
        let (l, bound) = eval(true, &a);
        assert!(l.as_slice::<f32>()[0].is_nan() && l.as_slice::<f32>()[1] == 3.0);
        assert_eq!(l.ring().unwrap()[0], ring::UNDEFINED);
        assert_eq!(bound.at(0), f64::INFINITY);
    }

    #[test]
    fn the_bound_covers_a_computation_in_f32() {
        // A = B B^T + I of order 6 with B[i][j] = sin(i * 6 + j), factored in f32 in the plain order.
        let n = 6;
        let b: Vec<f64> = (0..n * n).map(|i| (i as f64).sin()).collect();
        let a: Vec<f32> = (0..n * n).map(|at| (0..n).map(|k| b[at / n * n + k] * b[at % n * n + k]).sum::<f64>() as f32 + f32::from(u8::from(at / n == at % n))).collect();
        let mut l = vec![0f32; n * n];
        for j in 0..n {
            l[j * n + j] = (a[j * n + j] - (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum::<f32>()).sqrt();
            for i in j + 1..n {
                l[i * n + j] = (a[i * n + j] - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f32>()) / l[j * n + j];
            }
        }
        let (want, bound) = eval(true, &Tensor::from_slice(&[n as u64, n as u64], ElementType::F32, &a));
        for (i, (got, want)) in l.iter().zip(want.as_slice::<f32>()).enumerate() {
            let distance = f64::from((got - want).abs());
            assert!(distance <= bound.at(i) && bound.at(i) < 0.01, "{i}: {distance} {}", bound.at(i));
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |dims: &[u64], e: ElementType| Cholesky { lower: true }.infer(&InferContext { operands: &[Type::tensor(dims.iter().copied(), e)], declared: &[], regions: &[] });
        assert!(infer(&[2, 3, 3], ElementType::F32).is_ok());
        assert!(infer(&[3], ElementType::F32).unwrap_err()[0].starts_with("C2"));
        assert!(infer(&[2, 3], ElementType::F32).unwrap_err()[0].starts_with("C3"));
        assert!(infer(&[3, 3], ElementType::I32).unwrap_err()[0].starts_with("I1"));
    }
}
