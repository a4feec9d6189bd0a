//! Attributes of an op, read back by name and written as text.

use crate::{
    attribute::{Attribute, Attributes},
    import::hlo_text::syntax::list,
};
use std::fmt::Write;

/// Reads attributes back out of an op; an op that verifies has them all.
pub struct Fields<'a>(pub &'a Attributes);

impl<'a> Fields<'a> {
    pub fn ints(&self, name: &str) -> &'a [i64] {
        match self.0.get(name) {
            Some(Attribute::Ints(v)) => v,
            Some(_) | None => &[],
        }
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            Some(Attribute::Int(v)) => Some(*v),
            Some(_) | None => None,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Attribute::Bool(true))
    }

    pub fn word(&self, name: &str) -> Option<&'a str> {
        match self.0.get(name) {
            Some(Attribute::Str(v)) => Some(v),
            Some(_) | None => None,
        }
    }

    pub fn array(&self, name: &str) -> &'a [Attribute] {
        match self.0.get(name) {
            Some(Attribute::Array(v)) => v,
            Some(_) | None => &[],
        }
    }

    /// Lists of integers as `{{0,1},{2}}`.
    pub fn rows(&self, name: &str) -> String {
        let row = |a: &Attribute| {
            if let Attribute::Ints(v) = a {
                list(v)
            } else {
                list::<i64>(&[])
            }
        };
        format!(
            "{{{}}}",
            self.array(name)
                .iter()
                .map(row)
                .collect::<Vec<_>>()
                .join(",")
        )
    }
}

/// `, name=value` pairs of an instruction.
#[derive(Default)]
pub struct Pairs(pub String);

impl Pairs {
    pub fn put(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = write!(self.0, ", {name}={value}");
    }

    pub fn flag(&mut self, f: &Fields<'_>, name: &str) {
        if f.flag(name) {
            self.put(name, "true");
        }
    }

    pub fn lists(&mut self, f: &Fields<'_>, names: &[(&str, &str)]) {
        names
            .iter()
            .for_each(|(ours, theirs)| self.put(theirs, list(f.ints(ours))));
    }

    /// Lists that are left out when empty.
    pub fn batch_lists(&mut self, f: &Fields<'_>, names: &[(&str, &str)]) {
        names
            .iter()
            .filter(|(ours, _)| !f.ints(ours).is_empty())
            .for_each(|(ours, theirs)| self.put(theirs, list(f.ints(ours))));
    }
}
