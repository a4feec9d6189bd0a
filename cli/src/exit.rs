//! Exit codes, and errors as people read them: with the line of the source where there is one.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use tileproof_dialect::error::{Diagnostic, Error};
use tileproof_verifier::verdict::Verdict;

pub const MISMATCH: u8 = 1;
pub const UNDECIDED: u8 = 2;
pub const BAD_INPUT: u8 = 3;
const INTERNAL: u8 = 4;

/// Most diagnostics printed; the rest are counted.
const MOST: usize = 20;

/// Largest source whose line is shown with a message.
const LARGEST_SHOWN: u64 = 64 << 20;

/// Prints on stdout. A reader that went away is no error; a full device is.
pub fn print(text: &str) -> Result<(), Error> {
    write(&mut std::io::stdout().lock(), text)
}

/// Prints on stderr what was asked for there, as [`print`].
pub fn print_on_stderr(text: &str) -> Result<(), Error> {
    write(&mut std::io::stderr().lock(), text)
}

/// A line on stderr. Where it cannot be printed, there is nobody to tell.
pub fn say(line: &str) {
    let _ = print_on_stderr(&format!("{line}\n"));
}

fn write(out: &mut impl Write, text: &str) -> Result<(), Error> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::invalid(
            format!("cannot print: {e}"),
            Default::default(),
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints an error on stderr, for a command that was asked for JSON also as JSON on stdout, and gives its exit code.
pub fn report(error: &Error) -> u8 {
    if wants_json() {
        let _ = print(&format!("{:#}\n", json(error)));
    }
    match error {
        Error::InvalidProgram(all) => {
            for d in all.iter().take(MOST) {
                say(&show(d));
            }
            if all.len() > MOST {
                say(&format!("... and {} more", all.len() - MOST));
            }
        }
        Error::Unsupported { .. } | Error::Internal(_) => say(&format!("tileproof: {error}")),
    }
    code(error)
}

/// For a command line that could not be read, which is told on stderr already.
pub fn wrong_command_line(message: &str) -> u8 {
    if wants_json() {
        let error = Error::invalid(message.trim_end(), Default::default());
        let _ = print(&format!("{:#}\n", json(&error)));
    }
    BAD_INPUT
}

fn code(error: &Error) -> u8 {
    match error {
        Error::InvalidProgram(_) => BAD_INPUT,
        Error::Unsupported { .. } => UNDECIDED,
        Error::Internal(_) => INTERNAL,
    }
}

/// Whether JSON was asked for, also on a command line that could not be read.
fn wants_json() -> bool {
    std::env::args_os().any(|a| a == "--json")
}

/// An error in the place of a report. What is not supported is a verdict.
fn json(error: &Error) -> Value {
    let (kind, all) = match error {
        Error::InvalidProgram(all) => ("bad input", all.clone()),
        Error::Unsupported { what, location } => (
            "unsupported",
            vec![Diagnostic::new(what.clone(), location.clone())],
        ),
        Error::Internal(what) => (
            "internal",
            vec![Diagnostic::new(what.clone(), Default::default())],
        ),
    };
    let verdict = match error {
        Error::Unsupported { what, .. } => Some(Verdict::Unsupported { what: what.clone() }),
        Error::InvalidProgram(_) | Error::Internal(_) => None,
    };
    let diagnostic = |d: &Diagnostic| {
        let at = d.location.position.as_ref();
        json!({
            "message": d.message,
            "location": (!d.location.is_unknown()).then(|| d.location.to_string()),
            "file": at.map(|p| p.file.to_string()),
            "line": at.map(|p| p.line),
            "column": at.map(|p| p.column),
            "help": d.help,
        })
    };
    json!({
        "version": 1,
        "verdict": verdict,
        "error": {
            "kind": kind,
            "exit_code": code(error),
            "diagnostics": all.iter().map(diagnostic).collect::<Vec<_>>(),
        },
    })
}

/// `file:line:column: message`, then the source line with a mark where the file can be read.
fn show(d: &Diagnostic) -> String {
    let plain = format!("error: {d}");
    let Some(p) = &d.location.position else {
        return plain;
    };
    // Not a device that never ends, and not arrays.
    let is_text =
        std::fs::metadata(&*p.file).is_ok_and(|m| m.is_file() && m.len() <= LARGEST_SHOWN);
    let Some(text) = is_text
        .then(|| std::fs::read_to_string(&*p.file).ok())
        .flatten()
    else {
        return plain;
    };
    let before: usize = text
        .split_inclusive('\n')
        .take(p.line.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = text[before..].lines().next().unwrap_or("");
    // Columns count bytes or characters depending on who counted; keep the mark inside the line.
    let column = (p.column.saturating_sub(1) as usize).min(line.len());
    if line.len() > 300 || !line.is_char_boundary(column) {
        return plain;
    }
    let word = line[column..]
        .find(|c: char| c.is_whitespace() || c == ',' || c == ')')
        .unwrap_or(line.len() - column)
        .max(1);
    let report = MietteDiagnostic::new(plain).with_label(LabeledSpan::underline(
        before + column..(before + column + word).min(text.len()),
    ));
    let report = miette::Report::new(report).with_source_code(NamedSource::new(&*p.file, text));
    let theme = if std::io::stderr().is_terminal() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut out = String::new();
    match GraphicalReportHandler::new_themed(theme)
        .with_context_lines(0)
        .render_report(&mut out, report.as_ref())
    {
        Ok(()) => out.trim_end().to_string(),
        Err(_) => format!("error: {d}"),
    }
}
