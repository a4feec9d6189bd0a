//! What the documents say is so: links lead somewhere, commands exist, generated programs are what their scripts print.

use std::collections::BTreeSet;
use std::process::Command;

use tileproof_tests::workspace::{self, SourceFile, assert_clean};

#[path = "docs/generated.rs"]
mod generated;

#[test]
fn links_lead_somewhere() {
    let documents = workspace::files(&["md"]);
    let root = workspace::root();
    let exists = |path: &str| root.join(path).exists();
    assert_clean(
        documents
            .iter()
            .flat_map(|document| broken_links(document, &documents, &exists)),
    );
}

#[test]
fn commands_in_examples_exist() {
    let subcommands: BTreeSet<String> = workspace::files(&["rs"])
        .iter()
        .filter_map(|file| file.path.strip_prefix("cli/src/")?.strip_suffix(".rs"))
        .filter_map(|path| path.rsplit('/').next())
        .map(|stem| stem.replace('_', "-"))
        .collect();
    let makefile = std::fs::read_to_string(workspace::root().join("Makefile")).unwrap_or_default();
    assert_clean(
        workspace::files(&["md"])
            .iter()
            .flat_map(|document| unknown_commands(document, &subcommands, &makefile)),
    );
}

#[test]
fn passes_are_described() {
    assert_document("docs/passes.md", &generated::passes());
}

#[test]
fn ops_are_described() {
    assert_document("docs/ops.md", &generated::ops(&workspace::files(&["rs"])));
}

/// The document at `path` is `want`. It is written where insta is asked to update.
#[track_caller]
fn assert_document(path: &str, want: &str) {
    let file = workspace::root().join(path);
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&file, want).expect("the document can be written");
    }
    let got = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = want
        .lines()
        .zip(got.lines().chain(std::iter::repeat("")))
        .find(|(want, got)| want != got);
    assert!(
        got == want,
        "{path} is not what the code says, first at {differs:?}; `INSTA_UPDATE=always cargo test --workspace --test docs` writes it"
    );
}

/// Needs the .venv of `make python`.
#[test]
fn programs_are_what_their_scripts_print() {
    for script in ["python/programs/generate.py", "python/pallas/generate.py"] {
        prints_what_is_stored(script);
    }
}

#[track_caller]
fn prints_what_is_stored(script: &str) {
    let root = workspace::root();
    let python = root.join(".venv/bin/python");
    if !python.exists() {
        assert!(!workspace::in_ci(), "no .venv: run `make python`");
        println!("skipped: no .venv; run `make python`");
        return;
    }
    let output = Command::new(python)
        .args([script, "--check"])
        .current_dir(root)
        .output()
        .expect("the .venv's python starts");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Links to files that do not exist and to headings that their document does not have. Links with a scheme are not followed.
fn broken_links(
    document: &SourceFile,
    documents: &[SourceFile],
    exists: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, target) in links(&document.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() {
            document.path.clone()
        } else {
            resolve(&document.path, file)
        };
        let place = format!("{}:{number}", document.path);
        if !exists(&path) {
            problems.push(format!("{place}: {target}: there is no {path}"));
        } else if !anchor.is_empty() {
            let aimed = documents.iter().find(|other| other.path == path);
            if !aimed.is_some_and(|aimed| anchors(&aimed.text).contains(anchor)) {
                problems.push(format!("{place}: {target}: {path} has no such heading"));
            }
        }
    }
    problems
}

/// `[text](target)` outside code, each with its line number.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in outside_code(text) {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else {
                break;
            };
            found.push((number, target));
            rest = after;
        }
    }
    found
}

/// The lines outside fenced code, with numbers from 1.
fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    marked_lines(text)
        .filter(|(_, _, in_code)| !in_code)
        .map(|(number, line, _)| (number, line))
}

/// Every line with its number and whether it is inside a code fence; the fences themselves are left out.
fn marked_lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            return None;
        }
        Some((index + 1, line, in_code))
    })
}

/// `target` as seen from the folder of `from`, below the workspace root.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of a document's headings, formed the way GitHub does.
fn anchors(text: &str) -> BTreeSet<String> {
    outside_code(text)
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(_, line)| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

/// Lines of code fences that call a subcommand of tileproof or a target of make that does not exist. A leading `$ ` is allowed.
fn unknown_commands(
    document: &SourceFile,
    subcommands: &BTreeSet<String>,
    makefile: &str,
) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line, _) in marked_lines(&document.text).filter(|(_, _, in_code)| *in_code) {
        let line = line.trim_start();
        let mut words = line.strip_prefix("$ ").unwrap_or(line).split_whitespace();
        let (Some(program), Some(command)) = (words.next(), words.next()) else {
            continue;
        };
        let known = match program.rsplit('/').next() {
            Some("tileproof") => command.starts_with('-') || subcommands.contains(command),
            Some("make") => makefile
                .lines()
                .any(|rule| rule.split(':').next() == Some(command) && rule.contains(':')),
            _ => true,
        };
        if !known {
            problems.push(format!(
                "{}:{number}: there is no `{program} {command}`",
                document.path
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    //! Every rule on input it must refuse, and on the nearest input it must take.

    use super::*;

    fn document(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn broken_links_fires() {
        let documents = [
            document(
                "docs/ring.md",
                "# The ring\n[up](../README.md#two-words) [no](../NONE.md)\n",
            ),
            document(
                "README.md",
                "## Two words!\n[ring](docs/ring.md#the-ring) [x](#none) [y](https://x.y)\n```\n[z](z.md)\n```\n",
            ),
        ];
        let exists = |path: &str| documents.iter().any(|document| document.path == path);
        let broken = |index: usize| broken_links(&documents[index], &documents, &exists);
        assert_eq!(
            broken(0),
            ["docs/ring.md:2: ../NONE.md: there is no NONE.md"]
        );
        assert_eq!(
            broken(1),
            ["README.md:2: #none: README.md has no such heading"]
        );
    }

    #[test]
    fn unknown_commands_fires() {
        let subcommands = BTreeSet::from(["check".to_owned()]);
        let text = "tileproof prose\n```\n$ tileproof check a.mlir\n$ target/release/tileproof chek a.mlir\nmake demo\nmake dmeo\n$ ls x\n```\n";
        let problems = unknown_commands(
            &document("README.md", text),
            &subcommands,
            "demo: setup\n\tx\n",
        );
        assert_eq!(
            problems,
            [
                "README.md:4: there is no `target/release/tileproof chek`",
                "README.md:6: there is no `make dmeo`"
            ]
        );
    }
}
