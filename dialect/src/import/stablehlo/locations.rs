//! Locations: `loc(..)` and what they say about a source file.

use super::{Parse, Parser};
use crate::location::Position;

/// What a location says about the place in a source file, in order of preference.
#[derive(Clone)]
pub enum Origin<'a> {
    File(Position),
    Alias(&'a str),
}

impl<'a> Parser<'a> {
    /// `loc(..)` if one comes next; what it says about a source file.
    pub fn optional_location(&mut self) -> Parse<Vec<Origin<'a>>> {
        let mut out = vec![];
        if self.lexer.sees("loc") {
            self.lexer.eat("loc");
            self.lexer.expect("(")?;
            self.nested(|p| p.origins(&mut out))?;
            self.lexer.expect(")")?;
        }
        Ok(out)
    }

    /// The inside of `loc(..)`: file, name, callsite, fused, alias, unknown.
    pub fn origins(&mut self, out: &mut Vec<Origin<'a>>) -> Parse<()> {
        match self.lexer.peek() {
            b'"' => {
                let file = self.lexer.string()?;
                if self.lexer.eat(":") {
                    let line = self.lexer.integer()?;
                    self.lexer.expect(":")?;
                    let column = self.lexer.integer()?;
                    // The end of a range: `to :COLUMN`, or `to LINE:COLUMN` when it is on another line.
                    if self.lexer.eat("to") {
                        if self.lexer.peek() != b':' {
                            self.lexer.integer()?;
                        }
                        self.lexer.expect(":")?;
                        self.lexer.integer()?;
                    }
                    let narrow = |v: i64| u32::try_from(v).unwrap_or(0);
                    out.push(Origin::File(Position {
                        file: file.into(),
                        line: narrow(line),
                        column: narrow(column),
                    }));
                } else if self.lexer.eat("(") {
                    self.nested(|p| p.origins(out))?;
                    self.lexer.expect(")")?;
                }
                Ok(())
            }
            b'#' => {
                self.lexer.at += 1;
                let name = self.lexer.suffix_name("a location alias")?;
                out.push(Origin::Alias(name));
                Ok(())
            }
            b'l' if self.lexer.eat("loc") => {
                self.lexer.expect("(")?;
                self.nested(|p| p.origins(out))?;
                self.lexer.expect(")")
            }
            _ => match self.lexer.word() {
                Some("unknown") => Ok(()),
                Some("callsite") => {
                    self.lexer.expect("(")?;
                    self.nested(|p| p.origins(out))?;
                    self.lexer.expect("at")?;
                    self.nested(|p| p.origins(out))?;
                    self.lexer.expect(")")
                }
                Some("fused") => {
                    if self.lexer.peek() == b'<' {
                        self.lexer.balanced()?;
                    }
                    self.lexer.expect("[")?;
                    self.nested(|p| p.separated("]", |p| p.origins(out)))?;
                    Ok(())
                }
                Some(_) | None => Err(self.lexer.expected("a location")),
            },
        }
    }
}
