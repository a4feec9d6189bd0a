//! Loads and stores between buffers and scratch memory. What lies outside a reference is not touched: it reads as nothing and is not written.

use super::{
    emitter::{Emitter, Function, Made, Number, internal},
    lanes::Kind,
    movement::lanes_for,
    slots::Slot,
    view::{Reach, View},
};
use crate::native::kernel::{NotCompiled, nothing};
use tileproof_dialect::{
    tensor::row_major_strides,
    tpu::{KernelOperation, KernelValue, TpuOp, op::Mask},
    types::ElementType,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Load,
    Store,
}

impl Emitter<'_> {
    /// Loads: the reference is the first operand.
    pub fn load(&mut self, o: &KernelOperation, masked: Mask, steps: &[u64]) -> Made<()> {
        let view = self.operand_view(o)?;
        let v = self.result(o)?;
        let (dims, element) = (self.dims(v)?.to_vec(), self.element(v)?);
        let is_register = matches!(o.op, TpuOp::RegisterLoad { .. });
        let reach = self.access(o, 1, view.clone(), &dims, is_register, steps)?;
        let slot = self.slot(&dims, &element);
        self.transfer(Direction::Load, &reach, &view.data()?, slot, None)?;
        if masked == Mask::Masked {
            let mask = *o.operands.last().ok_or_else(|| internal("no mask"))?;
            self.keep_where(mask, slot, &dims, &element)?;
        }
        self.settled(v, slot)
    }

    /// Stores the first operand; the reference is the second.
    pub fn store(&mut self, o: &KernelOperation, masked: Mask, steps: &[u64]) -> Made<()> {
        let [value, reference, ..] = o.operands[..] else {
            return Err(internal("a store without reference"));
        };
        let view = self.view(reference)?;
        let dims = self.dims(value)?.to_vec();
        let is_register = matches!(o.op, TpuOp::RegisterStore { .. });
        let reach = self.access(o, 2, view.clone(), &dims, is_register, steps)?;
        let mask = match masked {
            Mask::Masked => Some(*o.operands.last().ok_or_else(|| internal("no mask"))?),
            Mask::Unmasked => None,
        };
        let x = self.in_memory(value)?;
        let mask = mask.map(|m| self.in_memory(m)).transpose()?;
        self.transfer(
            Direction::Store,
            &reach,
            &view.data()?,
            x.0,
            mask.map(|m| m.0),
        )?;
        self.release(x);
        if let Some(mask) = mask {
            self.release(mask);
        }
        Ok(())
    }

    /// The elements that a vector of sizes `dims` reaches; operands from `first` on are the indices.
    fn access(
        &mut self,
        o: &KernelOperation,
        first: usize,
        mut view: View,
        dims: &[u64],
        is_register: bool,
        steps: &[u64],
    ) -> Made<Reach> {
        let rank = view.dims.len();
        let mut starts = vec![];
        for at in 0..rank {
            let v = o
                .operands
                .get(first + at)
                .ok_or_else(|| internal("too few indices"))?;
            starts.push(self.number(*v)?);
        }
        if is_register && rank == 1 {
            view.dims.insert(0, Number::Constant(1));
            view.strides.insert(0, 0);
            view.inside
                .insert(0, (Number::Constant(0), Number::Constant(1)));
            starts.insert(0, Number::Constant(0));
        }
        let rank = view.dims.len();
        let ones = |n: usize| vec![1; n];
        let sizes: Vec<u64> = match (is_register, dims) {
            (true, [rows, lanes]) if rank > 1 => [ones(rank - 2), vec![*rows, *lanes]].concat(),
            (true, [rows, lanes, packing]) if rank > 1 => {
                if !matches!(dims, [8, 128, _]) {
                    return NotCompiled::unsupported("a packed register of other sizes");
                }
                [ones(rank - 2), vec![rows * packing, *lanes]].concat()
            }
            (false, []) => ones(rank),
            (false, _) if dims.len() == rank => dims.to_vec(),
            (_, _) => return Err(internal("a vector of another rank than its reference")),
        };
        if !is_register && matches!(dims, [8, 128, _]) {
            return NotCompiled::unsupported("a block that looks like a packed register");
        }
        let sizes: Vec<Number> = sizes.iter().map(|s| Number::Constant(*s as i64)).collect();
        self.reach(&view, &starts, &sizes, steps)
    }

    /// Moves the elements of a reach between its buffer and a slot that holds them row-major.
    fn transfer(
        &mut self,
        direction: Direction,
        reach: &Reach,
        element: &ElementType,
        slot: Slot,
        mask: Option<Slot>,
    ) -> Made<()> {
        let bytes = element.storage_bytes() as u64;
        let sizes: Option<Vec<u64>> = reach
            .sizes
            .iter()
            .map(|s| s.constant().map(|n| n as u64))
            .collect();
        let sizes = sizes.ok_or_else(|| internal("a vector of unknown sizes"))?;
        let memory = self.element_pointer(reach.home, &reach.offset, bytes);
        let own = row_major_strides(&sizes);
        if reach.is_inside() && mask.is_none() {
            let place = self.pointer(slot, 0);
            let (from, to, source, target) = match direction {
                Direction::Load => (reach.strides.clone(), own, memory, place),
                Direction::Store => (own, reach.strides.clone(), place, memory),
            };
            let walk = super::movement::Walk { sizes, from, to };
            self.copy(&walk, bytes, &source, &target);
            return Ok(());
        }
        let kind = Kind::Bits(8 * bytes as u32);
        let mut f = Function::new();
        let mut buffer = f.parameter(&memory, "!llvm.ptr");
        let place = self.pointer(slot, 0);
        let mut scratch = f.parameter(&place, "!llvm.ptr");
        let mut mask = mask.map(|m| {
            let p = self.pointer(m, 0);
            f.parameter(&p, "!llvm.ptr")
        });
        // Ends that are known are part of the function.
        let mut parts = vec![];
        for ((first, end), size) in reach.part.iter().zip(&sizes) {
            let mut of = |e: &mut Self, n: &Number| match n {
                Number::Constant(n) => f.constant(*n),
                Number::Ssa(_) => {
                    let x = e.i64(n);
                    f.parameter(&x, "i64")
                }
            };
            let (first_name, end_name) = (of(self, first), of(self, end));
            let whole = first.constant() == Some(0) && end.constant() == Some(*size as i64);
            parts.push((first_name, end_name, whole));
        }
        if direction == Direction::Load && !reach.is_inside() {
            fill(
                &mut f,
                &scratch,
                sizes.iter().product(),
                kind,
                &nothing(element),
            );
        }
        let rank = sizes.len();
        for d in 0..rank {
            let (first, end, whole) = parts[d].clone();
            let inner = d + 1 == rank && reach.strides[d] == 1 && own[d] == 1;
            let lanes = if inner { lanes_for(sizes[d]) } else { 1 };
            if inner && lanes > 1 && !whole {
                // All lanes at once where all are inside, else one by one.
                let zero = f.constant(0);
                let size = f.constant(sizes[d] as i64);
                let mut l = f.lanes(0);
                let low = l.compare_int("eq", &first, &zero, "i64");
                let high = l.compare_int("eq", &end, &size, "i64");
                let all = l.two("arith.andi", &low, &high, "i1");
                f.line(format!("scf.if {all} {{"));
                let i = f.begin_loop(&zero, &size, lanes);
                step(
                    &mut f,
                    direction,
                    kind,
                    lanes,
                    &buffer,
                    &scratch,
                    mask.as_deref(),
                    &i,
                );
                f.end();
                f.line("} else {");
                let i = f.begin_loop(&first, &end, 1);
                step(
                    &mut f,
                    direction,
                    kind,
                    1,
                    &buffer,
                    &scratch,
                    mask.as_deref(),
                    &i,
                );
                f.end();
                f.end();
                continue;
            }
            let i = f.begin_loop(&first, &end, lanes);
            if d + 1 == rank && inner {
                step(
                    &mut f,
                    direction,
                    kind,
                    lanes,
                    &buffer,
                    &scratch,
                    mask.as_deref(),
                    &i,
                );
                f.end();
                continue;
            }
            let (a, b) = (f.mul(&i, reach.strides[d]), f.mul(&i, own[d]));
            buffer = f.at(&buffer, &a, bytes);
            scratch = f.at(&scratch, &b, bytes);
            if let Some(m) = &mask {
                mask = Some(f.at(m, &b, 1));
            }
            if d + 1 == rank {
                let zero = f.constant(0);
                step(
                    &mut f,
                    direction,
                    kind,
                    1,
                    &buffer,
                    &scratch,
                    mask.as_deref(),
                    &zero,
                );
                f.end();
            }
        }
        if rank == 0 {
            let zero = f.constant(0);
            step(
                &mut f,
                direction,
                kind,
                1,
                &buffer,
                &scratch,
                mask.as_deref(),
                &zero,
            );
        }
        (1..rank).for_each(|_| f.end());
        self.call(f);
        Ok(())
    }

    /// Lanes of a slot whose mask is off hold nothing.
    fn keep_where(
        &mut self,
        mask: KernelValue,
        slot: Slot,
        dims: &[u64],
        element: &ElementType,
    ) -> Made<()> {
        let m = self.in_memory(mask)?;
        let n: u64 = dims.iter().product();
        let kind = Kind::Bits(8 * element.storage_bytes() as u32);
        let lanes = lanes_for(n);
        let mut f = Function::new();
        let pointers = [m.0, slot].map(|s| self.pointer(s, 0));
        let [on, values] = pointers.map(|p| f.parameter(&p, "!llvm.ptr"));
        let (zero, end) = (f.constant(0), f.constant(n as i64));
        let i = f.begin_loop(&zero, &end, lanes);
        let (on, values) = (f.at(&on, &i, 1), f.at(&values, &i, kind.bytes()));
        let mut l = f.lanes(lanes);
        let p = l.load(Kind::Bool, &on);
        let x = l.load(kind, &values);
        let nothing = l.constant(kind, &nothing(element));
        let out = l.select(&p, &x, &nothing, &kind.lane());
        l.store(kind, &out, &values);
        f.end();
        self.call(f);
        self.release(m);
        Ok(())
    }
}

/// Stores `one` in `n` elements.
fn fill(f: &mut Function, pointer: &str, n: u64, kind: Kind, one: &[u8]) {
    let lanes = lanes_for(n);
    let (zero, end) = (f.constant(0), f.constant(n as i64));
    let i = f.begin_loop(&zero, &end, lanes);
    let place = f.at(pointer, &i, kind.bytes());
    let mut l = f.lanes(lanes);
    let x = l.constant(kind, one);
    l.store(kind, &x, &place);
    f.end();
}

/// Moves `lanes` elements from index `i` on; those of a store only where its mask is on.
#[allow(clippy::too_many_arguments)]
fn step(
    f: &mut Function,
    direction: Direction,
    kind: Kind,
    lanes: u64,
    buffer: &str,
    scratch: &str,
    mask: Option<&str>,
    i: &str,
) {
    let (a, b) = (
        f.at(buffer, i, kind.bytes()),
        f.at(scratch, i, kind.bytes()),
    );
    let m = mask.map(|m| f.at(m, i, 1));
    let mut l = f.lanes(if lanes == 1 { 0 } else { lanes });
    match direction {
        Direction::Load => {
            let x = l.load(kind, &a);
            l.store(kind, &x, &b);
        }
        Direction::Store => {
            let mut x = l.load(kind, &b);
            if let Some(m) = m {
                let on = l.load(Kind::Bool, &m);
                let old = l.load(kind, &a);
                x = l.select(&on, &x, &old, &kind.lane());
            }
            l.store(kind, &x, &a);
        }
    }
}
