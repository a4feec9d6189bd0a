//! The Python package with this build's binary.

use std::{path::Path, process::Command};

#[test]
fn the_python_package_passes_its_tests() {
    let Some(python) = super::xla::python() else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let binaries = Path::new(env!("CARGO_BIN_EXE_tileproof")).parent();
    let found = std::env::var_os("PATH").unwrap_or_default();
    let folders = binaries
        .map(Path::to_path_buf)
        .into_iter()
        .chain(std::env::split_paths(&found));
    let output = Command::new(python)
        .args([
            "-m",
            "unittest",
            "discover",
            "--start-directory",
            "python/tests",
        ])
        .env("PYTHONPATH", root.join("python"))
        .env("PATH", std::env::join_paths(folders).expect("a path"))
        .current_dir(&root)
        .output()
        .expect("python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("Ran 0 tests"), "{said}");
}
