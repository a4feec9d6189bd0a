//! Ops of one operand. Real types compute in f64 and round once; so does complex<f32>.

use super::{Integer, map, wrap_narrow};
use crate::{
    buffer::Buffer,
    eval::{EvalContext, Stop},
    hlo::shape,
    planes::{Planes, ring},
    tensor::{Tensor, Value, bf16_from_f64, encode_f64s, f16_from_f64},
    types::{Class, ElementType},
};
use half::{bf16, f16};
use num_complex::Complex;

/// Scalar definitions of an op that keeps the type, one per kind of element.
pub struct Unary<R, C, I> {
    /// In f64, rounded once to the type.
    pub real: R,
    pub complex: C,
    /// On exact values; the result wraps to the type.
    pub integer: I,
    pub ring: ring::function::Function,
    pub ring_complex: ring::complex::Function,
}

/// Evaluates an op that keeps the type on any number type. Booleans count as integers 0 and 1.
pub fn unary<R, C, I>(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    d: Unary<R, C, I>,
) -> Result<Vec<Value>, Stop>
where
    R: Fn(f64) -> f64,
    C: Fn(Complex<f64>) -> Complex<f64>,
    I: Fn(i128) -> i128,
{
    if shape::operand(operands, 0)?.element().is_integer() {
        integer_unary(operands, |_, x| (d.integer)(x))
    } else {
        function(operands, cx, d.real, d.complex, d.ring, d.ring_complex)
    }
}

/// Evaluates a function of real and complex numbers.
pub fn function(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    real: impl Fn(f64) -> f64,
    complex: impl Fn(Complex<f64>) -> Complex<f64>,
    ring: ring::function::Function,
    ring_complex: ring::complex::Function,
) -> Result<Vec<Value>, Stop> {
    let a = shape::operand(operands, 0)?;
    if !a.element().is_complex() {
        return real_function(operands, cx, real, ring);
    }
    let ieee = complex_plane(a, complex);
    let out = Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, None);
    let ring = ring_complex_plane(a, &out, cx, ring_complex);
    Ok(vec![out.with_ring(ring).into()])
}

/// Evaluates a function of real numbers.
pub fn real_function(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    real: impl Fn(f64) -> f64,
    ring: ring::function::Function,
) -> Result<Vec<Value>, Stop> {
    let a = shape::operand(operands, 0)?;
    let element = a.element();
    match element.class() {
        Class::Float => {
            let ieee = real_plane(a, real);
            let ring = ring_plane(a, cx, ring);
            Ok(vec![
                Tensor::new(a.dims().to_vec(), element.clone(), ieee, ring).into(),
            ])
        }
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Complex | Class::Quantized => {
            Err(Stop::unsupported(format!(
                "a function of real numbers on {element}"
            )))
        }
    }
}

/// IEEE plane of a float tensor under `f`.
pub fn real_plane(a: &Tensor, f: impl Fn(f64) -> f64) -> Buffer {
    match a.element() {
        ElementType::F32 => map(a.as_slice::<f32>(), |x| f(f64::from(x)) as f32),
        ElementType::F64 => map(a.as_slice::<f64>(), f),
        ElementType::BF16 => map(a.as_slice::<bf16>(), |x| bf16_from_f64(f(x.to_f64()))),
        ElementType::F16 => map(a.as_slice::<f16>(), |x| f16_from_f64(f(x.to_f64()))),
        narrow => {
            let results: Vec<f64> = a.to_f64s().iter().map(|x| f(*x)).collect();
            encode_f64s(narrow, &results)
        }
    }
}

fn complex_plane(a: &Tensor, f: impl Fn(Complex<f64>) -> Complex<f64>) -> Buffer {
    if *a.element() == ElementType::C64 {
        map(a.as_slice::<Complex<f32>>(), |z| {
            let w = f(Complex::new(z.re.into(), z.im.into()));
            Complex::new(w.re as f32, w.im as f32)
        })
    } else {
        map(a.as_slice::<Complex<f64>>(), f)
    }
}

fn integer_plane(a: &Tensor, f: impl Fn(i128) -> i128) -> Result<Buffer, Stop> {
    let element = a.element();
    if *element == ElementType::I1 {
        return Ok(map(a.as_slice::<u8>(), |x| (f(x.into()) & 1) as u8));
    }
    Ok(
        crate::integer_dispatch!(element, T => map(a.as_slice::<T>(), |x| {
        T::wrap(wrap_narrow(element, f(x.widen())))
    }), _ => return Err(Stop::internal(format!("no integer type {element}")))),
    )
}

/// Elements handled at a time where a plane is widened to f64.
const CHUNK: usize = 512;

/// Ring plane of a float tensor under `f`, if the run and the operand have one. Zero divisors are counted in the events.
pub fn ring_plane(
    a: &Tensor,
    cx: &mut EvalContext<'_>,
    f: ring::function::Function,
) -> Option<Buffer> {
    let (Planes::IeeeAndRing, Some(r)) = (cx.planes, a.ring()) else {
        return None;
    };
    let mut zeros = 0;
    let out = Buffer::build::<u32>(r.len(), |out| {
        let mut values = [0.0; CHUNK];
        for (k, (r, out)) in r.chunks(CHUNK).zip(out.chunks_mut(CHUNK)).enumerate() {
            zeros += f(r, widen(a, k * CHUNK, &mut values[..r.len()]), out);
        }
    });
    cx.events.zero_divisors += zeros;
    Some(out)
}

/// Ring plane of a float op of two operands of one shape.
pub fn ring_plane_of_two(
    a: &Tensor,
    b: &Tensor,
    cx: &mut EvalContext<'_>,
    f: ring::function_of_two::Function2,
) -> Option<Buffer> {
    let (Planes::IeeeAndRing, Some(r), Some(s)) = (cx.planes, a.ring(), b.ring()) else {
        return None;
    };
    let mut zeros = 0;
    let out = Buffer::build::<u32>(r.len(), |out| {
        let (mut x, mut y) = ([0.0; CHUNK], [0.0; CHUNK]);
        let chunks = r
            .chunks(CHUNK)
            .zip(s.chunks(CHUNK))
            .zip(out.chunks_mut(CHUNK));
        for (k, ((r, s), out)) in chunks.enumerate() {
            let x = widen(a, k * CHUNK, &mut x[..r.len()]);
            let y = widen(b, k * CHUNK, &mut y[..r.len()]);
            zeros += f((r, x), (s, y), out);
        }
    });
    cx.events.zero_divisors += zeros;
    Some(out)
}

/// Elements of a float tensor from `start` on as f64.
fn widen<'a>(t: &Tensor, start: usize, out: &'a mut [f64]) -> &'a [f64] {
    macro_rules! each {
        ($t:ty, $f:expr) => {
            out.iter_mut()
                .zip(t.as_slice::<$t>().iter().skip(start))
                .for_each(|(o, v)| *o = $f(*v))
        };
    }
    match t.element() {
        ElementType::F32 => each!(f32, f64::from),
        ElementType::F64 => each!(f64, |v| v),
        ElementType::BF16 => each!(bf16, bf16::to_f64),
        ElementType::F16 => each!(f16, f16::to_f64),
        narrow => each!(u8, |v| crate::float::narrow_to_f64(narrow, v)),
    }
    out
}

/// Elements of a complex tensor in double precision.
pub fn complexes(t: &Tensor) -> Vec<Complex<f64>> {
    if *t.element() == ElementType::C64 {
        t.as_slice::<Complex<f32>>()
            .iter()
            .map(|z| Complex::new(z.re.into(), z.im.into()))
            .collect()
    } else {
        t.as_slice::<Complex<f64>>().to_vec()
    }
}

fn ring_complex_plane(
    a: &Tensor,
    result: &Tensor,
    cx: &mut EvalContext<'_>,
    f: ring::complex::Function,
) -> Option<Buffer> {
    let (Planes::IeeeAndRing, Some(r)) = (cx.planes, a.ring()) else {
        return None;
    };
    let pairs = bytemuck::cast_slice::<u32, ring::complex::Pair>(r);
    let (z, w) = (complexes(a), complexes(result));
    let zeros = &mut cx.events.zero_divisors;
    Some(Buffer::build::<ring::complex::Pair>(pairs.len(), |out| {
        for ((o, r), (z, w)) in out.iter_mut().zip(pairs).zip(z.iter().zip(&w)) {
            *o = f(*r, *z, *w, zeros);
        }
    }))
}

/// Evaluates an op on integers or booleans; `f` gets the width in bits and the value, and its result wraps to the type.
pub fn integer_unary(
    operands: &[Value],
    f: impl Fn(u32, i128) -> i128,
) -> Result<Vec<Value>, Stop> {
    let a = shape::operand(operands, 0)?;
    let bits = a.element().bits();
    let ieee = integer_plane(a, |x| f(bits, x))?;
    Ok(vec![
        Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, None).into(),
    ])
}

/// Evaluates a test of every element of a float tensor.
pub fn predicate(operands: &[Value], f: impl Fn(f64) -> bool) -> Result<Vec<Value>, Stop> {
    let a = shape::operand(operands, 0)?;
    let test = |x: f64| u8::from(f(x));
    let out = match a.element() {
        ElementType::F32 => map(a.as_slice::<f32>(), |x| test(x.into())),
        ElementType::F64 => map(a.as_slice::<f64>(), test),
        _ => map(&a.to_f32s(), |x: f32| test(x.into())),
    };
    Ok(vec![
        Tensor::new(a.dims().to_vec(), ElementType::I1, out, None).into(),
    ])
}

/// Evaluates a function of two real numbers: in f64, rounded once to the type.
pub fn real_function_of_two(
    operands: &[Value],
    cx: &mut EvalContext<'_>,
    f: impl Fn(f64, f64) -> f64,
    ring: ring::function_of_two::Function2,
) -> Result<Vec<Value>, Stop> {
    let (a, b) = super::same_shape(operands)?;
    let values: Vec<f64> = a
        .to_f64s()
        .iter()
        .zip(b.to_f64s().iter())
        .map(|(x, y)| f(*x, *y))
        .collect();
    let ieee = encode_f64s(a.element(), &values);
    let ring = ring_plane_of_two(a, b, cx, ring);
    Ok(vec![
        Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, ring).into(),
    ])
}

/// The real (0) or imaginary (1) part of a complex tensor, both planes.
pub fn part(z: &Tensor, k: usize) -> Tensor {
    let (ieee, element) = if *z.element() == ElementType::C64 {
        (map(z.as_slice::<[f32; 2]>(), |z| z[k]), ElementType::F32)
    } else {
        (map(z.as_slice::<[f64; 2]>(), |z| z[k]), ElementType::F64)
    };
    let ring = z
        .ring()
        .map(|r| map(bytemuck::cast_slice::<u32, [u32; 2]>(r), |r| r[k]));
    Tensor::new(z.dims().to_vec(), element, ieee, ring)
}
