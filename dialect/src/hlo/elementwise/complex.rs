//! Functions of complex numbers in double precision: special values as C99 annex G, no overflow on the way where a scaling avoids it.

use num_complex::Complex;

type C = Complex<f64>;

fn times_i(z: C) -> C {
    C::new(-z.im, z.re)
}

fn over_i(z: C) -> C {
    C::new(z.im, -z.re)
}

/// Modulus; an infinite part wins over NaN.
pub fn abs(z: C) -> f64 {
    z.re.hypot(z.im)
}

/// Quotient; scaled by a power of two, infinities and zeros recovered as C99 G.5.1 does.
pub fn divide(a: C, b: C) -> C {
    let largest = b.re.abs().max(b.im.abs());
    let scale = if largest > 0.0 && largest.is_finite() {
        // A power of two near the largest part keeps the norm in range and the scaling exact.
        let exponent = ((largest.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000);
        (-f64::from(exponent)).exp2()
    } else {
        1.0
    };
    let (c, d) = (b.re * scale, b.im * scale);
    let norm = c * c + d * d;
    let re = (a.re * c + a.im * d) / norm * scale;
    let im = (a.im * c - a.re * d) / norm * scale;
    if !(re.is_nan() && im.is_nan()) {
        return C::new(re, im);
    }
    let unit = |x: f64| f64::from(u8::from(x.is_infinite())).copysign(x);
    if norm == 0.0 && !(a.re.is_nan() && a.im.is_nan()) {
        let infinity = f64::INFINITY.copysign(c);
        C::new(infinity * a.re, infinity * a.im)
    } else if (a.re.is_infinite() || a.im.is_infinite()) && c.is_finite() && d.is_finite() {
        let (x, y) = (unit(a.re), unit(a.im));
        C::new(
            f64::INFINITY * (x * c + y * d),
            f64::INFINITY * (y * c - x * d),
        )
    } else if largest.is_infinite() && a.re.is_finite() && a.im.is_finite() {
        let (x, y) = (unit(c), unit(d));
        C::new(0.0 * (a.re * x + a.im * y), 0.0 * (a.im * x - a.re * y))
    } else {
        C::new(re, im)
    }
}

/// Principal square root, cut along the negative axis; the sign of a zero imaginary part chooses the side.
pub fn sqrt(z: C) -> C {
    let (a, b) = (z.re, z.im);
    if a == 0.0 && b == 0.0 {
        return C::new(0.0, b);
    }
    if b.is_infinite() {
        return C::new(f64::INFINITY, b);
    }
    if a.is_nan() {
        return C::new(a, f64::NAN);
    }
    if a.is_infinite() {
        let rest = if b.is_nan() { b } else { 0.0 };
        return if a < 0.0 {
            C::new(rest.abs(), a.abs().copysign(b))
        } else {
            C::new(a, rest.copysign(b))
        };
    }
    if a.abs() > 1e307 || b.abs() > 1e307 {
        return sqrt(C::new(a * 0.25, b * 0.25)) * 2.0;
    }
    if a.abs() < 1e-290 && b.abs() < 1e-290 {
        let up = 2f64.powi(200);
        return sqrt(C::new(a * up, b * up)) * 2f64.powi(-100);
    }
    let t = ((a.abs() + a.hypot(b)) * 0.5).sqrt();
    if a >= 0.0 {
        C::new(t, b / (2.0 * t))
    } else {
        C::new(b.abs() / (2.0 * t), t.copysign(b))
    }
}

pub fn rsqrt(z: C) -> C {
    divide(C::new(1.0, 0.0), sqrt(z))
}

pub fn exp(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.exp(), z.im);
    }
    if z.re.is_infinite() && !z.im.is_finite() {
        return if z.re < 0.0 {
            C::new(0.0, 0.0)
        } else {
            C::new(f64::INFINITY, f64::NAN)
        };
    }
    if z.re > 709.0 && z.re.is_finite() {
        // The product may be in range although exp(re) is not.
        let half = (z.re / 2.0).exp();
        return C::new(half * z.im.cos() * half, half * z.im.sin() * half);
    }
    let e = z.re.exp();
    C::new(e * z.im.cos(), e * z.im.sin())
}

/// exp(z) - 1 without cancellation near 0.
pub fn exp_minus_one(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.exp_m1(), z.im);
    }
    if !z.re.is_finite() || !z.im.is_finite() || z.re > 700.0 {
        let e = exp(z);
        return C::new(e.re - 1.0, e.im);
    }
    let half_sine = (z.im / 2.0).sin();
    C::new(
        z.re.exp_m1() * z.im.cos() - 2.0 * half_sine * half_sine,
        z.re.exp() * z.im.sin(),
    )
}

pub fn log(z: C) -> C {
    let (large, small) = (z.re.abs().max(z.im.abs()), z.re.abs().min(z.im.abs()));
    let modulus = if (0.5..=2.0).contains(&large) {
        // log |z| = log1p(|z|^2 - 1) / 2 where |z| is near 1.
        ((large - 1.0) * (large + 1.0) + small * small).ln_1p() / 2.0
    } else {
        abs(z).ln()
    };
    C::new(modulus, z.im.atan2(z.re))
}

pub fn log_plus_one(z: C) -> C {
    let modulus = if z.re.abs() < 2.0 && z.im.abs() < 2.0 {
        (z.re * (2.0 + z.re) + z.im * z.im).ln_1p() / 2.0
    } else {
        abs(z + 1.0).ln()
    };
    C::new(modulus, z.im.atan2(z.re + 1.0))
}

pub fn logistic(z: C) -> C {
    divide(C::new(1.0, 0.0), exp(-z) + 1.0)
}

pub fn sinh(z: C) -> C {
    if z.im == 0.0 {
        C::new(z.re.sinh(), z.im)
    } else if z.re == 0.0 && !z.im.is_finite() {
        C::new(z.re, f64::NAN)
    } else {
        C::new(z.re.sinh() * z.im.cos(), z.re.cosh() * z.im.sin())
    }
}

pub fn cosh(z: C) -> C {
    if z.im == 0.0 {
        C::new(z.re.cosh(), z.im * z.re.signum())
    } else if z.re == 0.0 && !z.im.is_finite() {
        C::new(f64::NAN, z.re)
    } else {
        C::new(z.re.cosh() * z.im.cos(), z.re.sinh() * z.im.sin())
    }
}

/// Kahan's formula: no overflow, no cancellation.
pub fn tanh(z: C) -> C {
    if z.im == 0.0 {
        return C::new(z.re.tanh(), z.im);
    }
    if z.re.is_infinite() {
        let sine = if z.im.is_finite() {
            (2.0 * z.im).sin()
        } else {
            0.0
        };
        return C::new(1f64.copysign(z.re), 0f64.copysign(sine));
    }
    if !z.im.is_finite() {
        return C::new(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN);
    }
    if z.re.abs() > 22.0 {
        let decay = (-z.re.abs()).exp();
        return C::new(
            1f64.copysign(z.re),
            4.0 * z.im.sin() * z.im.cos() * decay * decay,
        );
    }
    let t = z.im.tan();
    let beta = 1.0 + t * t;
    let s = z.re.sinh();
    let rho = (1.0 + s * s).sqrt();
    let denominator = 1.0 + beta * s * s;
    C::new(beta * rho * s / denominator, t / denominator)
}

pub fn sin(z: C) -> C {
    over_i(sinh(times_i(z)))
}

pub fn cos(z: C) -> C {
    cosh(times_i(z))
}

pub fn tan(z: C) -> C {
    over_i(tanh(times_i(z)))
}

/// Kahan: through the square roots of 1 - z and 1 + z.
pub fn asin(z: C) -> C {
    let (minus, plus) = (
        sqrt(C::new(1.0 - z.re, -z.im)),
        sqrt(C::new(1.0 + z.re, z.im)),
    );
    C::new(
        z.re.atan2((minus * plus).re),
        (minus.conj() * plus).im.asinh(),
    )
}

pub fn acos(z: C) -> C {
    let (minus, plus) = (
        sqrt(C::new(1.0 - z.re, -z.im)),
        sqrt(C::new(1.0 + z.re, z.im)),
    );
    C::new(
        2.0 * minus.re.atan2(plus.re),
        (plus.conj() * minus).im.asinh(),
    )
}

pub fn acosh(z: C) -> C {
    let (minus, plus) = (
        sqrt(C::new(z.re - 1.0, z.im)),
        sqrt(C::new(z.re + 1.0, z.im)),
    );
    C::new(
        (minus.conj() * plus).re.asinh(),
        2.0 * minus.im.atan2(plus.re),
    )
}

pub fn asinh(z: C) -> C {
    over_i(asin(times_i(z)))
}

pub fn atanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x.abs() > 1e150 || y.abs() > 1e150 {
        // Here atanh(z) = 1/z +- i pi/2 to double precision.
        let inverse = divide(C::new(1.0, 0.0), z);
        return C::new(inverse.re, std::f64::consts::FRAC_PI_2.copysign(y));
    }
    let below = (1.0 - x) * (1.0 - x) + y * y;
    C::new(
        (4.0 * x / below).ln_1p() / 4.0,
        (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0,
    )
}

pub fn atan(z: C) -> C {
    over_i(atanh(times_i(z)))
}

/// Principal cube root.
pub fn cbrt(z: C) -> C {
    if z.im == 0.0 && z.re >= 0.0 {
        return C::new(z.re.cbrt(), z.im);
    }
    let (modulus, angle) = (abs(z).cbrt(), z.im.atan2(z.re) / 3.0);
    C::new(modulus * angle.cos(), modulus * angle.sin())
}

/// exp(w log z); z^0 = 1; 0^w = 0 for a positive real part of w; real on the positive real axis; z^1 = z with its infinities.
pub fn power(z: C, w: C) -> C {
    if w.re == 0.0 && w.im == 0.0 {
        return C::new(1.0, 0.0);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return if w.re > 0.0 {
            C::new(0.0, 0.0)
        } else {
            C::new(f64::NAN, f64::NAN)
        };
    }
    if z.im == 0.0 && w.im == 0.0 && z.re > 0.0 {
        return C::new(z.re.powf(w.re), 0.0);
    }
    if w.im == 0.0 && w.re.fract() == 0.0 && w.re.abs() <= 16.0 {
        let whole = (1..w.re.abs() as u32).fold(z, |p, _| p * z);
        return if w.re < 0.0 {
            divide(C::new(1.0, 0.0), whole)
        } else {
            whole
        };
    }
    let log = log(z);
    let modulus = abs(z).powf(w.re) * (-w.im * log.im).exp();
    let angle = w.im * log.re + w.re * log.im;
    C::new(modulus * angle.cos(), modulus * angle.sin())
}

/// z / |z|; 0 at 0, NaN beside NaN.
pub fn sign(z: C) -> C {
    if z.re.is_nan() || z.im.is_nan() {
        C::new(f64::NAN, f64::NAN)
    } else if z.re == 0.0 && z.im == 0.0 {
        C::new(0.0, 0.0)
    } else {
        let modulus = abs(z);
        C::new(z.re / modulus, z.im / modulus)
    }
}

/// Angle of the point (x, y) with complex coordinates: -i log((x + iy) / sqrt(x^2 + y^2)).
pub fn atan2(y: C, x: C) -> C {
    if y.im == 0.0 && x.im == 0.0 {
        return C::new(y.re.atan2(x.re), 0.0);
    }
    over_i(log(divide(x + times_i(y), sqrt(x * x + y * y))))
}

/// Lexicographic order of (real, imaginary).
pub fn greater(a: C, b: C) -> bool {
    if a.re == b.re {
        a.im > b.im
    } else {
        a.re > b.re
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_on_the_positive_real_axis_and_of_infinities() {
        let z = |re: f64, im: f64| C::new(re, im);
        assert_eq!(power(z(f64::INFINITY, 0.0), z(1.0, 0.0)).re, f64::INFINITY);
        assert_eq!(power(z(1.0, 0.0), z(f64::INFINITY, 0.0)), z(1.0, 0.0));
        assert_eq!(power(z(4.0, 0.0), z(0.5, 0.0)), z(2.0, 0.0));
        assert_eq!(power(z(0.0, 2.0), z(1.0, 0.0)), z(0.0, 2.0));
        assert_eq!(power(z(0.0, 2.0), z(2.0, 0.0)), z(-4.0, 0.0));
    }

    fn c(re: f64, im: f64) -> C {
        C::new(re, im)
    }

    fn close(got: C, want: C) -> bool {
        (got - want).norm() <= 4.0 * f64::EPSILON * want.norm()
    }

    #[test]
    fn values_by_hand() {
        let (half_root, pi) = (0.5f64.sqrt(), std::f64::consts::PI);
        assert!(close(sqrt(c(0.0, 1.0)), c(half_root, half_root)));
        assert!(close(sqrt(c(-4.0, -0.0)), c(0.0, -2.0)));
        assert!(close(sqrt(c(3.0, 4.0)), c(2.0, 1.0)));
        assert!(close(exp(c(0.0, pi / 2.0)), c(0.0, 1.0)));
        assert!(close(log(c(-1.0, 0.0)), c(0.0, pi)));
        assert!(close(divide(c(1.0, 2.0), c(3.0, -4.0)), c(-0.2, 0.4)));
        assert!(close(power(c(0.0, 1.0), c(2.0, 0.0)), c(-1.0, 0.0)));
        assert!(close(
            power(c(0.0, 1.0), c(0.0, 1.0)),
            c((-pi / 2.0).exp(), 0.0)
        ));
        assert!(close(atanh(c(0.0, 1.0)), c(0.0, pi / 4.0)));
        assert!(close(acos(c(-1.0, 0.0)), c(pi, 0.0)));
        assert!(close(cbrt(c(0.0, 8.0)), c(3f64.sqrt(), 1.0)));
    }

    #[test]
    fn inverse_functions_return() {
        for z in [c(0.3, 0.4), c(-2.0, 0.5), c(1.5, -3.0), c(1e-9, 1e-9)] {
            for (f, g) in [
                (sin as fn(C) -> C, asin as fn(C) -> C),
                (cos, acos),
                (tan, atan),
                (sinh, asinh),
                (tanh, atanh),
                (exp, log),
                (exp_minus_one, log_plus_one),
            ] {
                let back = f(g(z));
                assert!((back - z).norm() <= 1e-14 * (1.0 + z.norm()), "{z} {back}");
            }
            assert!((cosh(acosh(z)) - z).norm() < 1e-14 * (1.0 + z.norm()));
        }
    }

    #[test]
    fn infinities() {
        let inf = f64::INFINITY;
        assert_eq!(abs(c(f64::NAN, inf)), inf);
        assert_eq!(sqrt(c(f64::NAN, inf)), c(inf, inf));
        assert_eq!(sqrt(c(-inf, 1.0)), c(0.0, inf));
        assert_eq!(exp(c(-inf, 1.0)), c(0.0, 0.0));
        assert_eq!(divide(c(1.0, 1.0), c(inf, 1.0)), c(0.0, 0.0));
        assert_eq!(divide(c(1.0, 0.0), c(0.0, 0.0)).re, inf);
        assert!(close(divide(c(1e300, 1e300), c(1e300, 1e300)), c(1.0, 0.0)));
        assert_eq!(tanh(c(inf, 1.0)).re, 1.0);
        assert!(sqrt(c(1e308, 1e308)).re.is_finite());
    }
}
