//! Arguments of a rule: all values of small types, special and random ones of larger types.

use tileproof_dialect::{
    planes::ring::mix,
    tensor::{Tensor, Value},
    types::{Class, ElementType, Type},
};

/// Elements of an argument that takes all or many values.
pub const MANY: u64 = 1 << 16;

/// Bits of all arguments together up to which every combination is tried.
const EXHAUSTIVE_BITS: u32 = 16;

/// Arguments of these types. Arguments of [`MANY`] elements take values as the header of the test says; the elements of others have bits of their own.
pub fn arguments(types: &[Type]) -> Result<Vec<Value>, String> {
    let tensors: Vec<_> = types
        .iter()
        .map(|ty| {
            let t = ty.as_tensor().ok_or("an argument is no tensor")?;
            let dims = t.static_dims().ok_or("an argument has dynamic sizes")?;
            Ok((dims, t.element.clone()))
        })
        .collect::<Result<_, String>>()?;
    let dense = |dims: &[u64]| dims == [MANY];
    let bits: u32 = tensors
        .iter()
        .filter(|(dims, _)| dense(dims))
        .map(|(_, element)| element.bits())
        .sum();
    let mut shift = 0;
    let mut out = vec![];
    for (number, (dims, element)) in tensors.into_iter().enumerate() {
        let patterns: Vec<u64> = if dense(&dims) && bits <= EXHAUSTIVE_BITS {
            let width = element.bits();
            let all = (0..MANY).map(|i| i >> shift & mask(width)).collect();
            shift += width;
            all
        } else if dense(&dims) {
            many(&element, number as u64)
        } else {
            let n = tileproof_dialect::tensor::count(&dims) as u64;
            let of = |i| mix(number as u64 * 1_000_003 + i) & mask(element.bits().min(64));
            (0..n).map(of).collect()
        };
        out.push(tensor(&dims, &element, &patterns)?.into());
    }
    Ok(out)
}

/// Arguments of integers from -2 to 2, of which sums of a few products are exact in every type.
pub fn small_integers(types: &[Type]) -> Result<Vec<Value>, String> {
    let one = |(number, ty): (usize, &Type)| {
        let t = ty.as_tensor().ok_or("an argument is no tensor")?;
        let dims = t.static_dims().ok_or("an argument has dynamic sizes")?;
        let n = tileproof_dialect::tensor::count(&dims) as u64;
        let value = |i| (mix(number as u64 * 1_000_003 + i) % 5) as i64 - 2;
        let values: Vec<i64> = (0..n).map(value).collect();
        Ok(Tensor::from_i64s(&dims, &t.element, &values).into())
    };
    types.iter().enumerate().map(one).collect()
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// Special values against special values of the other arguments, then every exponent, then random bits.
fn many(element: &ElementType, number: u64) -> Vec<u64> {
    let special = special(element);
    let n = special.len() as u64;
    let width = element.bits().min(64);
    (0..MANY)
        .map(|i| {
            // The arguments run through the special values at different speeds: every pair meets.
            if i < (n * n).min(MANY / 2) {
                return special[((i / n.pow(number as u32 % 2)) % n) as usize];
            }
            let random = mix(i * 31 + number * 1_000_003 + 17);
            match (element.class(), i % 3) {
                (Class::Float | Class::Complex, 0) => {
                    // Few bits of the significand: ties and exact results.
                    random & mask(width) & !mask(width / 3)
                }
                (Class::Signed | Class::Unsigned, 0) => random >> (random % 64),
                (_, _) => random,
            }
        })
        .map(|v| v & mask(width))
        .collect()
}

/// Zeros, ones, extremes and their neighbours, infinities and NaN with both signs, ties of rounding to integers; of integers the ends and the middle.
fn special(element: &ElementType) -> Vec<u64> {
    let values = |list: &[f64]| -> Vec<u64> {
        let t = Tensor::from_f64s(&[list.len() as u64], element, list);
        bits_of(&t)
    };
    let width = element.bits().min(64);
    match element.class() {
        Class::Float => {
            let mut all = values(&[
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -2.5,
                2.0,
                3.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                f64::MAX,
                f64::MIN,
            ]);
            // Smallest and largest subnormal, smallest normal, largest numbers, NaN of either sign and kind: from the bit patterns.
            let sign = 1u64 << (width - 1);
            let infinity = bits_of(&Tensor::from_f64s(&[1], element, &[f64::INFINITY]))[0];
            for pattern in [
                1,
                2,
                infinity.wrapping_sub(1),
                infinity.wrapping_add(1),
                sign - 1,
            ] {
                all.extend([pattern & mask(width), (pattern | sign) & mask(width)]);
            }
            all
        }
        Class::Complex => {
            let parts = special_parts(element);
            parts
                .iter()
                .flat_map(|re| parts.iter().map(move |im| (*re, *im)))
                .map(|(re, im)| re | im << (width / 2).min(32))
                .collect()
        }
        Class::Boolean => vec![0, 1],
        Class::Signed | Class::Unsigned | Class::Quantized => {
            let top = 1u64 << (width - 1);
            [
                0,
                1,
                2,
                3,
                top,
                top - 1,
                top + 1,
                mask(width),
                mask(width) - 1,
                7,
                127,
                128,
            ]
            .map(|v| v & mask(width))
            .to_vec()
        }
    }
}

/// Bits of a few numbers of the parts of c64; c128 takes the upper halves.
fn special_parts(_: &ElementType) -> Vec<u64> {
    [
        0.0f32,
        -0.0,
        1.0,
        -1.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e-40,
    ]
    .map(|v| u64::from(v.to_bits()))
    .to_vec()
}

fn bits_of(t: &Tensor) -> Vec<u64> {
    let size = t.element().storage_bytes();
    t.ieee()
        .bytes()
        .chunks_exact(size)
        .map(|c| {
            let mut bytes = [0; 8];
            bytes[..size.min(8)].copy_from_slice(&c[..size.min(8)]);
            u64::from_le_bytes(bytes)
        })
        .collect()
}

/// A tensor of these bit patterns, the upper ones of c128 repeated; integers of less than a byte are sign-extended as their storage asks.
fn tensor(dims: &[u64], element: &ElementType, patterns: &[u64]) -> Result<Tensor, String> {
    if element.is_integer() && element.class() != Class::Boolean {
        let unused = 64 - element.bits();
        let values: Vec<i64> = patterns
            .iter()
            .map(|p| (p << unused) as i64 >> unused)
            .collect();
        return Ok(Tensor::from_i64s(dims, element, &values));
    }
    let size = element.storage_bytes();
    let mut bytes = Vec::with_capacity(size * patterns.len());
    for p in patterns {
        let one = p.to_le_bytes();
        bytes.extend((0..size).map(|i| one[i % 8]));
    }
    let buffer = tileproof_dialect::buffer::Buffer::from_slice(&bytes);
    Ok(Tensor::new(dims.to_vec(), element.clone(), buffer, None))
}
