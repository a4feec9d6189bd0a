//! `tpu-assign-vmem`: every buffer of a kernel in VMEM and SMEM gets an address.
//!
//! # Before
//! S4: scratch buffers and whole operands in VMEM and SMEM, without addresses.
//!
//! # After
//! S4: each has the byte it begins at in its memory. Sizes are those of whole tiles, addresses are multiples of the outermost tile's bytes. Two buffers
//! share space only where no op of the body needs both: a scratch buffer is needed from the first to the last op of the body that touches it, an op with
//! regions as a whole, and while a copy from or to it may be under way; an operand is needed all the time.
//!
//! # Numerics
//! Bit-exact: nothing is computed.
//!
//! # Example
//! `scratch vmem f32[8,128]` first used at op 3 and last at 5, another of the same size used from 6 to 9: both at 0.
//!
//! # Leaves alone
//! Operands in HBM, semaphores. A kernel that does not fit is an error that names its buffers, largest first.

use crate::{
    kernels::live_range::{LiveRange, live_ranges},
    pass::{Pass, Rewrite, Run},
    target::TpuTarget,
};
use tileproof_dialect::{
    error::Error,
    numerics::Numerics,
    stage::Stage,
    tpu::{Kernel, MemRefType, MemorySpace, Role},
    types::ElementType,
};

pub static PASS: Pass = Pass {
    name: "tpu-assign-vmem",
    input: Stage::S4,
    output: Stage::S4,
    summary: "buffers get addresses",
    rewrites: &[Rewrite {
        name: "address",
        equation: "kernel(buffers) = kernel(buffers at addresses)",
        numerics: Numerics::bit_exact,
        pattern: None,
    }],
    run: Run::Kernel(assign_vmem),
};

/// One buffer to be placed.
struct Buffer {
    operand: usize,
    bytes: u64,
    alignment: u64,
    live: LiveRange,
}

/// Gives every buffer in VMEM and SMEM of a kernel of stage S4 an address.
pub fn assign_vmem(kernel: &Kernel, target: &TpuTarget) -> Result<Kernel, Error> {
    if kernel.stage != Stage::S4 {
        return Err(Error::internal(format!(
            "tpu-assign-vmem takes kernels of stage S4; @{} is of {}",
            kernel.name, kernel.stage
        )));
    }
    let live = live_ranges(kernel);
    let mut out = kernel.clone();
    for (space, capacity) in [
        (MemorySpace::Vmem, target.vmem_bytes),
        (MemorySpace::Smem, target.smem_bytes),
    ] {
        let mut buffers = vec![];
        for (i, operand) in kernel.operands.iter().enumerate() {
            if operand.buffer.space != space {
                continue;
            }
            let (bytes, alignment) = footprint(&operand.buffer, target).ok_or_else(|| {
                Error::unsupported(format!(
                    "S4: operand {i} of kernel @{}, a buffer whose size is known later",
                    kernel.name
                ))
                .at(&kernel.location)
            })?;
            let whole = LiveRange::all(kernel);
            buffers.push(Buffer {
                operand: i,
                bytes,
                alignment,
                live: match operand.role {
                    Role::Scratch => live[i].unwrap_or(LiveRange::EMPTY),
                    Role::Prefetch | Role::Input | Role::Output => whole,
                },
            });
        }
        buffers.sort_by_key(|b| (std::cmp::Reverse(b.bytes), b.operand));
        let mut placed: Vec<(u64, &Buffer)> = vec![];
        for buffer in &buffers {
            let address = lowest(buffer, &placed);
            if address + buffer.bytes > capacity {
                return Err(does_not_fit(kernel, space, capacity, &buffers));
            }
            out.operands[buffer.operand].address = Some(address);
            placed.push((address, buffer));
        }
    }
    Ok(out)
}

/// The lowest address at which `buffer` meets no placed buffer that is needed at the same time.
fn lowest(buffer: &Buffer, placed: &[(u64, &Buffer)]) -> u64 {
    let mut taken: Vec<(u64, u64)> = placed
        .iter()
        .filter(|(_, other)| other.live.meets(&buffer.live))
        .map(|(address, other)| (*address, address + other.bytes))
        .collect();
    taken.sort_unstable();
    let mut address = 0;
    for (start, end) in taken {
        if address + buffer.bytes <= start {
            break;
        }
        address = address.max(end.next_multiple_of(buffer.alignment));
    }
    address
}

/// Bytes of a buffer in whole tiles, and of its outermost tile. None where a size is known later.
fn footprint(ty: &MemRefType, target: &TpuTarget) -> Option<(u64, u64)> {
    let dims = ty.static_dims()?;
    let element = ty.data()?;
    if ty.space == MemorySpace::Smem {
        // The scalar core addresses words.
        let words: u64 = dims.iter().product::<u64>() * u64::from(element.bits()).div_ceil(32);
        return Some((4 * words, 4));
    }
    let bits = match element {
        ElementType::I1 => 8,
        other => u64::from(other.bits()),
    };
    let tile = tile(ty, target);
    let mut padded = dims.clone();
    while padded.len() < tile.len() {
        padded.insert(0, 1);
    }
    let minor = padded.len() - tile.len();
    for (size, tile) in padded[minor..].iter_mut().zip(&tile) {
        *size = size.next_multiple_of(*tile);
    }
    let bytes = |sizes: &[u64]| (sizes.iter().product::<u64>() * bits).div_ceil(8);
    Some((bytes(&padded), bytes(&tile).max(1)))
}

/// The outermost tile of a buffer in VMEM: as its type says, else that of a register.
fn tile(ty: &MemRefType, target: &TpuTarget) -> Vec<u64> {
    if let Some(tile) = ty.tiles.first() {
        return tile.clone();
    }
    let packing = ty.data().map_or(1, |e| target.packing(e));
    match ty.dims.len() {
        0 | 1 => vec![target.lanes * packing],
        _ => vec![target.sublanes * packing, target.lanes],
    }
}

fn does_not_fit(kernel: &Kernel, space: MemorySpace, capacity: u64, buffers: &[Buffer]) -> Error {
    let all: Vec<String> = buffers
        .iter()
        .map(|b| {
            let operand = &kernel.operands[b.operand];
            let dims: Vec<String> = operand
                .buffer
                .static_dims()
                .unwrap_or_default()
                .iter()
                .map(u64::to_string)
                .collect();
            let element = operand
                .buffer
                .data()
                .map_or(String::new(), |e| e.to_string());
            let role = match operand.role {
                Role::Prefetch => "prefetch",
                Role::Input => "input",
                Role::Output => "output",
                Role::Scratch => "scratch",
            };
            format!(
                "operand {} ({role} {element}[{}]) {} bytes",
                b.operand,
                dims.join(","),
                b.bytes
            )
        })
        .collect();
    Error::unsupported(format!(
        "S4: kernel @{} does not fit into the {capacity} bytes of {}: {}",
        kernel.name,
        space.word(),
        all.join(", ")
    ))
    .at(&kernel.location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::DEFAULT;
    use tileproof_dialect::{
        literal::Literal,
        location::Location,
        tensor::Tensor,
        tpu::{KernelBuilder, KernelOperand, KernelType, TpuOp, op::Mask},
    };

    fn scratch(dims: &[u64]) -> KernelOperand {
        KernelOperand {
            role: Role::Scratch,
            buffer: MemRefType::new(dims, ElementType::F32, MemorySpace::Vmem),
            window: None,
            alias: None,
            address: None,
        }
    }

    /// Loads the buffers in this order.
    fn loads(buffers: &[&[u64]], order: &[usize]) -> Kernel {
        let operands = buffers.iter().map(|d| scratch(d)).collect();
        let mut b = KernelBuilder::new("k", Stage::S4, vec![], operands, Location::default());
        let zero = Tensor::from_i64s(&[], &ElementType::I64, &[0]);
        let literal = Literal::from_tensor(&zero);
        let zero = b.one(TpuOp::Constant(literal), &[], KernelType::Index);
        for i in order {
            let load = TpuOp::Load {
                strides: None,
                masked: Mask::Unmasked,
            };
            let ty = KernelType::vector(buffers[*i], ElementType::F32);
            b.one(load, &[b.operand_ref(*i), zero, zero], ty);
        }
        b.finish()
    }

    fn addresses(buffers: &[&[u64]], order: &[usize]) -> Vec<Option<u64>> {
        let out = assign_vmem(&loads(buffers, order), DEFAULT).unwrap();
        out.operands.iter().map(|o| o.address).collect()
    }

    #[test]
    fn buffers_share_space_where_they_are_not_needed_together() {
        let (a, b): (&[u64], &[u64]) = (&[8, 128], &[9, 100]);
        assert_eq!(addresses(&[a, b], &[0, 1]), [Some(0), Some(0)]);
        // Nine rows take two tiles.
        assert_eq!(addresses(&[a, b], &[0, 1, 0]), [Some(8192), Some(0)]);
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_buffers() {
        let big: &[u64] = &[4096, 4096];
        let kernel = loads(&[big, big, &[8, 128]], &[0, 1, 2, 0, 1]);
        let error = assign_vmem(&kernel, DEFAULT).unwrap_err().to_string();
        for part in [
            "@k",
            "operand 0 (scratch f32[4096,4096]) 67108864 bytes",
            "operand 2 (scratch f32[8,128]) 4096 bytes",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }
}
