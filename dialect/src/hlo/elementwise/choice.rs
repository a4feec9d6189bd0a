//! Selections: the choice is made on the IEEE plane and moves whole elements on both planes.

use crate::{
    buffer::Buffer,
    planes::ring::{Residue, UNDEFINED, is_code},
    tensor::{Tensor, ring_bytes},
};

/// maximum of IEEE 754-2019: NaN wins, -0 < +0.
#[inline(always)]
pub fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() {
        x
    } else if y.is_nan() {
        y
    } else if x == y {
        if x.is_sign_negative() { y } else { x }
    } else if x > y {
        x
    } else {
        y
    }
}

/// minimum of IEEE 754-2019: NaN wins, -0 < +0.
#[inline(always)]
pub fn minimum(x: f64, y: f64) -> f64 {
    -maximum(-x, -y)
}

#[inline(always)]
pub fn maximum_f32(x: f32, y: f32) -> f32 {
    if x.is_nan() {
        x
    } else if y.is_nan() {
        y
    } else if x == y {
        // Of equal numbers only zeros differ in bits: and of the sign bits.
        f32::from_bits(x.to_bits() & y.to_bits())
    } else if x > y {
        x
    } else {
        y
    }
}

#[inline(always)]
pub fn minimum_f32(x: f32, y: f32) -> f32 {
    -maximum_f32(-x, -y)
}

/// Residue of the larger operand; of equal ones the smaller residue, so that the order of operands does not matter.
#[inline(always)]
pub fn residue_of_larger((r, x): (Residue, f64), (s, y): (Residue, f64)) -> Residue {
    if x > y {
        r
    } else if y > x {
        s
    } else if x.is_nan() || y.is_nan() {
        residue_beside_nan((r, x), (s, y))
    } else {
        r.min(s)
    }
}

/// NaN is the result; the residue that belongs to it is the NaN's own.
fn residue_beside_nan((r, x): (Residue, f64), (s, y): (Residue, f64)) -> Residue {
    match (x.is_nan(), y.is_nan()) {
        (true, true) if is_code(r | s) => UNDEFINED,
        (true, true) => r.min(s),
        (true, false) => r,
        (false, _) => s,
    }
}

/// Elements of `a` where `predicate` is not 0, else of `b`; both planes. All are of one length, unless one predicate stands for all.
pub fn select(predicate: &[u8], one_for_all: Option<u8>, a: &Tensor, b: &Tensor) -> Tensor {
    let plane = |x: &Buffer, y: &Buffer, bytes: usize| match (one_for_all, bytes) {
        (Some(0), _) => y.clone(),
        (Some(_), _) => x.clone(),
        (_, 1) => choose::<u8>(predicate, x, y),
        (_, 2) => choose::<u16>(predicate, x, y),
        (_, 4) => choose::<u32>(predicate, x, y),
        (_, 8) => choose::<u64>(predicate, x, y),
        (_, _) => choose::<u128>(predicate, x, y),
    };
    let ring = match (a.ring_buffer(), b.ring_buffer()) {
        (Some(r), Some(s)) => Some(plane(r, s, ring_bytes(a.element()))),
        (Some(_) | None, _) => None,
    };
    let ieee = plane(a.ieee(), b.ieee(), a.element().storage_bytes());
    Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, ring)
}

fn choose<T: bytemuck::Pod>(predicate: &[u8], a: &Buffer, b: &Buffer) -> Buffer {
    let (a, b) = (a.as_slice::<T>(), b.as_slice::<T>());
    Buffer::build::<T>(a.len(), |out| {
        for (o, (p, (x, y))) in out.iter_mut().zip(predicate.iter().zip(a.iter().zip(b))) {
            *o = if *p != 0 { *x } else { *y };
        }
    })
}

/// Counts of (false, true) among the elements of a boolean tensor.
pub fn count_outcomes(predicate: &[u8]) -> [u64; 2] {
    let yes = predicate.iter().map(|p| u64::from(*p != 0)).sum();
    [predicate.len() as u64 - yes, yes]
}
