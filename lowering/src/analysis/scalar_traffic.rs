//! How many bytes a kernel moves one element at a time: work that belongs to a scalar core, whatever the op is called.

use tileproof_dialect::{
    tpu::{Kernel, KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

/// Bytes that all grid steps move through loads and stores of single elements in loops. Loads from SMEM are indices and are left out; what stands outside
/// loops is a scalar of the program.
pub fn scalar_bytes(kernel: &Kernel) -> u64 {
    outside_loops(kernel, &kernel.body).saturating_mul(kernel.steps())
}

fn outside_loops(kernel: &Kernel, r: &KernelRegion) -> u64 {
    let mut total = 0u64;
    for o in &r.ops {
        total = total.saturating_add(match &o.op {
            TpuOp::For => loop_bytes(kernel, r, o),
            _ => o.regions.iter().map(|i| outside_loops(kernel, i)).sum(),
        });
    }
    total
}

fn loop_bytes(kernel: &Kernel, r: &KernelRegion, o: &KernelOperation) -> u64 {
    let turns = o.operands.get(1).and_then(|v| constant(r, *v)).unwrap_or(1);
    let body: u64 = o.regions.iter().map(|i| region(kernel, i)).sum();
    body.saturating_mul(turns)
}

fn region(kernel: &Kernel, r: &KernelRegion) -> u64 {
    let mut total = 0u64;
    for o in &r.ops {
        let single = |v: KernelValue| single_bytes(kernel.ty(v));
        total = total.saturating_add(match &o.op {
            TpuOp::Load { .. } => o.results.first().map_or(0, |v| single(*v)),
            TpuOp::Store { .. } | TpuOp::ScalarStore => {
                o.operands.first().map_or(0, |v| single(*v))
            }
            TpuOp::For => loop_bytes(kernel, r, o),
            _ => o.regions.iter().map(|i| region(kernel, i)).sum(),
        });
    }
    total
}

fn single_bytes(ty: &KernelType) -> u64 {
    match ty {
        KernelType::Scalar(e) => bytes(e),
        KernelType::Vector { dims, element } if dims.iter().product::<u64>() == 1 => bytes(element),
        KernelType::Vector { .. } | KernelType::Index | KernelType::MemRef(_) => 0,
    }
}

fn bytes(element: &ElementType) -> u64 {
    u64::from(element.bits()).div_ceil(8)
}

/// The value of an integer constant of this region.
fn constant(r: &KernelRegion, v: KernelValue) -> Option<u64> {
    let made = r.ops.iter().find(|o| o.results.contains(&v))?;
    match &made.op {
        TpuOp::Constant(literal) => {
            let n = literal.to_tensor().to_i64s().first().copied()?;
            u64::try_from(n).ok()
        }
        _ => None,
    }
}
