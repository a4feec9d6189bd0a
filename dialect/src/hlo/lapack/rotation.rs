//! Plane rotations as LAPACK makes and applies them.

use super::matrix::Matrix;

/// Columns j and j + 1 turned, as `lasr` does from the right.
pub fn turn(z: &mut Matrix<f64>, j: usize, c: f64, s: f64) {
    for i in 0..z.rows {
        let (x, y) = (z.at(i, j), z.at(i, j + 1));
        z.set(i, j + 1, c * y - s * x);
        z.set(i, j, s * y + c * x);
    }
}

/// `lartg`: c, s and r with c f + s g = r and c g - s f = 0.
pub fn lartg(f: f64, g: f64) -> (f64, f64, f64) {
    if g == 0.0 {
        return (1.0, 0.0, f);
    }
    if f == 0.0 {
        return (0.0, 1f64.copysign(g), g.abs());
    }
    let r = f.hypot(g).copysign(f);
    (f.abs() / r.abs(), g / r, r)
}
