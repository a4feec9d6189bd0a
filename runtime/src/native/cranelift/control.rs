//! Regions in order: dispatch, loops, branches.

use super::{
    code::constant,
    state::{Item, Made, State, broken},
};
use crate::native::kernel::{NotCompiled, frame::LOOP_STEP};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, condcodes::IntCC, types};
use tileproof_dialect::{
    literal::Literal,
    tpu::{
        KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp,
        op::{Mask, SourceSemaphore},
    },
};

/// How a value goes over an edge of control flow.
#[derive(Clone, Copy)]
enum Edge {
    /// As a block's parameter.
    Register(Type),
    /// In a place of its own.
    Place(usize, usize),
}

impl State<'_, '_> {
    pub fn body(&mut self) -> Made<()> {
        let kernel = self.kernel;
        for d in 0..kernel.grid.len() {
            let at = super::code::int64(self.w, 4 * d as i64);
            let at = self.w.ins().iadd(self.step, at);
            let index = super::code::load(self.w, types::I32, at);
            self.set(kernel.grid_index(d), Item::Number(index));
        }
        for i in 0..kernel.operands.len() {
            let r = self.whole(i)?;
            self.set(kernel.operand_ref(i), Item::Reference(r));
        }
        self.region(&kernel.body)?;
        Ok(())
    }

    /// The ops of a region; gives what its end hands on.
    fn region(&mut self, region: &KernelRegion) -> Made<Vec<Item>> {
        for o in &region.ops {
            if matches!(o.op, TpuOp::Yield | TpuOp::Condition) {
                return o.operands.iter().map(|v| self.item(*v)).collect();
            }
            self.operation(o).map_err(|e| match e {
                NotCompiled::Failed(what) if !what.contains('\'') => {
                    NotCompiled::Failed(format!("'{}': {what}", o.op.name()))
                }
                other @ (NotCompiled::Failed(_) | NotCompiled::Unsupported(_)) => other,
            })?;
        }
        broken("a region that does not end with a yield")
    }

    fn operation(&mut self, o: &KernelOperation) -> Made<()> {
        match &o.op {
            TpuOp::Constant(literal) => self.literal(o, literal),
            TpuOp::Elementwise(op) => self.elementwise(op, o),
            TpuOp::IndexCast => self.cast(o),
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
            TpuOp::MultiReduction { kind, dims } => self.reduce(o, *kind, dims, false),
            TpuOp::AllReduce { kind, dimension } => self.reduce(o, *kind, &[*dimension], true),
            TpuOp::Matmul { dimensions, .. } => self.product(o, dimensions),
            TpuOp::Load { strides, masked } => {
                self.load(o, *masked, strides.as_deref().unwrap_or_default())
            }
            TpuOp::Store { strides, masked } => {
                self.store(o, *masked, strides.as_deref().unwrap_or_default())
            }
            TpuOp::RegisterLoad { masked } => self.load(o, *masked, &[]),
            TpuOp::RegisterStore { masked } => self.store(o, *masked, &[]),
            TpuOp::ScalarLoad => self.load(o, Mask::Unmasked, &[]),
            TpuOp::ScalarStore => self.store(o, Mask::Unmasked, &[]),
            TpuOp::MemRefSlice { .. }
            | TpuOp::MemRefSqueeze
            | TpuOp::MemRefReshape
            | TpuOp::MemRefBitcast
            | TpuOp::BarrierSemaphore => self.derived(o),
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
            TpuOp::Condition | TpuOp::Yield => broken("a misplaced end of a region"),
        }
    }

    fn literal(&mut self, o: &KernelOperation, literal: &Literal) -> Made<()> {
        let v = self.only(o)?;
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let t = literal.to_tensor();
        if dims.is_empty() && element.is_integer() {
            let ty = self.register(&element)?;
            let n = t.to_i64s().first().copied().unwrap_or(0);
            let x = constant(self.w, ty, n);
            self.set(v, Item::Number(x));
        } else {
            let place = self.constant(&t);
            self.set(v, Item::Place(place));
        }
        Ok(())
    }

    /// How a value of the type of `v` goes over an edge.
    fn edge(&mut self, v: KernelValue) -> Made<Edge> {
        if let KernelType::MemRef(_) = self.kernel.ty(v) {
            return NotCompiled::unsupported("a reference that is carried by control flow");
        }
        let element = self.element(v)?;
        if self.dims(v)?.is_empty() && element.is_integer() {
            return Ok(Edge::Register(self.register(&element)?));
        }
        let bytes = self.bytes(v)?;
        Ok(Edge::Place(self.made.place(bytes), bytes))
    }

    /// Writes what goes over an edge in places; gives the block's arguments.
    fn hand_on(&mut self, edges: &[Edge], items: &[Item]) -> Made<Vec<BlockArg>> {
        let mut arguments = vec![];
        let mut moves = vec![];
        for (edge, item) in edges.iter().zip(items) {
            match (edge, item) {
                (Edge::Register(_), Item::Number(x)) => arguments.push(BlockArg::Value(*x)),
                (Edge::Place(to, bytes), Item::Place(from)) if from != to => {
                    moves.push((*from, *to, *bytes));
                }
                (Edge::Place(..), Item::Place(_)) => {}
                (Edge::Register(_) | Edge::Place(..), _) => {
                    return broken("a value that is carried in another form");
                }
            }
        }
        // All are read before any is written.
        let mut held = vec![];
        for (from, to, bytes) in moves {
            let place = self.made.place(bytes);
            self.copied(from, place, bytes)?;
            held.push((place, to, bytes));
        }
        for (place, to, bytes) in held {
            self.copied(place, to, bytes)?;
        }
        Ok(arguments)
    }

    /// What comes over an edge becomes these values; registers from `parameters`.
    fn come_in(&mut self, values: &[KernelValue], edges: &[Edge], parameters: &[Value]) {
        let mut parameters = parameters.iter();
        for (v, edge) in values.iter().zip(edges) {
            match edge {
                Edge::Register(_) => {
                    if let Some(x) = parameters.next() {
                        self.set(*v, Item::Number(*x));
                    }
                }
                Edge::Place(place, _) => self.set(*v, Item::Place(*place)),
            }
        }
    }

    /// A block with a parameter for every value in a register.
    fn block(&mut self, edges: &[Edge], before: &[Type]) -> cranelift_codegen::ir::Block {
        let block = self.w.create_block();
        for ty in before {
            self.w.append_block_param(block, *ty);
        }
        for edge in edges {
            if let Edge::Register(ty) = edge {
                self.w.append_block_param(block, *ty);
            }
        }
        block
    }

    fn for_loop(&mut self, o: &KernelOperation) -> Made<()> {
        let [lower, upper, by, initial @ ..] = &o.operands[..] else {
            return broken("a loop of other operands");
        };
        let Some(body) = o.regions.first() else {
            return broken("a loop without body");
        };
        let ty = self.register(&self.element(*lower)?)?;
        let (lower, upper, by) = (
            self.number(*lower)?,
            self.number(*upper)?,
            self.number(*by)?,
        );
        let one = constant(self.w, ty, 1);
        let wrong = self.w.ins().icmp(IntCC::SignedLessThan, by, one);
        self.fault_if(wrong, LOOP_STEP);
        let by = self.w.ins().select(wrong, one, by);
        let mut edges = vec![];
        let mut items = vec![];
        for v in initial {
            edges.push(self.edge(*v)?);
            let item = self.item(*v)?;
            items.push(item);
        }
        let (head, inside) = (self.block(&edges, &[ty]), self.w.create_block());
        let behind = self.w.create_block();
        let mut arguments = vec![BlockArg::Value(lower)];
        arguments.extend(self.hand_on(&edges, &items)?);
        self.w.ins().jump(head, &arguments);
        self.w.switch_to_block(head);
        let parameters = self.w.block_params(head).to_vec();
        let goes_on = self
            .w
            .ins()
            .icmp(IntCC::SignedLessThan, parameters[0], upper);
        self.w.ins().brif(goes_on, inside, &[], behind, &[]);
        self.w.switch_to_block(inside);
        let Some((index, carried)) = body.arguments.split_first() else {
            return broken("a loop without index");
        };
        self.set(*index, Item::Number(parameters[0]));
        self.come_in(carried, &edges, &parameters[1..]);
        let yields = self.region(body)?;
        let next = self.w.ins().iadd(parameters[0], by);
        let mut arguments = vec![BlockArg::Value(next)];
        arguments.extend(self.hand_on(&edges, &yields)?);
        self.w.ins().jump(head, &arguments);
        self.w.switch_to_block(behind);
        self.come_in(&o.results, &edges, &parameters[1..]);
        Ok(())
    }

    fn branch(&mut self, o: &KernelOperation) -> Made<()> {
        let condition = self.operand(o, 0)?;
        let condition = self.number(condition)?;
        let mut edges = vec![];
        for v in &o.results {
            edges.push(self.edge(*v)?);
        }
        let blocks = [self.w.create_block(), self.w.create_block()];
        let behind = self.block(&edges, &[]);
        self.w.ins().brif(condition, blocks[0], &[], blocks[1], &[]);
        for (block, region) in blocks.into_iter().zip(&o.regions) {
            self.w.switch_to_block(block);
            let yields = self.region(region)?;
            let arguments = self.hand_on(&edges, &yields)?;
            self.w.ins().jump(behind, &arguments);
        }
        self.w.switch_to_block(behind);
        let parameters = self.w.block_params(behind).to_vec();
        self.come_in(&o.results, &edges, &parameters);
        Ok(())
    }

    fn while_loop(&mut self, o: &KernelOperation) -> Made<()> {
        let [before, after] = &o.regions[..] else {
            return broken("a while loop without its two regions");
        };
        let (mut edges, mut out, mut items) = (vec![], vec![], vec![]);
        for v in &o.operands {
            edges.push(self.edge(*v)?);
            items.push(self.item(*v)?);
        }
        for v in &o.results {
            out.push(self.edge(*v)?);
        }
        let head = self.block(&edges, &[]);
        let (inside, behind) = (self.block(&out, &[]), self.block(&out, &[]));
        let arguments = self.hand_on(&edges, &items)?;
        self.w.ins().jump(head, &arguments);
        self.w.switch_to_block(head);
        let parameters = self.w.block_params(head).to_vec();
        self.come_in(&before.arguments, &edges, &parameters);
        let yields = self.region(before)?;
        let Some((Item::Number(condition), rest)) = yields.split_first() else {
            return broken("a while loop without condition");
        };
        let condition = *condition;
        let arguments = self.hand_on(&out, rest)?;
        self.w
            .ins()
            .brif(condition, inside, &arguments, behind, &arguments);
        self.w.switch_to_block(inside);
        let parameters = self.w.block_params(inside).to_vec();
        self.come_in(&after.arguments, &out, &parameters);
        let yields = self.region(after)?;
        let arguments = self.hand_on(&edges, &yields)?;
        self.w.ins().jump(head, &arguments);
        self.w.switch_to_block(behind);
        let parameters = self.w.block_params(behind).to_vec();
        self.come_in(&o.results, &out, &parameters);
        Ok(())
    }

    fn implements(&mut self, o: &KernelOperation) -> Made<()> {
        let Some(body) = o.regions.first() else {
            return broken("a function without body");
        };
        for (argument, v) in body.arguments.iter().zip(&o.operands) {
            let item = self.item(*v)?;
            self.set(*argument, item);
        }
        let yields = self.region(body)?;
        for (v, item) in o.results.iter().zip(yields) {
            self.set(*v, item);
        }
        Ok(())
    }
}
