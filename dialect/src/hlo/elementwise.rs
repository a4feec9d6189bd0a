//! Applies scalar definitions to whole tensors, plane by plane. Floats of at most 16 bits compute in f32 and round once (exact for + - * / sqrt:
//! 24 >= 2*11 + 2 bits); complex<f32> computes in f64 and rounds once.

use crate::{
    bound::{Bound, Bounded, subnormal_roundoff, unit_roundoff},
    buffer::Buffer,
    eval::{EvalContext, Stop},
    hlo::shape,
    planes::{Planes, ring::Residue},
    tensor::{Tensor, Value, encode_f64s},
    types::{Class, ElementType},
};
use half::{bf16, f16};
use num_complex::Complex;

/// Scalar definitions of a binary op, one per kind of element. `ring` also gets the IEEE operands.
pub struct Binary<F32, F64, C, I, B, R, RC> {
    pub f32: F32,
    pub f64: F64,
    pub complex: C,
    /// On exact values; the result wraps to the type.
    pub integer: I,
    pub boolean: B,
    pub ring: R,
    /// On (real, imaginary).
    pub ring_complex: RC,
}

/// A storage type of integers.
pub trait Integer: bytemuck::Pod {
    fn widen(self) -> i128;
    fn wrap(value: i128) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {
        $(impl Integer for $t {
            #[inline(always)]
            fn widen(self) -> i128 {
                self as i128
            }
            #[inline(always)]
            fn wrap(value: i128) -> $t {
                value as $t
            }
        })*
    };
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Calls `$run::<T>()` style code for the storage type of an integer element type: `integer_dispatch!(element, T => expression)`.
#[macro_export]
macro_rules! integer_dispatch {
    ($element:expr, $t:ident => $body:expr, _ => $other:expr) => {
        match $element {
            $crate::types::ElementType::I2
            | $crate::types::ElementType::I4
            | $crate::types::ElementType::I8 => {
                type $t = i8;
                $body
            }
            $crate::types::ElementType::I16 => {
                type $t = i16;
                $body
            }
            $crate::types::ElementType::I32 => {
                type $t = i32;
                $body
            }
            $crate::types::ElementType::I64 => {
                type $t = i64;
                $body
            }
            $crate::types::ElementType::U2
            | $crate::types::ElementType::U4
            | $crate::types::ElementType::U8 => {
                type $t = u8;
                $body
            }
            $crate::types::ElementType::U16 => {
                type $t = u16;
                $body
            }
            $crate::types::ElementType::U32 => {
                type $t = u32;
                $body
            }
            $crate::types::ElementType::U64 => {
                type $t = u64;
                $body
            }
            _ => $other,
        }
    };
}

/// Wraps a value to the width of a 2- or 4-bit type; the identity for wider ones.
#[inline(always)]
pub fn wrap_narrow(element: &ElementType, v: i128) -> i128 {
    match element {
        ElementType::I2 => (v << 126) >> 126,
        ElementType::I4 => (v << 124) >> 124,
        ElementType::U2 => v & 3,
        ElementType::U4 => v & 15,
        _ => v,
    }
}

/// Elementwise `f` over two slices of equal length.
pub fn zip<A: bytemuck::Pod, B: bytemuck::Pod, O: bytemuck::Pod>(
    a: &[A],
    b: &[B],
    f: impl Fn(A, B) -> O,
) -> Buffer {
    Buffer::build::<O>(a.len(), |out| {
        out.iter_mut()
            .zip(a)
            .zip(b)
            .for_each(|((o, x), y)| *o = f(*x, *y))
    })
}

/// Elementwise `f` over a slice.
pub fn map<A: bytemuck::Pod, O: bytemuck::Pod>(a: &[A], f: impl Fn(A) -> O) -> Buffer {
    Buffer::build::<O>(a.len(), |out| {
        out.iter_mut().zip(a).for_each(|(o, x)| *o = f(*x))
    })
}

/// Evaluates a binary op on operands of one shape and type.
pub fn binary<F32, F64, C, I, B, R, RC>(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    d: Binary<F32, F64, C, I, B, R, RC>,
) -> Result<Vec<Value>, Stop>
where
    F32: Fn(f32, f32) -> f32,
    F64: Fn(f64, f64) -> f64,
    C: Fn(Complex<f64>, Complex<f64>) -> Complex<f64>,
    I: Fn(i128, i128) -> i128,
    B: Fn(bool, bool) -> bool,
    R: Fn(Residue, Residue, (f64, f64)) -> Residue,
    RC: Fn([Residue; 2], [Residue; 2]) -> [Residue; 2],
{
    let (a, b) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
    let element = a.element();
    if a.dims() != b.dims() {
        return Err(Stop::Trap(crate::eval::Trap::ShapeMismatch(format!(
            "{} and {}",
            a.ty(),
            b.ty()
        ))));
    }
    let ieee = match element {
        ElementType::F32 => zip(a.as_slice::<f32>(), b.as_slice::<f32>(), &d.f32),
        ElementType::F64 => zip(a.as_slice::<f64>(), b.as_slice::<f64>(), &d.f64),
        ElementType::BF16 => zip(a.as_slice::<bf16>(), b.as_slice::<bf16>(), |x, y| {
            bf16::from_f32((d.f32)(x.to_f32(), y.to_f32()))
        }),
        ElementType::F16 => zip(a.as_slice::<f16>(), b.as_slice::<f16>(), |x, y| {
            f16::from_f32((d.f32)(x.to_f32(), y.to_f32()))
        }),
        ElementType::C64 => zip(
            a.as_slice::<Complex<f32>>(),
            b.as_slice::<Complex<f32>>(),
            |x, y| {
                let z = (d.complex)(
                    Complex::new(x.re.into(), x.im.into()),
                    Complex::new(y.re.into(), y.im.into()),
                );
                Complex::new(z.re as f32, z.im as f32)
            },
        ),
        ElementType::C128 => zip(
            a.as_slice::<Complex<f64>>(),
            b.as_slice::<Complex<f64>>(),
            &d.complex,
        ),
        ElementType::I1 => zip(a.as_slice::<u8>(), b.as_slice::<u8>(), |x, y| {
            u8::from((d.boolean)(x != 0, y != 0))
        }),
        ElementType::Quantized(_) => {
            return Err(Stop::unsupported(format!(
                "elementwise arithmetic on {element}"
            )));
        }
        narrow if narrow.is_float() => {
            let results: Vec<f64> = a
                .to_f32s()
                .iter()
                .zip(b.to_f32s().iter())
                .map(|(x, y)| f64::from((d.f32)(*x, *y)))
                .collect();
            encode_f64s(narrow, &results)
        }
        other => {
            crate::integer_dispatch!(other, T => zip(a.as_slice::<T>(), b.as_slice::<T>(), |x, y| {
            T::wrap(wrap_narrow(other, (d.integer)(x.widen(), y.widen())))
        }), _ => return Err(Stop::internal(format!("no integer type {other}"))))
        }
    };
    let ring = match (cx.planes, a.ring(), b.ring()) {
        (Planes::IeeeAndRing, Some(r), Some(s)) => Some(match element {
            ElementType::F32 => ring_zip(
                r,
                s,
                a.as_slice::<f32>(),
                b.as_slice::<f32>(),
                |x, y| (f64::from(x), f64::from(y)),
                &d.ring,
            ),
            ElementType::F64 => ring_zip(
                r,
                s,
                a.as_slice::<f64>(),
                b.as_slice::<f64>(),
                |x, y| (x, y),
                &d.ring,
            ),
            e if e.is_complex() => zip(
                bytemuck::cast_slice::<u32, [u32; 2]>(r),
                bytemuck::cast_slice::<u32, [u32; 2]>(s),
                &d.ring_complex,
            ),
            _ => ring_zip(r, s, &a.to_f64s(), &b.to_f64s(), |x, y| (x, y), &d.ring),
        }),
        (Planes::IeeeAndRing | Planes::IeeeOnly, _, _) => None,
    };
    Ok(vec![
        Tensor::new(a.dims().to_vec(), element.clone(), ieee, ring).into(),
    ])
}

fn ring_zip<T: bytemuck::Pod>(
    r: &[Residue],
    s: &[Residue],
    a: &[T],
    b: &[T],
    widen: impl Fn(T, T) -> (f64, f64),
    f: impl Fn(Residue, Residue, (f64, f64)) -> Residue,
) -> Buffer {
    Buffer::build::<u32>(r.len(), |out| {
        for (((o, r), s), (x, y)) in out.iter_mut().zip(r).zip(s).zip(a.iter().zip(b)) {
            *o = f(*r, *s, widen(*x, *y));
        }
    })
}

/// Bound of a float op that rounds once: `propagate(a, error of a, b, error of b)` plus the rounding of the result. Integers are exact if their
/// operands are, else undetermined.
pub fn bound_binary(
    operands: &[Bounded<'_>],
    values: &[Value],
    propagate: impl Fn(f64, f64, f64, f64) -> f64,
) -> Result<Vec<Bound>, Stop> {
    let result = shape::operand(values, 0)?;
    let element = result.element();
    match element.class() {
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => {
            Ok(vec![exact_or_undetermined(operands, result.len())])
        }
        Class::Float | Class::Complex => {
            let magnitudes = |v: &Value| -> Result<Vec<f64>, Stop> {
                let t = v
                    .as_tensor()
                    .ok_or_else(|| Stop::internal("bound of a value that is no tensor"))?;
                Ok(match t.element() {
                    ElementType::C64 => t
                        .as_slice::<Complex<f32>>()
                        .iter()
                        .map(|z| f64::from(z.norm()))
                        .collect(),
                    ElementType::C128 => t
                        .as_slice::<Complex<f64>>()
                        .iter()
                        .map(|z| z.norm())
                        .collect(),
                    _ => t.to_f64s().into_owned(),
                })
            };
            let (a, b) = (
                magnitudes(operands[0].value)?,
                magnitudes(operands[1].value)?,
            );
            let out = magnitudes(&values[0])?;
            let (u, tiny) = (unit_roundoff(element), subnormal_roundoff(element));
            let errors = (0..out.len()).map(|i| {
                let carried =
                    propagate(a[i], operands[0].error.at(i), b[i], operands[1].error.at(i));
                rounded(out[i], carried, u, tiny)
            });
            Ok(vec![Bound::absolute(errors.collect())])
        }
    }
}

/// Bound of a result that is rounded once from a value off by `carried`. A result that is infinite or NaN while its operands carry errors is undetermined.
pub fn rounded(result: f64, carried: f64, u: f64, tiny: f64) -> f64 {
    if !result.is_finite() {
        return if carried == 0.0 { 0.0 } else { f64::INFINITY };
    }
    // The exact value is at most |result| (1 + u) + tiny, and the result lies within u of it.
    carried + (u / (1.0 - u)) * result.abs() + tiny
}

/// Exact if every operand is, else undetermined: for integer and boolean results.
pub fn exact_or_undetermined(operands: &[Bounded<'_>], n: usize) -> Bound {
    if operands.iter().all(|o| o.error.is_exact()) {
        return Bound::Exact;
    }
    let same_length = |o: &Bounded<'_>| o.value.as_tensor().is_some_and(|t| t.len() == n);
    Bound::absolute(
        (0..n)
            .map(|i| {
                if operands
                    .iter()
                    .all(|o| same_length(o) && o.error.at(i) == 0.0 || o.error.is_exact())
                {
                    0.0
                } else {
                    f64::INFINITY
                }
            })
            .collect(),
    )
}
