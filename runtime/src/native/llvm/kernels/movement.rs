//! Movement between places in scratch memory: strided copies, rotations, gathers, masks.

use super::{
    emitter::{Emitter, Function, Made, Number, Value, internal},
    lanes::Kind,
    slots::Slot,
};
use crate::native::kernel::NotCompiled;
use tileproof_dialect::{
    tensor::{Tensor, count, row_major_strides},
    tpu::{KernelOperation, KernelValue, TpuOp},
    types::ElementType,
};

/// A copy of elements: element `i0, i1, ..` of the sizes goes from `i . from` to `i . to`, counted in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    pub sizes: Vec<u64>,
    pub from: Vec<i64>,
    pub to: Vec<i64>,
}

/// Strides of a vector in scratch memory. A packed register lies there as the rows of its tile, so that packing moves whole registers.
pub fn strides(dims: &[u64]) -> Vec<i64> {
    match *dims {
        [8, 128, packing] => vec![(128 * packing) as i64, 1, 128],
        _ => row_major_strides(dims),
    }
}

fn is_packed(dims: &[u64]) -> bool {
    matches!(dims, [8, 128, _])
}

impl Walk {
    /// Without dimensions of one element, neighbours that run on joined.
    fn simplified(&self) -> Walk {
        let mut out = Walk {
            sizes: vec![],
            from: vec![],
            to: vec![],
        };
        for d in (0..self.sizes.len()).filter(|d| self.sizes[*d] != 1) {
            let (size, from, to) = (self.sizes[d], self.from[d], self.to[d]);
            let n = size as i64;
            if let (Some(s), Some(f), Some(t)) =
                (out.sizes.last_mut(), out.from.last_mut(), out.to.last_mut())
                && *f == from * n
                && *t == to * n
            {
                *s *= size;
                (*f, *t) = (from, to);
                continue;
            }
            out.sizes.push(size);
            out.from.push(from);
            out.to.push(to);
        }
        out
    }
}

/// Lanes that a loop over `n` elements takes at once: a power of two up to 16 that divides it.
pub fn lanes_for(n: u64) -> u64 {
    (1..=16u64)
        .rev()
        .find(|l| l.is_power_of_two() && n.is_multiple_of(*l))
        .unwrap_or(1)
}

impl Emitter<'_> {
    /// Copies elements of so many bytes between two pointers.
    pub fn copy(&mut self, walk: &Walk, bytes: u64, from: &str, to: &str) {
        if walk.sizes.contains(&0) {
            return;
        }
        let walk = walk.simplified();
        let kind = Kind::Bits(8 * bytes as u32);
        let mut f = Function::new();
        let (mut source, mut target) =
            (f.parameter(from, "!llvm.ptr"), f.parameter(to, "!llvm.ptr"));
        let rank = walk.sizes.len();
        let mut open = 0;
        for d in 0..rank {
            let (size, from, to) = (walk.sizes[d], walk.from[d], walk.to[d]);
            let inner = d + 1 == rank && to == 1 && (from == 1 || from == 0);
            let lanes = if inner { lanes_for(size) } else { 1 };
            let (zero, end) = (f.constant(0), f.constant(size as i64));
            let i = f.begin_loop(&zero, &end, lanes);
            open += 1;
            let (a, b) = (f.mul(&i, from), f.mul(&i, to));
            source = f.at(&source, &a, bytes);
            target = f.at(&target, &b, bytes);
            if d + 1 == rank {
                let repeated = from == 0 && lanes > 1;
                let mut l = f.lanes(if repeated || lanes == 1 { 0 } else { lanes });
                let x = l.load(kind, &source);
                l.lanes = if lanes == 1 { 0 } else { lanes };
                let x = if repeated {
                    l.splat(&x, &kind.lane())
                } else {
                    x
                };
                l.store(kind, &x, &target);
            }
        }
        if rank == 0 {
            let mut l = f.lanes(0);
            let x = l.load(kind, &source);
            l.store(kind, &x, &target);
        }
        (0..open).for_each(|_| f.end());
        self.call(f);
    }

    /// Copies between slots, each from an element on.
    pub fn copy_slots(
        &mut self,
        walk: &Walk,
        bytes: u64,
        (from, from_element): (Slot, i64),
        (to, to_element): (Slot, i64),
    ) {
        let a = self.pointer(from, from_element as u64 * bytes);
        let b = self.pointer(to, to_element as u64 * bytes);
        self.copy(walk, bytes, &a, &b);
    }

    /// The only result of `o` as a copy of its first operand: (sizes, strides of the operand, its first element, strides of the result).
    fn moved(
        &mut self,
        o: &KernelOperation,
        sizes: Vec<u64>,
        from: Vec<i64>,
        offset: i64,
        to: Vec<i64>,
    ) -> Made<()> {
        let source = *o.operands.first().ok_or_else(|| internal("no operand"))?;
        let bytes = self.element(source)?.storage_bytes() as u64;
        let x = self.in_memory(source)?;
        let v = self.result(o)?;
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let slot = self.slot(dims, &element);
        let walk = Walk { sizes, from, to };
        self.copy_slots(&walk, bytes, (x.0, offset), (slot, 0));
        self.release(x);
        self.settled(v, slot)
    }

    /// Movement whose strides are known.
    pub fn movement(&mut self, o: &KernelOperation) -> Made<()> {
        let result = self.result(o)?;
        let dims = self.dims(result)?.to_vec();
        let to = strides(&dims);
        let operand = |e: &Emitter<'_>, at: usize| -> Made<Vec<u64>> {
            let v = o.operands.get(at).ok_or_else(|| internal("no operand"))?;
            Ok(e.dims(*v)?.to_vec())
        };
        match &o.op {
            TpuOp::Broadcast => {
                let from = operand(self, 0)?;
                let own = strides(&from);
                let lacking = dims
                    .len()
                    .checked_sub(from.len())
                    .ok_or_else(|| internal("a broadcast to a lower rank"))?;
                let mut walked = vec![0; lacking];
                walked.extend(
                    own.iter()
                        .zip(&from)
                        .map(|(s, d)| if *d == 1 { 0 } else { *s }),
                );
                self.moved(o, dims, walked, 0, to)
            }
            TpuOp::ShapeCast => {
                let from = operand(self, 0)?;
                if from != dims && (is_packed(&from) || is_packed(&dims)) {
                    return NotCompiled::unsupported("vector.shape_cast of a packed register");
                }
                let n = count(&dims) as u64;
                self.moved(o, vec![n], vec![1], 0, vec![1])
            }
            TpuOp::Transpose { permutation } => {
                let own = strides(&operand(self, 0)?);
                let walked = permutation
                    .iter()
                    .map(|p| own.get(*p as usize).copied())
                    .collect::<Option<Vec<i64>>>()
                    .ok_or_else(|| internal("a transposition of other dimensions"))?;
                self.moved(o, dims, walked, 0, to)
            }
            TpuOp::ExtractStridedSlice {
                offsets,
                strides: steps,
                ..
            } => {
                let own = strides(&operand(self, 0)?);
                let offset = inner(offsets, &own);
                let walked = own.iter().zip(steps).map(|(s, t)| s * *t as i64).collect();
                self.moved(o, dims, walked, offset, to)
            }
            TpuOp::Extract { position } => {
                let own = strides(&operand(self, 0)?);
                let offset = inner(position, &own);
                let walked = own.get(position.len()..).unwrap_or_default().to_vec();
                self.moved(o, dims, walked, offset, to)
            }
            TpuOp::Repeat { dimension, times } => {
                let from = operand(self, 0)?;
                let (d, own) = (*dimension as usize, strides(&from));
                let (mut sizes, mut walked, mut target) = (from.clone(), own, to.clone());
                sizes.insert(d, *times);
                walked.insert(d, 0);
                target.insert(d, to[d] * from[d] as i64);
                self.moved(o, sizes, walked, 0, target)
            }
            TpuOp::Reverse { dimensions } => {
                let (mut offset, mut walked) = (0, strides(&dims));
                for d in dimensions.iter().map(|d| *d as usize) {
                    offset += walked[d] * (dims[d] as i64 - 1);
                    walked[d] = -walked[d];
                }
                self.moved(o, dims, walked, offset, to)
            }
            TpuOp::UnpackSubelements { index } => {
                let n = count(&dims) as u64;
                self.moved(o, vec![n], vec![1], (*index * n) as i64, vec![1])
            }
            TpuOp::PackSubelements => {
                let n: u64 = operand(self, 0)?.iter().product();
                let slot = self.result_slot(o)?;
                for (i, v) in o.operands.iter().enumerate() {
                    self.part(*v, vec![n], vec![1], slot, (i as u64 * n) as i64, vec![1])?;
                }
                Ok(())
            }
            TpuOp::RollVectors => {
                let register = operand(self, 0)?;
                let (height, width) = tile(&register)?;
                let slot = self.result_slot(o)?;
                let columns = *dims.last().ok_or_else(|| internal("no block"))?;
                for (i, v) in (0u64..).zip(&o.operands) {
                    let (row, column) = (i / (columns / width), i % (columns / width));
                    let at = (row * height * columns + column * width) as i64;
                    let target = vec![columns as i64, 1];
                    self.part(
                        *v,
                        vec![height, width],
                        vec![width as i64, 1],
                        slot,
                        at,
                        target,
                    )?;
                }
                Ok(())
            }
            TpuOp::UnrollVectors => {
                let block = operand(self, 0)?;
                let (height, width) = tile(&dims)?;
                let [_, columns] = block[..] else {
                    return Err(internal("a block that is none"));
                };
                let bytes = self.element(o.operands[0])?.storage_bytes() as u64;
                let x = self.in_memory(o.operands[0])?;
                for (i, v) in (0u64..).zip(&o.results) {
                    let (row, column) = (i / (columns / width), i % (columns / width));
                    let at = (row * height * columns + column * width) as i64;
                    let element = self.element(*v)?;
                    let slot = self.slot(&dims, &element);
                    let walk = Walk {
                        sizes: vec![height, width],
                        from: vec![columns as i64, 1],
                        to: vec![width as i64, 1],
                    };
                    self.copy_slots(&walk, bytes, (x.0, at), (slot, 0));
                    self.set(*v, Value::Slot(slot));
                }
                self.release(x);
                Ok(())
            }
            TpuOp::Concatenate { dimension } => {
                let d = *dimension as usize;
                let slot = self.result_slot(o)?;
                let mut at = 0;
                for v in &o.operands {
                    let part = self.dims(*v)?.to_vec();
                    let size = part[d] as i64;
                    self.part(
                        *v,
                        part.clone(),
                        strides(&part),
                        slot,
                        at * to[d],
                        to.clone(),
                    )?;
                    at += size;
                }
                Ok(())
            }
            TpuOp::InsertStridedSlice { offsets } => {
                let [part, into] = o.operands[..] else {
                    return Err(internal("an insertion of other operands"));
                };
                let n = count(&dims) as u64;
                let slot = self.result_slot(o)?;
                self.part(into, vec![n], vec![1], slot, 0, vec![1])?;
                let sizes = self.dims(part)?.to_vec();
                let target = to[dims.len() - sizes.len()..].to_vec();
                self.part(
                    part,
                    sizes.clone(),
                    strides(&sizes),
                    slot,
                    inner(offsets, &to),
                    target,
                )
            }
            TpuOp::Rotate { amount, dimension } => {
                let amount = Number::Constant(*amount as i64);
                self.rotate(o, *dimension as usize, &amount)
            }
            TpuOp::DynamicRotate { dimension } => {
                let v = *o.operands.get(1).ok_or_else(|| internal("no amount"))?;
                let amount = self.number(v)?;
                self.rotate(o, *dimension as usize, &amount)
            }
            TpuOp::DynamicGather { dimension } => self.gather(o, *dimension as usize),
            TpuOp::Iota { dimensions } => {
                let element = self.element(result)?;
                let slot = self.constant(&iota(&dims, dimensions, &element))?;
                self.set(result, Value::Slot(slot));
                Ok(())
            }
            TpuOp::CreateMask => self.mask(o, &dims),
            _ => Err(internal("an op that is no movement")),
        }
    }

    /// Writes a value into part of a slot.
    fn part(
        &mut self,
        v: KernelValue,
        sizes: Vec<u64>,
        from: Vec<i64>,
        slot: Slot,
        at: i64,
        to: Vec<i64>,
    ) -> Made<()> {
        let bytes = self.element(v)?.storage_bytes() as u64;
        let x = self.in_memory(v)?;
        let walk = Walk { sizes, from, to };
        self.copy_slots(&walk, bytes, (x.0, 0), (slot, at));
        self.release(x);
        Ok(())
    }

    /// A constant in scratch memory.
    pub fn constant(&mut self, t: &Tensor) -> Made<Slot> {
        // Packed registers lie row by row.
        let t = match *t.dims() {
            [8, 128, packing] => t.strided(
                &[8, packing, 128],
                0,
                &[(128 * packing) as i64, 1, packing as i64],
            ),
            _ => t.clone(),
        };
        Ok(self.kept(t.ieee().bytes().to_vec()))
    }

    /// Element i is element (i - amount) mod n along a dimension.
    fn rotate(&mut self, o: &KernelOperation, d: usize, amount: &Number) -> Made<()> {
        let v = o.operands[0];
        let (dims, element) = (self.dims(v)?.to_vec(), self.element(v)?);
        let (own, bytes) = (strides(&dims), element.storage_bytes() as u64);
        if d >= dims.len() {
            return Err(internal("a rotation along no dimension"));
        }
        let n = dims[d] as i64;
        let x = self.in_memory(v)?;
        let slot = self.result_slot(o)?;
        match amount {
            Number::Constant(amount) => {
                let amount = amount.rem_euclid(n);
                for (size, from, to) in [(amount, n - amount, 0), (n - amount, 0, amount)] {
                    let mut sizes = dims.clone();
                    sizes[d] = size as u64;
                    let walk = Walk {
                        sizes,
                        from: own.clone(),
                        to: own.clone(),
                    };
                    self.copy_slots(&walk, bytes, (x.0, from * own[d]), (slot, to * own[d]));
                }
            }
            Number::Ssa(amount) => {
                let kind = Kind::Bits(8 * bytes as u32);
                let mut f = Function::new();
                let (from, to) = (self.pointer(x.0, 0), self.pointer(slot, 0));
                let from = f.parameter(&from, "!llvm.ptr");
                let to = f.parameter(&to, "!llvm.ptr");
                let amount = f.parameter(amount, "i64");
                let (mut source, mut target) = (f.constant(0), f.constant(0));
                for e in 0..dims.len() {
                    let (zero, end) = (f.constant(0), f.constant(dims[e] as i64));
                    let i = f.begin_loop(&zero, &end, 1);
                    let at = f.mul(&i, own[e]);
                    target = f.add(&target, &at);
                    let from = if e == d {
                        // ((i - amount) mod n + n) mod n
                        let less = f.op(format!("arith.subi {i}, {amount} : i64"));
                        let rest = f.op(format!("arith.remsi {less}, {end} : i64"));
                        let up = f.add(&rest, &end);
                        f.op(format!("arith.remsi {up}, {end} : i64"))
                    } else {
                        i
                    };
                    let at = f.mul(&from, own[e]);
                    source = f.add(&source, &at);
                }
                let (a, b) = (f.at(&from, &source, bytes), f.at(&to, &target, bytes));
                let mut l = f.lanes(0);
                let value = l.load(kind, &a);
                l.store(kind, &value, &b);
                dims.iter().for_each(|_| f.end());
                self.call(f);
            }
        }
        self.release(x);
        Ok(())
    }

    /// Along a dimension element indices[i]; what is out of range is nothing.
    fn gather(&mut self, o: &KernelOperation, d: usize) -> Made<()> {
        let [source, indices] = o.operands[..] else {
            return Err(internal("a gather of other operands"));
        };
        let (from_dims, dims) = (self.dims(source)?.to_vec(), self.dims(indices)?.to_vec());
        let (element, index) = (self.element(source)?, self.element(indices)?);
        if from_dims.len() != dims.len() || d >= dims.len() {
            return Err(internal("a gather of another rank"));
        }
        let (own, to) = (strides(&from_dims), strides(&dims));
        let (x, i) = (self.in_memory(source)?, self.in_memory(indices)?);
        let slot = self.result_slot(o)?;
        let kind = Kind::Bits(8 * element.storage_bytes() as u32);
        let mut f = Function::new();
        let pointers = [x.0, i.0, slot].map(|s| self.pointer(s, 0));
        let [from, at, out] = pointers.map(|p| f.parameter(&p, "!llvm.ptr"));
        let (mut place, mut base) = (f.constant(0), f.constant(0));
        for e in 0..dims.len() {
            let (zero, end) = (f.constant(0), f.constant(dims[e] as i64));
            let i = f.begin_loop(&zero, &end, 1);
            let step = f.mul(&i, to[e]);
            place = f.add(&place, &step);
            if e != d {
                let step = f.mul(&i, own[e]);
                base = f.add(&base, &step);
            }
        }
        let of = f.at(&at, &place, index.storage_bytes() as u64);
        let target = f.at(&out, &place, element.storage_bytes() as u64);
        let index_kind = Kind::of(&index);
        let found = f.lanes(0).load(index_kind, &of);
        let found = match index_kind {
            Kind::Int { storage: 64, .. } => found,
            Kind::Int { signed: false, .. } => {
                f.lanes(0)
                    .cast("arith.extui", &found, &index_kind.lane(), "i64")
            }
            _ => f
                .lanes(0)
                .cast("arith.extsi", &found, &index_kind.lane(), "i64"),
        };
        let size = f.constant(from_dims[d] as i64);
        let inside = f.lanes(0).compare_int("ult", &found, &size, "i64");
        let zero = f.constant(0);
        let safe = f.lanes(0).select(&inside, &found, &zero, "i64");
        let step = f.mul(&safe, own[d]);
        let base = f.add(&base, &step);
        let place = f.at(&from, &base, element.storage_bytes() as u64);
        let mut l = f.lanes(0);
        let value = l.load(kind, &place);
        let nothing = l.constant(kind, &crate::native::kernel::nothing(&element));
        let value = l.select(&inside, &value, &nothing, &kind.lane());
        l.store(kind, &value, &target);
        dims.iter().for_each(|_| f.end());
        self.call(f);
        self.release(x);
        self.release(i);
        Ok(())
    }

    /// True where low_i <= coordinate_i < high_i for all dimensions.
    fn mask(&mut self, o: &KernelOperation, dims: &[u64]) -> Made<()> {
        let rank = dims.len();
        if o.operands.len() != 2 * rank {
            return Err(internal("a mask of another rank"));
        }
        let mut ends = vec![];
        for v in &o.operands {
            let n = self.number(*v)?;
            ends.push(self.i64(&n));
        }
        let slot = self.result_slot(o)?;
        let to = strides(dims);
        let mut f = Function::new();
        let out = self.pointer(slot, 0);
        let out = f.parameter(&out, "!llvm.ptr");
        let ends: Vec<String> = ends.iter().map(|e| f.parameter(e, "i64")).collect();
        let (mut inside, mut place) = (f.op("arith.constant true"), f.constant(0));
        for d in 0..rank {
            let (zero, end) = (f.constant(0), f.constant(dims[d] as i64));
            let i = f.begin_loop(&zero, &end, 1);
            let step = f.mul(&i, to[d]);
            place = f.add(&place, &step);
            let mut l = f.lanes(0);
            let above = l.compare_int("sle", &ends[d], &i, "i64");
            let below = l.compare_int("slt", &i, &ends[rank + d], "i64");
            let both = l.two("arith.andi", &above, &below, "i1");
            inside = l.two("arith.andi", &inside, &both, "i1");
        }
        let target = f.at(&out, &place, 1);
        f.lanes(0).store(Kind::Bool, &inside, &target);
        dims.iter().for_each(|_| f.end());
        self.call(f);
        Ok(())
    }
}

/// Rows and lanes of a register as it lies in scratch memory.
fn tile(register: &[u64]) -> Made<(u64, u64)> {
    match *register {
        [rows, lanes] => Ok((rows, lanes)),
        [rows, lanes, packing] if is_packed(register) => Ok((rows * packing, lanes)),
        _ => Err(internal("a register of other sizes")),
    }
}

fn inner(indices: &[u64], strides: &[i64]) -> i64 {
    indices
        .iter()
        .zip(strides)
        .map(|(i, s)| *i as i64 * s)
        .sum()
}

/// The row-major index over `dimensions`.
fn iota(dims: &[u64], dimensions: &[u64], element: &ElementType) -> Tensor {
    let mut coordinate = vec![0u64; dims.len()];
    let mut numbers = Vec::with_capacity(count(dims));
    for _ in 0..count(dims) {
        let mut n = 0;
        for d in dimensions {
            n = n * dims[*d as usize] as i64 + coordinate[*d as usize] as i64;
        }
        numbers.push(n);
        for d in (0..dims.len()).rev() {
            coordinate[d] += 1;
            if coordinate[d] < dims[d] {
                break;
            }
            coordinate[d] = 0;
        }
    }
    Tensor::from_i64s(dims, element, &numbers)
}
