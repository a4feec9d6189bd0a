//! Reductions: registers with each other, then rows or lanes inside one, the tail masked by the identity.

use super::{
    Layout, constants,
    registers::{Grid, Held, Shape, register_type},
    unsupported,
};
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    hlo,
    tensor::Tensor,
    tpu::{CombiningKind, KernelOperation, KernelType, KernelValue, TpuOp},
    types::{Class, ElementType},
};

impl Layout<'_> {
    pub(super) fn multi_reduction(
        &mut self,
        op: &KernelOperation,
        kind: CombiningKind,
        dims: &[u64],
    ) -> Result<(), Error> {
        let (source, accumulator) = (op.operands[0], op.operands[1]);
        let reduced = self.reduced(op, source, kind, dims)?;
        let combine = combining(kind, &reduced.element).ok_or_else(|| unsupported(op, ""))?;
        if self.dims(op.results[0]).is_empty() {
            let ty = KernelType::Scalar(reduced.element.clone());
            let first = TpuOp::Extract {
                position: vec![0, 0],
            };
            let value = self.e.b.one(first, &[reduced.registers[0]], ty.clone());
            let accumulator = self.scalar(accumulator);
            let out = self
                .e
                .b
                .one(TpuOp::Elementwise(combine), &[accumulator, value], ty);
            self.scalars.insert(op.results[0], out);
            return Ok(());
        }
        let accumulator = self.held(accumulator)?;
        let (element, shape) = (reduced.element.clone(), reduced.shape);
        let reduced = Held::Grid(reduced);
        let out = self.each_register(
            &TpuOp::Elementwise(combine),
            // The reduction first: its shape is the one to keep.
            &[reduced, accumulator],
            &element,
            shape,
        )?;
        self.give(op, Held::Grid(out));
        Ok(())
    }

    pub(super) fn all_reduce(
        &mut self,
        op: &KernelOperation,
        kind: CombiningKind,
        dimension: u64,
    ) -> Result<(), Error> {
        let source = op.operands[0];
        let reduced = self.reduced(op, source, kind, &[dimension])?;
        let to = self.dims(source).to_vec();
        let mut from = to.clone();
        from[dimension as usize] = 1;
        let out = self.spread_grid(&reduced, &from, &to);
        self.give(op, Held::Grid(out));
        Ok(())
    }

    /// The reduction over `dims`, each of which keeps size 1.
    fn reduced(
        &mut self,
        op: &KernelOperation,
        source: KernelValue,
        kind: CombiningKind,
        dims: &[u64],
    ) -> Result<Grid, Error> {
        let sizes = self.dims(source).to_vec();
        let n = sizes.len();
        let grid = self.natural(source, 1)?;
        let combine = combining(kind, &grid.element).ok_or_else(|| unsupported(op, ""))?;
        let over = |d: usize| dims.contains(&(d as u64));
        let lanes = over(n - 1) && grid.shape.columns > 1;
        let rows = n >= 2 && over(n - 2) && grid.shape.rows > 1;
        let grid = self.masked(op, grid, kind, rows, lanes)?;
        let shape = Shape {
            outer: (0..n.saturating_sub(2))
                .filter(|d| !over(*d))
                .map(|d| sizes[d])
                .product(),
            rows: if rows { 1 } else { grid.shape.rows },
            columns: if lanes { 1 } else { grid.shape.columns },
        };
        let ty = register_type(&grid.element, 1);
        let mut sums: BTreeMap<usize, KernelValue> = BTreeMap::new();
        for (i, (o, r, c)) in grid.shape.tiles(1).into_iter().enumerate() {
            let (mut rest, mut outer, mut step) = (o, 0, 1);
            for d in (0..n.saturating_sub(2)).rev() {
                let at = rest % sizes[d];
                rest /= sizes[d];
                if !over(d) {
                    outer += at * step;
                    step *= sizes[d];
                }
            }
            let (r, c) = (if rows { 0 } else { r }, if lanes { 0 } else { c });
            let at = shape.at(1, outer, r, c);
            let value = grid.registers[i];
            let sum = match sums.get(&at) {
                None => value,
                Some(sum) => {
                    let op = TpuOp::Elementwise(combine.clone());
                    self.e.b.one(op, &[*sum, value], ty.clone())
                }
            };
            sums.insert(at, sum);
        }
        let mut registers = vec![];
        for mut v in sums.into_values() {
            for (inside, dimension) in [(rows, 0), (lanes, 1)] {
                if inside {
                    let op = TpuOp::AllReduce { kind, dimension };
                    v = self.e.b.one(op, &[v], ty.clone());
                }
            }
            registers.push(v);
        }
        if registers.len() != shape.count(1) {
            return Err(unsupported(op, " of nothing"));
        }
        Ok(Grid {
            element: grid.element,
            shape,
            packing: 1,
            registers,
            same_rows: rows,
            same_lanes: lanes,
        })
    }

    /// The grid with the identity behind its last row and last lane, where those are reduced.
    fn masked(
        &mut self,
        op: &KernelOperation,
        grid: Grid,
        kind: CombiningKind,
        rows: bool,
        lanes: bool,
    ) -> Result<Grid, Error> {
        let mut grid = grid;
        let ty = register_type(&grid.element, 1);
        for (i, (_, r, c)) in grid.shape.tiles(1).into_iter().enumerate() {
            let (valid_rows, valid_lanes) = grid.shape.valid(1, r, c);
            let mask = constants::mask(
                &mut self.e,
                if rows { valid_rows } else { u64::MAX },
                if lanes { valid_lanes } else { u64::MAX },
                1,
            );
            let Some(mask) = mask else { continue };
            let neutral = identity(kind, &grid.element)
                .ok_or_else(|| unsupported(op, &format!(" of {}", grid.element)))?;
            let neutral = constants::splat(&mut self.e, &neutral, 1);
            let select = TpuOp::Elementwise(hlo::select::Select.into());
            let operands = [mask, grid.registers[i], neutral];
            grid.registers[i] = self.e.b.one(select, &operands, ty.clone());
        }
        Ok(grid)
    }
}

/// The elementwise op that combines two elements.
fn combining(kind: CombiningKind, element: &ElementType) -> Option<hlo::Op> {
    let class = element.class();
    Some(match (kind, class) {
        (CombiningKind::Add, _) => hlo::add::Add.into(),
        (CombiningKind::Mul, _) => hlo::multiply::Multiply.into(),
        (CombiningKind::Min, Class::Signed | Class::Float | Class::Boolean)
        | (CombiningKind::MinUi, Class::Unsigned | Class::Boolean) => hlo::minimum::Minimum.into(),
        (CombiningKind::Max, Class::Signed | Class::Float | Class::Boolean)
        | (CombiningKind::MaxUi, Class::Unsigned | Class::Boolean) => hlo::maximum::Maximum.into(),
        (CombiningKind::And, _) => hlo::and::And.into(),
        (CombiningKind::Or, _) => hlo::or::Or.into(),
        (CombiningKind::Xor, _) => hlo::xor::Xor.into(),
        (
            CombiningKind::Min | CombiningKind::Max,
            Class::Unsigned | Class::Complex | Class::Quantized,
        )
        | (
            CombiningKind::MinUi | CombiningKind::MaxUi,
            Class::Signed | Class::Float | Class::Complex | Class::Quantized,
        ) => return None,
    })
}

/// What changes no element it is combined with: for sums of floats -0, which keeps -0.
fn identity(kind: CombiningKind, element: &ElementType) -> Option<Tensor> {
    let float = |v: f64| {
        let t = Tensor::from_f64s(&[], element, &[v]);
        // A type without this value has none of the kind.
        let same = t.to_f64s().first().map(|x| x.to_bits()) == Some(v.to_bits());
        same.then_some(t)
    };
    let integer = |v: i64| Some(Tensor::from_i64s(&[], element, &[v]));
    let bits = element.bits();
    match (kind, element.class()) {
        (_, Class::Complex | Class::Quantized) => None,
        (CombiningKind::Add, Class::Float) => float(-0.0).or_else(|| float(0.0)),
        (CombiningKind::Mul, Class::Float) => float(1.0),
        (CombiningKind::Min | CombiningKind::MinUi, Class::Float) => {
            float(f64::INFINITY).or_else(|| extreme(element, f64::INFINITY))
        }
        (CombiningKind::Max | CombiningKind::MaxUi, Class::Float) => {
            float(f64::NEG_INFINITY).or_else(|| extreme(element, f64::NEG_INFINITY))
        }
        (CombiningKind::And | CombiningKind::Or | CombiningKind::Xor, Class::Float) => None,
        (CombiningKind::Add | CombiningKind::Or | CombiningKind::Xor, _) => integer(0),
        (CombiningKind::Mul, _) => integer(1),
        (CombiningKind::And, Class::Boolean) => integer(1),
        (CombiningKind::And, Class::Signed | Class::Unsigned) => integer(-1),
        (CombiningKind::Min | CombiningKind::MinUi, Class::Boolean) => integer(1),
        (CombiningKind::Max | CombiningKind::MaxUi, Class::Boolean | Class::Unsigned) => integer(0),
        (CombiningKind::Min | CombiningKind::MinUi, Class::Signed) => {
            integer(((1u64 << (bits - 1)) - 1) as i64)
        }
        (CombiningKind::Max | CombiningKind::MaxUi, Class::Signed) => {
            integer(-((1i128 << (bits - 1)) as i64))
        }
        (CombiningKind::Min | CombiningKind::MinUi, Class::Unsigned) => integer(-1),
    }
}

/// The largest finite value on the side of `infinity`, of types without infinities.
fn extreme(element: &ElementType, infinity: f64) -> Option<Tensor> {
    let bits = element.bits();
    if bits > 8 {
        return None;
    }
    let all: Vec<u8> = (0..=((1u16 << bits) - 1) as u8).collect();
    let t = Tensor::from_slice(&[all.len() as u64], element.clone(), &all);
    let values = t.to_f64s();
    let finite = values.iter().copied().filter(|v| v.is_finite());
    let most = if infinity > 0.0 {
        finite.fold(f64::NEG_INFINITY, f64::max)
    } else {
        finite.fold(f64::INFINITY, f64::min)
    };
    Some(Tensor::from_f64s(&[], element, &[most]))
}
