//! Types: tensors (with bounds), quantized elements, tokens, tuples, function types.

use super::{Fail, Parse, Parser};
use crate::types::{Dim, ElementType, QuantizedType, TensorType, Type};
use std::sync::Arc;

/// Largest number of elements of a static tensor type; more could not be addressed.
const MAX_ELEMENTS: u64 = 1 << 48;

/// Largest rank of a tensor type.
const MAX_RANK: usize = 64;

/// `(inputs) -> results`.
pub struct FunctionType {
    pub inputs: Vec<Type>,
    pub results: Vec<Type>,
}

impl<'a> Parser<'a> {
    pub fn ty(&mut self) -> Parse<Type> {
        if self.lexer.sees("tensor") {
            let start = self.lexer.at;
            self.lexer.at += "tensor".len();
            if self.lexer.peek() != b'<' {
                return Err(self.lexer.expected("'<'"));
            }
            let open = self.lexer.at;
            let body = self.lexer.balanced()?;
            if let Some(known) = self.types.get(body) {
                return Ok(known.clone());
            }
            let end = self.lexer.at;
            self.lexer.at = open + 1;
            let ty = self.tensor_body()?;
            if self.lexer.at != end {
                return Err(Fail::syntax(start, "the tensor type is malformed"));
            }
            self.types.insert(body, ty.clone());
            return Ok(ty);
        }
        if self.lexer.peek() == b'!' {
            return self.dialect_type();
        }
        if self.lexer.eat("tuple") {
            self.lexer.expect("<")?;
            let parts = self.nested(|p| p.separated(">", Parser::ty))?;
            return Ok(Type::tuple(parts));
        }
        let at = self.lexer.at;
        match self.lexer.peek_word() {
            Some(w @ ("memref" | "vector" | "index" | "none")) => {
                Err(Fail::unsupported(at, format!("type {w}")))
            }
            Some(_) | None => Err(self
                .lexer
                .expected("a type (tensor<..>, tuple<..> or !stablehlo.token)")),
        }
    }

    fn dialect_type(&mut self) -> Parse<Type> {
        let start = self.lexer.at;
        self.lexer.at += 1;
        let name = self.lexer.suffix_name("a type name")?;
        if let Some(alias) = self.type_aliases.get(name) {
            return Ok(alias.clone());
        }
        match name {
            "stablehlo.token" | "mhlo.token" => Ok(Type::Token),
            other => Err(Fail::unsupported(start, format!("type !{other}"))),
        }
    }

    /// After `tensor<`, up to and including `>`.
    fn tensor_body(&mut self) -> Parse<Type> {
        let start = self.lexer.at;
        let mut dims = vec![];
        loop {
            match self.lexer.peek() {
                b'?' => {
                    self.lexer.at += 1;
                    dims.push(Dim::Dynamic { bound: None });
                }
                b'*' => return Err(Fail::unsupported(start, "unranked tensor types")),
                b if b.is_ascii_digit() => {
                    let at = self.lexer.at;
                    let n = self
                        .lexer
                        .digits()
                        .ok_or_else(|| Fail::syntax(at, "the dimension does not fit 64 bits"))?;
                    dims.push(Dim::Static(n));
                }
                _ => break,
            }
            if self.lexer.peek() != b'x' {
                return Err(self.lexer.expected("'x' after a dimension"));
            }
            self.lexer.at += 1;
        }
        if dims.len() > MAX_RANK {
            return Err(Fail::unsupported(
                start,
                format!("tensors of rank above {MAX_RANK}"),
            ));
        }
        let element = self.element()?;
        if self.lexer.eat(",") {
            self.bounds(&mut dims)?;
        }
        self.lexer.expect(">")?;
        let sizes = dims.iter().map(|d| match d {
            Dim::Static(n) => (*n).max(1),
            Dim::Dynamic { bound } => bound.unwrap_or(1).max(1),
        });
        if sizes.fold(1u64, u64::saturating_mul) > MAX_ELEMENTS {
            return Err(Fail::unsupported(
                start,
                "tensors of more than 2^48 elements",
            ));
        }
        Ok(TensorType {
            dims,
            element,
            layout: None,
        }
        .into())
    }

    /// The encoding of a tensor type: `#stablehlo.bounds<3, ?>` or `#stablehlo.type_extensions<bounds = [3, ?]>`.
    fn bounds(&mut self, dims: &mut [Dim]) -> Parse<()> {
        let start = self.lexer.at;
        let (name, end) = if self.lexer.eat("#stablehlo.bounds") || self.lexer.eat("#mhlo.bounds") {
            ("<", ">")
        } else if self.lexer.eat("#stablehlo.type_extensions")
            || self.lexer.eat("#mhlo.type_extensions")
        {
            self.lexer.expect("<")?;
            self.lexer.expect("bounds")?;
            self.lexer.expect("=")?;
            ("[", "]")
        } else {
            return Err(Fail::unsupported(
                start,
                "tensor encodings other than #stablehlo.bounds",
            ));
        };
        self.lexer.expect(name)?;
        let bounds = self.separated(end, |p| {
            if p.lexer.eat("?") {
                Ok(None)
            } else {
                p.lexer.integer().map(Some)
            }
        })?;
        if end == "]" {
            self.lexer.expect(">")?;
        }
        if bounds.len() != dims.len() {
            return Err(Fail::syntax(
                start,
                format!("{} bounds for {} dimensions", bounds.len(), dims.len()),
            ));
        }
        for (d, b) in dims.iter_mut().zip(bounds) {
            let given = b
                .map(|b| u64::try_from(b).map_err(|_| Fail::syntax(start, "a bound is negative")))
                .transpose()?;
            match (&mut *d, given) {
                (Dim::Dynamic { bound }, given) => *bound = given,
                (Dim::Static(_), None) => {}
                (Dim::Static(_), Some(_)) => {
                    return Err(Fail::syntax(start, "only dynamic dimensions have bounds"));
                }
            }
        }
        Ok(())
    }

    /// An element type. `index` is read as i64.
    pub fn element(&mut self) -> Parse<ElementType> {
        if self.lexer.eat("complex") {
            self.lexer.expect("<")?;
            let at = self.lexer.at;
            let part = self.lexer.word().unwrap_or("");
            self.lexer.expect(">")?;
            return ElementType::from_mlir_name(&format!("complex<{part}>"))
                .ok_or_else(|| Fail::syntax(at, format!("complex<{part}> is no element type")));
        }
        if self.lexer.eat("!quant.uniform") {
            return self.quantized();
        }
        self.lexer.skip();
        let at = self.lexer.at;
        match self.lexer.word() {
            Some("index") => Ok(ElementType::I64),
            Some(w) => ElementType::from_mlir_name(w).ok_or_else(|| {
                if w.starts_with(['i', 'f', 'u', 's', 't']) {
                    Fail::unsupported(at, format!("element type {w}"))
                } else {
                    Fail::syntax(at, format!("'{w}' is no element type"))
                }
            }),
            None => Err(self.lexer.expected("an element type")),
        }
    }

    /// After `!quant.uniform`: `<i8<-128:127>:f32:1, {0.1:0, 0.2:5}>` or `<i8:f32, 0.1:3>`.
    fn quantized(&mut self) -> Parse<ElementType> {
        self.lexer.expect("<")?;
        let at = self.lexer.at;
        let word = self.lexer.word().unwrap_or("");
        let mlir = if let Some(bits) = word.strip_prefix('u') {
            format!("ui{}", bits.trim_start_matches('i'))
        } else {
            word.to_string()
        };
        let storage = ElementType::from_mlir_name(&mlir)
            .filter(|e| e.is_integer() && e.bits() > 1 && e.bits() <= 32)
            .ok_or_else(|| {
                Fail::syntax(
                    at,
                    format!(
                        "'{word}' is no storage type of a quantized type (i2 to i32, u2 to u32)"
                    ),
                )
            })?;
        let bits = storage.bits();
        let unsigned = mlir.starts_with('u');
        let (mut storage_min, mut storage_max) = if unsigned {
            (0, (1i64 << bits) - 1)
        } else {
            (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
        };
        if self.lexer.eat("<") {
            storage_min = self.lexer.integer()?;
            self.lexer.expect(":")?;
            storage_max = self.lexer.integer()?;
            self.lexer.expect(">")?;
        }
        self.lexer.expect(":")?;
        let at = self.lexer.at;
        let expressed = self.element()?;
        if !expressed.is_float() {
            return Err(Fail::syntax(
                at,
                "the expressed type of a quantized type must be a float",
            ));
        }
        let axis = if self.lexer.eat(":") {
            Some(self.lexer.integer()?)
        } else {
            None
        };
        let axis = axis
            .map(|a| {
                u64::try_from(a).map_err(|_| Fail::syntax(at, "the quantized axis is negative"))
            })
            .transpose()?;
        if !self.lexer.eat(",") {
            return Err(self.lexer.expected("',' and the scale of a quantized type"));
        }
        let pairs = if axis.is_some() {
            self.lexer.expect("{")?;
            let pairs = self.separated("}", Parser::scale_and_zero)?;
            self.lexer.expect(">")?;
            pairs
        } else {
            let one = self.scale_and_zero()?;
            self.lexer.expect(">")?;
            vec![one]
        };
        if pairs.is_empty() {
            return Err(Fail::syntax(at, "a quantized type needs a scale"));
        }
        let (scales, zero_points) = pairs.into_iter().unzip();
        Ok(ElementType::Quantized(Arc::new(QuantizedType {
            storage,
            storage_min,
            storage_max,
            expressed,
            axis,
            scales,
            zero_points,
        })))
    }

    fn scale_and_zero(&mut self) -> Parse<(f64, i64)> {
        let scale = self.float()?;
        let zero = if self.lexer.eat(":") {
            self.lexer.integer()?
        } else {
            0
        };
        Ok((scale, zero))
    }

    /// `(types) -> type` or `(types) -> (types)`.
    pub fn function_type(&mut self) -> Parse<FunctionType> {
        self.lexer.expect("(")?;
        let inputs = self.separated(")", Parser::ty)?;
        self.lexer.expect("->")?;
        Ok(FunctionType {
            inputs,
            results: self.result_types()?,
        })
    }

    /// One type, or a list in parentheses.
    pub fn result_types(&mut self) -> Parse<Vec<Type>> {
        if self.lexer.eat("(") {
            self.separated(")", Parser::ty)
        } else {
            Ok(vec![self.ty()?])
        }
    }

    /// Types separated by commas, at least one.
    pub fn type_list(&mut self) -> Parse<Vec<Type>> {
        let mut out = vec![self.ty()?];
        while self.lexer.eat(",") {
            out.push(self.ty()?);
        }
        Ok(out)
    }
}
