//! Each rule of tidy.rs as a function from text to complaints; the tests show that each one complains about bad input.

use std::collections::BTreeSet;

use tileproof_tests::rust_source::{code_only, has_word};
use tileproof_tests::workspace::SourceFile;

/// Each crate's folder, its package name, and the folders of the crates it may depend on. Data flows one way.
pub const CRATES: [(&str, &str, &[&str]); 6] = [
    ("dialect", "tileproof-dialect", &[]),
    ("lowering", "tileproof-lowering", &["dialect"]),
    ("runtime", "tileproof-runtime", &["dialect"]),
    (
        "verifier",
        "tileproof-verifier",
        &["dialect", "lowering", "runtime"],
    ),
    (
        "cli",
        "tileproof",
        &["dialect", "lowering", "runtime", "verifier"],
    ),
    (
        "tests",
        "tileproof-tests",
        &["dialect", "lowering", "runtime", "verifier", "cli"],
    ),
];
const MAX_LINES: usize = 600;
const FORBIDDEN_NAMES: [&str; 6] = [
    "ops.rs",
    "utils.rs",
    "util.rs",
    "helpers.rs",
    "helper.rs",
    "misc.rs",
];
const FORBIDDEN_ATTRIBUTES: [&str; 2] = ["ignore", "should_panic"];
const UNSAFE_ALLOWED: [&str; 7] = [
    "dialect/src/mlir/",
    "lowering/src/rewrite.rs",
    "lowering/src/rewrite/",
    "runtime/src/native/",
    "cli/src/allocator.rs",
    "runtime/src/reference/fast/",
    "runtime/src/simulator/vector/",
];
const MELIOR_ALLOWED: [&str; 3] = [
    "dialect/src/mlir/",
    "lowering/src/",
    "runtime/src/native/llvm/",
];
const PASS_HEADINGS: [&str; 5] = [
    "# Before",
    "# After",
    "# Numerics",
    "# Example",
    "# Leaves alone",
];

/// Ops of the list that are an upstream op in MLIR: `func.call`.
const FROM_UPSTREAM: [&str; 1] = ["call"];

/// Dependencies and feature names of the crate in `folder` that lead to a crate it must not see.
pub fn wrong_dependencies(folder: &str, manifest: &str) -> Vec<String> {
    let allowed = CRATES
        .iter()
        .find(|(name, _, _)| *name == folder)
        .map_or(&[][..], |c| c.2);
    let mut in_dependencies = false;
    let mut problems = Vec::new();
    for (number, line) in manifest.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        if line.trim_start().starts_with('[') {
            in_dependencies = line.contains("dependencies") || line.contains("features");
        }
        if !in_dependencies {
            continue;
        }
        for (other, package, _) in CRATES {
            let named = line
                .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
                .any(|token| token == package);
            let by_path = line.contains(&format!("\"../{other}\""));
            if other != folder && !allowed.contains(&other) && (named || by_path) {
                problems.push(format!(
                    "{folder}/Cargo.toml:{}: {folder} must not depend on {other}",
                    number + 1
                ));
            }
        }
    }
    problems
}

pub fn too_long(file: &SourceFile) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MAX_LINES).then(|| {
        format!(
            "{}: {lines} lines, the limit is {MAX_LINES}: split it by concept",
            file.path
        )
    })
}

pub fn forbidden_name(file: &SourceFile) -> Option<String> {
    let name = file.path.rsplit('/').next()?;
    FORBIDDEN_NAMES.contains(&name).then(|| {
        format!(
            "{}: name the file after the one concept it holds",
            file.path
        )
    })
}

/// A rewrite whose rule test is missing.
pub fn no_rule_test(pass: &str, rewrite: &str, files: &[SourceFile]) -> Option<String> {
    let path = format!("tests/rules/{pass}/{rewrite}.mlir");
    let exists = files.iter().any(|file| file.path == path);
    (!exists).then(|| format!("{pass}:{rewrite} has no rule test {path}"))
}

pub fn no_header(file: &SourceFile) -> Option<String> {
    (!file.text.starts_with("//! ")).then(|| {
        format!(
            "{}:1: a Rust file begins with `//!` and what it is for",
            file.path
        )
    })
}

pub fn forbidden_attributes(file: &SourceFile) -> Vec<String> {
    let code = code_only(&file.text);
    let is_forbidden = |line: &str| {
        let attribute = line.trim_start().starts_with("#[");
        attribute && FORBIDDEN_ATTRIBUTES.iter().any(|name| has_word(line, name))
    };
    numbered(&code)
        .filter(|(_, line)| is_forbidden(line))
        .map(|(number, line)| {
            format!(
                "{}:{number}: {}: assert the known behaviour with FIXME(id)",
                file.path,
                line.trim()
            )
        })
        .collect()
}

/// `unsafe` outside its places, and blocks and impls without a `// SAFETY:` comment directly above.
pub fn unsafe_problems(file: &SourceFile) -> Vec<String> {
    let code = code_only(&file.text);
    let allowed = UNSAFE_ALLOWED
        .iter()
        .any(|place| file.path.starts_with(place));
    let mut problems = Vec::new();
    for (number, line) in numbered(&code).filter(|(_, line)| has_word(line, "unsafe")) {
        if !allowed {
            problems.push(format!(
                "{}:{number}: unsafe outside {}",
                file.path,
                UNSAFE_ALLOWED.join(", ")
            ));
        } else if (line.contains("unsafe {") || line.contains("unsafe impl"))
            && !has_safety_comment(&file.text, &code, number)
        {
            problems.push(format!(
                "{}:{number}: no `// SAFETY:` directly above",
                file.path
            ));
        }
    }
    problems
}

/// Whether the comment directly above the statement of line `number` (from 1) has a line that begins with `SAFETY:`.
fn has_safety_comment(text: &str, code: &str, number: usize) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let code: Vec<&str> = code.lines().map(str::trim).collect();
    let mut above = lines[..number - 1]
        .iter()
        .zip(&code[..number - 1])
        .rev()
        .peekable();
    // The statement may begin on an earlier line, and have attributes.
    while above
        .next_if(|(line, code)| {
            line.starts_with("#[") || !(code.is_empty() || code.ends_with([';', '{', '}', ',']))
        })
        .is_some()
    {}
    above
        .take_while(|(line, _)| line.starts_with("//"))
        .any(|(line, _)| line.starts_with("// SAFETY:"))
}

pub fn melior_outside(file: &SourceFile) -> Vec<String> {
    if MELIOR_ALLOWED
        .iter()
        .any(|place| file.path.starts_with(place))
    {
        return Vec::new();
    }
    numbered(&code_only(&file.text))
        .filter(|(_, line)| has_word(line, "melior") || has_word(line, "mlir_sys"))
        .map(|(number, _)| {
            format!(
                "{}:{number}: melior outside {}",
                file.path,
                MELIOR_ALLOWED.join(", ")
            )
        })
        .collect()
}

/// The name of the pass a file of `lowering/src` holds: `lowering/src/hlo/fuse.rs` and `.../fuse/mod.rs` hold `hlo-fuse`.
pub fn pass_name(path: &str) -> Option<String> {
    let below = path.strip_prefix("lowering/src/")?;
    if ["hlo_to_tpu.rs", "hlo_to_tpu/mod.rs"].contains(&below) {
        return Some("hlo-to-tpu".to_owned());
    }
    let (dialect, file) = below.split_once('/')?;
    let stem = file
        .strip_suffix("/mod.rs")
        .or_else(|| file.strip_suffix(".rs"))?;
    let is_pass = ["hlo", "tpu"].contains(&dialect) && stem != "mod" && !stem.contains('/');
    is_pass.then(|| format!("{dialect}-{}", stem.replace('_', "-")))
}

pub fn heading_problems(file: &SourceFile) -> Vec<String> {
    let header: Vec<&str> = file
        .text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .collect();
    let found: Vec<&str> = header
        .iter()
        .copied()
        .filter(|line| PASS_HEADINGS.contains(line))
        .collect();
    if found == PASS_HEADINGS {
        return Vec::new();
    }
    vec![format!(
        "{}: a pass header has, once and in order: {}",
        file.path,
        PASS_HEADINGS.join(", ")
    )]
}

pub fn no_pass_test(pass: &str, files: &[SourceFile]) -> Option<String> {
    let folder = format!("tests/passes/{pass}/");
    let has_test = files
        .iter()
        .any(|file| file.path.starts_with(&folder) && file.path.ends_with(".mlir"));
    (!has_test).then(|| format!("{folder} has no .mlir test"))
}

/// Entries `module::Name,` of the op list (`hlo_ops! {`) in `folder`/mod.rs without a file or without a definition in the .td file,
/// and files of the folder that its mod.rs does not name.
pub fn op_file_problems(td: &str, folder: &str, files: &[SourceFile]) -> Vec<String> {
    let code = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map_or(String::new(), |file| code_only(&file.text))
    };
    let list = code(&format!("{folder}/mod.rs"));
    let defined = files.iter().find(|file| file.path == td);
    let defined = defined.map_or(Vec::new(), |file| op_mnemonics(&file.text));
    let stems: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| {
            file.path
                .strip_prefix(folder)?
                .strip_prefix('/')?
                .strip_suffix(".rs")
        })
        .filter(|stem| *stem != "mod" && !stem.contains('/'))
        .collect();
    let mut problems = Vec::new();
    let entries = list
        .lines()
        .skip_while(|line| !line.starts_with("hlo_ops! {"));
    for entry in entries
        .take_while(|line| *line != "}")
        .filter_map(list_entry)
    {
        // `if` and `while` are words of Rust, so their modules are `if_` and `while_`.
        let op = entry.trim_end_matches('_');
        if !stems.contains(entry) {
            problems.push(format!(
                "{folder}/{entry}.rs is missing: {folder}/mod.rs lists it"
            ));
        }
        if !FROM_UPSTREAM.contains(&op) && !defined.iter().any(|name| name == op) {
            problems.push(format!(
                "{td} does not define {op}, which {folder}/mod.rs lists"
            ));
        }
    }
    for stem in stems
        .iter()
        // `X_tests.rs` holds the tests of `X.rs`.
        .filter(|stem| !stem.ends_with("_tests"))
        .filter(|stem| !list.lines().any(|line| has_word(line, stem)))
    {
        problems.push(format!(
            "{folder}/{stem}.rs is not listed in {folder}/mod.rs"
        ));
    }
    problems
}

/// The module of an entry `module::Name,` that is alone on its line.
fn list_entry(line: &str) -> Option<&str> {
    let (module, name) = line.trim().strip_suffix(',')?.split_once("::")?;
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name(module) && is_name(name)).then_some(module)
}

/// The names in `def X : Class<"name", ...>` where the class is an op's.
fn op_mnemonics(td: &str) -> Vec<String> {
    td.lines()
        .filter_map(|line| line.strip_prefix("def ")?.split_once(':'))
        .filter_map(|(_, right)| right.split_once("<\""))
        .filter(|(class, _)| {
            !["Enum", "Attr", "Type", "Trait"]
                .iter()
                .any(|kind| class.contains(kind))
        })
        .filter_map(|(_, rest)| rest.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    //! Every rule on input it must refuse, and on the nearest input it must take.

    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn wrong_dependencies_fires() {
        let direct = "[dependencies]\ntileproof-runtime.workspace = true\n";
        let renamed = "[dev-dependencies]\nr = { path = \"../runtime\", package = \"x\" }\n";
        let table = "[dependencies.tileproof-runtime]\nworkspace = true\n";
        let feature = "[features]\nplant = [\"tileproof-runtime/plant\"]\n";
        for manifest in [direct, renamed, table, feature] {
            assert_eq!(
                wrong_dependencies("lowering", manifest).len(),
                1,
                "{manifest}"
            );
            assert_eq!(
                wrong_dependencies("verifier", manifest),
                [""; 0],
                "{manifest}"
            );
        }
        let own_name =
            "[package]\nname = \"tileproof-lowering\"\n# tileproof-runtime is not seen\n";
        assert_eq!(wrong_dependencies("lowering", own_name), [""; 0]);
    }

    #[test]
    fn too_long_fires() {
        assert!(too_long(&file("a.rs", &"\n".repeat(601))).is_some());
        assert!(too_long(&file("a.rs", &"\n".repeat(600))).is_none());
    }

    #[test]
    fn forbidden_name_fires() {
        assert!(forbidden_name(&file("dialect/src/hlo/ops.rs", "")).is_some());
        assert!(forbidden_name(&file("dialect/src/hlo/drops.rs", "")).is_none());
    }

    #[test]
    fn no_header_fires() {
        assert!(no_header(&file("a.rs", "// About\n")).is_some());
        assert!(no_header(&file("a.rs", "//! About\n")).is_none());
    }

    #[test]
    fn forbidden_attributes_fires() {
        for attribute in [
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "  #[should_panic(expected = \"x\")]",
        ] {
            assert_eq!(
                forbidden_attributes(&file("a.rs", attribute)).len(),
                1,
                "{attribute}"
            );
        }
        assert_eq!(
            forbidden_attributes(&file("a.rs", "#[cfg_attr(x, ignore)]")).len(),
            1
        );
        assert!(forbidden_attributes(&file("a.rs", "// #[ignore]\nlet ignore = 1;")).is_empty());
    }

    #[test]
    fn unsafe_problems_fires() {
        let explained = "// SAFETY: x outlives y,\n// see above.\nlet y =\n    unsafe { f(x) };\n";
        let bare = "// SAFETY: another block.\nlet x = 1;\nlet y = unsafe { f(x) };\n";
        let outside = unsafe_problems(&file("verifier/src/verdict.rs", explained));
        assert_eq!(outside.len(), 1);
        assert!(outside[0].starts_with("verifier/src/verdict.rs:4: unsafe outside"));
        assert!(unsafe_problems(&file("dialect/src/mlir/context.rs", explained)).is_empty());
        assert_eq!(
            unsafe_problems(&file("lowering/src/rewrite.rs", bare)).len(),
            1
        );
        assert_eq!(
            unsafe_problems(&file(
                "lowering/src/rewrite.rs",
                "unsafe impl Send for X {}"
            ))
            .len(),
            1
        );
        let attribute = "// SAFETY: plain data.\n#[rustfmt::skip]\nunsafe impl Send for X {}";
        assert!(unsafe_problems(&file("lowering/src/rewrite.rs", attribute)).is_empty());
    }

    #[test]
    fn melior_outside_fires() {
        let text = "use melior::Context; // melior\n";
        assert_eq!(
            melior_outside(&file("verifier/src/validate.rs", text)).len(),
            1
        );
        assert!(melior_outside(&file("dialect/src/mlir/context.rs", text)).is_empty());
        assert!(melior_outside(&file("verifier/src/validate.rs", "// melior\n")).is_empty());
    }

    #[test]
    fn pass_name_follows_the_stem() {
        let name = |path| pass_name(path).unwrap_or_default();
        assert_eq!(
            name("lowering/src/hlo/canonicalize_dots.rs"),
            "hlo-canonicalize-dots"
        );
        assert_eq!(name("lowering/src/hlo/simplify/mod.rs"), "hlo-simplify");
        assert_eq!(name("lowering/src/tpu/assign_vmem.rs"), "tpu-assign-vmem");
        assert_eq!(name("lowering/src/hlo_to_tpu/mod.rs"), "hlo-to-tpu");
        for other in [
            "hlo/mod.rs",
            "hlo/simplify/dots.rs",
            "hlo_to_tpu/dot_general.rs",
            "pass.rs",
        ] {
            assert_eq!(pass_name(&format!("lowering/src/{other}")), None, "{other}");
        }
    }

    #[test]
    fn heading_problems_fires() {
        let all = PASS_HEADINGS
            .map(|heading| format!("//! {heading}\n//! text\n"))
            .concat();
        assert!(heading_problems(&file("a.rs", &all)).is_empty());
        assert_eq!(
            heading_problems(&file("a.rs", &all.replace("# After", "# Later"))).len(),
            1
        );
        let body = format!("//! header\nuse x;\n{all}");
        assert_eq!(heading_problems(&file("a.rs", &body)).len(), 1);
    }

    #[test]
    fn no_pass_test_fires() {
        let files = [file("tests/passes/hlo-cse/basic.mlir", "")];
        assert!(no_pass_test("hlo-cse", &files).is_none());
        assert!(no_pass_test("hlo-dce", &files).is_some());
    }

    #[test]
    fn op_file_problems_fires() {
        let td = "def Hlo_AddOp : Hlo_Binary<\"add\"> {\ndef Hlo_WhileOp : Hlo_Op<\"while\", [Pure]> {\n\
                  def Hlo_Kind : I32EnumAttr<\"pad\", \"\", []>;\n";
        let td = file("dialect/td/hlo.td", td);
        let list = file(
            "dialect/src/hlo/mod.rs",
            "hlo_ops! {\n    add::Add,\n    while_::While,\n}\n",
        );
        let longer = file(
            "dialect/src/hlo/mod.rs",
            "hlo_ops! {\n    add::Add,\n    pad::Pad,\n}\n",
        );
        let [add, while_, pad] =
            ["add", "while_", "pad"].map(|stem| file(&format!("dialect/src/hlo/{stem}.rs"), ""));
        let problems = |files: &[&SourceFile]| {
            let files: Vec<SourceFile> = files.iter().map(|&file| file.clone()).collect();
            op_file_problems("dialect/td/hlo.td", "dialect/src/hlo", &files)
        };
        assert_eq!(problems(&[&td, &list, &add, &while_]), [""; 0]);
        assert_eq!(
            problems(&[&td, &list, &add]),
            ["dialect/src/hlo/while_.rs is missing: dialect/src/hlo/mod.rs lists it"]
        );
        assert_eq!(
            problems(&[&td, &list, &add, &while_, &pad]),
            ["dialect/src/hlo/pad.rs is not listed in dialect/src/hlo/mod.rs"]
        );
        assert_eq!(
            problems(&[&td, &longer, &add, &pad]),
            ["dialect/td/hlo.td does not define pad, which dialect/src/hlo/mod.rs lists"]
        );
    }
}
