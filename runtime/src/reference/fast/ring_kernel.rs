//! Innermost loops of the ring product, in f64 arithmetic that stays exact.
//!
//! Residues are centred: |b| <= 2^30. The left operand is split, a = high * 2^15 + low with |low| <= 2^14 and |high| <= 2^15, so a sum of [`DEPTH`]
//! products high * b stays within 2^53 and every fused multiply-add is exact. One reduction per [`DEPTH`] products brings the sums back.

use std::arch::x86_64::*;
use tileproof_dialect::planes::ring::P;

/// Largest number of products summed before a reduction.
pub const DEPTH: usize = 256;

const MODULUS: f64 = P as f64;
const INVERSE: f64 = 1.0 / MODULUS;
const SPLIT: f64 = 32768.0;

/// A kernel: adds the products of a `rows`-row panel of the left and a `columns`-row panel of the right matrix to a tile of sums.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub rows: usize,
    pub columns: usize,
    run: fn(&[f64], &[f64], &mut [f64], usize),
}

impl Kernel {
    /// The fastest kernel this CPU runs.
    pub fn best() -> Kernel {
        if is_x86_feature_detected!("avx512f") {
            Kernel {
                rows: 4,
                columns: 24,
                run: avx512,
            }
        } else {
            Kernel::portable()
        }
    }

    pub fn portable() -> Kernel {
        Kernel {
            rows: 3,
            columns: 8,
            run: portable,
        }
    }

    /// `lhs`: for each of at most [`DEPTH`] columns `rows` low parts, then `rows` high parts (see [`split`]). `rhs`: for each column `columns`
    /// centred residues. `sums`: row-major with `stride`, congruent to the sums modulo p; each call adds at most p in absolute value.
    pub fn add(&self, lhs: &[f64], rhs: &[f64], sums: &mut [f64], stride: usize) {
        debug_assert!(lhs.len() / (2 * self.rows) <= DEPTH);
        (self.run)(lhs, rhs, sums, stride)
    }
}

/// A residue as a number in [-2^30, 2^30]; a code as 0.
#[inline(always)]
pub fn centred(r: u32) -> f64 {
    // Codes have the top bit set and are negative as i32.
    let whole = (r as i32).max(0);
    let above = if whole > (P / 2) as i32 { P as i32 } else { 0 };
    f64::from(whole - above)
}

/// Low and high part of a centred residue.
#[inline(always)]
pub fn split(a: f64) -> (f64, f64) {
    let high = (a * (1.0 / SPLIT)).round_ties_even();
    (a - high * SPLIT, high)
}

/// The residue congruent to `sum`, a whole number below 2^52 in absolute value.
#[inline(always)]
pub fn residue(sum: f64) -> u32 {
    let r = reduced(sum);
    (if r < 0.0 { r + MODULUS } else { r }) as u32
}

/// A number congruent to the whole number `x`, |x| <= 2^53, of at most p/2 + 1 in absolute value.
#[inline(always)]
fn reduced(x: f64) -> f64 {
    // The quotient is at most 2^22, its product with p is exact, and so is the difference.
    (-(x * INVERSE).round_ties_even()).mul_add(MODULUS, x)
}

fn portable(lhs: &[f64], rhs: &[f64], sums: &mut [f64], stride: usize) {
    const ROWS: usize = 3;
    const COLUMNS: usize = 8;
    let mut low = [[0f64; COLUMNS]; ROWS];
    let mut high = [[0f64; COLUMNS]; ROWS];
    for (a, b) in lhs.chunks_exact(2 * ROWS).zip(rhs.chunks_exact(COLUMNS)) {
        for r in 0..ROWS {
            for (c, b) in b.iter().enumerate() {
                low[r][c] = a[r].mul_add(*b, low[r][c]);
                high[r][c] = a[ROWS + r].mul_add(*b, high[r][c]);
            }
        }
    }
    for (r, row) in sums.chunks_mut(stride).take(ROWS).enumerate() {
        for (c, sum) in row.iter_mut().take(COLUMNS).enumerate() {
            *sum += reduced(reduced(high[r][c]).mul_add(SPLIT, low[r][c]));
        }
    }
}

fn avx512(lhs: &[f64], rhs: &[f64], sums: &mut [f64], stride: usize) {
    // SAFETY: `Kernel::best` gives this function only where the CPU has AVX-512 F.
    unsafe { avx512_tile(lhs, rhs, sums, stride) }
}

#[target_feature(enable = "avx512f")]
fn avx512_tile(lhs: &[f64], rhs: &[f64], sums: &mut [f64], stride: usize) {
    const ROWS: usize = 4;
    const VECTORS: usize = 3;
    let mut low = [[_mm512_setzero_pd(); VECTORS]; ROWS];
    let mut high = [[_mm512_setzero_pd(); VECTORS]; ROWS];
    for (a, b) in lhs
        .chunks_exact(2 * ROWS)
        .zip(rhs.chunks_exact(8 * VECTORS))
    {
        // SAFETY: the chunk holds 24 numbers.
        let b = unsafe { [0, 8, 16].map(|at| _mm512_loadu_pd(b.as_ptr().add(at))) };
        for r in 0..ROWS {
            let (x, y) = (_mm512_set1_pd(a[r]), _mm512_set1_pd(a[ROWS + r]));
            for (v, b) in b.iter().enumerate() {
                low[r][v] = _mm512_fmadd_pd(x, *b, low[r][v]);
                high[r][v] = _mm512_fmadd_pd(y, *b, high[r][v]);
            }
        }
    }
    let (modulus, inverse, scale) = (
        _mm512_set1_pd(MODULUS),
        _mm512_set1_pd(INVERSE),
        _mm512_set1_pd(SPLIT),
    );
    let reduced = |x| {
        let quotient = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(
            _mm512_mul_pd(x, inverse),
        );
        _mm512_fnmadd_pd(quotient, modulus, x)
    };
    for (r, row) in sums.chunks_mut(stride).take(ROWS).enumerate() {
        for (v, part) in row.chunks_exact_mut(8).take(VECTORS).enumerate() {
            let sum = reduced(_mm512_fmadd_pd(reduced(high[r][v]), scale, low[r][v]));
            // SAFETY: the part holds 8 numbers.
            unsafe {
                let old = _mm512_loadu_pd(part.as_ptr());
                _mm512_storeu_pd(part.as_mut_ptr(), _mm512_add_pd(old, sum));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::planes::ring;

    /// The extreme residues at full depth stay exact.
    #[test]
    fn sums_of_extreme_residues_are_exact() {
        for kernel in [Kernel::best(), Kernel::portable()] {
            let Kernel { rows, columns, .. } = kernel;
            for (x, y) in [
                (P / 2, P / 2),
                (P / 2 + 1, P / 2),
                (P - 1, P / 2 + 1),
                (16384, P / 2),
            ] {
                let (low, high) = split(centred(x));
                let column: Vec<f64> = [vec![low; rows], vec![high; rows]].concat();
                let lhs = column.repeat(DEPTH);
                let rhs = vec![centred(y); columns * DEPTH];
                let mut sums = vec![0.0; rows * columns];
                kernel.add(&lhs, &rhs, &mut sums, columns);
                let want = ring::mul_residues(ring::mul_residues(x, y), DEPTH as u32);
                assert!(sums.iter().all(|s| residue(*s) == want));
            }
        }
    }
}
