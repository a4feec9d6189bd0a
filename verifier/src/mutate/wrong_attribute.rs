//! `wrong-attribute`: one list of an op's attributes is reversed, rotated or moved by one, or a word is exchanged, so that the program still verifies
//! with the same types.

use super::Mutator;
use tileproof_dialect::{
    attribute::{Attribute, Attributes},
    location::Location,
    op::{Op, read_hlo},
    program::{OpId, Program},
};

pub const MUTATOR: Mutator = Mutator {
    name: "wrong-attribute",
    summary: "changes a list of dimensions, starts or a word, keeping the result type",
    faults: &["f21", "f22"],
    mutate,
};

const WORDS: &[(&str, &str)] = &[
    ("LT", "LE"),
    ("LE", "LT"),
    ("GT", "GE"),
    ("GE", "GT"),
    ("EQ", "NE"),
    ("NE", "EQ"),
    ("FFT", "IFFT"),
    ("IFFT", "FFT"),
];

/// Attributes that promise or ask something; the value of an op does not hang on them.
const PROMISES: &[&str] = &[
    "precision_config",
    "indices_are_sorted",
    "unique_indices",
    "is_stable",
    "result_accuracy",
];

/// Ops whose dimension numbers have mutators of their own, which know what makes no difference.
const OF_THEIR_OWN: &[&str] = &["gather", "scatter", "reduce"];

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(op) = &program.op(id).op;
    if OF_THEIR_OWN.contains(&op.name()) {
        return None;
    }
    let attributes = op.to_attributes();
    let variants: Vec<Attributes> = attributes
        .0
        .iter()
        .filter(|(name, _)| !PROMISES.contains(&name.as_str()))
        .flat_map(|(name, value)| {
            changed(value)
                .into_iter()
                .map(|v| attributes.clone().with(name, v))
        })
        .collect();
    let n = variants.len();
    (0..n).find_map(|i| {
        let (new, _) = read_hlo(
            op.name(),
            variants[(i + seed as usize) % n].clone(),
            &Location::default(),
        )
        .ok()?;
        program.modified(id, |o| o.op = Op::Hlo(new)).ok()
    })
}

/// Wrong values of one attribute, all different from it.
fn changed(value: &Attribute) -> Vec<Attribute> {
    match value {
        Attribute::Ints(v) => {
            let mut out = vec![];
            let mut reversed = v.clone();
            reversed.reverse();
            out.push(reversed);
            let mut rotated = v.clone();
            if !rotated.is_empty() {
                rotated.rotate_left(1);
            }
            out.push(rotated);
            for i in 0..v.len() {
                for step in [1, -1] {
                    let mut moved = v.clone();
                    moved[i] += step;
                    out.push(moved);
                }
            }
            out.into_iter()
                .filter(|w| w != v)
                .map(Attribute::Ints)
                .collect()
        }
        Attribute::Int(v) => vec![Attribute::Int(v + 1), Attribute::Int(v - 1)],
        Attribute::Bool(v) => vec![Attribute::Bool(!v)],
        Attribute::Str(v) => WORDS
            .iter()
            .filter(|(from, _)| from == v)
            .map(|(_, to)| (*to).into())
            .collect(),
        Attribute::Unit
        | Attribute::Float(_)
        | Attribute::Bools(_)
        | Attribute::Array(_)
        | Attribute::Dict(_)
        | Attribute::Symbol(_)
        | Attribute::Type(_)
        | Attribute::Literal(_) => vec![],
    }
}
