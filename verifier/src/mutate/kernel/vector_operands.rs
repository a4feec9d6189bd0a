//! `vector-operands`: two operands of an op on vectors change places.

use super::{
    Change, KernelMutator,
    draft::{Draft, elementwise},
};
use tileproof_dialect::{hlo, tpu::TpuOp};

pub const MUTATOR: KernelMutator = KernelMutator {
    name: "vector-operands",
    summary: "two operands of one type change places",
    faults: &[],
    change: Change::Op(change),
};

fn change(draft: &mut Draft, seed: u64) -> Option<()> {
    let o = draft.op();
    let lists = match &o.op {
        TpuOp::Matmul { .. } => 2,
        TpuOp::Elementwise(
            hlo::Op::Add(_)
            | hlo::Op::Multiply(_)
            | hlo::Op::Maximum(_)
            | hlo::Op::Minimum(_)
            | hlo::Op::And(_)
            | hlo::Op::Or(_)
            | hlo::Op::Xor(_),
        ) => return None,
        op => {
            elementwise(op)?;
            o.operands.len()
        }
    };
    let all = o.operands.clone();
    let mut pairs = vec![];
    for i in 0..lists {
        for j in i + 1..lists {
            if all[i] != all[j] && draft.ty(all[i]) == draft.ty(all[j]) {
                pairs.push((i, j));
            }
        }
    }
    let (i, j) = *pairs.get(seed as usize % pairs.len().max(1))?;
    draft.op_mut().operands.swap(i, j);
    Some(())
}
