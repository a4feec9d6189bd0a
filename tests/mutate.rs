//! Mutators at work: `tests/mutate/<name>.mlir`, whose first line names mutators. Each must apply somewhere in the program, and every mutant that is
//! no equivalent must be killed by the check of a bit-exact pass at level full.

use std::{collections::BTreeSet, sync::Arc};
use tileproof_dialect::{import, numerics::Numerics};
use tileproof_runtime::limits::Limits;
use tileproof_tests::workspace;
use tileproof_verifier::{
    mutate::{MUTATORS, canonical, equivalence, find},
    validate::{self, Level},
};

/// Ways of a mutator that are tried on each op.
const SEEDS: u64 = 6;

#[test]
fn every_mutator_makes_faults_and_they_are_found() {
    let mut problems = vec![];
    let mut seen = BTreeSet::new();
    let files = workspace::files(&["mlir"]);
    for file in files.iter().filter(|f| f.path.starts_with("tests/mutate/")) {
        let first = file.text.lines().next().unwrap_or_default();
        let Some(names) = first.strip_prefix("// mutators: ") else {
            problems.push(format!("{}: the first line names no mutators", file.path));
            continue;
        };
        for name in names.split_whitespace() {
            seen.insert(name);
            match survivors(name, &file.text) {
                Ok(all) => problems.extend(all.iter().map(|s| format!("{}: {s}", file.path))),
                Err(problem) => problems.push(format!("{}: {name}: {problem}", file.path)),
            }
        }
    }
    for m in MUTATORS.iter().filter(|m| !seen.contains(m.name)) {
        problems.push(format!("no test names the mutator {}", m.name));
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// What is not found of the mutants that `name` makes.
fn survivors(name: &str, text: &str) -> Result<Vec<String>, String> {
    let mutator = find(name).map_err(|e| e.to_string())?;
    let program = Arc::new(import::stablehlo::parse(text, "mutate").map_err(|e| e.to_string())?);
    let mut seen = BTreeSet::new();
    let mut out = vec![];
    for (id, seed) in program
        .op_ids()
        .flat_map(|id| (0..SEEDS).map(move |seed| (id, seed)))
    {
        let Some(mutant) = (mutator.mutate)(&program, id, seed) else {
            continue;
        };
        if !seen.insert(canonical::canonical(&mutant)) {
            continue;
        }
        let what = || {
            format!(
                "{name} at op {} ({}), seed {seed}",
                id.0,
                program.op(id).op.name()
            )
        };
        let options = validate::Options {
            level: Level::Full,
            seed: 1,
            given: None,
            known: None,
            limits: Limits {
                loop_steps: 1000,
                ..Limits::default()
            },
            progress: None,
            target: tileproof_lowering::target::DEFAULT,
        };
        let after = Arc::new(mutant);
        let report = validate::two(&program, &after, &Numerics::bit_exact(), &options)
            .map_err(|e| format!("{}: {e}", what()))?;
        if !report.verdict.is_mismatch()
            && equivalence::of(&program, &after, mutator, id, seed).is_none()
        {
            out.push(format!("{}: {}", what(), report.verdict));
        }
    }
    if seen.is_empty() {
        return Err("applies nowhere".to_string());
    }
    Ok(out)
}
