//! The generic form: `"stablehlo.add"(%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types`.

use super::{Parse, Parser, attributes::Place, blocks::Written};
use crate::{attribute::Attributes, program::RegionId, types::Type};

impl<'a> Parser<'a> {
    /// After the quoted name.
    pub fn generic(&mut self) -> Parse<Written<'a>> {
        self.lexer.expect("(")?;
        let operands = self.operands(")")?;
        let mut attributes = self.properties()?;
        let mut regions = vec![];
        if self.lexer.eat("(") {
            regions = self.regions()?;
        }
        if let Some(more) = self.optional_dictionary(Place::Op)? {
            attributes.0.extend(more.0);
        }
        if !self.lexer.eat(":") {
            return Err(self.lexer.expected("':' and the types of the op"));
        }
        let ty = self.function_type()?;
        Ok(Written {
            operands,
            operand_types: ty.inputs,
            results: ty.results,
            attributes,
            regions,
        })
    }

    /// `<{..}>` if it comes next.
    pub fn properties(&mut self) -> Parse<Attributes> {
        if !self.lexer.eat("<") {
            return Ok(Attributes::new());
        }
        let out = self
            .optional_dictionary(Place::Op)?
            .ok_or_else(|| self.lexer.expected("'{'"))?;
        self.lexer.expect(">")?;
        Ok(out)
    }

    /// Regions after `(`, up to and including `)`.
    pub fn regions(&mut self) -> Parse<Vec<RegionId>> {
        self.separated(")", |p| {
            p.lexer.expect("{")?;
            let arguments = if p.lexer.peek() == b'^' {
                p.label()?
            } else {
                vec![]
            };
            let (names, types): (Vec<_>, Vec<Type>) =
                arguments.into_iter().map(|(n, at, t)| ((n, at), t)).unzip();
            p.region(&names, &types)
        })
    }
}
