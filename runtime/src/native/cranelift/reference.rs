//! References, copies and semaphores. Offsets and limits are computed while the code runs; every access is cut to what lies inside.

use super::{
    code::{at, each, int64, load, store, times},
    state::{Item, Made, State, broken},
    vectors::bits_type,
};
use crate::native::kernel::{
    NotCompiled,
    frame::{DEADLOCK, REFERENCE},
    nothing,
};
use cranelift_codegen::ir::{InstBuilder, Type, Value, condcodes::IntCC, types};
use tileproof_dialect::{
    tensor::{count, row_major_strides},
    tpu::{KernelOperation, KernelValue, TpuOp},
    types::{Dim, ElementType},
};

/// A window into a buffer.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Start of the buffer.
    pub start: Value,
    /// First element.
    pub offset: Value,
    pub dims: Vec<Value>,
    /// The sizes where they are known.
    pub sizes: Vec<Option<u64>>,
    pub strides: Vec<i64>,
    /// Coordinates inside the buffer, from and to.
    pub inside: Vec<(Value, Value)>,
    pub element: Option<ElementType>,
    pub seen_as: Option<ElementType>,
    /// Elements of the buffer.
    pub total: u64,
}

/// The elements of an access: offset of the first, and which coordinates lie inside.
pub struct Cut {
    pub offset: Value,
    pub ends: Vec<(Value, Value)>,
}

impl State<'_, '_> {
    /// All of operand `number`.
    pub fn whole(&mut self, number: usize) -> Made<Reference> {
        let o = &self.kernel.operands[number];
        let Some(dims) = o.buffer.static_dims() else {
            return NotCompiled::unsupported("an operand whose size is not known");
        };
        let slot = int64(self.w, 8 * number as i64);
        let slot = self.w.ins().iadd(self.buffers, slot);
        let start = load(self.w, types::I64, slot);
        let element = o.buffer.data().cloned();
        Ok(self.dense(start, &dims, element))
    }

    fn dense(&mut self, start: Value, dims: &[u64], element: Option<ElementType>) -> Reference {
        let zero = int64(self.w, 0);
        let sizes: Vec<Value> = dims.iter().map(|d| int64(self.w, *d as i64)).collect();
        Reference {
            start,
            offset: zero,
            inside: sizes.iter().map(|s| (zero, *s)).collect(),
            dims: sizes,
            sizes: dims.iter().map(|d| Some(*d)).collect(),
            strides: row_major_strides(dims),
            seen_as: element.clone(),
            element,
            total: count(dims).max(1) as u64,
        }
    }

    pub fn reference(&self, v: KernelValue) -> Made<Reference> {
        match self.item(v)? {
            Item::Reference(r) => Ok(r),
            Item::Number(_) | Item::Place(_) => broken("no reference where one is expected"),
        }
    }

    /// Limits of a dimension: its own and the reference's.
    fn limits(&mut self, r: &Reference, d: usize) -> (Value, Value) {
        let zero = int64(self.w, 0);
        let (low, high) = r.inside[d];
        (self.larger(low, zero), self.smaller(high, r.dims[d]))
    }

    pub fn derived(&mut self, o: &KernelOperation) -> Made<()> {
        let v = self.only(o)?;
        if let TpuOp::BarrierSemaphore = o.op {
            let place = match self.made.barrier {
                Some(place) => place,
                None => self.made.filled(vec![0; 8]),
            };
            self.made.barrier = Some(place);
            let start = self.pointer(place);
            let r = self.dense(start, &[], None);
            self.set(v, Item::Reference(r));
            return Ok(());
        }
        let first = self.operand(o, 0)?;
        let r = self.reference(first)?;
        let declared = self.kernel.ty(v).as_memref().cloned();
        let dims = declared.as_ref().and_then(|m| m.static_dims());
        let known = |dims: Option<Vec<u64>>| match dims {
            Some(dims) => Ok(dims),
            None => NotCompiled::unsupported("a reference in other sizes that are not known"),
        };
        let out = match &o.op {
            TpuOp::MemRefSlice { sizes } => self.slice(o, &r, sizes)?,
            TpuOp::MemRefSqueeze => self.squeeze(&r, &known(dims)?)?,
            TpuOp::MemRefReshape => self.reshape(&r, &known(dims)?)?,
            TpuOp::MemRefBitcast => {
                let dims = known(dims)?;
                let seen_as = declared.as_ref().and_then(|m| m.data()).cloned();
                let widths = [&r.element, &seen_as].map(|e| e.as_ref().map(ElementType::bits));
                if widths[0].is_none() || widths[0] != widths[1] {
                    return NotCompiled::unsupported("tpu.memref_bitcast to another width");
                }
                let same = r.sizes == dims.iter().map(|d| Some(*d)).collect::<Vec<_>>();
                let r = if same { r } else { self.reshape(&r, &dims)? };
                Reference { seen_as, ..r }
            }
            _ => return broken("an op that makes no reference"),
        };
        self.set(v, Item::Reference(out));
        Ok(())
    }

    fn slice(&mut self, o: &KernelOperation, r: &Reference, sizes: &[Dim]) -> Made<Reference> {
        if sizes.len() != r.dims.len() {
            return broken("a slice of another rank");
        }
        let mut out = Reference {
            dims: vec![],
            sizes: vec![],
            inside: vec![],
            ..r.clone()
        };
        let mut next = 1 + sizes.len();
        for (d, size) in sizes.iter().enumerate() {
            let start = self.operand(o, 1 + d)?;
            let start = self.index(start)?;
            let (value, known) = match size {
                Dim::Static(n) => (int64(self.w, *n as i64), Some(*n)),
                Dim::Dynamic { .. } => {
                    let n = self.operand(o, next)?;
                    next += 1;
                    let n = self.index(n)?;
                    let zero = int64(self.w, 0);
                    (self.larger(n, zero), None)
                }
            };
            let (low, high) = self.limits(r, d);
            let step = times(self.w, start, r.strides[d]);
            out.offset = self.w.ins().iadd(out.offset, step);
            let low = self.w.ins().isub(low, start);
            let high = self.w.ins().isub(high, start);
            out.inside.push((low, high));
            out.dims.push(value);
            out.sizes.push(known);
        }
        Ok(out)
    }

    /// 1 where the only coordinate of dimension `d`, which is 0, lies outside.
    fn is_outside(&mut self, r: &Reference, d: usize) -> Value {
        let (zero, one) = (int64(self.w, 0), int64(self.w, 1));
        let (low, high) = r.inside[d];
        let below = self.w.ins().icmp(IntCC::SignedGreaterThan, low, zero);
        let above = self.w.ins().icmp(IntCC::SignedLessThan, high, one);
        self.w.ins().bor(below, above)
    }

    fn squeeze(&mut self, r: &Reference, dims: &[u64]) -> Made<Reference> {
        let mut out = Reference {
            dims: vec![],
            sizes: vec![],
            strides: vec![],
            inside: vec![],
            ..r.clone()
        };
        let mut outside = super::code::constant(self.w, types::I8, 0);
        let mut left = dims.len();
        for d in 0..r.dims.len() {
            if r.sizes[d] == Some(1) && r.dims.len() - d > left {
                let this = self.is_outside(r, d);
                outside = self.w.ins().bor(outside, this);
                continue;
            }
            let want = dims.get(dims.len() - left).copied();
            if left == 0 || (r.sizes[d].is_some() && r.sizes[d] != want) {
                return broken("a reference that has no such sizes");
            }
            left -= 1;
            out.dims.push(r.dims[d]);
            out.sizes.push(r.sizes[d]);
            out.strides.push(r.strides[d]);
            out.inside.push(r.inside[d]);
        }
        match out.inside.first().copied() {
            Some((low, high)) => {
                let zero = int64(self.w, 0);
                let high = self.w.ins().select(outside, zero, high);
                out.inside[0] = (low, high);
            }
            None => self.fault_if(outside, REFERENCE),
        }
        Ok(out)
    }

    fn reshape(&mut self, r: &Reference, dims: &[u64]) -> Made<Reference> {
        let Some(known) = r.sizes.iter().copied().collect::<Option<Vec<u64>>>() else {
            return NotCompiled::unsupported("a reference of unknown sizes in other sizes");
        };
        let own = row_major_strides(&known);
        let dense = (0..known.len()).all(|d| known[d] == 1 || own[d] == r.strides[d]);
        if !dense || known.iter().product::<u64>() != dims.iter().product::<u64>() {
            return broken("a reference that has no such sizes");
        }
        for d in 0..known.len() {
            let zero = int64(self.w, 0);
            let (low, high) = r.inside[d];
            let below = self.w.ins().icmp(IntCC::SignedGreaterThan, low, zero);
            let above = self.w.ins().icmp(IntCC::SignedLessThan, high, r.dims[d]);
            let outside = self.w.ins().bor(below, above);
            self.fault_if(outside, REFERENCE);
        }
        let mut out = self.dense(r.start, dims, None);
        out.offset = r.offset;
        Ok(Reference {
            element: r.element.clone(),
            seen_as: r.seen_as.clone(),
            total: r.total,
            ..out
        })
    }

    /// The elements from `starts` on, `sizes` of them, `steps` apart.
    pub fn cut(&mut self, r: &Reference, starts: &[Value], sizes: &[Value], steps: &[u64]) -> Cut {
        let mut out = Cut {
            offset: r.offset,
            ends: vec![],
        };
        for d in 0..starts.len() {
            let by = steps.get(d).map_or(1, |s| *s as i64);
            let step = times(self.w, starts[d], r.strides[d]);
            out.offset = self.w.ins().iadd(out.offset, step);
            let (low, high) = self.limits(r, d);
            // Coordinates i with low <= start + i * by < high.
            let before = self.w.ins().isub(low, starts[d]);
            let behind = self.w.ins().isub(high, starts[d]);
            let first = self.rounded_up(before, by);
            let end = self.rounded_up(behind, by);
            let zero = int64(self.w, 0);
            let first = self.larger(first, zero);
            let first = self.smaller(first, sizes[d]);
            let end = self.smaller(end, sizes[d]);
            let end = self.larger(end, first);
            out.ends.push((first, end));
        }
        out
    }

    /// x over `by`, rounded up; of a negative number anything not above 0.
    fn rounded_up(&mut self, x: Value, by: i64) -> Value {
        if by == 1 {
            return x;
        }
        let (by, more) = (int64(self.w, by), int64(self.w, by - 1));
        let sum = self.w.ins().iadd(x, more);
        self.w.ins().sdiv(sum, by)
    }

    fn bytes_named(&mut self, r: &Reference) -> Made<Value> {
        let Some(element) = &r.seen_as else {
            return broken("a copy of semaphores");
        };
        let mut out = int64(self.w, element.storage_bytes() as i64);
        for d in &r.dims {
            out = self.w.ins().imul(out, *d);
        }
        Ok(out)
    }

    pub fn enqueue(&mut self, o: &KernelOperation, two: bool) -> Made<()> {
        let numbers: &[usize] = if two { &[0, 2, 1, 3] } else { &[0, 1, 2] };
        let mut all = vec![];
        for n in numbers {
            let v = self.operand(o, *n)?;
            all.push(self.reference(v)?);
        }
        let (mut source, target) = (all[0].clone(), all[1].clone());
        if source.sizes != target.sizes {
            let Some(dims) = target.sizes.iter().copied().collect::<Option<Vec<u64>>>() else {
                return NotCompiled::unsupported("a copy between unknown sizes");
            };
            source = self.reshape(&source, &dims)?;
        }
        self.copy_reference(&source, &target)?;
        let bytes = self.bytes_named(&target)?;
        for semaphore in &all[2..] {
            let place = self.counter(semaphore);
            let old = load(self.w, types::I64, place);
            let new = self.w.ins().iadd(old, bytes);
            store(self.w, new, place);
        }
        Ok(())
    }

    /// Copies a reference to another of its sizes.
    fn copy_reference(&mut self, source: &Reference, target: &Reference) -> Made<()> {
        let (Some(from), Some(to)) = (&source.element, &target.element) else {
            return broken("a copy of semaphores");
        };
        if from.storage_bytes() != to.storage_bytes() {
            return NotCompiled::unsupported("a copy between element types");
        }
        let bytes = from.storage_bytes();
        let ty: Type = bits_type(bytes)?;
        let none = self.made.filled(nothing(from));
        let zero = int64(self.w, 0);
        let starts = vec![zero; target.dims.len()];
        let read = self.cut(source, &starts, &source.dims.clone(), &[]);
        let written = self.cut(target, &starts, &target.dims.clone(), &[]);
        let a = at(self.w, source.start, read.offset, bytes as i64);
        let b = at(self.w, target.start, written.offset, bytes as i64);
        let mut arguments = vec![a, b, self.pointer(none)];
        for (first, end) in written.ends.iter().chain(&read.ends) {
            arguments.extend([*first, *end]);
        }
        let rank = target.dims.len();
        let (x, y) = (source.strides.clone(), target.strides.clone());
        self.call(format!("copy {x:?} {y:?} {bytes}"), &arguments, |w, p| {
            cut_loop(w, p, rank, &mut vec![], &mut |w, i| {
                let mut inside = super::code::constant(w, types::I8, 1);
                let (mut from, mut to) = (int64(w, 0), int64(w, 0));
                for d in 0..rank {
                    let (first, end) = (p[3 + 2 * (rank + d)], p[4 + 2 * (rank + d)]);
                    let low = w.ins().icmp(IntCC::SignedLessThanOrEqual, first, i[d]);
                    let high = w.ins().icmp(IntCC::SignedLessThan, i[d], end);
                    inside = w.ins().band(inside, low);
                    inside = w.ins().band(inside, high);
                    let step = times(w, i[d], x[d]);
                    from = w.ins().iadd(from, step);
                    let step = times(w, i[d], y[d]);
                    to = w.ins().iadd(to, step);
                }
                let a = at(w, p[0], from, bytes as i64);
                let a = w.ins().select(inside, a, p[2]);
                let b = at(w, p[1], to, bytes as i64);
                let value = load(w, ty, a);
                store(w, value, b);
            });
            Ok(())
        })
    }

    pub fn wait_copy(&mut self, o: &KernelOperation) -> Made<()> {
        let (semaphore, target) = (self.operand(o, 0)?, self.operand(o, 2)?);
        let target = self.reference(target)?;
        let bytes = self.bytes_named(&target)?;
        self.take(semaphore, bytes)
    }

    pub fn wait(&mut self, o: &KernelOperation) -> Made<()> {
        let (semaphore, amount) = (self.operand(o, 0)?, self.operand(o, 1)?);
        let amount = self.index(amount)?;
        let zero = int64(self.w, 0);
        let amount = self.larger(amount, zero);
        self.take(semaphore, amount)
    }

    pub fn signal(&mut self, o: &KernelOperation) -> Made<()> {
        let (semaphore, amount) = (self.operand(o, 0)?, self.operand(o, 1)?);
        let amount = self.index(amount)?;
        let zero = int64(self.w, 0);
        let amount = self.larger(amount, zero);
        let r = self.reference(semaphore)?;
        let place = self.counter(&r);
        let old = load(self.w, types::I64, place);
        let new = self.w.ins().iadd(old, amount);
        store(self.w, new, place);
        Ok(())
    }

    pub fn read_semaphore(&mut self, o: &KernelOperation) -> Made<()> {
        let (v, semaphore) = (self.only(o)?, self.operand(o, 0)?);
        let r = self.reference(semaphore)?;
        let place = self.counter(&r);
        let all = load(self.w, types::I64, place);
        let low = self.w.ins().ireduce(types::I32, all);
        self.set(v, Item::Number(low));
        Ok(())
    }

    fn take(&mut self, semaphore: KernelValue, amount: Value) -> Made<()> {
        let r = self.reference(semaphore)?;
        let place = self.counter(&r);
        let old = load(self.w, types::I64, place);
        let short = self.w.ins().icmp(IntCC::SignedLessThan, old, amount);
        self.fault_if(short, DEADLOCK);
        let new = self.w.ins().isub(old, amount);
        store(self.w, new, place);
        Ok(())
    }

    /// Place of the semaphore that a reference names; outside its buffer a fault, and the first.
    fn counter(&mut self, r: &Reference) -> Value {
        let count = int64(self.w, r.total as i64);
        let outside = self
            .w
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, r.offset, count);
        self.fault_if(outside, REFERENCE);
        let zero = int64(self.w, 0);
        let offset = self.w.ins().select(outside, zero, r.offset);
        at(self.w, r.start, offset, 8)
    }
}

/// Loops over coordinates whose ends are parameters from the fourth on.
pub fn cut_loop(
    w: &mut super::code::Writer<'_>,
    p: &[Value],
    rank: usize,
    so_far: &mut Vec<Value>,
    body: &mut dyn FnMut(&mut super::code::Writer<'_>, &[Value]),
) {
    let d = so_far.len();
    if d == rank {
        return body(w, so_far);
    }
    each(w, p[3 + 2 * d], p[4 + 2 * d], 1, &mut |w, i| {
        so_far.push(i);
        cut_loop(w, p, rank, so_far, body);
        so_far.pop();
    });
}
