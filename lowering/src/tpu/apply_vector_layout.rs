//! `tpu-apply-vector-layout`: vectors of any shape become registers.
//!
//! # Before
//! S4: ops on vectors `[.., R, C]` of any size.
//!
//! # After
//! S5: every vector is a register, `vector<8x128xT>` or packed `vector<8x128xNxT>`, or a mask of one. A vector is a grid of registers: its outer
//! dimensions, then R / 8 by C / 128 tiles (R / 8N packed). Loads and stores move one register, masked where a vector ends inside. Elementwise ops go
//! register by register, packed where all element types are equally wide, else one element a lane. Reductions combine registers, then rows or lanes
//! inside with the tail masked by the identity. Other movement is rotations, gathers and selects inside registers. Blocks larger than a register remain
//! only between `roll_vectors` and `unroll_vectors`, around transposes of 128 x 128 and products of the matrix unit. A long elementwise stretch is a loop
//! over strips of its block.
//!
//! # Numerics
//! Reassociates: sums of a block are formed register by register.
//!
//! # Example
//! `addf vector<16x100xf32>` -> two `addf vector<8x128xf32>`; its load two masked loads of 100 lanes.
//!
//! # Leaves alone
//! Scalars, copies, semaphores. A kernel with an op that has no rule stays at S4 and says `S5: OP`.

use crate::{
    kernels::{
        clean::clean,
        emit::{Emitter, ValueMap, renamed},
    },
    pass::{Pass, Rewrite, Run},
    target::TpuTarget,
};
use registers::{Grid, Held, Shape};
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    numerics::{Contract, Numerics},
    stage::Stage,
    tpu::{Kernel, KernelBuilder, KernelOperation, KernelType, KernelValue, TpuOp},
};

mod broadcast;
mod constants;
mod control;
mod elementwise;
mod gather;
mod matmul;
mod memory;
mod movement;
mod rearrange;
mod reduce;
mod registers;
mod strips;
mod transpose;

pub static PASS: Pass = Pass {
    name: "tpu-apply-vector-layout",
    input: Stage::S4,
    output: Stage::S5,
    summary: "vectors become registers",
    rewrites: &[Rewrite {
        name: "registers",
        equation: "kernel(vectors) = kernel(registers of 8 x 128)",
        numerics: || Numerics::of(Contract::Reassociates),
        pattern: None,
    }],
    run: Run::Kernel(apply_vector_layout),
};

/// Most ops of a kernel in registers.
const MAX_OPS: usize = 200_000;

/// The kernel with vectors in registers.
pub fn apply_vector_layout(kernel: &Kernel, _: &TpuTarget) -> Result<Kernel, Error> {
    if kernel.stage != Stage::S4 {
        return Err(Error::internal(format!(
            "tpu-apply-vector-layout takes kernels of stage S4; @{} is of {}",
            kernel.name, kernel.stage
        )));
    }
    let kernel = &strips::strips(kernel);
    let builder = KernelBuilder::new(
        &kernel.name,
        Stage::S5,
        vec![],
        kernel.operands.clone(),
        kernel.location.clone(),
    );
    let mut layout = Layout {
        old: kernel,
        e: Emitter::new(builder),
        scalars: ValueMap::new(),
        vectors: BTreeMap::new(),
    };
    for i in 0..kernel.operands.len() {
        let new = layout.e.b.operand_ref(i);
        layout.scalars.insert(kernel.operand_ref(i), new);
    }
    layout.ops(&kernel.body.ops)?;
    Ok(clean(layout.e.b.finish()))
}

/// The kernel being made, and what stands for the values of the old one.
struct Layout<'k> {
    old: &'k Kernel,
    e: Emitter,
    /// Of scalars, indices and references.
    scalars: ValueMap,
    vectors: BTreeMap<KernelValue, Held>,
}

/// An op without a rule.
fn unsupported(op: &KernelOperation, why: &str) -> Error {
    Error::unsupported(format!("S5: {}{why}", op.op.name())).at(&op.location)
}

impl Layout<'_> {
    /// All ops of a region but its end.
    fn ops(&mut self, ops: &[KernelOperation]) -> Result<(), Error> {
        for op in ops {
            if !matches!(op.op, TpuOp::Yield | TpuOp::Condition) {
                self.e.b.location = op.location.clone();
                self.op(op)?;
                if self.e.b.kernel().types.len() > MAX_OPS {
                    return Err(unsupported(op, ": too many registers"));
                }
            }
        }
        Ok(())
    }

    fn op(&mut self, op: &KernelOperation) -> Result<(), Error> {
        let vector = |v: &KernelValue| matches!(self.old.ty(*v), KernelType::Vector { .. });
        let mut values = op.operands.iter().chain(&op.results);
        if op.regions.is_empty() && !values.any(vector) {
            self.e.transcribe_op(self.old, op, &mut self.scalars);
            return Ok(());
        }
        match &op.op {
            TpuOp::Constant(literal) => self.constant(op, literal),
            TpuOp::Elementwise(hlo) => self.elementwise(op, hlo),
            TpuOp::Iota { dimensions } => self.iota(op, dimensions),
            TpuOp::CreateMask => self.create_mask(op),
            TpuOp::Implements { name } => self.implements(op, name),
            TpuOp::Broadcast => self.broadcast(op),
            TpuOp::ShapeCast => self.shape_cast(op),
            TpuOp::Transpose { permutation } => self.transpose(op, permutation),
            TpuOp::MultiReduction { kind, dims } => self.multi_reduction(op, *kind, dims),
            TpuOp::AllReduce { kind, dimension } => self.all_reduce(op, *kind, *dimension),
            TpuOp::ExtractStridedSlice {
                offsets, strides, ..
            } => self.extract_strided_slice(op, offsets, strides),
            TpuOp::InsertStridedSlice { offsets } => self.insert_strided_slice(op, offsets),
            TpuOp::Extract { position } => self.extract(op, position),
            TpuOp::Concatenate { dimension } => self.concatenate(op, *dimension),
            TpuOp::Rotate { amount, dimension } => self.rotate(op, *amount, *dimension),
            TpuOp::Repeat { dimension, .. } => self.repeat(op, *dimension),
            TpuOp::Reverse { dimensions } => self.reverse(op, dimensions),
            TpuOp::DynamicRotate { dimension } => self.dynamic_rotate(op, *dimension),
            TpuOp::DynamicGather { dimension } => self.dynamic_gather(op, *dimension),
            TpuOp::Matmul {
                dimensions,
                precision,
            } => self.matmul(op, dimensions, precision.as_deref()),
            TpuOp::Load { strides, masked } => self.load(op, strides.as_deref(), *masked),
            TpuOp::Store { strides, masked } => self.store(op, strides.as_deref(), *masked),
            TpuOp::For => self.for_loop(op),
            TpuOp::If => self.branch(op),
            TpuOp::While => self.while_loop(op),
            TpuOp::RegisterLoad { .. }
            | TpuOp::RegisterStore { .. }
            | TpuOp::PackSubelements
            | TpuOp::UnpackSubelements { .. }
            | TpuOp::RollVectors
            | TpuOp::UnrollVectors
            | TpuOp::IndexCast
            | TpuOp::ScalarLoad
            | TpuOp::ScalarStore
            | TpuOp::MemRefSlice { .. }
            | TpuOp::MemRefSqueeze
            | TpuOp::MemRefReshape
            | TpuOp::MemRefBitcast
            | TpuOp::EnqueueDma { .. }
            | TpuOp::WaitDma2
            | TpuOp::SemaphoreSignal
            | TpuOp::SemaphoreWait
            | TpuOp::SemaphoreRead
            | TpuOp::BarrierSemaphore
            | TpuOp::Condition
            | TpuOp::Yield => Err(unsupported(op, " on vectors")),
        }
    }

    /// Sizes of a vector of the old kernel; none for a scalar.
    fn dims(&self, v: KernelValue) -> &[u64] {
        self.old.ty(v).dims().unwrap_or(&[])
    }

    /// The new scalar, index or reference.
    fn scalar(&self, v: KernelValue) -> KernelValue {
        renamed(&[v], &self.scalars)[0]
    }

    /// What stands for a vector; a scalar is one whose elements are all it.
    fn held(&self, v: KernelValue) -> Result<Held, Error> {
        match (self.vectors.get(&v), self.old.ty(v)) {
            (Some(held), _) => Ok(held.clone()),
            (None, KernelType::Scalar(element)) => {
                Ok(Held::Scalar(self.scalar(v), element.clone()))
            }
            (None, KernelType::Index | KernelType::MemRef(_) | KernelType::Vector { .. }) => {
                Err(Error::internal(format!(
                    "kernel @{} uses a value before it is made",
                    self.old.name
                )))
            }
        }
    }

    /// The vector in the shape its type says, in this packing. What was moved for that is kept.
    fn natural(&mut self, v: KernelValue, packing: u64) -> Result<Grid, Error> {
        let shape = Shape::natural(self.dims(v));
        let held = self.held(v)?;
        let grid = held.grid(&mut self.e, shape, packing)?;
        if held.as_grid().is_some_and(|g| g.shape != shape) {
            self.vectors.insert(v, Held::Grid(grid.clone()));
        }
        Ok(grid)
    }

    /// The vector in the shape its type says and the packing it has.
    fn natural_as_packed(&mut self, v: KernelValue) -> Result<Grid, Error> {
        let packing = self.held(v)?.as_grid().map_or(1, |g| g.packing);
        self.natural(v, packing)
    }

    /// Gives the only result of an op.
    fn give(&mut self, op: &KernelOperation, held: Held) {
        if let Some(result) = op.results.first() {
            self.vectors.insert(*result, held);
        }
    }
}
