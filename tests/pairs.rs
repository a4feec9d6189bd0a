//! Pairs of programs: `tests/pairs/FAULT/before.mlir` with a correct change of it (`right.mlir`) and a faulty one (`wrong.mlir`). The first line of
//! either says how it is judged and what comes out: `// pair: --contract strict --level full: Miscompile`.

use std::{path::Path, sync::Arc};
use tileproof_dialect::{
    import::stablehlo,
    numerics::{Contract, Numerics},
    program::Program,
};
use tileproof_runtime::limits::Limits;
use tileproof_tests::workspace;
use tileproof_verifier::validate::{self, Level};

fn program(path: &Path) -> (String, Arc<Program>) {
    let text = std::fs::read_to_string(path).expect("a pair has its programs");
    let name = path.display().to_string();
    let program = stablehlo::parse(&text, &name).unwrap_or_else(|e| panic!("{name}: {e}"));
    (
        text.lines().next().unwrap_or("").to_string(),
        Arc::new(program),
    )
}

fn contract(word: &str) -> Contract {
    match word {
        "unknown" => Contract::Unknown,
        "strict" => Contract::Strict,
        "xla" => Contract::Xla,
        "bit-exact" => Contract::BitExact,
        "reassociates" => Contract::Reassociates,
        other => panic!("no contract is named '{other}'"),
    }
}

#[test]
fn faults_are_found_and_their_correct_twins_are_not() {
    let folder = workspace::root().join("tests/pairs");
    let mut all: Vec<_> = std::fs::read_dir(&folder)
        .expect("the pairs are there")
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.is_dir())
        .collect();
    all.sort();
    assert!(all.len() >= 25, "only {} pairs", all.len());
    let mut wrong = vec![];
    for pair in all {
        let (_, before) = program(&pair.join("before.mlir"));
        for side in ["right.mlir", "wrong.mlir"] {
            let path = pair.join(side);
            let (directive, after) = program(&path);
            let (options, want) = directive
                .strip_prefix("// pair: ")
                .and_then(|d| d.rsplit_once(": "))
                .unwrap_or_else(|| panic!("{}: no directive", path.display()));
            let words: Vec<&str> = options.split_whitespace().collect();
            let value = |flag: &str| {
                let at = words.iter().position(|w| *w == flag);
                at.and_then(|i| words.get(i + 1)).copied()
            };
            let options = validate::Options {
                level: match value("--level") {
                    Some("full") => Level::Full,
                    _ => Level::Quick,
                },
                seed: 1,
                given: None,
                known: None,
                limits: Limits::default(),
                progress: None,
                target: tileproof_lowering::target::DEFAULT,
            };
            let numerics = Numerics::of(contract(value("--contract").unwrap_or("unknown")));
            let report = validate::two(&before, &after, &numerics, &options)
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let got = report.verdict.to_string();
            if !got.starts_with(want) {
                wrong.push(format!("{}: want {want}, got {got}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
