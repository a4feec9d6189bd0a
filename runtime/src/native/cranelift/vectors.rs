//! Ops on vectors in scratch memory: elementwise and movement. Loops element by element, four at once where [`four`] says so.

use super::{
    code::{at, each, every, inner, int64, load, store},
    scalar::{Held, apply, convert, four, held, register, widened},
    state::{Item, Made, State, broken},
};
use crate::native::kernel::{NotCompiled, frame::Call, nothing};
use cranelift_codegen::ir::{InstBuilder, Type, Value, condcodes::IntCC, types};
use tileproof_dialect::{
    hlo,
    tensor::{Tensor, count, row_major_strides},
    tpu::{KernelOperation, KernelValue, TpuOp},
    types::ElementType,
};

/// Integer type of so many bytes, for elements that are only moved.
pub fn bits_type(bytes: usize) -> Made<Type> {
    Ok(match bytes {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        8 => types::I64,
        _ => return NotCompiled::unsupported(format!("elements of {bytes} bytes")),
    })
}

/// Whether an op has code on one element of these types.
pub fn is_native(
    state: &mut State<'_, '_>,
    op: &hlo::Op,
    of: &[ElementType],
    to: &ElementType,
) -> bool {
    // Tried in a function that is thrown away.
    let mut function = cranelift_codegen::ir::Function::new();
    let mut context = cranelift_frontend::FunctionBuilderContext::new();
    let mut w = cranelift_frontend::FunctionBuilder::new(&mut function, &mut context);
    let block = w.create_block();
    w.switch_to_block(block);
    let mut args = vec![];
    for element in of {
        match register(element) {
            Some(ty) => {
                let x = w.append_block_param(block, ty);
                args.push(x);
            }
            None => return false,
        }
    }
    let out = apply(&mut w, op, &args, of, to).is_some();
    w.ins()
        .trap(cranelift_codegen::ir::TrapCode::unwrap_user(1));
    w.seal_all_blocks();
    w.finalize(state.library.config());
    out && register(to).is_some()
}

impl State<'_, '_> {
    pub fn elementwise(&mut self, op: &hlo::Op, o: &KernelOperation) -> Made<()> {
        let v = self.only(o)?;
        let (dims, to) = (self.dims(v)?, self.element(v)?);
        let elements = o
            .operands
            .iter()
            .map(|v| self.element(*v))
            .collect::<Made<Vec<_>>>()?;
        let native = is_native(self, op, &elements, &to);
        let scalars = o
            .operands
            .iter()
            .all(|v| matches!(self.item(*v), Ok(Item::Number(_))));
        if native && dims.is_empty() && scalars && to.is_integer() {
            let args = o
                .operands
                .iter()
                .map(|v| self.number(*v))
                .collect::<Made<Vec<_>>>()?;
            let Some(x) = apply(self.w, op, &args, &elements, &to) else {
                return broken("an elementwise op without code");
            };
            self.set(v, Item::Number(x));
            return Ok(());
        }
        let mut shapes = vec![];
        let mut places = vec![];
        for (operand, element) in o.operands.iter().zip(&elements) {
            shapes.push((self.dims(*operand)?, element.clone()));
            places.push(self.placed(*operand)?);
        }
        let out = self.new_place(v)?;
        if native {
            let spread: Vec<bool> = shapes.iter().map(|(d, _)| d.is_empty()).collect();
            self.lanes(op, count(&dims), &elements, &spread, &to, &places, out)?;
        } else {
            let call = Call {
                op: op.clone(),
                operands: shapes,
                result: (dims, to),
            };
            self.by_definition(call, &places, out);
        }
        self.lies_at(v, out)
    }

    /// `op` on `n` elements; operands that are `spread` have one element for all.
    #[allow(clippy::too_many_arguments)]
    pub fn lanes(
        &mut self,
        op: &hlo::Op,
        n: usize,
        elements: &[ElementType],
        spread: &[bool],
        to: &ElementType,
        places: &[usize],
        out: usize,
    ) -> Made<()> {
        let wide =
            four(op, elements, to).filter(|_| n.is_multiple_of(4) && !spread.contains(&true));
        let mut registers = vec![];
        for element in elements {
            registers.push(wide.unwrap_or(self.register(element)?));
        }
        let step = if wide.is_some() { 4 } else { 1 };
        let mut arguments: Vec<Value> = places.iter().map(|p| self.pointer(*p)).collect();
        arguments.push(self.pointer(out));
        let description = format!("{op:?} {n} {elements:?} {spread:?} {to:?}");
        self.call(description, &arguments, |w, p| {
            let (low, high) = (int64(w, 0), int64(w, n as i64));
            let mut good = true;
            each(w, low, high, step, &mut |w, i| {
                let mut args = vec![];
                for (k, element) in elements.iter().enumerate() {
                    let from = match spread[k] {
                        true => p[k],
                        false => at(w, p[k], i, element.storage_bytes() as i64),
                    };
                    args.push(load(w, registers[k], from));
                }
                match apply(w, op, &args, elements, to) {
                    Some(x) => {
                        let target = at(w, p[elements.len()], i, to.storage_bytes() as i64);
                        store(w, x, target);
                    }
                    None => good = false,
                }
            });
            match good {
                true => Ok(()),
                false => broken("an elementwise op without code"),
            }
        })
    }

    /// A binary op on `n` elements at three pointers.
    pub fn combine(
        &mut self,
        op: &hlo::Op,
        element: &ElementType,
        n: usize,
        [a, b, out]: [usize; 3],
    ) -> Made<()> {
        let elements = [element.clone(), element.clone()];
        if is_native(self, op, &elements, element) {
            return self.lanes(op, n, &elements, &[false, false], element, &[a, b], out);
        }
        let shape = (vec![n as u64], element.clone());
        let call = Call {
            op: op.clone(),
            operands: vec![shape.clone(), shape.clone()],
            result: shape,
        };
        self.by_definition(call, &[a, b], out);
        Ok(())
    }

    /// Element `i..` of these sizes goes from `from + i . steps` to `to + i . targets`; places in bytes, strides in elements.
    pub fn walk(
        &mut self,
        sizes: &[u64],
        bytes: usize,
        (from, steps): (usize, &[i64]),
        (to, targets): (usize, &[i64]),
    ) -> Made<()> {
        let (a, b) = (self.pointer(from), self.pointer(to));
        self.walk_pointers(sizes, bytes, (a, steps), (b, targets))
    }

    pub fn walk_pointers(
        &mut self,
        sizes: &[u64],
        bytes: usize,
        (from, steps): (Value, &[i64]),
        (to, targets): (Value, &[i64]),
    ) -> Made<()> {
        let ty = bits_type(bytes)?;
        let description = format!("walk {sizes:?} {bytes} {steps:?} {targets:?}");
        self.call(description, &[from, to], |w, p| {
            every(w, sizes, &mut vec![], &mut |w, i| {
                let a = inner(w, 0, i, steps);
                let b = inner(w, 0, i, targets);
                let (a, b) = (at(w, p[0], a, bytes as i64), at(w, p[1], b, bytes as i64));
                let x = load(w, ty, a);
                store(w, x, b);
            });
            Ok(())
        })
    }

    /// Copies bytes between two places.
    pub fn copied(&mut self, from: usize, to: usize, bytes: usize) -> Made<()> {
        let unit = [8, 4, 2, 1]
            .into_iter()
            .find(|u| bytes.is_multiple_of(*u))
            .unwrap_or(1);
        self.walk(&[(bytes / unit) as u64], unit, (from, &[1]), (to, &[1]))
    }

    /// Ops that only move elements.
    pub fn movement(&mut self, o: &KernelOperation) -> Made<()> {
        if let TpuOp::UnrollVectors = o.op {
            return self.unroll(o);
        }
        let v = self.only(o)?;
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let bytes = element.storage_bytes();
        if let TpuOp::Iota { dimensions } = &o.op {
            let own = row_major_strides(&dims);
            let number = |i: i64| {
                dimensions.iter().fold(0, |n, d| {
                    let d = *d as usize;
                    n * dims[d] as i64 + i / own[d] % dims[d] as i64
                })
            };
            let all: Vec<i64> = (0..count(&dims) as i64).map(number).collect();
            let place = self.constant(&Tensor::from_i64s(&dims, &element, &all));
            self.set(v, Item::Place(place));
            return Ok(());
        }
        if let TpuOp::CreateMask = o.op {
            return self.mask(o, &dims);
        }
        let first = self.operand(o, 0)?;
        let from = self.dims(first)?;
        let own = row_major_strides(&from);
        let to = row_major_strides(&dims);
        let out = self.new_place(v)?;
        match &o.op {
            TpuOp::Broadcast => {
                let lacking = dims.len() - from.len();
                let steps: Vec<i64> = (0..dims.len())
                    .map(|d| match d.checked_sub(lacking) {
                        Some(d) if from[d] != 1 => own[d],
                        _ => 0,
                    })
                    .collect();
                let x = self.placed(first)?;
                self.walk(&dims, bytes, (x, &steps), (out, &to))?;
            }
            TpuOp::ShapeCast => {
                let x = self.placed(first)?;
                self.copied(x, out, count(&dims) * bytes)?;
            }
            TpuOp::Transpose { permutation } => {
                let steps: Vec<i64> = permutation.iter().map(|d| own[*d as usize]).collect();
                let x = self.placed(first)?;
                self.walk(&dims, bytes, (x, &steps), (out, &to))?;
            }
            TpuOp::ExtractStridedSlice {
                offsets, strides, ..
            } => {
                let offset: i64 = offsets.iter().zip(&own).map(|(o, s)| *o as i64 * s).sum();
                let steps: Vec<i64> = own
                    .iter()
                    .zip(strides)
                    .map(|(s, t)| s * *t as i64)
                    .collect();
                let x = self.placed(first)? + offset as usize * bytes;
                self.walk(&dims, bytes, (x, &steps), (out, &to))?;
            }
            TpuOp::Extract { position } => {
                let offset: i64 = position.iter().zip(&own).map(|(o, s)| *o as i64 * s).sum();
                let x = self.placed(first)? + offset as usize * bytes;
                self.walk(&dims, bytes, (x, &own[position.len()..]), (out, &to))?;
            }
            TpuOp::InsertStridedSlice { offsets } => {
                let into = self.operand(o, 1)?;
                let whole = self.placed(into)?;
                self.copied(whole, out, count(&dims) * bytes)?;
                let offset: i64 = offsets.iter().zip(&to).map(|(o, s)| *o as i64 * s).sum();
                let x = self.placed(first)?;
                let target = (
                    out + offset as usize * bytes,
                    &to[dims.len() - from.len()..],
                );
                self.walk(&from, bytes, (x, &own), target)?;
            }
            TpuOp::Concatenate { dimension } => {
                let d = *dimension as usize;
                let mut start = 0;
                for part in &o.operands {
                    let sizes = self.dims(*part)?;
                    let x = self.placed(*part)?;
                    let target = out + (start * to[d]) as usize * bytes;
                    self.walk(
                        &sizes,
                        bytes,
                        (x, &row_major_strides(&sizes)),
                        (target, &to),
                    )?;
                    start += sizes[d] as i64;
                }
            }
            TpuOp::Repeat { dimension, times } => {
                let d = *dimension as usize;
                let x = self.placed(first)?;
                for k in 0..*times as i64 {
                    let target = out + (k * from[d] as i64 * to[d]) as usize * bytes;
                    self.walk(&from, bytes, (x, &own), (target, &to))?;
                }
            }
            TpuOp::Reverse { dimensions } => {
                let (mut offset, mut steps) = (0, own.clone());
                for d in dimensions.iter().map(|d| *d as usize) {
                    offset += own[d] * (dims[d] as i64 - 1);
                    steps[d] = -own[d];
                }
                let x = self.placed(first)? + offset as usize * bytes;
                self.walk(&dims, bytes, (x, &steps), (out, &to))?;
            }
            TpuOp::Rotate { amount, dimension } => {
                let amount = int64(self.w, *amount as i64);
                self.rotate(first, *dimension as usize, amount, out)?;
            }
            TpuOp::DynamicRotate { dimension } => {
                let amount = self.operand(o, 1)?;
                let amount = self.index(amount)?;
                self.rotate(first, *dimension as usize, amount, out)?;
            }
            TpuOp::DynamicGather { dimension } => {
                self.gather(o, *dimension as usize, out)?;
            }
            TpuOp::PackSubelements => {
                // Row r of the tile is element (r / N, lane, r % N).
                let [_, lanes, n] = dims[..] else {
                    return broken("a packed register of other sizes");
                };
                for (k, part) in (0u64..).zip(&o.operands) {
                    let rows = self.dims(*part)?[0];
                    let x = self.placed(*part)?;
                    for r in 0..rows {
                        let row = k * rows + r;
                        let target = (row / n) * lanes * n + row % n;
                        let target = (out + target as usize * bytes, &[n as i64][..]);
                        let source = (x + (r * lanes) as usize * bytes, &[1][..]);
                        self.walk(&[lanes], bytes, source, target)?;
                    }
                }
            }
            TpuOp::UnpackSubelements { index } => {
                let [_, lanes, n] = from[..] else {
                    return broken("a packed register of other sizes");
                };
                let x = self.placed(first)?;
                for r in 0..dims[0] {
                    let row = index * dims[0] + r;
                    let source = (row / n) * lanes * n + row % n;
                    let source = (x + source as usize * bytes, &[n as i64][..]);
                    let target = (out + (r * lanes) as usize * bytes, &[1][..]);
                    self.walk(&[lanes], bytes, source, target)?;
                }
            }
            TpuOp::RollVectors => {
                for (i, part) in o.operands.iter().enumerate() {
                    let x = self.placed(*part)?;
                    let (sizes, own, at, steps) = register_in_block(&from, &dims, i)?;
                    self.walk(&sizes, bytes, (x, &own), (out + at * bytes, &steps))?;
                }
            }
            _ => return broken("an op that is no movement"),
        }
        self.lies_at(v, out)
    }

    fn unroll(&mut self, o: &KernelOperation) -> Made<()> {
        let block = self.operand(o, 0)?;
        let dims = self.dims(block)?;
        let bytes = self.element(block)?.storage_bytes();
        let x = self.placed(block)?;
        for (i, v) in o.results.iter().enumerate() {
            let register = self.dims(*v)?;
            let out = self.new_place(*v)?;
            let (sizes, own, at, steps) = register_in_block(&register, &dims, i)?;
            self.walk(&sizes, bytes, (x + at * bytes, &steps), (out, &own))?;
            self.set(*v, Item::Place(out));
        }
        Ok(())
    }

    fn rotate(&mut self, v: KernelValue, d: usize, amount: Value, out: usize) -> Made<()> {
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let bytes = element.storage_bytes();
        let ty = bits_type(bytes)?;
        let x = self.placed(v)?;
        let arguments = [self.pointer(x), self.pointer(out), amount];
        let own = row_major_strides(&dims);
        self.call(
            format!("rotate {dims:?} {bytes} {d}"),
            &arguments,
            |w, p| {
                let n = int64(w, dims[d] as i64);
                let rest = w.ins().srem(p[2], n);
                every(w, &dims, &mut vec![], &mut |w, i| {
                    let target = inner(w, 0, i, &own);
                    // Where the element goes: forward by the amount, around the end.
                    let moved = w.ins().iadd(i[d], rest);
                    let back = w.ins().isub(moved, n);
                    let forth = w.ins().iadd(moved, n);
                    let zero = int64(w, 0);
                    let below = w.ins().icmp(IntCC::SignedLessThan, moved, zero);
                    let above = w.ins().icmp(IntCC::SignedGreaterThanOrEqual, moved, n);
                    let place = w.ins().select(above, back, moved);
                    let place = w.ins().select(below, forth, place);
                    let mut to = i.to_vec();
                    to[d] = place;
                    let to = inner(w, 0, &to, &own);
                    let (a, b) = (
                        at(w, p[0], target, bytes as i64),
                        at(w, p[1], to, bytes as i64),
                    );
                    let x = load(w, ty, a);
                    store(w, x, b);
                });
                Ok(())
            },
        )
    }

    fn gather(&mut self, o: &KernelOperation, d: usize, out: usize) -> Made<()> {
        let (source, indices) = (self.operand(o, 0)?, self.operand(o, 1)?);
        let (from, dims) = (self.dims(source)?, self.dims(indices)?);
        let (element, index) = (self.element(source)?, self.element(indices)?);
        let (ty, index_ty) = (bits_type(element.storage_bytes())?, self.register(&index)?);
        let nothing = self.made.filled(nothing(&element));
        let (x, i) = (self.placed(source)?, self.placed(indices)?);
        let arguments = [x, i, out, nothing].map(|p| self.pointer(p));
        let (own, to) = (row_major_strides(&from), row_major_strides(&dims));
        let bytes = element.storage_bytes() as i64;
        let signed = matches!(held(&index), Held::Integer { signed: true, .. });
        let description = format!("gather {from:?} {dims:?} {element:?} {index:?} {d}");
        self.call(description, &arguments, |w, p| {
            every(w, &dims, &mut vec![], &mut |w, i| {
                let place = inner(w, 0, i, &to);
                let of = at(w, p[1], place, index.storage_bytes() as i64);
                let found = load(w, index_ty, of);
                let found = widened(w, found, signed);
                let size = int64(w, from[d] as i64);
                let inside = w.ins().icmp(IntCC::UnsignedLessThan, found, size);
                let zero = int64(w, 0);
                let mut coordinates = i.to_vec();
                coordinates[d] = w.ins().select(inside, found, zero);
                let at_source = inner(w, 0, &coordinates, &own);
                let a = at(w, p[0], at_source, bytes);
                let a = w.ins().select(inside, a, p[3]);
                let b = at(w, p[2], place, bytes);
                let x = load(w, ty, a);
                store(w, x, b);
            });
            Ok(())
        })
    }

    fn mask(&mut self, o: &KernelOperation, dims: &[u64]) -> Made<()> {
        let v = self.only(o)?;
        let out = self.new_place(v)?;
        let mut arguments = vec![self.pointer(out)];
        for v in &o.operands {
            arguments.push(self.index(*v)?);
        }
        let rank = dims.len();
        if arguments.len() != 1 + 2 * rank {
            return broken("a mask of another rank");
        }
        let own = row_major_strides(dims);
        self.call(format!("mask {dims:?}"), &arguments, |w, p| {
            every(w, dims, &mut vec![], &mut |w, i| {
                let mut on = super::code::constant(w, types::I8, 1);
                for (d, c) in i.iter().enumerate() {
                    let low = w.ins().icmp(IntCC::SignedLessThanOrEqual, p[1 + d], *c);
                    let high = w.ins().icmp(IntCC::SignedLessThan, *c, p[1 + rank + d]);
                    on = w.ins().band(on, low);
                    on = w.ins().band(on, high);
                }
                let place = inner(w, 0, i, &own);
                let target = at(w, p[0], place, 1);
                store(w, on, target);
            });
            Ok(())
        })?;
        self.set(v, Item::Place(out));
        Ok(())
    }

    /// An integer scalar in another integer type.
    pub fn cast(&mut self, o: &KernelOperation) -> Made<()> {
        let (from, v) = (self.operand(o, 0)?, self.only(o)?);
        let (a, b) = (self.element(from)?, self.element(v)?);
        let x = self.number(from)?;
        match convert(self.w, x, &a, &b) {
            Some(x) => {
                self.set(v, Item::Number(x));
                Ok(())
            }
            None => NotCompiled::unsupported(format!("arith.index_cast of {a} to {b}")),
        }
    }
}

/// Register number `i` of a block: its sizes as the block sees them, its strides, its first element in the block, the block's strides.
type InBlock = (Vec<u64>, Vec<i64>, usize, Vec<i64>);

fn register_in_block(register: &[u64], block: &[u64], i: usize) -> Made<InBlock> {
    let [_, columns] = *block else {
        return broken("a block that is none");
    };
    let (rows, lanes, n) = match *register {
        [rows, lanes] => (rows, lanes, 1),
        [rows, lanes, n] => (rows, lanes, n),
        _ => return broken("a register of other sizes"),
    };
    let across = (columns / lanes).max(1) as usize;
    let first = (i / across) as u64 * rows * n * columns + (i % across) as u64 * lanes;
    let columns = columns as i64;
    // Element (s, lane, p) is row s * n + p.
    Ok((
        vec![rows, lanes, n],
        vec![(lanes * n) as i64, n as i64, 1],
        first as usize,
        vec![n as i64 * columns, 1, columns],
    ))
}
