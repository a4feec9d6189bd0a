//! Tests of the LAPACK routines.

use super::{
    factor::{Product, cholesky, lu, qr, qr_orthogonal, qr_with_pivots},
    solve::tridiagonal,
    spectrum::{completed, singular_values, symmetric_eigen},
    *,
};

fn matrix(rows: usize, columns: usize, data: &[f64]) -> Matrix<f64> {
    Matrix {
        rows,
        columns,
        data: data.to_vec(),
    }
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    got.iter()
        .zip(want)
        .for_each(|(g, w)| assert!((g - w).abs() < 1e-14, "{got:?} {want:?}"));
}

#[test]
fn cholesky_writes_one_triangle() {
    let a = matrix(2, 2, &[4.0, 9.0, 2.0, 10.0]);
    let (l, info) = cholesky(&a, true);
    close(&l.data, &[2.0, 9.0, 1.0, 3.0]);
    assert_eq!(info, 0.0);
    assert_eq!(cholesky(&matrix(2, 2, &[1.0, 2.0, 2.0, 1.0]), false).1, 2.0);
}

#[test]
fn lu_takes_the_largest_pivot() {
    let (made, pivots, info) = lu(&matrix(2, 2, &[1.0, 2.0, 4.0, 4.0]));
    close(&made.data, &[4.0, 4.0, 0.25, 1.0]);
    assert_eq!((pivots, info), (vec![2.0, 2.0], 0.0));
    assert_eq!(lu(&matrix(2, 2, &[0.0, 1.0, 0.0, 1.0])).2, 1.0);
}

#[test]
fn qr_has_lapacks_signs() {
    // The column (3, 4) has length 5; its diagonal becomes -5, v = (1, 4 / 8), tau = (-5 - 3) / -5.
    let a = matrix(2, 2, &[3.0, 1.0, 4.0, 2.0]);
    let (factors, tau) = qr(&a);
    close(&factors.data, &[-5.0, -2.2, 0.5, 0.4]);
    close(&tau, &[1.6, 0.0]);
    close(
        &qr_orthogonal(&factors, &tau).data,
        &[-0.6, -0.8, -0.8, 0.6],
    );
}

#[test]
fn eigenvalues_rise_and_singular_values_fall() {
    let (vectors, values) = symmetric_eigen(&matrix(2, 2, &[2.0, 9.0, 1.0, 2.0]), true);
    close(&values, &[1.0, 3.0]);
    close(
        &[
            vectors.at(0, 0) + vectors.at(1, 0),
            vectors.at(0, 1) - vectors.at(1, 1),
        ],
        &[0.0, 0.0],
    );
    let a = matrix(3, 2, &[0.0, 3.0, 2.0, 0.0, 0.0, 0.0]);
    let (u, values, v) = singular_values(&a);
    close(&values, &[3.0, 2.0]);
    let full = completed(u, 3);
    close(
        &[full.at(2, 2).abs(), v.at(1, 0).abs(), full.at(0, 0).abs()],
        &[1.0, 1.0, 1.0],
    );
}

fn z(re: f64, im: f64) -> Complex<f64> {
    Complex::new(re, im)
}

fn near(got: &[Complex<f64>], want: &[Complex<f64>]) {
    assert_eq!(got.len(), want.len());
    let all = got.iter().zip(want);
    all.for_each(|(g, w)| assert!((g - w).norm() < 1e-13, "{got:?} {want:?}"));
}

fn product(a: &Matrix<Complex<f64>>, b: &Matrix<Complex<f64>>) -> Matrix<Complex<f64>> {
    let mut out = Matrix::zeros(a.rows, b.columns);
    for i in 0..a.rows {
        for j in 0..b.columns {
            out.set(i, j, (0..a.columns).map(|k| a.at(i, k) * b.at(k, j)).sum());
        }
    }
    out
}

fn complex_matrix() -> Matrix<Complex<f64>> {
    Matrix {
        rows: 3,
        columns: 2,
        data: vec![
            z(1.0, 2.0),
            z(0.0, -1.0),
            z(3.0, 0.5),
            z(2.0, 2.0),
            z(-1.0, 1.0),
            z(0.5, 0.0),
        ],
    }
}

#[test]
fn complex_cholesky_takes_conjugates() {
    // [[2, 0], [1 + i, 3]] times its adjoint is [[4, 2 - 2i], [2 + 2i, 11]].
    let a = Matrix {
        rows: 2,
        columns: 2,
        data: vec![z(4., 0.), z(2., -2.), z(2., 2.), z(11., 0.)],
    };
    near(
        &cholesky(&a, true).0.data,
        &[z(2., 0.), z(2., -2.), z(1., 1.), z(3., 0.)],
    );
    near(
        &cholesky(&a, false).0.data,
        &[z(2., 0.), z(1., -1.), z(2., 2.), z(3., 0.)],
    );
}

#[test]
fn complex_qr_gives_the_matrix_back() {
    let a = complex_matrix();
    let (factors, taus) = qr(&a);
    let mut r = Matrix::zeros(3, 2);
    (0..2).for_each(|i| (i..2).for_each(|j| r.set(i, j, factors.at(i, j))));
    assert_eq!((r.at(0, 0).im, r.at(1, 1).im), (0.0, 0.0));
    assert!(r.at(0, 0).re < 0.0);
    let q_times =
        |left, adjoint, c: &Matrix<_>| Product { left, adjoint }.of(&factors, &taus, c).unwrap();
    near(&q_times(true, false, &r).data, &a.data);
    near(&q_times(true, true, &a).data, &r.data);
    let q = q_times(true, false, &Matrix::identity(3));
    near(&q_times(false, false, &Matrix::identity(3)).data, &q.data);
    near(
        &q_times(false, true, &Matrix::identity(3)).data,
        &q.adjoint().data,
    );
    near(
        &product(
            &qr_orthogonal(&factors, &taus),
            &Matrix {
                rows: 2,
                columns: 2,
                data: r.data[..4].to_vec(),
            },
        )
        .data,
        &a.data,
    );
}

#[test]
fn complex_spectra_give_the_matrix_back() {
    let a = complex_matrix();
    let (u, values, v) = singular_values(&a);
    let mut scaled = u.clone();
    (0..3).for_each(|i| (0..2).for_each(|j| scaled.set(i, j, u.at(i, j) * values[j])));
    near(&product(&scaled, &v.adjoint()).data, &a.data);
    near(
        &product(&u.adjoint(), &u).data,
        &Matrix::<Complex<f64>>::identity(2).data,
    );
    let h = product(&a.adjoint(), &a);
    let (vectors, eigen) = symmetric_eigen(&h, false);
    close(&eigen, &[values[1] * values[1], values[0] * values[0]]);
    let mut scaled = vectors.clone();
    (0..2).for_each(|i| (0..2).for_each(|j| scaled.set(i, j, vectors.at(i, j) * eigen[j])));
    near(&product(&h, &vectors).data, &scaled.data);
}

#[test]
fn pivoted_qr_takes_the_longest_column_first() {
    let (factors, order, _) = qr_with_pivots(&matrix(2, 2, &[0.0, 3.0, 1.0, 4.0]));
    assert_eq!(order, [2.0, 1.0]);
    close(&factors.data[..2], &[-5.0, -0.8]);
    assert!((factors.at(1, 1).abs() - 0.6).abs() < 1e-14);
}

#[test]
fn tridiagonal_systems_exchange_rows() {
    // Rows (1 2 0), (4 1 3), (0 2 5); the first of `below` and the last of `above` are not read.
    let (below, diagonal, above) = ([f64::NAN, 4.0, 2.0], [1.0, 1.0, 5.0], [2.0, 3.0, f64::NAN]);
    let b = matrix(3, 1, &[5.0, 15.0, 19.0]);
    let made = tridiagonal(&below, &diagonal, &above, &b).unwrap();
    close(&made.solution.data, &[1.0, 2.0, 3.0]);
    assert_eq!(made.info, 0.0);
    let singular = tridiagonal(
        &[0.0, 0.0],
        &[0.0, 1.0],
        &[1.0, 0.0],
        &matrix(2, 1, &[1.0, 1.0]),
    )
    .unwrap();
    assert_eq!(singular.info, 1.0);
}

/// The witness is LAPACK itself (dsyevd and zheevd of OpenBLAS, lower triangle).
#[test]
fn small_eigenvectors_have_lapacks_signs() {
    let a = matrix(
        4,
        4,
        &[
            4., 1., -2., 0.5, 1., 3., 0., 1., -2., 0., 1., 2., 0.5, 1., 2., -1.,
        ],
    );
    let (vectors, values) = tridiagonal_eigen::eigen(&a).unwrap();
    let about = |got: &[f64], want: &[f64]| {
        assert_eq!(got.len(), want.len());
        let all = got.iter().zip(want);
        all.for_each(|(g, w)| assert!((g - w).abs() < 1e-7, "{got:?} {want:?}"));
    };
    about(&values, &[-2.64827445, 1., 3.30180729, 5.34646716]);
    #[rustfmt::skip]
    about(&vectors.data, &[
        0.2109628, 0.46816459, -0.13634195, 0.84718799,
        0.10408619, -0.46816459, 0.79957806, 0.36147325,
        0.55359484, 0.58520574, 0.44660766, -0.38936949,
        -0.79887015, 0.46816459, 0.37766043, 0.00099713,
    ]);
    let h = Matrix {
        rows: 3,
        columns: 3,
        data: vec![
            z(2., 0.),
            z(9., 9.),
            z(9., 9.),
            z(1., -1.),
            z(3., 0.),
            z(9., 9.),
            z(0., 0.5),
            z(2., 0.),
            z(-1., 0.),
        ],
    };
    let (vectors, values) = tridiagonal_eigen::eigen(&h).unwrap();
    about(&values, &[-2.05367202, 1.61989629, 4.43377573]);
    let parts: Vec<f64> = vectors.data.iter().flat_map(|v| [v.re, v.im]).collect();
    #[rustfmt::skip]
    about(&parts, &[
        -0.23578309, 0., -0.85833916, 0., -0.45569751, 0.,
        0.18751275, -0.36547396, 0.29527832, -0.18257221, -0.65319927, 0.53298833,
        -0.35592242, 0.80560122, 0.22541222, -0.30318529, -0.24042187, 0.15424411,
    ]);
}

#[test]
fn eigenvectors_of_many_sizes_diagonalize() {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / f64::from(1u32 << 31) - 0.5
    };
    for n in 1..=tridiagonal_eigen::LARGEST {
        let mut a = Matrix::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                let v = if (i + j) % 7 == 3 { 0.0 } else { next() };
                a.set(i, j, v);
                a.set(j, i, v);
            }
        }
        let (vectors, values) = tridiagonal_eigen::eigen(&a).unwrap();
        assert!(values.is_sorted());
        for (j, value) in values.iter().enumerate() {
            for i in 0..n {
                let product: f64 = (0..n).map(|k| a.at(i, k) * vectors.at(k, j)).sum();
                assert!((product - value * vectors.at(i, j)).abs() < 1e-12, "{n}");
            }
        }
    }
}

/// The witness is LAPACK itself (dgesdd of OpenBLAS, all vectors).
#[test]
fn small_singular_vectors_have_lapacks_signs() {
    let about = |got: &[f64], want: &[f64]| {
        assert_eq!(got.len(), want.len());
        let all = got.iter().zip(want);
        all.for_each(|(g, w)| assert!((g - w).abs() < 1e-7, "{got:?} {want:?}"));
    };
    let a = matrix(
        4,
        3,
        &[1.0, 2.0, -1.0, 0.0, 3.0, 0.5, 2.0, -2.0, 4.0, 1.0, 1.0, 1.0],
    );
    let (u, values, v) = bidiagonal::singular_values(&a, (4, 3)).unwrap();
    about(&values, &[5.25856096, 3.60159663, 1.27516208]);
    about(
        &u.data,
        &[
            0.31303854,
            0.42006682,
            -0.78474249,
            -0.33125513,
            0.27466566,
            0.71257835,
            0.59587563,
            -0.24844135,
            -0.90540424,
            0.31926028,
            -0.07666232,
            -0.26914479,
            -0.08251549,
            0.46243793,
            -0.15242815,
            0.86954472,
        ],
    );
    about(
        &v.data,
        &[
            -0.30051671,
            0.42231973,
            -0.85518171,
            0.60441765,
            0.77792888,
            0.17177298,
            -0.73781367,
            0.46526627,
            0.48903812,
        ],
    );
    let a = matrix(2, 5, &[1.0, -2.0, 3.0, 0.5, 0.0, 2.0, 1.0, 0.0, -1.0, 4.0]);
    let (u, values, v) = bidiagonal::singular_values(&a, (2, 5)).unwrap();
    about(&values, &[4.69383904, 3.77065977]);
    about(&u.data, &[-0.06411760, 0.99794235, 0.99794235, 0.06411760]);
    about(
        &v.data,
        &[
            0.41155376,
            0.29866857,
            -0.61994088,
            0.04563362,
            -0.59582839,
            0.23992675,
            -0.51231541,
            0.50992407,
            0.23588163,
            -0.60357715,
            -0.04097985,
            0.79397963,
            0.56512215,
            -0.01756759,
            -0.21964822,
            -0.21943683,
            0.11532559,
            -0.11115482,
            0.95766482,
            0.09523750,
            0.85042742,
            0.06801738,
            0.15470072,
            0.15762899,
            0.47261786,
        ],
    );
}

#[test]
fn singular_vectors_of_many_sizes_give_the_matrix_back() {
    let mut seed = 7u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / f64::from(1u32 << 31) - 0.5
    };
    for (m, n) in [
        (1, 1),
        (1, 6),
        (5, 1),
        (4, 4),
        (7, 6),
        (6, 7),
        (20, 9),
        (9, 20),
        (25, 25),
    ] {
        let a = Matrix {
            rows: m,
            columns: n,
            data: (0..m * n).map(|_| z(next(), next())).collect(),
        };
        let (u, values, v) = bidiagonal::singular_values(&a, (m, n)).unwrap();
        assert!(values.is_sorted_by(|a, b| a >= b));
        let mut scaled = Matrix::zeros(m, n);
        (0..m).for_each(|i| {
            values
                .iter()
                .enumerate()
                .for_each(|(j, s)| scaled.set(i, j, u.at(i, j) * *s))
        });
        near(&product(&scaled, &v.adjoint()).data, &a.data);
        near(
            &product(&u.adjoint(), &u).data,
            &Matrix::<Complex<f64>>::identity(m).data,
        );
        near(
            &product(&v.adjoint(), &v).data,
            &Matrix::<Complex<f64>>::identity(n).data,
        );
    }
}
