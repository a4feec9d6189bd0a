//! THE list of ops of kernels, with their meaning. Upstream ops (arith, math, vector, memref, scf) and `tpu` ops; `tpux` where neither has one.
//!
//! Meaning of an op on values is that of the `hlo` op named beside it; validity (shadow) moves as DESIGN.md section 8 says.

use crate::{hlo, literal::Literal, types::Dim};

/// How a reduction combines, with the names of `vector.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CombiningKind {
    Add,
    Mul,
    /// Signed minimum of integers; of floats NaN wins, as in `hlo.minimum`.
    Min,
    Max,
    /// Unsigned.
    MinUi,
    MaxUi,
    And,
    Or,
    Xor,
}

/// `#tpu.dot_dimension_numbers`: `hlo.dot_general` without precision. `output_order` pairs (0: lhs, 1: rhs; dimension).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct MatmulDimensions {
    pub lhs_contracting: Vec<u64>,
    pub rhs_contracting: Vec<u64>,
    pub lhs_batch: Vec<u64>,
    pub rhs_batch: Vec<u64>,
}

impl MatmulDimensions {
    /// `[m, k] x [k, n]`.
    pub fn plain() -> MatmulDimensions {
        MatmulDimensions {
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
            lhs_batch: vec![],
            rhs_batch: vec![],
        }
    }
}

#[allow(clippy::large_enum_variant)] // Kernels have thousands of ops at most, and elementwise ones are most of them.
/// An op of a kernel. Operand lists are in the order of the doc comment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TpuOp {
    /// `arith.constant`: a scalar (rank 0), an index (an i64 of rank 0), or a vector.
    Constant(Literal),
    /// An elementwise `hlo` op (arithmetic, compare, select, convert, bitcast_convert of equal width, clamp, functions) on scalars or vectors of one
    /// shape. In text: the `arith` or `math` op of exactly this meaning, else `tpux.elementwise`.
    Elementwise(hlo::Op),
    /// `arith.index_cast`: integer scalar <-> index.
    IndexCast,

    // Vectors.
    /// `vector.broadcast`: a scalar, or a vector whose dims are aligned with the last ones of the result and equal or 1.
    Broadcast,
    /// `vector.shape_cast`: the same elements in row-major order.
    ShapeCast,
    /// `vector.transpose`: result dim i is operand dim `permutation[i]`.
    Transpose { permutation: Vec<u64> },
    /// `vector.multi_reduction` of (source, accumulator) over `dims`; the result drops them. Sums run in the type of the vector.
    MultiReduction { kind: CombiningKind, dims: Vec<u64> },
    /// `vector.extract_strided_slice`, offsets and sizes for every dimension.
    ExtractStridedSlice {
        offsets: Vec<u64>,
        sizes: Vec<u64>,
        strides: Vec<u64>,
    },
    /// `vector.insert_strided_slice` of (part, into).
    InsertStridedSlice { offsets: Vec<u64> },
    /// `vector.extract`: the scalar or sub-vector at a position of the leading dims.
    Extract { position: Vec<u64> },
    /// `tpu.concatenate`.
    Concatenate { dimension: u64 },
    /// `tpu.iota`: the row-major index over `dimensions` as i32.
    Iota { dimensions: Vec<u64> },
    /// `tpux.rotate`: result[i] = operand[(i - amount) mod n] along `dimension`.
    Rotate { amount: u64, dimension: u64 },
    /// `tpu.dynamic_rotate` of (vector, i32 amount).
    DynamicRotate { dimension: u64 },
    /// `tpu.repeat`: `times` copies along `dimension`, one after the other.
    Repeat { dimension: u64, times: u64 },
    /// `tpu.dynamic_gather` of (source, i32 indices of the result's shape): along `dimension` element indices[i]; the other coordinates are kept.
    /// An index out of range is an out-of-bounds hazard.
    DynamicGather { dimension: u64 },
    /// `tpux.reverse` along `dimensions`.
    Reverse { dimensions: Vec<u64> },
    /// `tpu.matmul` of (lhs, rhs, accumulator): accumulator + dot_general. Products of narrow floats and their sums are in the accumulator's type.
    /// `precision`: DEFAULT, HIGH, HIGHEST or none. Result dims: batch, lhs free, rhs free.
    Matmul {
        dimensions: MatmulDimensions,
        precision: Option<String>,
    },
    /// `tpu.all_reduce`: combines along `dimension`, and every position along it gets the result.
    AllReduce { kind: CombiningKind, dimension: u64 },
    /// `tpu.create_mask` of (low_i.., high_i..) as index: true where low_i <= coordinate_i < high_i for all dims.
    CreateMask,

    // Registers (S5). A packed register `[8, 128, N]` holds the tile of 8 * N rows whose row r, lane l is its element (r / N, l, r % N).
    /// `tpu.pack_subelements`, compressed (of masks: `tpu.pack_vmsk`), of N registers `[8, 128]` to one packed `[8, 128, N]` of the same element type: the
    /// rows of the first operand, then those of the second, and so on. Movement: whole elements.
    PackSubelements,
    /// `tpu.unpack_subelements`, compressed, of a packed `[8, 128, N]` to `[8, 128]` of the same element type, one element in each 32-bit lane: rows
    /// `8 * index ..` of its tile. Movement: whole elements.
    UnpackSubelements { index: u64 },
    /// `tpu.roll_vectors` of registers of one type to a block `[R, C]`: a grid of R / (8 * N) by C / 128 of them, row-major. What transposes and matrix
    /// units take.
    RollVectors,
    /// `tpu.unroll_vectors`: the registers of a block, row-major.
    UnrollVectors,

    // Memory.
    /// `tpu.vector_load` (`vector.load` without mask) of (ref, index a dimension.., mask if `masked`). `strides`: `tpu.strided_load`. Lanes whose mask
    /// is false are invalid. The result dims are the sizes read, rank that of the reference.
    Load {
        strides: Option<Vec<u64>>,
        masked: Mask,
    },
    /// `tpu.vector_store` (`vector.store`) of (value, ref, index a dimension.., mask if `masked`). Lanes whose mask is false are not written.
    Store {
        strides: Option<Vec<u64>>,
        masked: Mask,
    },
    /// `tpu.load` (S5) of (ref, index a dimension.., mask if `masked`): a register `[8, 128]`, or packed `[8, 128, N]`, from a window of `8 * N` rows and
    /// 128 lanes over the last two dimensions and 1 of each other; a reference of rank 1 is one row. Element (s, l, p) of a packed register is row
    /// s * N + p, lane l. Lanes whose mask is false touch no memory and are invalid.
    RegisterLoad { masked: Mask },
    /// `tpu.store` (S5) of (register, ref, index a dimension.., mask if `masked`), into the same window. Lanes whose mask is false are not written.
    RegisterStore { masked: Mask },
    /// `memref.load` of (ref in SMEM, index a dimension..): a scalar.
    ScalarLoad,
    /// `memref.store` of (scalar, ref in SMEM, index a dimension..).
    ScalarStore,
    /// `tpu.memref_slice` of (ref, i32 offset a dimension.., i32 size per dynamic dimension of `sizes`): a window into the same memory.
    MemRefSlice { sizes: Vec<Dim> },
    /// `tpu.memref_squeeze`: drops dimensions of size 1.
    MemRefSqueeze,
    /// `tpu.memref_reshape`: the same row-major elements under other sizes.
    MemRefReshape,
    /// `tpu.memref_bitcast`: the same bytes of a whole buffer under another element type and sizes.
    MemRefBitcast,

    // Copies and semaphores.
    /// `tpu.enqueue_dma` of (source, target, target_semaphore) or, with `source_semaphore`, (source, source_semaphore, target, target_semaphore):
    /// starts a copy. Chunks (tile rows) are read, written and counted in any order; each adds its bytes to the semaphores.
    EnqueueDma {
        source_semaphore: SourceSemaphore,
        priority: i64,
    },
    /// `tpu.wait_dma2` of (semaphore, source, target): waits until the semaphore has bytes(target) and takes them off. Touches no memory.
    WaitDma2,
    /// `tpu.sem_signal` of (semaphore, i32 amount).
    SemaphoreSignal,
    /// `tpu.sem_wait` of (semaphore, i32 amount).
    SemaphoreWait,
    /// `tpu.sem_read` of (semaphore): i32.
    SemaphoreRead,
    /// `tpu.sem_barrier`: the barrier semaphore of the core.
    BarrierSemaphore,

    // Control.
    /// `scf.for` of (lower, upper, step, initial..), region (induction, carried..) -> carried.. by `Yield`.
    For,
    /// `scf.if` of (i1), regions then and else, each ended by `Yield`.
    If,
    /// `scf.while` of (initial..), regions before (ended by `Condition`) and after (ended by `Yield`).
    While,
    /// `scf.condition` of (i1, values..).
    Condition,
    /// `scf.yield`, and `func.return` at the end of a kernel body or index map.
    Yield,
    /// `tpux.implements`: the region computes the function `name` (`chlo.erf`) of its arguments, which are the operands. The ring evaluates the name,
    /// IEEE the body. Ended by `Yield`.
    Implements { name: String },
}

/// Whether a load or store has a mask operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mask {
    Unmasked,
    Masked,
}

/// Whether a copy counts on a semaphore of its source as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceSemaphore {
    Absent,
    Present,
}

impl TpuOp {
    /// Name in text, of elementwise ops that of the `hlo` op.
    pub fn name(&self) -> &'static str {
        match self {
            TpuOp::Constant(_) => "arith.constant",
            TpuOp::Elementwise(op) => op.name(),
            TpuOp::IndexCast => "arith.index_cast",
            TpuOp::Broadcast => "vector.broadcast",
            TpuOp::ShapeCast => "vector.shape_cast",
            TpuOp::Transpose { .. } => "vector.transpose",
            TpuOp::MultiReduction { .. } => "vector.multi_reduction",
            TpuOp::ExtractStridedSlice { .. } => "vector.extract_strided_slice",
            TpuOp::InsertStridedSlice { .. } => "vector.insert_strided_slice",
            TpuOp::Extract { .. } => "vector.extract",
            TpuOp::Concatenate { .. } => "tpu.concatenate",
            TpuOp::Iota { .. } => "tpu.iota",
            TpuOp::Rotate { .. } => "tpux.rotate",
            TpuOp::DynamicRotate { .. } => "tpu.dynamic_rotate",
            TpuOp::Repeat { .. } => "tpu.repeat",
            TpuOp::DynamicGather { .. } => "tpu.dynamic_gather",
            TpuOp::Reverse { .. } => "tpux.reverse",
            TpuOp::Matmul { .. } => "tpu.matmul",
            TpuOp::AllReduce { .. } => "tpu.all_reduce",
            TpuOp::CreateMask => "tpu.create_mask",
            TpuOp::PackSubelements => "tpu.pack_subelements",
            TpuOp::UnpackSubelements { .. } => "tpu.unpack_subelements",
            TpuOp::RollVectors => "tpu.roll_vectors",
            TpuOp::UnrollVectors => "tpu.unroll_vectors",
            TpuOp::Load { .. } => "tpu.vector_load",
            TpuOp::Store { .. } => "tpu.vector_store",
            TpuOp::RegisterLoad { .. } => "tpu.load",
            TpuOp::RegisterStore { .. } => "tpu.store",
            TpuOp::ScalarLoad => "memref.load",
            TpuOp::ScalarStore => "memref.store",
            TpuOp::MemRefSlice { .. } => "tpu.memref_slice",
            TpuOp::MemRefSqueeze => "tpu.memref_squeeze",
            TpuOp::MemRefReshape => "tpu.memref_reshape",
            TpuOp::MemRefBitcast => "tpu.memref_bitcast",
            TpuOp::EnqueueDma { .. } => "tpu.enqueue_dma",
            TpuOp::WaitDma2 => "tpu.wait_dma2",
            TpuOp::SemaphoreSignal => "tpu.sem_signal",
            TpuOp::SemaphoreWait => "tpu.sem_wait",
            TpuOp::SemaphoreRead => "tpu.sem_read",
            TpuOp::BarrierSemaphore => "tpu.sem_barrier",
            TpuOp::For => "scf.for",
            TpuOp::If => "scf.if",
            TpuOp::While => "scf.while",
            TpuOp::Condition => "scf.condition",
            TpuOp::Yield => "scf.yield",
            TpuOp::Implements { .. } => "tpux.implements",
        }
    }

    /// Number of its regions.
    pub fn regions(&self) -> usize {
        match self {
            TpuOp::For | TpuOp::Implements { .. } => 1,
            TpuOp::If | TpuOp::While => 2,
            TpuOp::Constant(_)
            | TpuOp::Elementwise(_)
            | TpuOp::IndexCast
            | TpuOp::Broadcast
            | TpuOp::ShapeCast
            | TpuOp::Transpose { .. }
            | TpuOp::MultiReduction { .. }
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
            | TpuOp::Matmul { .. }
            | TpuOp::AllReduce { .. }
            | TpuOp::CreateMask
            | TpuOp::PackSubelements
            | TpuOp::UnpackSubelements { .. }
            | TpuOp::RollVectors
            | TpuOp::UnrollVectors
            | TpuOp::RegisterLoad { .. }
            | TpuOp::RegisterStore { .. }
            | TpuOp::Load { .. }
            | TpuOp::Store { .. }
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
            | TpuOp::Yield => 0,
        }
    }
}
