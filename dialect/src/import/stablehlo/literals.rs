//! Dense literals: nested lists, splats, hexadecimal blobs.
//!
//! A decimal number is read as f64 and then rounded to its element type, as MLIR does. A hexadecimal number of a float type is its bits.

use super::{
    Fail, Parse, Parser,
    lexer::{Lexer, Number},
};
use crate::{
    buffer::Buffer,
    literal::Literal,
    tensor::{encode_f64s, encode_i64s},
    types::{Class, ElementType, TensorType, Type},
};
use std::sync::Arc;

/// Elements as they are read. Hexadecimal floats keep their bits: index and bits.
#[derive(Default)]
struct Elements {
    integers: Vec<i64>,
    floats: Vec<f64>,
    bits: Vec<(usize, u128)>,
}

impl Parser<'_> {
    /// After `dense`: `<..> : tensor<..>`.
    pub fn dense(&mut self) -> Parse<Literal> {
        self.lexer.expect("<")?;
        self.lexer.skip();
        let start = self.lexer.at;
        if self.lexer.byte(0) == b'"' {
            self.lexer.raw_string()?;
        } else {
            // Lists hold no '>'.
            match self.lexer.text[start..].find('>') {
                Some(n) => self.lexer.at = start + n,
                None => return Err(Fail::syntax(start, "the literal has no '>'")),
            }
        }
        let end = self.lexer.at;
        self.lexer.expect(">")?;
        if !self.lexer.eat(":") {
            return Err(self.lexer.expected("':' and the type of the literal"));
        }
        let at = self.lexer.at;
        let ty = match self.ty()? {
            Type::Tensor(ty) => ty,
            Type::Token | Type::Tuple(_) => {
                return Err(Fail::syntax(at, "a literal must have a tensor type"));
            }
        };
        let after = self.lexer.at;
        let content = Lexer {
            text: &self.lexer.text[..end],
            at: start,
        };
        let literal = literal(content, &ty)?;
        self.lexer.at = after;
        Ok(literal)
    }

    pub fn float(&mut self) -> Parse<f64> {
        match self.lexer.number()? {
            Some(Number::Float(text)) => text
                .parse()
                .map_err(|_| Fail::syntax(self.lexer.at, "the number is malformed")),
            Some(Number::Integer(v)) => Ok(v as f64),
            Some(Number::Hex(_)) | None => Err(self.lexer.expected("a number")),
        }
    }
}

/// The literal of type `ty` whose content is what `lexer` still holds.
fn literal(mut lexer: Lexer<'_>, ty: &Arc<TensorType>) -> Parse<Literal> {
    let start = lexer.at;
    let (Some(dims), Some(total)) = (ty.static_dims(), ty.elements()) else {
        return Err(Fail::syntax(
            start,
            format!("a literal cannot have the dynamic type {ty}"),
        ));
    };
    let total = total as usize;
    let data = if lexer.peek() == b'"' {
        blob(lexer.raw_string()?, start, &ty.element, total)?
    } else if lexer.at_end() {
        if total != 0 {
            return Err(Fail::syntax(
                start,
                format!("the literal is empty, its type {ty} is not"),
            ));
        }
        Buffer::from_slice::<u8>(&[])
    } else {
        let mut elements = Elements::default();
        let scalar = lexer.peek() != b'[';
        list(
            &mut lexer,
            &ty.element,
            if scalar { &[] } else { &dims },
            &mut elements,
        )?;
        if !lexer.at_end() {
            return Err(lexer.expected("the end of the literal"));
        }
        if scalar && total == 0 {
            Buffer::from_slice::<u8>(&[])
        } else {
            elements.encode(&ty.element)
        }
    };
    Literal::new(dims, ty.element.clone(), data).ok_or_else(|| {
        Fail::syntax(
            start,
            format!("the literal does not have the {total} elements of its type {ty}"),
        )
    })
}

/// A nested list whose shape is `dims`. Recursion is as deep as the rank of the type.
fn list(
    lexer: &mut Lexer<'_>,
    element: &ElementType,
    dims: &[u64],
    out: &mut Elements,
) -> Parse<()> {
    let Some((n, inner)) = dims.split_first() else {
        return scalar(lexer, element, out);
    };
    lexer.expect("[")?;
    let at = lexer.at;
    let mut count = 0u64;
    while !lexer.eat("]") {
        if count > 0 {
            lexer.expect(",")?;
        }
        list(lexer, element, inner, out)?;
        count += 1;
    }
    if count == *n {
        Ok(())
    } else {
        Err(Fail::syntax(
            at,
            format!("a list of {count} elements where the type has {n}"),
        ))
    }
}

fn scalar(lexer: &mut Lexer<'_>, element: &ElementType, out: &mut Elements) -> Parse<()> {
    match element.class() {
        Class::Complex => {
            lexer.expect("(")?;
            part(lexer, element, out)?;
            lexer.expect(",")?;
            part(lexer, element, out)?;
            lexer.expect(")")
        }
        Class::Float => part(lexer, element, out),
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
            integer(lexer, element, out)
        }
    }
}

fn part(lexer: &mut Lexer<'_>, element: &ElementType, out: &mut Elements) -> Parse<()> {
    lexer.skip();
    let at = lexer.at;
    let value = match lexer.number()? {
        Some(Number::Float(text)) => text
            .parse()
            .map_err(|_| Fail::syntax(at, "the number is malformed"))?,
        Some(Number::Integer(v)) => v as f64,
        Some(Number::Hex(bits)) => {
            let width = element.complex_part().map_or(element.bits(), |p| p.bits());
            if bits >> width != 0 {
                return Err(Fail::syntax(at, format!("the bits do not fit {element}")));
            }
            out.bits.push((out.floats.len(), bits));
            0.0
        }
        None => return Err(lexer.expected(&format!("a number of type {element}"))),
    };
    out.floats.push(value);
    Ok(())
}

fn integer(lexer: &mut Lexer<'_>, element: &ElementType, out: &mut Elements) -> Parse<()> {
    lexer.skip();
    let at = lexer.at;
    let storage = if let ElementType::Quantized(q) = element {
        &q.storage
    } else {
        element
    };
    if storage.class() == Class::Boolean && (lexer.sees("true") || lexer.sees("false")) {
        out.integers
            .push(i64::from(lexer.eat("true") || !lexer.eat("false")));
        return Ok(());
    }
    let value = match lexer.number()? {
        Some(Number::Integer(v)) => v,
        Some(Number::Hex(v)) => v as i128,
        Some(Number::Float(_)) | None => {
            lexer.at = at;
            return Err(lexer.expected(&format!("an integer of type {element}")));
        }
    };
    let bits = storage.bits();
    let fits = match storage.class() {
        Class::Boolean => (-1..=1).contains(&value),
        Class::Unsigned => value >= 0 && value >> bits == 0,
        // Hexadecimal and signless integers may be written unsigned.
        Class::Signed | Class::Float | Class::Complex | Class::Quantized => {
            value >= -(1i128 << (bits - 1)) && value < 1i128 << bits
        }
    };
    if !fits {
        return Err(Fail::syntax(at, format!("{value} does not fit {element}")));
    }
    out.integers.push(value as i64);
    Ok(())
}

impl Elements {
    fn encode(&self, element: &ElementType) -> Buffer {
        let Some(part) = element.complex_part() else {
            return match element.class() {
                Class::Float => self.patched(element),
                Class::Boolean
                | Class::Signed
                | Class::Unsigned
                | Class::Quantized
                | Class::Complex => encode_i64s(element, &self.integers),
            };
        };
        self.patched(&part)
    }

    /// The floats, with the hexadecimal ones put in as bits.
    fn patched(&self, element: &ElementType) -> Buffer {
        let encoded = encode_f64s(element, &self.floats);
        if self.bits.is_empty() {
            return encoded;
        }
        let mut bytes = encoded.bytes().to_vec();
        let size = element.storage_bytes();
        for (i, bits) in &self.bits {
            if let Some(slot) = bytes.get_mut(i * size..(i + 1) * size) {
                slot.copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        Buffer::from_slice(&bytes)
    }
}

/// The bytes of `"0x.."`: little endian, one element after the other or one for all; i1 one byte each, in texts of older MLIR one bit each.
fn blob(text: &str, at: usize, element: &ElementType, total: usize) -> Parse<Buffer> {
    let Some(digits) = text.strip_prefix("0x") else {
        return Err(Fail::syntax(
            at,
            "a string literal of a tensor must begin with 0x",
        ));
    };
    let mut bytes = vec![0u8; digits.len() / 2];
    let mut bad = digits.len() % 2 != 0;
    for (out, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let (high, low) = (HEX[pair[0] as usize], HEX[pair[1] as usize]);
        bad |= (high | low) > 15;
        *out = (high << 4) | (low & 15);
    }
    if bad {
        return Err(Fail::syntax(
            at,
            "the blob is not a sequence of pairs of hexadecimal digits",
        ));
    }
    match element {
        ElementType::I1
            if bytes.len() > 1 && bytes.len() != total && bytes.len() == total.div_ceil(8) =>
        {
            bytes = (0..total).map(|i| (bytes[i / 8] >> (i % 8)) & 1).collect();
        }
        ElementType::I1 => bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0)),
        ElementType::I2 => bytes
            .iter_mut()
            .for_each(|b| *b = (((*b << 6) as i8) >> 6) as u8),
        ElementType::I4 => bytes
            .iter_mut()
            .for_each(|b| *b = (((*b << 4) as i8) >> 4) as u8),
        ElementType::U2 => bytes.iter_mut().for_each(|b| *b &= 3),
        ElementType::U4 => bytes.iter_mut().for_each(|b| *b &= 15),
        _ => {}
    }
    Ok(Buffer::from_slice(&bytes))
}

/// Value of a hexadecimal digit; 255 for any other byte.
const HEX: [u8; 256] = {
    let mut table = [255u8; 256];
    let mut i = 0;
    while i < 10 {
        table[b'0' as usize + i] = i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 6 {
        table[b'a' as usize + i] = 10 + i as u8;
        table[b'A' as usize + i] = 10 + i as u8;
        i += 1;
    }
    table
};

/// The rank-0 literal of an attribute such as `76 : ui8`.
pub fn scalar_literal(element: &ElementType, integer: Option<i64>, float: f64) -> Option<Literal> {
    let data = match integer {
        Some(v) if !element.is_float() => encode_i64s(element, &[v]),
        Some(_) | None => encode_f64s(element, &[float]),
    };
    Literal::new(vec![], element.clone(), data)
}
