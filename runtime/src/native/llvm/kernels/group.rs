//! Elementwise ops: neighbours of one number of elements share a loop, and what is used inside only never goes to memory.

use super::{
    elementwise::elementwise,
    emitter::{Emitter, Function, Made, Number, Value, internal},
    lanes::{Kind, Lanes},
    movement::lanes_for,
};
use crate::native::kernel::frame::Call;
use std::collections::HashMap;
use tileproof_dialect::{
    hlo,
    tensor::count,
    tpu::{KernelOperation, KernelValue, TpuOp},
    types::ElementType,
};

/// Most ops of one loop.
const MOST: usize = 48;

impl Emitter<'_> {
    /// Whether an op can be part of a loop over the `n` elements of its result.
    fn joins(&self, o: &KernelOperation) -> Option<u64> {
        let v = *o.results.first()?;
        let dims = self.ty(v).dims()?;
        if dims.is_empty() {
            return None;
        }
        match &o.op {
            TpuOp::Elementwise(op) => self.is_native(op, o).then(|| count(dims) as u64),
            TpuOp::Broadcast => {
                let from = self.ty(*o.operands.first()?).dims()?;
                from.is_empty().then(|| count(dims) as u64)
            }
            _ => None,
        }
    }

    /// Whether an op has code of its own.
    fn is_native(&self, op: &hlo::Op, o: &KernelOperation) -> bool {
        let mut out = String::new();
        let mut next = 0;
        let mut l = Lanes {
            out: &mut out,
            next: &mut next,
            lanes: 0,
        };
        let elements: Option<Vec<ElementType>> =
            o.operands.iter().map(|v| self.ty(*v).element()).collect();
        let result = o.results.first().and_then(|v| self.ty(*v).element());
        let (Some(elements), Some(result)) = (elements, result) else {
            return false;
        };
        let args = vec!["%a".to_string(); elements.len()];
        elementwise(&mut l, op, &args, &elements, &result).is_some()
    }

    /// Emits the ops from `ops[0]` on that go into one loop; gives how many. `used_later`: whether a value is used behind the first so many ops.
    pub fn group(
        &mut self,
        ops: &[KernelOperation],
        used_later: &dyn Fn(KernelValue, usize) -> bool,
    ) -> Made<usize> {
        let Some(n) = ops.first().and_then(|o| self.joins(o)) else {
            return Ok(0);
        };
        let len = ops
            .iter()
            .take(MOST)
            .take_while(|o| self.joins(o) == Some(n))
            .count();
        let lanes = lanes_for(n);
        let mut f = Function::new();
        let (zero, end) = (f.constant(0), f.constant(n as i64));
        let mut names: HashMap<KernelValue, String> = HashMap::new();
        // Inputs first: their parameters are those of the function.
        let mut inputs: Vec<KernelValue> = vec![];
        let own: Vec<KernelValue> = ops[..len].iter().flat_map(|o| o.results.clone()).collect();
        for v in ops[..len].iter().flat_map(|o| &o.operands) {
            if !own.contains(v) && !inputs.contains(v) {
                inputs.push(*v);
            }
        }
        enum Input {
            Lanes(String),
            One(String),
            Scalar(String),
            Constant(Vec<u8>),
        }
        let mut places = vec![];
        for v in &inputs {
            let element = self.element(*v)?;
            let is_scalar = self.dims(*v)?.is_empty();
            let input = match self.get(*v)?.clone() {
                Value::Slot(slot) => {
                    let p = self.pointer(slot, 0);
                    let p = f.parameter(&p, "!llvm.ptr");
                    if is_scalar {
                        Input::One(p)
                    } else {
                        Input::Lanes(p)
                    }
                }
                Value::Splat(one) => Input::Constant(one),
                Value::Int(number, _) => {
                    let x = self.ssa(&number, &element);
                    Input::Scalar(f.parameter(&x, &Kind::of(&element).lane()))
                }
                Value::View(_) => return Err(internal("a reference where a value is expected")),
            };
            places.push((*v, element, input));
        }
        let mut kept = vec![];
        for (v, element) in ops[..len]
            .iter()
            .flat_map(|o| &o.results)
            .filter(|v| used_later(**v, len))
            .map(|v| Ok((*v, self.element(*v)?)))
            .collect::<Made<Vec<_>>>()?
        {
            let dims = self.dims(v)?.to_vec();
            let slot = self.slot(&dims, &element);
            let p = self.pointer(slot, 0);
            let p = f.parameter(&p, "!llvm.ptr");
            kept.push((v, element, slot, p));
        }
        let i = f.begin_loop(&zero, &end, lanes);
        for (v, element, input) in places {
            let kind = Kind::of(&element);
            let x = match input {
                Input::Lanes(p) => {
                    let p = f.at(&p, &i, kind.bytes());
                    f.lanes(lanes).load(kind, &p)
                }
                Input::One(p) => {
                    let x = f.lanes(0).load(kind, &p);
                    f.lanes(lanes).splat(&x, &kind.lane())
                }
                Input::Scalar(x) => f.lanes(lanes).splat(&x, &kind.lane()),
                Input::Constant(one) => f.lanes(lanes).constant(kind, &one),
            };
            names.insert(v, x);
        }
        for o in &ops[..len] {
            let args: Vec<String> = o
                .operands
                .iter()
                .map(|v| names.get(v).cloned().unwrap_or_default())
                .collect();
            let v = self.result(o)?;
            let name = match &o.op {
                TpuOp::Elementwise(op) => {
                    let elements = o
                        .operands
                        .iter()
                        .map(|v| self.element(*v))
                        .collect::<Made<Vec<_>>>()?;
                    let result = self.element(v)?;
                    elementwise(&mut f.lanes(lanes), op, &args, &elements, &result)
                        .ok_or_else(|| internal("an elementwise op without code"))?
                }
                _ => args.first().cloned().unwrap_or_default(),
            };
            names.insert(v, name);
        }
        for (v, element, slot, p) in kept {
            let kind = Kind::of(&element);
            let p = f.at(&p, &i, kind.bytes());
            let x = names.get(&v).cloned().unwrap_or_default();
            f.lanes(lanes).store(kind, &x, &p);
            self.set(v, Value::Slot(slot));
        }
        f.end();
        self.call(f);
        Ok(len)
    }

    /// An elementwise op by itself: of scalars, or one that calls the definition.
    pub fn elementwise_alone(&mut self, op: &hlo::Op, o: &KernelOperation) -> Made<()> {
        let v = self.result(o)?;
        let (dims, result) = (self.dims(v)?.to_vec(), self.element(v)?);
        let elements = o
            .operands
            .iter()
            .map(|v| self.element(*v))
            .collect::<Made<Vec<_>>>()?;
        if dims.is_empty() && self.is_native(op, o) {
            return self.scalar(op, o, &elements, &result);
        }
        let mut held = vec![];
        let mut operands = vec![];
        for v in &o.operands {
            let x = self.in_memory(*v)?;
            operands.push(self.pointer(x.0, 0));
            held.push(x);
        }
        let slot = self.slot(&dims, &result);
        let out = self.pointer(slot, 0);
        let shapes = o
            .operands
            .iter()
            .zip(&elements)
            .map(|(v, e)| Ok((self.dims(*v)?.to_vec(), e.clone())))
            .collect::<Made<Vec<_>>>()?;
        let call = Call {
            op: op.clone(),
            operands: shapes,
            result: (dims, result),
        };
        self.call_back(call, &operands, &out);
        held.into_iter().for_each(|x| self.release(x));
        self.settled(v, slot)
    }

    /// An elementwise op of scalars.
    fn scalar(
        &mut self,
        op: &hlo::Op,
        o: &KernelOperation,
        elements: &[ElementType],
        result: &ElementType,
    ) -> Made<()> {
        let v = self.result(o)?;
        let mut args = vec![];
        for (v, element) in o.operands.iter().zip(elements) {
            args.push(match self.get(*v)?.clone() {
                Value::Int(number, _) => self.ssa(&number, element),
                Value::Slot(slot) => {
                    let p = self.pointer(slot, 0);
                    self.scalars().load(Kind::of(element), &p)
                }
                Value::Splat(one) => self.scalars().constant(Kind::of(element), &one),
                Value::View(_) => return Err(internal("a reference where a value is expected")),
            });
        }
        let name = elementwise(&mut self.scalars(), op, &args, elements, result)
            .ok_or_else(|| internal("an elementwise op without code"))?;
        if result.is_integer() {
            self.set(v, Value::Int(Number::Ssa(name), result.clone()));
        } else {
            let slot = self.slot(&[], result);
            let p = self.pointer(slot, 0);
            self.scalars().store(Kind::of(result), &name, &p);
            self.set(v, Value::Slot(slot));
        }
        Ok(())
    }

    /// `to[i] = op(a[i], b[i])` on `n` elements in scratch memory.
    pub fn combine(
        &mut self,
        op: &hlo::Op,
        element: &ElementType,
        n: u64,
        [a, b, to]: [&str; 3],
    ) -> Made<()> {
        let kind = Kind::of(element);
        let lanes = lanes_for(n);
        let mut f = Function::new();
        let [p, q, r] = [a, b, to].map(|x| f.parameter(x, "!llvm.ptr"));
        let (zero, end) = (f.constant(0), f.constant(n as i64));
        let i = f.begin_loop(&zero, &end, lanes);
        let [p, q, r] = [p, q, r].map(|x| f.at(&x, &i, kind.bytes()));
        let mut l = f.lanes(lanes);
        let args = [l.load(kind, &p), l.load(kind, &q)];
        let elements = [element.clone(), element.clone()];
        match elementwise(&mut l, op, &args, &elements, element) {
            Some(x) => {
                l.store(kind, &x, &r);
                f.end();
                self.call(f);
            }
            None => {
                let shape = (vec![n], element.clone());
                let call = Call {
                    op: op.clone(),
                    operands: vec![shape.clone(), shape.clone()],
                    result: shape,
                };
                self.call_back(call, &[a.to_string(), b.to_string()], to);
            }
        }
        Ok(())
    }
}
