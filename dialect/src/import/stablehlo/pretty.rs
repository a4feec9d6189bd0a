//! The pretty forms. Most follow one grammar: items (values, words, `key = value`), attributes in braces, a colon and types.
//! Constant, reduce and while have their own.

use super::{Fail, Parse, Parser, attributes::Place, blocks::Written};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    op::{Op, read_hlo},
    types::{TensorType, Type},
};

/// The types after the colon.
enum Signature {
    None,
    /// `(a, b) -> c` and `a, b -> c`.
    Function(Vec<Type>, Vec<Type>),
    /// `a` or `a, b`.
    Types(Vec<Type>),
}

impl<'a> Parser<'a> {
    /// After the name of the op, which began at `start`.
    pub fn pretty(&mut self, name: &'a str, start: usize) -> Parse<Written<'a>> {
        match name {
            "stablehlo.constant" | "mhlo.constant" | "chlo.constant" => self.constant(),
            "stablehlo.reduce" | "mhlo.reduce" => self.reduce(start),
            "stablehlo.while" | "mhlo.while" => self.while_loop(),
            "call" => self.regular(name, start),
            _ if name.contains('.') => self.regular(name, start),
            _ => {
                self.lexer.at = start;
                Err(self.lexer.expected("an op such as stablehlo.add"))
            }
        }
    }

    /// `{attributes} dense<..> : type`, or the generic rest `() <{value = ..}> : () -> type`.
    fn constant(&mut self) -> Parse<Written<'a>> {
        if self.lexer.peek() == b'(' {
            return self.generic();
        }
        let attributes = self.optional_dictionary(Place::Op)?.unwrap_or_default();
        self.lexer.skip();
        let at = self.lexer.at;
        match self.attribute(Place::Op)? {
            Attribute::Literal(value) => Ok(Written {
                results: vec![value.ty().into()],
                attributes: attributes.with("value", value),
                ..Written::default()
            }),
            _ => {
                self.lexer.at = at;
                Err(self.lexer.expected("a literal such as dense<..>"))
            }
        }
    }

    /// `(%a init: %b), .. [applies op] across dimensions = [..] {attributes} : type` and, without `applies`, a reducer region.
    fn reduce(&mut self, start: usize) -> Parse<Written<'a>> {
        let (mut inputs, mut inits) = (vec![], vec![]);
        loop {
            self.lexer.expect("(")?;
            inputs.push(self.operand()?);
            self.lexer.expect("init")?;
            self.lexer.expect(":")?;
            inits.push(self.operand()?);
            self.lexer.expect(")")?;
            if !self.lexer.eat(",") {
                break;
            }
        }
        let body = if self.lexer.eat("applies") {
            let at = self.lexer.at;
            Some((
                self.lexer
                    .word()
                    .ok_or_else(|| self.lexer.expected("an op such as stablehlo.add"))?,
                at,
            ))
        } else {
            None
        };
        self.lexer.expect("across")?;
        self.lexer.expect("dimensions")?;
        self.lexer.expect("=")?;
        self.lexer.expect("[")?;
        let dimensions = self.separated("]", |p| p.lexer.integer())?;
        let attributes = self
            .optional_dictionary(Place::Op)?
            .unwrap_or_default()
            .with("dimensions", dimensions);
        self.lexer.expect(":")?;
        let ty = self.function_type()?;
        let region = match body {
            Some((op, at)) => {
                let element = ty
                    .inputs
                    .first()
                    .and_then(Type::as_tensor)
                    .map(|t| t.element.clone());
                let Some(element) = element else {
                    return Err(Fail::syntax(at, "a reduction needs an input tensor"));
                };
                let scalar = Type::from(TensorType::new([], element));
                let values = self.builder.begin_region(&[scalar.clone(), scalar.clone()]);
                let location = self.location(start);
                let name = self.hlo_name(op, at)?;
                let inner = match read_hlo(name, Attributes::new(), &location) {
                    Ok((op, _)) => Op::Hlo(op),
                    Err(Error::Unsupported { what, .. }) => {
                        return Err(Fail::unsupported(at, what));
                    }
                    Err(Error::InvalidProgram(_) | Error::Internal(_)) => {
                        return Err(Fail::syntax(
                            at,
                            format!("'{op}' cannot be the op of a compact reduction"),
                        ));
                    }
                };
                let result = self
                    .builder
                    .op(inner, &values, &[scalar], vec![], location.clone());
                self.builder.end_region(&result, location)
            }
            None => {
                self.lexer.expect("reducer")?;
                let (mut first, mut second) = (vec![], vec![]);
                while self.lexer.eat("(") {
                    first.push(self.argument()?);
                    self.lexer.expect(",")?;
                    second.push(self.argument()?);
                    self.lexer.expect(")")?;
                }
                let (names, types): (Vec<_>, Vec<Type>) = first.into_iter().chain(second).unzip();
                self.lexer.expect("{")?;
                self.region(&names, &types)?
            }
        };
        inputs.extend(inits);
        Ok(Written {
            operands: inputs,
            operand_types: ty.inputs,
            results: ty.results,
            attributes,
            regions: vec![region],
        })
    }

    /// `%name: type`.
    fn argument(&mut self) -> Parse<((&'a str, usize), Type)> {
        self.lexer.skip();
        let at = self.lexer.at;
        let name = self.value_name()?;
        self.lexer.expect(":")?;
        let ty = self.ty()?;
        self.optional_location()?;
        Ok(((name, at), ty))
    }

    /// `(%arg = %init, ..) : types [attributes {..}] cond {..} do {..}`.
    fn while_loop(&mut self) -> Parse<Written<'a>> {
        self.lexer.expect("(")?;
        let pairs = self.separated(")", |p| {
            p.lexer.skip();
            let at = p.lexer.at;
            let name = p.value_name()?;
            p.lexer.expect("=")?;
            Ok(((name, at), p.operand()?))
        })?;
        let (arguments, operands): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let types = if operands.is_empty() {
            vec![]
        } else {
            self.lexer.expect(":")?;
            self.type_list()?
        };
        if types.len() != operands.len() {
            return Err(Fail::syntax(
                self.lexer.at,
                format!("{} types for {} values", types.len(), operands.len()),
            ));
        }
        let attributes = if self.lexer.eat("attributes") {
            self.optional_dictionary(Place::Op)?.unwrap_or_default()
        } else {
            Attributes::new()
        };
        self.lexer.expect("cond")?;
        self.lexer.expect("{")?;
        let condition = self.region(&arguments, &types)?;
        self.lexer.expect("do")?;
        self.lexer.expect("{")?;
        let body = self.region(&arguments, &types)?;
        Ok(Written {
            operands,
            operand_types: types.clone(),
            results: types,
            attributes,
            regions: vec![condition, body],
        })
    }

    fn regular(&mut self, name: &'a str, start: usize) -> Parse<Written<'a>> {
        let op = name.rsplit('.').next().unwrap_or(name);
        let mut w = Written::default();
        let mut separated = true;
        loop {
            match self.lexer.peek() {
                b'%' if !separated => return Err(self.lexer.expected("','")),
                b'%' => {
                    w.operands.push(self.operand()?);
                    separated = false;
                }
                b'(' if w.operands.is_empty() && w.regions.is_empty() => {
                    self.lexer.at += 1;
                    if op == "composite" && self.lexer.peek() == b'{' {
                        w.regions = self.regions()?;
                    } else {
                        self.parenthesized(op, &mut w)?;
                    }
                }
                b'[' if op == "slice" => self.slice_ranges(&mut w)?,
                b'[' if op == "get_tuple_element" => {
                    self.lexer.at += 1;
                    let index = self.lexer.integer()?;
                    self.lexer.expect("]")?;
                    w.attributes = std::mem::take(&mut w.attributes).with("index", index);
                }
                b'{' => w
                    .attributes
                    .0
                    .extend(self.optional_dictionary(Place::Op)?.unwrap_or_default().0),
                b'"' => {
                    let name = self.lexer.string()?;
                    w.attributes = std::mem::take(&mut w.attributes).with("name", name.as_str());
                }
                b'@' => {
                    let symbol = self.lexer.symbol()?;
                    let value = if op == "call" {
                        Attribute::Symbol(symbol)
                    } else {
                        Attribute::Str(symbol)
                    };
                    w.attributes = std::mem::take(&mut w.attributes).with(
                        if op == "call" {
                            "callee"
                        } else {
                            "call_target_name"
                        },
                        value,
                    );
                }
                b',' => {
                    self.lexer.at += 1;
                    separated = true;
                    if matches!(self.lexer.peek(), b',' | b':' | b'{' | b'}' | b')') {
                        return Err(self.lexer.expected("a value or an attribute"));
                    }
                }
                b':' => {
                    self.lexer.at += 1;
                    break;
                }
                b'd' | b's' if self.lexer.sees("dense") || self.lexer.sees("dense_resource") => {
                    let value = self.attribute(Place::Op)?;
                    w.attributes = std::mem::take(&mut w.attributes).with("value", value);
                }
                b'l' if self.lexer.sees("loc(") => break,
                _ => match self.lexer.peek_word() {
                    Some(word) if !word.contains('.') && word != "call" && word != "return" => {
                        self.word_item(op, &mut w)?
                    }
                    Some(_) | None
                        if matches!(
                            op,
                            "expect_eq_const"
                                | "expect_almost_eq_const"
                                | "optimization_barrier"
                                | "partition_id"
                                | "replica_id"
                        ) =>
                    {
                        break;
                    }
                    Some(_) | None => {
                        return Err(self
                            .lexer
                            .expected(&format!("':' and the types of '{name}'")));
                    }
                },
            }
        }
        let signature = self.signature()?;
        self.apply_signature(name, op, signature, &mut w, start)?;
        Ok(w)
    }

    /// Inside `(..)`: values and, for top_k, `k = ..`.
    fn parenthesized(&mut self, op: &str, w: &mut Written<'a>) -> Parse<()> {
        self.separated(")", |p| {
            if p.lexer.peek() == b'%' {
                p.operand().map(|o| w.operands.push(o))
            } else {
                p.word_item(op, w)
            }
        })?;
        Ok(())
    }

    /// `[0:2, 1:8:3]`.
    fn slice_ranges(&mut self, w: &mut Written<'a>) -> Parse<()> {
        self.lexer.expect("[")?;
        let (mut starts, mut limits, mut strides) = (vec![], vec![], vec![]);
        self.separated("]", |p| {
            starts.push(p.lexer.integer()?);
            p.lexer.expect(":")?;
            limits.push(p.lexer.integer()?);
            strides.push(if p.lexer.eat(":") {
                p.lexer.integer()?
            } else {
                1
            });
            Ok(())
        })?;
        w.attributes = std::mem::take(&mut w.attributes)
            .with("start_indices", starts)
            .with("limit_indices", limits)
            .with("strides", strides);
        Ok(())
    }

    /// A word, or `key = value`.
    fn word_item(&mut self, op: &str, w: &mut Written<'a>) -> Parse<()> {
        self.lexer.skip();
        let at = self.lexer.at;
        let Some(key) = self.lexer.word() else {
            return Err(self.lexer.expected("a value or an attribute"));
        };
        let mut set =
            |name: &str, value: Attribute| match w.attributes.0.insert(name.to_string(), value) {
                None => Ok(()),
                Some(_) => Err(Fail::syntax(at, format!("'{key}' is given twice"))),
            };
        if !self.lexer.eat("=") {
            return match (op, w.operands.is_empty()) {
                ("compare" | "broadcast_compare", true) => set("comparison_direction", key.into()),
                ("compare" | "broadcast_compare", false) => set("compare_type", key.into()),
                _ => Err(Fail::syntax(at, format!("unexpected word '{key}'"))),
            };
        }
        match (op, key) {
            (_, "batching_dims" | "contracting_dims") => {
                let (lhs, rhs) = self.paired_dims()?;
                let kind = if key == "batching_dims" {
                    "batching"
                } else {
                    "contracting"
                };
                set(&format!("lhs_{kind}_dimensions"), lhs.into())?;
                set(&format!("rhs_{kind}_dimensions"), rhs.into())
            }
            (_, "dim_numbers") => {
                let dims = self.convolution_dimensions()?;
                dims.0
                    .into_iter()
                    .try_for_each(|(name, value)| set(&name, value))
            }
            (_, "window") => {
                self.lexer.expect("{")?;
                for (name, value) in self.window()?.0 {
                    set(&name, value)?;
                }
                Ok(())
            }
            (_, "format") => {
                let word = self.lexer.word().unwrap_or("");
                let parts = word
                    .strip_prefix('e')
                    .and_then(|w| w.split_once('m'))
                    .and_then(|(e, m)| Some((e.parse::<i64>().ok()?, m.parse::<i64>().ok()?)));
                let Some((exponent, mantissa)) = parts else {
                    return Err(Fail::helped(
                        at,
                        format!("the format '{word}' is malformed"),
                        "e8m7 has 8 exponent and 7 mantissa bits",
                    ));
                };
                set("exponent_bits", exponent.into())?;
                set("mantissa_bits", mantissa.into())
            }
            _ => {
                let name = attribute_name(op, key);
                let value = self.item_value()?;
                set(name, value)
            }
        }
    }

    /// The value of `key = value` among the items: as an attribute, but a word is a string and a list may hold words.
    fn item_value(&mut self) -> Parse<Attribute> {
        self.attribute(Place::Struct)
    }

    /// `[0, 1] x [1, 2]`.
    fn paired_dims(&mut self) -> Parse<(Vec<i64>, Vec<i64>)> {
        self.lexer.expect("[")?;
        let lhs = self.separated("]", |p| p.lexer.integer())?;
        self.lexer.expect("x")?;
        self.lexer.expect("[")?;
        let rhs = self.separated("]", |p| p.lexer.integer())?;
        Ok((lhs, rhs))
    }

    /// `stride = [..], pad = [[..], ..], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]}`.
    fn window(&mut self) -> Parse<Attributes> {
        let mut out = Attributes::new();
        self.separated("}", |p| {
            p.lexer.skip();
            let at = p.lexer.at;
            let key = p.lexer.word().unwrap_or("");
            p.lexer.expect("=")?;
            p.lexer.expect("[")?;
            let value: Attribute = match key {
                "stride" | "lhs_dilate" | "rhs_dilate" => {
                    p.separated("]", |p| p.lexer.integer())?.into()
                }
                "pad" => {
                    let pairs = p.separated("]", |p| {
                        p.lexer.expect("[")?;
                        let low = p.lexer.integer()?;
                        p.lexer.expect(",")?;
                        let high = p.lexer.integer()?;
                        p.lexer.expect("]")?;
                        Ok([low, high])
                    })?;
                    pairs.concat().into()
                }
                "reverse" => p
                    .separated("]", |p| {
                        if p.lexer.eat("true") {
                            Ok(true)
                        } else if p.lexer.eat("false") {
                            Ok(false)
                        } else {
                            Ok(p.lexer.integer()? != 0)
                        }
                    })?
                    .into(),
                other => {
                    return Err(Fail::helped(
                        at,
                        format!("unknown window attribute '{other}'"),
                        "stride, pad, lhs_dilate, rhs_dilate, reverse",
                    ));
                }
            };
            let name = match key {
                "stride" => "window_strides",
                "pad" => "padding",
                "lhs_dilate" => "lhs_dilation",
                "rhs_dilate" => "rhs_dilation",
                _ => "window_reversal",
            };
            match out.0.insert(name.to_string(), value) {
                None => Ok(()),
                Some(_) => Err(Fail::syntax(at, format!("'{key}' is given twice"))),
            }
        })?;
        Ok(out)
    }

    /// What stands after the colon, which has been read if there is one.
    fn signature(&mut self) -> Parse<Signature> {
        match self.lexer.peek() {
            b'(' => {
                let ty = self.function_type()?;
                Ok(Signature::Function(ty.inputs, ty.results))
            }
            b't' | b'!' if !self.lexer.sees("tuple.") => {
                let types = self.type_list()?;
                if self.lexer.eat("->") {
                    Ok(Signature::Function(types, self.result_types()?))
                } else {
                    Ok(Signature::Types(types))
                }
            }
            _ => Ok(Signature::None),
        }
    }

    fn apply_signature(
        &mut self,
        name: &str,
        op: &str,
        signature: Signature,
        w: &mut Written<'a>,
        start: usize,
    ) -> Parse<()> {
        let n = w.operands.len();
        match signature {
            Signature::Function(inputs, results) => {
                (w.operand_types, w.results) = (inputs, results)
            }
            Signature::None => {
                // check.expect_eq_const %x, dense<..> : type
                let value = w.attributes.get("value").and_then(|v| {
                    if let Attribute::Literal(l) = v {
                        Some(Type::from(l.ty()))
                    } else {
                        None
                    }
                });
                match (n, value) {
                    (0, _) => {}
                    (1, Some(ty)) => w.operand_types = vec![ty],
                    (_, _) => {
                        return Err(Fail::syntax(
                            start,
                            format!("'{name}' has operands but no types"),
                        ));
                    }
                }
            }
            Signature::Types(types) => match (op, types.as_slice()) {
                ("select", [pred, ty]) => {
                    w.operand_types = vec![pred.clone(), ty.clone(), ty.clone()];
                    w.results = vec![ty.clone()];
                }
                ("optimization_barrier", _) => {
                    w.operand_types = types.clone();
                    w.results = types;
                }
                ("tuple", [Type::Tuple(parts)]) => {
                    w.operand_types = parts.to_vec();
                    w.results = types;
                }
                ("complex", [Type::Tensor(t)]) => {
                    let part = t.element.complex_part().ok_or_else(|| {
                        Fail::syntax(
                            start,
                            format!("'{name}' must give complex numbers, not {t}"),
                        )
                    })?;
                    let part = Type::from(t.with_element(part));
                    w.operand_types = vec![part.clone(), part];
                    w.results = types;
                }
                (_, [ty]) if !has_results(name) => w.operand_types = vec![ty.clone(); n],
                (_, _) if !has_results(name) => w.operand_types = types,
                (_, [ty]) => {
                    w.operand_types = vec![ty.clone(); n];
                    w.results = types;
                }
                (_, _) => {
                    return Err(Fail::syntax(
                        start,
                        format!("'{name}' takes one type or '(types) -> types'"),
                    ));
                }
            },
        }
        Ok(())
    }
}

fn has_results(name: &str) -> bool {
    !(name.starts_with("check.") || name == "interpreter.print" || name == "stablehlo.trace")
}

/// Attribute behind a key of a pretty form.
fn attribute_name<'k>(op: &str, key: &'k str) -> &'k str {
    match (op, key) {
        ("broadcast_in_dim" | "dynamic_broadcast_in_dim", "dims") => "broadcast_dimensions",
        ("transpose", "dims") => "permutation",
        (_, "dims") => "dimensions",
        ("iota" | "dynamic_iota", "dim") => "iota_dimension",
        (_, "dim") => "dimension",
        ("dynamic_slice", "sizes") => "slice_sizes",
        (_, "sizes") => "broadcast_sizes",
        (_, "low") => "edge_padding_low",
        (_, "high") => "edge_padding_high",
        (_, "interior") => "interior_padding",
        ("fft", "type") => "fft_type",
        ("fft", "length") => "fft_length",
        ("rng_bit_generator", "algorithm") => "rng_algorithm",
        ("rng", "distribution") => "rng_distribution",
        (_, "precision") => "precision_config",
        (_, "iter") => "iteration",
        ("einsum" | "unary_einsum", "config") => "einsum_config",
        (_, other) => other,
    }
}
