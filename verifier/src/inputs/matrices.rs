//! Matrices that factorizations and solvers are made for.

use super::{Class, roles::Domain};

/// Turns the matrices that the last two dimensions hold into ones of the domain.
pub fn shape(domain: Domain, dims: &[u64], class: Class, values: &mut [f64]) {
    let [.., rows, columns] = *dims else {
        return;
    };
    let n = rows as usize;
    if rows != columns || n == 0 {
        return;
    }
    match domain {
        Domain::PositiveDefinite => {
            values
                .chunks_exact_mut(n * n)
                .for_each(|a| positive_definite(n, class, a));
        }
        Domain::Triangular => values
            .chunks_exact_mut(n * n)
            .for_each(|a| triangular(n, class, a)),
        Domain::Any
        | Domain::Positive
        | Domain::AboveOne
        | Domain::AboveMinusOne
        | Domain::WithinOne
        | Domain::Whole => {}
    }
}

/// L L^T of a lower triangle L with a diagonal that is not small: whole numbers, and a factor of whole numbers, in class `exact`. In the others the part
/// above the diagonal is a little larger, so that a matrix and its transpose are not one.
fn positive_definite(n: usize, class: Class, a: &mut [f64]) {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            l[i * n + j] = match class {
                Class::Exact => (a[i * n + j] / 4.0).round(),
                _ => a[i * n + j] / (n as f64).sqrt(),
            };
        }
        l[i * n + i] = match class {
            Class::Exact => 1.0,
            _ => 1.0 + a[i * n + i].abs(),
        };
    }
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..=i.min(j)).map(|k| l[i * n + k] * l[j * n + k]).sum();
            let more = if j > i && class != Class::Exact {
                1.0 / 1024.0
            } else {
                0.0
            };
            a[i * n + j] = product * (1.0 + more);
        }
    }
}

/// A diagonal of powers of two (class `exact`) or numbers of at least 1, beside small numbers.
fn triangular(n: usize, class: Class, a: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let x = a[i * n + j];
            a[i * n + j] = match (class, i == j) {
                (Class::Exact, true) if x < 0.0 => -1.0,
                (Class::Exact, true) => 2.0,
                (Class::Exact, false) => (x / 4.0).round(),
                (_, true) => x + if x < 0.0 { -1.0 } else { 1.0 },
                (_, false) => x / n as f64,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_a_domain() {
        let mut a: Vec<f64> = (0..16).map(|i| f64::from(i % 9) - 4.0).collect();
        shape(Domain::PositiveDefinite, &[4, 4], Class::Exact, &mut a);
        // The pivots of elimination are the squares of the diagonal, 1.
        for k in 0..4 {
            assert_eq!(a[k * 4 + k], 1.0);
            for i in k + 1..4 {
                let factor = a[i * 4 + k];
                (k..4).for_each(|j| a[i * 4 + j] -= factor * a[k * 4 + j]);
            }
        }
        let mut t = vec![-3.0, 4.0, 2.0, 0.5];
        shape(Domain::Triangular, &[2, 2], Class::Normal, &mut t);
        assert_eq!(t, vec![-4.0, 2.0, 1.0, 1.5]);
        let mut other = vec![1.0, 2.0];
        shape(Domain::Triangular, &[1, 2], Class::Normal, &mut other);
        assert_eq!(other, vec![1.0, 2.0]);
    }
}
