//! Values of HLO attributes: lists, windows, dimension labels, padding, ranges, device groups.

use super::{
    cursor::Cursor,
    mesh::{self, MAX_DEVICES},
};
use crate::error::Error;
use std::borrow::Cow;

/// `name=value` of an instruction or module, the value still as text.
#[derive(Debug, Clone)]
pub struct Attribute<'a> {
    pub name: Cow<'a, str>,
    pub value: Cow<'a, str>,
    /// Offset of the value in the module's text, where it stands in one.
    pub offset: Option<usize>,
}

/// Items in braces.
pub fn list<'a, T>(
    c: &mut Cursor<'a>,
    mut item: impl FnMut(&mut Cursor<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut out = vec![];
    c.expect("{")?;
    while !c.eat("}") {
        if !out.is_empty() {
            c.expect(",")?;
        }
        out.push(item(c)?);
    }
    Ok(out)
}

pub fn ints(c: &mut Cursor<'_>) -> Result<Vec<i64>, Error> {
    list(c, Cursor::int)
}

pub fn boolean(c: &mut Cursor<'_>) -> Result<bool, Error> {
    let at = c.at();
    match c.word() {
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(_) | None => {
            c.rewind(at);
            Err(c.expected("true or false"))
        }
    }
}

/// `name` or `{name, name}`.
pub fn names<'a>(c: &mut Cursor<'a>) -> Result<Vec<&'a str>, Error> {
    c.skip_blank();
    if c.byte() == b'{' {
        list(c, |c| c.name("a computation"))
    } else {
        Ok(vec![c.name("a computation")?])
    }
}

/// Numbers separated by `x`, each read by `item`.
fn crossed<'a, T>(
    c: &mut Cursor<'a>,
    mut item: impl FnMut(&mut Cursor<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut out = vec![item(c)?];
    while c.byte() == b'x' {
        c.advance();
        out.push(item(c)?);
    }
    Ok(out)
}

/// A window as `reduce-window` and `convolution` have it; one entry a dimension.
#[derive(Debug, Default, PartialEq)]
pub struct Window {
    pub size: Vec<i64>,
    pub stride: Vec<i64>,
    /// (low, high) pairs, flat.
    pub padding: Vec<i64>,
    pub base_dilation: Vec<i64>,
    pub window_dilation: Vec<i64>,
    pub reversal: Vec<bool>,
}

/// `{size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1}`
pub fn window(c: &mut Cursor<'_>) -> Result<Window, Error> {
    let mut out = Window::default();
    c.expect("{")?;
    while !c.eat("}") {
        let at = c.at();
        let key = c.expect_word("a field of the window")?;
        c.expect("=")?;
        match key {
            "size" => out.size = crossed(c, Cursor::int)?,
            "stride" => out.stride = crossed(c, Cursor::int)?,
            "pad" => {
                out.padding = crossed(c, |c| pair(c, "_"))?
                    .into_iter()
                    .flat_map(|(low, high)| [low, high])
                    .collect()
            }
            "lhs_dilate" => out.base_dilation = crossed(c, Cursor::int)?,
            "rhs_dilate" => out.window_dilation = crossed(c, Cursor::int)?,
            "rhs_reversal" => out.reversal = crossed(c, |c| Ok(c.int()? != 0))?,
            _ => return Err(c.error_at(at, format!("unknown field '{key}' of a window"))),
        }
    }
    let rank = out.size.len();
    let fill = |list: &mut Vec<i64>, value: i64, count: usize| {
        if list.is_empty() {
            list.resize(count, value);
        }
    };
    fill(&mut out.stride, 1, rank);
    fill(&mut out.padding, 0, 2 * rank);
    fill(&mut out.base_dilation, 1, rank);
    fill(&mut out.window_dilation, 1, rank);
    if out.reversal.is_empty() {
        out.reversal.resize(rank, false);
    }
    let lengths = [
        out.stride.len(),
        out.padding.len() / 2,
        out.base_dilation.len(),
        out.window_dilation.len(),
        out.reversal.len(),
    ];
    if lengths.iter().any(|n| *n != rank) {
        return Err(c.error_at(
            0,
            format!("every field of this window needs {rank} entries"),
        ));
    }
    Ok(out)
}

/// `1_2` as (1, 2).
fn pair(c: &mut Cursor<'_>, separator: &str) -> Result<(i64, i64), Error> {
    let low = c.int()?;
    c.expect(separator)?;
    Ok((low, c.int()?))
}

/// Low, high and interior padding of each dimension.
#[derive(Debug, Default, PartialEq)]
pub struct Padding {
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    pub interior: Vec<i64>,
}

/// `0_1x2_3_4`: low_high or low_high_interior of each dimension; empty for a scalar.
pub fn padding(c: &mut Cursor<'_>) -> Result<Padding, Error> {
    let mut out = Padding::default();
    for (low, high, interior) in crossed(c, |c| {
        let (low, high) = pair(c, "_")?;
        let interior = if c.eat("_") { c.int()? } else { 0 };
        Ok((low, high, interior))
    })? {
        out.low.push(low);
        out.high.push(high);
        out.interior.push(interior);
    }
    Ok(out)
}

/// `{[0:4], [1:9:2]}` as starts, limits, strides.
pub fn ranges(c: &mut Cursor<'_>) -> Result<[Vec<i64>; 3], Error> {
    let mut out = [vec![], vec![], vec![]];
    for range in list(c, |c| {
        c.expect("[")?;
        let start = c.int()?;
        c.expect(":")?;
        let limit = c.int()?;
        let stride = if c.eat(":") { c.int()? } else { 1 };
        c.expect("]")?;
        Ok([start, limit, stride])
    })? {
        out.iter_mut()
            .zip(range)
            .for_each(|(list, value)| list.push(value));
    }
    Ok(out)
}

/// Places of batch (or input feature), feature (or output feature) and spatial dimensions in one tensor.
#[derive(Debug, Default, PartialEq)]
pub struct Labels {
    pub first: i64,
    pub second: i64,
    pub spatial: Vec<i64>,
}

/// `b01f_01io->b01f`: labels of input, kernel, output.
pub fn dimension_labels(c: &mut Cursor<'_>) -> Result<[Labels; 3], Error> {
    c.skip_blank();
    let at = c.at();
    let text = c.value()?;
    let wrong = || c.error_at(at, "expected dimension labels such as b01f_01io->b01f");
    let (left, output) = text.split_once("->").ok_or_else(wrong)?;
    let (input, kernel) = left.split_once('_').ok_or_else(wrong)?;
    let read = |text: &str, first: char, second: char| -> Option<Labels> {
        let mut spatial: Vec<Option<i64>> = vec![None; text.len().checked_sub(2)?];
        let (mut a, mut b) = (None, None);
        for (place, letter) in text.chars().enumerate() {
            let slot = if letter == first {
                &mut a
            } else if letter == second {
                &mut b
            } else {
                spatial.get_mut(letter.to_digit(10)? as usize)?
            };
            if slot.replace(place as i64).is_some() {
                return None;
            }
        }
        Some(Labels {
            first: a?,
            second: b?,
            spatial: spatial.into_iter().collect::<Option<_>>()?,
        })
    };
    match (
        read(input, 'b', 'f'),
        read(kernel, 'i', 'o'),
        read(output, 'b', 'f'),
    ) {
        (Some(i), Some(k), Some(o)) => Ok([i, k, o]),
        (_, _, _) => Err(wrong()),
    }
}

/// `{{0,1},{2,3}}`, or `[2,2]<=[4]` and `[2,2]<=[2,2]T(1,0)`: the rows of the reshaped (transposed) numbers 0, 1, ..
pub fn groups(c: &mut Cursor<'_>) -> Result<Vec<Vec<i64>>, Error> {
    c.skip_blank();
    if c.byte() == b'{' {
        return list(c, ints);
    }
    let at = c.at();
    if c.byte() != b'[' {
        return mesh::groups(c);
    }
    let shape = bracketed_ints(c)?;
    c.expect("<=")?;
    let dims = bracketed_ints(c)?;
    let order: Vec<i64> = if c.eat("T") {
        c.expect("(")?;
        let mut order = vec![];
        while !c.eat(")") {
            if !order.is_empty() {
                c.expect(",")?;
            }
            order.push(c.int()?);
        }
        order
    } else {
        (0..dims.len() as i64).collect()
    };
    let wrong = || {
        c.error_at(
            at,
            "expected device groups such as [2,4]<=[8] or [2,4]<=[4,2]T(1,0)",
        )
    };
    let count = |list: &[i64]| {
        list.iter().try_fold(1i64, |n, d| {
            n.checked_mul(*d).filter(|n| *d > 0 && *n <= MAX_DEVICES)
        })
    };
    let (Some(devices), Some(same), [_, width]) = (count(&dims), count(&shape), &shape[..]) else {
        return Err(wrong());
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if devices != same
        || sorted.iter().enumerate().any(|(i, d)| i as i64 != *d)
        || order.len() != dims.len()
    {
        return Err(wrong());
    }
    let order: Vec<usize> = order.iter().map(|d| *d as usize).collect();
    let all = mesh::transposed(&dims, &order);
    Ok(all.chunks(*width as usize).map(<[i64]>::to_vec).collect())
}

fn bracketed_ints(c: &mut Cursor<'_>) -> Result<Vec<i64>, Error> {
    c.expect("[")?;
    let mut out = vec![];
    while !c.eat("]") {
        if !out.is_empty() {
            c.expect(",")?;
        }
        out.push(c.int()?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{
        super::cursor::{Origin, Source},
        *,
    };

    fn read<T>(
        text: &str,
        with: impl Fn(&mut Cursor<'_>) -> Result<T, Error>,
    ) -> Result<T, String> {
        let source = Source::new(text, "t");
        with(&mut Cursor::new(text, Origin::Text(&source, 0))).map_err(|e| e.to_string())
    }

    #[test]
    fn windows_fill_their_defaults() {
        let w = read("{size=1x3 pad=0_0x1_-2}", window).unwrap();
        assert_eq!((w.size, w.padding), (vec![1, 3], vec![0, 0, 1, -2]));
        assert_eq!((w.stride, w.reversal), (vec![1, 1], vec![false, false]));
        assert_eq!(
            read("{size=1x3 stride=2}", window).unwrap_err(),
            "t:1:1: every field of this window needs 2 entries"
        );
    }

    #[test]
    fn labels_give_places() {
        let [input, kernel, output] = read("bf01_oi10->b0f1", dimension_labels).unwrap();
        assert_eq!(
            input,
            Labels {
                first: 0,
                second: 1,
                spatial: vec![2, 3]
            }
        );
        assert_eq!(
            kernel,
            Labels {
                first: 1,
                second: 0,
                spatial: vec![3, 2]
            }
        );
        assert_eq!(
            output,
            Labels {
                first: 0,
                second: 2,
                spatial: vec![1, 3]
            }
        );
        assert!(read("b0f_oi->bf", dimension_labels).is_ok());
        assert!(read("b1f_oi->bf", dimension_labels).is_err());
    }

    #[test]
    fn device_groups_in_both_forms() {
        assert_eq!(read("{{0,1},{2}}", groups).unwrap(), [vec![0, 1], vec![2]]);
        assert_eq!(read("[2,2]<=[4]", groups).unwrap(), [[0, 1], [2, 3]]);
        assert_eq!(
            read("[2,2]<=[2,2]T(1,0)", groups).unwrap(),
            [[0, 2], [1, 3]]
        );
        assert!(read("[2,2]<=[5]", groups).is_err());
        assert!(read("[0,0]<=[0]", groups).is_err());
    }

    #[test]
    fn padding_and_ranges() {
        let p = read("0_1x2_3_4", padding).unwrap();
        assert_eq!(
            (p.low, p.high, p.interior),
            (vec![0, 2], vec![1, 3], vec![0, 4])
        );
        assert_eq!(
            read("{[0:4], [1:9:2]}", ranges).unwrap(),
            [vec![0, 1], vec![4, 9], vec![1, 2]]
        );
    }
}
