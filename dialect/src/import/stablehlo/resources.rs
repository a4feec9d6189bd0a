//! Blobs kept at the end of a text: `{-# dialect_resources: { builtin: { name: "0x08000000.." } } #-}`.

use super::{Fail, Parse, Parser};
use crate::{buffer::Buffer, literal::Literal, types::Type};
use std::collections::HashMap;

impl<'a> Parser<'a> {
    /// After `dense_resource`: `<name> : tensor<..>`.
    pub fn resource(&mut self) -> Parse<Literal> {
        self.lexer.expect("<")?;
        let at = self.lexer.at;
        let name = self
            .lexer
            .word()
            .ok_or_else(|| self.lexer.expected("the name of a resource"))?;
        self.lexer.expect(">")?;
        self.lexer.expect(":")?;
        let ty = self.ty()?;
        if name == "__elided__" {
            return Err(Fail::helped(
                at,
                "the literal was left out of the text",
                "print the module without eliding large constants (JAX: lower(..).as_text() keeps them)",
            ));
        }
        if self.resources.is_none() {
            self.resources = Some(resources(self.lexer.text));
        }
        let Some(text) = self.resources.as_ref().and_then(|r| r.get(name)).copied() else {
            return Err(Fail::syntax(
                at,
                format!("the resource '{name}' is not in the text"),
            ));
        };
        let Type::Tensor(ty) = ty else {
            return Err(Fail::syntax(at, "a literal must have a tensor type"));
        };
        let bytes = hex_bytes(text).ok_or_else(|| {
            Fail::syntax(at, format!("the blob of '{name}' is no hexadecimal string"))
        })?;
        // The first four bytes are the alignment.
        let data = Buffer::from_slice(bytes.get(4..).unwrap_or(&[]));
        ty.static_dims()
            .and_then(|dims| Literal::new(dims, ty.element.clone(), data))
            .ok_or_else(|| {
                Fail::syntax(
                    at,
                    format!("the blob of '{name}' does not have the size of {ty}"),
                )
            })
    }
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    if digits.len() % 2 != 0 {
        return None;
    }
    digits
        .chunks_exact(2)
        .map(|p| Some(digit(p[0])? << 4 | digit(p[1])?))
        .collect()
}

/// `name: "0x.."` pairs of the metadata section.
fn resources(text: &str) -> HashMap<&str, &str> {
    let mut out = HashMap::new();
    let Some(start) = text.rfind("{-#") else {
        return out;
    };
    let mut rest = &text[start..];
    while let Some(open) = rest.find('"') {
        let name = rest[..open].trim_end().trim_end_matches(':').trim_end();
        let name = name
            .rsplit(|c: char| c.is_whitespace() || matches!(c, '{' | ','))
            .next()
            .unwrap_or("");
        let Some(len) = rest[open + 1..].find('"') else {
            break;
        };
        out.insert(name, &rest[open + 1..open + 1 + len]);
        rest = &rest[open + len + 2..];
    }
    out
}
