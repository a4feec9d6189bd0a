//! `reduce_precision`: rounds to a float format of fewer bits and back.
//!
//! Meaning: result = operand rounded to nearest even to `mantissa_bits` stored bits and to the range of `exponent_bits`: beyond it infinity, below its
//! normal numbers zero, signs kept. NaN stays; with no mantissa bits it becomes infinity.
//! Inputs I1 operand (float tensor), I2 exponent_bits, I3 mantissa_bits. Constraints: C1 operand and result have one type; C2 exponent_bits >= 1;
//! C3 mantissa_bits >= 0.
//! Kind: movement; the identity in the ring, as every rounding. Numerics: one rounding to the format named.
//! Example: `%1 = hlo.reduce_precision %0 {exponent_bits = 8 : i64, mantissa_bits = 7 : i64} : tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, map},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReducePrecision {
    pub exponent_bits: i64,
    pub mantissa_bits: i64,
}

impl OpDef for ReducePrecision {
    const NAME: &'static str = "reduce_precision";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> ReducePrecision {
        ReducePrecision {
            exponent_bits: reader.int("exponent_bits"),
            mantissa_bits: reader.int("mantissa_bits"),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("exponent_bits", self.exponent_bits)
            .with("mantissa_bits", self.mantissa_bits)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let types = shape::elementwise(cx, 1, elementwise::float, "float")?; // C1
        let mut wrong = vec![];
        if self.exponent_bits < 1 {
            wrong.push(format!(
                "C2: exponent_bits must be at least 1, got {}",
                self.exponent_bits
            ));
        }
        if self.mantissa_bits < 0 {
            wrong.push(format!(
                "C3: mantissa_bits must not be negative, got {}",
                self.mantissa_bits
            ));
        }
        if wrong.is_empty() {
            Ok(types)
        } else {
            Err(wrong)
        }
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let ieee = match operand.element() {
            ElementType::F32 => self.rounded::<u32>(operand, 8, 23),
            ElementType::F64 => self.rounded::<u64>(operand, 11, 52),
            ElementType::F16 => self.rounded::<u16>(operand, 5, 10),
            ElementType::BF16 => self.rounded::<u16>(operand, 8, 7),
            ElementType::F8E5M2 => self.rounded::<u8>(operand, 5, 2),
            ElementType::F8E4M3 => self.rounded::<u8>(operand, 4, 3),
            ElementType::F8E3M4 => self.rounded::<u8>(operand, 3, 4),
            other => return Err(Stop::unsupported(format!("reduce_precision of {other}"))),
        };
        let out = Tensor::new(
            operand.dims().to_vec(),
            operand.element().clone(),
            ieee,
            operand.ring_buffer().cloned(),
        );
        Ok(vec![out.into()])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        let operand = shape::operand(std::slice::from_ref(operands[0].value), 0)?;
        elementwise::bound_identity(operand, &operands[0], values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let ieee = [
            ElementType::F64,
            ElementType::F32,
            ElementType::F16,
            ElementType::BF16,
            ElementType::F8E5M2,
        ];
        let ty = Type::tensor(s.dims(), s.pick(&ieee).clone());
        let op = ReducePrecision {
            exponent_bits: s.range(1, 11) as i64,
            mantissa_bits: s.range(0, 24) as i64,
        };
        Sampler::single(op, &[ty], &[])
    }
}

impl ReducePrecision {
    /// IEEE plane of a float tensor with the given bits of exponent and mantissa, stored as `T`.
    fn rounded<T: bytemuck::Pod + Into<u64> + TryFrom<u64>>(
        &self,
        t: &Tensor,
        exponent: u32,
        mantissa: u32,
    ) -> Buffer {
        map(t.as_slice::<T>(), |x| {
            let bits = self.round_bits(x.into(), exponent, mantissa);
            T::try_from(bits).unwrap_or(x)
        })
    }

    fn round_bits(&self, bits: u64, exponent: u32, mantissa: u32) -> u64 {
        let (sign, infinity) = (
            bits >> (exponent + mantissa) << (exponent + mantissa),
            ((1u64 << exponent) - 1) << mantissa,
        );
        let magnitude = bits ^ sign;
        if magnitude > infinity {
            return if self.mantissa_bits > 0 {
                bits
            } else {
                sign | infinity
            };
        }
        let dropped = i64::from(mantissa) - self.mantissa_bits;
        let magnitude = if dropped > 0 {
            // Round to nearest, ties to even, on the bits: a carry into the exponent is the next power of two.
            let unit = 1u64 << dropped;
            let bias = (unit >> 1) - 1 + ((magnitude >> dropped) & 1);
            (magnitude + bias) & !(unit - 1)
        } else {
            magnitude
        };
        if self.exponent_bits >= i64::from(exponent) {
            return sign | magnitude;
        }
        let (bias, reach) = (
            (1u64 << (exponent - 1)) - 1,
            (1u64 << (self.exponent_bits - 1)) - 1,
        );
        let scale = magnitude & infinity;
        if scale > (bias + reach) << mantissa {
            sign | infinity
        } else if scale <= (bias - reach) << mantissa {
            sign
        } else {
            sign | magnitude
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    fn reduce(exponent_bits: i64, mantissa_bits: i64, x: &[f64]) -> Vec<f64> {
        let op = ReducePrecision {
            exponent_bits,
            mantissa_bits,
        };
        let (out, _) = testing::run(&op, &[testing::tensor(ElementType::F32, x)]);
        out.to_f64s().into_owned()
    }

    #[test]
    fn bf16_inside_f32() {
        // 1 + 2^-8 is a tie and goes to the even 1; 1 + 3 * 2^-8 is a tie and goes up.
        let got = reduce(
            8,
            7,
            &[
                1.0 + 2f64.powi(-8),
                1.0 + 3.0 * 2f64.powi(-8),
                -0.0,
                f64::INFINITY,
            ],
        );
        assert_eq!(got, [1.0, 1.0 + 2f64.powi(-6), -0.0, f64::INFINITY]);
        assert!(reduce(8, 7, &[f64::NAN])[0].is_nan());
        assert_eq!(reduce(8, 0, &[f64::NAN]), [f64::INFINITY]);
    }

    #[test]
    fn f16_range_inside_f32() {
        assert_eq!(
            reduce(5, 10, &[65504.0, 65519.0, 65520.0, -1e9]),
            [65504.0, 65504.0, f64::INFINITY, f64::NEG_INFINITY]
        );
        // Below the normal numbers of f16 (2^-14) there is only zero.
        let got = reduce(5, 10, &[2f64.powi(-14), -2f64.powi(-15)]);
        assert_eq!(
            (got[0], got[1].to_bits()),
            (2f64.powi(-14), (-0.0f64).to_bits())
        );
    }

    #[test]
    fn the_residue_stays() {
        let x = testing::with_given_residues(ElementType::F64, &[0.1], &[77]);
        let (out, _) = testing::run(
            &ReducePrecision {
                exponent_bits: 8,
                mantissa_bits: 3,
            },
            &[x],
        );
        assert_eq!(out.ring(), Some(&[77][..]));
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |e, m| {
            ReducePrecision {
                exponent_bits: e,
                mantissa_bits: m,
            }
            .infer(&InferContext {
                operands: &[Type::tensor([2], ElementType::F32)],
                declared: &[],
                regions: &[],
            })
        };
        assert!(infer(0, 3).expect_err("C2")[0].starts_with("C2"));
        assert!(infer(1, -1).expect_err("C3")[0].starts_with("C3"));
    }
}
