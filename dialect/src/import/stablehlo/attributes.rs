//! Attributes and their aliases.
//!
//! What MLIR types more finely than [`Attribute`] is read by these rules:
//! - An integer or float on an op is its value; inside a dictionary a type other than i64 and f64 is kept as a rank-0 literal.
//! - `#dialect<kind WORD>` and `#dialect.kind<WORD>` are the string WORD.
//! - `#stablehlo.kind<a = .., b = ..>` is a dictionary; `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>` one with the names of the specification.
//! - An attribute of a dialect not read here (`#sdy.sharding<..>`) is its text, from the `#` on.

use super::{Fail, Parse, Parser, lexer::Number, literals::scalar_literal};
use crate::{
    attribute::{Attribute, Attributes},
    literal::Literal,
    types::ElementType,
};

/// Where an attribute stands: decides what its type is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Op,
    Dictionary,
    /// Inside `#stablehlo.kind<..>`: words are strings.
    Struct,
}

/// Dialects whose attributes are read for what they say.
const OWN_DIALECTS: [&str; 4] = ["stablehlo", "chlo", "mhlo", "vhlo"];

/// Whether a text is, from its first character to its last, an attribute of another dialect, which is kept as its text: `#a.b`, `#a.b<..>`.
pub fn is_foreign(text: &str) -> bool {
    let mut lexer = super::lexer::Lexer::new(text);
    if lexer.byte(0) != b'#' {
        return false;
    }
    lexer.at = 1;
    let Ok(name) = lexer.suffix_name("an attribute name") else {
        return false;
    };
    let dialect = name.split('.').next().unwrap_or(name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || OWN_DIALECTS.contains(&dialect) {
        return false;
    }
    match lexer.byte(0) {
        b'<' => lexer.balanced().is_ok() && lexer.at == text.len(),
        _ => name.contains('.') && lexer.at == text.len(),
    }
}

impl<'a> Parser<'a> {
    /// Items up to `end`, separated by commas. The opening bracket has been read.
    pub fn separated<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut out = vec![];
        while !self.lexer.eat(end) {
            if !out.is_empty() {
                self.lexer.expect(",")?;
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// `{name = value, ..}` if one comes next.
    pub fn optional_dictionary(&mut self, place: Place) -> Parse<Option<Attributes>> {
        if !self.lexer.eat("{") {
            return Ok(None);
        }
        self.nested(|p| p.fields("}", place)).map(Some)
    }

    /// `name = value` or `name`, separated by commas, up to `end`.
    pub fn fields(&mut self, end: &str, place: Place) -> Parse<Attributes> {
        let mut out = Attributes::new();
        self.separated(end, |p| {
            p.lexer.skip();
            let at = p.lexer.at;
            let name = if p.lexer.byte(0) == b'"' {
                p.lexer.string()?
            } else {
                p.lexer
                    .word()
                    .map(str::to_string)
                    .ok_or_else(|| p.lexer.expected("an attribute name"))?
            };
            let value = if p.lexer.eat("=") {
                p.attribute(place)?
            } else {
                Attribute::Unit
            };
            match out.0.insert(name, value) {
                None => Ok(()),
                Some(_) => Err(Fail::syntax(at, "the attribute is given twice")),
            }
        })?;
        Ok(out)
    }

    pub fn attribute(&mut self, place: Place) -> Parse<Attribute> {
        let inner = if place == Place::Op {
            Place::Dictionary
        } else {
            place
        };
        match self.lexer.peek() {
            b'"' => Ok(Attribute::Str(self.lexer.string()?)),
            b'@' => {
                let mut name = self.lexer.symbol()?;
                while self.lexer.eat("::") {
                    name = format!("{name}::{}", self.lexer.symbol()?);
                }
                Ok(Attribute::Symbol(name))
            }
            b'[' => {
                self.lexer.at += 1;
                let items = self.nested(|p| p.separated("]", |p| p.attribute(place)))?;
                Ok(array(items))
            }
            b'{' => {
                self.lexer.at += 1;
                Ok(Attribute::Dict(self.nested(|p| p.fields("}", inner))?))
            }
            b'<' => {
                self.lexer.at += 1;
                Ok(Attribute::Dict(
                    self.nested(|p| p.fields(">", Place::Struct))?,
                ))
            }
            b'#' => self.nested(Parser::dialect_attribute),
            b'!' => Ok(Attribute::Type(self.ty()?)),
            b'(' => {
                self.function_type()?;
                Ok(Attribute::Unit)
            }
            b if b.is_ascii_digit() || b == b'-' => self.number_attribute(place),
            _ => self.word_attribute(place),
        }
    }

    fn word_attribute(&mut self, place: Place) -> Parse<Attribute> {
        let start = self.lexer.at;
        match self.lexer.peek_word() {
            Some("true") => {
                self.lexer.eat("true");
                Ok(Attribute::Bool(true))
            }
            Some("false") => {
                self.lexer.eat("false");
                Ok(Attribute::Bool(false))
            }
            Some("unit") => {
                self.lexer.eat("unit");
                Ok(Attribute::Unit)
            }
            Some("dense") => {
                self.lexer.eat("dense");
                Ok(Attribute::Literal(self.dense()?))
            }
            Some("dense_resource") => {
                self.lexer.eat("dense_resource");
                Ok(Attribute::Literal(self.resource()?))
            }
            Some("array") => {
                self.lexer.eat("array");
                self.packed_array()
            }
            Some("tensor" | "tuple") => Ok(Attribute::Type(self.ty()?)),
            Some("loc") => {
                self.optional_location()?;
                Ok(Attribute::Unit)
            }
            Some(w @ ("affine_map" | "affine_set" | "sparse" | "strided" | "distinct")) => {
                Err(Fail::unsupported(start, format!("attribute {w}<..>")))
            }
            Some(_) if place == Place::Struct => {
                Ok(Attribute::Str(self.lexer.word().unwrap_or("").to_string()))
            }
            Some(w) => match ElementType::from_mlir_name(w) {
                Some(e) => {
                    self.lexer.word();
                    Ok(Attribute::Type(crate::types::Type::tensor([], e)))
                }
                None => Err(self.lexer.expected("an attribute")),
            },
            None => Err(self.lexer.expected("an attribute")),
        }
    }

    /// A number with its optional type.
    fn number_attribute(&mut self, place: Place) -> Parse<Attribute> {
        let at = self.lexer.at;
        let number = self
            .lexer
            .number()?
            .ok_or_else(|| self.lexer.expected("a number"))?;
        let element = self.optional_scalar_type();
        let is_float = element.as_ref().is_some_and(ElementType::is_float);
        let attribute = match (number, &element) {
            (Number::Hex(bits), Some(e)) if is_float => {
                let bytes = crate::buffer::Buffer::from_slice(
                    bits.to_le_bytes().get(..e.storage_bytes()).unwrap_or(&[]),
                );
                match Literal::new(vec![], e.clone(), bytes) {
                    Some(l) => Attribute::Literal(l),
                    None => return Err(Fail::syntax(at, format!("the bits do not fit {e}"))),
                }
            }
            (Number::Integer(v), _) if !is_float => sized(at, v, element.as_ref(), place)?,
            (Number::Hex(v), _) => sized(at, v as i128, element.as_ref(), place)?,
            (Number::Integer(v), _) => real(v as f64, element.as_ref(), place),
            (Number::Float(text), _) => real(
                text.parse()
                    .map_err(|_| Fail::syntax(at, "the number is malformed"))?,
                element.as_ref(),
                place,
            ),
        };
        // A float of f64 or on an op is its value whatever its spelling.
        Ok(match attribute {
            Attribute::Literal(l)
                if l.element().is_float()
                    && (place != Place::Dictionary || *l.element() == ElementType::F64) =>
            {
                l.to_tensor()
                    .to_f64s()
                    .first()
                    .map_or(Attribute::Literal(l.clone()), |v| Attribute::from(*v))
            }
            other => other,
        })
    }

    /// `: i32` and the like; not `: tensor<..>` or `: (..) -> ..`, which belong to the op.
    fn optional_scalar_type(&mut self) -> Option<ElementType> {
        let start = self.lexer.at;
        if self.lexer.eat(":")
            && let Some(w) = self.lexer.word()
        {
            let element = if w == "index" {
                Some(ElementType::I64)
            } else {
                ElementType::from_mlir_name(w)
            };
            if element.is_some() {
                return element;
            }
        }
        self.lexer.at = start;
        None
    }

    /// After `array`: `<i64: 1, 2>`.
    fn packed_array(&mut self) -> Parse<Attribute> {
        self.lexer.expect("<")?;
        let at = self.lexer.at;
        let element = self.element()?;
        let items = if self.lexer.eat(":") {
            self.separated(">", |p| p.attribute(Place::Op))?
        } else {
            self.lexer.expect(">")?;
            vec![]
        };
        let ints = || {
            items
                .iter()
                .map(|a| {
                    if let Attribute::Int(v) = a {
                        Some(*v)
                    } else {
                        None
                    }
                })
                .collect::<Option<Vec<_>>>()
        };
        let bools = || {
            items
                .iter()
                .map(|a| {
                    if let Attribute::Bool(v) = a {
                        Some(*v)
                    } else {
                        None
                    }
                })
                .collect::<Option<Vec<_>>>()
        };
        let out = if element == ElementType::I1 {
            bools().map(Attribute::Bools)
        } else if element.is_integer() {
            ints().map(Attribute::Ints)
        } else {
            Some(Attribute::Array(items))
        };
        out.ok_or_else(|| Fail::syntax(at, format!("an array of {element} holds other elements")))
    }

    /// From `#` on: an alias, or an attribute of a dialect.
    fn dialect_attribute(&mut self) -> Parse<Attribute> {
        let start = self.lexer.at;
        self.lexer.at += 1;
        let name = self.lexer.suffix_name("an attribute name")?;
        if let Some(known) = self.attribute_aliases.get(name) {
            return Ok(known.clone());
        }
        if self.lexer.byte(0) != b'<' {
            if name.contains('.') {
                return Ok(Attribute::Str(format!("#{name}")));
            }
            return Err(Fail::syntax(
                start,
                format!("the attribute alias #{name} is not defined"),
            ));
        }
        let (dialect, kind) = name.split_once('.').unwrap_or((name, ""));
        if !OWN_DIALECTS.contains(&dialect) {
            self.lexer.balanced()?;
            return Ok(Attribute::Str(
                self.lexer
                    .text
                    .get(start..self.lexer.at)
                    .unwrap_or("")
                    .to_string(),
            ));
        }
        self.lexer.at += 1;
        if kind == "conv" {
            return self.convolution_struct();
        }
        if matches!(kind, "replica_group_mesh_axes" | "mesh" | "axis_ref") {
            return Err(Fail::unsupported(start, format!("attribute #{name}")));
        }
        // `<kind WORD>`, `<WORD>` or fields.
        let inside = self.lexer.at;
        if let Some(first) = self.lexer.word() {
            if self.lexer.eat(">") {
                return Ok(Attribute::Str(first.to_string()));
            }
            if let Some(second) = self.lexer.word()
                && self.lexer.eat(">")
            {
                return Ok(Attribute::Str(second.to_string()));
            }
        }
        self.lexer.at = inside;
        Ok(Attribute::Dict(self.fields(">", Place::Struct)?))
    }

    fn convolution_struct(&mut self) -> Parse<Attribute> {
        if self.lexer.eat("raw") {
            return Ok(Attribute::Dict(self.fields(">", Place::Struct)?));
        }
        let dims = self.convolution_dimensions()?;
        self.lexer.expect(">")?;
        Ok(Attribute::Dict(dims))
    }

    /// `[b, 0, f]x[0, i, o]->[b, 0, f]` with the specification's names.
    pub fn convolution_dimensions(&mut self) -> Parse<Attributes> {
        let mut out = Attributes::new();
        for (prefix, letters, names, separator) in [
            (
                "input",
                ["b", "f"],
                ["input_batch_dimension", "input_feature_dimension"],
                "x",
            ),
            (
                "kernel",
                ["i", "o"],
                [
                    "kernel_input_feature_dimension",
                    "kernel_output_feature_dimension",
                ],
                "->",
            ),
            (
                "output",
                ["b", "f"],
                ["output_batch_dimension", "output_feature_dimension"],
                "",
            ),
        ] {
            self.lexer.expect("[")?;
            let at = self.lexer.at;
            let (mut spatial, mut other): (Vec<(i64, i64)>, [Option<i64>; 2]) = (vec![], [None; 2]);
            let mut index = 0;
            self.separated("]", |p| {
                match letters.iter().position(|l| p.lexer.eat(l)) {
                    Some(i) if other[i].is_none() => other[i] = Some(index),
                    Some(i) => {
                        return Err(Fail::syntax(
                            p.lexer.at,
                            format!("dimension '{}' is given twice", letters[i]),
                        ));
                    }
                    None => spatial.push((p.lexer.integer()?, index)),
                }
                index += 1;
                Ok(())
            })?;
            spatial.sort_unstable();
            if spatial.iter().enumerate().any(|(i, (d, _))| *d != i as i64) {
                return Err(Fail::syntax(
                    at,
                    "the spatial dimensions must be numbered 0, 1, .. without a gap",
                ));
            }
            let (Some(first), Some(second)) = (other[0], other[1]) else {
                return Err(Fail::syntax(
                    at,
                    format!(
                        "the dimensions '{}' and '{}' must be given",
                        letters[0], letters[1]
                    ),
                ));
            };
            let positions: Vec<i64> = spatial.iter().map(|(_, at)| *at).collect();
            out = out
                .with(names[0], first)
                .with(names[1], second)
                .with(&format!("{prefix}_spatial_dimensions"), positions);
            // `]x[`: the x is a word of its own only before a bracket.
            if !separator.is_empty() {
                self.lexer.expect(separator)?;
            }
        }
        Ok(out)
    }
}

/// A list; integers and booleans are kept packed.
fn array(items: Vec<Attribute>) -> Attribute {
    let ints: Option<Vec<i64>> = items
        .iter()
        .map(|a| {
            if let Attribute::Int(v) = a {
                Some(*v)
            } else {
                None
            }
        })
        .collect();
    let bools: Option<Vec<bool>> = items
        .iter()
        .map(|a| {
            if let Attribute::Bool(v) = a {
                Some(*v)
            } else {
                None
            }
        })
        .collect();
    match (ints, bools) {
        (Some(_), _) if items.is_empty() => Attribute::Array(items),
        (Some(v), _) => Attribute::Ints(v),
        (None, Some(v)) => Attribute::Bools(v),
        (None, None) => Attribute::Array(items),
    }
}

fn sized(at: usize, value: i128, element: Option<&ElementType>, place: Place) -> Parse<Attribute> {
    let v = i64::try_from(value)
        .or_else(|_| u64::try_from(value).map(|v| v as i64))
        .map_err(|_| Fail::syntax(at, "the integer does not fit 64 bits"))?;
    Ok(match element {
        Some(e) if place == Place::Dictionary && *e != ElementType::I64 => {
            scalar_literal(e, Some(v), 0.0).map_or(Attribute::Int(v), Attribute::Literal)
        }
        Some(_) | None => Attribute::Int(v),
    })
}

fn real(value: f64, element: Option<&ElementType>, place: Place) -> Attribute {
    match element {
        Some(e) if *e != ElementType::F64 => match scalar_literal(e, None, value) {
            Some(l) if place == Place::Dictionary => Attribute::Literal(l),
            Some(l) => l
                .to_tensor()
                .to_f64s()
                .first()
                .map_or(Attribute::from(value), |v| Attribute::from(*v)),
            None => Attribute::from(value),
        },
        Some(_) | None => Attribute::from(value),
    }
}
