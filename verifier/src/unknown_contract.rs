//! Two programs with no contract between them: a compiler may have folded constants or replaced functions by others.
//!
//! A difference in the ring is decisive only when both programs use the same opaque functions and the same float literals; else nothing is concluded
//! from it. Proves no more than the contract `Reassociates` does; says less, where it could be wrong.

use crate::{
    validate::PassReport,
    verdict::{Ring, Verdict},
};
use std::collections::BTreeSet;
use tileproof_dialect::{
    hlo,
    op::{Kind, Op},
    program::Program,
};

/// Why a difference decides nothing.
const WHY: &str =
    "the ring differs, and so do the programs' functions or float literals (folded or expanded?)";

/// Makes the report of a pass without named identities say nothing where the two programs use other functions or literals.
pub fn weaken(before: &Program, after: &Program, pass: &mut PassReport) {
    if !pass.verdict.is_mismatch() || vocabulary(before) == vocabulary(after) {
        return;
    }
    for found in pass.findings.iter_mut().filter(|f| f.ring == Ring::Differs) {
        found.ring = Ring::NotDecisive(WHY.to_string());
        found.verdict = Verdict::Inconclusive {
            why: WHY.to_string(),
        };
    }
    pass.decided = 0;
    pass.verdict = pass
        .findings
        .iter()
        .fold(Verdict::Equal, |all, f| all.worst(f.verdict.clone()));
}

/// Names of the opaque functions and hashes of the float literals a program uses.
fn vocabulary(program: &Program) -> (BTreeSet<String>, BTreeSet<u128>) {
    let (mut functions, mut literals) = (BTreeSet::new(), BTreeSet::new());
    for id in program.op_ids() {
        let op = &program.op(id).op;
        let Op::Hlo(inner) = op;
        if op.kind() == Kind::Opaque {
            functions.insert(op.name());
        }
        if let hlo::Op::Constant(c) = inner
            && c.value.element().has_ring()
        {
            // A splat counts by its value, whatever its shape.
            literals.insert(
                c.value
                    .splat_value()
                    .map_or(c.value.hash(), |one| one.content_hash()),
            );
        }
    }
    (functions, literals)
}

#[cfg(test)]
mod tests {
    use crate::{
        level::Level,
        validate::{Options, two},
        verdict::Verdict,
    };
    use std::sync::Arc;
    use tileproof_dialect::{
        builder::{ProgramBuilder, Provenance},
        hlo,
        literal::Literal,
        location::Location,
        numerics::{Contract, Numerics},
        op::Op,
        program::Program,
        tensor::Tensor,
        types::{ElementType, Type},
    };
    use tileproof_runtime::limits::Limits;

    fn scaled(by: f64) -> Arc<Program> {
        let mut b = ProgramBuilder::new("t", Provenance::Number);
        let x = b.begin_function(
            "main",
            &[Type::tensor([], ElementType::F32)],
            Location::default(),
        );
        let value = Literal::from_tensor(&Tensor::splat_f64(&[], &ElementType::F32, by));
        let c = b.infer(
            Op::Hlo(hlo::constant::Constant { value }.into()),
            &[],
            &[],
            vec![],
            Location::default(),
        );
        let m = b.infer(
            Op::Hlo(hlo::multiply::Multiply.into()),
            &[x[0], c[0]],
            &[],
            vec![],
            Location::default(),
        );
        b.end_function(&m, Location::default());
        Arc::new(b.finish().unwrap())
    }

    #[test]
    fn another_literal_is_inconclusive_without_a_contract_and_a_mismatch_under_one() {
        let options = Options {
            level: Level::Quick,
            seed: 1,
            given: None,
            limits: Limits::default(),
            progress: None,
        };
        let (a, b) = (scaled(3.0), scaled(3.5));
        let under = |before: &Arc<Program>, after: &Arc<Program>, contract: Contract| {
            two(before, after, &Numerics::of(contract), &options)
                .unwrap()
                .verdict
        };
        assert!(matches!(
            under(&a, &b, Contract::Unknown),
            Verdict::Inconclusive { .. }
        ));
        assert!(under(&a, &b, Contract::Reassociates).is_mismatch());
        assert_eq!(under(&a, &a, Contract::Unknown), Verdict::Equal);
    }
}
