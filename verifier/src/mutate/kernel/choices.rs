//! Whether a kernel chooses by data: compares, rounds or branches on what it loads.
//!
//! A kernel that does not computes sums and products of its operands and functions of these, each element in the same way whatever the data. Two such kernels
//! that give the same residues on random residues compute the same over the reals, but for a chance of degree/2^31 a seed (Schwartz and Zippel).
//!
//! Proves nothing of rounding: two sums of the same real value may round apart.

use super::draft::{elementwise, is_load};
use std::collections::HashSet;
use tileproof_dialect::{
    hlo,
    op::Kind,
    tpu::{CombiningKind, Kernel, KernelOperation, KernelValue, TpuOp},
    types::Class,
};

/// Whether nothing the kernel does hangs on the values it loads, but the values it computes.
pub fn see_no_data(kernel: &Kernel) -> bool {
    let data = data(kernel);
    let mut free = true;
    kernel.walk(&mut |o| {
        free &= !chooses(kernel, o) || !deciding(o).iter().any(|v| data.contains(v));
    });
    free
}

/// Values that hang on what is loaded.
fn data(kernel: &Kernel) -> HashSet<KernelValue> {
    let mut data: HashSet<KernelValue> = HashSet::new();
    // Loops carry values from below: go on until nothing is added.
    loop {
        let before = data.len();
        kernel.walk(&mut |o| {
            if o.regions.is_empty() {
                let loads = is_load(&o.op) || matches!(o.op, TpuOp::ScalarLoad);
                if loads || o.operands.iter().any(|v| data.contains(v)) {
                    data.extend(&o.results);
                }
                return;
            }
            for (from, to) in carried(o) {
                if data.contains(&from) {
                    data.insert(to);
                }
            }
        });
        if data.len() == before {
            return data;
        }
    }
}

/// Which values become which: into the regions of an op, round, and out of them.
fn carried(o: &KernelOperation) -> Vec<(KernelValue, KernelValue)> {
    let mut out = vec![];
    // A loop's bounds come before what it carries, its index before what the body takes.
    let (bounds, index) = match o.op {
        TpuOp::For => (3, 1),
        _ => (0, 0),
    };
    let pairs = |from: &[KernelValue], to: &[KernelValue]| -> Vec<(KernelValue, KernelValue)> {
        from.iter().copied().zip(to.iter().copied()).collect()
    };
    for r in &o.regions {
        let arguments = r.arguments.get(index..).unwrap_or_default();
        out.extend(pairs(
            o.operands.get(bounds..).unwrap_or_default(),
            arguments,
        ));
        let end = r.ops.last();
        let yielded = end.map_or(&[][..], |end| match end.op {
            TpuOp::Condition => end.operands.get(1..).unwrap_or_default(),
            _ => &end.operands,
        });
        out.extend(pairs(yielded, &o.results));
        for other in &o.regions {
            let arguments = other.arguments.get(index..).unwrap_or_default();
            out.extend(pairs(yielded, arguments));
        }
    }
    out
}

fn chooses(kernel: &Kernel, o: &KernelOperation) -> bool {
    let class =
        |v: Option<&KernelValue>| v.and_then(|v| kernel.ty(*v).element()).map(|e| e.class());
    match (&o.op, elementwise(&o.op)) {
        (_, Some(hlo::Op::Convert(_) | hlo::Op::BitcastConvert(_))) => {
            class(o.operands.first()) != Some(Class::Float)
                || class(o.results.first()) != Some(Class::Float)
        }
        (_, Some(op)) => op.kind() == Kind::Selection,
        (TpuOp::MultiReduction { kind, .. } | TpuOp::AllReduce { kind, .. }, None) => {
            !matches!(kind, CombiningKind::Add | CombiningKind::Mul)
        }
        (op, None) => {
            is_load(op)
                || matches!(
                    op,
                    TpuOp::If
                        | TpuOp::While
                        | TpuOp::For
                        | TpuOp::Condition
                        | TpuOp::ScalarLoad
                        | TpuOp::DynamicGather { .. }
                        | TpuOp::DynamicRotate { .. }
                        | TpuOp::CreateMask
                        | TpuOp::MemRefSlice { .. }
                )
        }
    }
}

/// The operands that decide.
fn deciding(o: &KernelOperation) -> &[KernelValue] {
    match &o.op {
        TpuOp::Elementwise(hlo::Op::Select(_)) | TpuOp::If | TpuOp::Condition => {
            o.operands.get(..1).unwrap_or_default()
        }
        TpuOp::For => o.operands.get(..3).unwrap_or_default(),
        TpuOp::While => &[],
        op if is_load(op) || matches!(op, TpuOp::ScalarLoad | TpuOp::MemRefSlice { .. }) => {
            o.operands.get(1..).unwrap_or_default()
        }
        TpuOp::DynamicGather { .. } | TpuOp::DynamicRotate { .. } => {
            o.operands.get(1..).unwrap_or_default()
        }
        _ => &o.operands,
    }
}
