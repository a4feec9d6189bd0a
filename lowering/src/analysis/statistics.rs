//! What a program makes a machine do, in numbers: kernels, library calls, bytes between HBM and kernels. For `--stats`.
//!
//! Bytes: operands read once in whole and results written once, of every kernel and library call, bodies of loops and branches once.

use super::{
    library::{Runs, runs},
    scalar_traffic::scalar_bytes,
};
use crate::target::TpuTarget;
use std::{collections::BTreeMap, fmt};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program, RegionId},
    types::{Dim, Type},
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Fusions by kind.
    pub fusions: BTreeMap<&'static str, u64>,
    /// Ops inside fusions, constants left out.
    pub fused_ops: u64,
    /// Kernels, fusions among them.
    pub kernels: u64,
    /// Library calls by op.
    pub library: BTreeMap<&'static str, u64>,
    pub copies: u64,
    pub bitcasts: u64,
    /// Results that take buffers of operands.
    pub aliases: u64,
    pub bytes: u64,
    /// Of `bytes`, what library calls move.
    pub library_bytes: u64,
    /// Kernels that move more than one in [`SCALAR_PART`] of their bytes one element at a time count as library calls too.
    pub scalar_kernels: u64,
    pub scalar_kernel_bytes: u64,
}

/// DESIGN.md section 4: over 1 %.
const SCALAR_PART: u64 = 100;

/// Counts over all functions that run: those that composites stand for are inside their kernels.
pub fn statistics(program: &Program, target: &TpuTarget) -> Statistics {
    let mut out = Statistics::default();
    let expansions: Vec<&str> = program
        .op_ids()
        .filter_map(|op| decomposition(program, op))
        .collect();
    for f in program
        .functions
        .iter()
        .filter(|f| !expansions.contains(&f.name.as_str()))
    {
        region(program, f.body, target, &mut out);
    }
    out
}

fn decomposition(program: &Program, op: OpId) -> Option<&str> {
    match &program.op(op).op {
        Op::Hlo(hlo::Op::Composite(c)) => Some(&c.decomposition),
        Op::Hlo(_) => None,
    }
}

fn region(program: &Program, region_id: RegionId, target: &TpuTarget, out: &mut Statistics) {
    for id in &program.region(region_id).ops {
        let o = program.op(*id);
        let Op::Hlo(op) = &o.op;
        match op {
            hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_) => o
                .regions
                .iter()
                .for_each(|r| region(program, *r, target, out)),
            hlo::Op::Fusion(f) => {
                *out.fusions.entry(f.kind.word()).or_default() += 1;
                let inner = o.regions.iter().flat_map(|r| &program.region(*r).ops);
                let counted = |op: &&OpId| {
                    !matches!(
                        program.op(**op).op,
                        Op::Hlo(hlo::Op::Constant(_) | hlo::Op::Return(_))
                    )
                };
                out.fused_ops += inner.filter(counted).count() as u64;
            }
            hlo::Op::Copy(_) => out.copies += 1,
            hlo::Op::Bitcast(_) => out.bitcasts += 1,
            _ => {}
        }
        if let Some(tileproof_dialect::attribute::Attribute::Ints(pairs)) =
            o.extra.get(crate::hlo::assign_layout::ALIASES)
        {
            out.aliases += pairs.len() as u64 / 2;
        }
        let values = o.operands.iter().chain(&o.results);
        let moved: u64 = values.map(|v| bytes(program.ty(*v))).sum();
        match runs(program, *id, target) {
            Runs::Kernel => {
                out.kernels += 1;
                let kernel = o.op.kernel().and_then(|name| program.kernel(name));
                if kernel.is_some_and(|k| scalar_bytes(k) > moved / SCALAR_PART) {
                    out.scalar_kernels += 1;
                    out.scalar_kernel_bytes += moved;
                }
            }
            Runs::Library => {
                *out.library.entry(op.name()).or_default() += 1;
                out.library_bytes += moved;
            }
            Runs::Free | Runs::Transfer => continue,
        }
        out.bytes += moved;
    }
}

/// Bytes of a value in memory, without padding; dynamic sizes count by their bound, or as 1.
fn bytes(ty: &Type) -> u64 {
    match ty {
        Type::Tensor(t) => {
            let size = |d: &Dim| match d {
                Dim::Static(n) => *n,
                Dim::Dynamic { bound } => bound.unwrap_or(1),
            };
            t.dims
                .iter()
                .map(size)
                .fold(u64::from(t.element.bits()), u64::saturating_mul)
                .div_ceil(8)
        }
        Type::Tuple(parts) => parts.iter().map(bytes).sum(),
        Type::Token => 0,
    }
}

impl Statistics {
    /// One line a number, `self` being what became of `before`.
    pub fn compared(&self, before: &Statistics) -> String {
        let saved = before.bytes.saturating_sub(self.bytes);
        let share = 100.0 * saved as f64 / before.bytes.max(1) as f64;
        format!(
            "{self}bytes moved    {} ({share:.0} % less than the {} without fusion)\n",
            self.bytes, before.bytes
        )
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |all: &BTreeMap<&'static str, u64>| {
            let parts: Vec<String> = all.iter().map(|(name, n)| format!("{name} {n}")).collect();
            if parts.is_empty() {
                "none".to_string()
            } else {
                parts.join(", ")
            }
        };
        writeln!(f, "kernels        {}", self.kernels)?;
        writeln!(
            f,
            "fusions        {} ({} ops inside): {}",
            self.fusions.values().sum::<u64>(),
            self.fused_ops,
            list(&self.fusions)
        )?;
        writeln!(
            f,
            "library calls  {}: {}",
            self.library.values().sum::<u64>(),
            list(&self.library)
        )?;
        let share = |bytes: u64| 100.0 * bytes as f64 / self.bytes.max(1) as f64;
        writeln!(
            f,
            "library bytes  {} ({:.1} % of all); with {} kernels that move over 1 % by single elements {} ({:.1} %)",
            self.library_bytes,
            share(self.library_bytes),
            self.scalar_kernels,
            self.library_bytes + self.scalar_kernel_bytes,
            share(self.library_bytes + self.scalar_kernel_bytes),
        )?;
        writeln!(
            f,
            "layouts        {} copies, {} bitcasts, {} results in buffers of operands",
            self.copies, self.bitcasts, self.aliases
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::mlir::text;

    #[test]
    fn a_fusion_moves_its_operands_and_results() {
        let program = |body: &str| {
            text::parse(&format!("func.func @main(%a: tensor<100xf32>, %z: tensor<10xf64>) -> (tensor<100xf32>, tensor<10xf64>) {{\n{body}}}"), "t").unwrap()
        };
        let apart = program(
            "  %0 = hlo.negate %a : tensor<100xf32>\n  %1 = hlo.abs %0 : tensor<100xf32>\n  %2 = hlo.abs %z : tensor<10xf64>\n  return %1, %2 : tensor<100xf32>, tensor<10xf64>\n",
        );
        let fused = program(
            "  %1 = hlo.fusion %a {kind = \"kLoop\"} : (tensor<100xf32>) -> tensor<100xf32> {\n  ^bb0(%x: tensor<100xf32>):\n    %3 = hlo.negate %x : tensor<100xf32>\n    %4 = hlo.abs %3 : tensor<100xf32>\n    hlo.return %4 : tensor<100xf32>\n  }\n  %2 = hlo.abs %z : tensor<10xf64>\n  return %1, %2 : tensor<100xf32>, tensor<10xf64>\n",
        );
        let (apart, fused) = (
            statistics(&apart, crate::target::DEFAULT),
            statistics(&fused, crate::target::DEFAULT),
        );
        assert_eq!(
            (apart.kernels, apart.bytes, fused.kernels, fused.bytes),
            (2, 1600 + 160, 1, 800 + 160)
        );
        assert_eq!(
            (
                fused.fusions["kLoop"],
                fused.fused_ops,
                fused.library["abs"]
            ),
            (1, 2, 1)
        );
        assert!(fused.compared(&apart).contains("45 % less"));
    }
}
