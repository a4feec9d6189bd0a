//! Attributes of an op as plain data: the form between the typed struct of an op and every text or MLIR form.

use crate::{error::Diagnostic, literal::Literal, location::Location, types::Type};
use std::collections::BTreeMap;

/// One attribute. The kinds are those `td/hlo.td` uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Attribute {
    Unit,
    Bool(bool),
    Int(i64),
    /// Bits of an f64.
    Float(u64),
    /// A string, or a word of an enumeration.
    Str(String),
    Ints(Vec<i64>),
    Bools(Vec<bool>),
    Array(Vec<Attribute>),
    Dict(Attributes),
    Symbol(String),
    Type(Type),
    Literal(Literal),
}

/// Attributes by name, in name order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Attributes(pub BTreeMap<String, Attribute>);

impl Attributes {
    pub fn new() -> Attributes {
        Attributes::default()
    }

    /// Adds an attribute and returns the whole, for building in one expression.
    pub fn with(mut self, name: &str, value: impl Into<Attribute>) -> Attributes {
        self.0.insert(name.to_string(), value.into());
        self
    }

    /// Adds an optional attribute.
    pub fn with_some<A: Into<Attribute>>(self, name: &str, value: Option<A>) -> Attributes {
        match value {
            Some(v) => self.with(name, v),
            None => self,
        }
    }

    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.get(name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! from {
    ($($t:ty => $v:ident),*) => { $(impl From<$t> for Attribute { fn from(v: $t) -> Attribute { Attribute::$v(v) } })* };
}
from!(bool => Bool, i64 => Int, String => Str, Vec<i64> => Ints, Vec<bool> => Bools, Vec<Attribute> => Array, Attributes => Dict, Type => Type, Literal => Literal);

impl From<&str> for Attribute {
    fn from(v: &str) -> Attribute {
        Attribute::Str(v.to_string())
    }
}

impl From<&[i64]> for Attribute {
    fn from(v: &[i64]) -> Attribute {
        Attribute::Ints(v.to_vec())
    }
}

impl From<f64> for Attribute {
    fn from(v: f64) -> Attribute {
        Attribute::Float(v.to_bits())
    }
}

/// Takes attributes out of a dictionary by kind, collecting every complaint. What is left over at the end is unknown to the op.
pub struct AttributeReader<'a> {
    op: &'a str,
    left: Attributes,
    location: &'a Location,
    complaints: Vec<Diagnostic>,
}

impl<'a> AttributeReader<'a> {
    pub fn new(op: &'a str, attributes: Attributes, location: &'a Location) -> AttributeReader<'a> {
        AttributeReader {
            op,
            left: attributes,
            location,
            complaints: vec![],
        }
    }

    fn complain(&mut self, message: String) {
        self.complaints
            .push(Diagnostic::new(message, self.location.clone()));
    }

    /// The raw attribute, if present.
    pub fn take(&mut self, name: &str) -> Option<Attribute> {
        self.left.0.remove(name)
    }

    fn typed<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl Fn(&Attribute) -> Option<T>,
    ) -> Option<T> {
        let raw = self.take(name)?;
        let value = read(&raw);
        if value.is_none() {
            self.complain(format!(
                "'{}': attribute '{name}' must be {expected}",
                self.op
            ));
        }
        value
    }

    fn required<T>(&mut self, name: &str, fallback: T, value: Option<T>, was_present: bool) -> T {
        match value {
            Some(v) => v,
            None => {
                if !was_present {
                    self.complain(format!("'{}': attribute '{name}' is missing", self.op));
                }
                fallback
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.left.0.contains_key(name)
    }

    pub fn opt_int(&mut self, name: &str) -> Option<i64> {
        self.typed(name, "an integer", |a| {
            if let Attribute::Int(v) = a {
                Some(*v)
            } else {
                None
            }
        })
    }

    pub fn int(&mut self, name: &str) -> i64 {
        let present = self.has(name);
        let v = self.opt_int(name);
        self.required(name, 0, v, present)
    }

    pub fn opt_bool(&mut self, name: &str) -> Option<bool> {
        self.typed(name, "a boolean", |a| match a {
            Attribute::Bool(v) => Some(*v),
            Attribute::Unit => Some(true),
            _ => None,
        })
    }

    pub fn bool(&mut self, name: &str) -> bool {
        let present = self.has(name);
        let v = self.opt_bool(name);
        self.required(name, false, v, present)
    }

    pub fn float(&mut self, name: &str) -> f64 {
        let present = self.has(name);
        let v = self.typed(name, "a float", |a| match a {
            Attribute::Float(v) => Some(f64::from_bits(*v)),
            Attribute::Int(v) => Some(*v as f64),
            _ => None,
        });
        self.required(name, 0.0, v, present)
    }

    pub fn opt_str(&mut self, name: &str) -> Option<String> {
        self.typed(name, "a string", |a| {
            if let Attribute::Str(v) = a {
                Some(v.clone())
            } else {
                None
            }
        })
    }

    pub fn str(&mut self, name: &str) -> String {
        let present = self.has(name);
        let v = self.opt_str(name);
        self.required(name, String::new(), v, present)
    }

    pub fn opt_ints(&mut self, name: &str) -> Option<Vec<i64>> {
        self.typed(name, "a list of integers", |a| match a {
            Attribute::Ints(v) => Some(v.clone()),
            Attribute::Array(v) if v.is_empty() => Some(vec![]),
            Attribute::Literal(l) if l.element().is_integer() => {
                Some(l.to_tensor().to_i64s().into_owned())
            }
            _ => None,
        })
    }

    pub fn ints(&mut self, name: &str) -> Vec<i64> {
        let present = self.has(name);
        let v = self.opt_ints(name);
        self.required(name, vec![], v, present)
    }

    pub fn opt_bools(&mut self, name: &str) -> Option<Vec<bool>> {
        self.typed(name, "a list of booleans", |a| match a {
            Attribute::Bools(v) => Some(v.clone()),
            Attribute::Array(v) if v.is_empty() => Some(vec![]),
            Attribute::Literal(l) if l.element().is_integer() => {
                Some(l.to_tensor().to_i64s().iter().map(|v| *v != 0).collect())
            }
            _ => None,
        })
    }

    /// A list of strings (words).
    pub fn opt_strs(&mut self, name: &str) -> Option<Vec<String>> {
        self.typed(name, "a list of words", |a| match a {
            Attribute::Array(v) => v
                .iter()
                .map(|x| {
                    if let Attribute::Str(s) = x {
                        Some(s.clone())
                    } else {
                        None
                    }
                })
                .collect(),
            _ => None,
        })
    }

    pub fn symbol(&mut self, name: &str) -> String {
        let present = self.has(name);
        let v = self.typed(name, "a symbol", |a| {
            if let Attribute::Symbol(v) = a {
                Some(v.clone())
            } else {
                None
            }
        });
        self.required(name, String::new(), v, present)
    }

    pub fn opt_dict(&mut self, name: &str) -> Option<Attributes> {
        self.typed(name, "a dictionary", |a| {
            if let Attribute::Dict(v) = a {
                Some(v.clone())
            } else {
                None
            }
        })
    }

    pub fn opt_literal(&mut self, name: &str) -> Option<Literal> {
        self.typed(name, "a dense literal", |a| {
            if let Attribute::Literal(v) = a {
                Some(v.clone())
            } else {
                None
            }
        })
    }

    pub fn literal(&mut self, name: &str) -> Option<Literal> {
        let present = self.has(name);
        let v = self.opt_literal(name);
        if v.is_none() && !present {
            self.complain(format!("'{}': attribute '{name}' is missing", self.op));
        }
        v
    }

    /// Adds a complaint about an attribute's value.
    pub fn reject(&mut self, message: impl Into<String>) {
        let message = format!("'{}': {}", self.op, message.into());
        self.complain(message);
    }

    /// The attributes no one took, or every complaint.
    pub fn finish(self) -> Result<Attributes, Vec<Diagnostic>> {
        if self.complaints.is_empty() {
            Ok(self.left)
        } else {
            Err(self.complaints)
        }
    }
}
