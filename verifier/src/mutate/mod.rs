//! Mutators: type-correct faults, each in one op. They measure the checker; the checker knows nothing of them.
//!
//! A mutator looks at one op of a program and gives the changed program, or none where it does not apply. `seed` picks among its sites and ways.

mod constant_ulp;
mod drop_operation;
mod other_operand;
mod swap_operands;
mod wrong_attribute;

use tileproof_dialect::{
    error::Error,
    program::{OpId, Program},
};

/// A mutator.
pub struct Mutator {
    pub name: &'static str,
    pub summary: &'static str,
    pub mutate: fn(&Program, OpId, u64) -> Option<Program>,
}

/// THE list of mutators.
pub const MUTATORS: &[Mutator] = &[
    Mutator {
        name: "swap-operands",
        summary: "exchanges the operands of a subtraction, division, comparison, ...",
        mutate: swap_operands::mutate,
    },
    Mutator {
        name: "other-operand",
        summary: "takes another value of the same type as an operand",
        mutate: other_operand::mutate,
    },
    Mutator {
        name: "drop-operation",
        summary: "uses an operand in place of the result",
        mutate: drop_operation::mutate,
    },
    Mutator {
        name: "constant-ulp",
        summary: "moves one element of a literal to the next number",
        mutate: constant_ulp::mutate,
    },
    Mutator {
        name: "wrong-attribute",
        summary: "changes a list of dimensions, starts or a word, keeping the result type",
        mutate: wrong_attribute::mutate,
    },
];

/// The mutator `name`.
pub fn find(name: &str) -> Result<&'static Mutator, Error> {
    MUTATORS.iter().find(|m| m.name == name).ok_or_else(|| {
        let names: Vec<&str> = MUTATORS.iter().map(|m| m.name).collect();
        Error::invalid(
            format!(
                "no mutator is named '{name}'; the mutators are {}",
                names.join(", ")
            ),
            Default::default(),
        )
    })
}

/// Applies `mutator` to one of the ops that the rewrite `id` made (their location names it), the seed choosing which; none where it fits none.
pub fn plant(mutator: &Mutator, program: &Program, id: &str, seed: u64) -> Option<Program> {
    let made: Vec<OpId> = program
        .op_ids()
        .filter(|op| program.op(*op).location.rewrite.as_deref() == Some(id))
        .collect();
    let n = made.len();
    (0..n).find_map(|i| (mutator.mutate)(program, made[(i + seed as usize) % n], seed))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Arc;
    use tileproof_dialect::{
        builder::{ProgramBuilder, Provenance},
        hlo,
        location::Location,
        numerics::{Contract, Numerics},
        op::Op,
        types::{ElementType, Type},
    };
    use tileproof_runtime::limits::Limits;

    /// subtract(transpose(a), b) * constant.
    fn sample() -> Program {
        let mut b = ProgramBuilder::new("t", Provenance::Number);
        let ty = Type::tensor([3, 3], ElementType::F32);
        let x = b.begin_function("main", &[ty.clone(), ty.clone()], Location::default());
        let at = Location::default;
        let t = b.infer(
            Op::Hlo(
                hlo::transpose::Transpose {
                    permutation: vec![1, 0],
                }
                .into(),
            ),
            &[x[0]],
            &[],
            vec![],
            at(),
        );
        let d = b.infer(
            Op::Hlo(hlo::subtract::Subtract.into()),
            &[t[0], x[1]],
            &[],
            vec![],
            at(),
        );
        let c = tileproof_dialect::tensor::Tensor::from_f64s(
            &[3, 3],
            &ElementType::F32,
            &[1., 2., 3., 4., 5., 6., 7., 8., 9.],
        );
        let c = tileproof_dialect::literal::Literal::from_tensor(&c);
        let c = b.infer(
            Op::Hlo(hlo::constant::Constant { value: c }.into()),
            &[],
            &[],
            vec![],
            at(),
        );
        let m = b.infer(
            Op::Hlo(hlo::multiply::Multiply.into()),
            &[d[0], c[0]],
            &[],
            vec![],
            at(),
        );
        b.end_function(&m, at());
        b.finish().unwrap()
    }

    #[test]
    fn every_mutator_applies_somewhere_and_its_mutant_is_killed() {
        let program = sample();
        for m in MUTATORS {
            let mutants: Vec<Program> = program
                .op_ids()
                .filter_map(|op| (m.mutate)(&program, op, 1))
                .collect();
            assert!(!mutants.is_empty(), "{} applies nowhere", m.name);
            for mutant in mutants {
                let options = crate::validate::Options {
                    level: crate::validate::Level::Quick,
                    seed: 1,
                    given: None,
                    limits: Limits::default(),
                    progress: None,
                };
                let (before, after) = (Arc::new(program.clone()), Arc::new(mutant));
                let report = crate::validate::two(
                    &before,
                    &after,
                    &Numerics::of(Contract::Reassociates),
                    &options,
                )
                .unwrap();
                assert!(
                    report.verdict.is_mismatch(),
                    "{}: {}",
                    m.name,
                    report.verdict
                );
            }
        }
    }
}
