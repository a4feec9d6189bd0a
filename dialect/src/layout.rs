//! Where the elements of a tensor lie in memory: XLA's meaning of `minor_to_major` and `tiles` (openxla.org/xla/tiled_layout).
//!
//! Physical dimensions are the dimensions from major to minor. A tile of k sizes divides the last k of them: each becomes the number of tiles (rounded up)
//! and the place in the tile, the numbers of tiles first. Further tiles divide what the ones before made.

use crate::types::{Layout, TensorType};

/// One digit of an address, from major to minor, as a function of the element's number in the untiled physical order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digit {
    /// number / stride % count.
    Exact { stride: u64, count: u64 },
    /// The dimension is filled up: number / stride % size / divisor % count.
    Padded {
        stride: u64,
        size: u64,
        divisor: u64,
        count: u64,
    },
}

impl Digit {
    /// This digit as the number of tiles of `tile` and the place in a tile.
    fn tiled(self, tile: u64) -> Option<(Digit, Digit)> {
        match self {
            Digit::Exact { stride, count } if count.is_multiple_of(tile) => Some((
                Digit::Exact {
                    stride: stride.checked_mul(tile)?,
                    count: count / tile,
                },
                Digit::Exact {
                    stride,
                    count: tile,
                },
            )),
            Digit::Exact { stride, count } => {
                // An index of a dimension of size 1 is 0, whatever its stride.
                let stride = if count == 1 { 0 } else { stride };
                Some((
                    Digit::Padded {
                        stride,
                        size: count,
                        divisor: tile,
                        count: count.div_ceil(tile),
                    },
                    Digit::Padded {
                        stride,
                        size: count,
                        divisor: 1,
                        count: tile,
                    },
                ))
            }
            Digit::Padded {
                stride,
                size,
                divisor,
                count,
            } if count.is_multiple_of(tile) => Some((
                Digit::Padded {
                    stride,
                    size,
                    divisor: divisor.checked_mul(tile)?,
                    count: count / tile,
                },
                Digit::Padded {
                    stride,
                    size,
                    divisor,
                    count: tile,
                },
            )),
            Digit::Padded { .. } => None,
        }
    }

    fn count(self) -> u64 {
        match self {
            Digit::Exact { count, .. } | Digit::Padded { count, .. } => count,
        }
    }
}

/// The digits of the addresses of a tensor in `layout`; none for dynamic sizes, for a layout that does not fit, and for tiles that do not divide their tiles.
fn digits(ty: &TensorType, layout: &Layout) -> Option<Vec<Digit>> {
    let dims = ty.static_dims()?;
    if layout.minor_to_major.len() != dims.len() {
        return None;
    }
    let mut out: Vec<Digit> = vec![];
    let mut stride = 1u64;
    for d in &layout.minor_to_major {
        let count = *dims.get(*d as usize)?;
        out.insert(0, Digit::Exact { stride, count });
        stride = stride.checked_mul(count.max(1))?;
    }
    for tile in &layout.tiles {
        while out.len() < tile.len() {
            out.insert(0, Digit::Exact { stride, count: 1 });
        }
        let within = out.split_off(out.len() - tile.len());
        let pairs: Vec<(Digit, Digit)> = within
            .into_iter()
            .zip(tile)
            .map(|(digit, size)| digit.tiled((*size).max(1)))
            .collect::<Option<_>>()?;
        let (tiles, places): (Vec<Digit>, Vec<Digit>) = pairs.into_iter().unzip();
        out.extend(tiles);
        out.extend(places);
    }
    Some(merged(out))
}

/// The same addresses in as few digits as possible.
fn merged(digits: Vec<Digit>) -> Vec<Digit> {
    let mut out: Vec<Digit> = vec![];
    for digit in digits.into_iter().filter(|d| d.count() != 1) {
        match (out.last_mut(), digit) {
            (
                Some(Digit::Exact { stride, count }),
                Digit::Exact {
                    stride: s,
                    count: n,
                },
            ) if Some(*stride) == s.checked_mul(n) => {
                (*stride, *count) = (s, *count * n);
            }
            (_, digit) => out.push(digit),
        }
    }
    out
}

/// Whether element n of `a`, in the order of its layout without tiles, lies where element n of `b` does, for every n. False where it cannot be told.
pub fn same_addresses(a: (&TensorType, &Layout), b: (&TensorType, &Layout)) -> bool {
    match (digits(a.0, a.1), digits(b.0, b.1)) {
        (Some(a), Some(b)) => a == b,
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ElementType;

    fn same(a: (&[u64], &[u64], &[&[u64]]), b: (&[u64], &[u64], &[&[u64]])) -> bool {
        let make = |(dims, order, tiles): (&[u64], &[u64], &[&[u64]])| {
            let layout = Layout {
                minor_to_major: order.to_vec(),
                tiles: tiles.iter().map(|t| t.to_vec()).collect(),
            };
            (
                TensorType::new(dims.iter().copied(), ElementType::F32),
                layout,
            )
        };
        let ((t, l), (u, m)) = (make(a), make(b));
        same_addresses((&t, &l), (&u, &m))
    }

    /// The address of element `n` as the header says, element by element.
    fn address(dims: &[u64], tiles: &[&[u64]], n: u64) -> u64 {
        let mut index: Vec<u64> = vec![];
        let mut rest = n;
        for d in dims.iter().rev() {
            index.insert(0, rest % d);
            rest /= d;
        }
        let mut sizes = dims.to_vec();
        for tile in tiles {
            while sizes.len() < tile.len() {
                sizes.insert(0, 1);
                index.insert(0, 0);
            }
            let from = sizes.len() - tile.len();
            let (s, i) = (sizes.split_off(from), index.split_off(from));
            sizes.extend(s.iter().zip(*tile).map(|(s, t)| s.div_ceil(*t)));
            index.extend(i.iter().zip(*tile).map(|(i, t)| i / t));
            sizes.extend(*tile);
            index.extend(i.iter().zip(*tile).map(|(i, t)| i % t));
        }
        sizes.iter().zip(&index).fold(0, |a, (s, i)| a * s + i)
    }

    #[test]
    fn digits_say_what_the_addresses_are() {
        let shapes: [&[u64]; 12] = [
            &[48],
            &[6, 8],
            &[8, 6],
            &[2, 3, 8],
            &[1, 6, 8],
            &[6, 1, 8],
            &[6, 8, 1],
            &[3, 16],
            &[16, 3],
            &[12, 4],
            &[4, 3, 4],
            &[2, 24],
        ];
        let tilings: [&[&[u64]]; 6] = [
            &[],
            &[&[2, 4]],
            &[&[4, 4]],
            &[&[4, 8], &[2, 1]],
            &[&[8]],
            &[&[1, 8]],
        ];
        let mut both = [0, 0];
        for a in shapes {
            for b in shapes {
                for s in tilings {
                    for t in tilings {
                        let order =
                            |dims: &[u64]| (0..dims.len() as u64).rev().collect::<Vec<u64>>();
                        let want = (0..48).all(|n| address(a, s, n) == address(b, t, n));
                        let got = same((a, &order(a), s), (b, &order(b), t));
                        // Equal addresses may have other digits; unequal ones never the same.
                        assert!(want || !got, "{a:?} {s:?} {b:?} {t:?}");
                        both[usize::from(got)] += 1;
                    }
                }
            }
        }
        assert!(both[0] > 100 && both[1] > 100, "{both:?}");
    }

    #[test]
    fn the_minor_tile_decides() {
        let tile: &[&[u64]] = &[&[8, 128]];
        assert!(same(
            (&[4, 16, 128], &[2, 1, 0], tile),
            (&[64, 128], &[1, 0], tile)
        ));
        assert!(!same(
            (&[4, 16, 128], &[2, 1, 0], tile),
            (&[16, 512], &[1, 0], tile)
        ));
        // 12 rows are filled up to 16: the batches do not join.
        assert!(!same(
            (&[4, 12, 128], &[2, 1, 0], tile),
            (&[48, 128], &[1, 0], tile)
        ));
        assert!(same(
            (&[4, 12, 128], &[2, 1, 0], tile),
            (&[2, 2, 12, 128], &[3, 2, 1, 0], tile)
        ));
        // A transpose that is only another order of the same physical dimensions.
        assert!(same((&[5, 12], &[1, 0], tile), (&[12, 5], &[0, 1], tile)));
    }
}
