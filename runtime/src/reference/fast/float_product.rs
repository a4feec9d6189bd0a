//! Batched matrix product in f32 and f64 through the `gemm` crate.

use super::matrices::{Matrices, Sizes};
use gemm::Parallelism;
use rayon::prelude::*;

/// Multiply-adds below which a product is not worth several threads.
const SMALL: usize = 1 << 16;

/// out[b, i, j] = sum over l of lhs[b, i, l] * rhs[b, j, l], row-major; sums in the type itself, in an order that hangs on the sizes alone.
/// Operands that do not hold the sizes give zeros.
pub fn float_product<T: Copy + Default + Send + Sync + num_traits::One + 'static>(
    sizes: Sizes,
    lhs: Matrices<'_, T>,
    rhs: Matrices<'_, T>,
    out: &mut [T],
) {
    let Sizes { batch, m, n, k } = sizes;
    out.fill(T::default());
    let held = lhs.holds(batch, m, k) && rhs.holds(batch, n, k) && out.len() == batch * m * n;
    if !held || out.is_empty() || k == 0 {
        return;
    }
    let product = |b: usize, out: &mut [T], parallelism: Parallelism| {
        let lhs_at = lhs.data[b * lhs.batch_stride..].as_ptr();
        let rhs_at = rhs.data[b * rhs.batch_stride..].as_ptr();
        // SAFETY: all places that sizes and strides reach lie inside the operands (`held`), and `out` holds m * n elements that nothing else refers to.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                out.as_mut_ptr(),
                1,
                n as isize,
                false,
                lhs_at,
                lhs.column_stride as isize,
                lhs.row_stride as isize,
                rhs_at,
                rhs.row_stride as isize,
                rhs.column_stride as isize,
                T::default(),
                T::one(),
                false,
                false,
                false,
                parallelism,
            );
        }
    };
    if batch == 1 {
        let parallelism = if m * n * k < SMALL {
            Parallelism::None
        } else {
            Parallelism::Rayon(0)
        };
        product(0, out, parallelism);
    } else if batch * m * n * k < SMALL {
        out.chunks_exact_mut(m * n)
            .enumerate()
            .for_each(|(b, out)| product(b, out, Parallelism::None));
    } else {
        out.par_chunks_exact_mut(m * n)
            .enumerate()
            .for_each(|(b, out)| product(b, out, Parallelism::None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{bound::gamma, builder::Sampler};

    #[test]
    fn lies_within_the_bound_of_any_order_and_hangs_on_sizes_alone() {
        let mut sampler = Sampler::new(5, 1);
        let pool = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
        };
        let (one, three) = (pool(1), pool(3));
        for round in 0..30 {
            let size = if round < 25 { 40 } else { 200 };
            let [batch, m, n, k] = [3, size, size, size].map(|s| sampler.range(0, s) as usize);
            let mut numbers = |len: usize| -> Vec<f32> {
                (0..len)
                    .map(|_| sampler.range(0, 1 << 20) as f32 / 65536.0 - 8.0)
                    .collect()
            };
            let (a, b) = (numbers(batch * m * k), numbers(batch * n * k));
            let s = Sizes { batch, m, n, k };
            let lhs = Matrices::row_major(&a, m, k);
            // The right matrices stored transposed.
            let rhs = Matrices {
                data: &b[..],
                batch_stride: n * k,
                row_stride: 1,
                column_stride: n,
            };
            let run = |pool: &rayon::ThreadPool| {
                let mut out = vec![1f32; batch * m * n];
                pool.install(|| float_product(s, lhs, rhs, &mut out));
                out
            };
            let out = run(&one);
            assert!(
                out.iter()
                    .map(|v| v.to_bits())
                    .eq(run(&three).iter().map(|v| v.to_bits())),
                "{s:?}"
            );
            for g in 0..batch {
                for i in 0..m {
                    for j in 0..n {
                        let terms =
                            (0..k).map(|l| f64::from(lhs.at(g, i, l)) * f64::from(rhs.at(g, j, l)));
                        let (sum, size) = terms.fold((0.0, 0.0), |(s, t), x| (s + x, t + x.abs()));
                        let got = f64::from(out[(g * m + i) * n + j]);
                        assert!(
                            (got - sum).abs() <= gamma(k as f64, 2f64.powi(-24)) * size,
                            "{s:?}"
                        );
                    }
                }
            }
        }
    }
}
