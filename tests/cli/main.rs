//! The command line as users meet it: exit codes, messages, files.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

mod output;
mod python;
mod right;
mod xla;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn tileproof(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .args(arguments)
        .output()
        .expect("the binary starts");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/programs")
        .join(name)
        .display()
        .to_string()
}

/// Writes `text` to a file of its own folder.
fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path: PathBuf = folder.path().join(name);
    std::fs::write(&path, text).expect("the folder is writable");
    path.display().to_string()
}

const SUM: &str = r#"
module @sum {
  func.func public @main(%x: tensor<1000000xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}"#;

const SUM_OF_ROWS: &str = r#"
module @sum {
  func.func public @main(%x: tensor<1000000xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.reshape %x : (tensor<1000000xf32>) -> tensor<1000x1000xf32>
    %sums = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
    %sum = stablehlo.reduce(%sums init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}"#;

const ONE_DROPPED: &str = r#"
module @sum {
  func.func public @main(%x: tensor<1000000xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %most = stablehlo.slice %x [0:999999] : (tensor<1000000xf32>) -> tensor<999999xf32>
    %sum = stablehlo.reduce(%most init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<999999xf32>, tensor<f32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}"#;

#[test]
fn a_transformer_is_equal_after_every_pass() {
    let ran = tileproof(&["check", &program("transformer.mlir")]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("verdict: Equal"), "{}", ran.out);
    for pass in tileproof_lowering::pipeline::pipeline() {
        assert!(
            ran.out.contains(pass.name),
            "no line for {}: {}",
            pass.name,
            ran.out
        );
    }
}

/// exp of a product, a sum over rows, and an integer quotient.
const THREE: &str = r#"
module @three {
  func.func public @main(%x: tensor<5x7xf32>, %y: tensor<7x3xf32>, %n: tensor<20xi32>) -> (tensor<5x3xf32>, tensor<5xf32>, tensor<20xi32>) {
    %product = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
    %power = stablehlo.exponential %product : tensor<5x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
    %three = stablehlo.constant dense<3> : tensor<20xi32>
    %quotient = stablehlo.divide %n, %three : tensor<20xi32>
    return %power, %sums, %quotient : tensor<5x3xf32>, tensor<5xf32>, tensor<20xi32>
  }
}"#;

#[test]
fn native_code_of_both_generators_agrees_and_functions_are_named() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "three.mlir", THREE);
    let ran = tileproof(&["check", &path, "--native"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for generator in ["llvm", "cranelift"] {
        let line = ran
            .out
            .lines()
            .find(|l| l.starts_with(&format!("native: {generator}: ")) && l.contains(" agree, "))
            .unwrap_or_else(|| panic!("{}", ran.out));
        assert!(
            line.contains(" 0 differ, 0 not run") && !line.contains(" 0 agree"),
            "{line}"
        );
    }
    assert!(ran.out.contains("exponential (1)"), "{}", ran.out);
    let json = tileproof(&["check", &path, "--to", "s6", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let kernels = json["native"]["kernels"].as_array().unwrap();
    assert!(!kernels.is_empty(), "{json}");
    for kernel in kernels {
        for code in kernel["code"].as_array().unwrap() {
            assert_eq!(code["native"], "agrees", "{kernel}");
        }
    }
}

#[test]
fn a_sum_in_another_order_is_equal_and_one_dropped_element_of_a_million_is_not() {
    let folder = TempDir::new().expect("a temporary folder");
    let before = file(&folder, "before.mlir", SUM);
    let equal = tileproof(&["tv", &before, &file(&folder, "rows.mlir", SUM_OF_ROWS)]);
    assert_eq!(equal.code, 0, "{}{}", equal.out, equal.err);
    let dropped = tileproof(&["tv", &before, &file(&folder, "dropped.mlir", ONE_DROPPED)]);
    assert_eq!(dropped.code, 1, "{}{}", dropped.out, dropped.err);
    assert!(
        dropped.out.contains("verdict: Miscompile")
            || dropped.out.contains("verdict: HiddenMiscompile"),
        "{}",
        dropped.out
    );
    assert!(
        dropped.out.contains("next: tileproof tv"),
        "{}",
        dropped.out
    );
}

#[test]
fn a_finding_is_written_and_loads() {
    let folder = TempDir::new().expect("a temporary folder");
    let (before, after) = (
        file(&folder, "before.mlir", SUM),
        file(&folder, "after.mlir", ONE_DROPPED),
    );
    let out = folder.path().join("findings");
    let ran = tileproof(&[
        "tv",
        &before,
        &after,
        "--json",
        "--out",
        &out.display().to_string(),
    ]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON on stdout");
    let findings = report["findings"].as_array().expect("a list of findings");
    assert!(!findings.is_empty());
    let files: Vec<_> = std::fs::read_dir(&out)
        .expect("the folder was made")
        .flatten()
        .collect();
    assert_eq!(
        files.len(),
        findings
            .iter()
            .map(|f| f["id"].as_str())
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    );
    for f in files {
        let text = std::fs::read_to_string(f.path()).expect("readable");
        tileproof_verifier::finding::load(&text).expect("a record of this version");
    }
}

#[test]
fn bad_input_is_located_and_exits_with_3() {
    let folder = TempDir::new().expect("a temporary folder");
    let bytecode = folder.path().join("portable.mlirbc");
    std::fs::write(&bytecode, b"ML\xefR\x01\x00").expect("written");
    for (arguments, wanted) in [
        (
            vec!["check".to_string(), bytecode.display().to_string()],
            "MLIR bytecode",
        ),
        (
            vec!["check".to_string(), "no/such/file.mlir".to_string()],
            "no/such/file.mlir",
        ),
        (
            vec![
                "check".to_string(),
                file(&folder, "syntax.mlir", "module {\n  func.func @main( {\n}"),
            ],
            "syntax.mlir:2:",
        ),
        (
            vec![
                "check".to_string(),
                file(
                    &folder,
                    "type.mlir",
                    &SUM.replace("-> tensor<f32>\n    return", "-> tensor<7xf32>\n    return"),
                ),
            ],
            "type.mlir:",
        ),
        (
            vec!["check".to_string(), file(&folder, "empty.mlir", "")],
            "empty.mlir",
        ),
        (
            vec![
                "check".to_string(),
                file(&folder, "sum.mlir", SUM),
                "--passes".to_string(),
                "hlo-nothing".to_string(),
            ],
            "hlo-nothing",
        ),
        (
            vec![
                "run".to_string(),
                file(&folder, "sum.mlir", SUM),
                "--inputs".to_string(),
                file(&folder, "x.npy", "not an array"),
            ],
            "x.npy",
        ),
        (
            vec![
                "tv".to_string(),
                file(&folder, "sum.mlir", SUM),
                program("lstm.mlir"),
            ],
            "different arguments",
        ),
        (vec!["nonsense".to_string()], "nonsense"),
        (
            vec!["run".to_string(), "/dev/zero".to_string()],
            "holds more than",
        ),
        (
            vec![
                "opt".to_string(),
                file(&folder, "sum.mlir", SUM),
                "--pipeline".to_string(),
                "--print-ir-after".to_string(),
                "hlo-nothing".to_string(),
            ],
            "hlo-nothing",
        ),
    ] {
        let ran = tileproof(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.code, 3, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(wanted), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
    }
}

#[test]
fn a_trap_is_located() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n";
    let path = file(&folder, "forever.mlir", text);
    let ran = tileproof(&["run", &path]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("forever.mlir:2:"), "{}", ran.err);
    assert!(ran.err.contains("nested deeper than"), "{}", ran.err);
}

/// A loop that never ends.
const ENDLESS: &str = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.while(%a = %x) : tensor<f32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %b : tensor<f32>
  }
  return %r : tensor<f32>
}
";

#[test]
fn a_run_ends_after_as_many_steps_or_seconds_as_it_may_take() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = file(&folder, "endless.mlir", ENDLESS);
    let ran = tileproof(&["run", &path, "--max-steps", "1000"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("more than 1000 steps"), "{}", ran.err);
    assert!(ran.err.contains("--max-steps"), "{}", ran.err);
    let most = u64::MAX.to_string();
    let ran = tileproof(&["run", &path, "--max-steps", &most, "--time", "1"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("within 1 s (--time)"), "{}", ran.err);
    assert_eq!(ran.out, "");
}

#[test]
fn passes_that_do_not_run_are_named_beside_those_that_do() {
    let program = program("lstm.mlir");
    for option in ["--print-ir-after", "--stop-after"] {
        // Without --pipeline, no pass runs at all.
        for more in [&[][..], &["--pipeline"]] {
            let ran = tileproof(&[&["opt", &program, option, "nope"], more].concat());
            assert_eq!(ran.code, 3, "{}", ran.err);
            let said = [option, "'nope'", "hlo-simplify", "hlo-dce"];
            for word in said {
                assert!(ran.err.contains(word), "no {word}: {}", ran.err);
            }
        }
    }
}

#[test]
fn a_measurement_of_nothing_is_not_a_success() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.abs %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
    let path = file(&folder, "abs.mlir", text);
    for (more, code, wanted) in [
        (["--sites", "0"], 3, "--sites"),
        (["--op", "99999"], 3, "--op 99999: what is measured has"),
        (["--mutator", "trip-count"], 2, "nothing was measured"),
        (["--mutator", "drop-operation"], 0, ""),
    ] {
        let ran = tileproof(&[&["mutate", &path][..], &more].concat());
        assert_eq!(ran.code, code, "{more:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(wanted), "{more:?}: {}", ran.err);
    }
}

#[test]
fn an_unsupported_call_is_named_and_never_equal() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = r#"module { func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = stablehlo.custom_call @nobody_knows(%x) : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32> } }"#;
    let ran = tileproof(&["check", &file(&folder, "call.mlir", text)]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(format!("{}{}", ran.out, ran.err).contains("nobody_knows"));
}

#[test]
fn printed_programs_read_back_as_the_same_program() {
    let folder = TempDir::new().expect("a temporary folder");
    for form in ["stablehlo", "hlo", "own"] {
        let path = folder
            .path()
            .join(format!("lstm.{form}"))
            .display()
            .to_string();
        let printed = tileproof(&[
            "opt",
            &program("lstm.mlir"),
            "--emit",
            form,
            "--literals",
            "-o",
            &path,
        ]);
        assert_eq!(printed.code, 0, "{form}: {}", printed.err);
        let same = tileproof(&[
            "tv",
            &program("lstm.mlir"),
            &path,
            "--contract",
            "bit-exact",
        ]);
        assert_eq!(same.code, 0, "{form}: {}{}", same.out, same.err);
    }
}

/// A literal above 1 KiB, and one that says so by hash only.
#[test]
fn what_is_written_to_a_file_runs_again() {
    let folder = TempDir::new().expect("a temporary folder");
    let elements: Vec<String> = (0..600).map(|i| i.to_string()).collect();
    let text = format!(
        "func.func @main(%x: tensor<600xi32>) -> tensor<600xi32> {{\n  %c = stablehlo.constant dense<[{}]> : tensor<600xi32>\n  %0 = stablehlo.add %c, %x : tensor<600xi32>\n  return %0 : tensor<600xi32>\n}}",
        elements.join(", ")
    );
    let source = file(&folder, "big.mlir", &text);
    let written = folder.path().join("own.mlir").display().to_string();
    let ran = tileproof(&["opt", &source, "-o", &written]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = tileproof(&["tv", &source, &written, "--contract", "bit-exact"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let piped = file(&folder, "piped.mlir", &tileproof(&["opt", &source]).out);
    assert_eq!(tileproof(&["run", &piped]).code, 0);
    let short = tileproof(&["opt", &source, "--literals=hashed"]).out;
    assert!(short.len() < 1000, "{short}");
    let ran = tileproof(&["run", &file(&folder, "short.mlir", &short)]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("--literals"), "{}", ran.err);
}

/// `?` takes 7 and 16, but where an assertion or a shape rule wants another size.
#[test]
fn unknown_sizes_are_those_the_program_accepts() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = r#"func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<10> : tensor<i32>
  %p = stablehlo.compare GE, %s, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p, %s) {api_version = 2 : i32, error_message = "ten at least", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %n = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %d = stablehlo.concatenate %s1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %w = stablehlo.dynamic_broadcast_in_dim %b, %d, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %q = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %e = stablehlo.compare EQ, %q, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e, %q) {api_version = 2 : i32, error_message = "as many", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %r = stablehlo.add %a, %w : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"#;
    let path = file(&folder, "sizes.mlir", text);
    let ran = tileproof(&["run", &path]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("tensor<16x"), "{}", ran.out);
    for arguments in [vec!["check", &path], vec!["tv", &path, &path]] {
        let ran = tileproof(&arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn both_texts_of_a_program_are_equal() {
    for name in [
        "transformer",
        "convnet",
        "conjugate_gradient",
        "control_flow",
        // One text names its functions, the other holds them written out.
        "special_functions",
    ] {
        let ran = tileproof(&[
            "tv",
            &program(&format!("{name}.mlir")),
            &program(&format!("{name}.hlo")),
        ]);
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn outputs_are_written_as_arrays_and_the_same_inputs_give_the_same_bytes() {
    let folder = TempDir::new().expect("a temporary folder");
    let read = |name: &str| {
        let out = folder.path().join(name);
        let ran = tileproof(&[
            "run",
            &program("lstm.mlir"),
            "--out",
            &out.display().to_string(),
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        std::fs::read(out.join("output_0.npy")).expect("an output")
    };
    let (first, second) = (read("a"), read("b"));
    assert_eq!(first, second);
    assert!(first.starts_with(b"\x93NUMPY"));
}

#[test]
fn rewrites_are_numbered_and_can_be_cut_off() {
    let all = tileproof(&[
        "opt",
        &program("transformer.mlir"),
        "--pipeline",
        "--print-rewrites",
    ]);
    assert_eq!(all.code, 0, "{}", all.err);
    let ids: Vec<&str> = all
        .err
        .lines()
        .filter_map(|l| l.split(' ').next())
        .filter(|l| l.contains('#'))
        .collect();
    assert!(ids.len() > 5, "{}", all.err);
    for (i, id) in ids.iter().enumerate() {
        assert!(
            id.ends_with(&format!("#{}", i + 1)),
            "{id} is number {}",
            i + 1
        );
    }
    let cut = tileproof(&[
        "opt",
        &program("transformer.mlir"),
        "--pipeline",
        "--print-rewrites",
        "--stop-after-rewrite",
        "3",
    ]);
    assert_eq!(
        cut.err.lines().filter(|l| l.contains('#')).count(),
        3,
        "{}",
        cut.err
    );
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let ran = tileproof(&["opt", &program("lstm.mlir"), "-o", "/dev/null"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let kind = std::fs::metadata("/dev/null")
        .expect("it is still there")
        .file_type();
    assert!(!kind.is_file(), "/dev/null became a regular file");
}
