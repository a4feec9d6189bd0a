//! `compare-unrounded`: two narrow floats are compared as they were before they were rounded.

use super::{Mutator, draft, look};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
    types::ElementType,
};

pub const MUTATOR: Mutator = Mutator {
    name: "compare-unrounded",
    summary: "compares bf16 or f16 values as they were before rounding",
    faults: &["f47", "f48"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let [a, b] = look::pair(program, id, "compare")?;
    let narrow = [ElementType::BF16, ElementType::F16];
    if !narrow.contains(&look::element(program, a)?) {
        return None;
    }
    let at = [a, b].map(|v| look::definition(program, v));
    let site = (0..2)
        .map(|i| (i + seed as usize) % 2)
        .find(|i| at[*i].is_some_and(|op| is_rounding(program, op)))?;
    let made = at[site]?;
    draft::replaced(program, id, |d| {
        let mut operands = d.operands()?;
        let inner = d.values(&program.op(made).operands)?;
        let Op::Hlo(op) = program.op(made).op.clone();
        for (i, operand) in operands.iter_mut().enumerate() {
            *operand = if i == site {
                let mut wide = vec![];
                for v in &inner {
                    wide.push(d.converted(*v, ElementType::F32)?);
                }
                match &op {
                    hlo::Op::Convert(_) => *wide.first()?,
                    op => d.make(op.clone(), &wide)?,
                }
            } else {
                d.converted(*operand, ElementType::F32)?
            };
        }
        d.keep_on(&operands)
    })
}

/// Whether the op rounds a value that f32 could hold more of.
fn is_rounding(program: &Program, id: OpId) -> bool {
    match look::name(program, id) {
        "convert" => program.op(id).operands.first().is_some_and(|v| {
            look::element(program, *v).is_some_and(|e| e.is_float() && e.bits() > 16)
        }),
        "add" | "subtract" | "multiply" | "divide" => true,
        _ => false,
    }
}
