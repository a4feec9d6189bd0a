//! Householder's reflectors as LAPACK makes them (`larfg`).

use super::matrix::Scalar;

/// I - tau v v*, which takes a vector to a real multiple of the first unit vector when its adjoint is applied. v begins with 1.
pub struct Reflector<S> {
    pub v: Vec<S>,
    pub tau: S,
    /// The multiple.
    pub beta: f64,
}

/// The reflector of a vector with at least one element.
pub fn larfg<S: Scalar>(x: &[S]) -> Reflector<S> {
    let alpha = x[0];
    let below = x[1..].iter().fold(0.0f64, |s, x| s.hypot(x.modulus()));
    if below == 0.0 && alpha.im() == 0.0 {
        let mut v = vec![S::real(0.0); x.len()];
        v[0] = S::real(1.0);
        return Reflector {
            v,
            tau: S::real(0.0),
            beta: alpha.re(),
        };
    }
    let beta = -alpha.modulus().hypot(below).copysign(alpha.re());
    let mut v: Vec<S> = x.iter().map(|x| *x / (alpha - S::real(beta))).collect();
    v[0] = S::real(1.0);
    Reflector {
        v,
        tau: S::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta),
        beta,
    }
}
