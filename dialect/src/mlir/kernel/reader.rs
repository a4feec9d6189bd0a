//! Attributes of one MLIR op of a kernel.

use super::super::{attributes, locations};
use crate::{attribute::Attribute as Plain, location::Location};
use melior::ir::{Attribute, OperationRef, attribute::ArrayAttribute, operation::OperationLike};
use mlir_sys::mlirDictionaryAttrGetElementByName;
use std::sync::Arc;

fn number(a: &Plain) -> Option<i64> {
    if let Plain::Int(n) = a {
        Some(*n)
    } else {
        None
    }
}

pub(super) struct Reader<'c, 'a> {
    op: OperationRef<'c, 'a>,
    pub location: Location,
}

impl<'c, 'a> Reader<'c, 'a> {
    pub fn new(op: OperationRef<'c, 'a>, file: &Arc<str>) -> Reader<'c, 'a> {
        Reader {
            op,
            location: locations::decode_in(op.location(), file),
        }
    }

    pub fn raw(&self, name: &str) -> Option<Attribute<'c>> {
        self.op.attribute(name).ok()
    }

    pub fn plain(&self, name: &str) -> Option<Plain> {
        attributes::decode(self.raw(name)?).ok()
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        let plain = self.plain(name)?;
        if let Plain::Bool(b) = plain {
            return Some(b.into());
        }
        number(&plain)
    }

    /// A number that is not negative.
    pub fn size(&self, name: &str) -> Option<u64> {
        self.int(name).and_then(|n| u64::try_from(n).ok())
    }

    /// Whether a boolean attribute is there and true.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.int(name).map(|n| n != 0)
    }

    pub fn string(&self, name: &str) -> Option<String> {
        if let Plain::Str(text) = self.plain(name)? {
            Some(text)
        } else {
            None
        }
    }

    /// A list of integers, as a dense array or as an array of integer attributes.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        let plain = self.plain(name)?;
        if let Plain::Array(list) = &plain {
            return list.iter().map(number).collect();
        }
        if let Plain::Ints(list) = plain {
            Some(list)
        } else {
            None
        }
    }

    /// [`Reader::ints`] none of which is negative.
    pub fn sizes(&self, name: &str) -> Option<Vec<u64>> {
        let list = self.ints(name)?;
        list.iter().map(|n| u64::try_from(*n).ok()).collect()
    }

    /// The attribute as MLIR prints it.
    pub fn text(&self, name: &str) -> Option<String> {
        self.raw(name).map(|a| a.to_string())
    }

    /// The parts of an array as MLIR prints them.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let array = self
            .raw(name)
            .and_then(|a| ArrayAttribute::try_from(a).ok());
        array.map_or(vec![], |list| {
            (0..list.len())
                .filter_map(|i| list.element(i).ok())
                .map(|a| a.to_string())
                .collect()
        })
    }

    /// Attribute `name` of the function's argument `i`.
    pub fn argument(&self, i: usize, name: &str) -> Option<Attribute<'c>> {
        let array = ArrayAttribute::try_from(self.raw("arg_attrs")?).ok()?;
        let dictionary = array.element(i).ok()?;
        // SAFETY: entries of `arg_attrs` are dictionaries, as MLIR has verified; the name is readable over the call.
        unsafe {
            let found = mlirDictionaryAttrGetElementByName(
                melior::ir::AttributeLike::to_raw(&dictionary),
                locations::string(name),
            );
            (!found.ptr.is_null()).then(|| Attribute::from_raw(found))
        }
    }

    /// Whether a window is pipelined or addressed otherwise than by whole blocks.
    pub fn has_window_kinds(&self) -> bool {
        let known = ["transform_indices", "window_bounds"];
        match self.raw("window_params").map(attributes::decode) {
            Some(Ok(Plain::Array(list))) => list.iter().any(|entry| {
                if let Plain::Dict(entry) = entry {
                    entry.0.keys().any(|key| !known.contains(&key.as_str()))
                } else {
                    true
                }
            }),
            Some(Ok(_) | Err(_)) => true,
            None => false,
        }
    }
}
