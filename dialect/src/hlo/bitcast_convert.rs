//! `bitcast_convert`: the same bits read as another element type.
//!
//! Meaning: bits(result) = bits(operand), little endian. A narrower result type adds a last dimension that enumerates the parts from the lowest bits
//! up; a wider one joins the last dimension.
//! Inputs I1 operand. Constraints: C1 equal widths: equal shapes; narrower result: one more dimension of size width(operand) / width(result); wider
//! result: one dimension less, whose size is width(result) / width(operand); C2 complex types only among themselves.
//! Kind: movement of bits on the IEEE plane; a float result embeds its value and is counted as made from bits.
//! Numerics: bits are kept.
//! Example: `%1 = hlo.bitcast_convert %0 : (tensor<f64>) -> tensor<4xf16>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, count},
    types::{Class, Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BitcastConvert;

impl OpDef for BitcastConvert {
    const NAME: &'static str = "bitcast_convert";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> BitcastConvert {
        BitcastConvert
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        let mut wrong = vec![];
        if operand.element.is_complex() != result.element.is_complex() {
            wrong.push(format!(
                "C2: a complex type is cast only to a complex type: {operand} and {result}"
            ));
        }
        let (from, to) = (operand.element.bits(), result.element.bits());
        let dims = if to < from {
            operand
                .dims
                .iter()
                .copied()
                .chain([Dim::Static(u64::from(from / to))])
                .collect()
        } else if to > from {
            let parts = Dim::Static(u64::from(to / from));
            match operand.dims.split_last() {
                Some((last, rest)) if shape::join_dims(*last, parts).is_some() => rest.to_vec(),
                Some(_) | None => {
                    wrong.push(format!(
                        "C1: the last dimension of {operand} must be {parts} to become {}",
                        result.element
                    ));
                    vec![]
                }
            }
        } else {
            operand.dims.clone()
        };
        if wrong.is_empty()
            && (from.max(to) % from.min(to).max(1) != 0
                || shape::same_dims(&[
                    &result.clone(),
                    &TensorType {
                        dims,
                        ..(**operand).clone()
                    }
                    .into(),
                ])
                .is_err())
        {
            wrong.push(format!("C1: {operand} does not have the bits of {result}"));
        }
        if wrong.is_empty() {
            Ok(vec![Type::Tensor(result.clone())])
        } else {
            Err(wrong)
        }
    }

    fn eval(
        &self,
        operands: &[Value],
        results: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let Some(result) = results.first().and_then(Type::as_tensor) else {
            return Err(Stop::internal("bitcast_convert without a declared result"));
        };
        let to = &result.element;
        if operand.element() == to {
            return Ok(vec![operand.clone().into()]);
        }
        let dims = result_dims(operand, to)?;
        let ieee = Buffer::from_slice(&unpack(&pack(operand), to, count(&dims)));
        let out = Tensor::new(dims, to.clone(), ieee, None);
        if to.has_ring() {
            cx.events.from_bits += out.len() as u64;
        }
        Ok(vec![cx.embedded(out).into()])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The bits of a number that is not exact are undetermined.
        let (operand, result) = (operands[0], shape::operand(values, 0)?);
        let n = operand.value.as_tensor().map_or(0, Tensor::len);
        if n == result.len() {
            return Ok(vec![elementwise::exact_or_undetermined(operands, n)]);
        }
        let exact = |i: usize| {
            if result.len() > n {
                operand.error.at(i / (result.len() / n.max(1))) == 0.0
            } else {
                let parts = n / result.len().max(1);
                (i * parts..(i + 1) * parts).all(|k| operand.error.at(k) == 0.0)
            }
        };
        elementwise::bound_exact_op(values, |i| {
            if operand.error.is_exact() || exact(i) {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        // Complex types only among themselves; six-bit types do not divide the others.
        let from = s.element(|e| e.bits() != 6);
        let to = s.element(|e| e.bits() != 6 && e.is_complex() == from.is_complex());
        let mut operand = s.dims();
        let mut result = operand.clone();
        if to.bits() < from.bits() {
            result.push(u64::from(from.bits() / to.bits()));
        } else if to.bits() > from.bits() {
            operand.push(u64::from(to.bits() / from.bits()));
        }
        Sampler::single(
            BitcastConvert,
            &[Type::tensor(operand, from)],
            &[Type::tensor(result, to)],
        )
    }
}

fn result_dims(operand: &Tensor, to: &ElementType) -> Result<Vec<u64>, Stop> {
    let (from, to) = (operand.element().bits(), to.bits());
    let mut dims = operand.dims().to_vec();
    if to < from {
        dims.push(u64::from(from / to));
    } else if to > from && dims.pop() != Some(u64::from(to / from)) {
        return Err(Stop::Trap(Trap::ShapeMismatch(format!(
            "bitcast_convert of {} to {to} bits",
            operand.ty()
        ))));
    }
    Ok(dims)
}

/// The elements end to end, without the padding of types below a byte.
fn pack(t: &Tensor) -> Vec<u8> {
    let bits = t.element().bits() as usize;
    if bits.is_multiple_of(8) {
        return t.ieee().bytes().to_vec();
    }
    let mut out = vec![0u8; (t.len() * bits).div_ceil(8)];
    let mask = (1u8 << bits) - 1;
    for (i, byte) in t.ieee().bytes().iter().enumerate() {
        let (at, shift) = (i * bits / 8, i * bits % 8);
        let value = u16::from(byte & mask) << shift;
        out[at] |= value as u8;
        if let Some(next) = out.get_mut(at + 1) {
            *next |= (value >> 8) as u8;
        }
    }
    out
}

/// `n` elements of `element` from packed bits, in the storage of a tensor.
fn unpack(packed: &[u8], element: &ElementType, n: usize) -> Vec<u8> {
    let bits = element.bits() as usize;
    if bits.is_multiple_of(8) {
        return packed.to_vec();
    }
    let byte = |at: usize| u16::from(packed.get(at).copied().unwrap_or(0));
    (0..n)
        .map(|i| {
            let (at, shift) = (i * bits / 8, i * bits % 8);
            let value = ((byte(at) | byte(at + 1) << 8) >> shift) as u8 & ((1 << bits) - 1);
            match element.class() {
                // Signed types below a byte are stored with their sign extended.
                Class::Signed => ((value << (8 - bits)) as i8 >> (8 - bits)) as u8,
                Class::Boolean
                | Class::Unsigned
                | Class::Float
                | Class::Complex
                | Class::Quantized => value,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hlo::elementwise::testing, planes::ring};

    fn cast(t: &Tensor, dims: &[u64], to: ElementType) -> (Tensor, u64) {
        let (out, events) = testing::run_declared(
            &BitcastConvert,
            std::slice::from_ref(t),
            &[Type::tensor(dims.iter().copied(), to)],
        );
        (out, events.from_bits)
    }

    #[test]
    fn equal_widths() {
        let x = testing::with_given_residues(ElementType::F32, &[1.0, -0.0], &[77, 0]);
        let (bits, _) = cast(&x, &[2], ElementType::U32);
        assert_eq!(bits.as_slice::<u32>(), [0x3f80_0000, 0x8000_0000]);
        let (back, made) = cast(&bits, &[2], ElementType::F32);
        assert_eq!((back.as_slice::<f32>(), made), (&[1.0, -0.0][..], 2));
        assert_eq!(back.ring(), Some(&[1, 0][..]));
    }

    #[test]
    fn narrower_adds_a_dimension_and_wider_joins_it() {
        // The example of the specification.
        let x = Tensor::from_slice(
            &[],
            ElementType::F64,
            &[f64::from_bits(0x0123_4567_89ab_cdef)],
        );
        let (parts, _) = cast(&x, &[4], ElementType::F16);
        assert_eq!(parts.as_slice::<u16>(), [0xcdef, 0x89ab, 0x4567, 0x0123]);
        let (whole, _) = cast(&parts, &[], ElementType::F64);
        assert_eq!(whole.ieee(), x.ieee());
    }

    #[test]
    fn types_below_a_byte_are_packed() {
        let x = Tensor::from_i64s(&[2], &ElementType::U8, &[0x8f, 0x21]);
        let (nibbles, _) = cast(&x, &[2, 2], ElementType::I4);
        assert_eq!(nibbles.to_i64s().as_ref(), [-1, -8, 1, 2]);
        let (bits, _) = cast(&x, &[2, 8], ElementType::I1);
        assert_eq!(
            bits.as_slice::<u8>(),
            [1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0]
        );
        assert_eq!(cast(&nibbles, &[2], ElementType::U8).0, x);
        assert_eq!(cast(&bits, &[2], ElementType::U8).0, x);
    }

    #[test]
    fn integers_become_embedded_floats() {
        let x = Tensor::from_i64s(&[1], &ElementType::I32, &[0x4040_0000]);
        let (out, _) = cast(&x, &[1], ElementType::F32);
        assert_eq!(
            (out.as_slice::<f32>(), out.ring()),
            (&[3.0][..], Some(&[3][..]))
        );
        assert_eq!(ring::embed_f64(3.0), 3);
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |a: Type, b: Type| {
            BitcastConvert.infer(&InferContext {
                operands: &[a],
                declared: &[b],
                regions: &[],
            })
        };
        let t = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        assert!(infer(t(&[3], ElementType::F32), t(&[3, 2], ElementType::F16)).is_ok());
        for (found, tag) in [
            (
                infer(t(&[3], ElementType::F32), t(&[3], ElementType::F16)),
                "C1",
            ),
            (
                infer(t(&[3], ElementType::F16), t(&[], ElementType::F32)),
                "C1",
            ),
            (
                infer(t(&[3], ElementType::F32), t(&[2], ElementType::I32)),
                "C1",
            ),
            (
                infer(t(&[3], ElementType::C64), t(&[3], ElementType::F64)),
                "C2",
            ),
        ] {
            assert!(found.expect_err(tag)[0].starts_with(tag));
        }
    }
}
