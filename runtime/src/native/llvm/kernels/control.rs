//! Regions in order: dispatch, loops, branches, and when the place of a value is free again.

use super::{
    carried::Carried,
    emitter::{Emitter, Made, Number, Value, internal},
    lanes::Kind,
};
use crate::native::kernel::{NotCompiled, frame::LOOP_STEP};
use std::{collections::HashMap, fmt::Write};
use tileproof_dialect::{
    literal::Literal,
    tensor::count,
    tpu::{KernelOperation, KernelRegion, KernelValue, TpuOp, op::SourceSemaphore},
    types::ElementType,
};

/// What a region hands on, and the values of it that are its own.
struct Yields {
    values: Vec<Value>,
    /// Values that the region defines: their places are still taken.
    own: Vec<KernelValue>,
}

impl Emitter<'_> {
    /// The whole body.
    pub fn whole(&mut self) -> Made<()> {
        let kernel = self.kernel;
        for d in 0..kernel.grid.len() {
            let place = self.op(format!(
                "llvm.getelementptr %step[{}] : (!llvm.ptr) -> !llvm.ptr, i8",
                4 * d
            ));
            let index = self.op(format!("llvm.load {place} : !llvm.ptr -> i32"));
            let value = Value::Int(Number::Ssa(index), ElementType::I32);
            self.set(kernel.grid_index(d), value);
        }
        for (i, o) in kernel.operands.iter().enumerate() {
            let Some(dims) = o.buffer.static_dims() else {
                return NotCompiled::unsupported("an operand whose size is not known");
            };
            let view = super::view::View::whole(i, &dims, o.buffer.data().cloned());
            self.set(kernel.operand_ref(i), Value::View(view));
        }
        self.region(&kernel.body)?;
        Ok(())
    }

    /// Emits the ops of a region; arguments are set.
    fn region(&mut self, region: &KernelRegion) -> Made<Yields> {
        let mut own: Vec<KernelValue> = region.arguments.clone();
        own.extend(region.ops.iter().flat_map(|o| &o.results));
        let mut last: HashMap<KernelValue, usize> = HashMap::new();
        for (i, o) in region.ops.iter().enumerate() {
            for v in &o.results {
                last.insert(*v, i);
            }
        }
        for (i, o) in region.ops.iter().enumerate() {
            each_use(o, &mut |v| {
                if let Some(at) = last.get_mut(&v) {
                    *at = i;
                }
            });
        }
        let mut i = 0;
        while i < region.ops.len() {
            let o = &region.ops[i];
            if matches!(o.op, TpuOp::Yield | TpuOp::Condition) {
                let values = o
                    .operands
                    .iter()
                    .map(|v| self.get(*v).cloned())
                    .collect::<Made<_>>()?;
                let mut kept: Vec<KernelValue> = own
                    .iter()
                    .filter(|v| o.operands.contains(v) && last.contains_key(v))
                    .copied()
                    .collect();
                kept.dedup();
                return Ok(Yields { values, own: kept });
            }
            let from = i;
            let used = |v: KernelValue, n: usize| last.get(&v).is_some_and(|at| *at >= from + n);
            let grouped = self.group(&region.ops[i..], &used)?;
            if grouped == 0 {
                self.operation(o).map_err(|e| located(e, o))?;
                i += 1;
            } else {
                i += grouped;
            }
            // What was used last in these ops; a result that nothing uses too.
            for o in &region.ops[from..i] {
                let mut gone = o.results.clone();
                each_use(o, &mut |v| gone.push(v));
                for v in gone {
                    if last.get(&v).is_some_and(|at| *at < i && *at >= from) {
                        self.drop_value(v);
                        last.remove(&v);
                    }
                }
            }
        }
        Err(internal("a region that does not end with a yield"))
    }

    fn operation(&mut self, o: &KernelOperation) -> Made<()> {
        match &o.op {
            TpuOp::Constant(literal) => self.literal(o, literal),
            TpuOp::Elementwise(op) => self.elementwise_alone(op, o),
            TpuOp::IndexCast => {
                let v = self.result(o)?;
                let to = self.element(v)?;
                let n = self.number(o.operands[0])?;
                let number = match n {
                    Number::Constant(n) => Number::Constant(n),
                    Number::Ssa(x) => match Kind::of(&to) {
                        Kind::Int { storage: 64, .. } => Number::Ssa(x),
                        kind => {
                            let lane = kind.lane();
                            let low = self.scalars().cast("arith.trunci", &x, "i64", &lane);
                            Number::Ssa(self.scalars().wrapped(&low, kind))
                        }
                    },
                };
                self.set(v, Value::Int(number, to));
                Ok(())
            }
            TpuOp::Broadcast
            | TpuOp::ShapeCast
            | TpuOp::Transpose { .. }
            | TpuOp::ExtractStridedSlice { .. }
            | TpuOp::InsertStridedSlice { .. }
            | TpuOp::Extract { .. }
            | TpuOp::Concatenate { .. }
            | TpuOp::Iota { .. }
            | TpuOp::Rotate { .. }
            | TpuOp::DynamicRotate { .. }
            | TpuOp::Repeat { .. }
            | TpuOp::DynamicGather { .. }
            | TpuOp::Reverse { .. }
            | TpuOp::CreateMask
            | TpuOp::PackSubelements
            | TpuOp::UnpackSubelements { .. }
            | TpuOp::RollVectors
            | TpuOp::UnrollVectors => self.movement(o),
            TpuOp::MultiReduction { kind, dims } => self.multi_reduction(o, *kind, dims),
            TpuOp::AllReduce { kind, dimension } => self.all_reduce(o, *kind, *dimension),
            TpuOp::Matmul { dimensions, .. } => self.matmul(o, dimensions),
            TpuOp::Load { strides, masked } => {
                self.load(o, *masked, strides.as_deref().unwrap_or_default())
            }
            TpuOp::Store { strides, masked } => {
                self.store(o, *masked, strides.as_deref().unwrap_or_default())
            }
            TpuOp::RegisterLoad { masked } => self.load(o, *masked, &[]),
            TpuOp::RegisterStore { masked } => self.store(o, *masked, &[]),
            TpuOp::ScalarLoad => self.load(o, tileproof_dialect::tpu::op::Mask::Unmasked, &[]),
            TpuOp::ScalarStore => self.store(o, tileproof_dialect::tpu::op::Mask::Unmasked, &[]),
            TpuOp::MemRefSlice { .. }
            | TpuOp::MemRefSqueeze
            | TpuOp::MemRefReshape
            | TpuOp::MemRefBitcast
            | TpuOp::BarrierSemaphore => self.reference(o),
            TpuOp::EnqueueDma {
                source_semaphore, ..
            } => self.enqueue(o, *source_semaphore == SourceSemaphore::Present),
            TpuOp::WaitDma2 => self.wait_copy(o),
            TpuOp::SemaphoreSignal => self.signal(o),
            TpuOp::SemaphoreWait => self.wait(o),
            TpuOp::SemaphoreRead => self.read_semaphore(o),
            TpuOp::For => self.for_loop(o),
            TpuOp::If => self.branch(o),
            TpuOp::While => self.while_loop(o),
            TpuOp::Implements { .. } => self.implements(o),
            TpuOp::Condition | TpuOp::Yield => Err(internal("a misplaced end of a region")),
        }
    }

    fn literal(&mut self, o: &KernelOperation, literal: &Literal) -> Made<()> {
        let v = self.result(o)?;
        let element = self.element(v)?;
        let t = literal.to_tensor();
        let value = if t.rank() > 0 && literal.is_splat() && !t.is_empty() {
            Value::Splat(t.ieee().bytes()[..element.storage_bytes()].to_vec())
        } else if t.rank() == 0 && element.is_integer() {
            let n = t.to_i64s().first().copied().unwrap_or(0);
            Value::Int(Number::Constant(n), element)
        } else {
            Value::Slot(self.constant(&t)?)
        };
        self.set(v, value);
        Ok(())
    }

    fn for_loop(&mut self, o: &KernelOperation) -> Made<()> {
        let [lower, upper, by, initial @ ..] = &o.operands[..] else {
            return Err(internal("a loop of other operands"));
        };
        let body = o.regions.first().ok_or_else(|| internal("no body"))?;
        let element = self.element(*lower)?;
        let lane = Kind::of(&element).lane();
        let mut ends = vec![];
        for v in [lower, upper, by] {
            let (number, element) = self.int(*v)?;
            ends.push(self.ssa(&number, &element));
        }
        let one = self.scalars().int(1, &lane);
        let wrong = self.scalars().compare_int("slt", &ends[2], &one, &lane);
        self.fault_if(&wrong, LOOP_STEP);
        let step = self.scalars().two("arith.maxsi", &ends[2], &one, &lane);
        let values = initial
            .iter()
            .map(|v| self.get(*v).cloned())
            .collect::<Made<Vec<_>>>()?;
        let (how, ssa) = self.carry_in(initial, &values)?;
        let index = self.fresh();
        let names: Vec<String> = ssa.iter().map(|_| self.fresh()).collect();
        let all = self.fresh();
        let types: Vec<&str> = ssa.iter().map(|(_, ty)| ty.as_str()).collect();
        let mut head = String::new();
        if !ssa.is_empty() {
            let _ = write!(head, "{all}:{} = ", ssa.len());
        }
        let _ = write!(
            head,
            "scf.for {index} = {} to {} step {step} ",
            ends[0], ends[1]
        );
        if !ssa.is_empty() {
            let given: Vec<String> = names
                .iter()
                .zip(&ssa)
                .map(|(name, (x, _))| format!("{name} = {x}"))
                .collect();
            let _ = write!(
                head,
                "iter_args({}) -> ({}) ",
                given.join(", "),
                types.join(", ")
            );
        }
        self.line(format!("{head}: {lane} {{"));
        let Some((i, arguments)) = body.arguments.split_first() else {
            return Err(internal("a loop without index"));
        };
        self.set(*i, Value::Int(Number::Ssa(index), element));
        self.lend(arguments, &how, names.iter().cloned());
        let yields = self.region(body)?;
        let ssa_out = self.carry_on(&how, &yields.values)?;
        self.let_go(&yields.own, &how);
        self.forget(&body.arguments);
        if !ssa_out.is_empty() {
            let values: Vec<&str> = ssa_out.iter().map(|(x, _)| x.as_str()).collect();
            self.line(format!(
                "scf.yield {} : {}",
                values.join(", "),
                types.join(", ")
            ));
        }
        self.line("}");
        self.take_over(&o.results, &how, results(&all, ssa.len()));
        Ok(())
    }

    fn branch(&mut self, o: &KernelOperation) -> Made<()> {
        let (condition, element) = self.int(o.operands[0])?;
        let condition = self.ssa(&condition, &element);
        let mut how = vec![];
        for v in &o.results {
            how.push(self.carried(*v)?);
        }
        let types: Vec<String> = how
            .iter()
            .filter_map(|h| match h {
                Carried::Scalar(element) => Some(Kind::of(element).lane()),
                Carried::Slot(..) | Carried::View => None,
            })
            .collect();
        let all = self.fresh();
        if types.is_empty() {
            self.line(format!("scf.if {condition} {{"));
        } else {
            self.line(format!(
                "{all}:{} = scf.if {condition} -> ({}) {{",
                types.len(),
                types.join(", ")
            ));
        }
        for (i, region) in o.regions.iter().enumerate() {
            if i == 1 {
                self.line("} else {");
            }
            let yields = self.region(region)?;
            let ssa = self.carry_on(&how, &yields.values)?;
            self.let_go(&yields.own, &how);
            if !ssa.is_empty() {
                let values: Vec<&str> = ssa.iter().map(|(x, _)| x.as_str()).collect();
                self.line(format!(
                    "scf.yield {} : {}",
                    values.join(", "),
                    types.join(", ")
                ));
            }
        }
        self.line("}");
        self.take_over(&o.results, &how, results(&all, types.len()));
        Ok(())
    }

    fn while_loop(&mut self, o: &KernelOperation) -> Made<()> {
        let [before, after] = &o.regions[..] else {
            return Err(internal("a while loop without its two regions"));
        };
        let values = o
            .operands
            .iter()
            .map(|v| self.get(*v).cloned())
            .collect::<Made<Vec<_>>>()?;
        let (how, ssa) = self.carry_in(&o.operands, &values)?;
        let mut out = vec![];
        for v in &o.results {
            out.push(self.carried(*v)?);
        }
        let of_scalars = |how: &[Carried]| -> Vec<String> {
            how.iter()
                .filter_map(|h| match h {
                    Carried::Scalar(element) => Some(Kind::of(element).lane()),
                    Carried::Slot(..) | Carried::View => None,
                })
                .collect()
        };
        let (types, out_types) = (of_scalars(&how), of_scalars(&out));
        let names: Vec<String> = ssa.iter().map(|_| self.fresh()).collect();
        let given: Vec<String> = names
            .iter()
            .zip(&ssa)
            .map(|(name, (x, _))| format!("{name} = {x}"))
            .collect();
        let all = self.fresh();
        let head = match out_types.len() {
            0 => String::new(),
            n => format!("{all}:{n} = "),
        };
        let arguments = match given.len() {
            0 => String::new(),
            _ => format!("({}) ", given.join(", ")),
        };
        self.line(format!(
            "{head}scf.while {arguments}: ({}) -> ({}) {{",
            types.join(", "),
            out_types.join(", ")
        ));
        self.lend(&before.arguments, &how, names.iter().cloned());
        let yields = self.region(before)?;
        let Some((Value::Int(condition, element), rest)) = yields.values.split_first() else {
            return Err(internal("a while loop without condition"));
        };
        let condition = self.ssa(condition, element);
        let ssa = self.carry_on(&out, rest)?;
        self.let_go(&yields.own, &how);
        self.forget(&before.arguments);
        let passed: Vec<&str> = ssa.iter().map(|(x, _)| x.as_str()).collect();
        self.line(match passed.len() {
            0 => format!("scf.condition({condition})"),
            _ => format!(
                "scf.condition({condition}) {} : {}",
                passed.join(", "),
                out_types.join(", ")
            ),
        });
        let names: Vec<String> = out_types.iter().map(|_| self.fresh()).collect();
        let block: Vec<String> = names
            .iter()
            .zip(&out_types)
            .map(|(name, ty)| format!("{name}: {ty}"))
            .collect();
        self.line("} do {");
        if !block.is_empty() {
            self.line(format!("^bb0({}):", block.join(", ")));
        }
        self.lend(&after.arguments, &out, names.iter().cloned());
        let yields = self.region(after)?;
        let ssa = self.carry_on(&how, &yields.values)?;
        self.let_go(&yields.own, &out);
        self.forget(&after.arguments);
        let passed: Vec<&str> = ssa.iter().map(|(x, _)| x.as_str()).collect();
        self.line(match passed.len() {
            0 => "scf.yield".to_string(),
            _ => format!("scf.yield {} : {}", passed.join(", "), types.join(", ")),
        });
        self.line("}");
        for h in &how {
            if let Carried::Slot(slot, _) = h {
                self.slots.free(*slot);
            }
        }
        self.take_over(&o.results, &out, results(&all, out_types.len()));
        Ok(())
    }

    /// The body, in place.
    fn implements(&mut self, o: &KernelOperation) -> Made<()> {
        let body = o.regions.first().ok_or_else(|| internal("no body"))?;
        for (argument, v) in body.arguments.iter().zip(&o.operands) {
            // The place stays the operand's.
            let value = match self.get(*v)?.clone() {
                Value::Slot(slot) => Value::Slot(slot.borrowed()),
                other @ (Value::Int(..) | Value::Splat(_) | Value::View(_)) => other,
            };
            self.set(*argument, value);
        }
        let yields = self.region(body)?;
        for (v, value) in o.results.iter().zip(&yields.values) {
            let value = match value {
                Value::Slot(from) => {
                    let (dims, element) = (self.dims(*v)?.to_vec(), self.element(*v)?);
                    let slot = self.slot(&dims, &element);
                    let bytes = count(&dims) as u64 * element.storage_bytes() as u64;
                    self.put(&Value::Slot(*from), slot, bytes)?;
                    Value::Slot(slot)
                }
                other @ (Value::Int(..) | Value::Splat(_) | Value::View(_)) => other.clone(),
            };
            self.set(*v, value);
        }
        self.let_go(&yields.own, &[]);
        self.forget(&body.arguments);
        Ok(())
    }
}

/// Names of the results of an op with `n` of them.
fn results(all: &str, n: usize) -> impl Iterator<Item = String> + use<'_> {
    (0..n).map(move |i| format!("{all}#{i}"))
}

/// Every value that an op uses, inner regions included.
fn each_use(o: &KernelOperation, visit: &mut dyn FnMut(KernelValue)) {
    o.operands.iter().for_each(|v| visit(*v));
    for inner in o.regions.iter().flat_map(|r| &r.ops) {
        each_use(inner, visit);
    }
}

fn located(e: NotCompiled, o: &KernelOperation) -> NotCompiled {
    match e {
        NotCompiled::Failed(what) if !what.contains("'") => {
            NotCompiled::Failed(format!("'{}': {what}", o.op.name()))
        }
        other @ (NotCompiled::Failed(_) | NotCompiled::Unsupported(_)) => other,
    }
}
