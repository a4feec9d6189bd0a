//! A place in a text: skips blanks and comments, takes tokens, and says where and what was expected when they are not there.

use crate::{error::Error, location::Location};
use std::sync::Arc;

/// A whole text with the offsets of its lines.
pub struct Source<'a> {
    pub text: &'a str,
    pub file: Arc<str>,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str, file: &str) -> Source<'a> {
        let newlines = text
            .bytes()
            .enumerate()
            .filter(|(_, b)| *b == b'\n')
            .map(|(i, _)| i + 1);
        Source {
            text,
            file: Arc::from(file),
            line_starts: std::iter::once(0).chain(newlines).collect(),
        }
    }

    /// Line and column, both from 1, of a byte offset.
    pub fn location(&self, offset: usize) -> Location {
        let line = self.line_starts.partition_point(|s| *s <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|l| self.line_starts.get(l))
            .copied()
            .unwrap_or(0);
        Location::at(
            &self.file,
            line as u32,
            (offset - start.min(offset)) as u32 + 1,
        )
    }
}

/// Where the text of a cursor stands, for messages.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// A slice of a source that starts at this offset.
    Text(&'a Source<'a>, usize),
    /// A text that stands in no file; messages carry this location.
    Fixed(&'a Location),
}

/// Reads tokens off a text.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    origin: Origin<'a>,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, origin: Origin<'a>) -> Cursor<'a> {
        Cursor {
            text,
            at: 0,
            origin,
        }
    }

    /// A cursor over a part of this cursor's text that starts at `offset`.
    pub fn part(&self, text: &'a str, offset: usize) -> Cursor<'a> {
        let origin = match self.origin {
            Origin::Text(source, base) => Origin::Text(source, base + offset),
            Origin::Fixed(location) => Origin::Fixed(location),
        };
        Cursor::new(text, origin)
    }

    /// Offset of the next byte in this cursor's text.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    /// The text from `start` to here.
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next byte, 0 at the end.
    #[inline]
    pub fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn location_of(&self, at: usize) -> Location {
        match self.origin {
            Origin::Text(source, base) => source.location(base + at),
            Origin::Fixed(location) => location.clone(),
        }
    }

    pub fn location(&self) -> Location {
        self.location_of(self.at)
    }

    pub fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        Error::invalid(message, self.location_of(at))
    }

    /// An error at the next token: what was expected and what is there.
    pub fn expected(&self, what: &str) -> Error {
        let rest = self.rest();
        let line = rest.lines().next().unwrap_or("");
        let found: String = line.chars().take(24).collect();
        let found = match (rest.is_empty(), found.is_empty()) {
            (true, _) => "the end of the text".to_string(),
            (false, true) => "the end of the line".to_string(),
            (false, false) => format!("`{found}`"),
        };
        self.error_at(self.at, format!("expected {what}, found {found}"))
    }

    /// Skips blanks, newlines, `/* */` and `//` comments.
    #[inline]
    pub fn skip_blank(&mut self) {
        loop {
            match self.byte() {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.rest().starts_with("/*") => {
                    self.at += self.rest().find("*/").map_or(self.rest().len(), |n| n + 2);
                }
                b'/' if self.rest().starts_with("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                _ => return,
            }
        }
    }

    /// Takes `token` if it comes next (after blanks).
    #[inline]
    pub fn eat(&mut self, token: &str) -> bool {
        self.skip_blank();
        let here = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let found = here.starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    pub fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{token}`")))
        }
    }

    /// Takes `word` if it comes next as a whole name.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let start = self.at;
        self.skip_blank();
        if self.word() == Some(word) {
            return true;
        }
        self.at = start;
        false
    }

    /// Letters, digits, `_`, `.`, `-` in a row.
    pub fn word(&mut self) -> Option<&'a str> {
        self.skip_blank();
        let rest = self.rest();
        let len = rest.bytes().take_while(|b| is_name(*b)).count();
        self.at += len;
        (len > 0).then(|| rest.get(..len)).flatten()
    }

    pub fn expect_word(&mut self, what: &str) -> Result<&'a str, Error> {
        self.word().ok_or_else(|| self.expected(what))
    }

    /// A name of an instruction or computation, with or without `%`.
    pub fn name(&mut self, what: &str) -> Result<&'a str, Error> {
        self.skip_blank();
        if self.byte() == b'%' {
            self.at += 1;
        }
        let rest = self.rest();
        let len = rest.bytes().take_while(|b| is_name(*b)).count();
        if len == 0 {
            return Err(self.expected(what));
        }
        self.at += len;
        rest.get(..len).ok_or_else(|| self.expected(what))
    }

    /// A decimal integer with sign.
    pub fn int(&mut self) -> Result<i64, Error> {
        self.skip_blank();
        let start = self.at;
        if matches!(self.byte(), b'-' | b'+') {
            self.at += 1;
        }
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        match self.since(start).parse() {
            Ok(value) => Ok(value),
            Err(_) => {
                self.at = start;
                Err(self.expected("an integer"))
            }
        }
    }

    /// Takes the next byte whatever it is.
    pub fn advance(&mut self) {
        let rest = self.rest();
        self.at += rest.chars().next().map_or(0, char::len_utf8);
    }

    /// A double-quoted string with its escapes resolved.
    pub fn string(&mut self) -> Result<String, Error> {
        self.skip_blank();
        let start = self.at;
        if !self.skip_string() {
            self.at = start;
            return Err(self.expected("a string in double quotes"));
        }
        let raw = self.since(start);
        Ok(unescape(raw.get(1..raw.len() - 1).unwrap_or("")))
    }

    /// Skips a string that starts here; false when it does not start or never ends.
    fn skip_string(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        if self.byte() != b'"' {
            return false;
        }
        let mut at = self.at + 1;
        while let Some(b) = bytes.get(at) {
            match b {
                b'\\' => at += 2,
                b'"' => {
                    self.at = at + 1;
                    return true;
                }
                _ => at += 1,
            }
        }
        false
    }

    /// Everything up to the bracket that closes the one here, both included.
    pub fn bracketed(&mut self) -> Result<&'a str, Error> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match self.byte() {
                b'"' => {
                    let at = self.at;
                    if !self.skip_string() {
                        return Err(self.error_at(at, "this string never ends"));
                    }
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                0 if self.is_at_end() => {
                    return Err(self.error_at(start, "this bracket is never closed"));
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(self.since(start));
            }
        }
    }

    /// The text of an attribute's value: up to a blank, comma or closing bracket outside all brackets and strings.
    pub fn value(&mut self) -> Result<&'a str, Error> {
        self.skip_blank();
        let start = self.at;
        loop {
            match self.byte() {
                b'(' | b'[' | b'{' => {
                    self.bracketed()?;
                }
                b'"' => {
                    let at = self.at;
                    if !self.skip_string() {
                        return Err(self.error_at(at, "this string never ends"));
                    }
                }
                b' ' | b'\n' | b'\t' | b'\r' | b',' | b')' | b']' | b'}' => break,
                0 if self.is_at_end() => break,
                _ => self.at += 1,
            }
        }
        if self.at == start {
            return Err(self.expected("an attribute's value"));
        }
        Ok(self.since(start))
    }
}

/// Resolves backslash escapes as XLA writes them (`\"`, `\\`, `\n`, `\t`, `\'`, octal `\ooo`, hexadecimal `\xhh`).
fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_string();
    }
    let mut bytes = vec![];
    let mut rest = raw.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let Some((kind, tail)) = rest.split_first() else {
            bytes.push(b'\\');
            break;
        };
        let digits = |from: &[u8], radix: u32, most: usize| {
            let count = from
                .iter()
                .take(most)
                .take_while(|b| (**b as char).is_digit(radix))
                .count();
            let value = from
                .iter()
                .take(count)
                .filter_map(|b| (*b as char).to_digit(radix))
                .fold(0, |v, d| v * radix + d);
            (count, value as u8)
        };
        match kind {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'x' => {
                let (count, value) = digits(tail, 16, 2);
                bytes.push(if count > 0 { value } else { b'x' });
                rest = tail.get(count..).unwrap_or(&[]);
                continue;
            }
            b'0'..=b'7' => {
                let (count, value) = digits(rest, 8, 3);
                bytes.push(value);
                rest = rest.get(count..).unwrap_or(&[]);
                continue;
            }
            other => bytes.push(*other),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_outside_brackets_and_strings() {
        let source = Source::new("{a, {\"}\"}}, b", "t");
        let mut c = Cursor::new(source.text, Origin::Text(&source, 0));
        assert_eq!(c.value().unwrap(), "{a, {\"}\"}}");
        assert!(c.eat(","));
        assert_eq!(c.value().unwrap(), "b");
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unescape(r#"a\"b\\\n\x41\102"#), "a\"b\\\nAB");
        assert_eq!(unescape("\\"), "\\");
    }

    #[test]
    fn errors_say_line_and_column() {
        let source = Source::new("a\n  b", "t");
        let mut c = Cursor::new(source.text, Origin::Text(&source, 0));
        assert_eq!(c.word(), Some("a"));
        c.skip_blank();
        assert_eq!(
            c.expected("`x`").to_string(),
            "t:2:3: expected `x`, found `b`"
        );
    }
}
