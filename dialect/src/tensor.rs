//! Values: a tensor holds its IEEE plane and, for float and complex types, its ring plane.
//!
//! Storage of one element: i1 one byte 0 or 1; 2- and 4-bit integers one byte, sign- or zero-extended; floats of at most 8 bits one byte of bits;
//! bf16, f16 two bytes; complex two parts. Row-major, whatever the layout says. Ring plane: one `u32` per float, two per complex number.

use crate::{
    buffer::Buffer,
    float,
    planes::{Planes, ring},
    strided::{self, View},
    types::{Class, ElementType, TensorType, Type},
};
use bytemuck::Pod;
use half::{bf16, f16};
use std::borrow::Cow;
use xxhash_rust::xxh3::Xxh3;

pub(crate) use crate::encode::{bf16_from_f64, f16_from_f64};
pub use crate::encode::{encode_f64s, encode_i64s};

/// Value of a tensor. `dims` are concrete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    dims: Vec<u64>,
    element: ElementType,
    ieee: Buffer,
    ring: Option<Buffer>,
}

/// Value of an SSA value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Tensor(Tensor),
    /// Position in a chain of effects.
    Token(u64),
    Tuple(Vec<Value>),
}

impl Value {
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Value::Tensor(t) => Some(t),
            Value::Token(_) | Value::Tuple(_) => None,
        }
    }

    pub fn ty(&self) -> Type {
        match self {
            Value::Tensor(t) => t.ty().into(),
            Value::Token(_) => Type::Token,
            Value::Tuple(parts) => Type::tuple(parts.iter().map(Value::ty).collect()),
        }
    }

    /// Hash of type and content of both planes.
    pub fn content_hash(&self) -> u128 {
        match self {
            Value::Tensor(t) => t.content_hash(),
            Value::Token(n) => xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes()) ^ 1,
            Value::Tuple(parts) => {
                let mut h = Xxh3::new();
                parts
                    .iter()
                    .for_each(|p| h.update(&p.content_hash().to_le_bytes()));
                h.digest128() ^ 2
            }
        }
    }
}

impl From<Tensor> for Value {
    fn from(t: Tensor) -> Value {
        Value::Tensor(t)
    }
}

/// Number of elements of a shape.
pub fn count(dims: &[u64]) -> usize {
    dims.iter().product::<u64>() as usize
}

/// Row-major strides of a shape, in elements.
pub fn row_major_strides(dims: &[u64]) -> Vec<i64> {
    let mut strides = vec![1i64; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i] * dims[i] as i64;
    }
    strides
}

impl Tensor {
    /// A tensor over given planes. The lengths must fit `dims` and `element`; the ring plane is dropped for types that have none.
    pub fn new(dims: Vec<u64>, element: ElementType, ieee: Buffer, ring: Option<Buffer>) -> Tensor {
        let n = count(&dims);
        debug_assert_eq!(
            ieee.bytes().len(),
            n * element.storage_bytes(),
            "{dims:?} {element}"
        );
        let ring = if element.has_ring() { ring } else { None };
        debug_assert!(
            ring.as_ref()
                .is_none_or(|r| r.bytes().len() == n * ring_bytes(&element)),
            "{dims:?} {element}"
        );
        Tensor {
            dims,
            element,
            ieee,
            ring,
        }
    }

    /// A tensor of `T` elements without a ring plane.
    pub fn from_slice<T: Pod>(dims: &[u64], element: ElementType, data: &[T]) -> Tensor {
        Tensor::new(dims.to_vec(), element, Buffer::from_slice(data), None)
    }

    /// A scalar or splat from an f64, rounded once to `element` (integers: truncated, saturating).
    pub fn splat_f64(dims: &[u64], element: &ElementType, value: f64) -> Tensor {
        Tensor::from_f64s(dims, element, &vec![value; count(dims)])
    }

    /// All elements from f64, each rounded once to nearest even (integers: truncated, saturating); complex: real part.
    pub fn from_f64s(dims: &[u64], element: &ElementType, values: &[f64]) -> Tensor {
        Tensor::new(
            dims.to_vec(),
            element.clone(),
            encode_f64s(element, values),
            None,
        )
    }

    /// All elements from i64, wrapping to the type; floats are rounded once.
    pub fn from_i64s(dims: &[u64], element: &ElementType, values: &[i64]) -> Tensor {
        Tensor::new(
            dims.to_vec(),
            element.clone(),
            encode_i64s(element, values),
            None,
        )
    }

    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    pub fn len(&self) -> usize {
        count(&self.dims)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn element(&self) -> &ElementType {
        &self.element
    }

    pub fn ty(&self) -> TensorType {
        TensorType::new(self.dims.iter().copied(), self.element.clone())
    }

    pub fn ieee(&self) -> &Buffer {
        &self.ieee
    }

    /// IEEE plane as the storage type `T` of the element type.
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        self.ieee.as_slice()
    }

    pub fn ring_buffer(&self) -> Option<&Buffer> {
        self.ring.as_ref()
    }

    /// Dimensions, element type, IEEE plane and ring plane.
    pub fn into_planes(self) -> (Vec<u64>, ElementType, Buffer, Option<Buffer>) {
        (self.dims, self.element, self.ieee, self.ring)
    }

    /// Residues: one per float, two (real, imaginary) per complex number.
    pub fn ring(&self) -> Option<&[ring::Residue]> {
        self.ring.as_ref().map(|r| r.as_slice())
    }

    pub fn planes(&self) -> Planes {
        if self.ring.is_some() {
            Planes::IeeeAndRing
        } else {
            Planes::IeeeOnly
        }
    }

    pub fn with_ring(mut self, ring: Option<Buffer>) -> Tensor {
        self.ring = if self.element.has_ring() { ring } else { None };
        self
    }

    /// The same tensor with the exact dyadic value of each element as its residue (literals, integer to float).
    pub fn with_embedded_ring(self) -> Tensor {
        if !self.element.has_ring() {
            return self;
        }
        let ring = match self.element.class() {
            Class::Complex if self.element == ElementType::C64 => embed(
                self.as_slice::<f32>().iter().map(|v| f64::from(*v)),
                2 * self.len(),
            ),
            Class::Complex => embed(self.as_slice::<f64>().iter().copied(), 2 * self.len()),
            Class::Boolean | Class::Signed | Class::Unsigned | Class::Float | Class::Quantized => {
                embed(self.to_f64s().iter().copied(), self.len())
            }
        };
        self.with_ring(Some(ring))
    }

    /// The same elements under other dimensions of equal count.
    pub fn reshaped(&self, dims: &[u64]) -> Tensor {
        debug_assert_eq!(count(dims), self.len());
        Tensor {
            dims: dims.to_vec(),
            ..self.clone()
        }
    }

    /// Every element as f64 (exact; integers beyond 2^53 are rounded; complex: real part; booleans 0 or 1).
    pub fn to_f64s(&self) -> Cow<'_, [f64]> {
        macro_rules! widen {
            ($t:ty) => {
                Cow::Owned(self.as_slice::<$t>().iter().map(|v| *v as f64).collect())
            };
        }
        match &self.element {
            ElementType::F64 => Cow::Borrowed(self.as_slice::<f64>()),
            ElementType::F32 => widen!(f32),
            ElementType::F16 => {
                Cow::Owned(self.as_slice::<f16>().iter().map(|v| v.to_f64()).collect())
            }
            ElementType::BF16 => {
                Cow::Owned(self.as_slice::<bf16>().iter().map(|v| v.to_f64()).collect())
            }
            ElementType::C64 => Cow::Owned(
                self.as_slice::<[f32; 2]>()
                    .iter()
                    .map(|v| f64::from(v[0]))
                    .collect(),
            ),
            ElementType::C128 => {
                Cow::Owned(self.as_slice::<[f64; 2]>().iter().map(|v| v[0]).collect())
            }
            ElementType::I2 | ElementType::I4 | ElementType::I8 => widen!(i8),
            ElementType::I16 => widen!(i16),
            ElementType::I32 => widen!(i32),
            ElementType::I64 => widen!(i64),
            ElementType::I1 | ElementType::U2 | ElementType::U4 | ElementType::U8 => widen!(u8),
            ElementType::U16 => widen!(u16),
            ElementType::U32 => widen!(u32),
            ElementType::U64 => widen!(u64),
            ElementType::Quantized(q) => Cow::Owned(
                self.with_element_bits(q.storage.clone())
                    .to_f64s()
                    .into_owned(),
            ),
            narrow => {
                let table: Vec<f64> = (0..=255u8)
                    .map(|b| float::narrow_to_f64(narrow, b))
                    .collect();
                Cow::Owned(
                    self.as_slice::<u8>()
                        .iter()
                        .map(|b| table[*b as usize])
                        .collect(),
                )
            }
        }
    }

    /// Every element as f32: exact for floats of at most 32 bits.
    pub fn to_f32s(&self) -> Cow<'_, [f32]> {
        match &self.element {
            ElementType::F32 => Cow::Borrowed(self.as_slice::<f32>()),
            ElementType::F16 => {
                Cow::Owned(self.as_slice::<f16>().iter().map(|v| v.to_f32()).collect())
            }
            ElementType::BF16 => {
                Cow::Owned(self.as_slice::<bf16>().iter().map(|v| v.to_f32()).collect())
            }
            _ => Cow::Owned(self.to_f64s().iter().map(|v| *v as f32).collect()),
        }
    }

    /// Every element of an integer or boolean tensor (u64 wraps to i64); floats are truncated.
    pub fn to_i64s(&self) -> Cow<'_, [i64]> {
        macro_rules! widen {
            ($t:ty) => {
                Cow::Owned(self.as_slice::<$t>().iter().map(|v| *v as i64).collect())
            };
        }
        match &self.element {
            ElementType::I64 => Cow::Borrowed(self.as_slice::<i64>()),
            ElementType::I2 | ElementType::I4 | ElementType::I8 => widen!(i8),
            ElementType::I16 => widen!(i16),
            ElementType::I32 => widen!(i32),
            ElementType::I1 | ElementType::U2 | ElementType::U4 | ElementType::U8 => widen!(u8),
            ElementType::U16 => widen!(u16),
            ElementType::U32 => widen!(u32),
            ElementType::U64 => widen!(u64),
            ElementType::Quantized(q) => Cow::Owned(
                self.with_element_bits(q.storage.clone())
                    .to_i64s()
                    .into_owned(),
            ),
            _ => Cow::Owned(self.to_f64s().iter().map(|v| *v as i64).collect()),
        }
    }

    /// The same bits read as another element type of equal storage size; no ring plane.
    pub fn with_element_bits(&self, element: ElementType) -> Tensor {
        debug_assert_eq!(element.storage_bytes(), self.element.storage_bytes());
        Tensor {
            dims: self.dims.clone(),
            element,
            ieee: self.ieee.clone(),
            ring: None,
        }
    }

    /// Movement: element `i0, i1, ..` of the result is the element at `offset + i0*strides[0] + i1*strides[1] + ..` of this one. Both planes.
    /// Every index reached must be in range.
    pub fn strided(&self, dims: &[u64], offset: i64, strides: &[i64]) -> Tensor {
        let to = row_major_strides(dims);
        let runs_on = dims
            .iter()
            .zip(strides.iter().zip(&to))
            .all(|(size, (from, to))| *size == 1 || from == to);
        if offset == 0 && count(dims) == self.len() && runs_on {
            return self.reshaped(dims);
        }
        self.moved(dims, |from, bytes| {
            Buffer::build::<u8>(count(dims) * bytes, |out| {
                strided::copy(
                    dims,
                    from,
                    View { offset, strides },
                    out,
                    View {
                        offset: 0,
                        strides: &to,
                    },
                    bytes,
                );
            })
        })
    }

    /// Movement: element `i` (row-major) of the result is element `indices[i]` of this one. Both planes.
    pub fn take(&self, dims: &[u64], indices: &[usize]) -> Tensor {
        self.take_runs(dims, indices, 1)
    }

    /// Movement: the result is, end to end, the `run` elements from each of `starts` on. Both planes.
    pub fn take_runs(&self, dims: &[u64], starts: &[usize], run: usize) -> Tensor {
        debug_assert_eq!(starts.len() * run, count(dims));
        self.moved(dims, |from, bytes| match (run, bytes) {
            (1, 1) => pick::<u8>(from, starts),
            (1, 2) => pick::<u16>(from, starts),
            (1, 4) => pick::<u32>(from, starts),
            (1, 8) => pick::<u64>(from, starts),
            (1, _) => pick::<u128>(from, starts),
            (_, _) => Buffer::build::<u8>(starts.len() * run * bytes, |out| {
                if run > 0 {
                    for (o, i) in out.chunks_exact_mut(run * bytes).zip(starts) {
                        o.copy_from_slice(&from[i * bytes..(i + run) * bytes]);
                    }
                }
            }),
        })
    }

    /// Movement: this tensor with the element at `offset + i0*strides[0] + ..` replaced by element `i0, i1, ..` of `part`, for all its elements. In
    /// place when nothing else holds this tensor. The ring plane is kept if both have it. Every index reached must be in range.
    pub fn written(self, part: &Tensor, offset: i64, strides: &[i64]) -> Tensor {
        let from = row_major_strides(&part.dims);
        self.edited(part, |target, source, bytes| {
            let (from, to) = (
                View {
                    offset: 0,
                    strides: &from,
                },
                View { offset, strides },
            );
            strided::copy(&part.dims, source, from, target, to, bytes);
        })
    }

    /// Movement: this tensor with element `indices[i]` replaced by element `i` of `part`, in order of `i`. As [`Tensor::written`].
    pub fn put(self, part: &Tensor, indices: &[usize]) -> Tensor {
        self.edited(part, |target, source, bytes| {
            for (from, i) in source.chunks_exact(bytes).zip(indices) {
                target[i * bytes..(i + 1) * bytes].copy_from_slice(from);
            }
        })
    }

    /// A tensor of zero bits in every plane `planes` has.
    pub fn zeros(dims: &[u64], element: &ElementType, planes: Planes) -> Tensor {
        let plane = |bytes: usize| Buffer::build::<u8>(count(dims) * bytes, |_| ());
        let ring = match planes {
            Planes::IeeeAndRing if element.has_ring() => Some(plane(ring_bytes(element))),
            Planes::IeeeAndRing | Planes::IeeeOnly => None,
        };
        Tensor::new(
            dims.to_vec(),
            element.clone(),
            plane(element.storage_bytes()),
            ring,
        )
    }

    /// Edits every plane that both tensors have: target bytes, source bytes, bytes of an element.
    fn edited(self, part: &Tensor, edit: impl Fn(&mut [u8], &[u8], usize)) -> Tensor {
        let (bytes, in_ring) = (self.element.storage_bytes(), ring_bytes(&self.element));
        let ieee = self
            .ieee
            .edited(|target| edit(target, part.ieee.bytes(), bytes));
        let ring = match (self.ring, &part.ring) {
            (Some(ring), Some(from)) => {
                Some(ring.edited(|target| edit(target, from.bytes(), in_ring)))
            }
            (Some(_) | None, _) => None,
        };
        Tensor::new(self.dims, self.element, ieee, ring)
    }

    /// Applies one movement of fixed-size elements to every plane: `plane` gets the bytes of a plane and the size of an element in it.
    pub fn moved(&self, dims: &[u64], plane: impl Fn(&[u8], usize) -> Buffer) -> Tensor {
        let ieee = plane(self.ieee.bytes(), self.element.storage_bytes());
        let ring = self
            .ring
            .as_ref()
            .map(|r| plane(r.bytes(), ring_bytes(&self.element)));
        Tensor::new(dims.to_vec(), self.element.clone(), ieee, ring)
    }

    /// Several tensors of one element type end to end, flat (dimension 0). The ring plane is kept if all have it.
    pub fn joined(parts: &[&Tensor]) -> Option<Tensor> {
        let element = parts.first()?.element.clone();
        let join = |planes: Vec<&[u8]>| {
            Buffer::build::<u8>(planes.iter().map(|p| p.len()).sum(), |out| {
                let mut at = 0;
                for p in &planes {
                    out[at..at + p.len()].copy_from_slice(p);
                    at += p.len();
                }
            })
        };
        let ieee = join(parts.iter().map(|p| p.ieee.bytes()).collect());
        let rings: Option<Vec<&[u8]>> = parts
            .iter()
            .map(|p| p.ring.as_ref().map(Buffer::bytes))
            .collect();
        Some(Tensor::new(
            vec![parts.iter().map(|p| p.len() as u64).sum()],
            element,
            ieee,
            rings.map(join),
        ))
    }

    /// Hash of type and content of both planes.
    pub fn content_hash(&self) -> u128 {
        let mut h = Xxh3::new();
        h.update(self.ty().to_string().as_bytes());
        h.update(self.ieee.bytes());
        if let Some(r) = &self.ring {
            h.update(b"ring");
            h.update(r.bytes());
        }
        h.digest128()
    }

    /// Hash of type and of what must agree between two correct versions: residues, or the content where there is no ring plane.
    pub fn fingerprint(&self) -> u128 {
        let mut h = Xxh3::new();
        h.update(self.ty().to_string().as_bytes());
        h.update(self.ring.as_ref().unwrap_or(&self.ieee).bytes());
        h.digest128()
    }
}

/// Bytes of one element in the ring plane.
pub fn ring_bytes(element: &ElementType) -> usize {
    if element.is_complex() { 8 } else { 4 }
}

fn embed(values: impl Iterator<Item = f64>, len: usize) -> Buffer {
    Buffer::build::<u32>(len, |out| {
        out.iter_mut()
            .zip(values)
            .for_each(|(o, v)| *o = ring::embed_f64(v))
    })
}

fn pick<T: Pod>(from: &[u8], indices: &[usize]) -> Buffer {
    let from: &[T] = bytemuck::cast_slice(from);
    Buffer::build::<T>(indices.len(), |out| {
        out.iter_mut().zip(indices).for_each(|(o, i)| *o = from[*i])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_moves_both_planes() {
        let t = Tensor::from_slice(&[2, 3], ElementType::F32, &[1f32, 2., 3., 4., 5., 6.])
            .with_embedded_ring();
        let transposed = t.strided(&[3, 2], 0, &[1, 3]);
        assert_eq!(transposed.as_slice::<f32>(), [1., 4., 2., 5., 3., 6.]);
        assert_eq!(transposed.ring(), Some(&[1, 4, 2, 5, 3, 6][..]));
        let broadcast = t.strided(&[2, 2, 3], 0, &[0, 3, 1]);
        assert_eq!(
            broadcast.as_slice::<f32>(),
            [1., 2., 3., 4., 5., 6., 1., 2., 3., 4., 5., 6.]
        );
        let reversed = t.strided(&[2, 3], 5, &[-3, -1]);
        assert_eq!(reversed.as_slice::<f32>(), [6., 5., 4., 3., 2., 1.]);
        assert_eq!(t.strided(&[0, 3], 0, &[3, 1]).len(), 0);
    }

    #[test]
    fn bf16_rounds_once() {
        // 1 + 2^-8 + 2^-60 lies above the middle of 1 and 1 + 2^-7; through f32 it would tie to even (1).
        assert_eq!(
            bf16_from_f64(1.0 + 2f64.powi(-8) + 2f64.powi(-52)),
            bf16::from_f32(1.0 + 2f32.powi(-7))
        );
        assert_eq!(bf16_from_f64(-(1.0 + 2f64.powi(-8))), bf16::from_f32(-1.0));
    }

    #[test]
    fn integers_wrap_to_their_width() {
        let t = Tensor::from_i64s(&[3], &ElementType::I4, &[7, 8, -9]);
        assert_eq!(t.to_i64s().as_ref(), [7, -8, 7]);
    }
}
