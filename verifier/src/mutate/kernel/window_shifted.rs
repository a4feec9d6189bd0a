//! `window-shifted`: a window is one block too far on.

use super::{Change, KernelMutator, window};
use tileproof_dialect::{
    hlo::{add::Add, subtract::Subtract},
    literal::Literal,
    tensor::Tensor,
    tpu::{Kernel, KernelType, TpuOp},
    types::ElementType,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "window-shifted",
    summary: "a window is one block off in one dimension",
    faults: &["f57"],
    change: Change::Operand(change),
};

fn change(kernel: &mut Kernel, i: usize, seed: u64) -> Option<()> {
    let d = window::moving_dimension(kernel, i, seed)?;
    let one = Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I32, &[1]));
    let one = window::appended(kernel, i, TpuOp::Constant(one), &[], KernelType::i32())?;
    let now = *window::result(kernel, i, d)?;
    let op = if seed & 1 == 0 {
        TpuOp::Elementwise(Add.into())
    } else {
        TpuOp::Elementwise(Subtract.into())
    };
    let v = window::appended(kernel, i, op, &[now, one], KernelType::i32())?;
    *window::result(kernel, i, d)? = v;
    Some(())
}
