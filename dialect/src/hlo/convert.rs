//! `convert`: elementwise conversion to another element type.
//!
//! Meaning: the value of operand in the element type of the result. To floats: one rounding to nearest even; to integers: floats truncate, saturate,
//! NaN gives 0, integers wrap; to i1: nonzero; from complex: the real part; to complex: imaginary part 0.
//! Inputs I1 operand. Constraints: C1 shape(operand) = shape(result); the element type is declared.
//! Kind: arithmetic; float to float is the identity in the ring, integer to float embeds the integer, float to integer is a selection on the IEEE plane.
//! Numerics: one rounding. Saturation and NaN to 0 are XLA's (the specification leaves them open).
//! Example: `%1 = hlo.convert %0 : (tensor<2xf32>) -> tensor<2xi32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, subnormal_roundoff, unit_roundoff},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, map},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::{Planes, ring},
    program::Program,
    tensor::{Tensor, Value, bf16_from_f64, encode_f64s, encode_i64s},
    types::{Class, ElementType, Type},
};
use half::{bf16, f16};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Convert;

impl OpDef for Convert {
    const NAME: &'static str = "convert";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Convert {
        Convert
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        match shape::same_dims(&[operand, result]) {
            Ok(dims) => Ok(vec![result.with_dims(dims).into()]),
            Err(_) => Err(vec![format!("C1: shapes differ: {operand} and {result}")]),
        }
    }

    fn eval(
        &self,
        operands: &[Value],
        results: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let Some(to) = results
            .first()
            .and_then(Type::as_tensor)
            .map(|t| &t.element)
        else {
            return Err(Stop::internal("convert without a declared result"));
        };
        if operand.element() == to {
            return Ok(vec![operand.clone().into()]);
        }
        if let (ElementType::Quantized(_), other) | (other, ElementType::Quantized(_)) =
            (operand.element(), to)
        {
            return Err(Stop::unsupported(format!(
                "convert between {other} and a quantized type"
            )));
        }
        let ring = match cx.planes {
            Planes::IeeeOnly => None,
            Planes::IeeeAndRing => ring_plane(operand, to),
        };
        Ok(vec![
            Tensor::new(
                operand.dims().to_vec(),
                to.clone(),
                ieee_plane(operand, to),
                ring,
            )
            .into(),
        ])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        let (from, to) = (
            shape::operand(std::slice::from_ref(operands[0].value), 0)?,
            shape::operand(values, 0)?,
        );
        match (from.element().class(), to.element().class()) {
            (Class::Float | Class::Complex, Class::Float | Class::Complex) => {
                elementwise::bound_identity(from, &operands[0], values)
            }
            (Class::Signed | Class::Unsigned | Class::Boolean, Class::Float | Class::Complex) => {
                // Integers of at most 53 bits are f64 exactly; beyond, one rounding is counted.
                let (x, y) = (from.to_f64s(), to.to_f64s());
                let (u, tiny) = (
                    unit_roundoff(to.element()),
                    subnormal_roundoff(to.element()),
                );
                let known = 2f64.powi(53);
                elementwise::bound_exact_op(values, |i| {
                    if x[i] == y[i] && x[i].abs() < known {
                        operands[0].error.at(i)
                    } else {
                        elementwise::rounded(y[i], operands[0].error.at(i), u, tiny)
                    }
                })
            }
            (Class::Float | Class::Complex, Class::Signed | Class::Unsigned) => {
                elementwise::bound_steps(operands, values, f64::trunc)
            }
            (Class::Float | Class::Complex, Class::Boolean) => {
                elementwise::bound_steps(operands, values, |x| f64::from(u8::from(x != 0.0)))
            }
            (
                Class::Signed | Class::Unsigned | Class::Boolean,
                Class::Signed | Class::Unsigned | Class::Boolean,
            )
            | (Class::Quantized, _)
            | (_, Class::Quantized) => {
                Ok(vec![elementwise::exact_or_undetermined(operands, to.len())])
            }
        }
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, from, to) = (s.dims(), s.element(|_| true), s.element(|_| true));
        Sampler::single(
            Convert,
            &[Type::tensor(dims.clone(), from)],
            &[Type::tensor(dims, to)],
        )
    }
}

fn ieee_plane(a: &Tensor, to: &ElementType) -> Buffer {
    match (a.element(), to) {
        (ElementType::F32, ElementType::BF16) => map(a.as_slice::<f32>(), bf16::from_f32),
        (ElementType::F32, ElementType::F16) => map(a.as_slice::<f32>(), f16::from_f32),
        (ElementType::BF16, ElementType::F32) => map(a.as_slice::<bf16>(), bf16::to_f32),
        (ElementType::F16, ElementType::F32) => map(a.as_slice::<f16>(), f16::to_f32),
        (ElementType::F32, ElementType::I32) => map(a.as_slice::<f32>(), |x| x as i32),
        (ElementType::I32, ElementType::F32) => map(a.as_slice::<i32>(), |x| x as f32),
        (ElementType::C64, ElementType::C128) => {
            map(a.as_slice::<[f32; 2]>(), |z| z.map(f64::from))
        }
        (ElementType::C128, ElementType::C64) => {
            map(a.as_slice::<[f64; 2]>(), |z| z.map(|x| x as f32))
        }
        (ElementType::U64, to) if to.has_ring() => unsigned_to_float(a.as_slice::<u64>(), to),
        (from, to) if from.is_integer() && to.is_integer() => encode_i64s(to, &a.to_i64s()),
        (from, to) if from.is_integer() => signed_to_float(&a.to_i64s(), to),
        (_, to) => encode_f64s(to, &a.to_f64s()),
    }
}

/// Integers rounded once: through f64 rounded to odd where they have more than 53 bits, which leaves the second rounding exact.
fn signed_to_float(values: &[i64], to: &ElementType) -> Buffer {
    match to {
        ElementType::F32 => map(values, |v| v as f32),
        ElementType::F64 => map(values, |v| v as f64),
        ElementType::C128 => map(values, |v| [v as f64, 0.0]),
        ElementType::C64 => map(values, |v| [v as f32, 0.0]),
        ElementType::BF16 => map(values, |v| bf16_from_f64(to_odd(v.unsigned_abs(), v < 0))),
        other => {
            let exact: Vec<f64> = values
                .iter()
                .map(|v| to_odd(v.unsigned_abs(), *v < 0))
                .collect();
            encode_f64s(other, &exact)
        }
    }
}

fn unsigned_to_float(values: &[u64], to: &ElementType) -> Buffer {
    match to {
        ElementType::F32 => map(values, |v| v as f32),
        ElementType::F64 => map(values, |v| v as f64),
        ElementType::C128 => map(values, |v| [v as f64, 0.0]),
        ElementType::C64 => map(values, |v| [v as f32, 0.0]),
        other => {
            let exact: Vec<f64> = values.iter().map(|v| to_odd(*v, false)).collect();
            encode_f64s(other, &exact)
        }
    }
}

/// The integer as f64, truncated with the last bit sticky.
fn to_odd(magnitude: u64, negative: bool) -> f64 {
    let dropped = 64u32
        .saturating_sub(magnitude.leading_zeros())
        .saturating_sub(53);
    let kept = magnitude >> dropped;
    let sticky = u64::from(kept << dropped != magnitude);
    let value = (kept | sticky) as f64 * (1u64 << dropped) as f64;
    if negative { -value } else { value }
}

fn ring_plane(a: &Tensor, to: &ElementType) -> Option<Buffer> {
    let embed = |values: &mut dyn Iterator<Item = i128>| {
        let residues: Vec<u32> = values.map(ring::embed_i128).collect();
        if to.is_complex() {
            map(&residues, |r| [r, 0])
        } else {
            Buffer::from_slice(&residues)
        }
    };
    match (a.element().class(), to.class()) {
        (_, Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized)
        | (Class::Quantized, _) => None,
        (Class::Float, Class::Float) | (Class::Complex, Class::Complex) => a.ring_buffer().cloned(),
        (Class::Float, Class::Complex) => a.ring().map(|r| map(r, |r| [r, 0])),
        (Class::Complex, Class::Float) => a
            .ring()
            .map(|r| map(bytemuck::cast_slice::<u32, [u32; 2]>(r), |pair| pair[0])),
        (Class::Unsigned, _) if *a.element() == ElementType::U64 => Some(embed(
            &mut a.as_slice::<u64>().iter().map(|v| i128::from(*v)),
        )),
        (Class::Boolean | Class::Signed | Class::Unsigned, _) => {
            Some(embed(&mut a.to_i64s().iter().map(|v| i128::from(*v))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    fn convert(from: &Tensor, to: ElementType) -> Tensor {
        let ty = Type::tensor(from.dims().iter().copied(), to);
        testing::run_declared(&Convert, std::slice::from_ref(from), &[ty]).0
    }

    #[test]
    fn floats_to_integers_truncate_and_saturate() {
        let x = [1.9, -1.9, 1e30, -1e30, f64::NAN, f64::INFINITY];
        for from in [ElementType::F64, ElementType::F32, ElementType::BF16] {
            let x = testing::tensor(from, &x);
            assert_eq!(
                convert(&x, ElementType::I32).as_slice::<i32>(),
                [1, -1, i32::MAX, i32::MIN, 0, i32::MAX]
            );
            assert_eq!(
                convert(&x, ElementType::U8).as_slice::<u8>(),
                [1, 0, 255, 0, 0, 255]
            );
            assert_eq!(
                convert(&x, ElementType::I4).to_i64s().as_ref(),
                [1, -1, 7, -8, 0, 7]
            );
            assert_eq!(convert(&x, ElementType::I1).as_slice::<u8>(), [1; 6]);
        }
    }

    #[test]
    fn integers_wrap_and_embed() {
        let v = Tensor::from_i64s(&[3], &ElementType::I64, &[300, -1, (1 << 53) + 1]);
        assert_eq!(convert(&v, ElementType::I8).as_slice::<i8>(), [44, -1, 1]);
        let f = convert(&v, ElementType::F64);
        assert_eq!(f.as_slice::<f64>()[2], 2f64.powi(53));
        assert_eq!(
            f.ring(),
            Some(&[300, ring::P - 1, ring::embed_i128((1 << 53) + 1)][..])
        );
        let all_ones = Tensor::from_i64s(&[1], &ElementType::U64, &[-1]);
        assert_eq!(
            convert(&all_ones, ElementType::F32).as_slice::<f32>(),
            [2f32.powi(64)]
        );
    }

    #[test]
    fn integers_round_once_to_narrow_floats() {
        // 2^60 + 2^52 is a tie in bf16 between 2^60 and 2^60 + 2^53; one more makes it round up.
        let v = Tensor::from_i64s(
            &[2],
            &ElementType::I64,
            &[(1 << 60) + (1 << 52), (1 << 60) + (1 << 52) + 1],
        );
        let got = convert(&v, ElementType::BF16).to_f64s().into_owned();
        assert_eq!(got, [2f64.powi(60), 2f64.powi(60) + 2f64.powi(53)]);
    }

    #[test]
    fn between_floats_the_residue_stays() {
        let x = testing::with_given_residues(ElementType::F64, &[1.0 + 2f64.powi(-30)], &[77]);
        let y = convert(&x, ElementType::F32);
        assert_eq!(
            (y.as_slice::<f32>(), y.ring()),
            (&[1.0][..], Some(&[77][..]))
        );
        let z = convert(&y, ElementType::C64);
        assert_eq!(
            (z.as_slice::<[f32; 2]>(), z.ring()),
            (&[[1.0, 0.0]][..], Some(&[77, 0][..]))
        );
        assert_eq!(convert(&z, ElementType::F16).ring(), Some(&[77][..]));
    }

    #[test]
    fn shapes_must_agree() {
        let found = Convert.infer(&InferContext {
            operands: &[Type::tensor([2], ElementType::F32)],
            declared: &[Type::tensor([3], ElementType::F32)],
            regions: &[],
        });
        assert!(found.expect_err("C1")[0].starts_with("C1"));
    }
}
