//! Which ops have no kernels and run as library calls: one table. `--stats` counts them (DESIGN.md section 4).

use crate::target::TpuTarget;
use tileproof_dialect::{
    op::{Kind, Op},
    program::{OpId, Program},
    types::{Dim, Type},
};

/// Ops that no kernel computes in any type.
const LIBRARY: &[&str] = &[
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "custom_call",
    "fft",
    "ragged_dot",
    "rng",
];

/// How a program runs an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// Costs nothing by itself: structure, control flow, constants, other names of values.
    Free,
    Kernel,
    Library,
    /// Talks to other processes or the host.
    Transfer,
}

/// How op `id` runs on `target`; of a fusion, as a whole.
pub fn runs(program: &Program, id: OpId, target: &TpuTarget) -> Runs {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let name = op.name();
    if LIBRARY.contains(&name) {
        return Runs::Library;
    }
    match op.kind() {
        Kind::Effect => return Runs::Transfer,
        Kind::Control
            if !matches!(
                name,
                "fusion"
                    | "reduce"
                    | "reduce_window"
                    | "select_and_scatter"
                    | "sort"
                    | "scatter"
                    | "map"
                    | "composite"
                    | "kernel_call"
            ) =>
        {
            return Runs::Free;
        }
        Kind::Control
        | Kind::Arithmetic
        | Kind::Movement
        | Kind::Selection
        | Kind::Opaque
        | Kind::Integer => {}
    }
    if matches!(name, "constant" | "bitcast" | "return") {
        return Runs::Free;
    }
    let native = |ty: &Type| match ty {
        Type::Tensor(t) => {
            target.is_native(&t.element) && t.dims.iter().all(|d| matches!(d, Dim::Static(_)))
        }
        Type::Token | Type::Tuple(_) => false,
    };
    let all = o
        .operands
        .iter()
        .chain(&o.results)
        .all(|v| native(program.ty(*v)));
    if all { Runs::Kernel } else { Runs::Library }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{hlo, mlir::text};

    #[test]
    fn every_name_of_the_table_is_an_op() {
        assert!(LIBRARY.iter().all(|name| hlo::Op::NAMES.contains(name)));
    }

    #[test]
    fn the_type_decides_too() {
        let of = |ty: &str| {
            let program = text::parse(&format!("func.func @main(%a: tensor<4x{ty}>) -> tensor<4x{ty}> {{\n  %0 = hlo.add %a, %a : tensor<4x{ty}>\n  return %0 : tensor<4x{ty}>\n}}"), "t").unwrap();
            let op = program.region(program.main().body).ops[0];
            runs(&program, op, crate::target::DEFAULT)
        };
        assert_eq!(
            (of("f32"), of("bf16"), of("f64"), of("i64")),
            (Runs::Kernel, Runs::Kernel, Runs::Library, Runs::Library)
        );
    }
}
