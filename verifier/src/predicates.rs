//! Which predicates of a program its inputs exercised: a comparison, selection, branch or loop that chose one way only was checked on that way only.

use std::collections::BTreeMap;
use tileproof_dialect::{
    hlo,
    location::Location,
    op::Op,
    program::{OpId, Program, RegionId, ValueDef, ValueId},
};

/// What one op chose over all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    pub op: String,
    pub location: Location,
    /// How often it was false, and how often true.
    pub chosen: [u64; 2],
}

impl Predicate {
    /// Whether both outcomes were met.
    pub fn is_exercised(&self) -> bool {
        self.chosen.iter().all(|n| *n > 0)
    }
}

/// The choosing ops of a program with what they chose.
#[derive(Debug, Clone, Default)]
pub struct Exercised(BTreeMap<OpId, Predicate>);

impl Exercised {
    /// The choosing ops, nothing chosen yet. A selection by a comparison is counted as that comparison.
    pub fn of(program: &Program) -> Exercised {
        let chooses = |id: &OpId| {
            let o = program.op(*id);
            let Op::Hlo(op) = &o.op;
            match op {
                hlo::Op::Compare(_) | hlo::Op::If(_) | hlo::Op::Case(_) | hlo::Op::While(_) => true,
                hlo::Op::Select(_) => o
                    .operands
                    .first()
                    .is_some_and(|p| !is_compared(program, *p)),
                _ => false,
            }
        };
        let one = |id: OpId| {
            let o = program.op(id);
            Predicate {
                op: o.op.name(),
                location: o.location.clone(),
                chosen: [0, 0],
            }
        };
        let all = followed(program).into_iter().filter(chooses);
        Exercised(all.map(|id| (id, one(id))).collect())
    }

    /// Adds what one run chose.
    pub fn add(&mut self, chosen: &BTreeMap<OpId, [u64; 2]>) {
        for (id, chosen) in chosen {
            if let Some(predicate) = self.0.get_mut(id) {
                predicate.chosen[0] += chosen[0];
                predicate.chosen[1] += chosen[1];
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Predicate> {
        self.0.values()
    }

    /// Those of which one outcome, or both, were never met.
    pub fn never_met(&self) -> Vec<&Predicate> {
        self.iter().filter(|p| !p.is_exercised()).collect()
    }
}

/// Ops that run one by one: bodies of folds, sorts and maps run in batches, and what they choose is not counted by op.
fn followed(program: &Program) -> Vec<OpId> {
    let mut out = vec![];
    let mut regions: Vec<RegionId> = program.functions.iter().map(|f| f.body).collect();
    while let Some(r) = regions.pop() {
        for id in &program.region(r).ops {
            let o = program.op(*id);
            out.push(*id);
            let Op::Hlo(op) = &o.op;
            if matches!(op, hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_)) {
                regions.extend(&o.regions);
            }
        }
    }
    out
}

fn is_compared(program: &Program, predicate: ValueId) -> bool {
    match program.value(predicate).def {
        ValueDef::Result { op, .. } => {
            matches!(program.op(op).op, Op::Hlo(hlo::Op::Compare(_)))
        }
        ValueDef::Argument { .. } => false,
    }
}
