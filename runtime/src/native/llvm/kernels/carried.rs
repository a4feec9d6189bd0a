//! Values that go over an edge of control flow: integer scalars as SSA values, vectors in a place that both sides know.

use super::{
    emitter::{Emitter, Made, Number, Value, internal},
    lanes::Kind,
    movement::Walk,
    slots::Slot,
};
use crate::native::kernel::NotCompiled;
use tileproof_dialect::{
    tensor::count,
    tpu::{KernelType, KernelValue},
    types::ElementType,
};

/// How a value is carried over an edge of control flow.
pub enum Carried {
    /// In SSA, of this lane type.
    Scalar(ElementType),
    /// In a place of its own.
    Slot(Slot, u64),
    /// Known where the code is made, and the same on every way.
    View,
}

/// What a loop carries, and the names and first values in the text.
type CarriedValues = (Vec<Carried>, Vec<(String, String)>);

impl Emitter<'_> {
    /// How a value of the type of `v` is carried.
    pub fn carried(&mut self, v: KernelValue) -> Made<Carried> {
        let KernelType::MemRef(_) = self.ty(v) else {
            let (dims, element) = (self.dims(v)?.to_vec(), self.element(v)?);
            if dims.is_empty() && element.is_integer() {
                return Ok(Carried::Scalar(element));
            }
            let bytes = count(&dims) as u64 * element.storage_bytes() as u64;
            return Ok(Carried::Slot(self.slots.take(bytes), bytes));
        };
        Ok(Carried::View)
    }

    /// Carried values as they begin: (how each is carried, names and types of the SSA ones).
    pub fn carry_in(&mut self, like: &[KernelValue], values: &[Value]) -> Made<CarriedValues> {
        let (mut how, mut ssa) = (vec![], vec![]);
        for (v, value) in like.iter().zip(values) {
            let carried = self.carried(*v)?;
            match (&carried, value) {
                (Carried::Scalar(element), Value::Int(number, _)) => {
                    ssa.push((self.ssa(number, element), Kind::of(element).lane()));
                }
                (Carried::Slot(slot, bytes), value) => self.put(value, *slot, *bytes)?,
                (Carried::View, _) => {
                    return NotCompiled::unsupported("a reference that is carried by control flow");
                }
                (Carried::Scalar(_), _) => return Err(internal("not an integer scalar")),
            }
            how.push(carried);
        }
        Ok((how, ssa))
    }

    /// Writes a value into a slot of so many bytes.
    pub fn put(&mut self, value: &Value, slot: Slot, bytes: u64) -> Made<()> {
        match value {
            Value::Slot(from) if *from == slot => {}
            Value::Slot(from) => {
                let (a, b) = (self.pointer(*from, 0), self.pointer(slot, 0));
                let unit = [8, 4, 2, 1]
                    .into_iter()
                    .find(|u| bytes.is_multiple_of(*u))
                    .unwrap_or(1);
                let walk = Walk {
                    sizes: vec![bytes / unit],
                    from: vec![1],
                    to: vec![1],
                };
                self.copy(&walk, unit, &a, &b);
            }
            Value::Splat(one) => {
                let n = bytes / one.len() as u64;
                let kept = self.kept(one.clone());
                let (a, b) = (self.pointer(kept, 0), self.pointer(slot, 0));
                let walk = Walk {
                    sizes: vec![n],
                    from: vec![0],
                    to: vec![1],
                };
                self.copy(&walk, one.len() as u64, &a, &b);
            }
            Value::Int(..) | Value::View(_) => {
                return Err(internal("a value that is carried in another form"));
            }
        }
        Ok(())
    }

    /// Values handed on at the end of a region: slots are written, SSA values are given back.
    pub fn carry_on(&mut self, how: &[Carried], values: &[Value]) -> Made<Vec<(String, String)>> {
        // A slot that is written may hold what another one is to get: those are read first.
        let targets: Vec<Slot> = how
            .iter()
            .filter_map(|h| match h {
                Carried::Slot(slot, _) => Some(*slot),
                Carried::Scalar(_) | Carried::View => None,
            })
            .collect();
        let mut saved: Vec<(usize, Slot)> = vec![];
        for (i, (h, value)) in how.iter().zip(values).enumerate() {
            if let (Carried::Slot(own, bytes), Value::Slot(from)) = (h, value)
                && from != own
                && targets.contains(from)
            {
                let copy = self.slots.take(*bytes);
                self.put(value, copy, *bytes)?;
                saved.push((i, copy));
            }
        }
        let mut ssa = vec![];
        for (i, (h, value)) in how.iter().zip(values).enumerate() {
            match (h, value) {
                (Carried::Scalar(element), Value::Int(number, _)) => {
                    ssa.push((self.ssa(number, element), Kind::of(element).lane()));
                }
                (Carried::Slot(slot, bytes), value) => {
                    let value = match saved.iter().find(|(at, _)| *at == i) {
                        Some((_, copy)) => Value::Slot(*copy),
                        None => value.clone(),
                    };
                    self.put(&value, *slot, *bytes)?;
                }
                (Carried::View, _) => {
                    return NotCompiled::unsupported("a reference that is carried by control flow");
                }
                (Carried::Scalar(_), _) => {
                    return Err(internal("a value that is carried in another form"));
                }
            }
        }
        saved
            .into_iter()
            .for_each(|(_, slot)| self.slots.free(slot));
        Ok(ssa)
    }

    /// Makes `values` the carried ones; SSA ones by these names in order.
    pub fn take_over(
        &mut self,
        values: &[KernelValue],
        how: &[Carried],
        mut names: impl Iterator<Item = String>,
    ) {
        for (v, h) in values.iter().zip(how) {
            let value = match h {
                Carried::Scalar(element) => Value::Int(
                    Number::Ssa(names.next().unwrap_or_default()),
                    element.clone(),
                ),
                Carried::Slot(slot, _) => Value::Slot(*slot),
                Carried::View => continue,
            };
            self.set(*v, value);
        }
    }

    /// As [`Emitter::take_over`] for arguments of a region, whose places go on behind it.
    pub fn lend(
        &mut self,
        arguments: &[KernelValue],
        how: &[Carried],
        names: impl Iterator<Item = String>,
    ) {
        self.take_over(arguments, how, names);
        for v in arguments {
            if let Some(Value::Slot(slot)) = self.values.get_mut(v.index()).and_then(Option::as_mut)
            {
                *slot = slot.borrowed();
            }
        }
    }

    /// Frees what a region still holds.
    pub fn let_go(&mut self, own: &[KernelValue], how: &[Carried]) {
        for v in own {
            let is_carried = matches!(self.get(*v), Ok(Value::Slot(slot))
                if how.iter().any(|h| matches!(h, Carried::Slot(s, _) if s == slot)));
            if !is_carried {
                self.drop_value(*v);
            }
        }
    }

    /// Forgets arguments of a region, whose places go on.
    pub fn forget(&mut self, arguments: &[KernelValue]) {
        for v in arguments {
            if let Some(place) = self.values.get_mut(v.index()) {
                *place = None;
            }
        }
    }
}
