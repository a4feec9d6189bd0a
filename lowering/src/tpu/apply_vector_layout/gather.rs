//! Gathers and rotations whose places are only known when the kernel runs: a gather inside each register that may hold the element, and a select.

use super::{
    Layout, constants,
    registers::{Grid, Held, LANES, SUBLANES, Shape, register_type},
    unsupported,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, compare::Direction},
    tensor::Tensor,
    tpu::{KernelOperation, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

impl Layout<'_> {
    pub(super) fn dynamic_gather(
        &mut self,
        op: &KernelOperation,
        dimension: u64,
    ) -> Result<(), Error> {
        let source = self.natural(op.operands[0], 1)?;
        let indices = self.natural(op.operands[1], 1)?;
        let sizes = self.dims(op.operands[0]).to_vec();
        let to = self.dims(op.results[0]).to_vec();
        let out = self.gathered(op, &source, &indices, (&sizes, &to), dimension as usize)?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    /// result[i] = source[(i - amount) mod n]: a gather with the places computed.
    pub(super) fn dynamic_rotate(
        &mut self,
        op: &KernelOperation,
        dimension: u64,
    ) -> Result<(), Error> {
        let dims = self.dims(op.operands[0]).to_vec();
        let d = dimension as usize;
        let size = dims[d] as i64;
        let source = self.natural(op.operands[0], 1)?;
        let amount = self.scalar(op.operands[1]);
        // -amount mod n, not negative.
        let whole = self.e.int(size);
        let rest = scalar(self, hlo::remainder::Remainder.into(), &[amount, whole]);
        let back = self.e.subtract(whole, rest);
        let positions = Held::Grid(self.positions(&dims, d));
        let by = Held::Scalar(back, ElementType::I32);
        let whole = Held::Splat(Tensor::from_i64s(&[], &ElementType::I32, &[size]));
        let shape = Shape::natural(&dims);
        let moved = self.integers(hlo::add::Add.into(), &[positions, by], shape)?;
        let moved = Held::Grid(moved);
        let indices = self.integers(hlo::remainder::Remainder.into(), &[moved, whole], shape)?;
        let out = self.gathered(op, &source, &indices, (&dims, &dims), d)?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    /// The coordinate along one dimension, as i32.
    fn positions(&mut self, dims: &[u64], dimension: usize) -> Grid {
        let shape = Shape::natural(dims);
        let n = dims.len();
        let from_last = n - 1 - dimension;
        let inner = (from_last < 2).then(|| {
            let along = TpuOp::Iota {
                dimensions: vec![1 - from_last as u64],
            };
            self.e
                .b
                .one(along, &[], register_type(&ElementType::I32, 1))
        });
        let between: u64 = match from_last {
            0 | 1 => 1,
            _ => dims[dimension + 1..n - 2].iter().product(),
        };
        let mut registers = vec![];
        for (o, r, c) in shape.tiles(1) {
            let start = match from_last {
                0 => c * LANES,
                1 => r * SUBLANES,
                _ => o / between % dims[dimension],
            };
            let start = self.splat(start as i64);
            registers.push(match inner {
                None => start,
                Some(inner) => self.register_op(hlo::add::Add.into(), &[inner, start]),
            });
        }
        Grid {
            element: ElementType::I32,
            shape,
            packing: 1,
            registers,
            same_rows: from_last != 1,
            same_lanes: from_last != 0,
        }
    }

    fn integers(&mut self, op: hlo::Op, operands: &[Held], shape: Shape) -> Result<Grid, Error> {
        self.each_register(&TpuOp::Elementwise(op), operands, &ElementType::I32, shape)
    }

    /// Elements of `source` at `indices` along a dimension. `sizes`: of the source and of the result.
    fn gathered(
        &mut self,
        op: &KernelOperation,
        source: &Grid,
        indices: &Grid,
        (sizes, to): (&[u64], &[u64]),
        dimension: usize,
    ) -> Result<Grid, Error> {
        let n = sizes.len();
        let from_last = n - 1 - dimension;
        let shape = Shape::natural(to);
        let (bits, tiles) = match from_last {
            0 => (7, source.shape.column_tiles()),
            1 => (3, source.shape.row_tiles(1)),
            _ => (0, sizes[dimension]),
        };
        if tiles as usize * shape.count(1) > super::MAX_OPS {
            return Err(unsupported(op, ": too many registers"));
        }
        let ty = register_type(&source.element, 1);
        let mut registers = vec![];
        for (i, (o, r, c)) in shape.tiles(1).into_iter().enumerate() {
            let (rows, lanes) = shape.valid(1, r, c);
            // Padding must not point anywhere: an index there is whatever was computed.
            let index = match constants::mask(&mut self.e, rows, lanes, 1) {
                None => indices.registers[i],
                Some(mask) => {
                    let zero = self.splat(0);
                    self.register_op(
                        hlo::select::Select.into(),
                        &[mask, indices.registers[i], zero],
                    )
                }
            };
            let mut result: Option<KernelValue> = None;
            for t in 0..tiles {
                let (so, sr, sc) = match from_last {
                    0 => (o, r, t),
                    1 => (o, t, c),
                    _ => {
                        let inner: u64 = sizes[dimension + 1..n - 2].iter().product();
                        let across = inner * to[dimension];
                        let at = o / across * inner * sizes[dimension] + t * inner + o % inner;
                        (at, r, c)
                    }
                };
                let value = source.registers[source.shape.at(1, so, sr, sc)];
                let (inside, here) = match (bits, tiles) {
                    (0, _) => (None, self.compare_with(index, t as i64)),
                    (_, 1) => (Some(index), None),
                    (bits, _) => {
                        let low = self.splat((1 << bits) - 1);
                        let inside = self.register_op(hlo::and::And.into(), &[index, low]);
                        let by = self.splat(bits);
                        let shift = hlo::shift_right_arithmetic::ShiftRightArithmetic;
                        let tile = self.register_op(shift.into(), &[index, by]);
                        (Some(inside), self.compare_with(tile, t as i64))
                    }
                };
                let part = match inside {
                    None => value,
                    Some(inside) => {
                        let dimension = 1 - from_last as u64;
                        let gather = TpuOp::DynamicGather { dimension };
                        self.e.b.one(gather, &[value, inside], ty.clone())
                    }
                };
                result = Some(match (result, here) {
                    (Some(before), Some(here)) => {
                        let select = TpuOp::Elementwise(hlo::select::Select.into());
                        self.e.b.one(select, &[here, part, before], ty.clone())
                    }
                    (None, _) | (_, None) => part,
                });
            }
            registers.push(result.ok_or_else(|| unsupported(op, " of nothing"))?);
        }
        Ok(Grid {
            element: source.element.clone(),
            shape,
            packing: 1,
            registers,
            same_rows: false,
            same_lanes: false,
        })
    }

    fn splat(&mut self, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I32, &[value]);
        constants::splat(&mut self.e, &t, 1)
    }

    fn register_op(&mut self, op: hlo::Op, operands: &[KernelValue]) -> KernelValue {
        let ty = register_type(&ElementType::I32, 1);
        self.e.b.one(TpuOp::Elementwise(op), operands, ty)
    }

    fn compare_with(&mut self, register: KernelValue, value: i64) -> Option<KernelValue> {
        let value = self.splat(value);
        let compare = hlo::compare::Compare {
            comparison_direction: Direction::Eq,
            compare_type: None,
        };
        let ty = register_type(&ElementType::I1, 1);
        let op = TpuOp::Elementwise(compare.into());
        Some(self.e.b.one(op, &[register, value], ty))
    }
}

fn scalar(layout: &mut Layout<'_>, op: hlo::Op, operands: &[KernelValue]) -> KernelValue {
    let ty = KernelType::Scalar(ElementType::I32);
    layout.e.b.one(TpuOp::Elementwise(op), operands, ty)
}
