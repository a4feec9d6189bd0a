//! A kernel: what `func.func` with Mosaic's attributes is in text, as plain data.

use super::{
    op::TpuOp,
    types::{KernelType, MemRefType},
};
use crate::{location::Location, stage::Stage};
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::Xxh3;

/// An SSA value of a kernel: a number into [`Kernel::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelValue(pub u32);

impl KernelValue {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A kernel. Called by `hlo.kernel_call`, whose operands are the prefetch operands and inputs in order and whose results are the outputs; a tensor is
/// seen as the buffer's sizes in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    /// S3: windows; S4: no windows, explicit copies, addresses; S5: native registers.
    pub stage: Stage,
    /// Steps run in row-major order, last dimension fastest. Empty: one step.
    pub grid: Vec<GridDimension>,
    /// Prefetch, then inputs, then outputs, then scratch.
    pub operands: Vec<KernelOperand>,
    /// Arguments: one i32 a grid dimension, then one reference an operand: the window's block in VMEM where it has a window, else the buffer.
    pub body: KernelRegion,
    /// Types of all values, of the body and of the index maps.
    pub types: Vec<KernelType>,
    pub location: Location,
}

/// `iteration_bounds` and `dimension_semantics` of one grid dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GridDimension {
    pub size: u64,
    pub semantics: Semantics,
}

/// `#tpu.dimension_semantics<..>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// Steps along it may run in any order or at once.
    Parallel,
    /// In order.
    Arbitrary,
}

/// What an operand is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// In SMEM before the first step (`scalar_prefetch`).
    Prefetch,
    Input,
    Output,
    /// Lives as long as the kernel; its contents at the start are invalid. Semaphores start at 0.
    Scratch,
}

/// One operand of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelOperand {
    pub role: Role,
    /// The whole buffer. Inputs and outputs: in HBM (`any`, `hbm`) when they have a window or the body copies itself, else in VMEM or SMEM as a whole.
    pub buffer: MemRefType,
    pub window: Option<Window>,
    /// Of an output: the input operand whose buffer it takes.
    pub alias: Option<u32>,
    /// `tpux.vmem_address`: first byte in VMEM (SMEM for SMEM buffers), from `tpu-assign-vmem` on.
    pub address: Option<u64>,
}

/// `window_params` of an operand: at a grid step the body sees the block at `transform(step) * block`. Parts of a block beyond the buffer's end are
/// padding: invalid when read, dropped when written. An output block is written back after the last step in a row that has its index; a block that
/// comes again later starts with invalid contents. An input block is fetched when the index changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// As many sizes as the buffer has.
    pub block: Vec<u64>,
    /// Arguments: the grid indices, then the prefetch references. Yields one i32 a dimension.
    pub transform: KernelRegion,
}

/// One block with arguments, ended by `Yield` (`Condition` in the first region of a `While`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelRegion {
    pub arguments: Vec<KernelValue>,
    pub ops: Vec<KernelOperation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelOperation {
    pub op: TpuOp,
    pub operands: Vec<KernelValue>,
    pub results: Vec<KernelValue>,
    pub regions: Vec<KernelRegion>,
    /// Source ops it implements.
    pub location: Location,
}

impl Hash for Window {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.block.hash(h);
        self.transform.hash(h);
    }
}

impl Hash for KernelRegion {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.arguments.hash(h);
        self.ops.len().hash(h);
        for o in &self.ops {
            (&o.op, &o.operands, &o.results).hash(h);
            o.regions.hash(h);
        }
    }
}

impl Kernel {
    pub fn ty(&self, v: KernelValue) -> &KernelType {
        &self.types[v.index()]
    }

    /// Operands with this role, with their numbers.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &KernelOperand)> {
        self.operands
            .iter()
            .enumerate()
            .filter(move |(_, o)| o.role == role)
    }

    /// The body's argument for grid dimension `i`.
    pub fn grid_index(&self, i: usize) -> KernelValue {
        self.body.arguments[i]
    }

    /// The body's argument for operand `i`.
    pub fn operand_ref(&self, i: usize) -> KernelValue {
        self.body.arguments[self.grid.len() + i]
    }

    /// Number of grid steps.
    pub fn steps(&self) -> u64 {
        self.grid.iter().map(|d| d.size).product()
    }

    /// The same kernel with values numbered in order of definition: the body's, then each index map's; of an op its regions' before its results. Two
    /// kernels that differ in numbers only are equal afterwards. A yield of nothing, which text leaves out, is at the place of its op.
    pub fn renumbered(mut self) -> Kernel {
        let mut numbering = Numbering {
            of: vec![None; self.types.len()],
            types: vec![],
            old: std::mem::take(&mut self.types),
        };
        numbering.region(&mut self.body);
        for operand in &mut self.operands {
            if let Some(window) = &mut operand.window {
                numbering.region(&mut window.transform);
            }
        }
        self.types = numbering.types;
        self
    }

    /// Hash of all but name and locations.
    pub fn structural_hash(&self) -> u128 {
        let mut h = Xxh3::new();
        (
            &self.stage,
            &self.grid,
            &self.operands,
            &self.body,
            &self.types,
        )
            .hash(&mut h);
        h.digest128()
    }

    /// Every op of the body and of its inner regions, in program order.
    pub fn walk<'k>(&'k self, visit: &mut impl FnMut(&'k KernelOperation)) {
        walk(&self.body, visit);
    }
}

/// Every op of `region` and of its inner regions, in program order.
pub fn walk<'k>(region: &'k KernelRegion, visit: &mut impl FnMut(&'k KernelOperation)) {
    for o in &region.ops {
        visit(o);
        for inner in &o.regions {
            walk(inner, visit);
        }
    }
}

struct Numbering {
    of: Vec<Option<KernelValue>>,
    types: Vec<KernelType>,
    old: Vec<KernelType>,
}

impl Numbering {
    /// A value without a type keeps its number.
    fn value(&mut self, v: &mut KernelValue) {
        let (Some(slot), Some(ty)) = (self.of.get_mut(v.index()), self.old.get(v.index())) else {
            return;
        };
        *v = *slot.get_or_insert_with(|| {
            self.types.push(ty.clone());
            KernelValue(self.types.len() as u32 - 1)
        });
    }

    fn region(&mut self, region: &mut KernelRegion) {
        region.arguments.iter_mut().for_each(|v| self.value(v));
        for o in &mut region.ops {
            o.operands.iter_mut().for_each(|v| self.value(v));
            for inner in &mut o.regions {
                self.region(inner);
                if let Some(end) = inner.ops.last_mut()
                    && end.op == TpuOp::Yield
                    && end.operands.is_empty()
                {
                    end.location = o.location.clone();
                }
            }
            o.results.iter_mut().for_each(|v| self.value(v));
        }
    }
}
