//! The documents that are written from the lists in the code: docs/passes.md and docs/ops.md.

use std::fmt::Write;
use tileproof_dialect::{attribute::AttributeReader, hlo, location::Location};
use tileproof_lowering::pipeline;
use tileproof_tests::workspace::SourceFile;
use tileproof_verifier::finding::contract_words;

/// Every pass in pipeline order with its rewrites.
pub fn passes() -> String {
    let mut out = String::from(
        "# Passes\n\nIn pipeline order. Written by `INSTA_UPDATE=always cargo test --workspace --test docs` from the passes themselves.\n",
    );
    for pass in pipeline::passes() {
        let _ = writeln!(
            out,
            "\n## {}\n\n{}: {} to {}, contract {}.\n\n| rewrite | equation | numerics |\n|---|---|---|",
            pass.name,
            capitalized(pass.summary),
            pass.input,
            pass.output,
            contract_words(&pass.numerics()),
        );
        for rewrite in pass.rewrites {
            let equation = rewrite.equation.replace('|', "\\|");
            let numerics = contract_words(&(rewrite.numerics)());
            let _ = writeln!(out, "| {} | {equation} | {numerics} |", rewrite.name);
        }
    }
    out
}

/// Every op of the `hlo` dialect in the order of its list, with the first words of its file.
pub fn ops(files: &[SourceFile]) -> String {
    let mut out = String::from(
        "# Ops of the hlo dialect\n\nIn the order of THE list, dialect/src/hlo/mod.rs. Written by `INSTA_UPDATE=always cargo test --workspace --test docs`; \
         what an op means stands at the head of its file.\n\n| op | kind | summary |\n|---|---|---|\n",
    );
    for name in hlo::Op::NAMES {
        let location = Location::default();
        let mut reader = AttributeReader::new(name, Default::default(), &location);
        // Without attributes the op is not usable, but has its kind.
        let kind = hlo::Op::from_attributes(name, &mut reader).map_or(String::new(), |op| {
            format!("{:?}", op.kind()).to_lowercase()
        });
        let summary = summary(name, files).replace('|', "\\|");
        let _ = writeln!(out, "| {name} | {kind} | {summary} |");
    }
    out.push_str(
        "\n# Ops of kernels\n\nIn the order of THE list, dialect/src/tpu/op.rs (stages S3 to S5). Operands are in parentheses behind `of`.\n\n\
         | op | meaning |\n|---|---|\n",
    );
    let list = files.iter().find(|f| f.path == "dialect/src/tpu/op.rs");
    for (name, meaning) in list.map_or(vec![], |f| kernel_ops(&f.text)) {
        let _ = writeln!(out, "| {name} | {} |", meaning.replace('|', "\\|"));
    }
    out
}

/// Variants of `TpuOp` with their doc comments.
fn kernel_ops(text: &str) -> Vec<(String, String)> {
    let list = text
        .split_once("pub enum TpuOp {")
        .map_or("", |(_, rest)| rest);
    let mut out = vec![];
    let mut meaning: Vec<&str> = vec![];
    for line in list.lines().take_while(|line| *line != "}") {
        let line = line.strip_prefix("    ").unwrap_or(line);
        if let Some(words) = line.strip_prefix("/// ") {
            meaning.push(words.trim());
        } else if line.starts_with(|c: char| c.is_ascii_uppercase()) {
            let name: String = line.chars().take_while(|c| c.is_alphanumeric()).collect();
            out.push((name, std::mem::take(&mut meaning).join(" ")));
        }
    }
    out
}

/// The first paragraph of the header of the op's file, behind its name: ``//! `domain` (HLO): the border of ..``.
fn summary(name: &str, files: &[SourceFile]) -> String {
    let start = format!("//! `{name}`");
    let file = files
        .iter()
        .find(|file| file.path.starts_with("dialect/src/hlo/") && file.text.starts_with(&start));
    let Some(header) = file.and_then(|file| file.text.strip_prefix(&start)) else {
        return format!("no file begins with `{start}`");
    };
    let lines = header
        .lines()
        .map(|line| line.trim_start_matches("//!").trim());
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let (origin, text) = paragraph
        .split_once(": ")
        .unwrap_or(("", paragraph.as_str()));
    format!("{text} {origin}").trim().to_owned()
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
