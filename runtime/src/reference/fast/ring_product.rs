//! Batched matrix product in the field, packed and blocked; codes by a slower exact path for the rows that hold them.

use super::{
    matrices::{Matrices, Sizes},
    ring_kernel::{DEPTH, Kernel, centred, residue, split},
};
use rayon::prelude::*;
use std::{cell::RefCell, ops::Range};
use tileproof_dialect::planes::ring::{self, Residue, is_code};

/// Rows of the left and of the right matrices one task takes: its sums and one packed depth of the right rows fit the second-level cache.
const TASK: (usize, usize) = (256, 360);
/// Elements of results that may wait to be copied.
const WAITING: usize = 1 << 20;
/// Multiply-adds below which a product is not worth several threads.
const SMALL: usize = 1 << 15;

/// Operands of a product with their IEEE values, which give the signs beside infinities.
pub struct Operand<'a> {
    pub residues: Matrices<'a, Residue>,
    /// IEEE values at the same places; asked for only when there are codes.
    pub ieee: &'a (dyn Fn() -> Vec<f64> + Sync),
}

/// out[b, i, j] = sum over l of lhs[b, i, l] * rhs[b, j, l], row-major; `ring::add` and `ring::mul` in any order.
/// Operands that do not hold the sizes give zeros.
pub fn ring_product(sizes: Sizes, lhs: &Operand<'_>, rhs: &Operand<'_>, out: &mut [Residue]) {
    ring_product_by(Kernel::best(), sizes, lhs, rhs, out);
}

fn ring_product_by(
    kernel: Kernel,
    sizes: Sizes,
    lhs: &Operand<'_>,
    rhs: &Operand<'_>,
    out: &mut [Residue],
) {
    let Sizes { batch, m, n, k } = sizes;
    out.fill(0);
    let held = lhs.residues.holds(batch, m, k) && rhs.residues.holds(batch, n, k);
    if !held || out.is_empty() || out.len() != batch * m * n || k == 0 {
        return;
    }
    let mut tiles = vec![];
    for b in 0..batch {
        for columns in parts(n, TASK.1) {
            for rows in parts(m, TASK.0) {
                tiles.push(Tile {
                    b,
                    rows,
                    columns: columns.clone(),
                });
            }
        }
    }
    let product = |tile: &Tile| tile.product(kernel, k, lhs.residues, rhs.residues);
    // Some tiles at a time, so that few of them wait to be copied.
    let together = if batch * m * n * k < SMALL {
        1
    } else {
        (WAITING / (m * n).min(TASK.0 * TASK.1)).max(4 * rayon::current_num_threads())
    };
    for some in tiles.chunks(together) {
        let results: Vec<Vec<Residue>> = match some {
            [one] => vec![product(one)],
            _ => some.par_iter().map(product).collect(),
        };
        for (tile, result) in some.iter().zip(results) {
            let width = tile.columns.len();
            for (row, from) in tile.rows.clone().zip(result.chunks_exact(width)) {
                out[(tile.b * m + row) * n + tile.columns.start..][..width].copy_from_slice(from);
            }
        }
    }
    with_codes(sizes, lhs, rhs, out);
}

/// `0..size` in ranges of at most `largest`.
fn parts(size: usize, largest: usize) -> impl Iterator<Item = Range<usize>> {
    (0..size)
        .step_by(largest)
        .map(move |first| first..size.min(first + largest))
}

/// A part of the result one task computes.
struct Tile {
    b: usize,
    rows: Range<usize>,
    columns: Range<usize>,
}

thread_local! {
    /// Memory for the sums, one packed depth of the right rows and one packed panel of left rows.
    static SCRATCH: RefCell<Vec<f64>> = const { RefCell::new(vec![]) };
}

impl Tile {
    fn product(
        &self,
        kernel: Kernel,
        k: usize,
        lhs: Matrices<'_, Residue>,
        rhs: Matrices<'_, Residue>,
    ) -> Vec<Residue> {
        let height = self.rows.len().next_multiple_of(kernel.rows);
        let width = self.columns.len().next_multiple_of(kernel.columns);
        let mut scratch = SCRATCH.take();
        let needed = height * width + (width + 2 * kernel.rows) * DEPTH;
        if scratch.len() < needed {
            scratch.resize(needed, 0.0);
        }
        let (sums, rest) = scratch.split_at_mut(height * width);
        let (right, left) = rest.split_at_mut(width * DEPTH);
        sums.fill(0.0);
        for depth in parts(k, DEPTH) {
            let right = &mut right[..width * depth.len()];
            let panels = right.chunks_exact_mut(kernel.columns * depth.len());
            for (first, panel) in self.columns.clone().step_by(kernel.columns).zip(panels) {
                let rows = kernel.columns.min(self.columns.end - first);
                pack_right(rhs, self.b, first, rows, depth.start, kernel.columns, panel);
            }
            let left = &mut left[..2 * kernel.rows * depth.len()];
            for (first, sums) in self
                .rows
                .clone()
                .step_by(kernel.rows)
                .zip(sums.chunks_exact_mut(kernel.rows * width))
            {
                let rows = kernel.rows.min(self.rows.end - first);
                pack_left(lhs, self.b, first, rows, depth.start, kernel.rows, left);
                for (panel, right) in right.chunks_exact(kernel.columns * depth.len()).enumerate() {
                    kernel.add(left, right, &mut sums[panel * kernel.columns..], width);
                }
            }
        }
        let mut out = Vec::with_capacity(self.rows.len() * self.columns.len());
        for row in sums.chunks_exact(width).take(self.rows.len()) {
            out.extend(row[..self.columns.len()].iter().map(|s| residue(*s)));
        }
        SCRATCH.set(scratch);
        out
    }
}

/// `rows` rows from `first`, columns from `column`, as centred residues; rows up to `width` are 0.
fn pack_right(
    from: Matrices<'_, Residue>,
    b: usize,
    first: usize,
    rows: usize,
    column: usize,
    width: usize,
    packed: &mut [f64],
) {
    if rows < width {
        packed.fill(0.0);
    }
    if from.row_stride == 1 {
        for (c, packed) in packed.chunks_exact_mut(width).enumerate() {
            let at = b * from.batch_stride + first + (column + c) * from.column_stride;
            let row = &from.data[at..at + rows];
            packed
                .iter_mut()
                .zip(row)
                .for_each(|(p, r)| *p = centred(*r));
        }
        return;
    }
    for r in 0..rows {
        let at =
            b * from.batch_stride + (first + r) * from.row_stride + column * from.column_stride;
        let places = packed.iter_mut().skip(r).step_by(width);
        if from.column_stride == 1 {
            places
                .zip(&from.data[at..])
                .for_each(|(p, v)| *p = centred(*v));
        } else {
            places
                .enumerate()
                .for_each(|(c, p)| *p = centred(from.data[at + c * from.column_stride]));
        }
    }
}

/// The same for the left operand, split: for each column `width` low parts, then `width` high parts.
fn pack_left(
    from: Matrices<'_, Residue>,
    b: usize,
    first: usize,
    rows: usize,
    column: usize,
    width: usize,
    packed: &mut [f64],
) {
    for (c, packed) in packed.chunks_exact_mut(2 * width).enumerate() {
        let (low, high) = packed.split_at_mut(width);
        for r in 0..width {
            (low[r], high[r]) = if r < rows {
                split(centred(from.at(b, first + r, column + c)))
            } else {
                (0.0, 0.0)
            };
        }
    }
}

/// Replaces every result whose row or column holds a code.
fn with_codes(sizes: Sizes, lhs: &Operand<'_>, rhs: &Operand<'_>, out: &mut [Residue]) {
    let any = |data: &[Residue]| {
        data.par_chunks(1 << 16)
            .any(|c| c.iter().any(|r| is_code(*r)))
    };
    if !any(lhs.residues.data) && !any(rhs.residues.data) {
        return;
    }
    let Sizes { m, n, k, .. } = sizes;
    let marked = |from: Matrices<'_, Residue>, b: usize, rows: usize| -> Vec<bool> {
        (0..rows)
            .map(|r| (0..k).any(|c| is_code(from.at(b, r, c))))
            .collect()
    };
    let (x, y) = ((lhs.ieee)(), (rhs.ieee)());
    let beside = |values: &[f64], from: Matrices<'_, Residue>, b: usize, r: usize, c: usize| {
        values
            .get(b * from.batch_stride + r * from.row_stride + c * from.column_stride)
            .copied()
            .unwrap_or(0.0)
    };
    out.par_chunks_mut(m * n).enumerate().for_each(|(b, out)| {
        let (rows, columns) = (marked(lhs.residues, b, m), marked(rhs.residues, b, n));
        for (i, out) in out.chunks_exact_mut(n).enumerate() {
            for (j, out) in out
                .iter_mut()
                .enumerate()
                .filter(|(j, _)| rows[i] || columns[*j])
            {
                *out = (0..k).fold(0, |sum, l| {
                    let (p, q) = (lhs.residues.at(b, i, l), rhs.residues.at(b, j, l));
                    let signs = || {
                        (
                            beside(&x, lhs.residues, b, i, l),
                            beside(&y, rhs.residues, b, j, l),
                        )
                    };
                    ring::add(sum, ring::mul(p, q, signs))
                });
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::builder::Sampler;

    fn naive(
        s: Sizes,
        a: Matrices<'_, u32>,
        b: Matrices<'_, u32>,
        x: &[f64],
        y: &[f64],
    ) -> Vec<u32> {
        let mut out = vec![];
        let at = |m: Matrices<'_, u32>, b, r, c| {
            b * m.batch_stride + r * m.row_stride + c * m.column_stride
        };
        for g in 0..s.batch {
            for i in 0..s.m {
                for j in 0..s.n {
                    out.push((0..s.k).fold(0, |sum, l| {
                        let (p, q) = (at(a, g, i, l), at(b, g, j, l));
                        ring::add(sum, ring::mul(a.data[p], b.data[q], || (x[p], y[q])))
                    }));
                }
            }
        }
        out
    }

    fn check(s: Sizes, transposed: [bool; 2], codes: u64, sampler: &mut Sampler) {
        let mut operand = |rows: usize| {
            let len = s.batch * rows * s.k;
            let residues: Vec<u32> = (0..len)
                .map(|_| match sampler.range(0, 999) {
                    hit if hit < codes => *sampler.pick(&[
                        ring::POSITIVE_INFINITY,
                        ring::NEGATIVE_INFINITY,
                        ring::UNDEFINED,
                        0,
                    ]),
                    hit if hit > 990 => {
                        *sampler.pick(&[0, 1, ring::P - 1, ring::P / 2, ring::P / 2 + 1])
                    }
                    _ => ring::from_hash(sampler.bits()),
                })
                .collect();
            let ieee: Vec<f64> = residues
                .iter()
                .map(|r| if r % 2 == 0 { 1.5 } else { -0.5 })
                .collect();
            (residues, ieee)
        };
        let ((a, x), (b, y)) = (operand(s.m), operand(s.n));
        let view = |data, rows: usize, transposed: bool| {
            let (row_stride, column_stride) = if transposed { (1, rows) } else { (s.k, 1) };
            Matrices {
                data,
                batch_stride: rows * s.k,
                row_stride,
                column_stride,
            }
        };
        let (va, vb) = (
            view(&a[..], s.m, transposed[0]),
            view(&b[..], s.n, transposed[1]),
        );
        let want = naive(s, va, vb, &x, &y);
        for kernel in [Kernel::best(), Kernel::portable()] {
            let (x, y) = (|| x.clone(), || y.clone());
            let (lhs, rhs) = (
                Operand {
                    residues: va,
                    ieee: &x,
                },
                Operand {
                    residues: vb,
                    ieee: &y,
                },
            );
            let mut out = vec![7; s.batch * s.m * s.n];
            ring_product_by(kernel, s, &lhs, &rhs, &mut out);
            assert!(out == want, "{s:?} {transposed:?} codes {codes}");
        }
    }

    #[test]
    fn equals_the_sum_of_products_for_all_sizes_orders_and_codes() {
        let mut sampler = Sampler::new(11, 1);
        for round in 0..40 {
            let (m, n) = (sampler.range(0, 60) as usize, sampler.range(0, 60) as usize);
            let (batch, k) = (sampler.range(0, 3) as usize, sampler.range(0, 40) as usize);
            let transposed = [round % 2 == 0, round % 4 < 2];
            check(
                Sizes { batch, m, n, k },
                transposed,
                [0, 0, 5][round % 3],
                &mut sampler,
            );
        }
        check(
            Sizes {
                batch: 1,
                m: 101,
                n: 51,
                k: 700,
            },
            [false, true],
            0,
            &mut sampler,
        );
        check(
            Sizes {
                batch: 1,
                m: 5,
                n: 2100,
                k: 257,
            },
            [false, false],
            0,
            &mut sampler,
        );
        check(
            Sizes {
                batch: 2,
                m: 1,
                n: 1,
                k: 1025,
            },
            [true, false],
            0,
            &mut sampler,
        );
    }
}
