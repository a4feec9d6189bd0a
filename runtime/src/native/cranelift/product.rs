//! Reductions and products of matrices, in the order of operations of the simulator's.

use super::{
    code::{at, each, every, inner, int64, load, store},
    scalar::{Held, held},
    state::{Made, State},
    vectors::is_native,
};
use crate::native::kernel::{NotCompiled, frame::Call};
use cranelift_codegen::ir::{InstBuilder, types};
use tileproof_dialect::{
    hlo,
    tensor::{count, row_major_strides},
    tpu::{CombiningKind, KernelOperation, KernelValue, MatmulDimensions},
    types::{Class, ElementType},
};

impl State<'_, '_> {
    /// Reductions: halves onto each other, an odd row moved behind.
    pub fn reduce(
        &mut self,
        o: &KernelOperation,
        kind: CombiningKind,
        over: &[u64],
        spreads: bool,
    ) -> Made<()> {
        let source = self.operand(o, 0)?;
        let (all, element) = (self.dims(source)?, self.element(source)?);
        let bytes = element.storage_bytes();
        let op = combining(kind, &element)?;
        let kept: Vec<usize> = (0..all.len())
            .filter(|d| !over.contains(&(*d as u64)))
            .collect();
        let order: Vec<usize> = over
            .iter()
            .map(|d| *d as usize)
            .chain(kept.clone())
            .collect();
        let own = row_major_strides(&all);
        let sizes: Vec<u64> = order.iter().map(|d| all[*d]).collect();
        let steps: Vec<i64> = order.iter().map(|d| own[*d]).collect();
        let work = self.made.place(count(&all) * bytes);
        let x = self.placed(source)?;
        self.walk(
            &sizes,
            bytes,
            (x, &steps),
            (work, &row_major_strides(&sizes)),
        )?;
        let width = count(&kept.iter().map(|d| all[*d]).collect::<Vec<_>>());
        let mut rows = count(&all) / width.max(1);
        while rows > 1 {
            let half = rows / 2;
            let second = work + half * width * bytes;
            self.combine(&op, &element, half * width, [work, second, work])?;
            if rows % 2 == 1 {
                let last = work + (rows - 1) * width * bytes;
                self.copied(last, second, width * bytes)?;
            }
            rows = half + rows % 2;
        }
        let v = self.only(o)?;
        let out = self.new_place(v)?;
        if spreads {
            let d = over.first().copied().unwrap_or(0) as usize;
            let mut steps = row_major_strides(&kept.iter().map(|d| all[*d]).collect::<Vec<_>>());
            steps.insert(d, 0);
            self.walk(&all, bytes, (work, &steps), (out, &own))?;
        } else if let Some(accumulator) = o.operands.get(1) {
            let a = self.placed(*accumulator)?;
            self.combine(&op, &element, width, [a, work, out])?;
        } else {
            self.copied(work, out, width * bytes)?;
        }
        self.lies_at(v, out)
    }

    /// accumulator + product; each sum a chain of fused multiply-adds in order.
    pub fn product(&mut self, o: &KernelOperation, d: &MatmulDimensions) -> Made<()> {
        let (lhs, rhs, accumulator) = (
            self.operand(o, 0)?,
            self.operand(o, 1)?,
            self.operand(o, 2)?,
        );
        let v = self.only(o)?;
        let to = self.element(v)?;
        let sum = match held(&to) {
            Held::Single | Held::Bfloat => ElementType::F32,
            Held::Raw if to == ElementType::F16 => ElementType::F32,
            Held::Integer { bits, .. } if bits <= 32 => ElementType::I32,
            Held::Truth | Held::Integer { .. } | Held::Double | Held::Raw => {
                return NotCompiled::unsupported(format!("tpu.matmul to {to}"));
            }
        };
        let (left, right) = (self.dims(lhs)?, self.dims(rhs)?);
        let rest = |dims: &[u64], a: &[u64], b: &[u64]| -> Vec<u64> {
            (0..dims.len() as u64)
                .filter(|d| !a.contains(d) && !b.contains(d))
                .collect()
        };
        let lhs_rest = rest(&left, &d.lhs_batch, &d.lhs_contracting);
        let rhs_rest = rest(&right, &d.rhs_batch, &d.rhs_contracting);
        let size = |dims: &[u64], of: &[u64]| of.iter().map(|d| dims[*d as usize]).product::<u64>();
        let [batch, m, n, k] = [
            size(&left, &d.lhs_batch),
            size(&left, &lhs_rest),
            size(&right, &rhs_rest),
            size(&left, &d.lhs_contracting),
        ];
        let a = [d.lhs_batch.clone(), lhs_rest, d.lhs_contracting.clone()].concat();
        let b = [d.rhs_batch.clone(), d.rhs_contracting.clone(), rhs_rest].concat();
        let a = self.arranged(lhs, &a, &sum)?;
        let b = self.arranged(rhs, &b, &sum)?;
        let total = (batch * m * n) as usize;
        let p = self.made.place(total * 4);
        let arguments = [a, b, p].map(|p| self.pointer(p));
        let is_float = sum == ElementType::F32;
        let description = format!("product {batch} {m} {n} {k} {is_float}");
        self.call(description, &arguments, |w, p| {
            // Four columns at once.
            let ty = if is_float { types::F32X4 } else { types::I32X4 };
            let (one, step) = match n.is_multiple_of(4) {
                true => (ty, 4),
                false => (ty.lane_type(), 1),
            };
            every(w, &[batch, m, n / step], &mut vec![], &mut |w, i| {
                let j = super::code::times(w, i[2], step as i64);
                let target = inner(w, 0, &[i[0], i[1], j], &[(m * n) as i64, n as i64, 1]);
                let target = at(w, p[2], target, 4);
                let zero = if is_float {
                    w.ins().f32const(0.0)
                } else {
                    super::code::constant(w, types::I32, 0)
                };
                let zero = if step == 4 {
                    w.ins().splat(ty, zero)
                } else {
                    zero
                };
                store(w, zero, target);
                let (low, high) = (int64(w, 0), int64(w, k as i64));
                each(w, low, high, 1, &mut |w, l| {
                    let x = inner(w, 0, &[i[0], i[1], l], &[(m * k) as i64, k as i64, 1]);
                    let y = inner(w, 0, &[i[0], l, j], &[(k * n) as i64, n as i64, 1]);
                    let (x, y) = (at(w, p[0], x, 4), at(w, p[1], y, 4));
                    let x = load(w, one.lane_type(), x);
                    let x = if step == 4 { w.ins().splat(ty, x) } else { x };
                    let y = load(w, one, y);
                    let so_far = load(w, one, target);
                    let next = if is_float {
                        w.ins().fma(x, y, so_far)
                    } else {
                        let product = w.ins().imul(x, y);
                        w.ins().iadd(so_far, product)
                    };
                    store(w, next, target);
                });
            });
            Ok(())
        })?;
        let rounded = self.in_type(p, total, &sum, &to)?;
        let c = self.placed(accumulator)?;
        let out = self.new_place(v)?;
        self.combine(&hlo::add::Add.into(), &to, total, [c, rounded, out])?;
        self.lies_at(v, out)
    }

    /// An operand of a product with its dimensions in this order, in the type of the sums.
    fn arranged(&mut self, v: KernelValue, order: &[u64], to: &ElementType) -> Made<usize> {
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let fits = match held(&element) {
            Held::Single | Held::Bfloat => *to == ElementType::F32,
            Held::Raw => element.is_float() && *to == ElementType::F32,
            Held::Integer { bits, .. } => bits <= 32 && *to == ElementType::I32,
            Held::Truth | Held::Double => false,
        };
        if !fits {
            return NotCompiled::unsupported(format!("tpu.matmul of {element}"));
        }
        let own = row_major_strides(&dims);
        let sizes: Vec<u64> = order.iter().map(|d| dims[*d as usize]).collect();
        let steps: Vec<i64> = order.iter().map(|d| own[*d as usize]).collect();
        let bytes = element.storage_bytes();
        let place = self.made.place(count(&dims) * bytes);
        let x = self.placed(v)?;
        self.walk(
            &sizes,
            bytes,
            (x, &steps),
            (place, &row_major_strides(&sizes)),
        )?;
        self.in_type(place, count(&dims), &element, to)
    }

    /// `n` elements at a place in another type.
    fn in_type(
        &mut self,
        place: usize,
        n: usize,
        from: &ElementType,
        to: &ElementType,
    ) -> Made<usize> {
        if from == to {
            return Ok(place);
        }
        let out = self.made.place(n * to.storage_bytes());
        let op: hlo::Op = hlo::convert::Convert.into();
        let elements = [from.clone()];
        if is_native(self, &op, &elements, to) {
            self.lanes(&op, n, &elements, &[false], to, &[place], out)?;
        } else {
            let call = Call {
                op,
                operands: vec![(vec![n as u64], from.clone())],
                result: (vec![n as u64], to.clone()),
            };
            self.by_definition(call, &[place], out);
        }
        Ok(out)
    }
}

fn combining(kind: CombiningKind, element: &ElementType) -> Made<hlo::Op> {
    let class = element.class();
    Ok(match kind {
        CombiningKind::Add => hlo::add::Add.into(),
        CombiningKind::Mul => hlo::multiply::Multiply.into(),
        CombiningKind::And => hlo::and::And.into(),
        CombiningKind::Or => hlo::or::Or.into(),
        CombiningKind::Xor => hlo::xor::Xor.into(),
        CombiningKind::Min => hlo::minimum::Minimum.into(),
        CombiningKind::Max => hlo::maximum::Maximum.into(),
        CombiningKind::MinUi if class == Class::Unsigned => hlo::minimum::Minimum.into(),
        CombiningKind::MaxUi if class == Class::Unsigned => hlo::maximum::Maximum.into(),
        CombiningKind::MinUi if class == Class::Boolean => hlo::and::And.into(),
        CombiningKind::MaxUi if class == Class::Boolean => hlo::or::Or.into(),
        CombiningKind::MinUi | CombiningKind::MaxUi => {
            return NotCompiled::unsupported(format!("an unsigned reduction of {element}"));
        }
    })
}
