//! Ops that move elements by a rule known beforehand.

use super::{
    Layout,
    rearrange::{Source, rearrange, whole_registers},
    registers::{Grid, Held, Shape, repacked},
};
use tileproof_dialect::{
    error::Error,
    tpu::{KernelOperation, KernelType, KernelValue, TpuOp},
};

/// Row-major strides of sizes.
pub fn strides(dims: &[u64]) -> Vec<u64> {
    let mut out = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        out[i - 1] = out[i] * dims[i];
    }
    out
}

impl Layout<'_> {
    /// The result of an op whose element `i` is the element `from(i)` of the operands.
    pub(super) fn moved(
        &mut self,
        op: &KernelOperation,
        operands: &[KernelValue],
        from: &dyn Fn(u64) -> Source,
    ) -> Result<(), Error> {
        let shape = Shape::natural(self.dims(op.results[0]));
        let mut grids = vec![];
        for v in operands {
            grids.push(self.natural_as_packed(*v)?);
        }
        let out = move_grids(&mut self.e, &grids, shape, from)?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    pub(super) fn shape_cast(&mut self, op: &KernelOperation) -> Result<(), Error> {
        let held = self.held(op.operands[0])?;
        if self.dims(op.results[0]).is_empty() {
            return self.element(op, op.operands[0], &[]);
        }
        // The same elements in the same order: nothing moves until an op wants them elsewhere.
        self.give(op, held);
        Ok(())
    }

    pub(super) fn extract_strided_slice(
        &mut self,
        op: &KernelOperation,
        offsets: &[u64],
        by: &[u64],
    ) -> Result<(), Error> {
        let source = op.operands[0];
        let (from, to) = (
            strides(self.dims(source)),
            self.dims(op.results[0]).to_vec(),
        );
        let (offsets, by) = (offsets.to_vec(), by.to_vec());
        self.moved(op, &[source], &move |i| {
            let (mut rest, mut linear) = (i, 0);
            for d in (0..to.len()).rev() {
                linear += (offsets[d] + rest % to[d] * by[d]) * from[d];
                rest /= to[d];
            }
            Source { grid: 0, linear }
        })
    }

    pub(super) fn insert_strided_slice(
        &mut self,
        op: &KernelOperation,
        offsets: &[u64],
    ) -> Result<(), Error> {
        let (part, into) = (op.operands[0], op.operands[1]);
        let whole = self.dims(into).to_vec();
        // A part of lower rank lies in the last dimensions.
        let mut sizes = vec![1; whole.len() - self.dims(part).len()];
        sizes.extend(self.dims(part));
        let (offsets, steps) = (offsets.to_vec(), strides(&sizes));
        self.moved(op, &[part, into], &move |i| {
            let (mut rest, mut linear, mut inside) = (i, 0, true);
            for d in (0..whole.len()).rev() {
                let at = rest % whole[d];
                rest /= whole[d];
                if at < offsets[d] || at >= offsets[d] + sizes[d] {
                    inside = false;
                } else {
                    linear += (at - offsets[d]) * steps[d];
                }
            }
            if inside {
                Source { grid: 0, linear }
            } else {
                Source { grid: 1, linear: i }
            }
        })
    }

    pub(super) fn extract(&mut self, op: &KernelOperation, position: &[u64]) -> Result<(), Error> {
        let source = op.operands[0];
        let dims = self.dims(source).to_vec();
        if position.len() == dims.len() {
            return self.element(op, source, position);
        }
        let at: u64 = position
            .iter()
            .zip(strides(&dims))
            .map(|(p, s)| p * s)
            .sum();
        self.moved(op, &[source], &move |i| Source {
            grid: 0,
            linear: at + i,
        })
    }

    /// One element as a scalar.
    fn element(
        &mut self,
        op: &KernelOperation,
        source: KernelValue,
        position: &[u64],
    ) -> Result<(), Error> {
        let dims = self.dims(source).to_vec();
        let linear: u64 = position
            .iter()
            .zip(strides(&dims))
            .map(|(p, s)| p * s)
            .sum();
        let held = self.held(source)?;
        let shape = held.as_grid().map_or(Shape::natural(&dims), |g| g.shape);
        let grid = held.grid(&mut self.e, shape, 1)?;
        let (across, column) = (linear / shape.columns, linear % shape.columns);
        let (outer, row) = (across / shape.rows, across % shape.rows);
        let register = grid.registers[shape.at(1, outer, row / 8, column / 128)];
        let position = TpuOp::Extract {
            position: vec![row % 8, column % 128],
        };
        let ty = KernelType::Scalar(grid.element);
        let out = self.e.b.one(position, &[register], ty);
        self.scalars.insert(op.results[0], out);
        Ok(())
    }

    pub(super) fn concatenate(
        &mut self,
        op: &KernelOperation,
        dimension: u64,
    ) -> Result<(), Error> {
        let d = dimension as usize;
        let to = self.dims(op.results[0]).to_vec();
        let sizes: Vec<u64> = op.operands.iter().map(|v| self.dims(*v)[d]).collect();
        let inner: u64 = to[d + 1..].iter().product();
        self.moved(op, &op.operands.clone(), &move |i| {
            let (before, mut at, after) = (i / inner / to[d], i / inner % to[d], i % inner);
            let mut grid = 0;
            while grid + 1 < sizes.len() && at >= sizes[grid] {
                at -= sizes[grid];
                grid += 1;
            }
            Source {
                grid,
                linear: (before * sizes[grid] + at) * inner + after,
            }
        })
    }

    /// An op along one dimension whose element at `at` comes from `from(at)`.
    fn along(
        &mut self,
        op: &KernelOperation,
        dimension: u64,
        from: &dyn Fn(u64) -> u64,
    ) -> Result<(), Error> {
        let (source, d) = (op.operands[0], dimension as usize);
        let (size, to) = (self.dims(source)[d], self.dims(op.results[0])[d]);
        let inner: u64 = self.dims(source)[d + 1..].iter().product();
        self.moved(op, &[source], &|i| {
            let (before, at, after) = (i / inner / to, i / inner % to, i % inner);
            Source {
                grid: 0,
                linear: (before * size + from(at)) * inner + after,
            }
        })
    }

    pub(super) fn rotate(
        &mut self,
        op: &KernelOperation,
        amount: u64,
        dimension: u64,
    ) -> Result<(), Error> {
        let size = self.dims(op.operands[0])[dimension as usize];
        self.along(op, dimension, &|at| (at + size - amount % size) % size)
    }

    pub(super) fn repeat(&mut self, op: &KernelOperation, dimension: u64) -> Result<(), Error> {
        let size = self.dims(op.operands[0])[dimension as usize];
        self.along(op, dimension, &|at| at % size)
    }

    pub(super) fn reverse(
        &mut self,
        op: &KernelOperation,
        dimensions: &[u64],
    ) -> Result<(), Error> {
        let source = op.operands[0];
        let dims = self.dims(source).to_vec();
        let steps = strides(&dims);
        let dimensions = dimensions.to_vec();
        self.moved(op, &[source], &move |i| {
            let mut linear = 0;
            for (d, (size, step)) in (0..).zip(dims.iter().zip(&steps)) {
                let at = i / step % size;
                let turned = dimensions.contains(&d);
                linear += if turned { size - 1 - at } else { at } * step;
            }
            Source { grid: 0, linear }
        })
    }
}

/// Whole registers where they do, else element by element at packing 1.
pub fn move_grids(
    e: &mut crate::kernels::emit::Emitter,
    grids: &[Grid],
    shape: Shape,
    from: &dyn Fn(u64) -> Source,
) -> Result<Grid, Error> {
    let all: Vec<&Grid> = grids.iter().collect();
    let from = &|linear| Some(from(linear));
    if let Some(grid) = whole_registers(&all, shape, from) {
        return Ok(grid);
    }
    let unpacked: Vec<Grid> = grids.iter().map(|g| repacked(e, g, 1)).collect();
    let all: Vec<&Grid> = unpacked.iter().collect();
    rearrange(e, &all, shape, from)
}
