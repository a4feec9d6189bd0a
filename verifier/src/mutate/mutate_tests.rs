//! Tests of the list of mutators.

use super::*;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_no_mutator_gives_the_program_itself() {
    let names: BTreeSet<&str> = all().map(|m| m.name).collect();
    assert_eq!(names.len(), all().count());
    let mut sampler = tileproof_dialect::builder::Sampler::new(7, 5);
    for _ in 0..4 {
        for (op, program) in tileproof_dialect::hlo::Op::samples(&mut sampler) {
            for id in program.op_ids() {
                for m in all() {
                    let Some(mutant) = (m.mutate)(&program, id, 3) else {
                        continue;
                    };
                    assert!(mutant.verify().is_empty(), "{} of {op}", m.name);
                    assert_eq!(mutant.parameter_types(), program.parameter_types());
                    assert_ne!(
                        mutant.structural_hash(),
                        program.structural_hash(),
                        "{} of {op} changes nothing",
                        m.name
                    );
                }
            }
        }
    }
}
