//! The one definition of a contraction, shared by `dot_general`, `convolution` and `ragged_dot`: sums of products over canonical operands.
//!
//! Canonical: lhs `[batch, m, k]`, rhs `[batch, n, k]`, result `[batch, m, n]`, all row-major. Accumulation: f64 where an operand or the result is
//! f64, else f32 for floats (rounded once to the result type); integers wrap in the result type; booleans: or of ands. The ring sums in the field.

use crate::{
    attribute::{Attribute, AttributeReader},
    bound::{Bound, Bounded, gamma, subnormal_roundoff, unit_roundoff},
    buffer::Buffer,
    eval::Stop,
    planes::{
        Planes,
        ring::{self, P, Residue},
    },
    tensor::{Tensor, count},
    types::{Class, ElementType},
};
use num_complex::Complex;
use std::borrow::Cow;

/// Sizes of a canonical contraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// How exactly a contraction must be computed (`precision_config`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    Default,
    High,
    Highest,
}

impl Precision {
    const WORDS: [(Precision, &'static str); 3] = [
        (Precision::Default, "DEFAULT"),
        (Precision::High, "HIGH"),
        (Precision::Highest, "HIGHEST"),
    ];

    /// Reads attribute `precision_config`, a list of words.
    pub fn read(reader: &mut AttributeReader<'_>) -> Option<Vec<Precision>> {
        let words = reader.opt_strs("precision_config")?;
        let known: Vec<Precision> = words
            .iter()
            .filter_map(|w| Precision::WORDS.iter().find(|(_, name)| name == w))
            .map(|(p, _)| *p)
            .collect();
        if known.len() != words.len() {
            reader.reject(format!(
                "precision_config {words:?} must be words of DEFAULT, HIGH, HIGHEST"
            ));
        }
        // All DEFAULT says nothing.
        known
            .iter()
            .any(|p| *p != Precision::Default)
            .then_some(known)
    }

    /// The attribute `read` reads.
    pub fn attribute(all: &[Precision]) -> Attribute {
        let word = |p: &Precision| {
            Precision::WORDS
                .iter()
                .find(|(q, _)| q == p)
                .map_or("DEFAULT", |(_, w)| *w)
        };
        Attribute::Array(all.iter().map(|p| word(p).into()).collect())
    }
}

/// Whether products of `lhs` and `rhs` elements may be summed in `result`: equal types, or mixed ones that convert to the result type without
/// leaving its kind.
pub fn elements_fit(lhs: &ElementType, rhs: &ElementType, result: &ElementType) -> bool {
    let both = |accept: fn(&ElementType) -> bool| accept(lhs) && accept(rhs);
    match result.class() {
        Class::Boolean => both(|e| *e == ElementType::I1),
        Class::Signed | Class::Unsigned => both(ElementType::is_integer),
        Class::Float => both(|e| e.is_float() || e.is_integer()),
        Class::Complex => both(ElementType::is_complex),
        Class::Quantized => false,
    }
}

/// Type the sums are accumulated in.
pub fn accumulator(lhs: &ElementType, rhs: &ElementType, result: &ElementType) -> ElementType {
    match result.class() {
        Class::Float if [lhs, rhs, result].iter().any(|e| **e == ElementType::F64) => {
            ElementType::F64
        }
        Class::Float => ElementType::F32,
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Complex | Class::Quantized => {
            result.clone()
        }
    }
}

/// Contracts canonical operands into `[batch, m, n]` of type `element`.
pub fn contract(
    lhs: &Tensor,
    rhs: &Tensor,
    sizes: Sizes,
    element: &ElementType,
    planes: Planes,
) -> Result<Tensor, Stop> {
    let Sizes { batch, m, n, k } = sizes;
    if lhs.len() != batch * m * k || rhs.len() != batch * n * k {
        return Err(Stop::internal(format!(
            "operands {} and {} do not fit {sizes:?}",
            lhs.ty(),
            rhs.ty()
        )));
    }
    if !elements_fit(lhs.element(), rhs.element(), element) {
        return Err(Stop::unsupported(format!(
            "contraction of {} and {} into {element}",
            lhs.element(),
            rhs.element()
        )));
    }
    let dims = [batch as u64, m as u64, n as u64];
    let sums = match accumulator(lhs.element(), rhs.element(), element) {
        ElementType::F32 => {
            let sums = rows(&lhs.to_f32s(), &rhs.to_f32s(), sizes, dot_f32);
            if *element == ElementType::F32 {
                Tensor::new(dims.to_vec(), ElementType::F32, sums, None)
            } else {
                Tensor::from_f64s(&dims, element, &widened(sums.as_slice::<f32>()))
            }
        }
        ElementType::F64 => {
            let sums = rows(&lhs.to_f64s(), &rhs.to_f64s(), sizes, dot_f64);
            Tensor::from_f64s(&dims, element, sums.as_slice())
        }
        ElementType::C64 => {
            let (a, b) = (complex_f32s(lhs), complex_f32s(rhs));
            let sums = rows(&a, &b, sizes, |x, y| {
                x.iter()
                    .zip(y)
                    .fold(Complex::new(0.0, 0.0), |sum, (a, b)| sum + a * b)
            });
            Tensor::new(dims.to_vec(), ElementType::C64, sums, None)
        }
        ElementType::C128 => {
            let (a, b) = (complex_f64s(lhs), complex_f64s(rhs));
            let sums = rows(&a, &b, sizes, |x, y| {
                x.iter()
                    .zip(y)
                    .fold(Complex::new(0.0, 0.0), |sum, (a, b)| sum + a * b)
            });
            Tensor::new(dims.to_vec(), ElementType::C128, sums, None)
        }
        ElementType::I1 => {
            let sums = rows(&lhs.to_i64s(), &rhs.to_i64s(), sizes, |x, y| {
                i64::from(x.iter().zip(y).any(|(a, b)| a & b != 0))
            });
            Tensor::from_i64s(&dims, element, sums.as_slice())
        }
        _ => {
            let sums = rows(&lhs.to_i64s(), &rhs.to_i64s(), sizes, |x, y| {
                x.iter()
                    .zip(y)
                    .fold(0i64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
            });
            Tensor::from_i64s(&dims, element, sums.as_slice())
        }
    };
    Ok(match planes {
        Planes::IeeeOnly => sums,
        Planes::IeeeAndRing => sums.with_ring(ring_contract(lhs, rhs, sizes, element)),
    })
}

/// `dot` of every lhs row with every rhs row of its batch.
fn rows<T, O: bytemuck::Pod>(
    a: &[T],
    b: &[T],
    sizes: Sizes,
    dot: impl Fn(&[T], &[T]) -> O,
) -> Buffer {
    let Sizes { batch, m, n, k } = sizes;
    Buffer::build::<O>(batch * m * n, |out| {
        for (row, out) in out.chunks_exact_mut(n.max(1)).enumerate() {
            let x = &a[row * k..][..k];
            let first = row / m * n;
            for (column, o) in out.iter_mut().enumerate() {
                *o = dot(x, &b[(first + column) * k..][..k]);
            }
        }
    })
}

macro_rules! float_dot {
    ($name:ident, $t:ty) => {
        /// Sum of products in eight interleaved partial sums.
        fn $name(x: &[$t], y: &[$t]) -> $t {
            let mut lanes: [$t; 8] = [0.0; 8];
            let (x8, y8) = (x.chunks_exact(8), y.chunks_exact(8));
            let tail: $t = x8
                .remainder()
                .iter()
                .zip(y8.remainder())
                .map(|(a, b)| a * b)
                .sum();
            for (a, b) in x8.zip(y8) {
                for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
                    *lane += a * b;
                }
            }
            lanes.iter().sum::<$t>() + tail
        }
    };
}
float_dot!(dot_f32, f32);
float_dot!(dot_f64, f64);

fn widened(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

/// Elements of a complex tensor as complex<f32>.
fn complex_f32s(t: &Tensor) -> Cow<'_, [Complex<f32>]> {
    match t.element() {
        ElementType::C64 => Cow::Borrowed(t.as_slice()),
        _ => complex_f64s(t)
            .iter()
            .map(|z| Complex::new(z.re as f32, z.im as f32))
            .collect(),
    }
}

/// Elements of any tensor as complex<f64>; real types have imaginary part 0.
pub fn complex_f64s(t: &Tensor) -> Cow<'_, [Complex<f64>]> {
    match t.element() {
        ElementType::C128 => Cow::Borrowed(t.as_slice()),
        ElementType::C64 => t
            .as_slice::<Complex<f32>>()
            .iter()
            .map(|z| Complex::new(z.re.into(), z.im.into()))
            .collect(),
        _ => t.to_f64s().iter().map(|v| Complex::new(*v, 0.0)).collect(),
    }
}

/// Residues of a float tensor, or the exact values of an integer one. None where a float tensor has no ring plane.
pub fn residues(t: &Tensor) -> Option<Cow<'_, [Residue]>> {
    if t.element().has_ring() {
        return t.ring().map(Cow::Borrowed);
    }
    let exact = |v: &i64| match t.element() {
        ElementType::U64 => ring::embed_i128(i128::from(*v as u64)),
        _ => ring::embed_i128(i128::from(*v)),
    };
    Some(t.to_i64s().iter().map(exact).collect())
}

fn ring_contract(
    lhs: &Tensor,
    rhs: &Tensor,
    sizes: Sizes,
    element: &ElementType,
) -> Option<Buffer> {
    if !element.has_ring() {
        return None;
    }
    let (a, b) = (residues(lhs)?, residues(rhs)?);
    let codes = a.iter().chain(b.iter()).any(|r| ring::is_code(*r));
    if element.is_complex() {
        let (a, b): (&[[Residue; 2]], &[[Residue; 2]]) =
            (bytemuck::cast_slice(&a), bytemuck::cast_slice(&b));
        return Some(if codes {
            let a = beside(a, &complex_f64s(lhs));
            let b = beside(b, &complex_f64s(rhs));
            rows(&a, &b, sizes, complex_ring_dot_with_codes)
        } else {
            rows(a, b, sizes, complex_ring_dot)
        });
    }
    Some(if codes {
        let (a, b) = (beside(&a, &lhs.to_f64s()), beside(&b, &rhs.to_f64s()));
        rows(&a, &b, sizes, |x, y| {
            x.iter().zip(y).fold(0, |sum, ((r, x), (s, y))| {
                ring::add(sum, ring::mul(*r, *s, || (*x, *y)))
            })
        })
    } else {
        rows(&a, &b, sizes, ring_dot)
    })
}

fn beside<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().copied().zip(b.iter().copied()).collect()
}

/// Sum of products of residues: each product below 2^62 is folded once to below 2^32, so that 2^32 of them fit the sum.
fn ring_dot(x: &[Residue], y: &[Residue]) -> Residue {
    let folded = |a: &u32, b: &u32| {
        let product = u64::from(*a) * u64::from(*b);
        (product & u64::from(P)) + (product >> 31)
    };
    ring::reduce(x.iter().zip(y).map(|(a, b)| folded(a, b)).sum())
}

fn complex_ring_dot(x: &[[Residue; 2]], y: &[[Residue; 2]]) -> [Residue; 2] {
    x.iter().zip(y).fold([0, 0], |sum, (a, b)| {
        let product = |i: usize, j: usize| ring::mul_residues(a[i], b[j]);
        [
            ring::add(sum[0], ring::sub(product(0, 0), product(1, 1))),
            ring::add(sum[1], ring::add(product(0, 1), product(1, 0))),
        ]
    })
}

fn complex_ring_dot_with_codes(
    x: &[([Residue; 2], Complex<f64>)],
    y: &[([Residue; 2], Complex<f64>)],
) -> [Residue; 2] {
    x.iter().zip(y).fold([0, 0], |sum, ((r, z), (s, w))| {
        let (z, w) = ([z.re, z.im], [w.re, w.im]);
        let product = |i: usize, j: usize| ring::mul(r[i], s[j], || (z[i], w[j]));
        [
            ring::add(sum[0], ring::sub(product(0, 0), product(1, 1))),
            ring::add(sum[1], ring::add(product(0, 1), product(1, 0))),
        ]
    })
}

/// Bound of a contraction of `k` terms: gamma_k * sum |a||b| in the accumulation type, plus the operands' errors |a| eb + ea |b| + ea eb summed,
/// plus the rounding to the result type (Higham, Accuracy and Stability, section 3.1). `rounding` is the relative error the algorithm gives the
/// product of two operands beforehand (0 for plain products); `dot` contracts f64 tensors of the operands' shapes into an f64 tensor.
pub fn bound(
    operands: &[Bounded<'_>],
    result: &Tensor,
    k: usize,
    rounding: f64,
    dot: impl Fn(&Tensor, &Tensor) -> Result<Tensor, Stop>,
) -> Result<Bound, Stop> {
    let [
        Bounded {
            value: lhs,
            error: lhs_error,
        },
        Bounded {
            value: rhs,
            error: rhs_error,
        },
        ..,
    ] = operands
    else {
        return Err(Stop::internal("a contraction has two operands"));
    };
    let (Some(lhs), Some(rhs)) = (lhs.as_tensor(), rhs.as_tensor()) else {
        return Err(Stop::internal("a contraction has tensor operands"));
    };
    let element = result.element();
    match element.class() {
        Class::Boolean | Class::Signed | Class::Unsigned => {
            let exact = lhs_error.is_exact() && rhs_error.is_exact();
            return Ok(if exact {
                Bound::Exact
            } else {
                Bound::undetermined(result.len())
            });
        }
        // The sums round in the expressed type before they are quantized: a rounding may go the other way.
        Class::Quantized => return Ok(Bound::undetermined(result.len())),
        Class::Float | Class::Complex => {}
    }
    let errors = |t: &Tensor, e: &Bound| {
        let all: Vec<f64> = (0..t.len()).map(|i| e.at(i)).collect();
        Tensor::from_f64s(t.dims(), &ElementType::F64, &all)
    };
    let (a, b) = (magnitudes(lhs), magnitudes(rhs));
    let terms = dot(&a, &b)?;
    let mut carried = vec![0.0; result.len()];
    let mut carry = |t: Tensor| {
        carried
            .iter_mut()
            .zip(t.as_slice::<f64>())
            .for_each(|(c, e)| *c += e)
    };
    if !rhs_error.is_exact() {
        carry(dot(&a, &errors(rhs, rhs_error))?);
    }
    if !lhs_error.is_exact() {
        let reach: Vec<f64> = b
            .as_slice::<f64>()
            .iter()
            .enumerate()
            .map(|(i, v)| v + rhs_error.at(i))
            .collect();
        let reach = Tensor::from_f64s(b.dims(), &ElementType::F64, &reach);
        carry(dot(&errors(lhs, lhs_error), &reach)?);
    }
    let sums = accumulator(lhs.element(), rhs.element(), element);
    // A complex product is four real ones; its error is at most that of twice as many terms.
    let n = if element.is_complex() { 2 * k + 2 } else { k } as f64;
    let g = gamma(n, unit_roundoff(&sums)) + rounding;
    let tiny = n * subnormal_roundoff(&sums);
    let last = if sums == *element {
        (0.0, 0.0)
    } else {
        (unit_roundoff(element), subnormal_roundoff(element))
    };
    let overflows = all_finite(lhs) && all_finite(rhs);
    let out = magnitudes(result);
    let each = out
        .as_slice::<f64>()
        .iter()
        .zip(terms.as_slice::<f64>())
        .zip(&carried);
    Ok(Bound::absolute(
        each.map(|((out, terms), carried)| {
            if !out.is_finite() {
                // From infinities and NaN among exact operands alone: the same in every order.
                return if overflows || *carried != 0.0 {
                    f64::INFINITY
                } else {
                    0.0
                };
            }
            if *terms == 0.0 && *carried == 0.0 {
                return 0.0;
            }
            let sum = g * terms + carried + tiny;
            sum + last.0 / (1.0 - last.0) * (out + sum) + last.1
        })
        .map(|e| if e.is_nan() { f64::INFINITY } else { e })
        .collect(),
    ))
}

/// Absolute values as an f64 tensor; of complex numbers the modulus.
pub fn magnitudes(t: &Tensor) -> Tensor {
    let all: Vec<f64> = if t.element().is_complex() {
        complex_f64s(t).iter().map(|z| z.norm()).collect()
    } else {
        t.to_f64s().iter().map(|v| v.abs()).collect()
    };
    Tensor::from_f64s(t.dims(), &ElementType::F64, &all)
}

fn all_finite(t: &Tensor) -> bool {
    complex_f64s(t).iter().all(|z| z.is_finite())
}

/// Movement: element `i` of the result is element `indices[i]` of `t`, or zero where the index is negative. Both planes.
pub fn take_or_zero(t: &Tensor, dims: &[u64], indices: &[i64]) -> Tensor {
    debug_assert_eq!(indices.len(), count(dims));
    t.moved(dims, |from, bytes| {
        Buffer::build::<u8>(indices.len() * bytes, |out| {
            for (o, i) in out.chunks_exact_mut(bytes).zip(indices) {
                if let Ok(i) = usize::try_from(*i) {
                    o.copy_from_slice(&from[i * bytes..][..bytes]);
                }
            }
        })
    })
}
