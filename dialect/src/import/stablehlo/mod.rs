//! StableHLO text, pretty or generic, as JAX and the StableHLO tools print it.
//!
//! Every op becomes an op of `hlo`: `stablehlo.X`, `chlo.X` and `mhlo.X` are `hlo.X`. `check.*` and `interpreter.*` (the tests of the
//! specification) are `hlo.custom_call` with their name as target and their attributes as `backend_config`.
//!
//! Attributes that an op does not define are kept in `Operation::extra`, those of parameters, results and the module where they stand;
//! `sdy.mesh @m` is kept as the module attribute of that name, sharding constraints change no value and are dropped, other `sdy` ops are `Unsupported`.
//! All diagnostics are returned: after a failure reading goes on with the next op, and what depends on the failed one is not reported.

mod attributes;
mod blocks;
mod conventions;
mod functions;
mod generic;
mod lexer;
mod literals;
mod locations;
#[cfg(test)]
mod mutation;
mod pretty;
mod resources;
mod scope;
mod short_forms;
mod types;

#[cfg(test)]
mod tests;

use crate::{
    attribute::Attribute,
    builder::{ProgramBuilder, Provenance},
    error::{Diagnostic, Error},
    location::Location,
    program::{OpId, Program},
    types::Type,
};
use lexer::Lexer;
use locations::Origin;
use std::{collections::HashMap, sync::Arc};

pub(crate) use attributes::is_foreign;

/// Deepest nesting of regions, attributes and types.
const MAX_DEPTH: usize = 256;
/// Diagnostics after which reading stops.
const MAX_DIAGNOSTICS: usize = 100;

/// Why a piece of text could not be read. `at` is a byte offset.
#[derive(Debug)]
pub enum Fail {
    Syntax {
        at: usize,
        message: String,
        help: Option<String>,
    },
    /// Diagnostics with their locations.
    Located(Vec<Diagnostic>),
    Unsupported {
        at: usize,
        what: String,
    },
    /// Follows from a failure that was reported.
    Silent,
}

pub type Parse<T> = Result<T, Box<Fail>>;

impl Fail {
    fn syntax(at: usize, message: impl Into<String>) -> Box<Fail> {
        Box::new(Fail::Syntax {
            at,
            message: message.into(),
            help: None,
        })
    }

    fn helped(at: usize, message: impl Into<String>, help: impl Into<String>) -> Box<Fail> {
        Box::new(Fail::Syntax {
            at,
            message: message.into(),
            help: Some(help.into()),
        })
    }

    fn unsupported(at: usize, what: impl Into<String>) -> Box<Fail> {
        Box::new(Fail::Unsupported {
            at,
            what: what.into(),
        })
    }
}

/// The program of a text with one module. Functions outside a module form one.
pub fn parse(text: &str, file: &str) -> Result<Program, Error> {
    parse_at(text, file, 0)
}

/// The programs of a text whose modules are split by lines `// -----`. Lines are those of the whole text. Parts that hold only comments are left out.
pub fn parse_modules(text: &str, file: &str) -> Vec<Result<Program, Error>> {
    let mut parts = vec![(0, 0)];
    let mut at = 0;
    for (line, l) in text.split_inclusive('\n').enumerate() {
        if l.trim_start().starts_with("// -----") {
            parts.push((at, line as u32));
        }
        at += l.len();
    }
    parts.push((text.len(), 0));
    let ranges = parts.windows(2).filter_map(|w| {
        if let [(from, line), (to, _)] = w {
            Some((text.get(*from..*to)?, *line))
        } else {
            None
        }
    });
    ranges
        .filter(|(part, _)| !Lexer::new(part).at_end() || text.trim().is_empty())
        .map(|(part, line)| parse_at(part, file, line))
        .collect()
}

fn parse_at(text: &str, file: &str, first_line: u32) -> Result<Program, Error> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        lines: std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, b)| *b == b'\n')
                    .map(|(i, _)| i + 1),
            )
            .collect(),
        first_line,
        file: file.into(),
        builder: ProgramBuilder::new(file, Provenance::Number),
        scope: scope::Scope::default(),
        depth: 0,
        types: HashMap::new(),
        type_aliases: HashMap::new(),
        attribute_aliases: HashMap::new(),
        location_aliases: HashMap::new(),
        origins: vec![],
        diagnostics: vec![],
        unsupported: vec![],
        resources: None,
    };
    parser.top_level();
    parser.finish()
}

/// State of reading one text.
struct Parser<'a> {
    lexer: Lexer<'a>,
    /// Byte offsets at which lines begin.
    lines: Vec<usize>,
    first_line: u32,
    file: Arc<str>,
    builder: ProgramBuilder,
    scope: scope::Scope<'a>,
    depth: usize,
    /// Tensor types by their text between `<` and `>`.
    types: HashMap<&'a str, Type>,
    type_aliases: HashMap<&'a str, Type>,
    attribute_aliases: HashMap<&'a str, Attribute>,
    location_aliases: HashMap<&'a str, Vec<Origin<'a>>>,
    /// `loc(..)` of ops, resolved at the end: aliases may be defined after their use.
    origins: Vec<(OpId, Vec<Origin<'a>>)>,
    diagnostics: Vec<Diagnostic>,
    unsupported: Vec<(String, Location)>,
    /// Blobs of `dense_resource<..>`, read at first need.
    resources: Option<HashMap<&'a str, &'a str>>,
}

impl<'a> Parser<'a> {
    fn location(&self, at: usize) -> Location {
        let line = self.lines.partition_point(|start| *start <= at).max(1);
        let column = at.saturating_sub(self.lines.get(line - 1).copied().unwrap_or(0));
        Location::at(&self.file, self.first_line + line as u32, column as u32 + 1)
    }

    /// Keeps a failure for the end.
    fn report(&mut self, fail: Fail) {
        match fail {
            Fail::Syntax { at, message, help } => self.diagnostics.push(Diagnostic {
                message,
                location: self.location(at),
                help,
            }),
            Fail::Located(all) => self.diagnostics.extend(all),
            Fail::Unsupported { at, what } => self.unsupported.push((what, self.location(at))),
            Fail::Silent => {}
        }
    }

    fn given_up(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    /// Runs `read` one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Fail::syntax(
                self.lexer.at,
                format!("nesting is deeper than {MAX_DEPTH}"),
            ));
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        out
    }

    fn finish(mut self) -> Result<Program, Error> {
        if !self.diagnostics.is_empty() {
            return Err(Error::InvalidProgram(self.diagnostics));
        }
        if let Some((_, location)) = self.unsupported.first() {
            let mut names: Vec<&str> = vec![];
            for (what, _) in &self.unsupported {
                if !names.contains(&what.as_str()) {
                    names.push(what);
                }
            }
            return Err(Error::Unsupported {
                what: names.join(", "),
                location: location.clone(),
            });
        }
        if self.builder.program().functions.is_empty() {
            return Err(Error::InvalidProgram(vec![
                Diagnostic::new("the text holds no function", self.location(0)).with_help("StableHLO text has a 'func.func @main'; JAX prints it with lower(..).as_text()"),
            ]));
        }
        for (id, origins) in std::mem::take(&mut self.origins) {
            if let Some(position) = self.position(&origins, 0)
                && let Some(op) = self.builder.program_mut().ops.get_mut(id.index())
            {
                op.location.position = Some(position);
            }
        }
        super::mosaic::decode_kernels(self.builder.finish()?)
    }

    /// The first source position that origins lead to.
    fn position(&self, origins: &[Origin<'a>], depth: usize) -> Option<crate::location::Position> {
        origins.iter().find_map(|o| match o {
            Origin::File(p) => Some(p.clone()),
            Origin::Alias(name) if depth < 64 => {
                self.position(self.location_aliases.get(name)?, depth + 1)
            }
            Origin::Alias(_) => None,
        })
    }
}
