//! Special functions in double precision that neither std nor libm has. Sources: Cephes (zeta, bessel_i1e), NIST DLMF chapters 5 and 25, Boost (digamma),
//! M. Giles, "Approximating the erfinv function" (GPU Computing Gems, 2011).

// The constants stand as published.
#![allow(clippy::excessive_precision, clippy::approx_constant)]

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// ln |gamma(x)|; +inf at 0, -1, -2, ...
pub fn lgamma(x: f64) -> f64 {
    if x.is_infinite() {
        f64::INFINITY
    } else {
        libm::lgamma(x)
    }
}

/// Inverse of erf: the single-precision formula of Giles, then Halley steps on erf, or on erfc where 1 - |x| is exact.
pub fn erf_inv(x: f64) -> f64 {
    let a = x.abs();
    if a > 1.0 || a.is_nan() {
        return f64::NAN;
    }
    if a == 1.0 || a == 0.0 {
        return if a == 0.0 {
            x
        } else {
            f64::INFINITY.copysign(x)
        };
    }
    let mut y = erf_inv_estimate(a);
    for _ in 0..3 {
        let error = if a < 0.5 {
            libm::erf(y) - a
        } else {
            (1.0 - a) - libm::erfc(y)
        };
        let step = error / (FRAC_2_SQRT_PI * (-y * y).exp());
        y -= step / (1.0 + y * step);
    }
    y.copysign(x)
}

fn erf_inv_estimate(a: f64) -> f64 {
    const CENTRAL: [f64; 9] = [
        2.81022636e-08,
        3.43273939e-07,
        -3.5233877e-06,
        -4.39150654e-06,
        0.00021858087,
        -0.00125372503,
        -0.00417768164,
        0.246640727,
        1.50140941,
    ];
    const TAIL: [f64; 9] = [
        -0.000200214257,
        0.000100950558,
        0.00134934322,
        -0.00367342844,
        0.00573950773,
        -0.0076224613,
        0.00943887047,
        1.00167406,
        2.83297682,
    ];
    let w = -((1.0 - a) * (1.0 + a)).ln();
    if w > 16.0 {
        // erfc(y) ~ exp(-y^2) / (y sqrt(pi)); DLMF 7.12.1.
        let log = -(1.0 - a).ln();
        let next = |y: f64| (log - (y * PI.sqrt()).ln()).sqrt();
        return next(next(log.sqrt()));
    }
    let (t, coefficients) = if w < 5.0 {
        (w - 2.5, CENTRAL)
    } else {
        (w.sqrt() - 3.0, TAIL)
    };
    coefficients.iter().fold(0.0, |p, c| p * t + c) * a
}

/// Derivative of ln gamma; NaN at 0, -1, -2, ... and -inf. DLMF 5.5.2, 5.5.4, 5.11.2.
pub fn digamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x < 0.0 {
        return digamma(1.0 - x) - pi_cotangent(x - x.round());
    }
    if x < 10.0 {
        // The recurrence to [1, 2], where the root near 1.46 is a factor; its sums do not cancel.
        let (mut y, mut shift) = (x, 0.0);
        if y < 1.0 {
            shift -= 1.0 / y;
            y += 1.0;
        }
        while y > 2.0 {
            y -= 1.0;
            shift += 1.0 / y;
        }
        return digamma_from_1_to_2(y) + shift;
    }
    const SERIES: [f64; 8] = [
        -3617.0 / 8160.0,
        1.0 / 12.0,
        -691.0 / 32760.0,
        1.0 / 132.0,
        -1.0 / 240.0,
        1.0 / 252.0,
        -1.0 / 120.0,
        1.0 / 12.0,
    ];
    let z = 1.0 / (x * x);
    let tail = if x.is_finite() {
        SERIES.iter().fold(0.0, |p, c| p * z + c) * z
    } else {
        0.0
    };
    x.ln() - 0.5 / x - tail
}

/// pi cot(pi r) for r in [-1/2, 1/2].
fn pi_cotangent(r: f64) -> f64 {
    if r.abs() <= 0.25 {
        PI / (PI * r).tan()
    } else {
        (PI * (PI * (0.5 - r.abs())).tan()).copysign(r)
    }
}

/// (x - root) (Y + P(x - 1) / Q(x - 1)), the rational approximation of Boost's digamma.
fn digamma_from_1_to_2(x: f64) -> f64 {
    const Y: f64 = 0.99558162689208984375;
    const ROOT: [f64; 3] = [
        1569415565.0 / 1073741824.0,
        381566830.0 / 1073741824.0 / 1073741824.0,
        0.9016312093258695918615325266959189453125e-19,
    ];
    const P: [f64; 6] = [
        -0.0020713321167745952,
        -0.045251321448739056,
        -0.28919126444774784,
        -0.65031853770896507,
        -0.32555031186804491,
        0.25479851061131551,
    ];
    const Q: [f64; 7] = [
        -0.55789841321675513e-6,
        0.0021284987017821144,
        0.054151797245674225,
        0.43593529692665969,
        1.4606242909763515,
        2.0767117023730469,
        1.0,
    ];
    let g = ROOT.iter().fold(x, |g, r| g - r);
    let at = |c: &[f64]| c.iter().fold(0.0, |p, c| p * (x - 1.0) + c);
    g * Y + g * at(&P) / at(&Q)
}

/// Hurwitz zeta function, sum over k >= 0 of (k + q)^-x. +inf at x = 1, NaN for x < 1; for q <= 0 only integers x have a value.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if q <= 0.0 {
        let even = x % 2.0 == 0.0;
        if q == q.floor() {
            return if even { f64::INFINITY } else { f64::NAN };
        }
        if x != x.floor() {
            return f64::NAN;
        }
        // The terms below zero are those of a sum on the positive side with the sign (-1)^x.
        let above = q - q.floor();
        let below = zeta(x, 1.0 - above) - zeta(x, 1.0 - q);
        return zeta(x, above) + if even { below } else { -below };
    }
    // Euler-Maclaurin with the coefficients (2k)! / B_2k.
    const COEFFICIENTS: [f64; 12] = [
        12.0,
        -720.0,
        30240.0,
        -1209600.0,
        47900160.0,
        -1.8924375803183791606e9,
        7.47242496e10,
        -2.950130727918164224e12,
        1.1646782814350067249e14,
        -4.5979787224074726105e15,
        1.8152105401943546773e17,
        -7.1661652561756670113e18,
    ];
    let (mut sum, mut a, mut term) = (q.powf(-x), q, 0.0);
    for _ in 0..10 {
        a += 1.0;
        term = a.powf(-x);
        sum += term;
        if term <= f64::EPSILON / 4.0 * sum {
            return sum;
        }
    }
    sum += term * a / (x - 1.0) - 0.5 * term;
    let (mut factor, mut k) = (1.0, 0.0);
    for c in COEFFICIENTS {
        factor *= x + k;
        term /= a;
        let correction = factor * term / c;
        sum += correction;
        if correction.abs() <= f64::EPSILON / 4.0 * sum.abs() {
            break;
        }
        factor *= x + k + 1.0;
        term /= a;
        k += 2.0;
    }
    sum
}

/// n-th derivative of digamma, (-1)^(n+1) n! zeta(n + 1, x); NaN for n negative or not an integer.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n < 0.0 || n != n.floor() {
        f64::NAN
    } else if n == 0.0 {
        digamma(x)
    } else {
        let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
        sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
    }
}

/// exp(-|x|) I1(x), by the Chebyshev series of Cephes.
pub fn bessel_i1e(x: f64) -> f64 {
    let z = x.abs();
    let y = if z <= 8.0 {
        z * chebyshev(z / 2.0 - 2.0, &I1E_SMALL)
    } else {
        chebyshev(32.0 / z - 2.0, &I1E_LARGE) / z.sqrt()
    };
    y.copysign(x)
}

/// Sum of a Chebyshev series at y/2, coefficients from the highest order down; the last is counted half.
fn chebyshev(y: f64, coefficients: &[f64]) -> f64 {
    let (mut b0, mut b1, mut b2) = (0.0, 0.0, 0.0);
    for c in coefficients {
        b2 = b1;
        b1 = b0;
        b0 = y * b1 - b2 + c;
    }
    0.5 * (b0 - b2)
}

const I1E_SMALL: [f64; 29] = [
    2.77791411276104639959E-18,
    -2.11142121435816608115E-17,
    1.55363195773620046921E-16,
    -1.10559694773538630805E-15,
    7.60068429473540693410E-15,
    -5.04218550472791168711E-14,
    3.22379336594557470981E-13,
    -1.98397439776494371520E-12,
    1.17361862988909016308E-11,
    -6.66348972350202774223E-11,
    3.62559028155211703701E-10,
    -1.88724975172282928790E-9,
    9.38153738649577178388E-9,
    -4.44505912879632808065E-8,
    2.00329475355213526229E-7,
    -8.56872026469545474066E-7,
    3.47025130813767847674E-6,
    -1.32731636560394358279E-5,
    4.78156510755005422638E-5,
    -1.61760815825896745588E-4,
    5.12285956168575772895E-4,
    -1.51357245063125314899E-3,
    4.15642294431288815669E-3,
    -1.05640848946261981558E-2,
    2.47264490306265168283E-2,
    -5.29459812080949914269E-2,
    1.02643658689847095384E-1,
    -1.76416518357834055153E-1,
    2.52587186443633654823E-1,
];

const I1E_LARGE: [f64; 25] = [
    7.51729631084210481353E-18,
    4.41434832307170791151E-18,
    -4.65030536848935832153E-17,
    -3.20952592199342395980E-17,
    2.96262899764595013876E-16,
    3.30820231092092828324E-16,
    -1.88035477551078244854E-15,
    -3.81440307243700780478E-15,
    1.04202769841288027642E-14,
    4.27244001671195135429E-14,
    -2.10154184277266431302E-14,
    -4.08355111109219731823E-13,
    -7.19855177624590851209E-13,
    2.03562854414708950722E-12,
    1.41258074366137813316E-11,
    3.25260358301548823856E-11,
    -1.89749581235054123450E-11,
    -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,
    -2.63146884688951950684E-8,
    -2.51223623787020892529E-7,
    -3.88256480887769039346E-6,
    -1.10588938762623716291E-4,
    -9.76109749136146840777E-3,
    7.78576235018280120474E-1,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64) {
        assert!(
            (got - want).abs() <= 8.0 * f64::EPSILON * want.abs(),
            "{got} {want}"
        );
    }

    #[test]
    fn known_constants() {
        close(digamma(1.0), -0.577215664901532861);
        close(digamma(0.25), -4.22745353337626540809);
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(zeta(4.0, 1.0), PI.powi(4) / 90.0);
        // (-1/2)^-2 + zeta(2, 1/2) = 4 + pi^2/2.
        close(zeta(2.0, -0.5), 4.0 + PI * PI / 2.0);
        close(zeta(3.0, -0.5), -8.0 + 7.0 * 1.20205690315959428540);
        close(polygamma(1.0, 1.0), PI * PI / 6.0);
        close(polygamma(2.0, 1.0), -2.0 * 1.20205690315959428540);
        close(erf_inv(1e-300), 1e-300 / FRAC_2_SQRT_PI);
    }

    #[test]
    fn erf_inv_returns() {
        for x in [
            1e-9,
            0.1,
            0.5,
            0.9,
            0.999,
            1.0 - 1e-12,
            1.0 - 2f64.powi(-53),
        ] {
            let y = erf_inv(x);
            assert!(
                (libm::erfc(y) / (1.0 - x) - 1.0).abs() < 1e-14
                    || (libm::erf(y) / x - 1.0).abs() < 1e-15,
                "{x}"
            );
        }
    }
}
