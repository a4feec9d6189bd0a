//! Batched matrix product in f32 and f64 through the `gemm` crates.

use super::matrices::{Matrices, Sizes};
use gemm_common::Parallelism;
use rayon::prelude::*;

/// Multiply-adds below which a product is not worth several threads.
const SMALL: usize = 1 << 16;

/// A type the product is made in.
pub trait Scalar: Copy + Default + Send + Sync {
    /// `out[j, i] = sum over l of rhs[j, l] * lhs[l, i]` on column-major `out`: the crate's own argument order.
    ///
    /// # Safety
    /// All places that sizes and strides reach must be valid, those of `out` not otherwise referred to.
    #[allow(clippy::too_many_arguments)]
    unsafe fn product(
        rows: usize,
        columns: usize,
        depth: usize,
        out: *mut Self,
        out_column_stride: isize,
        lhs: *const Self,
        lhs_strides: [isize; 2],
        rhs: *const Self,
        rhs_strides: [isize; 2],
        parallelism: Parallelism,
    );
}

macro_rules! scalar {
    ($t:ty, $function:path) => {
        impl Scalar for $t {
            unsafe fn product(
                rows: usize,
                columns: usize,
                depth: usize,
                out: *mut $t,
                out_column_stride: isize,
                lhs: *const $t,
                [lhs_row_stride, lhs_column_stride]: [isize; 2],
                rhs: *const $t,
                [rhs_row_stride, rhs_column_stride]: [isize; 2],
                parallelism: Parallelism,
            ) {
                // SAFETY: the caller's promise.
                unsafe {
                    $function()(
                        rows,
                        columns,
                        depth,
                        out,
                        out_column_stride,
                        1,
                        false,
                        lhs,
                        lhs_column_stride,
                        lhs_row_stride,
                        rhs,
                        rhs_column_stride,
                        rhs_row_stride,
                        0.0,
                        1.0,
                        false,
                        false,
                        false,
                        parallelism,
                    )
                }
            }
        }
    };
}
scalar!(f32, gemm_f32::gemm::f32::get_gemm_fn);
scalar!(f64, gemm_f64::gemm::f64::get_gemm_fn);

/// out[b, i, j] = sum over l of lhs[b, i, l] * rhs[b, j, l], row-major; sums in the type itself, in an order that hangs on the sizes alone.
/// Operands that do not hold the sizes give zeros.
pub fn float_product<T: Scalar>(
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
    // A row-major result is the column-major one of the transposed product: rhs comes first.
    let product = |b: usize, out: &mut [T], parallelism: Parallelism| {
        let first = rhs.data[b * rhs.batch_stride..].as_ptr();
        let second = lhs.data[b * lhs.batch_stride..].as_ptr();
        let first_strides = [rhs.row_stride as isize, rhs.column_stride as isize];
        let second_strides = [lhs.column_stride as isize, lhs.row_stride as isize];
        // SAFETY: all places that sizes and strides reach lie inside the operands (`held`), and `out` holds m * n elements that nothing else refers to.
        unsafe {
            T::product(
                n,
                m,
                k,
                out.as_mut_ptr(),
                n as isize,
                first,
                first_strides,
                second,
                second_strides,
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
