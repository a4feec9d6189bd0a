//! Eigenvectors of small symmetric (Hermitian) matrices with LAPACK's signs: `sytd2` on the lower triangle, then `steqr`, step by step.
//!
//! LAPACK does not specify the signs (phases) of eigenvectors, but up to this size all its builds find them by the same steps.

use super::{
    matrix::{Matrix, Scalar},
    reflector::{Reflector, larfg},
    rotation::{lartg, turn},
};

/// Largest matrix that `syevd` hands to `steqr`; larger ones are divided and conquered.
pub const LARGEST: usize = 25;

/// Iterations an eigenvalue may take.
const MOST_STEPS: usize = 30;

/// Eigenvectors as columns and eigenvalues in rising order, from the lower triangle; none when it does not converge.
pub fn eigen<S: Scalar>(a: &Matrix<S>) -> Option<(Matrix<S>, Vec<f64>)> {
    let mut t = tridiagonal(a);
    let z = diagonalize(&mut t.diagonal, &mut t.beside)?;
    let n = a.rows;
    let mut vectors = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let product = (0..n).fold(S::real(0.0), |s, k| s + t.q.at(i, k) * S::real(z.at(k, j)));
            vectors.set(i, j, product);
        }
    }
    Some((vectors, t.diagonal))
}

/// A = Q T Q*, T real.
struct Tridiagonal<S> {
    q: Matrix<S>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

fn tridiagonal<S: Scalar>(a: &Matrix<S>) -> Tridiagonal<S> {
    let n = a.rows;
    let zero = S::real(0.0);
    let mut s = a.clone();
    for i in 0..n {
        s.set(i, i, S::real(a.at(i, i).re()));
        (0..i).for_each(|j| s.set(j, i, a.at(i, j).conj()));
    }
    let mut beside = vec![];
    let mut reflectors: Vec<(Vec<S>, S)> = vec![];
    for i in 0..n.saturating_sub(1) {
        let column: Vec<S> = (i + 1..n).map(|k| s.at(k, i)).collect();
        let Reflector { v, tau, beta } = larfg(&column);
        let at = |r: usize| v[r - i - 1];
        let mut w: Vec<S> = (i + 1..n)
            .map(|r| tau * (i + 1..n).fold(zero, |x, k| x + s.at(r, k) * at(k)))
            .collect();
        let inner = w.iter().zip(&v).fold(zero, |x, (w, v)| x + w.conj() * *v);
        let half = S::real(-0.5) * tau * inner;
        w.iter_mut().zip(&v).for_each(|(w, v)| *w = *w + half * *v);
        for r in i + 1..n {
            for c in i + 1..n {
                let (x, y) = (at(r) * w[c - i - 1].conj(), w[r - i - 1] * at(c).conj());
                s.set(r, c, s.at(r, c) - x - y);
            }
        }
        beside.push(beta);
        reflectors.push((v, tau));
    }
    let mut q = Matrix::identity(n);
    for (i, (v, tau)) in reflectors.iter().enumerate().rev() {
        for c in 0..n {
            let product = v
                .iter()
                .enumerate()
                .fold(zero, |x, (k, v)| x + v.conj() * q.at(i + 1 + k, c));
            for (k, v) in v.iter().enumerate() {
                q.set(i + 1 + k, c, q.at(i + 1 + k, c) - *tau * product * *v);
            }
        }
    }
    Tridiagonal {
        q,
        diagonal: (0..n).map(|i| s.at(i, i).re()).collect(),
        beside,
    }
}

/// `steqr`: eigenvalues into `d`, in rising order; eigenvectors as columns.
fn diagonalize(d: &mut [f64], e: &mut [f64]) -> Option<Matrix<f64>> {
    let n = d.len();
    let mut z = Matrix::identity(n);
    let mut left = n * MOST_STEPS;
    let mut first = 0;
    while first < n {
        if first > 0 {
            e[first - 1] = 0.0;
        }
        let is_small = |d: &[f64], e: &[f64], m: usize| {
            e[m].abs() <= d[m].abs().sqrt() * d[m + 1].abs().sqrt() * (f64::EPSILON / 2.0)
        };
        let last = (first..n - 1)
            .find(|m| e[*m] == 0.0 || is_small(d, e, *m))
            .unwrap_or(n - 1);
        if last < n - 1 {
            e[last] = 0.0;
        }
        if last > first {
            if d[last].abs() < d[first].abs() {
                upwards(d, e, &mut z, (first, last), &mut left);
            } else {
                downwards(d, e, &mut z, (first, last), &mut left);
            }
            if left == 0 {
                return None;
            }
        }
        // What the iteration split off is looked at again where something is left of it.
        if e[first..last].iter().all(|x| *x == 0.0) {
            first = last + 1;
        }
    }
    for i in 0..n {
        let mut k = i;
        for j in i + 1..n {
            if d[j] < d[k] {
                k = j;
            }
        }
        if k != i {
            d.swap(i, k);
            z.swap_columns(i, k);
        }
    }
    Some(z)
}

fn negligible(d: &[f64], e: &[f64], m: usize) -> bool {
    let eps = f64::EPSILON / 2.0;
    e[m] * e[m] <= (eps * eps * d[m].abs()) * d[m + 1].abs() + f64::MIN_POSITIVE
}

/// QL steps until all of first..=last is diagonal, from its top.
fn downwards(
    d: &mut [f64],
    e: &mut [f64],
    z: &mut Matrix<f64>,
    (first, last): (usize, usize),
    left: &mut usize,
) {
    let mut l = first;
    while l <= last {
        let m = (l..last).find(|m| negligible(d, e, *m)).unwrap_or(last);
        if m < last {
            e[m] = 0.0;
        }
        if m == l {
            l += 1;
            continue;
        }
        if m == l + 1 {
            let two = two_by_two(d[l], e[l], d[l + 1]);
            turn(z, l, two.c, two.s);
            (d[l], d[l + 1], e[l]) = (two.larger, two.smaller, 0.0);
            l += 2;
            continue;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
        let r = g.hypot(1.0);
        g = d[m] - d[l] + e[l] / (g + r.copysign(g));
        let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
        let mut turns = vec![];
        for i in (l..m).rev() {
            let (f, b) = (s * e[i], c * e[i]);
            let (cosine, sine, r) = lartg(g, f);
            (c, s) = (cosine, sine);
            if i != m - 1 {
                e[i + 1] = r;
            }
            g = d[i + 1] - p;
            let r = (d[i] - g) * s + 2.0 * c * b;
            p = s * r;
            d[i + 1] = g + p;
            g = c * r - b;
            turns.push((i, c, -s));
        }
        turns.iter().for_each(|(i, c, s)| turn(z, *i, *c, *s));
        d[l] -= p;
        e[l] = g;
    }
}

/// QR steps until all of first..=last is diagonal, from its bottom.
fn upwards(
    d: &mut [f64],
    e: &mut [f64],
    z: &mut Matrix<f64>,
    (first, last): (usize, usize),
    left: &mut usize,
) {
    // One past the place that is worked on.
    let mut end = last + 1;
    while end > first {
        let l = end - 1;
        let m = (first + 1..=l)
            .rev()
            .find(|m| negligible(d, e, *m - 1))
            .unwrap_or(first);
        if m > first {
            e[m - 1] = 0.0;
        }
        if m == l {
            end -= 1;
            continue;
        }
        if m + 1 == l {
            let two = two_by_two(d[l - 1], e[l - 1], d[l]);
            turn(z, l - 1, two.c, two.s);
            (d[l - 1], d[l], e[l - 1]) = (two.larger, two.smaller, 0.0);
            end -= 2;
            continue;
        }
        if *left == 0 {
            return;
        }
        *left -= 1;
        let mut g = (d[l - 1] - d[l]) / (2.0 * e[l - 1]);
        let r = g.hypot(1.0);
        g = d[m] - d[l] + e[l - 1] / (g + r.copysign(g));
        let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
        for i in m..l {
            let (f, b) = (s * e[i], c * e[i]);
            let (cosine, sine, r) = lartg(g, f);
            (c, s) = (cosine, sine);
            if i != m {
                e[i - 1] = r;
            }
            g = d[i] - p;
            let r = (d[i + 1] - g) * s + 2.0 * c * b;
            p = s * r;
            d[i] = g + p;
            g = c * r - b;
            turn(z, i, c, s);
        }
        d[l] -= p;
        e[l - 1] = g;
    }
}

/// Eigenvalues of [[a, b], [b, c]], the one of larger size first, and its vector (c, s).
struct TwoByTwo {
    larger: f64,
    smaller: f64,
    c: f64,
    s: f64,
}

/// `laev2`
fn two_by_two(a: f64, b: f64, c: f64) -> TwoByTwo {
    let (sum, difference, twice) = (a + c, a - c, b + b);
    let (big, small) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let root = difference.hypot(twice);
    let (larger, smaller, sign) = if sum < 0.0 {
        let larger = 0.5 * (sum - root);
        (larger, (big / larger) * small - (b / larger) * b, -1)
    } else if sum > 0.0 {
        let larger = 0.5 * (sum + root);
        (larger, (big / larger) * small - (b / larger) * b, 1)
    } else {
        (0.5 * root, -0.5 * root, 1)
    };
    let (cs, other) = if difference >= 0.0 {
        (difference + root, 1)
    } else {
        (difference - root, -1)
    };
    let (mut cosine, mut sine) = if cs.abs() > twice.abs() {
        let t = -twice / cs;
        let s = 1.0 / (1.0 + t * t).sqrt();
        (t * s, s)
    } else if twice == 0.0 {
        (1.0, 0.0)
    } else {
        let t = -cs / twice;
        let c = 1.0 / (1.0 + t * t).sqrt();
        (c, t * c)
    };
    if sign == other {
        (cosine, sine) = (-sine, cosine);
    }
    TwoByTwo {
        larger,
        smaller,
        c: cosine,
        s: sine,
    }
}
