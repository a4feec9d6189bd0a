//! What is said of a reproducer.

use crate::isolate::reproducer::Reproducer;
use std::{fmt::Write, path::Path};
use tileproof_runtime::xla::Versions;

/// The size it came down to, whether its script was seen to fail, and the script itself or where it is.
pub fn text(made: Option<&Reproducer>, versions: &Versions, out: Option<&Path>) -> String {
    let mut text = String::from("\n");
    let xla = format!("jaxlib {} on {}", versions.jaxlib, versions.platform);
    let Some(made) = made else {
        let _ = writeln!(
            text,
            "no reproducer: {xla} does not show this finding when it compiles the program again"
        );
        return text;
    };
    let (before, after) = made.reduced.ops;
    let _ = writeln!(
        text,
        "reproducer: {after} of {before} operations, {} ({} programs compiled)",
        if made.reduced.minimal {
            "none of which can be left out"
        } else {
            "not minimal: the time was up (--reduce SECONDS)"
        },
        made.reduced.tried
    );
    let Some(script) = &made.script else {
        let _ = writeln!(
            text,
            "no script shows it; the program:\n\n{}",
            made.stablehlo
        );
        return text;
    };
    let alone = match script.right_op_by_op {
        Some(true) => "; the same calls one by one are right",
        Some(false) => "; the same calls one by one are wrong too",
        None => "",
    };
    let _ = writeln!(text, "the script was run with {xla} and fails{alone}");
    match out {
        Some(folder) => {
            let path = folder.join("repro.py");
            let _ = writeln!(
                text,
                "next: {} {}",
                versions.python.display(),
                path.display()
            );
        }
        None => {
            let _ = writeln!(text, "\n{}", script.text);
        }
    }
    text
}
