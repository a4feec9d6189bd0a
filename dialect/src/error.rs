//! Errors say whose fault it is; a mismatch or a trap of the tested program is a value, never an error.

use crate::location::Location;
use std::fmt;

/// Why a request could not be carried out.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The input is not a valid program, text or array: the caller's fault. All diagnostics found, not the first.
    #[error("{}", Diagnostics(.0))]
    InvalidProgram(Vec<Diagnostic>),
    /// A valid input that this build does not handle; `what` names the op, type or attribute.
    #[error("unsupported: {what}{}", Where(.location))]
    Unsupported { what: String, location: Location },
    /// A fault of tileproof itself.
    #[error("internal error: {0}")]
    Internal(String),
}

/// One located message: what is wrong, where, and the fix where known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub message: String,
    pub location: Location,
    pub help: Option<String>,
}

impl Error {
    pub fn invalid(message: impl Into<String>, location: Location) -> Error {
        Error::InvalidProgram(vec![Diagnostic {
            message: message.into(),
            location,
            help: None,
        }])
    }

    pub fn unsupported(what: impl Into<String>) -> Error {
        Error::Unsupported {
            what: what.into(),
            location: Location::default(),
        }
    }

    pub fn internal(message: impl Into<String>) -> Error {
        Error::Internal(message.into())
    }

    /// The same error with `location` filled in where it has none.
    pub fn at(mut self, location: &Location) -> Error {
        match &mut self {
            Error::InvalidProgram(all) => {
                for d in all.iter_mut().filter(|d| d.location.is_unknown()) {
                    d.location = location.clone();
                }
            }
            Error::Unsupported { location: l, .. } if l.is_unknown() => *l = location.clone(),
            Error::Unsupported { .. } | Error::Internal(_) => {}
        }
        self
    }
}

impl Diagnostic {
    pub fn new(message: impl Into<String>, location: Location) -> Diagnostic {
        Diagnostic {
            message: message.into(),
            location,
            help: None,
        }
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.location.is_unknown() {
            write!(f, "{}: ", self.location)?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

struct Diagnostics<'a>(&'a [Diagnostic]);

impl fmt::Display for Diagnostics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

struct Where<'a>(&'a Location);

impl fmt::Display for Where<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_unknown() {
            Ok(())
        } else {
            write!(f, " at {}", self.0)
        }
    }
}
