//! Numbers on both planes, for definitions written as formulas over single elements (cholesky, triangular_solve, batch_norm, fft).
//!
//! The IEEE value is kept in f64 whatever the element type and rounded once at the end.

use crate::{
    buffer::Buffer,
    hlo::contraction::complex_f64s,
    planes::{
        Planes,
        ring::{self, Quotient, Residue},
    },
    tensor::Tensor,
    types::ElementType,
};
use num_complex::Complex;

/// A number a formula may be evaluated with.
pub trait Number: Copy {
    /// An exactly known real number.
    fn exact(value: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// 1 / self. Counts divisions by a residue that is zero while the value is not.
    fn inverse(self, zero_divisors: &mut u64) -> Self;
    /// self / divisor, whose inverse is `inverse`.
    fn div(self, divisor: Self, inverse: Self) -> Self;
    /// Square root of a number whose imaginary part is zero.
    fn sqrt(self) -> Self;
    fn conj(self) -> Self;
    fn real_part(self) -> Self;
    /// The real part of the value.
    fn value(self) -> f64;
}

/// A real number with its residue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Real {
    pub value: f64,
    pub residue: Residue,
}

/// A complex number with the residues of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComplexNumber {
    pub value: Complex<f64>,
    pub residue: [Residue; 2],
}

/// x^(2^29): multiplicative, and its square is x or -x. Codes and negative values have no root.
pub fn sqrt_residue(residue: Residue, value: f64) -> Residue {
    match residue {
        ring::POSITIVE_INFINITY => residue,
        ring::NEGATIVE_INFINITY | ring::UNDEFINED => ring::UNDEFINED,
        _ if value < 0.0 => ring::UNDEFINED,
        _ => ring::pow_residue(residue, 1 << 29),
    }
}

impl Number for Real {
    fn exact(value: f64) -> Real {
        Real {
            value,
            residue: ring::embed_f64(value),
        }
    }

    fn add(self, other: Real) -> Real {
        Real {
            value: self.value + other.value,
            residue: ring::add(self.residue, other.residue),
        }
    }

    fn sub(self, other: Real) -> Real {
        Real {
            value: self.value - other.value,
            residue: ring::sub(self.residue, other.residue),
        }
    }

    fn mul(self, other: Real) -> Real {
        let values = || (self.value, other.value);
        Real {
            value: self.value * other.value,
            residue: ring::mul(self.residue, other.residue, values),
        }
    }

    fn inverse(self, zero_divisors: &mut u64) -> Real {
        let residue = match ring::div(1, self.residue, 1.0, self.value) {
            Quotient::Value(r) => r,
            Quotient::ZeroDivisor => {
                *zero_divisors += 1;
                ring::by_zero(1)
            }
        };
        Real {
            value: 1.0 / self.value,
            residue,
        }
    }

    fn div(self, divisor: Real, inverse: Real) -> Real {
        Real {
            value: self.value / divisor.value,
            residue: self.mul(inverse).residue,
        }
    }

    fn sqrt(self) -> Real {
        Real {
            value: self.value.sqrt(),
            residue: sqrt_residue(self.residue, self.value),
        }
    }

    fn conj(self) -> Real {
        self
    }

    fn real_part(self) -> Real {
        self
    }

    fn value(self) -> f64 {
        self.value
    }
}

impl ComplexNumber {
    fn parts(self) -> [Real; 2] {
        [
            Real {
                value: self.value.re,
                residue: self.residue[0],
            },
            Real {
                value: self.value.im,
                residue: self.residue[1],
            },
        ]
    }

    fn from_parts([re, im]: [Real; 2]) -> ComplexNumber {
        ComplexNumber {
            value: Complex::new(re.value, im.value),
            residue: [re.residue, im.residue],
        }
    }
}

impl Number for ComplexNumber {
    fn exact(value: f64) -> ComplexNumber {
        ComplexNumber::from_parts([Real::exact(value), Real::exact(0.0)])
    }

    fn add(self, other: ComplexNumber) -> ComplexNumber {
        let ([a, b], [c, d]) = (self.parts(), other.parts());
        ComplexNumber::from_parts([a.add(c), b.add(d)])
    }

    fn sub(self, other: ComplexNumber) -> ComplexNumber {
        let ([a, b], [c, d]) = (self.parts(), other.parts());
        ComplexNumber::from_parts([a.sub(c), b.sub(d)])
    }

    fn mul(self, other: ComplexNumber) -> ComplexNumber {
        let ([a, b], [c, d]) = (self.parts(), other.parts());
        ComplexNumber::from_parts([a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))])
    }

    fn inverse(self, zero_divisors: &mut u64) -> ComplexNumber {
        // conj(z) / |z|^2; a real z is inverted as a real number.
        let [a, b] = self.parts();
        if b.value == 0.0 && b.residue == 0 {
            return ComplexNumber::from_parts([a.inverse(zero_divisors), Real::exact(0.0)]);
        }
        let norm = a.mul(a).add(b.mul(b)).inverse(zero_divisors);
        let minus = Real::exact(0.0).sub(b);
        ComplexNumber {
            value: self.value.inv(),
            residue: [a.mul(norm).residue, minus.mul(norm).residue],
        }
    }

    fn div(self, divisor: ComplexNumber, inverse: ComplexNumber) -> ComplexNumber {
        ComplexNumber {
            value: if divisor.value.im == 0.0 {
                self.value / divisor.value.re
            } else {
                self.value / divisor.value
            },
            residue: self.mul(inverse).residue,
        }
    }

    fn sqrt(self) -> ComplexNumber {
        let [a, _] = self.parts();
        ComplexNumber::from_parts([a.sqrt(), Real::exact(0.0)])
    }

    fn conj(self) -> ComplexNumber {
        let [a, b] = self.parts();
        ComplexNumber {
            value: self.value.conj(),
            residue: [a.residue, ring::neg(b.residue)],
        }
    }

    fn real_part(self) -> ComplexNumber {
        let [a, _] = self.parts();
        ComplexNumber::from_parts([a, Real::exact(0.0)])
    }

    fn value(self) -> f64 {
        self.value.re
    }
}

/// Elements of a real tensor; residues are 0 where the tensor has no ring plane.
pub fn reals(t: &Tensor) -> Vec<Real> {
    let values = t.to_f64s();
    let residue = |i: usize| t.ring().map_or(0, |r| r[i]);
    values
        .iter()
        .enumerate()
        .map(|(i, value)| Real {
            value: *value,
            residue: residue(i),
        })
        .collect()
}

/// Elements of a real or complex tensor as complex numbers.
pub fn complexes(t: &Tensor) -> Vec<ComplexNumber> {
    if !t.element().is_complex() {
        let zero = Real::exact(0.0);
        return reals(t)
            .into_iter()
            .map(|x| ComplexNumber::from_parts([x, zero]))
            .collect();
    }
    let residue = |i: usize| t.ring().map_or([0, 0], |r| [r[2 * i], r[2 * i + 1]]);
    complex_f64s(t)
        .iter()
        .enumerate()
        .map(|(i, value)| ComplexNumber {
            value: *value,
            residue: residue(i),
        })
        .collect()
}

/// A real tensor of type `element` from numbers.
pub fn real_tensor(dims: &[u64], element: &ElementType, all: &[Real], planes: Planes) -> Tensor {
    let values: Vec<f64> = all.iter().map(|x| x.value).collect();
    let t = Tensor::from_f64s(dims, element, &values);
    let residues: Vec<Residue> = all.iter().map(|x| x.residue).collect();
    with_residues(t, &residues, planes)
}

/// A complex tensor of type `element` from numbers.
pub fn complex_tensor(
    dims: &[u64],
    element: &ElementType,
    all: &[ComplexNumber],
    planes: Planes,
) -> Tensor {
    let data = match element {
        ElementType::C128 => {
            let values: Vec<Complex<f64>> = all.iter().map(|z| z.value).collect();
            Buffer::from_slice(&values)
        }
        _ => {
            let narrow = |z: &ComplexNumber| Complex::new(z.value.re as f32, z.value.im as f32);
            let values: Vec<Complex<f32>> = all.iter().map(narrow).collect();
            Buffer::from_slice(&values)
        }
    };
    let t = Tensor::new(dims.to_vec(), element.clone(), data, None);
    let residues: Vec<[Residue; 2]> = all.iter().map(|z| z.residue).collect();
    with_residues(t, bytemuck::cast_slice(&residues), planes)
}

fn with_residues(t: Tensor, residues: &[Residue], planes: Planes) -> Tensor {
    match planes {
        Planes::IeeeOnly => t,
        Planes::IeeeAndRing => t.with_ring(Some(Buffer::from_slice(residues))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_of_a_root_is_the_number_or_its_negative() {
        for i in 0..100 {
            let r = ring::input(3, 0, i);
            let root = sqrt_residue(r, 1.0);
            let square = ring::mul_residues(root, root);
            assert!(square == r || square == ring::neg(r));
        }
        assert_eq!(sqrt_residue(4, 4.0), 2);
        assert_eq!(sqrt_residue(4, -4.0), ring::UNDEFINED);
    }

    #[test]
    fn complex_inverse_and_division_agree() {
        let z = ComplexNumber {
            value: Complex::new(3.0, -4.0),
            residue: [3, ring::neg(4)],
        };
        let mut zero = 0;
        let product = z.mul(z.inverse(&mut zero));
        assert_eq!((product.residue, zero), ([1, 0], 0));
        assert!((product.value - Complex::new(1.0, 0.0)).norm() < 1e-15);
    }
}
