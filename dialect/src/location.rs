//! Where an op comes from: its place in the source text and the source ops it implements (provenance).

use smallvec::SmallVec;
use std::{fmt, sync::Arc};

/// Number of an op of the imported program (stage S0), in import order from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceOp(pub u32);

/// Location of an op. Passes merge locations (fused); none drops provenance.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// Source ops this op implements; the one whose value it computes comes first.
    pub sources: SmallVec<[SourceOp; 2]>,
    /// The rewrite that made this op: `PASS:REWRITE#N`; none for an op as imported.
    pub rewrite: Option<Arc<str>>,
    pub position: Option<Position>,
}

/// File, line and column (both from 1) in the text a program was read from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl Location {
    pub fn at(file: &Arc<str>, line: u32, column: u32) -> Location {
        Location {
            position: Some(Position {
                file: file.clone(),
                line,
                column,
            }),
            ..Location::default()
        }
    }

    pub fn is_unknown(&self) -> bool {
        self.position.is_none() && self.sources.is_empty() && self.rewrite.is_none()
    }

    /// The location of an op that `rewrite` made from the ops at `parts`, the one whose value it computes first.
    pub fn fused<'a>(
        rewrite: Option<Arc<str>>,
        parts: impl IntoIterator<Item = &'a Location>,
    ) -> Location {
        let mut out = Location {
            rewrite,
            ..Location::default()
        };
        for part in parts {
            for s in &part.sources {
                if !out.sources.contains(s) {
                    out.sources.push(*s);
                }
            }
            if out.position.is_none() {
                out.position = part.position.clone();
            }
        }
        out
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.position, self.sources.first()) {
            (Some(p), _) => write!(f, "{}:{}:{}", p.file, p.line, p.column),
            (None, Some(s)) => write!(f, "source op {}", s.0),
            (None, None) => write!(f, "unknown location"),
        }
    }
}
