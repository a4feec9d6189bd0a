//! Loads and stores: elements between buffers and vectors in scratch memory.

use super::{
    code::{at, each, int64, load, store, times},
    reference::{Reference, cut_loop},
    state::{Made, State, broken},
    vectors::bits_type,
};
use crate::native::kernel::nothing;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use tileproof_dialect::{
    tensor::{count, row_major_strides},
    tpu::{KernelOperation, TpuOp, op::Mask},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl State<'_, '_> {
    /// The part of a reference that a vector of sizes `dims` covers: (reference, starts, sizes, whether it is packed).
    #[allow(clippy::type_complexity)]
    fn covered(
        &mut self,
        o: &KernelOperation,
        first: usize,
        mut r: Reference,
        dims: &[u64],
        is_register: bool,
    ) -> Made<(Reference, Vec<Value>, Vec<u64>)> {
        let mut starts = vec![];
        for d in 0..r.dims.len() {
            let v = self.operand(o, first + d)?;
            starts.push(self.index(v)?);
        }
        let (zero, one) = (int64(self.w, 0), int64(self.w, 1));
        if is_register && r.dims.len() == 1 {
            r.dims.insert(0, one);
            r.sizes.insert(0, Some(1));
            r.strides.insert(0, 0);
            r.inside.insert(0, (zero, one));
            starts.insert(0, zero);
        }
        let rank = r.dims.len();
        let mut sizes = vec![1; rank];
        match (is_register, dims) {
            (true, [rows, lanes, n]) if rank > 1 => {
                (sizes[rank - 2], sizes[rank - 1]) = (rows * n, *lanes);
            }
            (true, [rows, lanes]) if rank > 1 => {
                (sizes[rank - 2], sizes[rank - 1]) = (*rows, *lanes);
            }
            (false, []) => {}
            (false, _) if dims.len() == rank => sizes = dims.to_vec(),
            (_, _) => return broken("a vector of another rank than its reference"),
        }
        Ok((r, starts, sizes))
    }

    pub fn load(&mut self, o: &KernelOperation, masked: Mask, steps: &[u64]) -> Made<()> {
        let (v, reference) = (self.only(o)?, self.operand(o, 0)?);
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let r = self.reference(reference)?;
        let Some(own) = r.element.clone() else {
            return broken("a semaphore that is read as data");
        };
        let is_register = matches!(o.op, TpuOp::RegisterLoad { .. });
        let (r, starts, sizes) = self.covered(o, 1, r, &dims, is_register)?;
        let out = self.new_place(v)?;
        self.fill(out, &nothing(&own), count(&dims))?;
        self.transfer(
            &r,
            &starts,
            &sizes,
            steps,
            &dims,
            is_register,
            out,
            None,
            Way::In,
        )?;
        if masked == Mask::Masked {
            let mask = self.operand(o, o.operands.len() - 1)?;
            let mask = self.placed(mask)?;
            let bytes = element.storage_bytes();
            let ty = bits_type(bytes)?;
            let none = self.made.filled(nothing(&element));
            let arguments = [mask, out, none].map(|p| self.pointer(p));
            let n = count(&dims) as i64;
            self.call(format!("masked {n} {bytes}"), &arguments, |w, p| {
                let (low, high) = (int64(w, 0), int64(w, n));
                each(w, low, high, 1, &mut |w, i| {
                    let m = at(w, p[0], i, 1);
                    let on = load(w, types::I8, m);
                    let place = at(w, p[1], i, bytes as i64);
                    let x = load(w, ty, place);
                    let none = load(w, ty, p[2]);
                    let x = w.ins().select(on, x, none);
                    store(w, x, place);
                });
                Ok(())
            })?;
        }
        self.lies_at(v, out)
    }

    pub fn store(&mut self, o: &KernelOperation, masked: Mask, steps: &[u64]) -> Made<()> {
        let (value, reference) = (self.operand(o, 0)?, self.operand(o, 1)?);
        let dims = self.dims(value)?;
        let r = self.reference(reference)?;
        let is_register = matches!(o.op, TpuOp::RegisterStore { .. });
        let (r, starts, sizes) = self.covered(o, 2, r, &dims, is_register)?;
        let x = self.placed(value)?;
        let mask = match masked {
            Mask::Masked => {
                let mask = self.operand(o, o.operands.len() - 1)?;
                Some(self.placed(mask)?)
            }
            Mask::Unmasked => None,
        };
        self.transfer(
            &r,
            &starts,
            &sizes,
            steps,
            &dims,
            is_register,
            x,
            mask,
            Way::Out,
        )
    }

    /// Writes one element `n` times.
    fn fill(&mut self, place: usize, one: &[u8], n: usize) -> Made<()> {
        let ty = bits_type(one.len())?;
        let kept = self.made.filled(one.to_vec());
        let arguments = [kept, place].map(|p| self.pointer(p));
        let bytes = one.len() as i64;
        self.call(format!("fill {n} {bytes}"), &arguments, |w, p| {
            let x = load(w, ty, p[0]);
            let (low, high) = (int64(w, 0), int64(w, n as i64));
            each(w, low, high, 1, &mut |w, i| {
                let target = at(w, p[1], i, bytes);
                store(w, x, target);
            });
            Ok(())
        })
    }

    /// Moves elements between a buffer and a vector.
    #[allow(clippy::too_many_arguments)]
    fn transfer(
        &mut self,
        r: &Reference,
        starts: &[Value],
        sizes: &[u64],
        steps: &[u64],
        dims: &[u64],
        is_register: bool,
        place: usize,
        mask: Option<usize>,
        way: Way,
    ) -> Made<()> {
        let Some(element) = r.element.clone() else {
            return broken("a semaphore that is used as data");
        };
        let bytes = element.storage_bytes();
        let ty = bits_type(bytes)?;
        let all: Vec<Value> = sizes.iter().map(|s| int64(self.w, *s as i64)).collect();
        let cut = self.cut(r, starts, &all, steps);
        let start = at(self.w, r.start, cut.offset, bytes as i64);
        let mut arguments = vec![start, self.pointer(place)];
        let masked = mask.is_some();
        let m = self.pointer(mask.unwrap_or(place));
        arguments.push(m);
        for (first, end) in &cut.ends {
            arguments.extend([*first, *end]);
        }
        let in_buffer: Vec<i64> = r
            .strides
            .iter()
            .enumerate()
            .map(|(d, s)| s * steps.get(d).map_or(1, |s| *s as i64))
            .collect();
        let own = row_major_strides(sizes);
        // Rows of the tile that one sublane of a packed register holds.
        let packing = match (is_register, dims) {
            (true, [_, _, n]) => *n as i64,
            (_, _) => 1,
        };
        let rank = sizes.len();
        let description = format!("{way:?} {sizes:?} {in_buffer:?} {bytes} {packing} {masked}");
        self.call(description, &arguments, |w, p| {
            cut_loop(w, p, rank, &mut vec![], &mut |w, i| {
                let mut memory = int64(w, 0);
                let mut vector = int64(w, 0);
                for d in 0..rank {
                    let step = times(w, i[d], in_buffer[d]);
                    memory = w.ins().iadd(memory, step);
                    let step = if packing > 1 && d + 2 == rank {
                        let n = int64(w, packing);
                        let (sublane, part) = (w.ins().udiv(i[d], n), w.ins().urem(i[d], n));
                        let sublane = times(w, sublane, own[d] * packing);
                        w.ins().iadd(sublane, part)
                    } else if d + 1 == rank {
                        times(w, i[d], packing)
                    } else {
                        times(w, i[d], own[d])
                    };
                    vector = w.ins().iadd(vector, step);
                }
                let a = at(w, p[0], memory, bytes as i64);
                let b = at(w, p[1], vector, bytes as i64);
                match way {
                    Way::In => {
                        let x = load(w, ty, a);
                        store(w, x, b);
                    }
                    Way::Out => {
                        let mut x = load(w, ty, b);
                        if masked {
                            let m = at(w, p[2], vector, 1);
                            let on = load(w, types::I8, m);
                            let old = load(w, ty, a);
                            x = w.ins().select(on, x, old);
                        }
                        store(w, x, a);
                    }
                }
            });
            Ok(())
        })
    }
}
