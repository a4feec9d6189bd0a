//! STYLE's rules that a program can check, run on this repository.

use std::process::Command;

use tileproof_tests::workspace::{self, assert_clean};

#[path = "tidy/rules.rs"]
mod rules;
use rules::*;

#[test]
fn crates_depend_one_way() {
    let manifests = workspace::files(&["toml"]);
    assert_clean(CRATES.iter().flat_map(|(folder, _, _)| {
        let path = format!("{folder}/Cargo.toml");
        match manifests.iter().find(|manifest| manifest.path == path) {
            Some(manifest) => wrong_dependencies(folder, &manifest.text),
            None => vec![format!("{path} is missing")],
        }
    }));
}

#[test]
fn files_are_short_and_well_named() {
    let files = workspace::files(&["rs", "py", "sh"]);
    assert_clean(
        files
            .iter()
            .flat_map(|file| [too_long(file), forbidden_name(file)])
            .flatten(),
    );
}

#[test]
fn rust_files_begin_with_their_purpose() {
    assert_clean(workspace::files(&["rs"]).iter().filter_map(no_header));
}

#[test]
fn no_test_is_switched_off() {
    assert_clean(
        workspace::files(&["rs"])
            .iter()
            .flat_map(forbidden_attributes),
    );
}

#[test]
fn unsafe_stays_in_its_places_and_is_explained() {
    assert_clean(workspace::files(&["rs"]).iter().flat_map(unsafe_problems));
}

#[test]
fn melior_stays_in_its_places() {
    assert_clean(workspace::files(&["rs"]).iter().flat_map(melior_outside));
}

#[test]
fn passes_have_headings_and_tests() {
    let files = workspace::files(&["rs", "mlir"]);
    assert_clean(
        files
            .iter()
            .filter_map(|file| Some((pass_name(&file.path)?, file)))
            .flat_map(|(pass, file)| {
                let mut problems = heading_problems(file);
                if !is_of_kernels(&pass) {
                    problems.extend(no_pass_test(&pass, &files));
                }
                problems
            }),
    );
}

/// Passes on kernels are tested kernel by kernel in tests/kernels.rs.
fn is_of_kernels(name: &str) -> bool {
    let passes = tileproof_lowering::pipeline::passes();
    let found = passes.iter().find(|pass| pass.name == name);
    found.is_some_and(|pass| matches!(pass.run, tileproof_lowering::pass::Run::Kernel(_)))
}

#[test]
fn every_rewrite_has_a_rule_test() {
    let files = workspace::files(&["mlir"]);
    assert_clean(
        tileproof_lowering::pipeline::passes()
            .iter()
            .filter(|pass| !is_of_kernels(pass.name))
            .flat_map(|pass| pass.rewrites.iter().map(|r| (pass.name, r.name)))
            .filter_map(|(pass, rewrite)| no_rule_test(pass, rewrite, &files)),
    );
}

#[test]
fn every_op_has_its_file_and_its_definition() {
    let files = workspace::files(&["rs", "td"]);
    assert_clean(op_file_problems(
        "dialect/td/hlo.td",
        "dialect/src/hlo",
        &files,
    ));
}

#[test]
fn code_is_formatted() {
    assert_cargo(&["fmt", "--all", "--check"], "cargo fmt --all");
}

#[test]
fn clippy_has_nothing_to_say() {
    let clippy = [
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    assert_cargo(&clippy, "cargo clippy --workspace --all-targets");
}

#[track_caller]
fn assert_cargo(arguments: &[&str], fix: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(workspace::root())
        .output();
    let output = output.expect("cargo starts");
    assert!(
        output.status.success(),
        "cargo {} failed (run `{fix}`):\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
