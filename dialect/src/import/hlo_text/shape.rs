//! Shapes of HLO text: `f32[2,<=3]{1,0:T(8,128)}`, `token[]`, `(f32[], s32[4])`.
//!
//! Of a layout, the order of dimensions and the tiles are kept; memory space, element size and the other annotations are not part of a value's
//! meaning and are dropped. The row-major layout without tiles is the default and becomes none.

use super::{MAX_NESTING, cursor::Cursor};
use crate::{
    error::Error,
    types::{Dim, ElementType, Layout, TensorType, Type},
};
use std::{collections::HashMap, sync::Arc};

/// Reads shapes; equal texts give one shared type.
#[derive(Default)]
pub struct Shapes<'a> {
    known: HashMap<&'a str, Type>,
}

impl<'a> Shapes<'a> {
    pub fn read(&mut self, c: &mut Cursor<'a>) -> Result<Type, Error> {
        self.nested(c, 0)
    }

    fn nested(&mut self, c: &mut Cursor<'a>, depth: usize) -> Result<Type, Error> {
        c.skip_blank();
        if c.byte() != b'(' {
            return self.array(c);
        }
        if depth > MAX_NESTING {
            return Err(c.expected("tuples nested less deeply"));
        }
        c.advance();
        let mut parts = vec![];
        while !c.eat(")") {
            if !parts.is_empty() {
                c.expect(",")?;
            }
            parts.push(self.nested(c, depth + 1)?);
        }
        Ok(Type::tuple(parts))
    }

    fn array(&mut self, c: &mut Cursor<'a>) -> Result<Type, Error> {
        let start = c.at();
        // The same text was read before: most shapes of a module.
        while c.byte().is_ascii_alphanumeric() {
            c.advance();
        }
        if c.byte() == b'[' {
            c.bracketed()?;
            if c.byte() == b'{' {
                c.bracketed()?;
            }
            if let Some(ty) = self.known.get(c.since(start)) {
                return Ok(ty.clone());
            }
        }
        c.rewind(start);
        let ty = array(c)?;
        self.known.insert(c.since(start), ty.clone());
        Ok(ty)
    }
}

/// Reads one shape.
pub fn read(c: &mut Cursor<'_>) -> Result<Type, Error> {
    Shapes::default().read(c)
}

fn array(c: &mut Cursor<'_>) -> Result<Type, Error> {
    let start = c.at();
    while c.byte().is_ascii_alphanumeric() {
        c.advance();
    }
    let name = c.since(start);
    if c.byte() != b'[' {
        c.rewind(start);
        return Err(c.expected("a shape"));
    }
    c.advance();
    if name == "token" {
        c.expect("]")?;
        return Ok(Type::Token);
    }
    let Some(element) = ElementType::from_hlo_name(name) else {
        return Err(Error::Unsupported {
            what: format!("HLO element type '{name}'"),
            location: c.location_of(start),
        });
    };
    let mut dims = vec![];
    while !c.eat("]") {
        if !dims.is_empty() {
            c.expect(",")?;
        }
        dims.push(dimension(c)?);
    }
    if !fits_memory(&dims) {
        return Err(c.error_at(start, format!("a shape of more than {} elements", i64::MAX)));
    }
    let layout = if c.byte() == b'{' {
        layout(c, dims.len())?
    } else {
        None
    };
    Ok(Type::Tensor(Arc::new(TensorType {
        dims,
        element,
        layout,
    })))
}

/// Whether the number of elements, empty dimensions aside, can be counted.
pub fn fits_memory(dims: &[Dim]) -> bool {
    let size = |d: &Dim| match d {
        Dim::Static(n) | Dim::Dynamic { bound: Some(n) } => (*n).max(1),
        Dim::Dynamic { bound: None } => 1,
    };
    dims.iter()
        .try_fold(1u64, |n, d| n.checked_mul(size(d)))
        .is_some_and(|n| i64::try_from(n).is_ok())
}

fn dimension(c: &mut Cursor<'_>) -> Result<Dim, Error> {
    if c.eat("?") {
        return Ok(Dim::Dynamic { bound: None });
    }
    let dynamic = c.eat("<=");
    if dynamic && c.eat("?") {
        return Ok(Dim::Dynamic { bound: None });
    }
    let at = c.at();
    let size = c.int()?;
    let size = u64::try_from(size).map_err(|_| c.error_at(at, "a dimension cannot be negative"))?;
    Ok(if dynamic {
        Dim::Dynamic { bound: Some(size) }
    } else {
        Dim::Static(size)
    })
}

/// `{1,0:T(8,128)(2,1)S(1)}`; none when it is row-major without tiles.
pub fn layout(c: &mut Cursor<'_>, rank: usize) -> Result<Option<Layout>, Error> {
    let start = c.at();
    c.expect("{")?;
    let mut minor_to_major: Vec<u64> = vec![];
    while c.byte().is_ascii_digit() || c.byte() == b',' {
        if c.byte() == b',' {
            c.advance();
        }
        let at = c.at();
        let d = c.int()?;
        match u64::try_from(d) {
            Ok(d) if (d as usize) < rank && !minor_to_major.contains(&d) => minor_to_major.push(d),
            _ => {
                return Err(c.error_at(
                    at,
                    format!("layout entry {d} must be below rank {rank} and unique"),
                ));
            }
        }
    }
    if minor_to_major.len() != rank {
        return Err(c.error_at(
            start,
            format!("a layout of a shape of rank {rank} needs {rank} entries"),
        ));
    }
    let mut tiles = vec![];
    if c.eat(":") {
        while !matches!(c.byte(), b'}' | 0) {
            let kind = c.byte();
            c.advance();
            let mut first = true;
            while c.byte() == b'(' && (first || kind == b'T') {
                first = false;
                let at = c.at();
                let text = c.bracketed()?;
                if kind == b'T' {
                    tiles.push(
                        tile(text)
                            .ok_or_else(|| c.error_at(at, "expected a tile such as (8,128)"))?,
                    );
                }
            }
        }
    }
    c.expect("}")?;
    let row_major = minor_to_major
        .iter()
        .rev()
        .enumerate()
        .all(|(i, d)| i as u64 == *d);
    if row_major && tiles.is_empty() {
        return Ok(None);
    }
    Ok(Some(Layout {
        minor_to_major,
        tiles,
    }))
}

/// `(8,128)`; `*` (combine with the next dimension) is XLA's marker -1 and has no place in a tile of sizes.
fn tile(text: &str) -> Option<Vec<u64>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    inner.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// The leaves of a type in order: tensors and tokens.
pub fn flatten(ty: &Type, out: &mut Vec<Type>) {
    match ty {
        Type::Tensor(_) | Type::Token => out.push(ty.clone()),
        Type::Tuple(parts) => parts.iter().for_each(|p| flatten(p, out)),
    }
}

/// Number of leaves of a type.
pub fn leaves(ty: &Type) -> usize {
    match ty {
        Type::Tensor(_) | Type::Token => 1,
        Type::Tuple(parts) => parts.iter().map(leaves).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::cursor::{Origin, Source},
        *,
    };

    fn parse(text: &str) -> Result<Type, Error> {
        let source = Source::new(text, "t");
        read(&mut Cursor::new(text, Origin::Text(&source, 0)))
    }

    #[test]
    fn layouts_and_bounds() {
        let t = parse("f32[2,<=3]{0,1:T(8,128)(2,1)S(1)}").unwrap();
        let t = t.as_tensor().unwrap();
        assert_eq!(t.dims, [Dim::Static(2), Dim::Dynamic { bound: Some(3) }]);
        let layout = Layout {
            minor_to_major: vec![0, 1],
            tiles: vec![vec![8, 128], vec![2, 1]],
        };
        assert_eq!(t.layout, Some(layout));
        assert_eq!(
            parse("f32[2,3]{1,0}").unwrap(),
            Type::tensor([2, 3], ElementType::F32)
        );
        assert_eq!(
            parse("s4[5]{0:E(4)}").unwrap(),
            Type::tensor([5], ElementType::I4)
        );
        let nested = parse("(f32[], /*index=1*/(token[], pred[1]{0}))").unwrap();
        assert_eq!(leaves(&nested), 3);
    }

    #[test]
    fn wrong_shapes_are_located() {
        for (text, message) in [
            (
                "f32[2]{1}",
                "t:1:8: layout entry 1 must be below rank 1 and unique",
            ),
            ("f32[-2]", "t:1:5: a dimension cannot be negative"),
            ("f32[2", "t:1:4: this bracket is never closed"),
            (
                "opaque[]",
                "unsupported: HLO element type 'opaque' at t:1:1",
            ),
            ("7", "t:1:1: expected a shape, found `7`"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }
}
