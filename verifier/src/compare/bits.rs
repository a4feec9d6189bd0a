//! Comparison bit for bit. Proves equality of every bit but NaN payloads; says nothing about values that were not computed.

use crate::pattern::{self, Pattern};
use tileproof_dialect::{
    tensor::{Tensor, Value},
    types::ElementType,
};

/// One element where two values differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Which output, and the position in it.
    pub output: usize,
    pub index: Vec<u64>,
    pub want: String,
    pub got: String,
    /// Bit patterns, hexadecimal.
    pub want_bits: String,
    pub got_bits: String,
    /// Residues in the ring plane, if both sides have it.
    pub residues: Option<(u32, u32)>,
    /// How many elements differ, of how many.
    pub differing: u64,
    pub total: u64,
    /// How the elements that differ lie.
    pub pattern: Pattern,
}

/// Position of linear index `i`.
pub fn position(dims: &[u64], mut i: u64) -> Vec<u64> {
    let mut out = vec![0; dims.len()];
    for d in (0..dims.len()).rev() {
        out[d] = i % dims[d].max(1);
        i /= dims[d].max(1);
    }
    out
}

/// Elements whose IEEE bits differ (two NaN of one type are equal), row-major.
pub fn differing_ieee(want: &Tensor, got: &Tensor) -> Vec<usize> {
    let size = want.element().storage_bytes();
    let floats = want
        .element()
        .is_float()
        .then(|| (want.to_f64s(), got.to_f64s()));
    let both_nan = |i: usize| match (&floats, want.element()) {
        (Some((w, g)), _) => w[i].is_nan() && g[i].is_nan(),
        (None, ElementType::C64) => same_complex(
            want.as_slice::<[f32; 2]>()[i].map(f64::from),
            got.as_slice::<[f32; 2]>()[i].map(f64::from),
        ),
        (None, ElementType::C128) => same_complex(
            want.as_slice::<[f64; 2]>()[i],
            got.as_slice::<[f64; 2]>()[i],
        ),
        (None, _) => false,
    };
    let pairs = want
        .ieee()
        .bytes()
        .chunks_exact(size)
        .zip(got.ieee().bytes().chunks_exact(size));
    pairs
        .enumerate()
        .filter(|(i, (w, g))| w != g && !both_nan(*i))
        .map(|(i, _)| i)
        .collect()
}

fn same_complex(w: [f64; 2], g: [f64; 2]) -> bool {
    w.iter()
        .zip(&g)
        .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

/// Elements whose residues differ, row-major. Types without a ring plane: elements whose bits differ.
pub fn differing_ring(want: &Tensor, got: &Tensor) -> Vec<usize> {
    match (want.ring(), got.ring()) {
        (Some(w), Some(g)) => {
            let parts = if want.element().is_complex() { 2 } else { 1 };
            w.chunks_exact(parts)
                .zip(g.chunks_exact(parts))
                .enumerate()
                .filter(|(_, (w, g))| w != g)
                .map(|(i, _)| i)
                .collect()
        }
        (_, _) => differing_ieee(want, got),
    }
}

/// Describes element `i` of output `output`, one of `differing`.
pub fn describe(
    want: &Tensor,
    got: &Tensor,
    output: usize,
    i: usize,
    differing: &[usize],
) -> Difference {
    let parts = if want.element().is_complex() { 2 } else { 1 };
    let residues = want
        .ring()
        .zip(got.ring())
        .map(|(w, g)| (w[i * parts], g[i * parts]));
    Difference {
        output,
        index: position(want.dims(), i as u64),
        want: show(want, i),
        got: show(got, i),
        want_bits: bits(want, i),
        got_bits: bits(got, i),
        residues,
        differing: differing.len() as u64,
        total: want.len() as u64,
        pattern: pattern::of(want, got, differing),
    }
}

fn bits(t: &Tensor, i: usize) -> String {
    let size = t.element().storage_bytes();
    let bytes = &t.ieee().bytes()[i * size..(i + 1) * size];
    bytes
        .iter()
        .rev()
        .fold("0x".to_string(), |s, b| s + &format!("{b:02x}"))
}

fn show(t: &Tensor, i: usize) -> String {
    match t.element() {
        ElementType::C64 => format!("{:?}", t.as_slice::<[f32; 2]>()[i]),
        ElementType::C128 => format!("{:?}", t.as_slice::<[f64; 2]>()[i]),
        ElementType::F32 => format!("{:?}", t.as_slice::<f32>()[i]),
        e if e.is_float() => format!("{:?}", t.to_f64s()[i]),
        ElementType::U64 => format!("{}", t.as_slice::<u64>()[i]),
        _ => format!("{}", t.to_i64s()[i]),
    }
}

/// First difference of two lists of values: in the ring where it was run, else in the bits. None: all equal.
pub fn first_difference(want: &[Value], got: &[Value]) -> Option<Difference> {
    want.iter()
        .zip(got)
        .enumerate()
        .find_map(|(output, (w, g))| match (w.as_tensor(), g.as_tensor()) {
            (Some(w), Some(g)) if w.dims() == g.dims() && w.element() == g.element() => {
                let ring = differing_ring(w, g);
                let all = if ring.is_empty() {
                    differing_ieee(w, g)
                } else {
                    ring
                };
                all.first().map(|i| describe(w, g, output, *i, &all))
            }
            (w, g) => (w.is_some() || g.is_some()).then(|| Difference {
                output,
                index: vec![],
                want: w.map_or("a token or tuple".to_string(), |t| t.ty().to_string()),
                got: g.map_or("a token or tuple".to_string(), |t| t.ty().to_string()),
                want_bits: String::new(),
                got_bits: String::new(),
                residues: None,
                differing: 1,
                total: 1,
                pattern: Pattern::Everywhere,
            }),
        })
}

/// The numbers of a tensor; the two parts of a complex one after another.
pub fn parts(t: &Tensor) -> Vec<f64> {
    if let Some(part) = t.element().complex_part() {
        let n = 2 * t.len() as u64;
        return Tensor::new(vec![n], part, t.ieee().clone(), None)
            .to_f64s()
            .into_owned();
    }
    t.to_f64s().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_equals_nan_and_zero_differs_from_minus_zero() {
        let t = |v: &[f32]| Tensor::from_slice(&[v.len() as u64], ElementType::F32, v);
        assert!(differing_ieee(&t(&[f32::NAN, 1.0]), &t(&[-f32::NAN, 1.0])).is_empty());
        assert_eq!(differing_ieee(&t(&[0.0, 1.0]), &t(&[-0.0, 1.0])), [0]);
    }

    #[test]
    fn a_difference_names_position_and_both_bit_patterns() {
        let t = |v: &[f32]| Value::from(Tensor::from_slice(&[2, 2], ElementType::F32, v));
        let d = first_difference(&[t(&[1., 2., 3., 4.])], &[t(&[1., 2., 3.5, 4.])]).unwrap();
        assert_eq!(
            (d.index, d.want_bits, d.got_bits),
            (
                vec![1, 0],
                "0x40400000".to_string(),
                "0x40600000".to_string()
            )
        );
    }
}
