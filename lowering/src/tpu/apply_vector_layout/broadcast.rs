//! Broadcasts: registers are used again, rows and lanes copied inside one.

use super::{
    Layout, constants,
    registers::{Grid, Held, LANES, SUBLANES, Shape, register_type, repacked},
};
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    tpu::{KernelOperation, KernelValue, TpuOp},
};

impl Layout<'_> {
    pub(super) fn broadcast(&mut self, op: &KernelOperation) -> Result<(), Error> {
        let source = op.operands[0];
        let from = self.dims(source).to_vec();
        if from.is_empty() {
            let held = self.held(source)?;
            self.give(op, held);
            return Ok(());
        }
        if let all @ (Held::Scalar(..) | Held::Splat(_)) = self.held(source)? {
            self.give(op, all);
            return Ok(());
        }
        let to = self.dims(op.results[0]).to_vec();
        let grid = self.natural_as_packed(source)?;
        let out = self.spread_grid(&grid, &from, &to);
        self.give(op, Held::Grid(out));
        Ok(())
    }

    /// A grid of `from` as one of `to`: the last dimensions are aligned and equal or 1.
    pub(super) fn spread_grid(&mut self, grid: &Grid, from: &[u64], to: &[u64]) -> Grid {
        let n = to.len().max(2);
        let padded = |dims: &[u64]| {
            let mut out = vec![1; n - dims.len()];
            out.extend(dims);
            out
        };
        let (from, to) = (padded(from), padded(to));
        let over = |d: usize| from[d] == 1 && to[d] != 1;
        let (rows, lanes) = (over(n - 2), over(n - 1));
        let (copy_rows, copy_lanes) = (rows && !grid.same_rows, lanes && !grid.same_lanes);
        let grid = if copy_rows || copy_lanes {
            repacked(&mut self.e, grid, 1)
        } else {
            grid.clone()
        };
        let packing = grid.packing;
        let shape = Shape::natural(&to);
        let mut made: BTreeMap<usize, KernelValue> = BTreeMap::new();
        let mut registers = vec![];
        for (o, r, c) in shape.tiles(packing) {
            let (mut rest, mut outer, mut step) = (o, 0, 1);
            for d in (0..n - 2).rev() {
                let at = rest % to[d];
                rest /= to[d];
                outer += if from[d] == 1 { 0 } else { at * step };
                step *= from[d];
            }
            let (r, c) = (if rows { 0 } else { r }, if lanes { 0 } else { c });
            let at = grid.shape.at(packing, outer, r, c);
            let register = match made.get(&at) {
                Some(register) => *register,
                None => {
                    let mut v = grid.registers[at];
                    for (copy, dimension) in [(copy_rows, 0), (copy_lanes, 1)] {
                        if copy {
                            let first = vec![0; (SUBLANES * LANES) as usize];
                            let indices = constants::table(&mut self.e, &first);
                            let op = TpuOp::DynamicGather { dimension };
                            let ty = register_type(&grid.element, 1);
                            v = self.e.b.one(op, &[v, indices], ty);
                        }
                    }
                    v
                }
            };
            made.insert(at, register);
            registers.push(register);
        }
        Grid {
            shape,
            registers,
            same_rows: rows || grid.same_rows,
            same_lanes: lanes || grid.same_lanes,
            ..grid
        }
    }
}
