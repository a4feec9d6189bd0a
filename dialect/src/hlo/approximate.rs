//! Numbers with a running bound of their error: a formula evaluated with them gives the error bound of its result.
//!
//! Rounding of a sum of n terms in any order is at most gamma_n times the sum of their absolute values (Higham, Accuracy and Stability, section
//! 4.2), so sums keep that sum and their number of terms until they are used.

use crate::{
    bound::{gamma, subnormal_roundoff, unit_roundoff},
    hlo::number::Number,
    types::ElementType,
};

/// A real number known up to `error`, computed with unit roundoff `u`.
#[derive(Debug, Clone, Copy)]
pub struct Approximate {
    value: f64,
    error: f64,
    /// Sum of the absolute values of the terms added since the last product.
    magnitude: f64,
    terms: f64,
    u: f64,
    tiny: f64,
}

impl Approximate {
    /// A given value with its error, in a type.
    pub fn given(value: f64, error: f64, element: &ElementType) -> Approximate {
        Approximate {
            value,
            error,
            magnitude: value.abs(),
            terms: 1.0,
            u: unit_roundoff(element),
            tiny: subnormal_roundoff(element),
        }
    }

    /// Distance of the computed from the exact value.
    pub fn error(self) -> f64 {
        let sum = if self.terms > 1.0 {
            gamma(self.terms, self.u) * self.magnitude
        } else {
            0.0
        };
        let error = self.error + sum;
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// The number with `more` added to its error.
    pub fn widened(self, more: f64) -> Approximate {
        Approximate {
            error: self.error + more,
            ..self
        }
    }

    /// A new operand after an op that rounds once.
    fn rounded(self, other: Approximate, value: f64, error: f64) -> Approximate {
        let (u, tiny) = (self.u.max(other.u), self.tiny.max(other.tiny));
        let error = error + u * (value.abs() + error) + tiny;
        Approximate {
            value,
            error,
            magnitude: value.abs(),
            terms: 1.0,
            u,
            tiny,
        }
    }

    fn summed(self, other: Approximate, value: f64) -> Approximate {
        Approximate {
            value,
            error: self.error + other.error,
            magnitude: self.magnitude + other.magnitude,
            terms: self.terms + other.terms,
            u: self.u.max(other.u),
            tiny: self.tiny.max(other.tiny),
        }
    }
}

impl Number for Approximate {
    fn exact(value: f64) -> Approximate {
        Approximate {
            value,
            error: 0.0,
            magnitude: value.abs(),
            terms: 1.0,
            u: 0.0,
            tiny: 0.0,
        }
    }

    fn add(self, other: Approximate) -> Approximate {
        self.summed(other, self.value + other.value)
    }

    fn sub(self, other: Approximate) -> Approximate {
        self.summed(other, self.value - other.value)
    }

    fn mul(self, other: Approximate) -> Approximate {
        let (ea, eb) = (self.error(), other.error());
        let error = self.value.abs() * eb + other.value.abs() * ea + ea * eb;
        self.rounded(other, self.value * other.value, error)
    }

    fn inverse(self, _: &mut u64) -> Approximate {
        Approximate::exact(1.0).div(self, self)
    }

    fn div(self, divisor: Approximate, _: Approximate) -> Approximate {
        let (ea, eb) = (self.error(), divisor.error());
        let value = self.value / divisor.value;
        // |a'/b' - a/b| <= (ea + |a'/b'| eb) / (|b'| - eb).
        let room = divisor.value.abs() - eb;
        let error = if room > 0.0 {
            (ea + value.abs() * eb) / room
        } else {
            f64::INFINITY
        };
        // A division may be a product with the reciprocal: one rounding more.
        let value_error = error + divisor.u.max(self.u) * value.abs();
        self.rounded(divisor, value, value_error)
    }

    fn sqrt(self) -> Approximate {
        let (e, value) = (self.error(), self.value.sqrt());
        // |sqrt(x') - sqrt(x)| <= e / sqrt(x'), and at most sqrt(e).
        let error = if e == 0.0 {
            0.0
        } else {
            (e / value).min(e.sqrt())
        };
        self.rounded(self, value, error)
    }

    fn conj(self) -> Approximate {
        self
    }

    fn real_part(self) -> Approximate {
        self
    }

    fn value(self) -> f64 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_sums_products_and_quotients() {
        let u = 2f64.powi(-24);
        let x = |v: f64| Approximate::given(v, 0.0, &ElementType::F32);
        let sum = x(1.0).add(x(2.0)).sub(x(2.5));
        assert!((sum.error() - 3.0 * u * 5.5).abs() < 1e-4 * u);
        let product = x(3.0).mul(x(4.0));
        assert!((product.error() - 12.0 * u).abs() < 1e-4 * u);
        let carried = Approximate::given(2.0, 0.5, &ElementType::F64).mul(x(10.0));
        assert!(carried.error() > 5.0 && carried.error() < 5.001);
        let unknown = x(1.0).div(Approximate::given(0.1, 0.2, &ElementType::F32), x(0.0));
        assert_eq!(unknown.error(), f64::INFINITY);
    }

    #[test]
    fn the_root_of_almost_zero_is_off_by_at_most_the_root_of_the_error() {
        let root = Approximate::given(0.0, 1e-6, &ElementType::F64).sqrt();
        assert!((root.error() - 1e-3).abs() < 1e-9);
    }
}
