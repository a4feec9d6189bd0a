//! Products of matrices. An element of a float product is a chain of fused multiply-adds from 0 in the order of the contracted dimension, as in the
//! simulator's; then it is rounded to the type and added to the accumulator.

use super::{
    emitter::{Emitter, Function, Made, internal},
    lanes::Kind,
    movement::{Walk, lanes_for, strides},
    slots::Slot,
};
use crate::native::kernel::{NotCompiled, frame::Call};
use tileproof_dialect::{
    hlo,
    tensor::row_major_strides,
    tpu::{KernelOperation, KernelValue, MatmulDimensions},
    types::ElementType,
};

struct Sizes {
    batch: u64,
    m: u64,
    n: u64,
    k: u64,
}

/// Rows and vectors of a row that are summed at once.
const ROWS: u64 = 4;
const VECTORS: u64 = 4;

impl Emitter<'_> {
    /// `tpu.matmul` of (lhs, rhs, accumulator).
    pub fn matmul(&mut self, o: &KernelOperation, d: &MatmulDimensions) -> Made<()> {
        let [lhs, rhs, accumulator] = o.operands[..] else {
            return Err(internal("a product of other operands"));
        };
        let result = self.element(self.result(o)?)?;
        let sum = match Kind::of(&result) {
            Kind::F32 | Kind::F16 | Kind::Bf16 => ElementType::F32,
            Kind::Int { bits, .. } if bits <= 32 => ElementType::I32,
            Kind::F64 | Kind::Bool | Kind::Int { .. } | Kind::Bits(_) => {
                return NotCompiled::unsupported(format!("tpu.matmul to {result}"));
            }
        };
        for v in [lhs, rhs] {
            let element = self.element(v)?;
            let fits = match Kind::of(&element) {
                Kind::F32 | Kind::F16 | Kind::Bf16 => sum == ElementType::F32,
                Kind::Bits(8) => sum == ElementType::F32 && element.is_float(),
                Kind::Int { bits, .. } => sum == ElementType::I32 && bits <= 32,
                Kind::F64 | Kind::Bool | Kind::Bits(_) => false,
            };
            if !fits {
                return NotCompiled::unsupported(format!("tpu.matmul of {element} to {result}"));
            }
        }
        let (left, right) = (self.dims(lhs)?.to_vec(), self.dims(rhs)?.to_vec());
        let product = |dims: &[u64], of: &[u64]| -> Made<u64> {
            of.iter()
                .map(|d| dims.get(*d as usize).copied())
                .product::<Option<u64>>()
                .ok_or_else(|| internal("a product over dimensions that are not there"))
        };
        let free = |dims: &[u64], taken: [&[u64]; 2]| -> Vec<u64> {
            (0..dims.len() as u64)
                .filter(|d| !taken.iter().any(|t| t.contains(d)))
                .collect()
        };
        let lhs_free = free(&left, [&d.lhs_batch, &d.lhs_contracting]);
        let rhs_free = free(&right, [&d.rhs_batch, &d.rhs_contracting]);
        let sizes = Sizes {
            batch: product(&left, &d.lhs_batch)?,
            m: product(&left, &lhs_free)?,
            n: product(&right, &rhs_free)?,
            k: product(&left, &d.lhs_contracting)?,
        };
        let a = [&d.lhs_batch[..], &lhs_free, &d.lhs_contracting].concat();
        let b = [&d.rhs_batch[..], &d.rhs_contracting, &rhs_free].concat();
        let (a, b) = (self.ordered(lhs, &a, &sum)?, self.ordered(rhs, &b, &sum)?);
        let Sizes { batch, m, n, .. } = sizes;
        let p = self.slot(&[batch, m, n], &sum);
        self.product(&sizes, &sum, [a, b, p]);
        self.slots.free(a);
        self.slots.free(b);
        let rounded = self.converted(p, batch * m * n, &sum, &result)?;
        let x = self.in_memory(accumulator)?;
        let slot = self.result_slot(o)?;
        let [x_pointer, p_pointer, to] = [x.0, rounded, slot].map(|s| self.pointer(s, 0));
        self.combine(
            &hlo::add::Add.into(),
            &result,
            batch * m * n,
            [&x_pointer, &p_pointer, &to],
        )?;
        self.slots.free(rounded);
        self.release(x);
        Ok(())
    }

    /// An operand with its dimensions in this order, in the type of the sums.
    fn ordered(&mut self, v: KernelValue, order: &[u64], to: &ElementType) -> Made<Slot> {
        let (dims, element) = (self.dims(v)?.to_vec(), self.element(v)?);
        let own = strides(&dims);
        let sizes: Vec<u64> = order.iter().map(|d| dims[*d as usize]).collect();
        let walk = Walk {
            from: order.iter().map(|d| own[*d as usize]).collect(),
            to: row_major_strides(&sizes),
            sizes: sizes.clone(),
        };
        let slot = self.slot(&dims, &element);
        let x = self.in_memory(v)?;
        self.copy_slots(&walk, element.storage_bytes() as u64, (x.0, 0), (slot, 0));
        self.release(x);
        self.converted(slot, sizes.iter().product(), &element, to)
    }

    /// `n` elements of a slot, which is given up, in another type.
    fn converted(
        &mut self,
        slot: Slot,
        n: u64,
        from: &ElementType,
        to: &ElementType,
    ) -> Made<Slot> {
        if from == to {
            return Ok(slot);
        }
        let out = self.slot(&[n], to);
        let op: hlo::Op = hlo::convert::Convert.into();
        let lanes = lanes_for(n);
        let mut f = Function::new();
        let pointers = [slot, out].map(|s| self.pointer(s, 0));
        let [p, q] = pointers.clone().map(|p| f.parameter(&p, "!llvm.ptr"));
        let (zero, end) = (f.constant(0), f.constant(n as i64));
        let i = f.begin_loop(&zero, &end, lanes);
        let p = f.at(&p, &i, from.storage_bytes() as u64);
        let q = f.at(&q, &i, to.storage_bytes() as u64);
        let mut l = f.lanes(lanes);
        let x = l.load(Kind::of(from), &p);
        let converted =
            super::elementwise::elementwise(&mut l, &op, &[x], std::slice::from_ref(from), to);
        match converted {
            Some(y) => {
                l.store(Kind::of(to), &y, &q);
                f.end();
                self.call(f);
            }
            None => {
                let call = Call {
                    op,
                    operands: vec![(vec![n], from.clone())],
                    result: (vec![n], to.clone()),
                };
                let [p, q] = pointers;
                self.call_back(call, &[p], &q);
            }
        }
        self.slots.free(slot);
        Ok(out)
    }

    /// p[b, i, j] = sum over l of a[b, i, l] * b[b, l, j].
    fn product(&mut self, s: &Sizes, sum: &ElementType, slots: [Slot; 3]) {
        let kind = Kind::of(sum);
        let lanes = lanes_for(s.n);
        let vectors = if s.n.is_multiple_of(VECTORS * lanes) {
            VECTORS
        } else {
            1
        };
        let rows = if s.m.is_multiple_of(ROWS) { ROWS } else { 1 };
        let mut f = Function::new();
        let pointers = slots.map(|s| self.pointer(s, 0));
        let [a, b, p] = pointers.map(|x| f.parameter(&x, "!llvm.ptr"));
        let zero = f.constant(0);
        let [batch, m, n, k] = [s.batch, s.m, s.n, s.k].map(|n| f.constant(n as i64));
        let g = f.begin_loop(&zero, &batch, 1);
        let i = f.begin_loop(&zero, &m, rows);
        let j = f.begin_loop(&zero, &n, lanes * vectors);
        let (mk, kn, mn) = (
            f.mul(&g, (s.m * s.k) as i64),
            f.mul(&g, (s.k * s.n) as i64),
            f.mul(&g, (s.m * s.n) as i64),
        );
        let (row, target_row) = (f.mul(&i, s.k as i64), f.mul(&i, s.n as i64));
        let a_at = f.add(&mk, &row);
        let b_at = f.add(&kn, &j);
        let p_at = f.add(&mn, &target_row);
        let p_at = f.add(&p_at, &j);
        let (a, b, p) = (f.at(&a, &a_at, 4), f.at(&b, &b_at, 4), f.at(&p, &p_at, 4));
        let count = (rows * vectors) as usize;
        let ty = f.lanes(lanes).ty(&kind.lane());
        let start = f.lanes(lanes).constant(kind, &[0; 4]);
        let sums: Vec<String> = (0..count).map(|c| format!("%s{c}")).collect();
        let initial: Vec<String> = sums.iter().map(|s| format!("{s} = {start}")).collect();
        let types = vec![ty; count].join(", ");
        let one = f.constant(1);
        let index = format!("%x{}", f.next);
        let all = format!("%x{}", f.next + 1);
        f.next += 2;
        f.line(format!(
            "{all}:{count} = scf.for {index} = {zero} to {k} step {one} iter_args({}) -> ({types}) : i64 {{",
            initial.join(", ")
        ));
        let below = f.mul(&index, s.n as i64);
        let b_row = f.at(&b, &below, 4);
        let mut right = vec![];
        for v in 0..vectors {
            let at = f.constant((v * lanes) as i64);
            let place = f.at(&b_row, &at, 4);
            right.push(f.lanes(lanes).load(kind, &place));
        }
        let mut next = vec![];
        for r in 0..rows {
            let at = f.constant((r * s.k) as i64);
            let at = f.add(&at, &index);
            let place = f.at(&a, &at, 4);
            let x = f.lanes(0).load(kind, &place);
            let mut l = f.lanes(lanes);
            let x = l.splat(&x, &kind.lane());
            for (v, y) in right.iter().enumerate() {
                let sum = &sums[r as usize * vectors as usize + v];
                let ty = l.ty(&kind.lane());
                next.push(match kind {
                    Kind::F32 => l.op(format!("math.fma {x}, {y}, {sum} : {ty}")),
                    _ => {
                        let product = l.two("arith.muli", &x, y, &kind.lane());
                        l.two("arith.addi", sum, &product, &kind.lane())
                    }
                });
            }
        }
        f.line(format!("scf.yield {} : {types}", next.join(", ")));
        f.end();
        for r in 0..rows {
            for v in 0..vectors {
                let at = f.constant((r * s.n + v * lanes) as i64);
                let place = f.at(&p, &at, 4);
                let c = r * vectors + v;
                let name = if count == 1 {
                    all.clone()
                } else {
                    format!("{all}#{c}")
                };
                f.lanes(lanes).store(kind, &name, &place);
            }
        }
        (0..3).for_each(|_| f.end());
        self.call(f);
    }
}
