//! Device groups as axes of a mesh: `mesh['x'=2,'y'=4] {'y'}`, with `, device_ids=([4,2]T(1,0))` or `, device_ids=(0,2,..)` between them.

use super::cursor::Cursor;
use crate::error::Error;

/// Most devices of a process grid that is read.
pub const MAX_DEVICES: i64 = 1 << 20;

/// Reads on past what belongs to a mesh whose `mesh[..]` has been read.
pub fn skip_rest(c: &mut Cursor<'_>) -> Result<(), Error> {
    let at = c.at();
    if c.eat(",") && c.eat_word("device_ids") {
        c.expect("=")?;
        c.skip_blank();
        c.bracketed()?;
    } else {
        c.rewind(at);
    }
    let at = c.at();
    c.skip_blank();
    if c.byte() == b'{' {
        c.bracketed()?;
    } else {
        c.rewind(at);
    }
    Ok(())
}

/// An axis of a mesh, or of what one is split into.
struct Axis {
    size: i64,
    /// Where it stands among the axes that the devices of a group differ in.
    place: Option<usize>,
}

/// The groups: devices that differ in the named axes only, the last named axis fastest; groups in the order of the other axes.
pub fn groups(c: &mut Cursor<'_>) -> Result<Vec<Vec<i64>>, Error> {
    let start = c.at();
    c.expect("mesh")?;
    let mut names = vec![];
    let mut sizes = vec![];
    c.expect("[")?;
    while !c.eat("]") {
        if !names.is_empty() {
            c.expect(",")?;
        }
        names.push(name(c)?);
        c.expect("=")?;
        sizes.push(c.int()?);
    }
    let wrong = |c: &Cursor<'_>| {
        c.error_at(
            start,
            "expected device groups such as mesh['x'=2,'y'=4] {'y'}",
        )
    };
    let count = |sizes: &[i64]| {
        sizes.iter().try_fold(1i64, |n, d| {
            n.checked_mul(*d).filter(|n| *d > 0 && *n <= MAX_DEVICES)
        })
    };
    let devices = count(&sizes).ok_or_else(|| wrong(c))?;
    let ids = if c.eat(",") {
        if !c.eat_word("device_ids") {
            return Err(c.expected("`device_ids=`"));
        }
        c.expect("=")?;
        device_ids(c)?
    } else {
        (0..devices).collect()
    };
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..devices) {
        return Err(wrong(c));
    }
    let mut axes: Vec<Vec<Axis>> = sizes
        .iter()
        .map(|size| {
            vec![Axis {
                size: *size,
                place: None,
            }]
        })
        .collect();
    let mut named = 0;
    c.expect("{")?;
    while !c.eat("}") {
        if named > 0 {
            c.expect(",")?;
        }
        let axis = name(c)?;
        let Some(i) = names.iter().position(|n| *n == axis) else {
            return Err(c.error_at(start, format!("the mesh has no axis '{axis}'")));
        };
        let (before, size) = match c.eat(":") {
            true => {
                c.expect("(")?;
                let before = c.int()?;
                c.expect(")")?;
                (before, c.int()?)
            }
            false => (1, sizes[i]),
        };
        let whole = before
            .checked_mul(size)
            .filter(|n| before > 0 && size > 0 && sizes[i] % *n == 0);
        let (Some(whole), [Axis { place: None, .. }]) = (whole, &axes[i][..]) else {
            return Err(wrong(c));
        };
        axes[i] = [
            (before, None),
            (size, Some(named)),
            (sizes[i] / whole, None),
        ]
        .into_iter()
        .map(|(size, place)| Axis { size, place })
        .collect();
        named += 1;
    }
    let axes: Vec<Axis> = axes.into_iter().flatten().collect();
    Ok(grouped(&axes, named, &ids))
}

fn grouped(axes: &[Axis], named: usize, ids: &[i64]) -> Vec<Vec<i64>> {
    let mut in_order: Vec<usize> = (0..axes.len())
        .filter(|i| axes[*i].place.is_none())
        .collect();
    in_order.extend((0..named).filter_map(|p| axes.iter().position(|a| a.place == Some(p))));
    let sizes: Vec<i64> = axes.iter().map(|a| a.size).collect();
    let width: i64 = axes
        .iter()
        .filter(|a| a.place.is_some())
        .map(|a| a.size)
        .product();
    let all: Vec<i64> = transposed(&sizes, &in_order)
        .iter()
        .filter_map(|n| ids.get(*n as usize).copied())
        .collect();
    all.chunks(width.max(1) as usize)
        .map(<[i64]>::to_vec)
        .collect()
}

/// The numbers 0.. as an array of these sizes, its axes in the order given, row-major.
pub fn transposed(sizes: &[i64], order: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; sizes.len()];
    for d in (1..sizes.len()).rev() {
        strides[d - 1] = strides[d] * sizes[d];
    }
    let at = |mut n: i64| {
        let mut at = 0;
        for d in order.iter().rev() {
            at += n % sizes[*d] * strides[*d];
            n /= sizes[*d];
        }
        at
    };
    let all: i64 = sizes.iter().product();
    (0..all).map(at).collect()
}

fn name(c: &mut Cursor<'_>) -> Result<String, Error> {
    c.expect("'")?;
    let name = c.expect_word("an axis's name")?.to_string();
    c.expect("'")?;
    Ok(name)
}

/// `(0,2,1,3)` or `([2,2]T(1,0))`
fn device_ids(c: &mut Cursor<'_>) -> Result<Vec<i64>, Error> {
    let at = c.at();
    c.expect("(")?;
    if c.eat("[") {
        let sizes = until(c, "]")?;
        let order = match c.eat("T") {
            true => {
                c.expect("(")?;
                until(c, ")")?
            }
            false => (0..sizes.len() as i64).collect(),
        };
        c.expect(")")?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let count = sizes.iter().try_fold(1i64, |n, d| {
            n.checked_mul(*d).filter(|n| *d > 0 && *n <= MAX_DEVICES)
        });
        if count.is_none() || !sorted.iter().copied().eq(0..sizes.len() as i64) {
            return Err(c.error_at(at, "expected device ids such as ([4,2]T(1,0))"));
        }
        let order: Vec<usize> = order.iter().map(|d| *d as usize).collect();
        return Ok(transposed(&sizes, &order));
    }
    until(c, ")")
}

/// Integers up to a bracket.
fn until(c: &mut Cursor<'_>, close: &str) -> Result<Vec<i64>, Error> {
    let mut out = vec![];
    while !c.eat(close) {
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

    fn read(text: &str) -> Result<Vec<Vec<i64>>, String> {
        let source = Source::new(text, "t");
        let mut c = Cursor::new(text, Origin::Text(&source, 0));
        groups(&mut c).map_err(|e| e.to_string())
    }

    #[test]
    fn axes_that_vary_make_a_group() {
        let got = read("mesh['x'=2,'y'=2] {'y'}").unwrap();
        assert_eq!(got, [[0, 1], [2, 3]]);
        let got = read("mesh['x'=2,'y'=2] {'x'}").unwrap();
        assert_eq!(got, [[0, 2], [1, 3]]);
        let got = read("mesh['x'=2,'y'=2] {'y','x'}").unwrap();
        assert_eq!(got, [[0, 2, 1, 3]]);
        let got = read("mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}").unwrap();
        assert_eq!(got, [[0, 2], [1, 3]]);
        let got = read("mesh['x'=4], device_ids=(3,1,2,0) {}").unwrap();
        assert_eq!(got, [[3], [1], [2], [0]]);
        // The slower half of an axis of four.
        let got = read("mesh['x'=4] {'x':(1)2}").unwrap();
        assert_eq!(got, [[0, 2], [1, 3]]);
    }

    #[test]
    fn what_is_no_mesh_is_told() {
        for text in [
            "mesh['x'=2] {'z'}",
            "mesh['x'=2], device_ids=(0,0) {'x'}",
            "mesh['x'=0] {'x'}",
            "mesh['x'=4] {'x':(3)2}",
            "mesh['x'=2] {'x','x'}",
            "mesh['x'=2], device_ids=([2]T(1)) {'x'}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
