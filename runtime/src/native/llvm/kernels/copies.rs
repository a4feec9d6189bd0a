//! Copies and semaphores: a copy ends where it starts, so that a wait only takes its bytes off.

use super::{
    emitter::{Emitter, Function, Made, Number, Value, internal},
    lanes::Kind,
    view::{Home, View},
};
use crate::native::kernel::{
    NotCompiled,
    frame::{DEADLOCK, REFERENCE},
    nothing,
};
use tileproof_dialect::{
    tpu::{KernelOperation, KernelValue},
    types::ElementType,
};

impl Emitter<'_> {
    /// `tpu.enqueue_dma`.
    pub fn enqueue(&mut self, o: &KernelOperation, source_semaphore: bool) -> Made<()> {
        let view = |e: &Self, at: usize| -> Made<View> {
            let v = o
                .operands
                .get(at)
                .ok_or_else(|| internal("a copy of too few operands"))?;
            e.view(*v)
        };
        let (source, counts, target) = if source_semaphore {
            (
                view(self, 0)?,
                vec![view(self, 1)?, view(self, 3)?],
                view(self, 2)?,
            )
        } else {
            (view(self, 0)?, vec![view(self, 2)?], view(self, 1)?)
        };
        let bytes = self.bytes_of(&target)?;
        let source = if self.are_of_one_shape(&source, &target) {
            source
        } else {
            let dims: Option<Vec<u64>> = target
                .dims
                .iter()
                .map(|d| d.constant().map(|d| d as u64))
                .collect();
            match dims {
                Some(dims) => self.reshaped(&source, &dims)?,
                None => return NotCompiled::unsupported("a copy between unknown sizes"),
            }
        };
        self.transfer_views(&source, &target)?;
        for semaphore in &counts {
            let (place, value) = self.counter(semaphore)?;
            let bytes = self.i64(&bytes);
            let sum = self.scalars().two("arith.addi", &value, &bytes, "i64");
            self.line(format!("llvm.store {sum}, {place} : i64, !llvm.ptr"));
        }
        Ok(())
    }

    /// Whether two references have the same sizes. Sizes that are not known now are compared when the code runs: a fault where they differ.
    fn are_of_one_shape(&mut self, source: &View, target: &View) -> bool {
        let pairs: Vec<(Number, Number)> = source
            .dims
            .iter()
            .cloned()
            .zip(target.dims.iter().cloned())
            .collect();
        let may = pairs
            .iter()
            .all(|(a, b)| match (a.constant(), b.constant()) {
                (Some(a), Some(b)) => a == b,
                (_, _) => true,
            });
        if source.dims.len() != target.dims.len() || !may {
            return false;
        }
        for (a, b) in pairs.iter().filter(|(a, b)| a != b) {
            let (a, b) = (self.i64(a), self.i64(b));
            let differs = self.scalars().compare_int("ne", &a, &b, "i64");
            self.fault_if(&differs, REFERENCE);
        }
        true
    }

    /// `tpu.wait_dma2` of (semaphore, source, target).
    pub fn wait_copy(&mut self, o: &KernelOperation) -> Made<()> {
        let [semaphore, _, target] = o.operands[..] else {
            return Err(internal("a wait of other operands"));
        };
        let target = self.view(target)?;
        let bytes = self.bytes_of(&target)?;
        self.take(semaphore, &bytes)
    }

    /// `tpu.sem_wait` and `tpu.sem_signal` of (semaphore, amount).
    pub fn wait(&mut self, o: &KernelOperation) -> Made<()> {
        let [semaphore, amount] = o.operands[..] else {
            return Err(internal("a wait of other operands"));
        };
        let amount = self.number(amount)?;
        let amount = self.number_max(&amount, &Number::Constant(0));
        self.take(semaphore, &amount)
    }

    pub fn signal(&mut self, o: &KernelOperation) -> Made<()> {
        let [semaphore, amount] = o.operands[..] else {
            return Err(internal("a signal of other operands"));
        };
        let amount = self.number(amount)?;
        let amount = self.number_max(&amount, &Number::Constant(0));
        let view = self.view(semaphore)?;
        let (place, value) = self.counter(&view)?;
        let amount = self.i64(&amount);
        let sum = self.scalars().two("arith.addi", &value, &amount, "i64");
        self.line(format!("llvm.store {sum}, {place} : i64, !llvm.ptr"));
        Ok(())
    }

    pub fn read_semaphore(&mut self, o: &KernelOperation) -> Made<()> {
        let view = self.operand_view(o)?;
        let (_, value) = self.counter(&view)?;
        let low = self.scalars().cast("arith.trunci", &value, "i64", "i32");
        let v = self.result(o)?;
        self.set(v, Value::Int(Number::Ssa(low), ElementType::I32));
        Ok(())
    }

    fn take(&mut self, semaphore: KernelValue, amount: &Number) -> Made<()> {
        let view = self.view(semaphore)?;
        let (place, value) = self.counter(&view)?;
        let amount = self.i64(amount);
        let short = self.scalars().compare_int("slt", &value, &amount, "i64");
        self.fault_if(&short, DEADLOCK);
        let rest = self.scalars().two("arith.subi", &value, &amount, "i64");
        self.line(format!("llvm.store {rest}, {place} : i64, !llvm.ptr"));
        Ok(())
    }

    /// Place and value of the semaphore that a reference names. An index outside is a fault, and the first is taken.
    fn counter(&mut self, view: &View) -> Made<(String, String)> {
        let mut offset = view.offset.clone();
        if let (Number::Ssa(x), Home::Operand(operand)) = (&view.offset, view.home) {
            let dims = self.kernel.operands[operand].buffer.static_dims();
            let count = dims.map_or(1, |d| d.iter().product::<u64>().max(1));
            let (zero, count) = (
                self.i64(&Number::Constant(0)),
                self.i64(&Number::Constant(count as i64)),
            );
            let outside = self.scalars().compare_int("uge", x, &count, "i64");
            self.fault_if(&outside, REFERENCE);
            offset = Number::Ssa(self.scalars().select(&outside, &zero, x, "i64"));
        }
        let place = self.element_pointer(view.home, &offset, 8);
        let value = self.op(format!("llvm.load {place} : !llvm.ptr -> i64"));
        Ok((place, value))
    }

    /// Copies between references of the same sizes: what lies outside the source is nothing, outside the target is dropped.
    fn transfer_views(&mut self, source: &View, target: &View) -> Made<()> {
        let (element, own) = (source.data()?, target.data()?);
        if element.storage_bytes() != own.storage_bytes() {
            return NotCompiled::unsupported("a copy between element types");
        }
        let bytes = own.storage_bytes() as u64;
        let (from, to) = (self.whole_reach(source)?, self.whole_reach(target)?);
        let read = self.element_pointer(from.home, &from.offset, bytes);
        let written = self.element_pointer(to.home, &to.offset, bytes);
        let sizes: Option<Vec<u64>> = to
            .sizes
            .iter()
            .map(|s| s.constant().map(|n| n as u64))
            .collect();
        if let (Some(sizes), true, true) = (sizes, from.is_inside(), to.is_inside()) {
            let walk = super::movement::Walk {
                sizes,
                from: from.strides,
                to: to.strides,
            };
            self.copy(&walk, bytes, &read, &written);
            return Ok(());
        }
        let kind = Kind::Bits(8 * bytes as u32);
        let mut f = Function::new();
        let mut a = f.parameter(&read, "!llvm.ptr");
        let mut b = f.parameter(&written, "!llvm.ptr");
        let rank = to.sizes.len();
        let mut ends = vec![];
        for d in 0..rank {
            let mut names = vec![];
            for n in [
                &to.part[d].0,
                &to.part[d].1,
                &from.part[d].0,
                &from.part[d].1,
            ] {
                names.push(match n {
                    Number::Constant(n) => f.constant(*n),
                    Number::Ssa(_) => {
                        let x = self.i64(n);
                        f.parameter(&x, "i64")
                    }
                });
            }
            ends.push(names);
        }
        let mut inside = f.op("arith.constant true");
        for (d, limits) in ends.iter().enumerate() {
            let [first, end, low, high] = &limits[..] else {
                return Err(internal("a copy of no dimension"));
            };
            let last = d + 1 == rank && to.strides[d] == 1 && from.strides[d] == 1;
            if last {
                // A whole row of elements that are inside on both ends, else one by one.
                let mut l = f.lanes(0);
                let below = l.compare_int("sle", low, first, "i64");
                let above = l.compare_int("sle", end, high, "i64");
                let row = l.two("arith.andi", &below, &above, "i1");
                let row = l.two("arith.andi", &row, &inside, "i1");
                f.line(format!("scf.if {row} {{"));
                let count = f.op(format!("arith.subi {end}, {first} : i64"));
                let (p, q) = (f.at(&a, first, bytes), f.at(&b, first, bytes));
                let length = f.mul(&count, bytes as i64);
                f.line(format!(
                    "\"llvm.intr.memmove\"({q}, {p}, {length}) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()"
                ));
                f.line("} else {");
            }
            let i = f.begin_loop(first, end, 1);
            let mut l = f.lanes(0);
            let above = l.compare_int("sge", &i, low, "i64");
            let below = l.compare_int("slt", &i, high, "i64");
            let both = l.two("arith.andi", &above, &below, "i1");
            inside = l.two("arith.andi", &inside, &both, "i1");
            let (x, y) = (f.mul(&i, from.strides[d]), f.mul(&i, to.strides[d]));
            a = f.at(&a, &x, bytes);
            b = f.at(&b, &y, bytes);
            if d + 1 == rank {
                element_or_nothing(&mut f, kind, &inside, [&a, &b], &element);
                f.end();
                if last {
                    f.end();
                }
            }
        }
        if rank == 0 {
            element_or_nothing(&mut f, kind, &inside, [&a, &b], &element);
        }
        (1..rank).for_each(|_| f.end());
        self.call(f);
        Ok(())
    }
}

/// Copies one element where it lies inside its source, else nothing.
fn element_or_nothing(
    f: &mut Function,
    kind: Kind,
    inside: &str,
    [from, to]: [&str; 2],
    element: &ElementType,
) {
    f.line(format!("scf.if {inside} {{"));
    let mut l = f.lanes(0);
    let x = l.load(kind, from);
    l.store(kind, &x, to);
    f.line("} else {");
    let mut l = f.lanes(0);
    let x = l.constant(kind, &nothing(element));
    l.store(kind, &x, to);
    f.line("}");
}
