//! The workspace's files as text, for the tests that read the repository itself.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// One text file: its path below the workspace root with `/`, and its text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    pub path: String,
    pub text: String,
}

/// The folder that holds the workspace's Cargo.toml.
pub fn root() -> PathBuf {
    // Cargo sets it for the run too; the compiled-in value would be that of another checkout which shares the target folder.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).join("..")
}

/// Whether this run is CI, where a check that cannot run has failed.
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// Fails the calling test with every complaint when there is one.
#[track_caller]
pub fn assert_clean(complaints: impl IntoIterator<Item = String>) {
    let complaints: Vec<String> = complaints.into_iter().collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Every file below the root whose name ends in one of `extensions`, sorted by path. Build output and hidden folders are left out, `.cargo` and `.ci` too.
pub fn files(extensions: &[&str]) -> Vec<SourceFile> {
    let root = root();
    let mut found = Vec::new();
    collect(&root, &root, extensions, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(root: &Path, folder: &Path, extensions: &[&str], found: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect(root, &path, extensions, found);
            }
        } else if extensions
            .iter()
            .any(|extension| name.ends_with(&format!(".{extension}")))
        {
            let path_below = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .replace('\\', "/");
            found.push(SourceFile {
                path: path_below,
                text: fs::read_to_string(&path).unwrap_or_default(),
            });
        }
    }
}
