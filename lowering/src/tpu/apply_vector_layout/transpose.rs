//! Transposes: what keeps the last dimension moves rows; exchanging the last two goes by blocks of 128 x 128, rolled from registers.

use super::{
    Layout,
    movement::{move_grids, strides},
    rearrange::Source,
    registers::{Grid, Held, LANES, SUBLANES, Shape, register_type, repacked},
};
use tileproof_dialect::{
    error::Error,
    tpu::{KernelOperation, KernelType, KernelValue, TpuOp},
};

/// Rows up to which elements are moved one row at a time.
const FEW_ROWS: u64 = 4;

impl Layout<'_> {
    pub(super) fn transpose(
        &mut self,
        op: &KernelOperation,
        permutation: &[u64],
    ) -> Result<(), Error> {
        let source = op.operands[0];
        if let all @ (Held::Scalar(..) | Held::Splat(_)) = self.held(source)? {
            self.give(op, all);
            return Ok(());
        }
        let dims = self.dims(source).to_vec();
        let n = dims.len();
        let permutation: Vec<usize> = permutation.iter().map(|d| *d as usize).collect();
        let grid = self.natural_as_packed(source)?;
        let last = permutation.last().copied().unwrap_or(0);
        if n < 2 || last + 1 == n {
            let out = self.rows_moved(&grid, &dims, &permutation)?;
            self.give(op, Held::Grid(out));
            return Ok(());
        }
        // The new last dimension becomes the last but one, changes place with the last, and the rest is put in order.
        let mut order: Vec<usize> = (0..n - 1).filter(|d| *d != last).collect();
        order.extend([last, n - 1]);
        let grid = self.rows_moved(&grid, &dims, &order)?;
        let sizes: Vec<u64> = order.iter().map(|d| dims[*d]).collect();
        let grid = if grid.shape.rows <= FEW_ROWS {
            let (rows, columns) = (grid.shape.rows, grid.shape.columns);
            let to = Shape {
                rows: columns,
                columns: rows,
                ..grid.shape
            };
            let from = |i: u64| {
                let (outer, at) = (i / (rows * columns), i % (rows * columns));
                Source {
                    grid: 0,
                    linear: outer * rows * columns + at % rows * columns + at / rows,
                }
            };
            move_grids(&mut self.e, &[grid], to, &from)?
        } else {
            self.exchanged(&grid)
        };
        let mut sizes = sizes;
        sizes.swap(n - 2, n - 1);
        order.swap(n - 2, n - 1);
        let places: Vec<usize> = permutation
            .iter()
            .map(|d| order.iter().position(|o| o == d).unwrap_or(0))
            .collect();
        let out = self.rows_moved(&grid, &sizes, &places)?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    /// A transpose that keeps the last dimension.
    fn rows_moved(
        &mut self,
        grid: &Grid,
        dims: &[u64],
        permutation: &[usize],
    ) -> Result<Grid, Error> {
        if permutation.iter().enumerate().all(|(i, d)| i == *d) {
            return Ok(grid.clone());
        }
        let to: Vec<u64> = permutation.iter().map(|d| dims[*d]).collect();
        let steps = strides(dims);
        let from = |i: u64| {
            let (mut rest, mut linear) = (i, 0);
            for d in (0..to.len()).rev() {
                linear += rest % to[d] * steps[permutation[d]];
                rest /= to[d];
            }
            Source { grid: 0, linear }
        };
        move_grids(
            &mut self.e,
            std::slice::from_ref(grid),
            Shape::natural(&to),
            &from,
        )
    }

    /// Rows and columns exchanged.
    fn exchanged(&mut self, grid: &Grid) -> Grid {
        let grid = repacked(&mut self.e, grid, 1);
        let from = grid.shape;
        let to = Shape {
            outer: from.outer,
            rows: from.columns,
            columns: from.rows,
        };
        let element = &grid.element;
        let block = KernelType::vector(&[LANES, LANES], element.clone());
        let in_block = LANES / SUBLANES;
        let mut registers = vec![KernelValue(0); to.count(1)];
        for o in 0..from.outer {
            for band in 0..from.row_tiles(1).div_ceil(in_block) {
                for c in 0..from.column_tiles() {
                    let parts: Vec<KernelValue> = (0..in_block)
                        .map(|i| {
                            // Rows behind the last are padding: any register will do.
                            let row = (band * in_block + i).min(from.row_tiles(1) - 1);
                            grid.registers[from.at(1, o, row, c)]
                        })
                        .collect();
                    let rolled = self.e.b.one(TpuOp::RollVectors, &parts, block.clone());
                    let turn = TpuOp::Transpose {
                        permutation: vec![1, 0],
                    };
                    let turned = self.e.b.one(turn, &[rolled], block.clone());
                    let types = vec![register_type(element, 1); in_block as usize];
                    let parts = self.e.b.op(TpuOp::UnrollVectors, &[turned], &types, vec![]);
                    for (i, v) in parts.into_iter().enumerate() {
                        let row = c * in_block + i as u64;
                        if row < to.row_tiles(1) {
                            registers[to.at(1, o, row, band)] = v;
                        }
                    }
                }
            }
        }
        Grid {
            shape: to,
            registers,
            same_rows: false,
            same_lanes: false,
            ..grid
        }
    }
}
