//! Attributes of one instruction, taken by name.

use super::{
    attribute::{self, Attribute as Raw},
    cursor::Cursor,
    module::{Instruction, Module},
};
use crate::{error::Error, types::Type};

/// Takes attributes of an instruction by name; those never taken are kept for export.
pub struct Fields<'m, 'a> {
    pub module: &'m Module<'a>,
    pub instruction: &'m Instruction<'a>,
    /// Types of the operands' leaves.
    pub operand_types: Vec<Type>,
    taken: Vec<bool>,
}

impl<'m, 'a> Fields<'m, 'a> {
    pub fn new(module: &'m Module<'a>, instruction: &'m Instruction<'a>) -> Fields<'m, 'a> {
        let taken = vec![false; instruction.attributes.len()];
        Fields {
            module,
            instruction,
            operand_types: vec![],
            taken,
        }
    }

    /// Reads attribute `name`, the whole of it, if it is there.
    pub fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Cursor<'m>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let found = self
            .instruction
            .attributes
            .iter()
            .position(|a| a.name == name);
        let Some(i) = found else { return Ok(None) };
        if let Some(taken) = self.taken.get_mut(i) {
            *taken = true;
        }
        let mut c = self
            .module
            .cursor(&self.instruction.attributes[i], &self.instruction.location);
        let value = read(&mut c)?;
        c.skip_blank();
        if !c.is_at_end() {
            return Err(c.expected(&format!("the end of attribute '{name}'")));
        }
        Ok(Some(value))
    }

    /// Counts attributes as taken that were read before.
    pub fn skip(&mut self, names: &[&str]) {
        for (a, taken) in self.instruction.attributes.iter().zip(&mut self.taken) {
            *taken |= names.contains(&&*a.name);
        }
    }

    pub fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Cursor<'m>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (opcode, location) = (&self.instruction.opcode, &self.instruction.location);
        self.take(name, read)?.ok_or_else(|| {
            Error::invalid(
                format!("'{opcode}' needs attribute '{name}'"),
                location.clone(),
            )
        })
    }

    pub fn ints(&mut self, name: &str) -> Result<Vec<i64>, Error> {
        Ok(self.take(name, attribute::ints)?.unwrap_or_default())
    }

    pub fn int(&mut self, name: &str) -> Result<i64, Error> {
        self.required(name, Cursor::int)
    }

    pub fn flag(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.take(name, attribute::boolean)?.unwrap_or(false))
    }

    pub fn word(&mut self, name: &str) -> Result<Option<&'m str>, Error> {
        self.take(name, |c| c.expect_word("a word"))
    }

    /// The only entry of `dimensions={d}`.
    pub fn dimension(&mut self) -> Result<i64, Error> {
        let dims = self.required("dimensions", attribute::ints)?;
        let [d] = dims[..] else {
            let m = format!(
                "'{}' needs one dimension, got {dims:?}",
                self.instruction.opcode
            );
            return Err(Error::invalid(m, self.instruction.location.clone()));
        };
        Ok(d)
    }

    pub fn window(&mut self) -> Result<attribute::Window, Error> {
        Ok(self.take("window", attribute::window)?.unwrap_or_default())
    }

    /// Fails on an attribute whose meaning no op has.
    pub fn refuse(&self, name: &str) -> Result<(), Error> {
        match self.instruction.attribute(name) {
            None => Ok(()),
            Some(_) => {
                let what = format!("attribute '{name}' of HLO {}", self.instruction.opcode);
                Err(Error::Unsupported {
                    what,
                    location: self.instruction.location.clone(),
                })
            }
        }
    }

    /// The attributes no one took, as text.
    pub fn left(&self) -> impl Iterator<Item = &'m Raw<'a>> + '_ {
        self.instruction
            .attributes
            .iter()
            .zip(&self.taken)
            .filter(|(_, taken)| !**taken)
            .map(|(a, _)| a)
    }
}
