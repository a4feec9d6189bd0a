//! Singular vectors of small matrices with LAPACK's signs: `gesdd` by way of `gebrd` and `bdsqr`, step by step.
//!
//! LAPACK does not specify the signs (phases) of singular vectors, but up to this size all its builds find them by the same steps.

use super::{
    factor,
    matrix::{Matrix, Scalar},
    reflector::{Reflector, larfg},
    rotation::{lartg, turn},
};

/// Largest smaller side that `bdsdc` hands to `bdsqr`; larger matrices are divided and conquered.
pub const LARGEST: usize = 25;

/// Iterations, times the square of the size.
const MOST_STEPS: usize = 6;

/// Left vectors as columns, singular values in falling order, right vectors as columns; of the vectors as many as `columns` says, those beyond the
/// singular values complete the basis. None when it does not converge.
pub fn singular_values<S: Scalar>(
    a: &Matrix<S>,
    columns: (usize, usize),
) -> Option<(Matrix<S>, Vec<f64>, Matrix<S>)> {
    let (m, n) = (a.rows, a.columns);
    let (small, large) = (m.min(n), m.max(n));
    if small == 0 || columns.0 < small || columns.1 < small {
        return None;
    }
    // From this ratio of the sides on a QR or LQ factorization comes first.
    if large < small * 11 / 6 || large == small {
        return of_bidiagonal(a, columns);
    }
    if m > n {
        let (factors, taus) = factor::qr(a);
        let mut r = Matrix::zeros(n, n);
        (0..n).for_each(|i| (i..n).for_each(|j| r.set(i, j, factors.at(i, j))));
        let (u, values, v) = of_bidiagonal(&r, (n, columns.1))?;
        let q_times = factor::Product {
            left: true,
            adjoint: false,
        };
        let u = q_times.of(&factors, &taus, &in_corner(&u, m, columns.0))?;
        return Some((u, values, v));
    }
    // A = L Q: row by row, as `gelqf` does it.
    let mut l = a.clone();
    let mut reflectors = vec![];
    for i in 0..m {
        let row: Vec<S> = (i..n).map(|j| l.at(i, j).conj()).collect();
        let h = larfg(&row);
        from_right(&mut l, i, i, &h.v, h.tau);
        reflectors.push((i, h));
    }
    let mut square = Matrix::zeros(m, m);
    (0..m).for_each(|i| (0..=i).for_each(|j| square.set(i, j, l.at(i, j))));
    let (u, values, v) = of_bidiagonal(&square, (columns.0, m))?;
    let mut v = in_corner(&v, n, columns.1);
    for (i, h) in reflectors.iter().rev() {
        from_left(&mut v, *i, 0, &h.v, h.tau);
    }
    Some((u, values, v))
}

/// A larger matrix with `m` in its upper left corner, ones on the diagonal behind it and zeros elsewhere.
fn in_corner<S: Scalar>(m: &Matrix<S>, rows: usize, columns: usize) -> Matrix<S> {
    let mut out = Matrix::zeros(rows, columns);
    for i in 0..m.rows {
        (0..m.columns).for_each(|j| out.set(i, j, m.at(i, j)));
    }
    (m.columns..rows.min(columns)).for_each(|i| out.set(i, i, S::real(1.0)));
    out
}

/// (I - tau v v*) A on the rows from `row`, the columns from `column` on.
fn from_left<S: Scalar>(a: &mut Matrix<S>, row: usize, column: usize, v: &[S], tau: S) {
    for c in column..a.columns {
        let inner = v
            .iter()
            .enumerate()
            .fold(S::real(0.0), |s, (k, v)| s + v.conj() * a.at(row + k, c));
        for (k, v) in v.iter().enumerate() {
            a.set(row + k, c, a.at(row + k, c) - tau * inner * *v);
        }
    }
}

/// A (I - tau v v*) on the columns from `column`, the rows from `row` on.
fn from_right<S: Scalar>(a: &mut Matrix<S>, row: usize, column: usize, v: &[S], tau: S) {
    for r in row..a.rows {
        let inner = v
            .iter()
            .enumerate()
            .fold(S::real(0.0), |s, (k, v)| s + a.at(r, column + k) * *v);
        for (k, v) in v.iter().enumerate() {
            a.set(r, column + k, a.at(r, column + k) - tau * inner * v.conj());
        }
    }
}

/// `gebrd`, `bdsdc` and the products with both factors.
fn of_bidiagonal<S: Scalar>(
    a: &Matrix<S>,
    columns: (usize, usize),
) -> Option<(Matrix<S>, Vec<f64>, Matrix<S>)> {
    let (m, n) = (a.rows, a.columns);
    let size = m.min(n);
    let is_upper = m >= n;
    let mut b = a.clone();
    let (mut d, mut e) = (vec![], vec![]);
    let (mut left, mut right) = (vec![], vec![]);
    for i in 0..size {
        if is_upper {
            let h = larfg(&(i..m).map(|r| b.at(r, i)).collect::<Vec<S>>());
            from_left(&mut b, i, i, &h.v, h.tau.conj());
            d.push(h.beta);
            left.push((i, h));
        } else {
            let h = larfg(&(i..n).map(|c| b.at(i, c).conj()).collect::<Vec<S>>());
            from_right(&mut b, i, i, &h.v, h.tau);
            d.push(h.beta);
            right.push((i, h));
        }
        if i + 1 == size {
            break;
        }
        if is_upper {
            let h = larfg(&(i + 1..n).map(|c| b.at(i, c).conj()).collect::<Vec<S>>());
            from_right(&mut b, i, i + 1, &h.v, h.tau);
            e.push(h.beta);
            right.push((i + 1, h));
        } else {
            let h = larfg(&(i + 1..m).map(|r| b.at(r, i)).collect::<Vec<S>>());
            from_left(&mut b, i + 1, i, &h.v, h.tau.conj());
            e.push(h.beta);
            left.push((i + 1, h));
        }
    }
    let (u, v) = bidiagonal(&mut d, &mut e, is_upper)?;
    Some((
        behind(&left, &u, m, columns.0),
        d,
        behind(&right, &v, n, columns.1),
    ))
}

/// The product of reflectors, from the left, with vectors of the bidiagonal matrix.
fn behind<S: Scalar>(
    reflectors: &[(usize, Reflector<S>)],
    inner: &Matrix<f64>,
    rows: usize,
    columns: usize,
) -> Matrix<S> {
    let inner = Matrix {
        rows: inner.rows,
        columns: inner.columns,
        data: inner.data.iter().map(|x| S::real(*x)).collect(),
    };
    let mut out = in_corner(&inner, rows, columns);
    for (i, h) in reflectors.iter().rev() {
        from_left(&mut out, *i, 0, &h.v, h.tau);
    }
    out
}

/// `bdsdc` of a small matrix: singular values into `d`, left and right vectors as columns.
fn bidiagonal(d: &mut [f64], e: &mut [f64], is_upper: bool) -> Option<(Matrix<f64>, Matrix<f64>)> {
    let n = d.len();
    let (mut u, mut v) = (Matrix::identity(n), Matrix::identity(n));
    if n == 1 {
        u.set(0, 0, 1f64.copysign(d[0]));
        d[0] = d[0].abs();
        return Some((u, v));
    }
    let mut turns = vec![];
    if !is_upper {
        for i in 0..n - 1 {
            let (c, s, r) = lartg(d[i], e[i]);
            d[i] = r;
            e[i] = s * d[i + 1];
            d[i + 1] *= c;
            turns.push((i, c, -s));
        }
    }
    bdsqr(d, e, &mut u, &mut v)?;
    // Rows of U, as columns of the transposed.
    if !turns.is_empty() {
        let mut rows = u.transposed();
        turns
            .iter()
            .rev()
            .for_each(|(i, c, s)| turn(&mut rows, *i, *c, *s));
        u = rows.transposed();
    }
    Some((u, v))
}

/// Where a step of `bdsqr` goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chase {
    Down,
    Up,
}

/// `bdsqr` of an upper bidiagonal matrix: right vectors are kept as columns.
fn bdsqr(d: &mut [f64], e: &mut [f64], u: &mut Matrix<f64>, v: &mut Matrix<f64>) -> Option<()> {
    let n = d.len();
    let eps = f64::EPSILON / 2.0;
    let tol = eps.powf(-0.125).clamp(10.0, 100.0) * eps;
    let mut smallest = d[0].abs();
    let mut mu = smallest;
    for i in 1..n {
        if smallest == 0.0 {
            break;
        }
        mu = d[i].abs() * (mu / (mu + e[i - 1].abs()));
        smallest = smallest.min(mu);
    }
    let steps = MOST_STEPS * n * n;
    let thresh = (tol * (smallest / (n as f64).sqrt())).max(steps as f64 * f64::MIN_POSITIVE);
    let (mut left, mut seen) = (steps, None);
    let mut chase = Chase::Down;
    // One past the last place that is worked on.
    let mut end = n;
    while end > 1 {
        let m = end - 1;
        if left == 0 {
            return None;
        }
        left -= 1;
        let mut largest = d[m].abs();
        let mut first = 0;
        let mut split = None;
        for l in (0..m).rev() {
            if e[l].abs() <= thresh {
                split = Some(l);
                break;
            }
            largest = largest.max(d[l].abs()).max(e[l].abs());
        }
        if let Some(l) = split {
            e[l] = 0.0;
            if l == m - 1 {
                end -= 1;
                continue;
            }
            first = l + 1;
        }
        if first + 1 == m {
            let two = lasv2(d[m - 1], e[m - 1], d[m]);
            (d[m - 1], e[m - 1], d[m]) = (two.larger, 0.0, two.smaller);
            turn(v, m - 1, two.right.0, two.right.1);
            turn(u, m - 1, two.left.0, two.left.1);
            end -= 2;
            continue;
        }
        let is_new = seen.is_none_or(|(f, l)| first > l || m < f);
        if is_new {
            chase = if d[first].abs() >= d[m].abs() {
                Chase::Down
            } else {
                Chase::Up
            };
        }
        let Some(least) = least(d, e, (first, m), chase, tol) else {
            continue;
        };
        seen = Some((first, m));
        let mut shift = 0.0;
        if n as f64 * tol * (least / largest) > eps.max(0.01 * tol) {
            let (size, s) = match chase {
                Chase::Down => (d[first].abs(), las2(d[m - 1], e[m - 1], d[m])),
                Chase::Up => (d[m].abs(), las2(d[first], e[first], d[first + 1])),
            };
            let is_negligible = size > 0.0 && (s / size) * (s / size) < eps;
            shift = if is_negligible { 0.0 } else { s };
        }
        match chase {
            Chase::Down => {
                down(d, e, (first, m), shift, u, v);
                if e[m - 1].abs() <= thresh {
                    e[m - 1] = 0.0;
                }
            }
            Chase::Up => {
                up(d, e, (first, m), shift, u, v);
                if e[first].abs() <= thresh {
                    e[first] = 0.0;
                }
            }
        }
    }
    for (i, value) in d.iter_mut().enumerate().take(n) {
        if *value < 0.0 {
            *value = -*value;
            (0..n).for_each(|r| v.set(r, i, -v.at(r, i)));
        }
    }
    for last in (1..n).rev() {
        let mut least = 0;
        for j in 1..=last {
            if d[j] <= d[least] {
                least = j;
            }
        }
        if least != last {
            d.swap(least, last);
            u.swap_columns(least, last);
            v.swap_columns(least, last);
        }
    }
    Some(())
}

/// The convergence tests: none when an element beside the diagonal became zero, else a bound of the smallest singular value.
fn least(
    d: &[f64],
    e: &mut [f64],
    (first, m): (usize, usize),
    chase: Chase,
    tol: f64,
) -> Option<f64> {
    let (edge, corner) = match chase {
        Chase::Down => (m - 1, m),
        Chase::Up => (first, first),
    };
    if e[edge].abs() <= tol * d[corner].abs() {
        e[edge] = 0.0;
        return None;
    }
    let order: Vec<(usize, usize)> = match chase {
        Chase::Down => (first..m).map(|l| (l, l + 1)).collect(),
        Chase::Up => (first..m).rev().map(|l| (l, l)).collect(),
    };
    let start = if chase == Chase::Down { first } else { m };
    let mut mu = d[start].abs();
    let mut least = mu;
    for (l, next) in order {
        if e[l].abs() <= tol * mu {
            e[l] = 0.0;
            return None;
        }
        mu = d[next].abs() * (mu / (mu + e[l].abs()));
        least = least.min(mu);
    }
    Some(least)
}

/// A QR step from the top to the bottom.
fn down(
    d: &mut [f64],
    e: &mut [f64],
    (first, m): (usize, usize),
    shift: f64,
    u: &mut Matrix<f64>,
    v: &mut Matrix<f64>,
) {
    if shift == 0.0 {
        let (mut c, mut old_c, mut old_s) = (1.0, 1.0, 0.0);
        for i in first..m {
            let (cosine, s, r) = lartg(d[i] * c, e[i]);
            c = cosine;
            if i > first {
                e[i - 1] = old_s * r;
            }
            (old_c, old_s, d[i]) = lartg(old_c * r, d[i + 1] * s);
            turn(v, i, c, s);
            turn(u, i, old_c, old_s);
        }
        let h = d[m] * c;
        d[m] = h * old_c;
        e[m - 1] = h * old_s;
        return;
    }
    let mut f = (d[first].abs() - shift) * (1f64.copysign(d[first]) + shift / d[first]);
    let mut g = e[first];
    for i in first..m {
        let (c, s, r) = lartg(f, g);
        if i > first {
            e[i - 1] = r;
        }
        f = c * d[i] + s * e[i];
        e[i] = c * e[i] - s * d[i];
        g = s * d[i + 1];
        d[i + 1] *= c;
        turn(v, i, c, s);
        let (c, s, r) = lartg(f, g);
        d[i] = r;
        f = c * e[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * e[i];
        if i + 1 < m {
            g = s * e[i + 1];
            e[i + 1] *= c;
        }
        turn(u, i, c, s);
    }
    e[m - 1] = f;
}

/// A QR step from the bottom to the top.
fn up(
    d: &mut [f64],
    e: &mut [f64],
    (first, m): (usize, usize),
    shift: f64,
    u: &mut Matrix<f64>,
    v: &mut Matrix<f64>,
) {
    if shift == 0.0 {
        let (mut c, mut old_c, mut old_s) = (1.0, 1.0, 0.0);
        for i in (first + 1..=m).rev() {
            let (cosine, s, r) = lartg(d[i] * c, e[i - 1]);
            c = cosine;
            if i < m {
                e[i] = old_s * r;
            }
            (old_c, old_s, d[i]) = lartg(old_c * r, d[i - 1] * s);
            turn(v, i - 1, old_c, -old_s);
            turn(u, i - 1, c, -s);
        }
        let h = d[first] * c;
        d[first] = h * old_c;
        e[first] = h * old_s;
        return;
    }
    let mut f = (d[m].abs() - shift) * (1f64.copysign(d[m]) + shift / d[m]);
    let mut g = e[m - 1];
    for i in (first + 1..=m).rev() {
        let (c, s, r) = lartg(f, g);
        if i < m {
            e[i] = r;
        }
        f = c * d[i] + s * e[i - 1];
        e[i - 1] = c * e[i - 1] - s * d[i];
        g = s * d[i - 1];
        d[i - 1] *= c;
        turn(u, i - 1, c, -s);
        let (c, s, r) = lartg(f, g);
        d[i] = r;
        f = c * e[i - 1] + s * d[i - 1];
        d[i - 1] = c * d[i - 1] - s * e[i - 1];
        if i > first + 1 {
            g = s * e[i - 2];
            e[i - 2] *= c;
        }
        turn(v, i - 1, c, -s);
    }
    e[first] = f;
}

/// Smaller singular value of [[f, g], [0, h]].
fn las2(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (small, large) = (f.min(h), f.max(h));
    if small == 0.0 {
        return 0.0;
    }
    let s = 1.0 + small / large;
    let t = (large - small) / large;
    if g < large {
        let u = (g / large) * (g / large);
        return small * (2.0 / ((s * s + u).sqrt() + (t * t + u).sqrt()));
    }
    let u = large / g;
    if u == 0.0 {
        return (small * large) / g;
    }
    let c = 1.0 / ((1.0 + (s * u) * (s * u)).sqrt() + (1.0 + (t * u) * (t * u)).sqrt());
    2.0 * ((small * c) * u)
}

/// Singular values of [[f, g], [0, h]] with signs, and the rotations (c, s) of both sides.
struct TwoByTwo {
    larger: f64,
    smaller: f64,
    left: (f64, f64),
    right: (f64, f64),
}

/// `lasv2`
fn lasv2(f: f64, g: f64, h: f64) -> TwoByTwo {
    let is_swapped = h.abs() > f.abs();
    let (ft, ht) = if is_swapped { (h, f) } else { (f, h) };
    let (fa, ga, ha) = (ft.abs(), g.abs(), ht.abs());
    let mut largest = if is_swapped { 3 } else { 1 };
    let (smaller, larger, mut left, mut right);
    if ga == 0.0 {
        (smaller, larger, left, right) = (ha, fa, (1.0, 0.0), (1.0, 0.0));
    } else if ga > fa && fa / ga < f64::EPSILON / 2.0 {
        largest = 2;
        let least = if ha > 1.0 {
            fa / (ga / ha)
        } else {
            (fa / ga) * ha
        };
        (smaller, larger, left, right) = (least, ga, (1.0, ht / g), (ft / g, 1.0));
    } else {
        if ga > fa {
            largest = 2;
        }
        let difference = fa - ha;
        let l = if difference == fa {
            1.0
        } else {
            difference / fa
        };
        let m = g / ft;
        let t = 2.0 - l;
        let (mm, tt) = (m * m, t * t);
        let s = (tt + mm).sqrt();
        let r = if l == 0.0 {
            m.abs()
        } else {
            (l * l + mm).sqrt()
        };
        let a = 0.5 * (s + r);
        (smaller, larger) = (ha / a, fa * a);
        let t = if mm != 0.0 {
            (m / (s + t) + m / (r + l)) * (1.0 + a)
        } else if l == 0.0 {
            2f64.copysign(ft) * 1f64.copysign(g)
        } else {
            g / difference.copysign(ft) + m / t
        };
        let l = (t * t + 4.0).sqrt();
        right = (2.0 / l, t / l);
        left = ((right.0 + right.1 * m) / a, (ht / ft) * right.1 / a);
    }
    if is_swapped {
        (left, right) = ((right.1, right.0), (left.1, left.0));
    }
    let sign = |x: f64| 1f64.copysign(x);
    let of_larger = match largest {
        1 => sign(right.0) * sign(left.0) * sign(f),
        2 => sign(right.1) * sign(left.0) * sign(g),
        _ => sign(right.1) * sign(left.1) * sign(h),
    };
    TwoByTwo {
        larger: larger.copysign(of_larger),
        smaller: smaller.copysign(of_larger * sign(f) * sign(h)),
        left,
        right,
    }
}
