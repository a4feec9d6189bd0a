//! Row-major matrices of real or complex numbers in double precision.

use num_complex::Complex;
use std::{
    fmt::Debug,
    ops::{Add, Div, Mul, Neg, Sub},
};

/// An element of a matrix.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn real(value: f64) -> Self;
    fn re(self) -> f64;
    fn im(self) -> f64;
    fn conj(self) -> Self;
    fn modulus(self) -> f64;
    /// What LAPACK compares where it looks for a pivot: |re| + |im|.
    fn pivot_size(self) -> f64;
    /// A real number and a number of modulus 1 whose product is this one.
    fn polar(self) -> (f64, Self);
    /// A number with these parts; the imaginary one is zero where numbers are real.
    fn from_parts(re: f64, im: f64) -> Self;
}

impl Scalar for f64 {
    fn real(value: f64) -> f64 {
        value
    }

    fn re(self) -> f64 {
        self
    }

    fn im(self) -> f64 {
        0.0
    }

    fn conj(self) -> f64 {
        self
    }

    fn modulus(self) -> f64 {
        self.abs()
    }

    fn pivot_size(self) -> f64 {
        self.abs()
    }

    fn polar(self) -> (f64, f64) {
        (self, 1.0)
    }

    fn from_parts(re: f64, _: f64) -> f64 {
        re
    }
}

impl Scalar for Complex<f64> {
    fn real(value: f64) -> Complex<f64> {
        Complex::new(value, 0.0)
    }

    fn re(self) -> f64 {
        self.re
    }

    fn im(self) -> f64 {
        self.im
    }

    fn conj(self) -> Complex<f64> {
        Complex::conj(&self)
    }

    fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn pivot_size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn polar(self) -> (f64, Complex<f64>) {
        let r = self.modulus();
        if r == 0.0 {
            (0.0, Complex::new(1.0, 0.0))
        } else {
            (r, self / r)
        }
    }

    fn from_parts(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }
}

#[derive(Debug, Clone)]
pub struct Matrix<S> {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<S>,
}

impl<S: Scalar> Matrix<S> {
    pub fn zeros(rows: usize, columns: usize) -> Matrix<S> {
        Matrix {
            rows,
            columns,
            data: vec![S::real(0.0); rows * columns],
        }
    }

    pub fn identity(n: usize) -> Matrix<S> {
        let mut out = Matrix::zeros(n, n);
        (0..n).for_each(|i| out.set(i, i, S::real(1.0)));
        out
    }

    pub fn at(&self, i: usize, j: usize) -> S {
        self.data[i * self.columns + j]
    }

    pub fn set(&mut self, i: usize, j: usize, value: S) {
        self.data[i * self.columns + j] = value;
    }

    pub fn transposed(&self) -> Matrix<S> {
        let mut out = Matrix::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            for j in 0..self.columns {
                out.set(j, i, self.at(i, j));
            }
        }
        out
    }

    /// The conjugate of the transposed matrix.
    pub fn adjoint(&self) -> Matrix<S> {
        let mut out = self.transposed();
        out.data.iter_mut().for_each(|x| *x = x.conj());
        out
    }

    pub fn column(&self, j: usize) -> Vec<S> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    pub fn swap_columns(&mut self, p: usize, q: usize) {
        (0..self.rows).for_each(|i| self.data.swap(i * self.columns + p, i * self.columns + q));
    }
}
