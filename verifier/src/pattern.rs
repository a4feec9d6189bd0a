//! The pattern of a mismatch: what kind of fault makes elements differ like this. Part of a finding and of its signature.
//!
//! Proves nothing: a hint for the reader, found by trying the patterns in a fixed order.

use crate::compare::bits::position;
use serde::{Deserialize, Serialize};
use tileproof_dialect::tensor::{Tensor, row_major_strides};

/// Sizes of tiles and lanes that a fault may follow (rows, lanes, vectors).
const TILES: [u64; 6] = [128, 64, 32, 16, 8, 4];
/// Farthest shift tried.
const MOST_SHIFT: i64 = 8;
/// Largest tensor that permutations and shifts are tried on.
const MOST_ELEMENTS: usize = 1 << 20;

/// How the elements that differ lie.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "pattern", rename_all = "snake_case")]
pub enum Pattern {
    /// Only zeros of other sign.
    SignOfZero,
    /// Finite on one side; infinite or NaN on the other.
    Class,
    /// Every differing element is off by one factor.
    Scale {
        factor: f64,
    },
    /// got[.., i, ..] is want[.., i + by, ..].
    Shift {
        axis: u64,
        by: i64,
    },
    /// got is want with its axes permuted.
    AxisSwap {
        permutation: Vec<u64>,
    },
    /// Only in the last partial tile of an axis, from this index on.
    LastTile {
        axis: u64,
        from: u64,
    },
    /// Only where the index of an axis has one remainder.
    Periodic {
        axis: u64,
        period: u64,
        remainder: u64,
    },
    /// One element.
    Single,
    Everywhere,
    /// A share of the elements, without order.
    Scattered {
        share: f64,
    },
}

impl Pattern {
    /// Its name, for signatures.
    pub fn name(&self) -> &'static str {
        match self {
            Pattern::SignOfZero => "sign_of_zero",
            Pattern::Class => "class",
            Pattern::Scale { .. } => "scale",
            Pattern::Shift { .. } => "shift",
            Pattern::AxisSwap { .. } => "axis_swap",
            Pattern::LastTile { .. } => "last_tile",
            Pattern::Periodic { .. } => "periodic",
            Pattern::Single => "single",
            Pattern::Everywhere => "everywhere",
            Pattern::Scattered { .. } => "scattered",
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Pattern::SignOfZero => write!(f, "only the sign of zero differs"),
            Pattern::Class => write!(f, "finite on one side only"),
            Pattern::Scale { factor } => write!(f, "scaled by {factor:?}"),
            Pattern::Shift { axis, by } => write!(f, "shifted by {by} along axis {axis}"),
            Pattern::AxisSwap { permutation } => write!(f, "axes permuted: {permutation:?}"),
            Pattern::LastTile { axis, from } => {
                write!(
                    f,
                    "only in the last partial tile of axis {axis}, from {from} on"
                )
            }
            Pattern::Periodic {
                axis,
                period,
                remainder,
            } => write!(f, "only where index {axis} modulo {period} is {remainder}"),
            Pattern::Single => write!(f, "one element"),
            Pattern::Everywhere => write!(f, "everywhere"),
            Pattern::Scattered { share } => write!(f, "{:.1} % of the elements", share * 100.0),
        }
    }
}

/// The pattern of the elements `differing` (linear indices, ascending) of two tensors of one type.
pub fn of(want: &Tensor, got: &Tensor, differing: &[usize]) -> Pattern {
    let n = want.len();
    if !want.element().is_complex() {
        let (w, g) = (want.to_f64s(), got.to_f64s());
        if let Some(found) = by_values(&w, &g, differing, want.element().is_float()) {
            return found;
        }
        if n <= MOST_ELEMENTS
            && differing.len() > 1
            && differing.len() * 4 > n
            && let Some(found) = moved(want.dims(), &w, &g)
        {
            return found;
        }
    }
    if differing.len() == 1 {
        return Pattern::Single;
    }
    if differing.len() == n {
        return Pattern::Everywhere;
    }
    placed(want.dims(), differing).unwrap_or(Pattern::Scattered {
        share: differing.len() as f64 / n.max(1) as f64,
    })
}

fn by_values(w: &[f64], g: &[f64], differing: &[usize], float: bool) -> Option<Pattern> {
    let first = *differing.first()?;
    if float {
        if differing.iter().all(|i| w[*i] == 0.0 && g[*i] == 0.0) {
            return Some(Pattern::SignOfZero);
        }
        if differing
            .iter()
            .all(|i| w[*i].is_finite() != g[*i].is_finite())
        {
            return Some(Pattern::Class);
        }
    }
    let factor = g[first] / w[first];
    let scaled =
        |i: &usize| (g[*i] - factor * w[*i]).abs() <= 4.0 * f64::from(f32::EPSILON) * g[*i].abs();
    (differing.len() > 1 && factor.is_finite() && factor != 0.0 && differing.iter().all(scaled))
        .then_some(Pattern::Scale { factor })
}

/// A permutation of axes or a shift that turns `want` into `got`.
fn moved(dims: &[u64], w: &[f64], g: &[f64]) -> Option<Pattern> {
    let strides = row_major_strides(dims);
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    for a in 0..dims.len() {
        for b in a + 1..dims.len() {
            if dims[a] != dims[b] || dims[a] < 2 {
                continue;
            }
            let source = |i: usize| {
                let mut p = position(dims, i as u64);
                p.swap(a, b);
                p.iter()
                    .zip(&strides)
                    .map(|(x, s)| *x as i64 * s)
                    .sum::<i64>() as usize
            };
            if (0..w.len()).all(|i| same(g[i], w[source(i)])) {
                let mut permutation: Vec<u64> = (0..dims.len() as u64).collect();
                permutation.swap(a, b);
                return Some(Pattern::AxisSwap { permutation });
            }
        }
    }
    for (axis, size) in dims.iter().enumerate() {
        let size = *size as i64;
        for by in (1..=MOST_SHIFT.min(size / 2)).flat_map(|k| [k, -k]) {
            let fits = |i: usize| {
                let at = (i as i64 / strides[axis]) % size;
                let from = at + by;
                !(0..size).contains(&from)
                    || same(g[i], w[(i as i64 + by * strides[axis]) as usize])
            };
            if (0..w.len()).all(fits) {
                return Some(Pattern::Shift {
                    axis: axis as u64,
                    by,
                });
            }
        }
    }
    None
}

/// Tiles or lanes the elements lie in.
fn placed(dims: &[u64], differing: &[usize]) -> Option<Pattern> {
    let strides = row_major_strides(dims);
    for axis in (0..dims.len()).rev() {
        let at = |i: &usize| (*i as i64 / strides[axis]) as u64 % dims[axis];
        let first = at(differing.first()?);
        for tile in TILES {
            let from = dims[axis] / tile * tile;
            if !dims[axis].is_multiple_of(tile)
                && from > 0
                && differing.iter().all(|i| at(i) >= from)
            {
                return Some(Pattern::LastTile {
                    axis: axis as u64,
                    from,
                });
            }
        }
        for period in TILES {
            let many = differing.iter().any(|i| at(i) != first);
            if many && differing.iter().all(|i| at(i) % period == first % period) {
                return Some(Pattern::Periodic {
                    axis: axis as u64,
                    period,
                    remainder: first % period,
                });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::types::ElementType;

    fn pattern(dims: &[u64], change: impl Fn(usize, &[f32]) -> f32) -> Pattern {
        let n = dims.iter().product::<u64>() as usize;
        let w: Vec<f32> = (0..n).map(|i| (i * i + 3) as f32).collect();
        let g: Vec<f32> = (0..n).map(|i| change(i, &w)).collect();
        let differing: Vec<usize> = (0..n).filter(|i| w[*i] != g[*i]).collect();
        let t = |v: &[f32]| Tensor::from_slice(dims, ElementType::F32, v);
        of(&t(&w), &t(&g), &differing)
    }

    #[test]
    fn each_pattern_is_recognised() {
        assert_eq!(
            pattern(&[20], |i, w| 2.0 * w[i]),
            Pattern::Scale { factor: 2.0 }
        );
        assert_eq!(
            pattern(&[20], |i, w| w[(i + 1) % 20]),
            Pattern::Shift { axis: 0, by: 1 }
        );
        assert_eq!(
            pattern(&[3, 3], |i, w| w[i % 3 * 3 + i / 3]),
            Pattern::AxisSwap {
                permutation: vec![1, 0]
            }
        );
        assert_eq!(
            pattern(&[2, 20], |i, w| if i % 20 >= 16 {
                (i * 7) as f32
            } else {
                w[i]
            }),
            Pattern::LastTile { axis: 1, from: 16 }
        );
        assert_eq!(
            pattern(&[64], |i, w| if i % 8 == 3 { (i * 7) as f32 } else { w[i] }),
            Pattern::Periodic {
                axis: 0,
                period: 8,
                remainder: 3
            }
        );
        assert_eq!(
            pattern(&[20], |i, w| if i == 5 { -1.0 } else { w[i] }),
            Pattern::Single
        );
        assert_eq!(
            pattern(&[20], |i, w| if i == 5 || i == 6 { f32::NAN } else { w[i] }),
            Pattern::Class
        );
        assert_eq!(
            pattern(&[20], |i, _| (i * 17) as f32 - 1.0),
            Pattern::Everywhere
        );
    }
}
