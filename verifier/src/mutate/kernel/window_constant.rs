//! `window-constant`: a window stays at its first block in one dimension.

use super::{Change, KernelMutator, window};
use tileproof_dialect::{
    literal::Literal,
    tensor::Tensor,
    tpu::{Kernel, KernelType, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "window-constant",
    summary: "a window stays at its first block in one dimension",
    faults: &["f61"],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, seed: u64) -> Option<()> {
    let zero = Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I32, &[0]));
    let d = window::moving_dimension(kernel, i, seed)?;
    let v = window::appended(kernel, i, TpuOp::Constant(zero), &[], KernelType::i32())?;
    *window::result(kernel, i, d)? = v;
    Some(())
}
