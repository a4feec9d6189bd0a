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
