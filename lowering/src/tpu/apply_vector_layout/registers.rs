//! How a vector of a kernel lies in registers, and how it is moved to another packing or shape.

use super::{constants, movement::move_grids, rearrange::Source};
use crate::kernels::emit::Emitter;
use tileproof_dialect::{
    error::Error,
    tensor::Tensor,
    tpu::{KernelType, KernelValue, TpuOp},
    types::ElementType,
};

/// Rows and lanes of a register of 32-bit elements.
pub const SUBLANES: u64 = 8;
pub const LANES: u64 = 128;

/// The shape registers see: everything outside the two minor dimensions, rows, columns. The elements are the vector's in row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub outer: u64,
    pub rows: u64,
    pub columns: u64,
}

impl Shape {
    /// The shape of a vector by its own dimensions; of rank 1: one row.
    pub fn natural(dims: &[u64]) -> Shape {
        let n = dims.len();
        Shape {
            outer: dims[..n.saturating_sub(2)].iter().product(),
            rows: if n < 2 { 1 } else { dims[n - 2] },
            columns: dims.last().copied().unwrap_or(1),
        }
    }

    pub fn row_tiles(&self, packing: u64) -> u64 {
        self.rows.div_ceil(SUBLANES * packing)
    }

    pub fn column_tiles(&self) -> u64 {
        self.columns.div_ceil(LANES)
    }

    /// Number of registers.
    pub fn count(&self, packing: u64) -> usize {
        (self.outer * self.row_tiles(packing) * self.column_tiles()) as usize
    }

    /// (outer, row tile, column tile) of every register, in order.
    pub fn tiles(&self, packing: u64) -> Vec<(u64, u64, u64)> {
        let mut out = vec![];
        for o in 0..self.outer {
            for r in 0..self.row_tiles(packing) {
                for c in 0..self.column_tiles() {
                    out.push((o, r, c));
                }
            }
        }
        out
    }

    /// Number of the register at (outer, row tile, column tile).
    pub fn at(&self, packing: u64, outer: u64, row: u64, column: u64) -> usize {
        ((outer * self.row_tiles(packing) + row) * self.column_tiles() + column) as usize
    }

    /// Rows and lanes of a register at (row tile, column tile) that hold elements.
    pub fn valid(&self, packing: u64, row: u64, column: u64) -> (u64, u64) {
        let rows = SUBLANES * packing;
        (
            (self.rows - row * rows).min(rows),
            (self.columns - column * LANES).min(LANES),
        )
    }
}

/// A vector in registers.
#[derive(Debug, Clone)]
pub struct Grid {
    pub element: ElementType,
    pub shape: Shape,
    /// Elements of a 32-bit lane: 1, or 32 bits by the width of the type.
    pub packing: u64,
    /// In the order of [`Shape::tiles`].
    pub registers: Vec<KernelValue>,
    /// Whether all rows, all lanes of a register hold the same. Padding too.
    pub same_rows: bool,
    pub same_lanes: bool,
}

/// What stands for a vector.
#[derive(Debug, Clone)]
pub enum Held {
    /// All elements are this scalar.
    Scalar(KernelValue, ElementType),
    /// All elements are this constant.
    Splat(Tensor),
    Grid(Grid),
}

/// The type of a register.
pub fn register_type(element: &ElementType, packing: u64) -> KernelType {
    match packing {
        1 => KernelType::vector(&[SUBLANES, LANES], element.clone()),
        n => KernelType::vector(&[SUBLANES, LANES, n], element.clone()),
    }
}

/// Elements of this type in a 32-bit lane of a packed register. Booleans in memory are bytes.
pub fn native_packing(element: &ElementType) -> u64 {
    match element {
        ElementType::I1 => 4,
        other => 32 / u64::from(other.bits()).next_power_of_two().clamp(1, 32),
    }
}

impl Held {
    pub fn element(&self) -> ElementType {
        match self {
            Held::Scalar(_, e) => e.clone(),
            Held::Splat(t) => t.element().clone(),
            Held::Grid(g) => g.element.clone(),
        }
    }

    pub fn as_grid(&self) -> Option<&Grid> {
        match self {
            Held::Grid(g) => Some(g),
            Held::Scalar(..) | Held::Splat(_) => None,
        }
    }

    /// The vector in this shape and packing.
    pub fn grid(&self, e: &mut Emitter, shape: Shape, packing: u64) -> Result<Grid, Error> {
        let all_same = |register: KernelValue| Grid {
            element: self.element(),
            shape,
            packing,
            registers: vec![register; shape.count(packing)],
            same_rows: true,
            same_lanes: true,
        };
        match self {
            Held::Scalar(v, element) => {
                let ty = register_type(element, packing);
                let register = e.b.one(TpuOp::Broadcast, &[*v], ty);
                Ok(all_same(register))
            }
            Held::Splat(value) => {
                let register = constants::splat(e, value, packing);
                Ok(all_same(register))
            }
            Held::Grid(g) => {
                let all_one = g.same_rows
                    && g.same_lanes
                    && g.registers.windows(2).all(|pair| pair[0] == pair[1]);
                if all_one && g.shape != shape && !g.registers.is_empty() {
                    let one = Grid {
                        shape,
                        registers: vec![g.registers[0]; shape.count(g.packing)],
                        ..g.clone()
                    };
                    return Ok(repacked(e, &one, packing));
                }
                if g.shape == shape {
                    return Ok(repacked(e, g, packing));
                }
                let from = |linear| Source { grid: 0, linear };
                let moved = move_grids(e, std::slice::from_ref(g), shape, &from)?;
                Ok(repacked(e, &moved, packing))
            }
        }
    }
}

/// The grid with another packing. Compressed packing keeps the order of rows, so registers that follow each other along rows become one.
pub fn repacked(e: &mut Emitter, g: &Grid, packing: u64) -> Grid {
    if g.packing == packing {
        return g.clone();
    }
    if g.packing != 1 && packing != 1 {
        let one = repacked(e, g, 1);
        return repacked(e, &one, packing);
    }
    let mut registers = vec![];
    let ty = register_type(&g.element, packing);
    for (o, r, c) in g.shape.tiles(packing) {
        registers.push(if packing == 1 {
            let from = g.registers[g.shape.at(g.packing, o, r / g.packing, c)];
            let op = TpuOp::UnpackSubelements {
                index: if g.same_rows { 0 } else { r % g.packing },
            };
            e.b.one(op, &[from], ty.clone())
        } else {
            let last = g.shape.row_tiles(1) - 1;
            let parts: Vec<KernelValue> = (0..packing)
                .map(|i| {
                    // Rows behind the last are padding: any register will do.
                    let row = (r * packing + i).min(last);
                    g.registers[g.shape.at(1, o, row, c)]
                })
                .collect();
            e.b.one(TpuOp::PackSubelements, &parts, ty.clone())
        });
    }
    Grid {
        packing,
        registers,
        ..g.clone()
    }
}
