//! Literals of HLO protos.

use super::messages as proto;
use crate::{
    buffer::Buffer,
    error::Error,
    import::hlo_text::Constant,
    literal::Literal,
    tensor::count,
    types::{ElementType, TensorType, Type},
};

/// The leaves of a constant of type `ty`.
pub fn constants(p: &proto::Literal, ty: &Type) -> Result<Vec<Constant>, Error> {
    let mut out = vec![];
    collect(p, ty, &mut out)?;
    Ok(out)
}

fn collect(p: &proto::Literal, ty: &Type, out: &mut Vec<Constant>) -> Result<(), Error> {
    let misfit = || Error::invalid("a literal does not fit its shape", Default::default());
    match ty {
        Type::Tensor(t) => out.push(Constant::Value(tensor(p, t)?)),
        Type::Token => return Err(misfit()),
        Type::Tuple(parts) => {
            if parts.len() != p.tuple_literals.len() {
                return Err(misfit());
            }
            for (part, literal) in parts.iter().zip(&p.tuple_literals) {
                collect(literal, part, out)?;
            }
        }
    }
    Ok(())
}

fn tensor(p: &proto::Literal, ty: &TensorType) -> Result<Literal, Error> {
    let misfit = || {
        Error::invalid(
            format!("a literal does not fit its shape {ty}"),
            Default::default(),
        )
    };
    let dims = ty.static_dims().ok_or_else(misfit)?;
    let total = dims
        .iter()
        .try_fold(1u64, |n, d| n.checked_mul(*d))
        .ok_or_else(misfit)?;
    let narrow = |bytes: &[u8], bits: u32| unpack(bytes, bits, total as usize);
    let signed = |bytes: &[u8], bits: u32| -> Buffer {
        let shift = 8 - bits;
        let values: Vec<i8> = narrow(bytes, bits)
            .iter()
            .map(|b| ((b << shift) as i8) >> shift)
            .collect();
        Buffer::from_slice(&values)
    };
    let data = match &ty.element {
        ElementType::I1 => {
            Buffer::from_slice(&p.preds.iter().map(|b| u8::from(*b)).collect::<Vec<_>>())
        }
        ElementType::I2 => signed(&p.s2s, 2),
        ElementType::I4 => signed(&p.s4s, 4),
        ElementType::I8 => Buffer::from_slice(&p.s8s),
        ElementType::I16 => Buffer::from_slice(&p.s16s),
        ElementType::I32 => Buffer::from_slice(&p.s32s),
        ElementType::I64 => Buffer::from_slice(&p.s64s),
        ElementType::U2 => Buffer::from_slice(&narrow(&p.u2s, 2)),
        ElementType::U4 => Buffer::from_slice(&narrow(&p.u4s, 4)),
        ElementType::U8 => Buffer::from_slice(&p.u8s),
        ElementType::U16 => Buffer::from_slice(&p.u16s),
        ElementType::U32 => Buffer::from_slice(&p.u32s),
        ElementType::U64 => Buffer::from_slice(&p.u64s),
        ElementType::F4E2M1FN => Buffer::from_slice(&narrow(&p.f4e2m1fns, 4)),
        ElementType::F8E3M4 => Buffer::from_slice(&p.f8e3m4s),
        ElementType::F8E4M3 => Buffer::from_slice(&p.f8e4m3s),
        ElementType::F8E4M3FN => Buffer::from_slice(&p.f8e4m3fns),
        ElementType::F8E4M3FNUZ => Buffer::from_slice(&p.f8e4m3fnuzs),
        ElementType::F8E4M3B11FNUZ => Buffer::from_slice(&p.f8e4m3b11fnuzs),
        ElementType::F8E5M2 => Buffer::from_slice(&p.f8e5m2s),
        ElementType::F8E5M2FNUZ => Buffer::from_slice(&p.f8e5m2fnuzs),
        ElementType::F8E8M0FNU => Buffer::from_slice(&p.f8e8m0fnus),
        ElementType::BF16 => Buffer::from_slice(&p.bf16s),
        ElementType::F16 => Buffer::from_slice(&p.f16s),
        ElementType::F32 => Buffer::from_slice(&p.f32s),
        ElementType::F64 => Buffer::from_slice(&p.f64s),
        ElementType::C64 => Buffer::from_slice(&p.c64s),
        ElementType::C128 => Buffer::from_slice(&p.c128s),
        other @ (ElementType::F6E2M3FN | ElementType::F6E3M2FN | ElementType::Quantized(_)) => {
            return Err(Error::unsupported(format!(
                "HLO proto literal of type {other}"
            )));
        }
    };
    // One element would be taken for all of them.
    if Some(data.bytes().len() as u64) != total.checked_mul(ty.element.storage_bytes() as u64) {
        return Err(misfit());
    }
    // XLA writes the elements in the order of the literal's own layout.
    let data = match p.shape.as_ref().and_then(|s| s.layout.as_ref()) {
        Some(layout) => row_major(
            &data,
            &dims,
            &layout.minor_to_major,
            ty.element.storage_bytes(),
        ),
        None => data,
    };
    Literal::new(dims, ty.element.clone(), data).ok_or_else(misfit)
}

/// Elements of `bits` bits out of packed bytes, low bits first.
fn unpack(bytes: &[u8], bits: u32, total: usize) -> Vec<u8> {
    let per_byte = (8 / bits) as usize;
    let mask = (1u8 << bits) - 1;
    let all = bytes
        .iter()
        .flat_map(|b| (0..per_byte).map(move |i| (b >> (i as u32 * bits)) & mask));
    all.take(total).collect()
}

/// Elements stored in the order of `minor_to_major`, brought to row-major order. A layout that does not fit leaves them as they are.
fn row_major(data: &Buffer, dims: &[u64], minor_to_major: &[i64], size: usize) -> Buffer {
    let rank = dims.len();
    let is_row_major = minor_to_major
        .iter()
        .rev()
        .enumerate()
        .all(|(i, d)| i as i64 == *d);
    if minor_to_major.len() != rank || is_row_major || count(dims) == 0 {
        return data.clone();
    }
    let mut strides = vec![0usize; rank];
    let mut stride = 1usize;
    for d in minor_to_major {
        match usize::try_from(*d).ok().filter(|d| *d < rank) {
            Some(d) => {
                strides[d] = stride;
                stride = stride.saturating_mul(dims[d] as usize);
            }
            None => return data.clone(),
        }
    }
    let mut out = Vec::with_capacity(data.bytes().len());
    let mut index = vec![0u64; rank];
    for _ in 0..count(dims) {
        let at: usize = index
            .iter()
            .zip(&strides)
            .map(|(i, s)| *i as usize * s)
            .sum();
        match data.bytes().get(at * size..(at + 1) * size) {
            Some(element) => out.extend_from_slice(element),
            None => return data.clone(),
        }
        for d in (0..rank).rev() {
            index[d] += 1;
            if index[d] < dims[d] {
                break;
            }
            index[d] = 0;
        }
    }
    Buffer::from_slice(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_major_elements_are_reordered() {
        let data = Buffer::from_slice(&[1u8, 4, 2, 5, 3, 6]);
        assert_eq!(
            row_major(&data, &[2, 3], &[0, 1], 1).bytes(),
            [1, 2, 3, 4, 5, 6]
        );
    }

    #[test]
    fn packed_elements_come_low_bits_first() {
        assert_eq!(unpack(&[0x21, 0x43], 4, 3), [1, 2, 3]);
        assert_eq!(unpack(&[0b11_10_01_00], 2, 4), [0, 1, 2, 3]);
    }
}
