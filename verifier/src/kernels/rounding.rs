//! In which float types a kernel rounds on the way to its results.
//!
//! Proves: the set of types. Cannot: say how often, or where.

use super::slice;
use std::collections::BTreeMap;
use tileproof_dialect::{
    bound::unit_roundoff,
    hlo,
    op::{Kind, Op},
    tpu::{CombiningKind, Kernel, KernelOperation, KernelValue, TpuOp},
    types::{Class, ElementType},
};

/// Names of the types in which sums, products, functions and conversions round on the way to these results of the kernel, with their unit roundoff.
pub fn of(kernel: &Kernel, results: &[usize]) -> BTreeMap<String, f64> {
    let mut out = BTreeMap::new();
    for o in slice::reaching(kernel, results) {
        // By the name that `contract::precision` has for it.
        if let TpuOp::Elementwise(hlo::Op::ReducePrecision(r)) = &o.op {
            let unit = 2f64.powi(-(r.mantissa_bits as i32) - 1);
            out.insert(format!("e{}m{}", r.exponent_bits, r.mantissa_bits), unit);
            continue;
        }
        let types = rounds_in(kernel, o);
        out.extend(types.iter().map(|t| (t.to_string(), unit_roundoff(t))));
    }
    out
}

fn rounds_in(kernel: &Kernel, o: &KernelOperation) -> Vec<ElementType> {
    let float = |v: &KernelValue| {
        kernel
            .ty(*v)
            .element()
            .filter(|e| e.class() == Class::Float)
    };
    let results = o.results.iter().filter_map(float);
    match &o.op {
        TpuOp::Elementwise(hlo::Op::Convert(_)) => {
            let from = o.operands.first().and_then(float);
            let narrows = |to: &ElementType| {
                from.as_ref()
                    .is_none_or(|from| unit_roundoff(from) < unit_roundoff(to))
            };
            results.filter(narrows).collect()
        }
        TpuOp::Elementwise(hlo::Op::Negate(_)) => vec![],
        TpuOp::Elementwise(op) => match Op::Hlo(op.clone()).kind() {
            Kind::Arithmetic | Kind::Opaque => results.collect(),
            Kind::Movement | Kind::Selection | Kind::Integer | Kind::Control | Kind::Effect => {
                vec![]
            }
        },
        TpuOp::Matmul { .. } => results.collect(),
        TpuOp::MultiReduction { kind, .. } | TpuOp::AllReduce { kind, .. } => match kind {
            CombiningKind::Add | CombiningKind::Mul => results.collect(),
            CombiningKind::Min
            | CombiningKind::Max
            | CombiningKind::MinUi
            | CombiningKind::MaxUi
            | CombiningKind::And
            | CombiningKind::Or
            | CombiningKind::Xor => vec![],
        },
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{
        builder::Sampler, hlo::convert::Convert, hlo::kernel_call::KernelCall, op::OpDef,
        tpu::KernelType,
    };

    #[test]
    fn narrowing_counts_and_widening_does_not() {
        let program = KernelCall::sample(&mut Sampler::new(1, 5));
        let mut kernel = Kernel::clone(&program.kernels[0]);
        let names = |k: &Kernel| of(k, &[0]).into_keys().collect::<Vec<_>>();
        assert_eq!(names(&kernel), ["f32"]);
        let is_add = |o: &KernelOperation| matches!(o.op, TpuOp::Elementwise(_));
        let add = kernel.body.ops.iter().position(is_add).unwrap();
        let mut convert = kernel.body.ops[add].clone();
        convert.op = TpuOp::Elementwise(Convert.into());
        convert.operands = convert.results.clone();
        let dims = kernel.ty(convert.operands[0]).dims().unwrap().to_vec();
        for element in [ElementType::BF16, ElementType::F32] {
            convert.results = vec![KernelValue(kernel.types.len() as u32)];
            kernel.types.push(KernelType::vector(&dims, element));
            kernel.body.ops.insert(add + 1, convert.clone());
            convert.operands = convert.results.clone();
        }
        assert_eq!(names(&kernel), ["bf16", "f32"]);
    }
}
