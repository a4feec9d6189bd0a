//! Applies scalar definitions to whole tensors, plane by plane. Floats of at most 16 bits compute in f32 and round once (exact for + - * / sqrt:
//! 24 >= 2*11 + 2 bits); complex<f32> computes in f64 and rounds once.

use crate::{
    buffer::Buffer,
    eval::{EvalContext, Stop},
    hlo::shape,
    planes::{Planes, ring, ring::Residue},
    tensor::{Tensor, Value, encode_f64s},
    types::{Class, ElementType, TensorType, Type},
};
use half::{bf16, f16};
use num_complex::Complex;

mod bound;
pub mod choice;
pub mod complex;
#[cfg(test)]
pub mod testing;
mod unary;

pub use bound::*;
pub use unary::*;

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
    RC: Fn([Residue; 2], [Residue; 2], (Complex<f64>, Complex<f64>)) -> [Residue; 2],
{
    let (a, b) = same_shape(operands)?;
    let ieee = binary_plane(a, b, &d)?;
    let ring = match (cx.planes, a.ring(), b.ring()) {
        (Planes::IeeeAndRing, Some(r), Some(s)) => Some(match a.element() {
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
            ElementType::BF16 => ring_zip(
                r,
                s,
                a.as_slice::<bf16>(),
                b.as_slice::<bf16>(),
                |x, y| (x.to_f64(), y.to_f64()),
                &d.ring,
            ),
            ElementType::F16 => ring_zip(
                r,
                s,
                a.as_slice::<f16>(),
                b.as_slice::<f16>(),
                |x, y| (x.to_f64(), y.to_f64()),
                &d.ring,
            ),
            e if e.is_complex() => {
                let (z, w) = (complexes(a), complexes(b));
                let pairs = bytemuck::cast_slice::<u32, [u32; 2]>;
                Buffer::build::<[u32; 2]>(z.len(), |out| {
                    let operands = pairs(r).iter().zip(pairs(s)).zip(z.iter().zip(&w));
                    for (o, ((r, s), (z, w))) in out.iter_mut().zip(operands) {
                        *o = (d.ring_complex)(*r, *s, (*z, *w));
                    }
                })
            }
            _ => ring_zip(r, s, &a.to_f64s(), &b.to_f64s(), |x, y| (x, y), &d.ring),
        }),
        (Planes::IeeeAndRing | Planes::IeeeOnly, _, _) => None,
    };
    Ok(vec![
        Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, ring).into(),
    ])
}

/// Evaluates a binary op whose ring planes take whole slices: of floats, and of complex numbers with IEEE operands and result.
pub fn binary_by_slices<F32, F64, C, I, B>(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    d: Binary<F32, F64, C, I, B, ring::function_of_two::Function2, ComplexRing2>,
) -> Result<Vec<Value>, Stop>
where
    F32: Fn(f32, f32) -> f32,
    F64: Fn(f64, f64) -> f64,
    C: Fn(Complex<f64>, Complex<f64>) -> Complex<f64>,
    I: Fn(i128, i128) -> i128,
    B: Fn(bool, bool) -> bool,
{
    let (a, b) = same_shape(operands)?;
    let ieee = binary_plane(a, b, &d)?;
    let out = Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, None);
    let ring = match (cx.planes, a.ring(), b.ring()) {
        (Planes::IeeeAndRing, Some(r), Some(s)) if a.element().is_complex() => {
            let (z, w, result) = (complexes(a), complexes(b), complexes(&out));
            let (r, s) = (
                bytemuck::cast_slice::<u32, [u32; 2]>(r),
                bytemuck::cast_slice::<u32, [u32; 2]>(s),
            );
            let zeros = &mut cx.events.zero_divisors;
            Some(Buffer::build::<[u32; 2]>(r.len(), |out| {
                let operands = r.iter().zip(s).zip(z.iter().zip(&w)).zip(&result);
                for (o, (((r, s), (z, w)), result)) in out.iter_mut().zip(operands) {
                    *o = (d.ring_complex)(*r, *s, (*z, *w), *result, zeros);
                }
            }))
        }
        (Planes::IeeeAndRing | Planes::IeeeOnly, _, _) => ring_plane_of_two(a, b, cx, d.ring),
    };
    Ok(vec![out.with_ring(ring).into()])
}

/// A complex op of two operands on the ring plane: residues of both, IEEE operands, IEEE result, count of zero divisors.
pub type ComplexRing2 = fn(
    [Residue; 2],
    [Residue; 2],
    (Complex<f64>, Complex<f64>),
    Complex<f64>,
    &mut u64,
) -> [Residue; 2];

/// The two operands, which must agree in shape at run time.
pub fn same_shape(operands: &[Value]) -> Result<(&Tensor, &Tensor), Stop> {
    let (a, b) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
    if a.dims() != b.dims() {
        return Err(Stop::Trap(crate::eval::Trap::ShapeMismatch(format!(
            "{} and {}",
            a.ty(),
            b.ty()
        ))));
    }
    Ok((a, b))
}

/// IEEE plane of a binary op.
fn binary_plane<F32, F64, C, I, B, R, RC>(
    a: &Tensor,
    b: &Tensor,
    d: &Binary<F32, F64, C, I, B, R, RC>,
) -> Result<Buffer, Stop>
where
    F32: Fn(f32, f32) -> f32,
    F64: Fn(f64, f64) -> f64,
    C: Fn(Complex<f64>, Complex<f64>) -> Complex<f64>,
    I: Fn(i128, i128) -> i128,
    B: Fn(bool, bool) -> bool,
{
    let element = a.element();
    Ok(match element {
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
    })
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

/// Element types that shape rules name; quantized types stand for the floats they express.
pub fn float_or_complex(t: &TensorType) -> bool {
    matches!(
        t.element.class(),
        Class::Float | Class::Complex | Class::Quantized
    )
}

pub fn float(t: &TensorType) -> bool {
    matches!(t.element.class(), Class::Float | Class::Quantized)
}

pub fn number(t: &TensorType) -> bool {
    t.element.class() != Class::Boolean
}

pub fn integer_or_boolean(t: &TensorType) -> bool {
    t.element.is_integer()
}

pub fn integer(t: &TensorType) -> bool {
    matches!(t.element.class(), Class::Signed | Class::Unsigned)
}

/// Evaluates an op of two integer or boolean operands; booleans are 0 and 1, and the result wraps to the type.
pub fn integer_binary(
    operands: &[Value],
    f: impl Fn(i128, i128) -> i128,
) -> Result<Vec<Value>, Stop> {
    let (a, b) = same_shape(operands)?;
    let element = a.element();
    let ieee = if *element == ElementType::I1 {
        zip(a.as_slice::<u8>(), b.as_slice::<u8>(), |x, y| {
            (f(x.into(), y.into()) & 1) as u8
        })
    } else {
        crate::integer_dispatch!(element, T => zip(a.as_slice::<T>(), b.as_slice::<T>(), |x, y| {
            T::wrap(wrap_narrow(element, f(x.widen(), y.widen())))
        }), _ => return Err(Stop::internal(format!("no integer type {element}"))))
    };
    Ok(vec![
        Tensor::new(a.dims().to_vec(), element.clone(), ieee, None).into(),
    ])
}

/// Type of a test of every element of a tensor of type `operand[0]`: i1 of its shape.
pub fn predicate_type(operand: Vec<Type>) -> Result<Vec<Type>, Vec<String>> {
    Ok(operand
        .iter()
        .filter_map(Type::as_tensor)
        .map(|t| TensorType::with_element(t, ElementType::I1).into())
        .collect())
}

/// Width of an integer type in bits, for ops on the bits of a value.
#[derive(Debug, Clone, Copy)]
pub struct Width(pub u32);

impl Width {
    /// The bits of `x` as an unsigned number.
    #[inline(always)]
    pub fn unsigned(self, x: i128) -> i128 {
        x & ((1 << self.0) - 1)
    }

    /// The bits of `x` as a signed number.
    #[inline(always)]
    pub fn signed(self, x: i128) -> i128 {
        (x << (128 - self.0)) >> (128 - self.0)
    }

    /// A shift amount, none when it is at least the width.
    #[inline(always)]
    pub fn shift(self, amount: i128) -> Option<u32> {
        let amount = self.unsigned(amount);
        (amount < i128::from(self.0)).then_some(amount as u32)
    }
}

/// Type of the parts of a complex tensor; a real tensor is its own part.
pub fn part_type(operand: Vec<Type>) -> Result<Vec<Type>, Vec<String>> {
    let part = |t: &TensorType| t.element.complex_part().unwrap_or(t.element.clone());
    Ok(operand
        .iter()
        .filter_map(Type::as_tensor)
        .map(|t| t.with_element(part(t)).into())
        .collect())
}
