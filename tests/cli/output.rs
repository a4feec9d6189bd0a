//! What is printed where: JSON, closed pipes, full devices.

use super::{Ran, SUM, file, program, tileproof};
use serde_json::Value;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err))
}

#[test]
fn a_command_that_prints_json_prints_its_errors_as_json() {
    let folder = TempDir::new().expect("a temporary folder");
    let syntax = file(&folder, "syntax.mlir", "module {\n  func.func @main( {\n}");
    let sum = file(&folder, "sum.mlir", SUM);
    let dumps = folder.path().display().to_string();
    for arguments in [
        vec!["check", &syntax],
        vec!["tv", &sum, &syntax],
        vec!["mutate", &syntax],
        vec!["bench", &syntax],
        vec!["xla", &dumps],
        vec!["check", &sum, "--no-such-option"],
    ] {
        let ran = tileproof(&[&arguments[..], &["--json"]].concat());
        assert_eq!(ran.code, 3, "{arguments:?}: {}{}", ran.out, ran.err);
        let said = json(&ran);
        assert_eq!(said["error"]["kind"], "bad input", "{said}");
        assert_eq!(said["error"]["exit_code"], 3, "{said}");
        assert!(said["verdict"].is_null(), "{said}");
        let first = &said["error"]["diagnostics"][0];
        assert!(first["message"].is_string(), "{said}");
        if arguments.contains(&syntax.as_str()) {
            assert_eq!(first["file"], syntax, "{said}");
            assert_eq!(first["line"], 2, "{said}");
        }
        assert!(!ran.err.is_empty(), "people read it on stderr");
    }
    let ran = tileproof(&["check", &syntax]);
    assert_eq!(ran.out, "", "JSON was not asked for");
}

#[test]
fn what_is_not_supported_is_a_verdict_in_json() {
    let folder = TempDir::new().expect("a temporary folder");
    let token = "func.func @main(%t: !stablehlo.token, %x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
    let path = file(&folder, "token.mlir", token);
    let input = folder.path().join("x.npy").display().to_string();
    let inputs = format!("{input},{input}");
    let ran = tileproof(&["check", &path, "--inputs", &inputs, "--json"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    let said = json(&ran);
    assert_eq!(said["verdict"]["verdict"], "Unsupported", "{said}");
    assert_eq!(said["error"]["kind"], "unsupported", "{said}");
}

#[test]
fn the_diff_of_a_mutant_is_part_of_the_json() {
    let folder = TempDir::new().expect("a temporary folder");
    let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.abs %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
    let path = file(&folder, "abs.mlir", text);
    let ran = tileproof(&[
        "mutate",
        &path,
        "--mutator",
        "drop-operation",
        "--json",
        "--diff",
    ]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let said = json(&ran);
    assert_eq!(said["stopped"], false, "{said}");
    let diff = said["mutants"][0]["diff"].as_str();
    assert!(diff.is_some_and(|d| d.contains("hlo.abs")), "{said}");
    let listed = json(&tileproof(&["mutate", "--list", "--json"]));
    let names = listed["mutators"].as_array().expect("a list");
    assert!(
        names.iter().any(|m| m["name"] == "drop-operation"),
        "{listed}"
    );
}

/// A reader that went away ends a command quietly; a device that is full is told.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_quiet_and_a_full_device_is_told() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = file(&folder, "sum.mlir", SUM);
    for arguments in [
        vec!["run", &path],
        vec!["doctor"],
        vec!["opt", &path],
        vec!["check", &path],
        vec!["mutate", "--list"],
    ] {
        let start = |out: Stdio| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
            command.args(&arguments).stdout(out).stderr(Stdio::piped());
            let output = command.output().expect("the binary starts");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), err)
        };
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let (code, err) = start(writer.into());
        assert!(matches!(code, Some(0 | 2)), "{arguments:?}: {code:?} {err}");
        assert!(!err.contains("print"), "{arguments:?}: {err}");
        let full = std::fs::File::options().write(true).open("/dev/full");
        let (code, err) = start(full.expect("/dev/full").into());
        assert_eq!(code, Some(3), "{arguments:?}: {err}");
        assert!(err.contains("cannot print"), "{arguments:?}: {err}");
    }
    // Nor does a closed stderr break what prints there.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    command.args([
        "opt",
        &path,
        "--pipeline",
        "--print-ir-after",
        "all",
        "--stats",
    ]);
    let output = command.stderr(writer).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(0));
}

/// SIGINT during a measurement: not all was measured.
#[cfg(unix)]
#[test]
fn a_measurement_that_was_stopped_says_so() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    command.args([
        "mutate",
        &program("transformer.mlir"),
        "--sites",
        "1000",
        "--json",
    ]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let id = child.id().to_string();
    std::thread::sleep(std::time::Duration::from_secs(5));
    let ended = child.try_wait().expect("a child");
    assert!(ended.is_none(), "it ended before it could be stopped");
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.is_ok_and(|s| s.success()), "the signal was sent");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["stopped"], true, "{said}");
}
