//! Names of SSA values in scope.

use super::{Fail, Parse, Parser};
use crate::program::ValueId;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What a name stands for: its values (`%x:2` has two), or none because the op that defines it failed.
type Values = Option<SmallVec<[ValueId; 2]>>;

/// Names visible at a place in the text.
#[derive(Default)]
pub struct Scope<'a> {
    names: HashMap<&'a str, Values>,
    order: Vec<&'a str>,
}

/// A use of a value: `%x` or `%x#1`.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    pub name: &'a str,
    pub index: usize,
    pub at: usize,
}

impl<'a> Scope<'a> {
    /// Mark to return to with `leave`.
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets the names defined since `mark`.
    pub fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark.min(self.order.len())..) {
            self.names.remove(name);
        }
    }

    /// Defines `name`; false when it is visible already.
    pub fn define(&mut self, name: &'a str, values: &[ValueId]) -> bool {
        self.insert(name, Some(SmallVec::from_slice(values)))
    }

    /// Defines `name` as the result of a failed op.
    pub fn poison(&mut self, name: &'a str) {
        self.insert(name, None);
    }

    fn insert(&mut self, name: &'a str, values: Values) -> bool {
        if self.names.contains_key(name) {
            return false;
        }
        self.names.insert(name, values);
        self.order.push(name);
        true
    }

    pub fn resolve(&self, operand: &Operand<'a>) -> Parse<ValueId> {
        match self.names.get(operand.name) {
            None => Err(Fail::syntax(
                operand.at,
                format!("value %{} is not defined here", operand.name),
            )),
            Some(None) => Err(Box::new(Fail::Silent)),
            Some(Some(values)) => values.get(operand.index).copied().ok_or_else(|| {
                Fail::syntax(
                    operand.at,
                    format!(
                        "%{} has {} values, number {} does not exist",
                        operand.name,
                        values.len(),
                        operand.index
                    ),
                )
            }),
        }
    }
}

impl<'a> Parser<'a> {
    /// `%name` or `%name#1`.
    pub fn operand(&mut self) -> Parse<Operand<'a>> {
        if self.lexer.peek() != b'%' {
            return Err(self.lexer.expected("a value '%..'"));
        }
        let at = self.lexer.at;
        let name = self.value_name()?;
        let index = if self.lexer.byte(0) == b'#' {
            self.lexer.at += 1;
            self.lexer
                .digits()
                .ok_or_else(|| self.lexer.expected("a result number"))? as usize
        } else {
            0
        };
        Ok(Operand { name, index, at })
    }

    /// `%name`, without result number.
    pub fn value_name(&mut self) -> Parse<&'a str> {
        if self.lexer.peek() != b'%' {
            return Err(self.lexer.expected("a value '%..'"));
        }
        self.lexer.at += 1;
        self.lexer.suffix_name("a value name")
    }

    /// Values separated by commas, up to `end`.
    pub fn operands(&mut self, end: &str) -> Parse<Vec<Operand<'a>>> {
        self.separated(end, Parser::operand)
    }
}
