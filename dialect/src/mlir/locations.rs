//! Locations, both ways: provenance lives in MLIR's own locations.
//!
//! A source op is a NameLoc `op17` around the position; a rewrite is the metadata of a FusedLoc over its sources, root first.

use crate::location::{Location, Position, SourceOp};
use mlir_sys::*;
use std::{ptr::null, sync::Arc};

pub(super) fn encode<'c>(
    context: &'c melior::Context,
    location: &Location,
) -> melior::ir::Location<'c> {
    let context = context.to_raw();
    // SAFETY: constructors over values of one live context; strings and lists are copied.
    unsafe {
        let position = match &location.position {
            Some(p) => mlirLocationFileLineColGet(context, string(&p.file), p.line, p.column),
            None => mlirLocationUnknownGet(context),
        };
        let sources = location.sources.iter().map(|source| {
            let name = format!("op{}", source.0);
            mlirLocationNameGet(context, string(&name), position)
        });
        let mut parts: Vec<MlirLocation> = sources.collect();
        if parts.is_empty() {
            parts.push(position);
        }
        let metadata = match &location.rewrite {
            Some(rewrite) => mlirStringAttrGet(context, string(rewrite)),
            None => MlirAttribute { ptr: null() },
        };
        melior::ir::Location::from_raw(mlirLocationFusedGet(
            context,
            parts.len() as isize,
            parts.as_ptr(),
            metadata,
        ))
    }
}

/// The location a rewrite gives an op it makes from the ops at `parts`, the root first. For passes that work on MLIR.
pub fn fused<'c>(
    context: &'c melior::Context,
    rewrite: &str,
    parts: &[melior::ir::Location<'c>],
) -> melior::ir::Location<'c> {
    let parts: Vec<Location> = parts.iter().map(|part| decode(*part)).collect();
    encode(context, &Location::fused(Some(Arc::from(rewrite)), &parts))
}

pub fn decode(location: melior::ir::Location) -> Location {
    decode_in(location, &Arc::from("-"))
}

/// Positions in the nameless text `-` are said to be in `file`.
pub(super) fn decode_in(location: melior::ir::Location, file: &Arc<str>) -> Location {
    let mut out = Location::default();
    collect(raw(location), file, &mut out);
    out
}

/// Gives `op`, which stays where it is, another location.
pub fn set(op: melior::ir::OperationRef, location: melior::ir::Location) {
    // SAFETY: op and location are alive and of one context.
    unsafe {
        mlirOperationSetLocation(
            melior::ir::operation::OperationLike::to_raw(&op),
            raw(location),
        )
    }
}

fn raw(location: melior::ir::Location) -> MlirLocation {
    // SAFETY: the attribute comes from a location.
    unsafe {
        mlirLocationFromAttribute(melior::ir::AttributeLike::to_raw(&location.to_attribute()))
    }
}

fn collect(location: MlirLocation, file: &Arc<str>, out: &mut Location) {
    // SAFETY: every accessor is called on a location its test accepted, within its count.
    unsafe {
        if mlirLocationIsAFileLineColRange(location) {
            if out.position.is_none() {
                let name = text(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(
                    location,
                )));
                let line = mlirLocationFileLineColRangeGetStartLine(location) as u32;
                let column = mlirLocationFileLineColRangeGetStartColumn(location) as u32;
                let file = if name == "-" {
                    file.clone()
                } else {
                    Arc::from(name)
                };
                out.position = Some(Position { file, line, column });
            }
        } else if mlirLocationIsAName(location) {
            let name = text(mlirIdentifierStr(mlirLocationNameGetName(location)));
            if let Some(source) = name
                .strip_prefix("op")
                .and_then(|n| n.parse().ok())
                .map(SourceOp)
                && !out.sources.contains(&source)
            {
                out.sources.push(source);
            }
            collect(mlirLocationNameGetChildLoc(location), file, out);
        } else if mlirLocationIsACallSite(location) {
            collect(mlirLocationCallSiteGetCallee(location), file, out);
            collect(mlirLocationCallSiteGetCaller(location), file, out);
        } else if mlirLocationIsAFused(location) {
            let metadata = mlirLocationFusedGetMetadata(location);
            if out.rewrite.is_none() && !metadata.ptr.is_null() && mlirAttributeIsAString(metadata)
            {
                out.rewrite = Some(Arc::from(text(mlirStringAttrGetValue(metadata))));
            }
            let mut parts = vec![
                MlirLocation { ptr: null() };
                mlirLocationFusedGetNumLocations(location) as usize
            ];
            mlirLocationFusedGetLocations(location, parts.as_mut_ptr());
            parts.into_iter().for_each(|part| collect(part, file, out));
        }
    }
}

pub(super) fn string(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

/// The text of a string that lives as long as its context; bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `string` points at `length` readable bytes.
pub(super) unsafe fn text(string: MlirStringRef) -> String {
    if string.length == 0 {
        return String::new();
    }
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe {
        std::slice::from_raw_parts(string.data.cast(), string.length)
    })
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::context::with_context;

    fn location(sources: &[u32], rewrite: Option<&str>, line: Option<u32>) -> Location {
        Location {
            sources: sources.iter().map(|n| SourceOp(*n)).collect(),
            rewrite: rewrite.map(Arc::from),
            position: line.map(|line| Position {
                file: Arc::from("a b.py"),
                line,
                column: 7,
            }),
        }
    }

    #[test]
    fn provenance_survives() {
        with_context(|context| {
            for sources in [&[][..], &[5], &[9, 0, 7]] {
                for rewrite in [None, Some("hlo-fuse:loop#12")] {
                    for line in [None, Some(3)] {
                        let before = location(sources, rewrite, line);
                        assert_eq!(decode(encode(context.melior(), &before)), before);
                    }
                }
            }
        })
    }

    #[test]
    fn a_rewrite_merges_the_sources_root_first() {
        with_context(|context| {
            let c = context.melior();
            let [a, b] = [
                location(&[4, 2], Some("p:r#1"), Some(1)),
                location(&[2, 3], None, Some(2)),
            ];
            let fused = fused(c, "p:q#2", &[encode(c, &a), encode(c, &b)]);
            assert_eq!(decode(fused), location(&[4, 2, 3], Some("p:q#2"), Some(1)));
        })
    }
}
