//! Loads and stores, a register at a time.

use super::{
    Layout, constants,
    movement::move_grids,
    rearrange::{Source, rearrange},
    registers::{Grid, Held, LANES, SUBLANES, Shape, native_packing, register_type, repacked},
    unsupported,
};
use tileproof_dialect::{
    error::Error,
    hlo,
    tpu::{KernelOperation, KernelValue, TpuOp, op::Mask},
    types::ElementType,
};

impl Layout<'_> {
    pub(super) fn load(
        &mut self,
        op: &KernelOperation,
        strides: Option<&[u64]>,
        masked: Mask,
    ) -> Result<(), Error> {
        let dims = self.dims(op.results[0]).to_vec();
        let element = self.element_of_result(op)?;
        let packing = native_packing(&element);
        // A strided load reads all that lies between, then keeps what it wants.
        let strides = strides.filter(|s| s.iter().any(|s| *s != 1));
        let read: Vec<u64> = match strides {
            None => dims.clone(),
            Some(strides) => extents(&dims, strides),
        };
        let (reference, rest) = (op.operands[0], &op.operands[1..]);
        let (indices, mask) = rest.split_at(dims.len());
        if strides.is_some() && masked == Mask::Masked {
            return Err(unsupported(op, " strided and masked"));
        }
        let shape = Shape::natural(&read);
        let mask = match (masked, mask.first()) {
            (Mask::Masked, Some(mask)) => Some(self.natural(*mask, packing)?),
            (Mask::Masked | Mask::Unmasked, _) => None,
        };
        let reference = self.scalar(reference);
        let indices: Vec<KernelValue> = indices.iter().map(|v| self.scalar(*v)).collect();
        let ty = register_type(&element, packing);
        let mut registers = vec![];
        for (i, (o, r, c)) in shape.tiles(packing).into_iter().enumerate() {
            let (rows, lanes) = shape.valid(packing, r, c);
            let given = mask.as_ref().map(|m| m.registers[i]);
            let mask = self.mask(rows, lanes, packing, given);
            let mut operands = vec![reference];
            operands.extend(self.window(&read, &indices, o, r * SUBLANES * packing, c * LANES));
            operands.extend(mask);
            let masked = if mask.is_some() {
                Mask::Masked
            } else {
                Mask::Unmasked
            };
            let load = TpuOp::RegisterLoad { masked };
            registers.push(self.e.b.one(load, &operands, ty.clone()));
        }
        let grid = Grid {
            element,
            shape,
            packing,
            registers,
            same_rows: false,
            same_lanes: false,
        };
        let grid = match strides {
            None => grid,
            Some(strides) => {
                let from = |linear| Source {
                    grid: 0,
                    linear: spread(linear, &dims, &read, strides),
                };
                let shape = Shape::natural(&dims);
                move_grids(&mut self.e, &[grid], shape, &from)?
            }
        };
        self.give(op, Held::Grid(grid));
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        op: &KernelOperation,
        strides: Option<&[u64]>,
        masked: Mask,
    ) -> Result<(), Error> {
        let (value, reference) = (op.operands[0], op.operands[1]);
        let dims = self.dims(value).to_vec();
        let (indices, mask) = op.operands[2..].split_at(dims.len());
        let element = self.held(value)?.element();
        let packing = native_packing(&element);
        let mut grid = self.natural(value, packing)?;
        let mut mask = match (masked, mask.first()) {
            (Mask::Masked, Some(mask)) => Some(self.natural(*mask, packing)?),
            (Mask::Masked | Mask::Unmasked, _) => None,
        };
        let mut dims = dims;
        if let Some(strides) = strides.filter(|s| s.iter().any(|s| *s != 1)) {
            if mask.is_some() {
                return Err(unsupported(op, " strided and masked"));
            }
            let places;
            (dims, grid, places) = self.spread_out(&grid, &dims, strides)?;
            mask = Some(places);
        }
        let shape = Shape::natural(&dims);
        let reference = self.scalar(reference);
        let indices: Vec<KernelValue> = indices.iter().map(|v| self.scalar(*v)).collect();
        for (i, (o, r, c)) in shape.tiles(packing).into_iter().enumerate() {
            let (rows, lanes) = shape.valid(packing, r, c);
            let given = mask.as_ref().map(|m| m.registers[i]);
            let mask = self.mask(rows, lanes, packing, given);
            let mut operands = vec![grid.registers[i], reference];
            operands.extend(self.window(&dims, &indices, o, r * SUBLANES * packing, c * LANES));
            operands.extend(mask);
            let masked = if mask.is_some() {
                Mask::Masked
            } else {
                Mask::Unmasked
            };
            self.e
                .b
                .op(TpuOp::RegisterStore { masked }, &operands, &[], vec![]);
        }
        Ok(())
    }

    /// A grid over all that lies between the first and the last element of a strided store, and the mask of those it writes.
    fn spread_out(
        &mut self,
        grid: &Grid,
        dims: &[u64],
        strides: &[u64],
    ) -> Result<(Vec<u64>, Grid, Grid), Error> {
        let written = extents(dims, strides);
        let shape = Shape::natural(&written);
        let from = |linear: u64| {
            let (mut rest, mut at, mut step) = (linear, 0, 1);
            for d in (0..dims.len()).rev() {
                let position = rest % written[d];
                rest /= written[d];
                if !position.is_multiple_of(strides[d]) {
                    return None;
                }
                at += position / strides[d] * step;
                step *= dims[d];
            }
            Some(Source {
                grid: 0,
                linear: at,
            })
        };
        let packing = grid.packing;
        let unpacked = repacked(&mut self.e, grid, 1);
        let moved = rearrange(&mut self.e, &[&unpacked], shape, &from)?;
        let mut masks = vec![];
        for (o, r, c) in shape.tiles(1) {
            let (rows, lanes) = shape.valid(1, r, c);
            let mut table = vec![false; (SUBLANES * LANES) as usize];
            for row in 0..rows {
                for lane in 0..lanes {
                    let across = o * shape.rows + r * SUBLANES + row;
                    let linear = across * shape.columns + c * LANES + lane;
                    table[(row * LANES + lane) as usize] = from(linear).is_some();
                }
            }
            masks.push(constants::mask_table(&mut self.e, &table));
        }
        let places = Grid {
            element: ElementType::I1,
            shape,
            packing: 1,
            registers: masks,
            same_rows: false,
            same_lanes: false,
        };
        let moved = repacked(&mut self.e, &moved, packing);
        let places = repacked(&mut self.e, &places, packing);
        Ok((written, moved, places))
    }

    /// Index of a register's window: that of the block, plus the outer position, row and column inside the block.
    fn window(
        &mut self,
        dims: &[u64],
        indices: &[KernelValue],
        outer: u64,
        row: u64,
        column: u64,
    ) -> Vec<KernelValue> {
        let n = dims.len();
        let mut by = vec![0; n];
        let mut rest = outer;
        for d in (0..n.saturating_sub(2)).rev() {
            by[d] = rest % dims[d];
            rest /= dims[d];
        }
        if n >= 2 {
            by[n - 2] = row;
        }
        if n >= 1 {
            by[n - 1] = column;
        }
        indices
            .iter()
            .zip(by)
            .map(|(i, by)| self.e.add_index(*i, by as i64))
            .collect()
    }

    /// The mask of a register: its tail and what the op masks itself.
    fn mask(
        &mut self,
        rows: u64,
        lanes: u64,
        packing: u64,
        given: Option<KernelValue>,
    ) -> Option<KernelValue> {
        let tail = constants::mask(&mut self.e, rows, lanes, packing);
        match (tail, given) {
            (tail, None) => tail,
            (None, given) => given,
            (Some(tail), Some(given)) => {
                let and = TpuOp::Elementwise(hlo::and::And.into());
                let ty = register_type(&ElementType::I1, packing);
                Some(self.e.b.one(and, &[tail, given], ty))
            }
        }
    }
}

/// Sizes from the first to the last element read.
fn extents(dims: &[u64], strides: &[u64]) -> Vec<u64> {
    dims.iter()
        .zip(strides)
        .map(|(n, s)| (n.max(&1) - 1) * s + 1)
        .collect()
}

/// The number in `read` of element `linear` of `dims`.
fn spread(linear: u64, dims: &[u64], read: &[u64], strides: &[u64]) -> u64 {
    let (mut rest, mut out, mut step) = (linear, 0, 1);
    for d in (0..dims.len()).rev() {
        out += (rest % dims[d]) * strides[d] * step;
        rest /= dims[d];
        step *= read[d];
    }
    out
}
