//! Reads words, numbers, strings and punctuation from the text, byte by byte. MLIR has tokens whose meaning depends on the place (`2x3xf32`),
//! so there is no token stream.

use super::{Fail, Parse};

/// A place in the text. Every reader first skips white space and `//` comments, unless it says otherwise.
#[derive(Clone)]
pub struct Lexer<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// A number as written.
pub enum Number<'a> {
    /// Decimal digits, with sign.
    Integer(i128),
    /// `0x..`: bits, or an integer.
    Hex(u128),
    /// With fraction or exponent; the text.
    Float(&'a str),
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')
}

fn is_name(b: u8) -> bool {
    is_word(b) || b == b'-'
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// The byte `ahead` of here without skipping; 0 at the end.
    pub fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    pub fn skip(&mut self) {
        loop {
            match self.byte(0) {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len())
                }
                _ => return,
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next byte that is not white space or comment; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        self.skip();
        self.byte(0)
    }

    pub fn at_end(&mut self) -> bool {
        self.skip();
        self.at >= self.text.len()
    }

    /// Whether `what` comes next, without reading it. A word must not go on.
    pub fn sees(&mut self, what: &str) -> bool {
        self.skip();
        let goes_on = || {
            what.as_bytes().last().is_some_and(|b| is_word(*b)) && is_word(self.byte(what.len()))
        };
        self.text.as_bytes()[self.at.min(self.text.len())..].starts_with(what.as_bytes())
            && !goes_on()
    }

    /// Reads `what` if it comes next.
    pub fn eat(&mut self, what: &str) -> bool {
        let seen = self.sees(what);
        if seen {
            self.at += what.len();
        }
        seen
    }

    pub fn expect(&mut self, what: &str) -> Parse<()> {
        if self.eat(what) {
            Ok(())
        } else {
            Err(self.expected(&format!("'{what}'")))
        }
    }

    /// The failure "expected `what`, found ..." at this place.
    pub fn expected(&mut self, what: &str) -> Box<Fail> {
        self.skip();
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(i, c)| {
                *i > 0 && !c.is_alphanumeric() && !matches!(c, '_' | '.' | '%' | '@' | '#')
            })
            .map_or(rest.len(), |(i, _)| i);
        let found: String = rest[..end].chars().take(40).collect();
        let found = if found.is_empty() {
            "the end of the text".to_string()
        } else {
            format!("'{}'", found.escape_debug())
        };
        Fail::syntax(self.at, format!("expected {what}, found {found}"))
    }

    fn taken(&mut self, accept: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while accept(self.byte(0)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// A word: letter or `_`, then letters, digits, `_`, `$`, `.`.
    pub fn word(&mut self) -> Option<&'a str> {
        let b = self.peek();
        (b.is_ascii_alphabetic() || b == b'_').then(|| self.taken(is_word))
    }

    /// The word that comes next, not read.
    pub fn peek_word(&mut self) -> Option<&'a str> {
        let start = self.at;
        let word = self.word();
        self.at = start;
        word
    }

    /// What follows `%`, `^`, `#` or `!`: digits or a name, without skipping.
    pub fn suffix_name(&mut self, what: &str) -> Parse<&'a str> {
        let name = if self.byte(0).is_ascii_digit() {
            self.taken(|b| b.is_ascii_digit())
        } else {
            self.taken(is_name)
        };
        // In `%a->` the arrow is not part of the name.
        if self.byte(0) == b'>' && name.ends_with('-') {
            self.at -= 1;
            return Ok(&name[..name.len() - 1]);
        }
        if name.is_empty() {
            Err(self.expected(what))
        } else {
            Ok(name)
        }
    }

    /// Decimal digits, without skipping.
    pub fn digits(&mut self) -> Option<u64> {
        let digits = self.taken(|b| b.is_ascii_digit());
        digits.parse().ok()
    }

    pub fn integer(&mut self) -> Parse<i64> {
        self.skip();
        let start = self.at;
        match self.number()? {
            Some(Number::Integer(v)) => i64::try_from(v)
                .map_err(|_| Fail::syntax(start, "the integer does not fit 64 bits")),
            Some(Number::Hex(v)) => i64::try_from(v)
                .map_err(|_| Fail::syntax(start, "the integer does not fit 64 bits")),
            Some(Number::Float(_)) | None => {
                self.at = start;
                Err(self.expected("an integer"))
            }
        }
    }

    /// A number, if one comes next.
    pub fn number(&mut self) -> Parse<Option<Number<'a>>> {
        self.skip();
        let start = self.at;
        let negative = self.byte(0) == b'-';
        if negative || self.byte(0) == b'+' {
            self.at += 1;
        }
        if !self.byte(0).is_ascii_digit() {
            self.at = start;
            return Ok(None);
        }
        if self.byte(0) == b'0' && self.byte(1) == b'x' && self.byte(2).is_ascii_hexdigit() {
            self.at += 2;
            let digits = self.taken(|b| b.is_ascii_hexdigit());
            let bits = u128::from_str_radix(digits, 16)
                .map_err(|_| Fail::syntax(start, "the hexadecimal number is too long"))?;
            return Ok(Some(if negative {
                Number::Integer((bits as i128).wrapping_neg())
            } else {
                Number::Hex(bits)
            }));
        }
        self.taken(|b| b.is_ascii_digit());
        let mut is_float = false;
        if self.byte(0) == b'.' {
            is_float = true;
            self.at += 1;
            self.taken(|b| b.is_ascii_digit());
        }
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit() {
            is_float = true;
            self.at += 1 + sign;
            self.taken(|b| b.is_ascii_digit());
        }
        let text = &self.text[start..self.at];
        if is_float {
            return Ok(Some(Number::Float(text)));
        }
        text.parse()
            .map(|v| Some(Number::Integer(v)))
            .map_err(|_| Fail::syntax(start, "the integer is too long"))
    }

    /// A string literal without its quotes, escapes resolved.
    pub fn string(&mut self) -> Parse<String> {
        let raw = self.raw_string()?;
        if !raw.contains('\\') {
            return Ok(raw.to_string());
        }
        let mut out: Vec<u8> = Vec::with_capacity(raw.len());
        let bytes = raw.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            let hex = |j: usize| bytes.get(j).and_then(|b| (*b as char).to_digit(16));
            match (bytes[i], bytes.get(i + 1)) {
                (b'\\', Some(b'n')) => out.push(b'\n'),
                (b'\\', Some(b't')) => out.push(b'\t'),
                (b'\\', Some(b'"' | b'\\')) => out.push(bytes[i + 1]),
                (b'\\', Some(_)) => match (hex(i + 1), hex(i + 2)) {
                    (Some(high), Some(low)) => {
                        out.push((high * 16 + low) as u8);
                        i += 1;
                    }
                    (_, _) => out.extend([b'\\', bytes[i + 1]]),
                },
                (b, _) => {
                    out.push(b);
                    i += 1;
                    continue;
                }
            }
            i += 2;
        }
        // Escaped bytes need not be UTF-8 (serialized backend configurations); they are kept as the characters of the same numbers.
        Ok(String::from_utf8(out)
            .unwrap_or_else(|e| e.as_bytes().iter().map(|b| *b as char).collect()))
    }

    /// A string literal as written, between its quotes.
    pub fn raw_string(&mut self) -> Parse<&'a str> {
        if self.peek() != b'"' {
            return Err(self.expected("a string"));
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut i = start;
        loop {
            match bytes.get(i) {
                Some(b'"') => break,
                Some(b'\\') => i += 2,
                Some(b'\n') | None => return Err(Fail::syntax(self.at, "the string has no end")),
                Some(_) => i += 1,
            }
        }
        self.at = i + 1;
        Ok(&self.text[start..i])
    }

    /// `@name` or `@"name"`.
    pub fn symbol(&mut self) -> Parse<String> {
        if self.peek() != b'@' {
            return Err(self.expected("a symbol '@..'"));
        }
        self.at += 1;
        if self.byte(0) == b'"' {
            return self.string();
        }
        Ok(self.suffix_name("a symbol name")?.to_string())
    }

    /// From an opening bracket to its match, both included; strings are skipped.
    pub fn balanced(&mut self) -> Parse<&'a str> {
        self.skip();
        let start = self.at;
        let mut open: Vec<u8> = vec![];
        loop {
            match self.byte(0) {
                b @ (b'<' | b'(' | b'[' | b'{') => open.push(b),
                b'"' => {
                    self.raw_string()?;
                    continue;
                }
                b'-' if self.byte(1) == b'>' => self.at += 1,
                b @ (b'>' | b')' | b']' | b'}') => {
                    let want = match open.pop() {
                        Some(b'<') => b'>',
                        Some(b'(') => b')',
                        Some(b'[') => b']',
                        Some(_) => b'}',
                        None => return Err(self.expected("an opening bracket")),
                    };
                    if b != want {
                        return Err(self.expected(&format!("'{}'", want as char)));
                    }
                }
                0 => return Err(Fail::syntax(start, "the bracket is never closed")),
                _ => {
                    if open.is_empty() {
                        return Err(self.expected("an opening bracket"));
                    }
                }
            }
            self.at += 1;
            if open.is_empty() {
                // Every byte passed is ASCII or inside, so both ends are character boundaries.
                return Ok(self.text.get(start..self.at).unwrap_or(""));
            }
        }
    }

    /// After a failed statement that began at `start`: goes to where the next one begins or its block ends.
    pub fn recover(&mut self, start: usize) {
        self.at = start;
        let mut depth = 0usize;
        loop {
            match self.byte(0) {
                0 if self.at >= self.text.len() => return,
                b'"' => {
                    if self.raw_string().is_err() {
                        self.at += 1;
                    }
                    continue;
                }
                b'/' if self.byte(1) == b'/' => {
                    self.skip();
                    if depth == 0 && self.begins_statement() {
                        return;
                    }
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b'}' if depth == 0 => return,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'\n' if depth == 0 => {
                    self.skip();
                    if self.begins_statement() {
                        return;
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
    }

    fn begins_statement(&mut self) -> bool {
        match self.byte(0) {
            b'%' | b'}' | b'"' => true,
            _ => self
                .peek_word()
                .is_some_and(|w| w.contains('.') || matches!(w, "call" | "return")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_resolve_escapes() {
        let mut l = Lexer::new(r#""a\22b\\\0A" "#);
        assert_eq!(l.string().unwrap(), "a\"b\\\n");
        assert!(Lexer::new("\"abc").string().is_err());
        assert!(Lexer::new("\"abc\\").string().is_err());
    }

    #[test]
    fn words_do_not_go_on() {
        let mut l = Lexer::new("// c\n  across_x do");
        assert!(!l.eat("across"));
        assert!(l.eat("across_x"));
        assert!(l.eat("do"));
        assert!(l.at_end());
    }

    #[test]
    fn numbers() {
        let mut l = Lexer::new("-12 0xFF 1.5e-3 1E5 2x");
        assert!(matches!(l.number(), Ok(Some(Number::Integer(-12)))));
        assert!(matches!(l.number(), Ok(Some(Number::Hex(255)))));
        assert!(matches!(l.number(), Ok(Some(Number::Float("1.5e-3")))));
        assert!(matches!(l.number(), Ok(Some(Number::Float("1E5")))));
        assert!(matches!(l.number(), Ok(Some(Number::Integer(2)))));
        assert!(matches!(l.number(), Ok(None)));
    }

    #[test]
    fn recovery_stops_at_the_next_statement() {
        let mut l = Lexer::new("%0 = x.y {\n %1 = a.b\n}\n  cond {\n }\n %2 = x.z");
        l.recover(0);
        assert!(l.text[l.at..].starts_with("%2"));
    }
}
