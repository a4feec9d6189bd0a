//! Reductions: folded in halves, the second onto the first, as the simulator's definition orders the operations.

use super::{
    emitter::{Emitter, Made, internal},
    movement::{Walk, strides},
    slots::Slot,
};
use crate::native::kernel::NotCompiled;
use tileproof_dialect::{
    hlo,
    tensor::{count, row_major_strides},
    tpu::{CombiningKind, KernelOperation},
    types::{Class, ElementType},
};

impl Emitter<'_> {
    /// `vector.multi_reduction` of (source, accumulator).
    pub fn multi_reduction(
        &mut self,
        o: &KernelOperation,
        kind: CombiningKind,
        dims: &[u64],
    ) -> Made<()> {
        let source = *o.operands.first().ok_or_else(|| internal("no operand"))?;
        let element = self.element(source)?;
        let combine = combining(kind, &element)?;
        let folded = self.folded(o, &combine, dims)?;
        let v = self.result(o)?;
        let kept = self.dims(v)?.to_vec();
        let slot = self.slot(&kept, &element);
        let n = count(&kept) as u64;
        let (from, to) = (self.pointer(folded, 0), self.pointer(slot, 0));
        match o.operands.get(1) {
            Some(accumulator) => {
                let a = self.in_memory(*accumulator)?;
                let p = self.pointer(a.0, 0);
                self.combine(&combine, &element, n, [&p, &from, &to])?;
                self.release(a);
            }
            None => {
                let walk = Walk {
                    sizes: vec![n],
                    from: vec![1],
                    to: vec![1],
                };
                self.copy(&walk, element.storage_bytes() as u64, &from, &to);
            }
        }
        self.slots.free(folded);
        self.settled(v, slot)
    }

    /// `tpu.all_reduce`: every position along the dimension gets the result.
    pub fn all_reduce(
        &mut self,
        o: &KernelOperation,
        kind: CombiningKind,
        dimension: u64,
    ) -> Made<()> {
        let source = *o.operands.first().ok_or_else(|| internal("no operand"))?;
        let (dims, element) = (self.dims(source)?.to_vec(), self.element(source)?);
        let combine = combining(kind, &element)?;
        let folded = self.folded(o, &combine, &[dimension])?;
        let slot = self.result_slot(o)?;
        let d = dimension as usize;
        let mut kept = dims.clone();
        kept.remove(d);
        let mut from = row_major_strides(&kept);
        from.insert(d, 0);
        let walk = Walk {
            sizes: dims.clone(),
            from,
            to: strides(&dims),
        };
        self.copy_slots(
            &walk,
            element.storage_bytes() as u64,
            (folded, 0),
            (slot, 0),
        );
        self.slots.free(folded);
        Ok(())
    }

    /// The first operand folded over `dims`; what is kept lies row-major at the start of the slot.
    fn folded(&mut self, o: &KernelOperation, combine: &hlo::Op, dims: &[u64]) -> Made<Slot> {
        let source = o.operands[0];
        let (all, element) = (self.dims(source)?.to_vec(), self.element(source)?);
        let own = strides(&all);
        let folds = |d: &usize| dims.contains(&(*d as u64));
        let order: Vec<usize> = dims
            .iter()
            .map(|d| *d as usize)
            .chain((0..all.len()).filter(|d| !folds(d)))
            .collect();
        if order.iter().any(|d| *d >= all.len()) {
            return Err(internal("a reduction over dimensions that are not there"));
        }
        let sizes: Vec<u64> = order.iter().map(|d| all[*d]).collect();
        let mut rows: u64 = sizes[..dims.len()].iter().product();
        let width: u64 = sizes[dims.len()..].iter().product();
        let bytes = element.storage_bytes() as u64;
        let slot = self.slot(&all, &element);
        let x = self.in_memory(source)?;
        let walk = Walk {
            from: order.iter().map(|d| own[*d]).collect(),
            to: row_major_strides(&sizes),
            sizes,
        };
        self.copy_slots(&walk, bytes, (x.0, 0), (slot, 0));
        self.release(x);
        while rows > 1 {
            let half = rows / 2;
            let (a, b) = (
                self.pointer(slot, 0),
                self.pointer(slot, half * width * bytes),
            );
            self.combine(combine, &element, half * width, [&a, &b, &a])?;
            if rows % 2 == 1 {
                let walk = Walk {
                    sizes: vec![width],
                    from: vec![1],
                    to: vec![1],
                };
                let (from, to) = ((rows - 1) * width, half * width);
                self.copy_slots(&walk, bytes, (slot, from as i64), (slot, to as i64));
            }
            rows = half + rows % 2;
        }
        Ok(slot)
    }
}

/// The elementwise op that a reduction combines with.
fn combining(kind: CombiningKind, element: &ElementType) -> Made<hlo::Op> {
    let class = element.class();
    Ok(match (kind, class) {
        (CombiningKind::Add, _) => hlo::add::Add.into(),
        (CombiningKind::Mul, _) => hlo::multiply::Multiply.into(),
        (CombiningKind::Min, _) | (CombiningKind::MinUi, Class::Unsigned) => {
            hlo::minimum::Minimum.into()
        }
        (CombiningKind::Max, _) | (CombiningKind::MaxUi, Class::Unsigned) => {
            hlo::maximum::Maximum.into()
        }
        (CombiningKind::MinUi, Class::Boolean) | (CombiningKind::And, _) => hlo::and::And.into(),
        (CombiningKind::MaxUi, Class::Boolean) | (CombiningKind::Or, _) => hlo::or::Or.into(),
        (CombiningKind::Xor, _) => hlo::xor::Xor.into(),
        (
            CombiningKind::MinUi | CombiningKind::MaxUi,
            Class::Signed | Class::Float | Class::Complex | Class::Quantized,
        ) => return NotCompiled::unsupported(format!("an unsigned reduction of {element}")),
    })
}
