//! Changes of index maps.

use tileproof_dialect::tpu::{Kernel, KernelOperation, KernelType, KernelValue, TpuOp};

/// Block index number `dimension` that the index map of operand `operand` gives.
pub fn result(kernel: &mut Kernel, operand: usize, dimension: usize) -> Option<&mut KernelValue> {
    let window = kernel.operands[operand].window.as_mut()?;
    window.transform.ops.last_mut()?.operands.get_mut(dimension)
}

/// A dimension whose block index is not a constant; the seed chooses.
pub fn moving_dimension(kernel: &Kernel, operand: usize, seed: u64) -> Option<usize> {
    let transform = &kernel.operands[operand].window.as_ref()?.transform;
    let is_constant = |v: &KernelValue| {
        transform
            .ops
            .iter()
            .any(|o| matches!(o.op, TpuOp::Constant(_)) && o.results.contains(v))
    };
    let results = &transform.ops.last()?.operands;
    let moving: Vec<usize> = (0..results.len())
        .filter(|d| !is_constant(&results[*d]))
        .collect();
    moving
        .get((seed >> 4) as usize % moving.len().max(1))
        .copied()
}

/// A new op in front of the end of the index map.
pub fn appended(
    kernel: &mut Kernel,
    operand: usize,
    op: TpuOp,
    operands: &[KernelValue],
    ty: KernelType,
) -> Option<KernelValue> {
    let v = KernelValue(kernel.types.len() as u32);
    let location = kernel.location.clone();
    let transform = &mut kernel.operands[operand].window.as_mut()?.transform;
    let end = transform.ops.len().checked_sub(1)?;
    transform.ops.insert(
        end,
        KernelOperation {
            op,
            operands: operands.to_vec(),
            results: vec![v],
            regions: vec![],
            location,
        },
    );
    kernel.types.push(ty);
    Some(v)
}
