//! Regions, blocks and op statements.

use super::{Fail, Parse, Parser, attributes::Place, scope::Operand, short_forms::Short};
use crate::{
    attribute::Attributes,
    error::Error,
    location::Location,
    op::{Op, read_hlo},
    program::{OpId, RegionId, ValueId},
    types::Type,
};

/// An op as written, before its operands are looked up.
#[derive(Default)]
pub struct Written<'a> {
    pub operands: Vec<Operand<'a>>,
    pub operand_types: Vec<Type>,
    pub results: Vec<Type>,
    pub attributes: Attributes,
    pub regions: Vec<RegionId>,
}

/// What a block ends with.
pub struct Returned {
    pub values: Vec<ValueId>,
    pub location: Location,
}

/// A name left of `=`: `%x` or `%x:2`.
type ResultName<'a> = (&'a str, usize, usize);

const RETURNS: [&str; 5] = [
    "stablehlo.return",
    "return",
    "func.return",
    "mhlo.return",
    "chlo.return",
];

impl<'a> Parser<'a> {
    /// `^bb0(%a: type, ..):`.
    pub fn label(&mut self) -> Parse<Vec<(&'a str, usize, Type)>> {
        self.lexer.at += 1;
        self.lexer.suffix_name("a block name")?;
        let arguments = if self.lexer.eat("(") {
            self.separated(")", |p| {
                p.lexer.skip();
                let at = p.lexer.at;
                let name = p.value_name()?;
                p.lexer.expect(":")?;
                let ty = p.ty()?;
                p.optional_location()?;
                Ok((name, at, ty))
            })?
        } else {
            vec![]
        };
        self.lexer.expect(":")?;
        Ok(arguments)
    }

    pub fn define(&mut self, name: &'a str, at: usize, values: &[ValueId]) -> Parse<()> {
        if self.scope.define(name, values) {
            Ok(())
        } else {
            Err(Fail::syntax(at, format!("%{name} is already defined")))
        }
    }

    pub fn check_types(
        &self,
        what: &str,
        returned: &Returned,
        declared: &[Type],
        at: usize,
    ) -> Parse<()> {
        if returned.values.len() != declared.len() {
            return Err(Fail::syntax(
                at,
                format!(
                    "{} {what}s are returned, {} are declared",
                    returned.values.len(),
                    declared.len()
                ),
            ));
        }
        for (i, (v, want)) in returned.values.iter().zip(declared).enumerate() {
            let got = self.builder.ty(*v);
            if got != want {
                return Err(Fail::syntax(
                    at,
                    format!("{what} {i} has type {got}, declared {want}"),
                ));
            }
        }
        Ok(())
    }

    /// A region with given arguments, after its `{` and label, up to and including `}`.
    pub fn region(&mut self, arguments: &[(&'a str, usize)], types: &[Type]) -> Parse<RegionId> {
        let mark = self.scope.mark();
        let values = self.builder.begin_region(types);
        let out = self.nested(|p| {
            for ((name, at), value) in arguments.iter().zip(&values) {
                p.define(name, *at, &[*value])?;
            }
            p.block()
        });
        self.scope.leave(mark);
        let returned = out?;
        Ok(self.builder.end_region(&returned.values, returned.location))
    }

    /// Statements up to and including `}`. The block must end with a return.
    pub fn block(&mut self) -> Parse<Returned> {
        let mut failed = false;
        loop {
            self.lexer.skip();
            let start = self.lexer.at;
            match self.lexer.byte(0) {
                b'}' => {
                    self.lexer.at += 1;
                    return Err(if failed {
                        Box::new(Fail::Silent)
                    } else {
                        Fail::syntax(start, "expected a return before '}'")
                    });
                }
                b'^' => return Err(Fail::unsupported(start, "regions of more than one block")),
                0 if self.lexer.at >= self.lexer.text.len() => {
                    return Err(Fail::syntax(
                        start,
                        "expected '}', found the end of the text",
                    ));
                }
                _ => {}
            }
            let outcome = if self.begins_return() {
                self.terminator().map(Some)
            } else {
                self.statement().map(|()| None)
            };
            match outcome {
                Ok(Some(_)) if failed => return Err(Box::new(Fail::Silent)),
                Ok(Some(returned)) => return Ok(returned),
                Ok(None) => {}
                Err(fail) => {
                    failed = true;
                    self.report(*fail);
                    if self.given_up() {
                        return Err(Box::new(Fail::Silent));
                    }
                    self.lexer.recover(start);
                    if self.lexer.at == start {
                        self.lexer.at += 1;
                        while !self.lexer.text.is_char_boundary(self.lexer.at) {
                            self.lexer.at += 1;
                        }
                    }
                }
            }
        }
    }

    fn begins_return(&mut self) -> bool {
        RETURNS.iter().any(|r| self.lexer.sees(r))
            || RETURNS.iter().any(|r| self.lexer.sees(&format!("\"{r}\"")))
    }

    /// `return %a, %b : types` or `"stablehlo.return"(%a) : (type) -> ()`, and the `}` after it.
    fn terminator(&mut self) -> Parse<Returned> {
        let start = self.lexer.at;
        let location = self.location(start);
        let (operands, types) = if self.lexer.byte(0) == b'"' {
            self.lexer.string()?;
            self.lexer.expect("(")?;
            let operands = self.operands(")")?;
            self.properties()?;
            self.optional_dictionary(Place::Op)?;
            self.lexer.expect(":")?;
            (operands, self.function_type()?.inputs)
        } else {
            self.lexer.word();
            let mut operands = vec![];
            while self.lexer.peek() == b'%' {
                operands.push(self.operand()?);
                if !self.lexer.eat(",") {
                    break;
                }
            }
            self.optional_dictionary(Place::Op)?;
            let types = if operands.is_empty() {
                vec![]
            } else {
                self.lexer.expect(":")?;
                self.type_list()?
            };
            (operands, types)
        };
        self.optional_location()?;
        let values = self.resolve(&operands, &types, start)?;
        if self.lexer.eat("}") {
            Ok(Returned { values, location })
        } else {
            Err(self.lexer.expected("'}' after the return"))
        }
    }

    fn resolve(&self, operands: &[Operand<'a>], types: &[Type], at: usize) -> Parse<Vec<ValueId>> {
        let values: Vec<ValueId> = operands
            .iter()
            .map(|o| self.scope.resolve(o))
            .collect::<Parse<_>>()?;
        if operands.len() != types.len() {
            return Err(Fail::syntax(
                at,
                format!(
                    "{} operands and {} operand types",
                    operands.len(),
                    types.len()
                ),
            ));
        }
        for ((o, v), want) in operands.iter().zip(&values).zip(types) {
            let got = self.builder.ty(*v);
            if got != want {
                return Err(Fail::syntax(
                    o.at,
                    format!("%{} has type {got}, used as {want}", o.name),
                ));
            }
        }
        Ok(values)
    }

    /// `%a, %b:2 = op ..`. On failure the names are poisoned.
    fn statement(&mut self) -> Parse<()> {
        let mut names: Vec<ResultName<'a>> = vec![];
        if self.lexer.byte(0) == b'%' {
            loop {
                self.lexer.skip();
                let at = self.lexer.at;
                let name = self.value_name()?;
                let count = if self.lexer.eat(":") {
                    self.lexer.integer()?.clamp(0, 1 << 20) as usize
                } else {
                    1
                };
                names.push((name, count, at));
                if !self.lexer.eat(",") {
                    break;
                }
            }
            self.lexer.expect("=")?;
        }
        let out = self.operation(&names);
        if out.is_err() {
            names
                .iter()
                .for_each(|(name, _, _)| self.scope.poison(name));
        }
        out
    }

    fn operation(&mut self, names: &[ResultName<'a>]) -> Parse<()> {
        self.lexer.skip();
        let start = self.lexer.at;
        let (name, mut written) = if self.lexer.byte(0) == b'"' {
            let name = self.lexer.string()?;
            let written = self.generic()?;
            (name, written)
        } else {
            let Some(name) = self.lexer.word() else {
                return Err(self.lexer.expected("an op such as stablehlo.add"));
            };
            if matches!(
                name,
                "sdy.sharding_constraint" | "sdy.reshard" | "sdy.propagation_barrier"
            ) {
                return self.identity(names);
            }
            if name.starts_with("sdy.") {
                self.hlo_name(name, start)?;
            }
            (name.to_string(), self.pretty(name, start)?)
        };
        let origins = self.optional_location()?;
        let location = self.location(start);
        let op = self.hlo_name(&name, start)?;
        let attributes = self.conventional(&name, op, &mut written, start)?;
        let operands = self.resolve(&written.operands, &written.operand_types, start)?;
        let count: usize = names.iter().map(|n| n.1).sum();
        if count != written.results.len() && !(names.is_empty() && count == 0) {
            return Err(Fail::syntax(
                start,
                format!(
                    "'{name}' has {} results, {count} are named",
                    written.results.len()
                ),
            ));
        }
        let first = OpId(self.builder.program().op_count() as u32);
        let short = self.short_form(&Short {
            op,
            attributes: &attributes,
            operands: &operands,
            results: &written.results,
            location: &location,
            at: start,
        })?;
        let values = match short {
            Some(values) => values,
            None => {
                let (op, extra) = read_hlo(op, attributes, &location).map_err(|e| match e {
                    Error::InvalidProgram(all) => Box::new(Fail::Located(all)),
                    Error::Unsupported { what, .. } => Fail::unsupported(start, what),
                    Error::Internal(message) => Fail::syntax(start, message),
                })?;
                let regions = written.regions;
                let values =
                    (self.builder).op(Op::Hlo(op), &operands, &written.results, regions, location);
                if let Some(op) = self.builder.last_op_mut() {
                    op.extra = extra;
                }
                values
            }
        };
        if !origins.is_empty() {
            let end = self.builder.program().op_count() as u32;
            self.origins
                .extend((first.0..end).map(|id| (OpId(id), origins.clone())));
        }
        let mut from = 0;
        for (name, count, at) in names {
            self.define(name, *at, values.get(from..from + count).unwrap_or(&[]))?;
            from += count;
        }
        Ok(())
    }

    /// A sharding annotation: `%1 = sdy.sharding_constraint %0 <..> : type` is another name of its operand.
    fn identity(&mut self, names: &[ResultName<'a>]) -> Parse<()> {
        let operand = self.operand()?;
        while !matches!(self.lexer.peek(), b':' | 0) {
            if self.lexer.byte(0) == b'<' || self.lexer.byte(0) == b'{' {
                self.lexer.balanced()?;
            } else if self.lexer.word().is_none() && !self.lexer.eat("=") && !self.lexer.eat(",") {
                return Err(self.lexer.expected("':'"));
            }
        }
        self.lexer.expect(":")?;
        let ty = self.ty()?;
        self.optional_location()?;
        let values = self.resolve(&[operand], &[ty], operand.at)?;
        match names {
            [(name, 1, at)] => self.define(name, *at, &values),
            _ => Err(Fail::syntax(
                operand.at,
                "a sharding constraint has one result",
            )),
        }
    }
}
