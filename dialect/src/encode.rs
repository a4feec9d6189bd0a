//! Storage of elements of every type from wide numbers, rounded or wrapped once.

use crate::{buffer::Buffer, float, types::ElementType};
use half::{bf16, f16};

/// Elements of `element` from f64, each rounded once to nearest even; integers truncate and saturate; complex: real part.
pub fn encode_f64s(element: &ElementType, values: &[f64]) -> Buffer {
    let n = values.len();
    macro_rules! cast {
        ($t:ty) => {
            Buffer::build::<$t>(n, |out| {
                out.iter_mut().zip(values).for_each(|(o, v)| *o = *v as $t)
            })
        };
    }
    match element {
        ElementType::F64 => Buffer::from_slice(values),
        ElementType::F32 => cast!(f32),
        ElementType::F16 => Buffer::build::<f16>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = f16_from_f64(*v))
        }),
        ElementType::BF16 => Buffer::build::<bf16>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = bf16_from_f64(*v))
        }),
        ElementType::C64 => Buffer::build::<[f32; 2]>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = [*v as f32, 0.0])
        }),
        ElementType::C128 => Buffer::build::<[f64; 2]>(n, |out| {
            out.iter_mut().zip(values).for_each(|(o, v)| *o = [*v, 0.0])
        }),
        ElementType::I8 => cast!(i8),
        ElementType::I16 => cast!(i16),
        ElementType::I32 => cast!(i32),
        ElementType::I64 => cast!(i64),
        ElementType::U8 => cast!(u8),
        ElementType::U16 => cast!(u16),
        ElementType::U32 => cast!(u32),
        ElementType::U64 => cast!(u64),
        ElementType::I1 => Buffer::build::<u8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = u8::from(*v != 0.0))
        }),
        ElementType::I2 => Buffer::build::<i8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = (*v as i8).clamp(-2, 1))
        }),
        ElementType::I4 => Buffer::build::<i8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = (*v as i8).clamp(-8, 7))
        }),
        ElementType::U2 => Buffer::build::<u8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = (*v as u8).min(3))
        }),
        ElementType::U4 => Buffer::build::<u8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = (*v as u8).min(15))
        }),
        ElementType::Quantized(q) => encode_f64s(&q.storage, values),
        narrow => Buffer::build::<u8>(n, |out| {
            out.iter_mut()
                .zip(values)
                .for_each(|(o, v)| *o = float::f64_to_narrow(narrow, *v))
        }),
    }
}

/// bf16 nearest to `value`, ties to even, in one rounding.
pub(crate) fn bf16_from_f64(value: f64) -> bf16 {
    bf16::from_f32(rounded_to_odd(value))
}

/// f16 nearest to `value`, ties to even, in one rounding (`f16::from_f64` rounds to f32 first, by the instruction of the CPU).
pub(crate) fn f16_from_f64(value: f64) -> f16 {
    f16::from_f32(rounded_to_odd(value))
}

/// `value` in f32, truncated toward zero with the last bit set where anything was cut off: a second rounding, to a type of at most 22 digits, is then exact.
fn rounded_to_odd(value: f64) -> f32 {
    let near = value as f32;
    if !near.is_finite() || f64::from(near) == value {
        return near;
    }
    let truncated = if f64::from(near).abs() > value.abs() {
        f32::from_bits(near.to_bits() - 1)
    } else {
        near
    };
    f32::from_bits(truncated.to_bits() | 1)
}

/// Elements of `element` from i64, wrapping to its width; floats are rounded once; complex: real part; i1: nonzero.
pub fn encode_i64s(element: &ElementType, values: &[i64]) -> Buffer {
    let n = values.len();
    macro_rules! cast {
        ($t:ty, $f:expr) => {
            Buffer::build::<$t>(n, |out| {
                out.iter_mut().zip(values).for_each(|(o, v)| *o = $f(*v))
            })
        };
    }
    match element {
        ElementType::I1 => cast!(u8, |v| u8::from(v != 0)),
        ElementType::I2 => cast!(i8, |v| ((v << 62) >> 62) as i8),
        ElementType::I4 => cast!(i8, |v| ((v << 60) >> 60) as i8),
        ElementType::U2 => cast!(u8, |v| (v & 3) as u8),
        ElementType::U4 => cast!(u8, |v| (v & 15) as u8),
        ElementType::I8 => cast!(i8, |v| v as i8),
        ElementType::I16 => cast!(i16, |v| v as i16),
        ElementType::I32 => cast!(i32, |v| v as i32),
        ElementType::I64 => Buffer::from_slice(values),
        ElementType::U8 => cast!(u8, |v| v as u8),
        ElementType::U16 => cast!(u16, |v| v as u16),
        ElementType::U32 => cast!(u32, |v| v as u32),
        ElementType::U64 => cast!(u64, |v| v as u64),
        ElementType::F32 => cast!(f32, |v| v as f32),
        ElementType::Quantized(q) => encode_i64s(&q.storage, values),
        _ => encode_f64s(
            element,
            &values.iter().map(|v| *v as f64).collect::<Vec<_>>(),
        ),
    }
}
