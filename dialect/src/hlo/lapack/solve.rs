//! Tridiagonal systems.

use super::matrix::{Matrix, Scalar};

/// A tridiagonal system, eliminated with the larger of two rows as pivot. The diagonals have one element a row: the first of `below` and the last of
/// `above` are not read. Gives what stands on the diagonals of the eliminated matrix (below: the second one above), the solution, and the row (from 1)
/// where the pivot was zero, else 0.
pub struct Eliminated<S> {
    pub second_above: Vec<S>,
    pub diagonal: Vec<S>,
    pub above: Vec<S>,
    pub solution: Matrix<S>,
    pub info: f64,
}

pub fn tridiagonal<S: Scalar>(
    below: &[S],
    diagonal: &[S],
    above: &[S],
    b: &Matrix<S>,
) -> Option<Eliminated<S>> {
    let n = diagonal.len();
    if below.len() != n || above.len() != n || b.rows != n {
        return None;
    }
    let zero = S::real(0.0);
    let (mut d, mut du, mut x) = (diagonal.to_vec(), above.to_vec(), b.clone());
    let mut du2 = vec![zero; n];
    let mut info = 0.0;
    for i in 0..n.saturating_sub(1) {
        let under = below[i + 1];
        if d[i].pivot_size() >= under.pivot_size() {
            if d[i] == zero {
                info = (i + 1) as f64;
                break;
            }
            let factor = under / d[i];
            d[i + 1] = d[i + 1] - factor * du[i];
            for c in 0..x.columns {
                x.set(i + 1, c, x.at(i + 1, c) - factor * x.at(i, c));
            }
        } else {
            let factor = d[i] / under;
            d[i] = under;
            let next = d[i + 1];
            d[i + 1] = du[i] - factor * next;
            if i + 2 < n {
                du2[i] = du[i + 1];
                du[i + 1] = -(factor * du2[i]);
            }
            du[i] = next;
            for c in 0..x.columns {
                let (upper, lower) = (x.at(i, c), x.at(i + 1, c));
                x.set(i, c, lower);
                x.set(i + 1, c, upper - factor * lower);
            }
        }
    }
    if info == 0.0 && n > 0 && d[n - 1] == zero {
        info = n as f64;
    }
    if info == 0.0 {
        for c in 0..x.columns {
            for i in (0..n).rev() {
                let mut sum = x.at(i, c);
                if i + 1 < n {
                    sum = sum - du[i] * x.at(i + 1, c);
                }
                if i + 2 < n {
                    sum = sum - du2[i] * x.at(i + 2, c);
                }
                x.set(i, c, sum / d[i]);
            }
        }
    }
    Some(Eliminated {
        second_above: du2,
        diagonal: d,
        above: du,
        solution: x,
        info,
    })
}
