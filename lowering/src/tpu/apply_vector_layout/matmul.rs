//! Products: one op of the matrix unit for each tile of 128 columns and 128 contracted elements, added up over the contracted tiles.

use super::{
    Layout, constants,
    registers::{Grid, Held, LANES, SUBLANES, Shape, register_type},
    unsupported,
};
use crate::hlo_to_tpu::dot_general::has_zero;
use tileproof_dialect::{
    error::Error,
    hlo,
    tensor::Tensor,
    tpu::{KernelOperation, KernelType, KernelValue, MatmulDimensions, TpuOp},
};

impl Layout<'_> {
    pub(super) fn matmul(
        &mut self,
        op: &KernelOperation,
        dimensions: &MatmulDimensions,
        precision: Option<&str>,
    ) -> Result<(), Error> {
        let [lhs, rhs, accumulator] = op.operands[..] else {
            return Err(unsupported(op, " without its operands"));
        };
        let batches = dimensions.lhs_batch.len() as u64;
        let leading: Vec<u64> = (0..batches).collect();
        let plain = |batch: &[u64], contracting: &[u64], rank: usize| {
            batch == leading && contracting.len() == 1 && rank as u64 == batches + 2
        };
        let fits = plain(
            &dimensions.lhs_batch,
            &dimensions.lhs_contracting,
            self.dims(lhs).len(),
        ) && plain(
            &dimensions.rhs_batch,
            &dimensions.rhs_contracting,
            self.dims(rhs).len(),
        );
        if !fits {
            return Err(unsupported(op, " with these dimensions"));
        }
        for factor in [lhs, rhs] {
            let element = self.old.ty(factor).element();
            if !element.is_some_and(|e| has_zero(&e)) {
                return Err(unsupported(op, " of a type without 0"));
            }
        }
        // Whether the contracted dimension is the last but one.
        let lhs_turned = dimensions.lhs_contracting[0] == batches;
        let rhs_turned = dimensions.rhs_contracting[0] != batches;
        let left = self.natural(lhs, 1)?;
        let right = self.natural(rhs, 1)?;
        let (left, right) = (self.padded(&left), self.padded(&right));
        let sums = self.natural(accumulator, 1)?;
        let inner = MatmulDimensions {
            lhs_contracting: vec![if lhs_turned { 0 } else { 1 }],
            rhs_contracting: vec![if rhs_turned { 1 } else { 0 }],
            lhs_batch: vec![],
            rhs_batch: vec![],
        };
        let matmul = TpuOp::Matmul {
            dimensions: inner,
            precision: precision.map(str::to_string),
        };
        let shape = Shape::natural(self.dims(op.results[0]));
        let contracted = if lhs_turned {
            left.shape.rows
        } else {
            left.shape.columns
        };
        let mut registers = vec![KernelValue(0); shape.count(1)];
        let row_tiles = shape.row_tiles(1);
        // Columns of the lhs, where they are rows of the result, come 128 at a time.
        let band = if lhs_turned {
            LANES / SUBLANES
        } else {
            row_tiles
        };
        for o in 0..shape.outer {
            for c in 0..shape.column_tiles() {
                for first in (0..row_tiles).step_by(band as usize) {
                    // A turned lhs always has 128 columns, so its product has 128 rows.
                    let rows: Vec<u64> = (first..first + band).collect();
                    let parts: Vec<KernelValue> = rows
                        .iter()
                        .map(|r| sums.registers[shape.at(1, o, (*r).min(row_tiles - 1), c)])
                        .collect();
                    let mut sum = self.roll(&sums, &parts, 1);
                    for k in 0..contracted.div_ceil(LANES) {
                        let l = if lhs_turned {
                            self.square(&left, o, k, first / band)
                        } else {
                            let parts: Vec<KernelValue> = rows
                                .iter()
                                .map(|r| left.registers[left.shape.at(1, o, *r, k)])
                                .collect();
                            self.roll(&left, &parts, 1)
                        };
                        let r = if rhs_turned {
                            self.square(&right, o, c, k)
                        } else {
                            self.square(&right, o, k, c)
                        };
                        let ty = self.e.b.ty(sum).clone();
                        sum = self.e.b.one(matmul.clone(), &[l, r, sum], ty);
                    }
                    let types = vec![register_type(&sums.element, 1); rows.len()];
                    let parts = self.e.b.op(TpuOp::UnrollVectors, &[sum], &types, vec![]);
                    for (r, v) in rows.iter().zip(parts) {
                        if *r < row_tiles {
                            registers[shape.at(1, o, *r, c)] = v;
                        }
                    }
                }
            }
        }
        let grid = Grid {
            element: sums.element.clone(),
            shape,
            packing: 1,
            registers,
            same_rows: false,
            same_lanes: false,
        };
        self.give(op, Held::Grid(grid));
        Ok(())
    }

    /// Registers of one column as a block.
    fn roll(&mut self, grid: &Grid, parts: &[KernelValue], columns: u64) -> KernelValue {
        let rows = parts.len() as u64 / columns * SUBLANES;
        let ty = KernelType::vector(&[rows, columns * LANES], grid.element.clone());
        self.e.b.one(TpuOp::RollVectors, parts, ty)
    }

    /// 128 x 128 elements from row tile `band` (of 128 rows) and column tile `c`; what lies behind the end is 0.
    fn square(&mut self, grid: &Grid, o: u64, band: u64, c: u64) -> KernelValue {
        let in_block = LANES / SUBLANES;
        let mut parts = vec![];
        for i in 0..in_block {
            let row = band * in_block + i;
            parts.push(if row < grid.shape.row_tiles(1) {
                grid.registers[grid.shape.at(1, o, row, c)]
            } else {
                let zero = Tensor::from_i64s(&[], &grid.element, &[0]);
                constants::splat(&mut self.e, &zero, 1)
            });
        }
        self.roll(grid, &parts, 1)
    }

    /// The grid with 0 behind its last row and last lane: what is there would be multiplied and added.
    fn padded(&mut self, grid: &Grid) -> Grid {
        let mut out = grid.clone();
        for (i, (_, r, c)) in grid.shape.tiles(1).into_iter().enumerate() {
            let (rows, lanes) = grid.shape.valid(1, r, c);
            if let Some(mask) = constants::mask(&mut self.e, rows, lanes, 1) {
                let zero = Tensor::from_i64s(&[], &grid.element, &[0]);
                let zero = constants::splat(&mut self.e, &zero, 1);
                let select = TpuOp::Elementwise(hlo::select::Select.into());
                let operands = [mask, grid.registers[i], zero];
                let ty = register_type(&grid.element, 1);
                out.registers[i] = self.e.b.one(select, &operands, ty);
            }
        }
        out.same_rows = false;
        out.same_lanes = false;
        out
    }
}
