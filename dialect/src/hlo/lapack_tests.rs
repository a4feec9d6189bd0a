//! Tests of the LAPACK routines.

use super::*;

fn matrix(rows: usize, columns: usize, data: &[f64]) -> Matrix {
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
    let (lu, pivots, info) = lu(&matrix(2, 2, &[1.0, 2.0, 4.0, 4.0]));
    close(&lu.data, &[4.0, 4.0, 0.25, 1.0]);
    assert_eq!((pivots, info), (vec![2.0, 2.0], 0.0));
    assert_eq!(super::lu(&matrix(2, 2, &[0.0, 1.0, 0.0, 1.0])).2, 1.0);
}

#[test]
fn qr_has_lapacks_signs() {
    // The column (3, 4) has length 5; its diagonal becomes -5, v = (1, 4 / 8), tau = (-5 - 3) / -5.
    let a = matrix(2, 2, &[3.0, 1.0, 4.0, 2.0]);
    let (qr, tau) = qr(&a);
    close(&qr.data, &[-5.0, -2.2, 0.5, 0.4]);
    close(&tau, &[1.6, 0.0]);
    close(&qr_orthogonal(&qr, &tau).data, &[-0.6, -0.8, -0.8, 0.6]);
}

#[test]
fn triangular_solves_from_both_sides() {
    let a = matrix(2, 2, &[2.0, 7.0, 1.0, 4.0]);
    let b = matrix(2, 1, &[2.0, 9.0]);
    let left = Solve {
        left: true,
        lower: true,
        transposed: false,
        unit: false,
    };
    close(&left.solve(&a, &b).unwrap().data, &[1.0, 2.0]);
    let turned = Solve {
        transposed: true,
        ..left
    };
    close(&turned.solve(&a, &b).unwrap().data, &[-0.125, 2.25]);
    let right = Solve {
        left: false,
        lower: true,
        transposed: false,
        unit: true,
    };
    close(
        &right.solve(&a, &matrix(1, 2, &[5.0, 3.0])).unwrap().data,
        &[2.0, 3.0],
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
