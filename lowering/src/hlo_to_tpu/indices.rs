//! Start indices as scalars of a kernel: clamped, or tested.

use super::{computation::Computation, emitter::Emitter, form::Site, plan::lead};
use tileproof_dialect::{
    error::Error,
    hlo::{self, and::And, compare::Direction, maximum::Maximum, minimum::Minimum},
    program::ValueId,
    tensor::Tensor,
    tpu::{KernelType, KernelValue, MemRefType, MemorySpace, TpuOp},
    types::{Class, ElementType},
};

/// A scalar index as i32 between 0 and `most`; other integers are clamped in their own type first where they are wider in range.
pub fn clamped(e: &mut Emitter<'_>, index: KernelValue, most: u64) -> KernelValue {
    let index = bounded(e, index);
    let zero = e.scalar_constant(0, ElementType::I32);
    let most = e.scalar_constant(most as i64, ElementType::I32);
    let index = e.elementwise(Maximum, &[index, zero], ElementType::I32);
    e.elementwise(Minimum, &[index, most], ElementType::I32)
}

/// A vector of indices as i32 between 0 and `most`.
pub fn clamped_all(e: &mut Emitter<'_>, indices: KernelValue, most: u64) -> KernelValue {
    let indices = bounded(e, indices);
    let dims = e.dims(indices);
    let zero = e.splat(&dims, &Tensor::from_i64s(&[], &ElementType::I32, &[0]));
    let most = e.splat(
        &dims,
        &Tensor::from_i64s(&[], &ElementType::I32, &[most as i64]),
    );
    let indices = e.elementwise(Maximum, &[indices, zero], ElementType::I32);
    e.elementwise(Minimum, &[indices, most], ElementType::I32)
}

/// An index as i32; unsigned ones beyond its range become its largest number, which lies outside every tensor.
pub fn bounded(e: &mut Emitter<'_>, index: KernelValue) -> KernelValue {
    let element = e.element(index);
    let index = if element == ElementType::U32 {
        let dims = e.dims(index);
        let most = Tensor::from_i64s(&[], &element, &[i64::from(i32::MAX)]);
        let most = e.splat(&dims, &most);
        e.elementwise(Minimum, &[index, most], element)
    } else {
        index
    };
    e.convert(index, &ElementType::I32)
}

/// Whether 0 <= index <= most.
pub fn is_inside(e: &mut Emitter<'_>, index: KernelValue, most: u64) -> KernelValue {
    let zero = e.scalar_constant(0, ElementType::I32);
    let most = e.scalar_constant(most as i64, ElementType::I32);
    let low = e.compare(Direction::Ge, index, zero);
    let high = e.compare(Direction::Le, index, most);
    e.elementwise(And, &[low, high], ElementType::I1)
}

/// An index tensor that is read one number at a time: `[positions.., components]` in SMEM or VMEM.
pub struct Indices {
    reference: KernelValue,
    in_smem: InSmem,
    element: ElementType,
    /// Sizes of the index tensor.
    dims: Vec<u64>,
    vector: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InSmem {
    Yes,
    No,
}

impl Indices {
    /// The index tensor `v`, whose component dimension is `vector` (its rank: every index is one number).
    pub fn new(
        site: &Site<'_>,
        e: &mut Emitter<'_>,
        v: ValueId,
        vector: i64,
    ) -> Result<Indices, Error> {
        let (reference, in_smem) = match e.prefetched(v) {
            Some(reference) => (reference, InSmem::Yes),
            None => (e.reference(v)?, InSmem::No),
        };
        let element = site.computation.element(v)?;
        if !matches!(element.class(), Class::Signed | Class::Unsigned) || element.bits() > 32 {
            return Err(site.unsupported(format!("indices of type {element}")));
        }
        Ok(Indices {
            reference,
            in_smem,
            element,
            dims: site.dims(v)?,
            vector: vector as usize,
        })
    }

    /// Sizes of the positions.
    pub fn positions(&self) -> Vec<u64> {
        let dims = self.dims.iter().enumerate();
        dims.filter(|(d, _)| *d != self.vector)
            .map(|(_, n)| *n)
            .collect()
    }

    /// Component `k` of the index at `position` (i32 scalars), as i32.
    pub fn component(
        &self,
        e: &mut Emitter<'_>,
        position: &[KernelValue],
        k: usize,
    ) -> KernelValue {
        let mut at: Vec<KernelValue> = position.to_vec();
        if self.vector < self.dims.len() {
            let k = e.b.i32(k as i64);
            at.insert(self.vector, k);
        }
        let mut all: Vec<KernelValue> = (at.len()..2).map(|_| e.index(0)).collect();
        for i in at {
            all.push(e.as_index(i));
        }
        let index = match self.in_smem {
            InSmem::Yes => {
                let operands: Vec<KernelValue> = [self.reference].into_iter().chain(all).collect();
                let ty = KernelType::Scalar(self.element.clone());
                e.b.one(TpuOp::ScalarLoad, &operands, ty)
            }
            InSmem::No => {
                let ones = vec![1; all.len()];
                let vector = e.load(self.reference, &all, &ones);
                e.extract(vector)
            }
        };
        bounded(e, index)
    }
}

/// The box of `sizes` of `v` that begins at `start` (i32 scalars): loaded, or copied from HBM first where `v` stays there. Divided dimensions of such a
/// tensor begin at the block's place.
pub fn read_box(
    e: &mut Emitter<'_>,
    v: ValueId,
    start: &[KernelValue],
    sizes: &[u64],
) -> Result<KernelValue, Error> {
    let Some(far) = e.far(v) else {
        let reference = e.reference(v)?;
        let start: Vec<KernelValue> = start.iter().map(|i| e.as_index(*i)).collect();
        return Ok(e.load(reference, &start, sizes));
    };
    let rank = e.computation.dims(v)?.len();
    let mut start = start.to_vec();
    for d in 0..rank {
        if let Some(offset) = e.offset(v, d) {
            start[lead(rank) + d] = offset;
        }
    }
    let element = e.computation.element(v)?;
    let place = MemRefType::new(sizes, element, MemorySpace::Vmem);
    let target = e.b.scratch(place);
    let semaphore = e.b.scratch(MemRefType::dma_semaphores(&[]));
    let source = e.part(far, &start, sizes);
    e.copy(source, target, semaphore);
    Ok(e.load_all(target))
}

/// Whether all uses of `v` are as the operand that a dynamic_slice or gather takes boxes of.
pub fn is_read_in_boxes(computation: &Computation<'_>, v: ValueId) -> bool {
    let boxes = |op: &hlo::Op| match op {
        hlo::Op::DynamicSlice(_) => true,
        hlo::Op::Gather(g) => super::gather::is_by_rows(g),
        _ => false,
    };
    !computation.results.contains(&v)
        && computation.ops.iter().all(|id| {
            let operands = computation.operands(*id);
            let places = operands.iter().enumerate().filter(|(_, w)| **w == v);
            places
                .into_iter()
                .all(|(i, _)| i == 0 && boxes(computation.op(*id).1))
        })
}

/// What is done at a position: its coordinates and its number, as i32.
pub type AtPosition<'a> =
    dyn FnMut(&mut Emitter<'_>, &[KernelValue], KernelValue) -> Result<(), Error> + 'a;

/// Runs `body` for every position of a box of `sizes`, last dimension fastest; it gets the coordinates and the number of the position, as i32.
pub fn each_position(
    e: &mut Emitter<'_>,
    sizes: &[u64],
    body: &mut AtPosition<'_>,
) -> Result<(), Error> {
    let zero = e.b.i32(0);
    nested(e, sizes, &mut vec![], zero, body)
}

fn nested(
    e: &mut Emitter<'_>,
    sizes: &[u64],
    at: &mut Vec<KernelValue>,
    number: KernelValue,
    body: &mut AtPosition<'_>,
) -> Result<(), Error> {
    let Some((first, rest)) = sizes.split_first() else {
        return body(e, at, number);
    };
    e.repeat(*first, &[], |e, i, _| {
        let size = e.b.i32(*first as i64);
        let number = e.elementwise(hlo::multiply::Multiply, &[number, size], ElementType::I32);
        let number = e.elementwise(hlo::add::Add, &[number, i], ElementType::I32);
        at.push(i);
        nested(e, rest, at, number, body)?;
        at.pop();
        Ok(vec![])
    })?;
    Ok(())
}

/// Whether all uses of `v` in the computation are as the index tensor of a gather or scatter.
pub fn is_index_tensor(computation: &Computation<'_>, v: ValueId) -> bool {
    let mut used = false;
    for id in &computation.ops {
        let (o, op) = computation.op(*id);
        let at = match op {
            hlo::Op::Gather(g) if super::gather::is_by_rows(g) => Some(1),
            hlo::Op::Scatter(_) => Some(o.results.len()),
            _ => None,
        };
        for (i, operand) in computation.operands(*id).iter().enumerate() {
            if *operand == v {
                if Some(i) != at {
                    return false;
                }
                used = true;
            }
        }
    }
    used && !computation.results.contains(&v)
}
