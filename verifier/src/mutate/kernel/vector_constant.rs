//! `vector-constant`: a constant of a kernel is another number.

use super::{Change, KernelMutator, draft::Draft};
use tileproof_dialect::{
    literal::Literal,
    tensor::Tensor,
    tpu::{KernelType, TpuOp},
    types::Class,
};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "vector-constant",
    summary: "a constant of a kernel is doubled, or one more",
    faults: &["f101"],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let result = *draft.op().results.first()?;
    let data = match draft.ty(result) {
        KernelType::Vector { .. } => true,
        KernelType::Scalar(e) => e.class() == Class::Float,
        KernelType::Index | KernelType::MemRef(_) => false,
    };
    let TpuOp::Constant(literal) = &mut draft.op_mut().op else {
        return None;
    };
    if !data {
        return None;
    }
    let t = literal.to_tensor();
    let changed = match t.element().class() {
        Class::Float => {
            let double = |x: &f64| if *x == 0.0 { 1.0 } else { x * 2.0 };
            let all: Vec<f64> = t.to_f64s().iter().map(double).collect();
            Tensor::from_f64s(t.dims(), t.element(), &all)
        }
        Class::Signed | Class::Unsigned => {
            let by = if seed & 1 == 0 { 1 } else { -1 };
            let all: Vec<i64> = t.to_i64s().iter().map(|x| x.wrapping_add(by)).collect();
            Tensor::from_i64s(t.dims(), t.element(), &all)
        }
        Class::Boolean => {
            let all: Vec<i64> = t.to_i64s().iter().map(|x| x ^ 1).collect();
            Tensor::from_i64s(t.dims(), t.element(), &all)
        }
        Class::Complex | Class::Quantized => return None,
    };
    *literal = Literal::from_tensor(&changed);
    Some(())
}
