//! Exit codes, and errors as people read them: with the line of the source where there is one.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};
use std::io::{IsTerminal, Write};
use tileproof_dialect::error::{Diagnostic, Error};

pub const UNDECIDED: u8 = 2;
pub const BAD_INPUT: u8 = 3;
pub const INTERNAL: u8 = 4;

/// Most diagnostics printed; the rest are counted.
const MOST: usize = 20;

/// Prints on stdout. A reader that went away is no error; a full device is.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::invalid(
            format!("cannot print: {e}"),
            Default::default(),
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints an error on stderr and gives its exit code.
pub fn report(error: &Error) -> u8 {
    match error {
        Error::InvalidProgram(all) => {
            for d in all.iter().take(MOST) {
                eprintln!("{}", show(d));
            }
            if all.len() > MOST {
                eprintln!("... and {} more", all.len() - MOST);
            }
            BAD_INPUT
        }
        Error::Unsupported { .. } => {
            eprintln!("tileproof: {error}");
            UNDECIDED
        }
        Error::Internal(_) => {
            eprintln!("tileproof: {error}");
            INTERNAL
        }
    }
}

/// `file:line:column: message`, then the source line with a mark where the file can be read.
fn show(d: &Diagnostic) -> String {
    let plain = format!("error: {d}");
    let Some(p) = &d.location.position else {
        return plain;
    };
    let Ok(text) = std::fs::read_to_string(&*p.file) else {
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
