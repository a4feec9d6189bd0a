//! References and the elements that an access reaches. Offsets, sizes and limits are constants where they can be.

use super::{
    emitter::{Emitter, Made, Number, internal},
    lanes::Kind,
};
use crate::native::kernel::NotCompiled;
use tileproof_dialect::{
    tensor::row_major_strides,
    tpu::{KernelOperation, KernelType, TpuOp},
    types::{Dim, ElementType},
};

/// Where a reference points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// Buffer of this operand.
    Operand(usize),
    /// The barrier semaphore, in scratch memory.
    Barrier(super::slots::Slot),
}

/// A window into a buffer: coordinate `i0, i1, ..` is its element `offset + i0*strides[0] + ..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub home: Home,
    pub offset: Number,
    pub dims: Vec<Number>,
    pub strides: Vec<i64>,
    /// Coordinates that lie in the buffer, from and to.
    pub inside: Vec<(Number, Number)>,
    /// Element type of the buffer; none: semaphores.
    pub element: Option<ElementType>,
    /// Element type that its bits are read as.
    pub seen_as: Option<ElementType>,
}

/// Elements that an access reaches, and the part of them that lies inside.
pub struct Reach {
    pub home: Home,
    pub offset: Number,
    pub sizes: Vec<Number>,
    pub strides: Vec<i64>,
    /// First and end of the coordinates inside; constants 0 and the size where all are.
    pub part: Vec<(Number, Number)>,
}

impl Number {
    pub fn constant(&self) -> Option<i64> {
        match self {
            Number::Constant(n) => Some(*n),
            Number::Ssa(_) => None,
        }
    }
}

impl Reach {
    /// Whether all elements lie inside whatever runs.
    pub fn is_inside(&self) -> bool {
        self.part
            .iter()
            .zip(&self.sizes)
            .all(|((first, end), size)| first.constant() == Some(0) && end == size)
    }
}

impl View {
    /// All of operand `number`.
    pub fn whole(number: usize, dims: &[u64], element: Option<ElementType>) -> View {
        View {
            home: Home::Operand(number),
            offset: Number::Constant(0),
            dims: dims.iter().map(|d| Number::Constant(*d as i64)).collect(),
            strides: row_major_strides(dims),
            inside: dims
                .iter()
                .map(|d| (Number::Constant(0), Number::Constant(*d as i64)))
                .collect(),
            seen_as: element.clone(),
            element,
        }
    }

    pub fn data(&self) -> Made<ElementType> {
        self.element
            .clone()
            .ok_or_else(|| internal("a semaphore read as data"))
    }
}

impl Emitter<'_> {
    pub fn number_add(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Number::Constant(a), Number::Constant(b)) => Number::Constant(a.wrapping_add(*b)),
            (Number::Constant(0), x) | (x, Number::Constant(0)) => x.clone(),
            (a, b) => self.number_op("arith.addi", a, b),
        }
    }

    pub fn number_sub(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Number::Constant(a), Number::Constant(b)) => Number::Constant(a.wrapping_sub(*b)),
            (x, Number::Constant(0)) => x.clone(),
            (a, b) => self.number_op("arith.subi", a, b),
        }
    }

    pub fn number_mul(&mut self, a: &Number, by: i64) -> Number {
        match (a, by) {
            (Number::Constant(a), by) => Number::Constant(a.wrapping_mul(by)),
            (x, 1) => x.clone(),
            (x, by) => self.number_op("arith.muli", x, &Number::Constant(by)),
        }
    }

    pub fn number_max(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Number::Constant(a), Number::Constant(b)) => Number::Constant(*a.max(b)),
            (a, b) => self.number_op("arith.maxsi", a, b),
        }
    }

    pub fn number_min(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Number::Constant(a), Number::Constant(b)) => Number::Constant(*a.min(b)),
            (a, b) if a == b => a.clone(),
            (a, b) => self.number_op("arith.minsi", a, b),
        }
    }

    fn number_floor_div(&mut self, a: &Number, by: i64) -> Number {
        match (a, by) {
            (Number::Constant(a), by) => Number::Constant(a.div_euclid(by)),
            (x, 1) => x.clone(),
            (x, by) => {
                // Division truncates: one less where something negative is left.
                let by = Number::Constant(by);
                let quotient = self.number_op("arith.divsi", x, &by);
                let rest = self.number_op("arith.remsi", x, &by);
                let (rest, zero) = (self.i64(&rest), self.i64(&Number::Constant(0)));
                let below = self.scalars().compare_int("slt", &rest, &zero, "i64");
                let less = self.scalars().cast("arith.extsi", &below, "i1", "i64");
                self.number_op("arith.addi", &quotient, &Number::Ssa(less))
            }
        }
    }

    fn number_op(&mut self, op: &str, a: &Number, b: &Number) -> Number {
        let (a, b) = (self.i64(a), self.i64(b));
        Number::Ssa(self.scalars().two(op, &a, &b, "i64"))
    }

    /// The elements of `view` from `starts` on, `sizes` of them, `steps` apart.
    pub fn reach(
        &mut self,
        view: &View,
        starts: &[Number],
        sizes: &[Number],
        steps: &[u64],
    ) -> Made<Reach> {
        if starts.len() != view.dims.len() || sizes.len() != view.dims.len() {
            return Err(internal("an access of another rank than its reference"));
        }
        let mut out = Reach {
            home: view.home,
            offset: view.offset.clone(),
            sizes: sizes.to_vec(),
            strides: vec![],
            part: vec![],
        };
        for (d, (start, size)) in starts.iter().zip(sizes).enumerate() {
            let step = steps.get(d).map_or(1, |s| *s as i64);
            let moved = self.number_mul(start, view.strides[d]);
            out.offset = self.number_add(&out.offset, &moved);
            out.strides.push(view.strides[d] * step);
            let (low, high) = &view.inside[d];
            let low = self.number_max(low, &Number::Constant(0));
            let high = self.number_min(high, &view.dims[d]);
            // first = clamp(ceil((low - start) / step)), end = clamp(floor((high - 1 - start) / step) + 1).
            let before = self.number_sub(&low, start);
            let before = self.number_add(&before, &Number::Constant(step - 1));
            let first = self.number_floor_div(&before, step);
            let last = self.number_sub(&high, start);
            let last = self.number_add(&last, &Number::Constant(-1));
            let last = self.number_floor_div(&last, step);
            let end = self.number_add(&last, &Number::Constant(1));
            let first = self.number_max(&first, &Number::Constant(0));
            let first = self.number_min(&first, size);
            let end = self.number_min(&end, size);
            let end = self.number_max(&end, &first);
            out.part.push((first, end));
        }
        Ok(out)
    }

    /// All elements of a reference.
    pub fn whole_reach(&mut self, view: &View) -> Made<Reach> {
        let starts = vec![Number::Constant(0); view.dims.len()];
        self.reach(view, &starts, &view.dims.clone(), &[])
    }

    /// Start of the buffer that a reference points into.
    pub fn home(&mut self, home: Home) -> String {
        match home {
            Home::Operand(number) => {
                let place = self.op(format!(
                    "llvm.getelementptr %buffers[{}] : (!llvm.ptr) -> !llvm.ptr, i8",
                    8 * number
                ));
                self.op(format!("llvm.load {place} : !llvm.ptr -> !llvm.ptr"))
            }
            Home::Barrier(slot) => self.pointer(slot, 0),
        }
    }

    /// Pointer to element `offset` of a buffer.
    pub fn element_pointer(&mut self, home: Home, offset: &Number, bytes: u64) -> String {
        let start = self.home(home);
        match offset {
            Number::Constant(n) => self.op(format!(
                "llvm.getelementptr {start}[{}] : (!llvm.ptr) -> !llvm.ptr, i8",
                n * bytes as i64
            )),
            Number::Ssa(x) => self.op(format!(
                "llvm.getelementptr {start}[{x}] : (!llvm.ptr, i64) -> !llvm.ptr, i{}",
                8 * bytes
            )),
        }
    }

    /// Ops that make one reference of another.
    pub fn reference(&mut self, o: &KernelOperation) -> Made<()> {
        let result = self.result(o)?;
        let view = match &o.op {
            TpuOp::BarrierSemaphore => {
                let slot = match self.barrier {
                    Some(slot) => slot,
                    None => self.kept(vec![0; 8]),
                };
                self.barrier = Some(slot);
                View {
                    home: Home::Barrier(slot),
                    ..View::whole(0, &[], None)
                }
            }
            TpuOp::MemRefSlice { sizes } => self.slice(o, sizes)?,
            TpuOp::MemRefSqueeze => {
                let view = self.operand_view(o)?;
                let dims = self.memref_dims(result)?;
                self.squeezed(&view, &dims)?
            }
            TpuOp::MemRefReshape => {
                let view = self.operand_view(o)?;
                let dims = self.memref_dims(result)?;
                self.reshaped(&view, &dims)?
            }
            TpuOp::MemRefBitcast => {
                let view = self.operand_view(o)?;
                let dims = self.memref_dims(result)?;
                let same = view.dims.len() == dims.len()
                    && view
                        .dims
                        .iter()
                        .zip(&dims)
                        .all(|(a, b)| a.constant() == Some(*b as i64));
                let view = if same {
                    view
                } else {
                    self.reshaped(&view, &dims)?
                };
                let seen = match self.ty(result) {
                    KernelType::MemRef(m) => m.data().cloned(),
                    KernelType::Index | KernelType::Scalar(_) | KernelType::Vector { .. } => None,
                };
                let (Some(from), Some(to)) = (&view.element, &seen) else {
                    return NotCompiled::unsupported("tpu.memref_bitcast of semaphores");
                };
                if from.bits() != to.bits() {
                    return NotCompiled::unsupported("tpu.memref_bitcast to another width");
                }
                View {
                    seen_as: seen,
                    ..view
                }
            }
            _ => return Err(internal("an op that makes no reference")),
        };
        self.set(result, super::emitter::Value::View(view));
        Ok(())
    }

    pub fn operand_view(&self, o: &KernelOperation) -> Made<View> {
        let v = o.operands.first().ok_or_else(|| internal("no reference"))?;
        self.view(*v)
    }

    fn memref_dims(&self, v: tileproof_dialect::tpu::KernelValue) -> Made<Vec<u64>> {
        match self.ty(v).as_memref().and_then(|m| m.static_dims()) {
            Some(dims) => Ok(dims),
            None => NotCompiled::unsupported("a reference in other sizes that are not known"),
        }
    }

    fn slice(&mut self, o: &KernelOperation, sizes: &[Dim]) -> Made<View> {
        let view = self.operand_view(o)?;
        if view.dims.len() != sizes.len() || o.operands.len() < 1 + sizes.len() {
            return Err(internal("a slice of another rank"));
        }
        let mut out = View {
            dims: vec![],
            inside: vec![],
            ..view.clone()
        };
        let mut next = 1 + sizes.len();
        for (d, size) in sizes.iter().enumerate() {
            let start = self.number(o.operands[1 + d])?;
            let size = match size {
                Dim::Static(n) => Number::Constant(*n as i64),
                Dim::Dynamic { .. } => {
                    let v = o.operands.get(next).ok_or_else(|| internal("no size"))?;
                    next += 1;
                    let n = self.number(*v)?;
                    self.number_max(&n, &Number::Constant(0))
                }
            };
            let (low, high) = &view.inside[d];
            let low = self.number_max(low, &Number::Constant(0));
            let high = self.number_min(high, &view.dims[d]);
            let moved = self.number_mul(&start, view.strides[d]);
            out.offset = self.number_add(&out.offset, &moved);
            let low = self.number_sub(&low, &start);
            let high = self.number_sub(&high, &start);
            out.inside.push((low, high));
            out.dims.push(size);
        }
        Ok(out)
    }

    /// The same elements under other sizes: a fault where they leave the buffer.
    pub fn reshaped(&mut self, view: &View, dims: &[u64]) -> Made<View> {
        let known: Option<Vec<u64>> = view
            .dims
            .iter()
            .map(|d| d.constant().map(|d| d as u64))
            .collect();
        let Some(known) = known else {
            return NotCompiled::unsupported("a reference of unknown sizes in other sizes");
        };
        let dense = known
            .iter()
            .zip(view.strides.iter().zip(row_major_strides(&known)))
            .all(|(d, (have, want))| *d == 1 || *have == want);
        if !dense || known.iter().product::<u64>() != dims.iter().product::<u64>() {
            return Err(internal("a reference that has no such sizes"));
        }
        for ((low, high), size) in view.inside.clone().iter().zip(&view.dims.clone()) {
            let reaches = self.number_sub(high, size);
            for (number, predicate) in [(low, "sgt"), (&reaches, "slt")] {
                match number {
                    Number::Constant(n) => {
                        let wrong = if predicate == "sgt" { *n > 0 } else { *n < 0 };
                        if wrong {
                            return Err(internal("a reference that leaves its buffer"));
                        }
                    }
                    Number::Ssa(x) => {
                        let zero = self.i64(&Number::Constant(0));
                        let wrong = self.scalars().compare_int(predicate, x, &zero, "i64");
                        self.fault_if(&wrong, crate::native::kernel::frame::REFERENCE);
                    }
                }
            }
        }
        Ok(View {
            home: view.home,
            offset: view.offset.clone(),
            element: view.element.clone(),
            seen_as: view.seen_as.clone(),
            ..View::whole(0, dims, None)
        })
    }

    /// Number of bytes a copy of a reference counts.
    pub fn bytes_of(&mut self, view: &View) -> Made<Number> {
        let element = view
            .seen_as
            .clone()
            .ok_or_else(|| internal("a copy of semaphores"))?;
        let mut n = Number::Constant(Kind::of(&element).bytes() as i64);
        // Elements narrower than a byte count as bytes, wider ones are whole bytes.
        for d in &view.dims {
            n = match d {
                Number::Constant(d) => self.number_mul(&n, *d),
                Number::Ssa(_) => {
                    let (a, b) = (self.i64(&n), self.i64(d));
                    Number::Ssa(self.scalars().two("arith.muli", &a, &b, "i64"))
                }
            };
        }
        Ok(n)
    }
}

impl Emitter<'_> {
    /// Without dimensions of size 1 until the sizes are `dims`. Where a dropped coordinate lies outside, all of the rest does.
    fn squeezed(&mut self, view: &View, dims: &[u64]) -> Made<View> {
        let mut out = View {
            dims: vec![],
            strides: vec![],
            inside: vec![],
            ..view.clone()
        };
        let mut gone: Vec<(Number, Number)> = vec![];
        let mut wanted = dims.iter().peekable();
        for d in 0..view.dims.len() {
            let left = view.dims.len() - d;
            if view.dims[d].constant() == Some(1) && left > wanted.len() {
                gone.push(view.inside[d].clone());
                continue;
            }
            let fits = match (wanted.next(), view.dims[d].constant()) {
                (None, _) => false,
                (Some(want), Some(n)) => n == *want as i64,
                (Some(_), None) => true,
            };
            if !fits {
                return Err(internal("a reference that has no such sizes"));
            }
            out.dims.push(view.dims[d].clone());
            out.strides.push(view.strides[d]);
            out.inside.push(view.inside[d].clone());
        }
        if wanted.next().is_some() {
            return Err(internal("a reference that has no such sizes"));
        }
        for (low, high) in gone {
            if low.constant().is_some_and(|l| l <= 0) && high.constant().is_some_and(|h| h >= 1) {
                continue;
            }
            let (low, high) = (self.i64(&low), self.i64(&high));
            let (zero, one) = (
                self.i64(&Number::Constant(0)),
                self.i64(&Number::Constant(1)),
            );
            let below = self.scalars().compare_int("sgt", &low, &zero, "i64");
            let above = self.scalars().compare_int("slt", &high, &one, "i64");
            let outside = self.scalars().two("arith.ori", &below, &above, "i1");
            match out.inside.first().cloned() {
                Some((first, end)) => {
                    let end = self.i64(&end);
                    let end = self.scalars().select(&outside, &zero, &end, "i64");
                    out.inside[0] = (first, Number::Ssa(end));
                }
                None => self.fault_if(&outside, crate::native::kernel::frame::REFERENCE),
            }
        }
        Ok(out)
    }
}
