//! Checks the addresses that `tpu-assign-vmem` gave.
//!
//! Proves, for a kernel of stage S4 or S5: every buffer in VMEM and SMEM has an address; it lies inside the memory with all its tiles; it begins at a
//! tile; and no two buffers share a byte while both are needed, where a buffer is needed between the first and the last op that names it, for all rounds
//! of a loop when it is named inside, until every copy that names it has been waited for, and always when it is an operand of the caller. Sizes are
//! recomputed from the types.
//!
//! Cannot say: whether an op reads only what was written before (the simulator's shadow plane does), whether waits wait for the right copy (the
//! simulator's races do), or whether the tiles in the types are those the machine wants.

use std::{collections::BTreeMap, fmt};
use tileproof_dialect::{
    tpu::{Kernel, KernelRegion, KernelValue, MemorySpace, RefElement, Role, TpuOp},
    types::{Dim, ElementType},
};
use tileproof_lowering::target::TpuTarget;

/// What is wrong with the addresses of a kernel. Operands by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VmemFault {
    /// A size is only known when the kernel runs.
    UnknownSize {
        operand: usize,
    },
    NoAddress {
        operand: usize,
    },
    Misaligned {
        operand: usize,
        address: u64,
        alignment: u64,
    },
    BeyondCapacity {
        operand: usize,
        end: u64,
        capacity: u64,
    },
    /// Both are needed at an op and share a byte.
    Overlap {
        first: usize,
        second: usize,
        address: u64,
    },
}

impl fmt::Display for VmemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VmemFault::UnknownSize { operand } => {
                write!(
                    f,
                    "the size of operand {operand} is only known when the kernel runs"
                )
            }
            VmemFault::NoAddress { operand } => write!(f, "operand {operand} has no address"),
            VmemFault::Misaligned {
                operand,
                address,
                alignment,
            } => write!(
                f,
                "operand {operand} begins at byte {address}, not at a multiple of the {alignment} bytes of its tile"
            ),
            VmemFault::BeyondCapacity {
                operand,
                end,
                capacity,
            } => write!(
                f,
                "operand {operand} ends at byte {end} of a memory of {capacity} bytes"
            ),
            VmemFault::Overlap {
                first,
                second,
                address,
            } => write!(
                f,
                "operands {first} and {second} share byte {address} while both are needed"
            ),
        }
    }
}

/// A buffer with the bytes and the time it takes. Times are numbers of ops in textual order.
struct Extent {
    operand: usize,
    space: MemorySpace,
    start: u64,
    end: u64,
    needed: Option<(u64, u64)>,
}

/// Every fault of the kernel's addresses.
pub fn check(kernel: &Kernel, target: &TpuTarget) -> Vec<VmemFault> {
    let mut faults = vec![];
    let mut extents = vec![];
    let mut clock = Clock::new(kernel);
    clock.region(&kernel.body, None);
    let end = clock.now;
    clock.copies_end();
    for (operand, o) in kernel.operands.iter().enumerate() {
        let ty = &o.buffer;
        let (RefElement::Data(element), MemorySpace::Vmem | MemorySpace::Smem) =
            (&ty.element, ty.space)
        else {
            continue;
        };
        let mut sizes = vec![];
        for d in &ty.dims {
            match d {
                Dim::Static(n) => sizes.push(*n),
                Dim::Dynamic { .. } => {}
            }
        }
        if sizes.len() != ty.dims.len() {
            faults.push(VmemFault::UnknownSize { operand });
            continue;
        }
        let Some(address) = o.address else {
            faults.push(VmemFault::NoAddress { operand });
            continue;
        };
        let (bytes, alignment, capacity) = match ty.space {
            MemorySpace::Smem => {
                let words = u64::from(element.bits().div_ceil(32));
                (
                    4 * words * sizes.iter().product::<u64>(),
                    4,
                    target.smem_bytes,
                )
            }
            MemorySpace::Vmem | MemorySpace::Any | MemorySpace::Hbm | MemorySpace::SemaphoreMem => {
                let (bytes, tile) = vmem_bytes(&sizes, element, ty.tiles.first(), target);
                (bytes, tile, target.vmem_bytes)
            }
        };
        if address % alignment != 0 {
            faults.push(VmemFault::Misaligned {
                operand,
                address,
                alignment,
            });
        }
        if address + bytes > capacity {
            faults.push(VmemFault::BeyondCapacity {
                operand,
                end: address + bytes,
                capacity,
            });
        }
        let needed = match o.role {
            Role::Scratch => clock.needed.get(&operand).copied(),
            Role::Prefetch | Role::Input | Role::Output => Some((0, end)),
        };
        extents.push(Extent {
            operand,
            space: ty.space,
            start: address,
            end: address + bytes,
            needed,
        });
    }
    for (i, a) in extents.iter().enumerate() {
        for b in &extents[i + 1..] {
            let bytes = a.space == b.space && a.start < b.end && b.start < a.end;
            let time = match (a.needed, b.needed) {
                (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
                (None, _) | (_, None) => false,
            };
            if bytes && time {
                faults.push(VmemFault::Overlap {
                    first: a.operand,
                    second: b.operand,
                    address: a.start.max(b.start),
                });
            }
        }
    }
    faults
}

/// Bytes of a buffer with its two minor dimensions in whole tiles, and bytes of one tile.
fn vmem_bytes(
    sizes: &[u64],
    element: &ElementType,
    tile: Option<&Vec<u64>>,
    target: &TpuTarget,
) -> (u64, u64) {
    // Booleans are kept as bytes.
    let bits = if *element == ElementType::I1 {
        8
    } else {
        u64::from(element.bits())
    };
    let per_word = (32 / bits.next_power_of_two()).max(1);
    let tile = match (tile, sizes.len()) {
        (Some(tile), _) => tile.clone(),
        (None, 0 | 1) => vec![128 * per_word],
        (None, _) => vec![target.sublanes * per_word, target.lanes],
    };
    let mut count = 1;
    let mut from_minor = tile.iter().rev();
    for size in sizes.iter().rev() {
        let t = from_minor.next().copied().unwrap_or(1);
        count *= size.div_ceil(t) * t;
    }
    count *= from_minor.product::<u64>();
    let in_tile: u64 = tile.iter().product();
    (
        (count * bits).div_ceil(8),
        (in_tile * bits).div_ceil(8).max(1),
    )
}

/// Numbers the ops in textual order and notes when each operand is named.
struct Clock<'k> {
    kernel: &'k Kernel,
    now: u64,
    /// Operands a reference may lie in.
    lies_in: BTreeMap<KernelValue, Vec<usize>>,
    needed: BTreeMap<usize, (u64, u64)>,
    /// Copies as (semaphore operand, named operands), waits as (semaphore operand, last time).
    copies: Vec<(usize, Vec<usize>)>,
    waits: BTreeMap<usize, u64>,
}

impl<'k> Clock<'k> {
    fn new(kernel: &'k Kernel) -> Clock<'k> {
        let mut lies_in = BTreeMap::new();
        for i in 0..kernel.operands.len() {
            lies_in.insert(kernel.operand_ref(i), vec![i]);
        }
        Clock {
            kernel,
            now: 0,
            lies_in,
            needed: BTreeMap::new(),
            copies: vec![],
            waits: BTreeMap::new(),
        }
    }

    fn need(&mut self, operands: &[usize], from: u64, to: u64) {
        for o in operands {
            let at = self.needed.entry(*o).or_insert((from, to));
            *at = (at.0.min(from), at.1.max(to));
        }
    }

    /// Goes through a region; `round`: when the outermost loop around it began. Gives the operands named inside.
    fn region(&mut self, region: &KernelRegion, round: Option<u64>) -> Vec<usize> {
        let mut inside = vec![];
        for op in &region.ops {
            self.now += 1;
            let begin = self.now;
            let mut named: Vec<usize> = op
                .operands
                .iter()
                .filter_map(|v| self.lies_in.get(v))
                .flatten()
                .copied()
                .collect();
            let is_loop = matches!(op.op, TpuOp::For | TpuOp::While);
            for r in &op.regions {
                for v in &r.arguments {
                    if self.kernel.ty(*v).as_memref().is_some() {
                        self.lies_in.insert(*v, named.clone());
                    }
                }
            }
            let around = round.or(is_loop.then_some(begin));
            let mut deep = vec![];
            for r in &op.regions {
                deep.extend(self.region(r, around));
            }
            if is_loop && round.is_none() {
                let (all, end) = (deep.clone(), self.now);
                self.need(&all, begin, end);
            }
            named.extend(&deep);
            named.sort_unstable();
            named.dedup();
            for v in &op.results {
                if self.kernel.ty(*v).as_memref().is_some() {
                    self.lies_in.insert(*v, named.clone());
                }
            }
            let end = self.now;
            self.need(&named, begin, end);
            let counters = named.iter().copied().filter(|o| {
                !matches!(self.kernel.operands[*o].buffer.element, RefElement::Data(_))
            });
            if matches!(op.op, TpuOp::EnqueueDma { .. }) {
                let copies: Vec<_> = counters.map(|s| (s, named.clone())).collect();
                self.copies.extend(copies);
            } else if matches!(op.op, TpuOp::WaitDma2 | TpuOp::SemaphoreWait) {
                let waits: Vec<usize> = counters.collect();
                self.waits.extend(waits.into_iter().map(|s| (s, end)));
            }
            inside.extend(named);
        }
        inside
    }

    /// Copies hold what they name until the last wait on their semaphore; without one, to the end.
    fn copies_end(&mut self) {
        for (semaphore, named) in std::mem::take(&mut self.copies) {
            let until = self.waits.get(&semaphore).copied().unwrap_or(self.now);
            for o in named {
                if let Some(at) = self.needed.get_mut(&o) {
                    at.1 = at.1.max(until);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{
        literal::Literal,
        location::Location,
        stage::Stage,
        tensor::Tensor,
        tpu::{KernelBuilder, KernelOperand, KernelType, MemRefType, op::Mask},
    };
    use tileproof_lowering::target::DEFAULT;

    fn scratch(dims: &[u64], space: MemorySpace, address: Option<u64>) -> KernelOperand {
        KernelOperand {
            role: Role::Scratch,
            buffer: MemRefType::new(dims, ElementType::F32, space),
            window: None,
            alias: None,
            address,
        }
    }

    /// Loads each buffer in turn; `in_loop`: inside a loop.
    fn loads(operands: Vec<KernelOperand>, in_loop: &[usize]) -> Kernel {
        let n = operands.len();
        let mut b = KernelBuilder::new("k", Stage::S4, vec![], operands, Location::default());
        let zero = Tensor::from_i64s(&[], &ElementType::I64, &[0]);
        let literal = Literal::from_tensor(&zero);
        let zero = b.one(TpuOp::Constant(literal), &[], KernelType::Index);
        let load = |b: &mut KernelBuilder, i: usize| {
            let load = TpuOp::Load {
                strides: None,
                masked: Mask::Unmasked,
            };
            let ty = KernelType::vector(&[8, 128], ElementType::F32);
            b.one(load, &[b.operand_ref(i), zero, zero], ty);
        };
        if !in_loop.is_empty() {
            let bounds = [b.i32(0), b.i32(2), b.i32(1)];
            b.begin_region(&[KernelType::i32()]);
            for i in in_loop {
                load(&mut b, *i);
            }
            let region = b.end_region(&[]);
            b.op(TpuOp::For, &bounds, &[], vec![region]);
        }
        for i in (0..n).filter(|i| !in_loop.contains(i)) {
            load(&mut b, i);
        }
        b.finish()
    }

    fn two(first: u64, second: u64, in_loop: &[usize]) -> Vec<VmemFault> {
        let at = |address| scratch(&[8, 128], MemorySpace::Vmem, Some(address));
        check(&loads(vec![at(first), at(second)], in_loop), DEFAULT)
    }

    #[test]
    fn buffers_may_share_space_one_after_the_other_but_not_in_one_loop() {
        assert_eq!(two(0, 4096, &[0, 1]), []);
        assert_eq!(two(0, 0, &[]), []);
        assert_eq!(
            two(0, 0, &[0, 1]),
            [VmemFault::Overlap {
                first: 0,
                second: 1,
                address: 0
            }]
        );
    }

    #[test]
    fn a_copy_under_way_holds_its_buffer() {
        let copied = |waits: bool| {
            let mut operands = vec![
                scratch(&[8, 128], MemorySpace::Vmem, Some(0)),
                scratch(&[8, 128], MemorySpace::Vmem, Some(0)),
                scratch(&[8, 128], MemorySpace::Hbm, None),
            ];
            operands.push(KernelOperand {
                buffer: MemRefType::dma_semaphores(&[]),
                ..operands[0].clone()
            });
            let mut b = KernelBuilder::new("k", Stage::S4, vec![], operands, Location::default());
            let r: Vec<_> = (0..4).map(|i| b.operand_ref(i)).collect();
            let start = TpuOp::EnqueueDma {
                source_semaphore: tileproof_dialect::tpu::op::SourceSemaphore::Absent,
                priority: 0,
            };
            b.op(start.clone(), &[r[2], r[0], r[3]], &[], vec![]);
            if waits {
                b.op(TpuOp::WaitDma2, &[r[3], r[2], r[0]], &[], vec![]);
            }
            b.op(start, &[r[2], r[1], r[3]], &[], vec![]);
            b.op(TpuOp::WaitDma2, &[r[3], r[2], r[1]], &[], vec![]);
            check(&b.finish(), DEFAULT)
        };
        assert!(matches!(copied(false)[..], [VmemFault::Overlap { .. }]));
        // The same semaphore counts both: neither can be told to have ended before the last wait.
        assert!(matches!(copied(true)[..], [VmemFault::Overlap { .. }]));
    }

    #[test]
    fn addresses_are_there_inside_and_at_tiles() {
        let one = |operand| check(&loads(vec![operand], &[]), DEFAULT);
        let vmem = MemorySpace::Vmem;
        assert_eq!(
            one(scratch(&[8, 128], vmem, None)),
            [VmemFault::NoAddress { operand: 0 }]
        );
        assert_eq!(
            one(scratch(&[8, 128], vmem, Some(512))),
            [VmemFault::Misaligned {
                operand: 0,
                address: 512,
                alignment: 4096
            }]
        );
        // Five rows take a whole tile.
        let end = DEFAULT.vmem_bytes;
        assert_eq!(one(scratch(&[5, 100], vmem, Some(end - 4096))), []);
        assert_eq!(
            one(scratch(&[9, 100], vmem, Some(end - 4096))),
            [VmemFault::BeyondCapacity {
                operand: 0,
                end: end + 4096,
                capacity: end
            }]
        );
    }
}
