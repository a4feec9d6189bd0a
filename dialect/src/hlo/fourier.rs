//! Discrete Fourier transforms of lines on both planes: X[k] = sum over j of x[j] * w(jk / n), w(a) = exp(-2 pi i a).
//!
//! IEEE: mixed radix in f64. Ring: the sum with opaque roots keyed by the reduced fraction, w(-a) = conj w(a), and the roots that are exact numbers:
//! w(0) = 1, w(1/2) = -1, w(1/4) = -i. A line that holds a code becomes undefined.

use crate::planes::ring::{self, P, Residue};
use num_complex::Complex;

/// exp(-2 pi i j / n), each part within 1 ulp: the angle is reduced to an eighth of the circle first.
pub fn root(j: usize, n: usize) -> Complex<f64> {
    let (j, n) = (j as u128 % n as u128, n as u128);
    let (quadrant, rest) = (4 * j / n, 4 * j % n);
    let angle = |part: u128| std::f64::consts::FRAC_PI_2 * (part as f64 / n as f64);
    let (c, s) = if 2 * rest <= n {
        (angle(rest).cos(), angle(rest).sin())
    } else {
        (angle(n - rest).sin(), angle(n - rest).cos())
    };
    match quadrant {
        0 => Complex::new(c, -s),
        1 => Complex::new(-s, -c),
        2 => Complex::new(-c, s),
        _ => Complex::new(s, c),
    }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// The root of the ring for the fraction j / n.
pub fn ring_root(j: usize, n: usize) -> [Residue; 2] {
    let j = j % n;
    let g = greatest_common_divisor(j, n);
    let (numerator, denominator) = (j / g, n / g);
    match (numerator, denominator) {
        (0, _) => return [1, 0],
        (1, 2) => return [P - 1, 0],
        (1, 4) => return [0, P - 1],
        (3, 4) => return [0, 1],
        _ => {}
    }
    // Fractions above 1/2 are the conjugates of those below.
    let above = 2 * numerator > denominator;
    let low = if above {
        denominator - numerator
    } else {
        numerator
    };
    let part = |name: &str| {
        let key = ring::opaque_key(name) ^ (low as u64) << 32;
        ring::opaque(ring::mix(key), denominator as u32)
    };
    let (re, im) = (part("fft_root_real"), part("fft_root_imaginary"));
    if above { [re, ring::neg(im)] } else { [re, im] }
}

/// Prime factors, smallest first.
pub fn prime_factors(mut n: usize) -> Vec<usize> {
    let mut out = vec![];
    let mut p = 2;
    while p * p <= n {
        while n.is_multiple_of(p) {
            out.push(p);
            n /= p;
        }
        p += 1;
    }
    if n > 1 {
        out.push(n);
    }
    out
}

/// Transforms lines of `n` elements forward.
pub struct Transform {
    n: usize,
    factors: Vec<usize>,
    roots: Vec<Complex<f64>>,
    ring_roots: Vec<[Residue; 2]>,
}

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forward,
    /// With conjugate roots and divided by n.
    Inverse,
}

impl Transform {
    pub fn new(n: usize, with_ring: bool) -> Transform {
        Transform {
            n,
            factors: prime_factors(n),
            roots: (0..n).map(|j| root(j, n)).collect(),
            ring_roots: if with_ring {
                (0..n).map(|j| ring_root(j, n)).collect()
            } else {
                vec![]
            },
        }
    }

    /// The transform of a line on the IEEE plane.
    pub fn ieee(&self, line: &[Complex<f64>], direction: Direction) -> Vec<Complex<f64>> {
        match direction {
            Direction::Forward => self.forward(line, &self.factors),
            Direction::Inverse => {
                // conj(forward(conj(x))) / n.
                let conjugate: Vec<Complex<f64>> = line.iter().map(|z| z.conj()).collect();
                let scale = self.n as f64;
                let out = self.forward(&conjugate, &self.factors);
                out.iter().map(|z| z.conj() / scale).collect()
            }
        }
    }

    /// Splits by the first factor p into p lines, transforms them and combines: X[k + m q] = sum over r of w(r (k + m q) / n) Y_r[k].
    fn forward(&self, line: &[Complex<f64>], factors: &[usize]) -> Vec<Complex<f64>> {
        let n = line.len();
        let Some((p, rest)) = factors.split_first() else {
            return line.to_vec();
        };
        let (p, m, step) = (*p, n / p, self.n / n);
        let parts: Vec<Vec<Complex<f64>>> = (0..p)
            .map(|r| {
                let part: Vec<Complex<f64>> = line.iter().skip(r).step_by(p).copied().collect();
                self.forward(&part, rest)
            })
            .collect();
        (0..n)
            .map(|k| {
                let term = |(r, part): (usize, &Vec<Complex<f64>>)| {
                    let y = part[k % m];
                    if r == 0 {
                        y
                    } else {
                        y * self.roots[r * k % n * step]
                    }
                };
                parts.iter().enumerate().map(term).sum()
            })
            .collect()
    }

    /// The transform of a line of residues.
    pub fn ring(&self, line: &[[Residue; 2]], direction: Direction) -> Vec<[Residue; 2]> {
        if self.n == 1 {
            return line.to_vec();
        }
        if line.iter().flatten().any(|r| ring::is_code(*r)) {
            return vec![[ring::UNDEFINED; 2]; self.n];
        }
        let scale = match direction {
            Direction::Forward => 1,
            Direction::Inverse => ring::inv_residue(ring::reduce(self.n as u64)),
        };
        let folded = |a: u32, b: u32| {
            let product = u64::from(a) * u64::from(b);
            (product & u64::from(P)) + (product >> 31)
        };
        let conjugate = direction == Direction::Inverse;
        (0..self.n)
            .map(|k| {
                let mut sums = [0u64; 4];
                let mut at = 0;
                for [re, im] in line {
                    let [c, s] = self.ring_roots[at];
                    sums[0] += folded(*re, c);
                    sums[1] += folded(*im, s);
                    sums[2] += folded(*re, s);
                    sums[3] += folded(*im, c);
                    at += k;
                    if at >= self.n {
                        at -= self.n;
                    }
                }
                let [re_c, im_s, re_s, im_c] = sums.map(ring::reduce);
                let (re_s, im_s) = if conjugate {
                    (ring::neg(re_s), ring::neg(im_s))
                } else {
                    (re_s, im_s)
                };
                let parts = [ring::sub(re_c, im_s), ring::add(re_s, im_c)];
                parts.map(|r| ring::mul_residues(r, scale))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_radix_agrees_with_the_sum() {
        for n in [1, 2, 3, 4, 6, 7, 12, 13, 30, 49] {
            let line: Vec<Complex<f64>> = (0..n)
                .map(|j| Complex::new((j as f64).sin(), (2.0 * j as f64).cos()))
                .collect();
            let t = Transform::new(n, false);
            let got = t.ieee(&line, Direction::Forward);
            for (k, got) in got.iter().enumerate() {
                let want: Complex<f64> = (0..n).map(|j| line[j] * root(j * k, n)).sum();
                assert!((got - want).norm() < 1e-12, "n {n}, k {k}");
            }
            let back = t.ieee(&got, Direction::Inverse);
            assert!(back.iter().zip(&line).all(|(a, b)| (a - b).norm() < 1e-13));
        }
    }

    #[test]
    fn roots_are_exact_where_they_can_be() {
        assert_eq!(root(2, 8), Complex::new(0.0, -1.0));
        assert_eq!(root(6, 12), Complex::new(-1.0, 0.0));
        assert_eq!(root(3, 4), Complex::new(0.0, 1.0));
        for (j, n) in [(1, 3), (3, 8), (5, 7)] {
            let [re, im] = ring_root(j, n);
            assert_eq!(ring_root(n - j, n), [re, ring::neg(im)]);
            assert_eq!(ring_root(2 * j, 2 * n), [re, im]);
        }
        assert_ne!(ring_root(1, 3), ring_root(1, 5));
    }

    #[test]
    fn the_ring_transform_is_the_sum_of_its_columns() {
        let t = Transform::new(6, true);
        let line: Vec<[u32; 2]> = (0..6).map(|i| [3 * i + 1, 5 * i]).collect();
        let got = t.ring(&line, Direction::Forward);
        for (k, got) in got.iter().enumerate() {
            let mut want = [0, 0];
            for (j, [re, im]) in line.iter().enumerate() {
                let [c, s] = ring_root(j * k, 6);
                let m = ring::mul_residues;
                want = [
                    ring::add(want[0], ring::sub(m(*re, c), m(*im, s))),
                    ring::add(want[1], ring::add(m(*re, s), m(*im, c))),
                ];
            }
            assert_eq!(*got, want);
        }
        let mut coded = line;
        coded[2] = [ring::POSITIVE_INFINITY, 0];
        assert_eq!(t.ring(&coded, Direction::Inverse)[5], [ring::UNDEFINED; 2]);
    }
}
