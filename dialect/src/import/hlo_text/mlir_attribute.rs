//! The small part of MLIR's attribute syntax that HLO text carries: composite attributes and the options of typed custom calls.

use super::{MAX_NESTING, cursor::Cursor};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    literal::Literal,
    tensor::Tensor,
    types::ElementType,
};

/// `{name = value, unit, "quoted" = value}`
pub fn dictionary(c: &mut Cursor<'_>) -> Result<Attributes, Error> {
    nested_dictionary(c, 0)
}

fn nested_dictionary(c: &mut Cursor<'_>, depth: usize) -> Result<Attributes, Error> {
    let mut out = Attributes::new();
    c.expect("{")?;
    while !c.eat("}") {
        if !out.is_empty() {
            c.expect(",")?;
        }
        c.skip_blank();
        let name = if c.byte() == b'"' {
            c.string()?
        } else {
            c.expect_word("an attribute's name")?.to_string()
        };
        let value = if c.eat("=") {
            value(c, depth + 1)?
        } else {
            Attribute::Unit
        };
        out.0.insert(name, value);
    }
    Ok(out)
}

fn value(c: &mut Cursor<'_>, depth: usize) -> Result<Attribute, Error> {
    if depth > MAX_NESTING {
        return Err(c.expected("attributes nested less deeply"));
    }
    c.skip_blank();
    match c.byte() {
        b'"' => return Ok(Attribute::Str(c.string()?)),
        b'{' => return Ok(Attribute::Dict(nested_dictionary(c, depth)?)),
        b'[' => return Ok(Attribute::Array(items(c, "[", "]", depth)?)),
        b'@' => {
            c.advance();
            return Ok(Attribute::Symbol(c.expect_word("a symbol")?.to_string()));
        }
        _ => {}
    }
    let start = c.at();
    let word = c.expect_word("an attribute")?;
    match word {
        "true" => return Ok(Attribute::Bool(true)),
        "false" => return Ok(Attribute::Bool(false)),
        "unit" => return Ok(Attribute::Unit),
        "array" => return array(c),
        _ => {}
    }
    // A float may have an exponent with a sign, which ends a word.
    if word.ends_with(['e', 'E']) && c.byte() == b'+' {
        c.advance();
        c.word();
    }
    let number = c.since(start).trim();
    let is_float =
        number.contains('.') || (number.contains(['e', 'E']) && !number.starts_with("0x"));
    let ty = if c.eat(":") {
        Some(c.expect_word("a type")?)
    } else {
        None
    };
    let float_type = ty.is_some_and(|t| t.starts_with('f') || t.starts_with("bf"));
    let hexadecimal = number
        .strip_prefix("0x")
        .and_then(|d| u64::from_str_radix(d, 16).ok());
    let parsed = match (hexadecimal, ty) {
        (Some(bits), Some("f32")) => Some(f64::from(f32::from_bits(bits as u32)).into()),
        (Some(bits), Some("f64") | None) if float_type => Some(f64::from_bits(bits).into()),
        (Some(bits), _) => Some(Attribute::Int(bits as i64)),
        (None, _) if is_float || float_type => number.parse::<f64>().ok().map(Attribute::from),
        // The full range of u64, wrapped.
        (None, _) => number
            .parse::<i64>()
            .ok()
            .or_else(|| number.parse::<u64>().ok().map(|v| v as i64))
            .map(Attribute::Int),
    };
    match parsed {
        Some(parsed) => Ok(sized(parsed, ty)),
        None => {
            c.rewind(start);
            Err(c.expected("an attribute"))
        }
    }
}

/// A number with its type where that is not the 64-bit one: the receiver of a typed call looks at it.
fn sized(number: Attribute, ty: Option<&str>) -> Attribute {
    let element = ty.and_then(ElementType::from_mlir_name);
    let Some(element) = element.filter(|e| !matches!(e, ElementType::I64 | ElementType::F64))
    else {
        return number;
    };
    let scalar = match &number {
        Attribute::Int(v) if element.is_integer() => Tensor::from_i64s(&[], &element, &[*v]),
        Attribute::Float(bits) if element.is_float() => {
            Tensor::from_f64s(&[], &element, &[f64::from_bits(*bits)])
        }
        _ => return number,
    };
    Attribute::Literal(Literal::from_tensor(&scalar))
}

fn items(
    c: &mut Cursor<'_>,
    open: &str,
    close: &str,
    depth: usize,
) -> Result<Vec<Attribute>, Error> {
    let mut out = vec![];
    c.expect(open)?;
    while !c.eat(close) {
        if !out.is_empty() {
            c.expect(",")?;
        }
        out.push(value(c, depth + 1)?);
    }
    Ok(out)
}

/// `array<i64: 1, 2>`
fn array(c: &mut Cursor<'_>) -> Result<Attribute, Error> {
    let at = c.at();
    c.expect("<")?;
    let ty = c.expect_word("a type")?;
    let mut out = vec![];
    if c.eat(":") {
        loop {
            out.push(value(c, 0)?);
            if !c.eat(",") {
                break;
            }
        }
    }
    c.expect(">")?;
    let ints: Option<Vec<i64>> = out
        .iter()
        .map(|a| {
            if let Attribute::Int(v) = a {
                Some(*v)
            } else {
                None
            }
        })
        .collect();
    let bools: Option<Vec<bool>> = out
        .iter()
        .map(|a| {
            if let Attribute::Bool(v) = a {
                Some(*v)
            } else {
                None
            }
        })
        .collect();
    match (ty, ints, bools) {
        ("i1", _, Some(bools)) => Ok(Attribute::Bools(bools)),
        (_, Some(ints), _) => Ok(Attribute::Ints(ints)),
        (_, _, _) if ty.starts_with('f') => Ok(Attribute::Array(out)),
        (_, _, _) => Err(c.error_at(at, "expected an array of integers, booleans or floats")),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::cursor::{Origin, Source},
        *,
    };

    #[test]
    fn values_of_every_kind() {
        let text = r#"{eps = 1.000000e-05 : f32, big = 1.5e+10 : f64, n = -3 : i64, on = true, name = "a,b", list = [1 : i32, {x}], a = array<i64: 1, 2>, none = array<i64>}"#;
        let source = Source::new(text, "t");
        let got = dictionary(&mut Cursor::new(text, Origin::Text(&source, 0))).unwrap();
        let scalar = |e: &ElementType, v: f64| {
            Attribute::Literal(Literal::from_tensor(&Tensor::from_f64s(&[], e, &[v])))
        };
        let list = vec![
            scalar(&ElementType::I32, 1.0),
            Attribute::Dict(Attributes::new().with("x", Attribute::Unit)),
        ];
        let want = Attributes::new()
            .with("eps", scalar(&ElementType::F32, 1e-5))
            .with("big", 1.5e10)
            .with("n", -3)
            .with("on", true)
            .with("name", "a,b")
            .with("list", list)
            .with("a", vec![1i64, 2])
            .with("none", Vec::<i64>::new());
        assert_eq!(got, want);
    }
}
