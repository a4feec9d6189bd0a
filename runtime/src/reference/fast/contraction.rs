//! Sums of products on both planes: what `dialect::hlo::contraction::contract` defines, through the matrix products here.

use super::{
    float_product::float_product,
    matrices::{Matrices, Sizes},
    ring_product::{Operand, ring_product},
};
use half::{bf16, f16};
use rayon::prelude::*;
use std::borrow::Cow;
use tileproof_dialect::{
    buffer::Buffer,
    hlo::contraction::{accumulator, elements_fit, residues},
    planes::{Planes, ring::Residue},
    tensor::Tensor,
    types::{Class, ElementType},
};

/// One operand: where its matrices lie in the tensor.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub tensor: &'a Tensor,
    pub batch_stride: usize,
    pub row_stride: usize,
    /// Along the contracted dimension.
    pub column_stride: usize,
}

impl<'a> Side<'a> {
    /// Row-major matrices of `rows` x `columns`.
    pub fn row_major(tensor: &'a Tensor, rows: usize, columns: usize) -> Side<'a> {
        Side {
            tensor,
            batch_stride: rows * columns,
            row_stride: columns,
            column_stride: 1,
        }
    }

    fn view<'b, T>(&self, data: &'b [T]) -> Matrices<'b, T> {
        Matrices {
            data,
            batch_stride: self.batch_stride,
            row_stride: self.row_stride,
            column_stride: self.column_stride,
        }
    }
}

/// The contraction as a tensor `[batch, m, n]` of type `element`; none for types this file does not cover.
pub fn contract(
    lhs: Side<'_>,
    rhs: Side<'_>,
    sizes: Sizes,
    element: &ElementType,
    planes: Planes,
) -> Option<Tensor> {
    if !elements_fit(lhs.tensor.element(), rhs.tensor.element(), element) {
        return None;
    }
    let sums = match element.class() {
        Class::Float => float_sums(lhs, rhs, sizes, element)?,
        Class::Signed | Class::Unsigned if element.bits() <= 32 => {
            integer_sums(lhs, rhs, sizes, element)
        }
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Complex | Class::Quantized => {
            return None;
        }
    };
    let ring = match planes {
        Planes::IeeeAndRing if element.is_float() => Some(ring_sums(lhs, rhs, sizes)?),
        Planes::IeeeAndRing | Planes::IeeeOnly => None,
    };
    Some(sums.with_ring(ring))
}

fn dims(sizes: Sizes) -> Vec<u64> {
    vec![sizes.batch as u64, sizes.m as u64, sizes.n as u64]
}

fn count(sizes: Sizes) -> usize {
    sizes.batch * sizes.m * sizes.n
}

fn float_sums(lhs: Side<'_>, rhs: Side<'_>, sizes: Sizes, element: &ElementType) -> Option<Tensor> {
    if accumulator(lhs.tensor.element(), rhs.tensor.element(), element) == ElementType::F64 {
        let (a, b) = (lhs.tensor.to_f64s(), rhs.tensor.to_f64s());
        let sums = Buffer::build::<f64>(count(sizes), |out| {
            float_product(sizes, lhs.view(&a), rhs.view(&b), out);
        });
        return Some(match element {
            ElementType::F64 => Tensor::new(dims(sizes), ElementType::F64, sums, None),
            narrower => Tensor::from_f64s(&dims(sizes), narrower, sums.as_slice()),
        });
    }
    let (a, b) = (to_f32s(lhs.tensor), to_f32s(rhs.tensor));
    let sums = Buffer::build::<f32>(count(sizes), |out| {
        float_product(sizes, lhs.view(&a), rhs.view(&b), out);
    });
    Some(Tensor::new(
        dims(sizes),
        element.clone(),
        rounded(sums, element),
        None,
    ))
}

/// The elements as f32, several at a time.
fn to_f32s(t: &Tensor) -> Cow<'_, [f32]> {
    match t.element() {
        ElementType::BF16 => t
            .as_slice::<bf16>()
            .par_iter()
            .map(|v| v.to_f32())
            .collect::<Vec<_>>()
            .into(),
        ElementType::F16 => t
            .as_slice::<f16>()
            .par_iter()
            .map(|v| v.to_f32())
            .collect::<Vec<_>>()
            .into(),
        _ => t.to_f32s(),
    }
}

/// f32 values rounded once to a type of at most 32 bits.
pub fn rounded(sums: Buffer, element: &ElementType) -> Buffer {
    let values = sums.as_slice::<f32>();
    match element {
        ElementType::F32 => sums,
        ElementType::BF16 => Buffer::build::<bf16>(values.len(), |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = bf16::from_f32(*v));
        }),
        ElementType::F16 => Buffer::build::<f16>(values.len(), |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = f16::from_f32(*v));
        }),
        narrower => {
            let wide: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            tileproof_dialect::tensor::encode_f64s(narrower, &wide)
        }
    }
}

/// Sums modulo 2^32, wrapped to the type.
fn integer_sums(lhs: Side<'_>, rhs: Side<'_>, sizes: Sizes, element: &ElementType) -> Tensor {
    let Sizes { batch, m, n, k } = sizes;
    // Canonical order first: the inner loop runs along contiguous rows.
    let rows = |side: Side<'_>, rows: usize| -> Vec<i32> {
        let all = side.tensor.to_i64s();
        let view = side.view(&all);
        let mut out = vec![0; batch * rows * k];
        if k > 0 {
            out.par_chunks_exact_mut(k)
                .enumerate()
                .for_each(|(row, out)| {
                    let (b, r) = (row / rows, row % rows);
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(c, o)| *o = view.at(b, r, c) as i32);
                });
        }
        out
    };
    let (a, b) = (rows(lhs, m), rows(rhs, n));
    let mut sums = vec![0i64; count(sizes)];
    if k > 0 && n > 0 {
        sums.par_chunks_exact_mut(n)
            .enumerate()
            .for_each(|(row, out)| {
                let x = &a[row * k..][..k];
                let first = row / m * n;
                for (column, o) in out.iter_mut().enumerate() {
                    let y = &b[(first + column) * k..][..k];
                    let sum = x
                        .iter()
                        .zip(y)
                        .fold(0i32, |s, (x, y)| s.wrapping_add(x.wrapping_mul(*y)));
                    *o = i64::from(sum);
                }
            });
    }
    Tensor::from_i64s(&dims(sizes), element, &sums)
}

fn ring_sums(lhs: Side<'_>, rhs: Side<'_>, sizes: Sizes) -> Option<Buffer> {
    let (a, b) = (residues(lhs.tensor)?, residues(rhs.tensor)?);
    let (x, y) = (
        || lhs.tensor.to_f64s().into_owned(),
        || rhs.tensor.to_f64s().into_owned(),
    );
    let lhs = Operand {
        residues: lhs.view(&a),
        ieee: &x,
    };
    let rhs = Operand {
        residues: rhs.view(&b),
        ieee: &y,
    };
    Some(Buffer::build::<Residue>(count(sizes), |out| {
        ring_product(sizes, &lhs, &rhs, out);
    }))
}
