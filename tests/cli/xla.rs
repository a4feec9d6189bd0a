//! `tileproof xla` on the dumps of tests/dumps, and programs on the `xla` engine.

use super::{Ran, SUM, file, tileproof};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn dumps(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/dumps")
        .join(name)
}

/// On a machine without JAX, stage codegen is left out. Findings are not reduced.
fn xla(name: &str, more: &[&str]) -> Ran {
    let folder = dumps(name).display().to_string();
    let python = python();
    let codegen: &[&str] = match &python {
        Some(python) => &["--python", python],
        None => &["--no-codegen"],
    };
    tileproof(&[&["xla", &folder, "--reduce", "0"], codegen, more].concat())
}

/// Python of `make python`; none on a machine without it, which in CI is a failure.
pub fn python() -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/python");
    if path.exists() {
        return Some(path.display().to_string());
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "no .venv: run `make python`"
    );
    println!("skipped: no .venv; run `make python`");
    None
}

#[test]
fn every_stage_of_a_right_compilation_is_equal() {
    let ran = xla("normalize_rows", &["--level", "full"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for stage in [
        "import",
        "algsimp",
        "fusion",
        "layout-assignment",
        "after_optimizations",
    ] {
        assert!(ran.out.contains(stage), "no line for {stage}: {}", ran.out);
    }
    assert!(
        ran.out
            .contains("no stage changed what the program computes"),
        "{}",
        ran.out
    );
}

#[test]
fn the_pass_that_broke_a_program_is_named_and_its_command_shows_it_again() {
    // 200 * 200 overflows to -25536: negative, and the pass says never.
    let folder = TempDir::new().expect("a temporary folder");
    let input = folder.path().join("x.npy");
    std::fs::write(&input, npy_i16(&[200, 1, -3, 181, 182, 0])).expect("writable");
    let ran = xla(
        "negative_square",
        &["--inputs", &input.display().to_string()],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let place = "first broken: pass algsimp (dump 0006 of pipeline simplification)";
    assert!(ran.out.contains(place), "{}", ran.out);
    assert!(
        ran.out.contains("want 1 (0x01), got 0 (0x00)"),
        "{}",
        ran.out
    );
    let next = ran
        .out
        .lines()
        .find_map(|l| l.trim().strip_prefix("next: tileproof "));
    let words: Vec<&str> = next.expect("a next command").split(' ').collect();
    assert_eq!(tileproof(&words).code, 1);
}

#[test]
fn a_program_broken_on_the_way_in_is_told_by_its_source() {
    let ran = xla("unsigned_start", &["--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let module = &report["modules"][0];
    assert_eq!(module["first_broken"]["stage"], "import");
    let broken = module["stages"].as_array().expect("stages");
    let broken = broken.iter().filter(|s| s["verdict"]["verdict"] != "Equal");
    assert_eq!(broken.count(), 1, "{}", ran.out);
    // Without its source the same dumps are right: what went wrong lies before them.
    let folder = TempDir::new().expect("a temporary folder");
    for entry in std::fs::read_dir(dumps("unsigned_start")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "gz") {
            let name = path.file_name().expect("a name");
            std::fs::copy(&path, folder.path().join(name)).expect("copied");
        }
    }
    let alone = tileproof(&["xla", &folder.path().display().to_string(), "--no-codegen"]);
    assert_eq!(alone.code, 0, "{}{}", alone.out, alone.err);
}

#[test]
fn a_dump_that_cannot_be_read_breaks_the_chain_and_not_the_report() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = |op: &str| {
        format!(
            "HloModule m\nENTRY e {{\n  x = f32[2]{{0}} parameter(0)\n  ROOT y = f32[2]{{0}} {op}(x)\n}}\n"
        )
    };
    file(&folder, "before_optimizations.txt", &text("negate"));
    file(
        &folder,
        "0000.p.after_a.before_b.txt",
        "HloModule m\nENTRY e {\n  ROOT x = f32[2]{0} parameter(1)\n}\n",
    );
    file(&folder, "0001.p.after_b.before_c.txt", &text("negate"));
    file(&folder, "0002.p.after_c.txt", &text("abs"));
    let ran = tileproof(&[
        "xla",
        &folder.path().display().to_string(),
        "--no-codegen",
        "--reduce",
        "0",
    ]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.out
            .contains("first broken: pass c (dump 0002 of pipeline p)"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.matches("Unsupported{").count(), 2, "{}", ran.out);
}

#[test]
fn a_finding_is_reduced_to_a_script_that_fails_compiled_and_passes_op_by_op() {
    let Some(python) = python() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let (input, out) = (folder.path().join("x.npy"), folder.path().join("out"));
    std::fs::write(&input, npy_i16(&[200, 1, -3, 181, 182, 0])).expect("writable");
    let ran = tileproof(&[
        "xla",
        &dumps("negative_square").display().to_string(),
        "--contract",
        "strict",
        "--python",
        &python,
        "--inputs",
        &input.display().to_string(),
        "--out",
        &out.display().to_string(),
    ]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("reproducer: 2 of 2 operations"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("the same calls one by one are right"),
        "{}",
        ran.out
    );
    let script = out.join("repro.py");
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(&python)
            .arg(&script)
            .args(arguments)
            .output()
            .expect("python starts");
        output.status.code()
    };
    assert_eq!((run(&[]), run(&["--op-by-op"])), (Some(1), Some(0)));
    // The program written beside shows it too, on the arguments written beside.
    let inputs = out.join("input_0.npy").display().to_string();
    let program = out.join("repro.mlir").display().to_string();
    let results = |engine: &str| {
        let ran = tileproof(&[
            "run", &program, "--inputs", &inputs, "--engine", engine, "--python", &python,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    assert_ne!(results("reference"), results("xla"));
}

#[test]
fn of_a_wrong_kernel_it_is_told_whether_xla_or_llvm_made_it_so() {
    if python().is_none() {
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let input = folder.path().join("x.npy");
    let x = [-0.414f64, -0.4131, -0.35, -0.5, 0.25];
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(&input, npy("<f8", x.len(), &bytes)).expect("writable");
    let input = input.display().to_string();
    for (name, more, culprit, words) in [
        (
            "log_plus_one",
            &["--inputs", &input][..],
            "emitter",
            "xla.log1p",
        ),
        ("product_and_sum", &[], "llvm", "contracts"),
    ] {
        let ran = xla(name, &[&["--contract", "strict", "--json"], more].concat());
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let module = &report["modules"][0];
        assert_eq!(module["first_broken"]["stage"], "codegen", "{}", ran.out);
        let stages = module["stages"].as_array().expect("stages");
        let found = &stages.last().expect("codegen")["culprits"][0];
        assert_eq!(found["culprit"], culprit, "{found}");
        let why = found["why"].as_str().expect("a reason");
        assert!(why.contains(words), "{why}");
        // Both are among XLA's freedoms: contraction, and as many ulps as its function was measured to err.
        let ran = xla(name, more);
        assert_eq!(ran.code, 0, "{}", ran.out);
    }
}

#[test]
fn a_folder_without_dumps_is_bad_input() {
    let folder = TempDir::new().expect("a temporary folder");
    let ran = tileproof(&["xla", &folder.path().display().to_string()]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("--xla_dump_to=DIR"), "{}", ran.err);
}

#[test]
fn a_module_of_one_program_is_not_equal() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().display().to_string();
    let check = || tileproof(&["xla", &path, "--no-codegen", "--reduce", "0"]);
    let negate =
        "HloModule m\nENTRY e {\n  x = f32[2]{0} parameter(0)\n  ROOT y = f32[2]{0} negate(x)\n}\n";
    file(&folder, "module_0000.f.cpu_after_optimizations.txt", negate);
    let ran = check();
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("nothing was compared"), "{}", ran.out);
    let said = "no stage changed what the program computes";
    assert!(!ran.out.contains(said), "{}", ran.out);
    // With the program before it there is something to compare.
    file(&folder, "module_0000.f.before_optimizations.txt", negate);
    assert_eq!(check().code, 0);
    // A dump of another module that cannot be read.
    let random = folder
        .path()
        .join("module_0009.g.0001.foo.after_bar.before_baz.txt");
    std::fs::write(&random, [0xc3u8, 0x28, 0xff, 0x00, 0x9a].repeat(200)).expect("writable");
    let ran = check();
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let name = "module_0009.g.0001.foo.after_bar.before_baz.txt";
    assert!(ran.out.contains(name), "{}", ran.out);
}

#[test]
fn a_program_runs_on_xla() {
    let Some(python) = python() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let sum = file(&folder, "sum.mlir", SUM);
    let run = |engine: &str| {
        let out = folder.path().join(engine).display().to_string();
        let ran = tileproof(&[
            "run", &sum, "--engine", engine, "--python", &python, "--out", &out,
        ]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let bytes =
            std::fs::read(folder.path().join(engine).join("output_0.npy")).expect("written");
        let last = bytes[bytes.len() - 4..].try_into().expect("four bytes");
        f32::from_le_bytes(last)
    };
    let (reference, xla) = (run("reference"), run("xla"));
    assert!(
        ((reference - xla) / reference).abs() < 1e-2,
        "{reference} {xla}"
    );
}

#[test]
fn an_error_of_xla_and_a_missing_python_are_told() {
    let folder = TempDir::new().expect("a temporary folder");
    let sum = file(&folder, "sum.mlir", SUM);
    let absent = tileproof(&[
        "run",
        &sum,
        "--engine",
        "xla",
        "--python",
        "/no/such/python",
    ]);
    assert_eq!(absent.code, 3, "{}", absent.err);
    assert!(absent.err.contains("/no/such/python"), "{}", absent.err);
    let absent = tileproof(&["bench", &sum, "--python", "/no/such/python"]);
    assert_eq!(absent.code, 3, "{}{}", absent.out, absent.err);
    assert!(absent.err.contains("/no/such/python"), "{}", absent.err);
    let Some(python) = python() else { return };
    let hang = "module @m {\n  func.func public @main(%x: tensor<i32>) -> tensor<i32> {\n    %y = stablehlo.while(%s = %x) : tensor<i32>\n    cond {\n      %t = stablehlo.constant dense<true> : tensor<i1>\n      stablehlo.return %t : tensor<i1>\n    } do {\n      %z = stablehlo.add %s, %s : tensor<i32>\n      stablehlo.return %z : tensor<i32>\n    }\n    return %y : tensor<i32>\n  }\n}\n";
    let hang = file(&folder, "hang.mlir", hang);
    let hung = tileproof(&[
        "run",
        &hang,
        "--engine",
        "xla",
        "--python",
        &python,
        "--xla-timeout",
        "3",
    ]);
    assert_eq!(hung.code, 2, "{}", hung.err);
    assert!(hung.err.contains("does not end within 3 s"), "{}", hung.err);
}

/// A .npy file of int16.
fn npy_i16(values: &[i16]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("<i2", values.len(), &bytes)
}

/// A .npy file of `n` elements of NumPy's type `descr`.
fn npy(descr: &str, n: usize, bytes: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}");
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(bytes);
    out
}
