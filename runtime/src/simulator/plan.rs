//! A kernel made ready to run: movements resolved to strides, constants to tensors, types of results, and where values are used last.

use super::{
    access::{Access, Form},
    cell::{Cell, Lanes},
    movement::{broadcast, inner_product, iota, movement, repeat, reshape, unpack},
};
use smallvec::SmallVec;
use std::sync::Arc;
use tileproof_dialect::{
    attribute::{AttributeReader, Attributes},
    eval::Stop,
    hlo::{self, contraction::Precision, dot_general::DotGeneral},
    location::Location,
    planes::Planes,
    tensor::{Tensor, row_major_strides},
    tpu::{
        CombiningKind, Kernel, KernelOperation, KernelRegion, KernelType, KernelValue,
        MatmulDimensions, TpuOp,
        op::{Mask, SourceSemaphore},
    },
    types::{Dim, ElementType, TensorType, Type},
};

/// A kernel made ready.
#[derive(Debug)]
pub struct Plan {
    pub kernel: Arc<Kernel>,
    pub body: Block,
    /// Index map of each operand that has a window.
    pub transforms: Vec<Option<Block>>,
    /// Name and place of each op, by number.
    pub ops: Vec<(&'static str, Location)>,
    /// Element type of each value; references have none.
    pub elements: Vec<Option<ElementType>>,
}

/// A region made ready.
#[derive(Debug, Default)]
pub struct Block {
    pub arguments: Vec<usize>,
    pub steps: Vec<Step>,
    /// Operands of the terminator.
    pub yields: Vec<usize>,
    /// Those of them that the block itself defines.
    pub own_yields: Vec<usize>,
}

/// An op made ready.
#[derive(Debug)]
pub struct Step {
    pub code: Code,
    pub op: u32,
    pub operands: SmallVec<[Operand; 4]>,
    pub results: SmallVec<[usize; 1]>,
    pub blocks: Vec<Block>,
    /// Values that inner blocks used last.
    pub drops: Vec<usize>,
}

/// A use of a value.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    pub value: usize,
    /// No one uses it afterwards.
    pub last: bool,
}

/// What a step does.
#[derive(Debug)]
pub enum Code {
    Constant(Cell),
    Elementwise {
        op: hlo::Op,
        results: Vec<Type>,
    },
    /// Integer scalar to another integer type.
    ToInteger(ElementType),
    /// Element `i..` of the sizes `walk` is element `offset + i.strides` of the operand; the result has the sizes `dims`.
    Move {
        walk: Vec<u64>,
        offset: i64,
        strides: Vec<i64>,
        dims: Vec<u64>,
    },
    /// Folds `dims`; with an accumulator, which comes first.
    Reduce {
        combine: hlo::Op,
        dims: Vec<usize>,
        accumulated: bool,
    },
    /// Folds a dimension and spreads the result along it.
    AllReduce {
        combine: hlo::Op,
        dimension: usize,
    },
    Insert {
        offset: i64,
        strides: Vec<i64>,
    },
    Concatenate {
        dimension: usize,
    },
    /// No amount: it is an operand.
    Rotate {
        dimension: usize,
        amount: Option<u64>,
    },
    Gather {
        dimension: usize,
    },
    Matmul {
        dot: Box<DotGeneral>,
        results: Vec<Type>,
        operations: u64,
    },
    Mask {
        dims: Vec<u64>,
    },
    /// Registers of one type to one packed register.
    Pack {
        dims: Vec<u64>,
    },
    /// Registers to a block: rows and lanes of a register, packing.
    Roll {
        dims: Vec<u64>,
    },
    Unroll {
        dims: Vec<u64>,
    },
    Load {
        dims: Vec<u64>,
        how: Access,
    },
    Store {
        how: Access,
    },
    Slice {
        sizes: Vec<Dim>,
    },
    Squeeze {
        dims: Vec<u64>,
    },
    Reshape {
        dims: Vec<u64>,
    },
    Bitcast {
        dims: Vec<u64>,
        element: ElementType,
    },
    Enqueue {
        source_semaphore: bool,
    },
    WaitDma,
    Signal,
    Wait,
    Read,
    Barrier,
    For,
    If,
    While,
    /// The function the region stands for, where it is known.
    Implements {
        function: Option<hlo::Op>,
        results: Vec<Type>,
    },
}

impl Plan {
    pub fn new(kernel: &Arc<Kernel>, planes: Planes) -> Result<Plan, Stop> {
        let mut maker = Maker {
            kernel,
            planes,
            ops: vec![],
            owners: vec![NO_BLOCK; kernel.types.len()],
            last_uses: vec![0; kernel.types.len()],
            blocks: 0,
        };
        let body = maker.block(&kernel.body)?;
        let transforms = kernel
            .operands
            .iter()
            .map(|o| {
                o.window
                    .as_ref()
                    .map(|w| maker.block(&w.transform))
                    .transpose()
            })
            .collect::<Result<_, Stop>>()?;
        Ok(Plan {
            body,
            transforms,
            ops: maker.ops,
            elements: kernel.types.iter().map(KernelType::element).collect(),
            kernel: kernel.clone(),
        })
    }
}

struct Maker<'k> {
    kernel: &'k Kernel,
    planes: Planes,
    ops: Vec<(&'static str, Location)>,
    /// Number of the block that defines each value.
    owners: Vec<u32>,
    /// Of each value the op of its block that uses it last, inner regions included; one that nothing uses: the op that defines it.
    last_uses: Vec<usize>,
    /// Blocks so far.
    blocks: u32,
}

const NO_BLOCK: u32 = u32::MAX;

impl Maker<'_> {
    fn block(&mut self, region: &KernelRegion) -> Result<Block, Stop> {
        let me = self.blocks;
        self.blocks += 1;
        self.define(&region.arguments, me, 0);
        for (i, o) in region.ops.iter().enumerate() {
            self.define(&o.results, me, i);
        }
        for (i, o) in region.ops.iter().enumerate() {
            uses(o, &mut |v| {
                if self.owners.get(v.index()) == Some(&me) {
                    self.last_uses[v.index()] = i;
                }
            });
        }
        let mut out = Block {
            arguments: region.arguments.iter().map(|v| v.index()).collect(),
            ..Block::default()
        };
        for (i, o) in region.ops.iter().enumerate() {
            if matches!(o.op, TpuOp::Yield | TpuOp::Condition) {
                out.yields = o.operands.iter().map(|v| v.index()).collect();
                let own = out
                    .yields
                    .iter()
                    .filter(|v| self.owners.get(**v) == Some(&me));
                out.own_yields = own.copied().collect();
                return Ok(out);
            }
            out.steps.push(self.step(o, me, i)?);
        }
        Err(Stop::internal(
            "a region of a kernel does not end with a yield",
        ))
    }

    fn define(&mut self, values: &[KernelValue], block: u32, at: usize) {
        for v in values {
            if let Some(owner) = self.owners.get_mut(v.index()) {
                *owner = block;
                self.last_uses[v.index()] = at;
            }
        }
    }

    /// Op number `i` of block `me`.
    fn step(&mut self, o: &KernelOperation, me: u32, i: usize) -> Result<Step, Stop> {
        let op = self.ops.len() as u32;
        self.ops.push((o.op.name(), o.location.clone()));
        let mut inside: Vec<KernelValue> = vec![];
        for inner in o.regions.iter().flat_map(|r| &r.ops) {
            uses(inner, &mut |v| inside.push(v));
        }
        inside.sort_unstable();
        inside.dedup();
        let dies = |v: &KernelValue| {
            self.owners.get(v.index()) == Some(&me) && self.last_uses[v.index()] == i
        };
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::with_capacity(o.operands.len());
        for (at, v) in o.operands.iter().enumerate() {
            // An op with many operands uses each once or keeps it until the end.
            let again = match o.operands.len() {
                0..=16 => o.operands[at + 1..].contains(v),
                _ => true,
            };
            operands.push(Operand {
                value: v.index(),
                last: !again && dies(v) && inside.binary_search(v).is_err(),
            });
        }
        let kept = operands
            .iter()
            .filter(|u| !u.last)
            .map(|u| KernelValue(u.value as u32));
        let mut drops: Vec<usize> = kept
            .chain(inside.iter().copied())
            .chain(o.results.iter().copied())
            .filter(|v| dies(v))
            .map(|v| v.index())
            .collect();
        drops.sort_unstable();
        drops.dedup();
        let blocks = o
            .regions
            .iter()
            .map(|r| self.block(r))
            .collect::<Result<_, Stop>>()?;
        let code = self.code(o).ok_or_else(|| {
            let name = o.op.name();
            Stop::internal(format!("'{name}' with operands it cannot have"))
        })?;
        Ok(Step {
            code,
            op,
            operands,
            results: o.results.iter().map(|v| v.index()).collect(),
            blocks,
            drops,
        })
    }

    fn ty(&self, values: &[KernelValue], at: usize) -> Option<&KernelType> {
        Some(self.kernel.ty(*values.get(at)?))
    }

    fn dims(&self, values: &[KernelValue], at: usize) -> Option<&[u64]> {
        self.ty(values, at)?.dims()
    }

    /// Types of the results as tensors.
    fn results(&self, o: &KernelOperation) -> Option<Vec<Type>> {
        let tensor = |v: &KernelValue| {
            let ty = self.kernel.ty(*v);
            Some(TensorType::new(ty.dims()?.iter().copied(), ty.element()?).into())
        };
        o.results.iter().map(tensor).collect()
    }

    fn code(&self, o: &KernelOperation) -> Option<Code> {
        let result_dims = || self.dims(&o.results, 0);
        let operand_dims = || self.dims(&o.operands, 0);
        let memref_dims = || self.ty(&o.results, 0)?.as_memref()?.static_dims();
        Some(match &o.op {
            TpuOp::Constant(literal) => Code::Constant(self.constant(literal.to_tensor())),
            TpuOp::Elementwise(op) => Code::Elementwise {
                op: op.clone(),
                results: self.results(o)?,
            },
            TpuOp::IndexCast => Code::ToInteger(self.ty(&o.results, 0)?.element()?),
            TpuOp::Broadcast => broadcast(operand_dims()?, result_dims()?)?,
            TpuOp::ShapeCast => reshape(result_dims()?),
            TpuOp::Transpose { permutation } => {
                let strides = row_major_strides(operand_dims()?);
                let strides = permutation
                    .iter()
                    .map(|p| strides.get(*p as usize).copied())
                    .collect::<Option<Vec<i64>>>()?;
                movement(result_dims()?, 0, strides)
            }
            TpuOp::MultiReduction { kind, dims } => Code::Reduce {
                combine: combine(*kind, &self.ty(&o.operands, 0)?.element()?)?,
                dims: dims.iter().map(|d| *d as usize).collect(),
                accumulated: o.operands.len() > 1,
            },
            TpuOp::AllReduce { kind, dimension } => Code::AllReduce {
                combine: combine(*kind, &self.ty(&o.operands, 0)?.element()?)?,
                dimension: *dimension as usize,
            },
            TpuOp::ExtractStridedSlice {
                offsets,
                sizes: _,
                strides: steps,
            } => {
                let strides = row_major_strides(operand_dims()?);
                let offset = inner_product(offsets, &strides);
                let strides = strides
                    .iter()
                    .zip(steps)
                    .map(|(s, t)| s * *t as i64)
                    .collect();
                movement(result_dims()?, offset, strides)
            }
            TpuOp::InsertStridedSlice { offsets } => {
                let into = self.dims(&o.operands, 1)?;
                let strides = row_major_strides(into);
                let offset = inner_product(offsets, &strides);
                // The part may lack leading dimensions.
                let lacking = into.len().checked_sub(operand_dims()?.len())?;
                Code::Insert {
                    offset,
                    strides: strides[lacking..].to_vec(),
                }
            }
            TpuOp::Extract { position } => {
                let strides = row_major_strides(operand_dims()?);
                let offset = inner_product(position, &strides);
                movement(
                    result_dims()?,
                    offset,
                    strides.get(position.len()..)?.to_vec(),
                )
            }
            TpuOp::Concatenate { dimension } => Code::Concatenate {
                dimension: *dimension as usize,
            },
            TpuOp::Iota { dimensions } => Code::Constant(Cell::of(
                iota(
                    result_dims()?,
                    dimensions,
                    &self.ty(&o.results, 0)?.element()?,
                )
                .into(),
            )),
            TpuOp::Rotate { amount, dimension } => Code::Rotate {
                dimension: *dimension as usize,
                amount: Some(*amount),
            },
            TpuOp::DynamicRotate { dimension } => Code::Rotate {
                dimension: *dimension as usize,
                amount: None,
            },
            TpuOp::Repeat { dimension, times } => {
                repeat(operand_dims()?, *dimension as usize, *times)
            }
            TpuOp::DynamicGather { dimension } => Code::Gather {
                dimension: *dimension as usize,
            },
            TpuOp::Reverse { dimensions } => {
                let dims = operand_dims()?;
                let (mut offset, mut strides) = (0, row_major_strides(dims));
                for d in dimensions.iter().map(|d| *d as usize) {
                    offset += strides.get(d)? * (dims[d] as i64 - 1);
                    strides[d] = -strides[d];
                }
                movement(dims, offset, strides)
            }
            TpuOp::Matmul {
                dimensions,
                precision,
            } => self.matmul(o, dimensions, precision.as_deref())?,
            TpuOp::CreateMask => Code::Mask {
                dims: result_dims()?.to_vec(),
            },
            TpuOp::PackSubelements => Code::Pack {
                dims: result_dims()?.to_vec(),
            },
            TpuOp::UnpackSubelements { index } => unpack(operand_dims()?, *index)?,
            TpuOp::RollVectors => Code::Roll {
                dims: result_dims()?.to_vec(),
            },
            TpuOp::UnrollVectors => Code::Unroll {
                dims: result_dims()?.to_vec(),
            },
            TpuOp::Load { strides, masked } => Code::Load {
                dims: result_dims()?.to_vec(),
                how: access(Form::Vector, strides.as_deref(), *masked),
            },
            TpuOp::Store { strides, masked } => Code::Store {
                how: access(Form::Vector, strides.as_deref(), *masked),
            },
            TpuOp::RegisterLoad { masked } => Code::Load {
                dims: result_dims()?.to_vec(),
                how: access(Form::Register, None, *masked),
            },
            TpuOp::RegisterStore { masked } => Code::Store {
                how: access(Form::Register, None, *masked),
            },
            TpuOp::ScalarLoad => Code::Load {
                dims: vec![],
                how: access(Form::Vector, None, Mask::Unmasked),
            },
            TpuOp::ScalarStore => Code::Store {
                how: access(Form::Vector, None, Mask::Unmasked),
            },
            TpuOp::MemRefSlice { sizes } => Code::Slice {
                sizes: sizes.clone(),
            },
            TpuOp::MemRefSqueeze => Code::Squeeze {
                dims: memref_dims()?,
            },
            TpuOp::MemRefReshape => Code::Reshape {
                dims: memref_dims()?,
            },
            TpuOp::MemRefBitcast => Code::Bitcast {
                dims: memref_dims()?,
                element: self.ty(&o.results, 0)?.as_memref()?.data()?.clone(),
            },
            TpuOp::EnqueueDma {
                source_semaphore,
                priority: _,
            } => Code::Enqueue {
                source_semaphore: *source_semaphore == SourceSemaphore::Present,
            },
            TpuOp::WaitDma2 => Code::WaitDma,
            TpuOp::SemaphoreSignal => Code::Signal,
            TpuOp::SemaphoreWait => Code::Wait,
            TpuOp::SemaphoreRead => Code::Read,
            TpuOp::BarrierSemaphore => Code::Barrier,
            TpuOp::For => Code::For,
            TpuOp::If => Code::If,
            TpuOp::While => Code::While,
            TpuOp::Implements { name } => Code::Implements {
                function: function(name),
                results: self.results(o)?,
            },
            // They end a block.
            TpuOp::Condition | TpuOp::Yield => return None,
        })
    }

    fn constant(&self, t: Tensor) -> Cell {
        Cell::of(Lanes::from(match self.planes {
            Planes::IeeeOnly => t,
            Planes::IeeeAndRing => t.with_embedded_ring(),
        }))
    }

    fn matmul(
        &self,
        o: &KernelOperation,
        d: &MatmulDimensions,
        precision: Option<&str>,
    ) -> Option<Code> {
        let list = |l: &[u64]| l.iter().map(|d| *d as i64).collect();
        let precision = match precision {
            None | Some("DEFAULT") => None,
            Some("HIGH") => Some(vec![Precision::High; 2]),
            Some(_) => Some(vec![Precision::Highest; 2]),
        };
        let (lhs, rhs) = (self.dims(&o.operands, 0)?, self.dims(&o.operands, 1)?);
        let dot = DotGeneral {
            lhs_batching_dimensions: list(&d.lhs_batch),
            rhs_batching_dimensions: list(&d.rhs_batch),
            lhs_contracting_dimensions: list(&d.lhs_contracting),
            rhs_contracting_dimensions: list(&d.rhs_contracting),
            precision_config: precision,
            algorithm: None,
        };
        let sizes = dot.canonical(lhs, rhs)?;
        Some(Code::Matmul {
            dot: Box::new(dot),
            results: self.results(o)?,
            operations: 2 * (sizes.batch * sizes.m * sizes.n * sizes.k) as u64,
        })
    }
}

/// Every value an op uses, inner regions included.
fn uses(o: &KernelOperation, visit: &mut dyn FnMut(KernelValue)) {
    o.operands.iter().for_each(|v| visit(*v));
    for inner in o.regions.iter().flat_map(|r| &r.ops) {
        uses(inner, visit);
    }
}

fn access(form: Form, steps: Option<&[u64]>, masked: Mask) -> Access {
    Access {
        form,
        steps: steps.unwrap_or_default().to_vec(),
        masked: masked == Mask::Masked,
    }
}

/// The elementwise op a reduction combines with.
fn combine(kind: CombiningKind, element: &ElementType) -> Option<hlo::Op> {
    let unsigned = matches!(
        element,
        ElementType::U2
            | ElementType::U4
            | ElementType::U8
            | ElementType::U16
            | ElementType::U32
            | ElementType::U64
    );
    Some(match kind {
        CombiningKind::Add => hlo::add::Add.into(),
        CombiningKind::Mul => hlo::multiply::Multiply.into(),
        CombiningKind::Min => hlo::minimum::Minimum.into(),
        CombiningKind::Max => hlo::maximum::Maximum.into(),
        CombiningKind::MinUi if unsigned => hlo::minimum::Minimum.into(),
        CombiningKind::MaxUi if unsigned => hlo::maximum::Maximum.into(),
        // Of booleans the smaller is the and, the larger the or.
        CombiningKind::MinUi if *element == ElementType::I1 => hlo::and::And.into(),
        CombiningKind::MaxUi if *element == ElementType::I1 => hlo::or::Or.into(),
        CombiningKind::MinUi | CombiningKind::MaxUi => return None,
        CombiningKind::And => hlo::and::And.into(),
        CombiningKind::Or => hlo::or::Or.into(),
        CombiningKind::Xor => hlo::xor::Xor.into(),
    })
}

/// The op `chlo.NAME`, `stablehlo.NAME` or `NAME`.
fn function(name: &str) -> Option<hlo::Op> {
    let name = name.rsplit('.').next()?;
    let location = Location::default();
    let mut reader = AttributeReader::new(name, Attributes::new(), &location);
    let op = hlo::Op::from_attributes(name, &mut reader)?;
    reader.finish().ok()?;
    Some(op)
}
