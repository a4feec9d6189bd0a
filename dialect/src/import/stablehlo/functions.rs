//! Modules and functions.

use super::{Fail, Parse, Parser, attributes::Place};
use crate::{
    attribute::{Attribute, Attributes},
    program::{Alias, AliasKind},
    types::Type,
};

/// Replicas or partitions of a process grid.
const GRID: std::ops::RangeInclusive<i64> = 1..=1 << 20;

impl<'a> Parser<'a> {
    /// The whole text.
    pub fn top_level(&mut self) {
        while !self.lexer.at_end() && !self.given_up() {
            let start = self.lexer.at;
            if let Err(fail) = self.top_item() {
                self.report(*fail);
                self.lexer.recover(start);
                // A brace too many.
                if self.lexer.at == start {
                    self.lexer.at += 1;
                    while !self.lexer.text.is_char_boundary(self.lexer.at) {
                        self.lexer.at += 1;
                    }
                }
            }
        }
    }

    fn top_item(&mut self) -> Parse<()> {
        let start = self.lexer.at;
        match self.lexer.peek() {
            b'#' => return self.attribute_alias(),
            b'!' => {
                self.lexer.at += 1;
                let name = self.lexer.suffix_name("a type alias")?;
                self.lexer.expect("=")?;
                let ty = self.ty()?;
                self.type_aliases.insert(name, ty);
                return Ok(());
            }
            b'{' if self.lexer.sees("{-#") => {
                self.lexer.at = self.lexer.text[start..]
                    .find("#-}")
                    .map_or(self.lexer.text.len(), |n| start + n + 3);
                return Ok(());
            }
            b'"' => return self.generic_top_item(),
            _ => {}
        }
        match self.lexer.peek_word() {
            Some("module" | "builtin.module") => self.module(),
            Some("func.func" | "func") => self.function(),
            Some("sdy.mesh") => self.mesh(),
            Some("loc") => self.optional_location().map(|_| ()),
            Some(other) if other.contains('.') => Err(Fail::unsupported(
                start,
                format!("op {other} outside a function"),
            )),
            Some(_) | None => {
                let fail = self.lexer.expected("'module' or 'func.func'");
                let (Fail::Syntax { at, message, .. } | Fail::Unsupported { at, what: message }) =
                    *fail
                else {
                    return Err(fail);
                };
                Err(if self.lexer.sees("HloModule") {
                    Fail::helped(at, message, "this is HLO text, not StableHLO")
                } else {
                    Fail::syntax(at, message)
                })
            }
        }
    }

    /// `sdy.mesh @name = <[..]> {attributes}`: kept as text, because shardings name it.
    fn mesh(&mut self) -> Parse<()> {
        self.lexer.word();
        let name = self.lexer.symbol()?;
        self.lexer.expect("=")?;
        let mut axes = self.lexer.balanced()?.to_string();
        if self.lexer.peek() == b'{' {
            axes = format!("{axes} {}", self.lexer.balanced()?);
        }
        self.optional_location()?;
        self.keep_mesh(&name, axes);
        Ok(())
    }

    fn keep_mesh(&mut self, name: &str, axes: String) {
        let attributes = &mut self.builder.program_mut().attributes;
        attributes
            .0
            .insert(format!("sdy.mesh @{name}"), Attribute::Str(axes));
    }

    /// `#name = attribute` or `#loc1 = loc(..)`.
    fn attribute_alias(&mut self) -> Parse<()> {
        self.lexer.at += 1;
        let name = self.lexer.suffix_name("an attribute alias")?;
        self.lexer.expect("=")?;
        if self.lexer.sees("loc") {
            let origins = self.optional_location()?;
            self.location_aliases.insert(name, origins);
        } else {
            let value = self.attribute(Place::Dictionary)?;
            self.attribute_aliases.insert(name, value);
        }
        Ok(())
    }

    fn module(&mut self) -> Parse<()> {
        let start = self.lexer.at;
        self.lexer.word();
        if self.lexer.peek() == b'@' {
            let name = self.lexer.symbol()?;
            self.builder.program_mut().name = name;
        }
        if self.lexer.eat("attributes") {
            let attributes = self
                .optional_dictionary(Place::Op)?
                .ok_or_else(|| self.lexer.expected("'{'"))?;
            self.module_attributes(attributes, start)?;
        }
        self.lexer.expect("{")?;
        while !self.lexer.eat("}") {
            if self.lexer.at_end() {
                return Err(Fail::syntax(self.lexer.at, "the module has no '}'"));
            }
            if self.lexer.sees("module") || self.lexer.sees("builtin.module") {
                return Err(Fail::unsupported(self.lexer.at, "modules inside modules"));
            }
            let start = self.lexer.at;
            if let Err(fail) = self.top_item() {
                self.report(*fail);
                if self.given_up() {
                    return Err(Box::new(Fail::Silent));
                }
                self.lexer.recover(start);
                if self.lexer.at == start {
                    return Err(Box::new(Fail::Silent));
                }
            }
        }
        self.optional_location()?;
        Ok(())
    }

    /// Sizes of the process grid; the rest is kept.
    pub fn module_attributes(&mut self, attributes: Attributes, at: usize) -> Parse<()> {
        let program = self.builder.program_mut();
        for (name, value) in attributes.0 {
            match (name.as_str(), &value) {
                ("mhlo.num_replicas", Attribute::Int(n)) if GRID.contains(n) => {
                    program.num_replicas = *n as u32;
                }
                ("mhlo.num_partitions", Attribute::Int(n)) if GRID.contains(n) => {
                    program.num_partitions = *n as u32;
                }
                ("mhlo.num_replicas" | "mhlo.num_partitions", _) => {
                    let message = format!("'{name}' must be an integer from 1 to {}", GRID.end());
                    return Err(Fail::syntax(at, message));
                }
                ("sym_name", Attribute::Str(name)) => program.name.clone_from(name),
                _ => {
                    program.attributes.0.insert(name, value);
                }
            }
        }
        Ok(())
    }

    fn function(&mut self) -> Parse<()> {
        let start = self.lexer.at;
        let location = self.location(start);
        self.lexer.word();
        let is_private = self.lexer.eat("private") | self.lexer.eat("nested");
        self.lexer.eat("public");
        let name = self.lexer.symbol()?;
        self.lexer.expect("(")?;
        self.scope.leave(0);
        let parameters = self.separated(")", |p| {
            p.lexer.skip();
            let at = p.lexer.at;
            let name = p.value_name()?;
            p.lexer.expect(":")?;
            let ty = p.ty()?;
            let attributes = p.optional_dictionary(Place::Op)?.unwrap_or_default();
            p.optional_location()?;
            Ok((name, at, ty, attributes))
        })?;
        let mut results: Vec<(Type, Attributes)> = vec![];
        if self.lexer.eat("->") {
            if self.lexer.eat("(") {
                results = self.separated(")", |p| {
                    let ty = p.ty()?;
                    Ok((ty, p.optional_dictionary(Place::Op)?.unwrap_or_default()))
                })?;
            } else {
                results.push((self.ty()?, Attributes::new()));
            }
        }
        if self.lexer.eat("attributes") {
            self.optional_dictionary(Place::Op)?
                .ok_or_else(|| self.lexer.expected("'{'"))?;
        }
        if self.lexer.peek() != b'{' {
            return Err(Fail::unsupported(
                start,
                format!("function @{name} without a body"),
            ));
        }
        let types: Vec<Type> = parameters.iter().map(|p| p.2.clone()).collect();
        let values = self.builder.begin_function(&name, &types, location);
        for ((name, at, _, _), value) in parameters.iter().zip(&values) {
            self.define(name, *at, &[*value])?;
        }
        self.lexer.expect("{")?;
        let returned = self.nested(Parser::block)?;
        let location = self.optional_location()?;
        drop(location);
        let (result_types, result_attributes): (Vec<Type>, Vec<Attributes>) =
            results.into_iter().unzip();
        self.check_types("result", &returned, &result_types, start)?;
        let id = self
            .builder
            .end_function(&returned.values, returned.location);
        let aliases = aliases(
            &parameters.iter().map(|p| (&p.2, &p.3)).collect::<Vec<_>>(),
            &result_types,
        );
        if let Some(f) = self.builder.program_mut().functions.get_mut(id.index()) {
            f.is_private = is_private;
            f.parameter_attributes = parameters.into_iter().map(|p| p.3).collect();
            f.result_attributes = result_attributes;
            f.aliases = aliases;
        }
        Ok(())
    }

    /// `"builtin.module"() ({..})` or `"func.func"() <{..}> ({..})`.
    fn generic_top_item(&mut self) -> Parse<()> {
        let start = self.lexer.at;
        let location = self.location(start);
        let name = self.lexer.string()?;
        if !matches!(name.as_str(), "builtin.module" | "func.func") {
            if name == "sdy.mesh" {
                let written = self.generic()?;
                self.optional_location()?;
                if let (Some(Attribute::Str(name)), Some(Attribute::Str(axes))) = (
                    written.attributes.get("sym_name"),
                    written.attributes.get("mesh"),
                ) {
                    let axes = axes.trim_start_matches("#sdy.mesh").to_string();
                    self.keep_mesh(name, axes);
                }
                return Ok(());
            }
            return Err(Fail::unsupported(
                start,
                format!("op {name} outside a function"),
            ));
        }
        self.lexer.expect("(")?;
        self.lexer.expect(")")?;
        let mut attributes = self.properties()?;
        self.lexer.expect("(")?;
        self.lexer.expect("{")?;
        if name == "builtin.module" {
            if self.lexer.peek() == b'^' {
                self.label()?;
            }
            while !self.lexer.eat("}") {
                if self.lexer.at_end() {
                    return Err(Fail::syntax(start, "the module has no '}'"));
                }
                self.nested(Parser::top_item)?;
            }
        } else {
            self.scope.leave(0);
            let arguments = if self.lexer.peek() == b'^' {
                self.label()?
            } else {
                vec![]
            };
            let types: Vec<Type> = arguments.iter().map(|a| a.2.clone()).collect();
            let values = self.builder.begin_function("", &types, location);
            for ((name, at, _), value) in arguments.iter().zip(&values) {
                self.define(name, *at, &[*value])?;
            }
            let returned = self.nested(Parser::block)?;
            let results: Vec<Type> = returned
                .values
                .iter()
                .map(|v| self.builder.ty(*v).clone())
                .collect();
            let id = self
                .builder
                .end_function(&returned.values, returned.location);
            self.lexer.expect(")")?;
            attributes
                .0
                .extend(self.optional_dictionary(Place::Op)?.unwrap_or_default().0);
            self.function_attributes(id, &mut attributes, &types, &results, start)?;
            return self.end_generic();
        }
        self.lexer.expect(")")?;
        attributes
            .0
            .extend(self.optional_dictionary(Place::Op)?.unwrap_or_default().0);
        self.module_attributes(attributes, start)?;
        self.end_generic()
    }

    fn end_generic(&mut self) -> Parse<()> {
        self.lexer.expect(":")?;
        self.function_type()?;
        self.optional_location().map(|_| ())
    }

    fn function_attributes(
        &mut self,
        id: crate::program::FunctionId,
        attributes: &mut Attributes,
        parameters: &[Type],
        results: &[Type],
        start: usize,
    ) -> Parse<()> {
        let Some(Attribute::Str(name)) = attributes.0.remove("sym_name") else {
            return Err(Fail::syntax(
                start,
                "'func.func': attribute 'sym_name' is missing",
            ));
        };
        let is_private =
            matches!(attributes.get("sym_visibility"), Some(Attribute::Str(v)) if v != "public");
        let mut dictionaries = |key: &str, n: usize| -> Vec<Attributes> {
            let given = attributes.0.remove(key);
            let at = |i: usize| match &given {
                Some(Attribute::Array(all)) => {
                    if let Some(Attribute::Dict(d)) = all.get(i) {
                        as_of_op(d)
                    } else {
                        Attributes::new()
                    }
                }
                Some(_) | None => Attributes::new(),
            };
            (0..n).map(at).collect()
        };
        let parameter_attributes = dictionaries("arg_attrs", parameters.len());
        let result_attributes = dictionaries("res_attrs", results.len());
        let aliases = aliases(
            &parameters
                .iter()
                .zip(&parameter_attributes)
                .collect::<Vec<_>>(),
            results,
        );
        if let Some(f) = self.builder.program_mut().functions.get_mut(id.index()) {
            f.name = name;
            f.is_private = is_private;
            f.parameter_attributes = parameter_attributes;
            f.result_attributes = result_attributes;
            f.aliases = aliases;
        }
        Ok(())
    }
}

/// Attributes read from a dictionary as they are read on an op: a number is its value, whatever its type.
fn as_of_op(dictionary: &Attributes) -> Attributes {
    let value = |a: &Attribute| match a {
        Attribute::Literal(l) if l.dims().is_empty() && l.element().is_integer() => {
            l.to_tensor().to_i64s().first().map(|v| Attribute::Int(*v))
        }
        Attribute::Literal(l) if l.dims().is_empty() && l.element().is_float() => {
            l.to_tensor().to_f64s().first().map(|v| Attribute::from(*v))
        }
        _ => None,
    };
    Attributes(
        dictionary
            .0
            .iter()
            .map(|(k, v)| (k.clone(), value(v).unwrap_or_else(|| v.clone())))
            .collect(),
    )
}

/// Outputs that reuse parameters: `tf.aliasing_output` names one; a `jax.buffer_donor` may become the first output of its type that is still free.
fn aliases(parameters: &[(&Type, &Attributes)], results: &[Type]) -> Vec<Alias> {
    let mut out: Vec<Alias> = vec![];
    for (i, (_, attributes)) in parameters.iter().enumerate() {
        if let Some(Attribute::Int(output)) = attributes.get("tf.aliasing_output")
            && (*output as usize) < results.len()
        {
            let must = matches!(attributes.get("tileproof.alias_kind"), Some(Attribute::Str(k)) if k == "must");
            out.push(Alias {
                output: *output as u32,
                parameter: i as u32,
                kind: if must {
                    AliasKind::Must
                } else {
                    AliasKind::May
                },
            });
        }
    }
    for (i, (ty, attributes)) in parameters.iter().enumerate() {
        if attributes.get("jax.buffer_donor") == Some(&Attribute::Bool(true)) {
            let free = (0..results.len())
                .find(|o| &results[*o] == *ty && out.iter().all(|a| a.output != *o as u32));
            out.extend(free.map(|output| Alias {
                output: output as u32,
                parameter: i as u32,
                kind: AliasKind::May,
            }));
        }
    }
    out.sort_by_key(|a| a.output);
    out
}
