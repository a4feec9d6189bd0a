//! Ops that act on each element for itself, and vectors made from nothing.

use super::{
    Layout, constants,
    registers::{Grid, Held, LANES, SUBLANES, Shape, native_packing, register_type},
    unsupported,
};
use std::collections::HashMap;
use tileproof_dialect::{
    error::Error,
    hlo,
    literal::Literal,
    tensor::Tensor,
    tpu::{KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

impl Layout<'_> {
    pub(super) fn constant(
        &mut self,
        op: &KernelOperation,
        literal: &Literal,
    ) -> Result<(), Error> {
        if let Some(value) = literal.splat_value() {
            self.give(op, Held::Splat(value));
            return Ok(());
        }
        let (element, tensor) = (literal.element().clone(), literal.to_tensor());
        let (shape, packing) = (Shape::natural(literal.dims()), native_packing(&element));
        let ty = register_type(&element, packing);
        let dims = ty.dims().unwrap_or(&[]).to_vec();
        let mut registers = vec![];
        for (o, r, c) in shape.tiles(packing) {
            let (rows, lanes) = shape.valid(packing, r, c);
            let mut indices = vec![];
            for s in 0..SUBLANES {
                for lane in 0..LANES {
                    for p in 0..packing {
                        // Padding repeats the last element of its row or column.
                        let row = r * SUBLANES * packing + (s * packing + p).min(rows - 1);
                        let column = c * LANES + lane.min(lanes - 1);
                        let linear = (o * shape.rows + row) * shape.columns + column;
                        indices.push(linear as usize);
                    }
                }
            }
            let t = tensor.take(&dims, &indices);
            let op = TpuOp::Constant(Literal::from_tensor(&t));
            registers.push(self.e.b.one(op, &[], ty.clone()));
        }
        let grid = Grid {
            element,
            shape,
            packing,
            registers,
            same_rows: false,
            same_lanes: false,
        };
        self.give(op, Held::Grid(grid));
        Ok(())
    }

    pub(super) fn elementwise(&mut self, op: &KernelOperation, hlo: &hlo::Op) -> Result<(), Error> {
        let mut held = vec![];
        for v in &op.operands {
            held.push(self.held(*v)?);
        }
        let element = self.element_of_result(op)?;
        let out = self.each_register(
            &TpuOp::Elementwise(hlo.clone()),
            &held,
            &element,
            Shape::natural(self.dims(op.results[0])),
        )?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    pub(super) fn element_of_result(&self, op: &KernelOperation) -> Result<ElementType, Error> {
        op.results
            .first()
            .and_then(|v| self.old.ty(*v).element())
            .ok_or_else(|| unsupported(op, " without a result"))
    }

    /// `op` on each register of the operands. `natural`: the shape where no operand has one.
    pub(super) fn each_register(
        &mut self,
        op: &TpuOp,
        operands: &[Held],
        element: &ElementType,
        natural: Shape,
    ) -> Result<Grid, Error> {
        let mut grids: Vec<&Grid> = operands.iter().filter_map(Held::as_grid).collect();
        grids.sort_by_key(|g| g.same_rows && g.same_lanes);
        let shape = grids.first().map_or(natural, |g| g.shape);
        let packing = packing(operands, element);
        let mut moved = vec![];
        for held in operands {
            moved.push(held.grid(&mut self.e, shape, packing)?);
        }
        let ty = register_type(element, packing);
        let mut made: HashMap<Vec<KernelValue>, KernelValue> = HashMap::new();
        let mut registers = vec![];
        for i in 0..shape.count(packing) {
            let operands: Vec<KernelValue> = moved.iter().map(|g| g.registers[i]).collect();
            let register = match made.get(&operands) {
                Some(register) => *register,
                None => self.e.b.one(op.clone(), &operands, ty.clone()),
            };
            made.insert(operands, register);
            registers.push(register);
        }
        Ok(Grid {
            element: element.clone(),
            shape,
            packing,
            registers,
            same_rows: moved.iter().all(|g| g.same_rows),
            same_lanes: moved.iter().all(|g| g.same_lanes),
        })
    }

    pub(super) fn iota(&mut self, op: &KernelOperation, dimensions: &[u64]) -> Result<(), Error> {
        let element = self.element_of_result(op)?;
        let dims = self.dims(op.results[0]).to_vec();
        let shape = Shape::natural(&dims);
        // Of each dimension the step of the row-major index over `dimensions`.
        let mut steps = vec![0i64; dims.len()];
        let mut step = 1;
        for d in (0..dims.len()).rev() {
            if dimensions.contains(&(d as u64)) {
                steps[d] = step;
                step *= dims[d] as i64;
            }
        }
        let n = dims.len();
        let lane_step = steps.last().copied().unwrap_or(0);
        let row_step = if n < 2 { 0 } else { steps[n - 2] };
        let ty = register_type(&element, 1);
        let mut inner = None;
        for (dimension, step) in [(0, row_step), (1, lane_step)] {
            if step == 0 {
                continue;
            }
            let along = TpuOp::Iota {
                dimensions: vec![dimension],
            };
            let mut v = self.e.b.one(along, &[], ty.clone());
            if step != 1 {
                let by = self.splat_integer(&element, step);
                let multiply = TpuOp::Elementwise(hlo::multiply::Multiply.into());
                v = self.e.b.one(multiply, &[v, by], ty.clone());
            }
            inner = Some(match inner {
                None => v,
                Some(other) => self.add_registers(other, v, &ty),
            });
        }
        let mut registers = vec![];
        for (o, r, c) in shape.tiles(1) {
            let mut start = row_step * (r * SUBLANES) as i64 + lane_step * (c * LANES) as i64;
            let mut rest = o as i64;
            for d in (0..n.saturating_sub(2)).rev() {
                start += steps[d] * (rest % dims[d] as i64);
                rest /= dims[d] as i64;
            }
            let at = self.splat_integer(&element, start);
            registers.push(match inner {
                None => at,
                Some(inner) if start == 0 => inner,
                Some(inner) => self.add_registers(inner, at, &ty),
            });
        }
        let grid = Grid {
            element,
            shape,
            packing: 1,
            registers,
            same_rows: row_step == 0,
            same_lanes: lane_step == 0,
        };
        self.give(op, Held::Grid(grid));
        Ok(())
    }

    fn splat_integer(&mut self, element: &ElementType, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], element, &[value]);
        constants::splat(&mut self.e, &t, 1)
    }

    fn add_registers(&mut self, a: KernelValue, b: KernelValue, ty: &KernelType) -> KernelValue {
        let add = TpuOp::Elementwise(hlo::add::Add.into());
        self.e.b.one(add, &[a, b], ty.clone())
    }

    pub(super) fn create_mask(&mut self, op: &KernelOperation) -> Result<(), Error> {
        let dims = self.dims(op.results[0]).to_vec();
        let (shape, n) = (Shape::natural(&dims), dims.len());
        if n > 2 && shape.outer > 1 {
            return Err(unsupported(op, " over outer dimensions"));
        }
        let bounds: Vec<KernelValue> = op.operands.iter().map(|v| self.scalar(*v)).collect();
        let mut registers = vec![];
        for (_, r, c) in shape.tiles(1) {
            let mut shifted = vec![];
            for bounds in [&bounds[..n], &bounds[n..]] {
                let row = match n {
                    0 | 1 => None,
                    _ => Some(self.e.add_index(bounds[n - 2], -((r * SUBLANES) as i64))),
                };
                shifted.push((row, self.e.add_index(bounds[n - 1], -((c * LANES) as i64))));
            }
            let (low, high) = (shifted[0], shifted[1]);
            let low_row = low.0.unwrap_or_else(|| self.e.index_constant(0));
            let high_row = high.0.unwrap_or_else(|| self.e.index_constant(1));
            let ty = register_type(&ElementType::I1, 1);
            let bounds = [low_row, low.1, high_row, high.1];
            registers.push(self.e.b.one(TpuOp::CreateMask, &bounds, ty));
        }
        let grid = Grid {
            element: ElementType::I1,
            shape,
            packing: 1,
            registers,
            same_rows: false,
            same_lanes: false,
        };
        self.give(op, Held::Grid(grid));
        Ok(())
    }

    /// The region once a register, one element a lane.
    pub(super) fn implements(&mut self, op: &KernelOperation, name: &str) -> Result<(), Error> {
        let mut held = vec![];
        for v in &op.operands {
            held.push(self.held(*v)?);
        }
        let Some(region) = op.regions.first() else {
            return Err(unsupported(op, " without a region"));
        };
        let natural = op.operands.first().map_or(&[][..], |v| self.dims(*v));
        if natural.is_empty() {
            let mut scalars = self.scalars.clone();
            self.e.transcribe_op(self.old, op, &mut scalars);
            self.scalars = scalars;
            return Ok(());
        }
        let shape = held
            .iter()
            .filter_map(Held::as_grid)
            .find(|g| !(g.same_rows && g.same_lanes))
            .map_or(Shape::natural(natural), |g| g.shape);
        let mut moved = vec![];
        for h in &held {
            moved.push(h.grid(&mut self.e, shape, 1)?);
        }
        let elements: Vec<ElementType> = op
            .results
            .iter()
            .filter_map(|v| self.old.ty(*v).element())
            .collect();
        let results: Vec<KernelType> = elements.iter().map(|e| register_type(e, 1)).collect();
        let mut made: HashMap<Vec<KernelValue>, Vec<KernelValue>> = HashMap::new();
        let mut registers: Vec<Vec<KernelValue>> = vec![vec![]; results.len()];
        for i in 0..shape.count(1) {
            let operands: Vec<KernelValue> = moved.iter().map(|g| g.registers[i]).collect();
            let values = match made.get(&operands) {
                Some(values) => values.clone(),
                None => {
                    let inner = self.implemented(region, &elements)?;
                    let op = TpuOp::Implements {
                        name: name.to_string(),
                    };
                    self.e.b.op(op, &operands, &results, vec![inner])
                }
            };
            for (all, v) in registers.iter_mut().zip(&values) {
                all.push(*v);
            }
            made.insert(operands, values);
        }
        let same_rows = moved.iter().all(|g| g.same_rows);
        let same_lanes = moved.iter().all(|g| g.same_lanes);
        for ((result, element), registers) in op.results.iter().zip(elements).zip(registers) {
            let grid = Grid {
                element,
                shape,
                packing: 1,
                registers,
                same_rows,
                same_lanes,
            };
            self.vectors.insert(*result, Held::Grid(grid));
        }
        Ok(())
    }

    /// The region of an `Implements` on one register.
    fn implemented(
        &mut self,
        region: &KernelRegion,
        results: &[ElementType],
    ) -> Result<KernelRegion, Error> {
        let one = Shape {
            outer: 1,
            rows: SUBLANES,
            columns: LANES,
        };
        let elements: Vec<ElementType> = region
            .arguments
            .iter()
            .filter_map(|v| self.old.ty(*v).element())
            .collect();
        let types: Vec<KernelType> = elements.iter().map(|e| register_type(e, 1)).collect();
        let outside = self.vectors.clone();
        let arguments = self.e.b.begin_region(&types);
        for ((old, new), element) in region.arguments.iter().zip(arguments).zip(elements) {
            let grid = Grid {
                element,
                shape: one,
                packing: 1,
                registers: vec![new],
                same_rows: false,
                same_lanes: false,
            };
            self.vectors.insert(*old, Held::Grid(grid));
        }
        for op in &region.ops {
            if matches!(op.op, TpuOp::Yield) {
                continue;
            }
            let fits = match &op.op {
                TpuOp::Constant(literal) => literal.splat_value().is_some(),
                TpuOp::Broadcast => self.dims(op.operands[0]).is_empty(),
                other => matches!(other, TpuOp::Elementwise(_) | TpuOp::Implements { .. }),
            };
            if !fits {
                return Err(unsupported(op, " inside tpux.implements"));
            }
            self.op(op)?;
        }
        let mut ends = vec![];
        let end = region.ops.last().map_or(&[][..], |o| &o.operands[..]);
        for (v, element) in end.iter().zip(results) {
            let grid = self.held(*v)?.grid(&mut self.e, one, 1)?;
            debug_assert_eq!(grid.element, *element);
            ends.push(grid.registers[0]);
        }
        let inner = self.e.b.end_region(&ends);
        self.vectors = outside;
        Ok(inner)
    }
}

/// Elements of a lane in which an elementwise op runs: packed where all types but masks are equally wide and the operands are packed so.
fn packing(operands: &[Held], result: &ElementType) -> u64 {
    let data: Vec<ElementType> = operands
        .iter()
        .map(Held::element)
        .chain([result.clone()])
        .filter(|e| *e != ElementType::I1)
        .collect();
    let width = |e: &ElementType| e.bits();
    if data
        .windows(2)
        .any(|pair| width(&pair[0]) != width(&pair[1]))
    {
        return 1;
    }
    let native = data.first().map(native_packing);
    let grids = || operands.iter().filter_map(Held::as_grid);
    let mut of_data = grids()
        .filter(|g| g.element != ElementType::I1)
        .map(|g| g.packing);
    match (of_data.next(), native) {
        (Some(first), _) => {
            if of_data.all(|p| p == first) {
                first
            } else {
                1
            }
        }
        // Masks and constants only.
        (None, Some(native)) => grids()
            .map(|g| g.packing)
            .next()
            .map_or(native, |p| if p == native { p } else { 1 }),
        (None, None) => {
            let mut all = grids().map(|g| g.packing);
            let first = all.next().unwrap_or(1);
            if all.all(|p| p == first) { first } else { 1 }
        }
    }
}
