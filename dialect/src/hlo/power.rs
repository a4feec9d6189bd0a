//! `power`: elementwise exponentiation.
//!
//! Meaning: result = lhs ^ rhs. Floats: pow of IEEE 754; integers: wrapping product, a negative exponent gives 0 except for the bases 1 and -1;
//! complex: exp(rhs log(lhs)).
//! Inputs I1 lhs, I2 rhs (tensors of numbers). Constraints: C1 lhs, rhs and result have one type.
//! Kind: opaque; an exponent that is exactly an integer or half an odd integer of at most 64 is multiplied out in the ring, x^-y = 1/x^y.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64.
//! Example: `%2 = hlo.power %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, complex},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Power;

impl OpDef for Power {
    const NAME: &'static str = "power";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Power {
        Power
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::number, "a number") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::binary_by_slices(
            operands,
            cx,
            elementwise::Binary {
                f32: |a: f32, b: f32| f64::from(a).powf(b.into()) as f32,
                f64: f64::powf,
                complex: complex::power,
                integer: integer_power,
                boolean: |a, _| a, // C1 admits no booleans.
                ring: ring::function_of_two::power,
                ring_complex: ring::complex::power,
            },
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // log(a^b) moves by at most d = (|b| + eb) max |log(a'/a)| + eb |log a|, and a^b by a^b (exp(d) - 1).
        let result = shape::operand(values, 0)?;
        let complex = result.element().is_complex();
        elementwise::bound_function_of_two(
            operands,
            values,
            if complex { 8.0 } else { 1.0 },
            |a, ea, b, eb| {
                if ea == 0.0 && eb == 0.0 {
                    0.0
                } else if complex || (a < 0.0 && eb > 0.0) {
                    f64::INFINITY
                } else if ea < a.abs() {
                    let base = -(-ea / a.abs()).ln_1p();
                    let d = (b.abs() + eb) * base
                        + if eb > 0.0 {
                            eb * a.abs().ln().abs()
                        } else {
                            0.0
                        };
                    a.abs().powf(b) * d.exp_m1()
                } else if b >= 1.0 && eb == 0.0 && b == b.floor() {
                    b * (a.abs() + ea).powf(b - 1.0) * ea
                } else {
                    f64::INFINITY
                }
            },
        )
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Power, &[ty.clone(), ty], &[])
    }
}

/// base^exponent modulo 2^128: the low bits are those of any narrower type.
fn integer_power(base: i128, exponent: i128) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent & 1 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut left) = (1i128, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        testing::table_of_two(
            &Power,
            1.0,
            &[
                (2.0, 10.0, 1024.0),
                (-2.0, 3.0, -8.0),
                (4.0, 0.5, 2.0),
                (-4.0, 0.5, nan),
                (nan, 0.0, 1.0),
                (1.0, nan, 1.0),
                (0.0, -1.0, inf),
                (-0.0, -1.0, -inf),
                (0.0, 2.0, 0.0),
                (-1.0, inf, 1.0),
                (0.5, -inf, inf),
                (inf, -1.0, 0.0),
            ],
        );
        testing::integers(
            &Power,
            ElementType::I32,
            &[&[3, -2, 2, 0, -1, 1, 2], &[4, 3, 40, 0, -3, -3, -1]],
            &[81, -8, 0, 1, -1, 1, 0],
        );
        testing::integers(&Power, ElementType::U8, &[&[3], &[6]], &[217]);
    }

    fn power(x: f64, r: u32, y: f64) -> u32 {
        let a = testing::with_given_residues(ElementType::F64, &[x], &[r]);
        let (out, events) = testing::run(&Power, &[a, testing::tensor(ElementType::F64, &[y])]);
        assert_eq!(events.zero_divisors, 0);
        out.ring().expect("a ring plane")[0]
    }

    #[test]
    fn exact_exponents_are_multiplied_out() {
        let r = 987654321;
        let root = ring::pow_residue(r, 1 << 29);
        assert_eq!(power(2.0, r, 0.0), 1);
        assert_eq!(power(2.0, r, 1.0), r);
        assert_eq!(
            power(2.0, r, 3.0),
            ring::mul_residues(r, ring::mul_residues(r, r))
        );
        assert_eq!(power(2.0, r, 0.5), root);
        assert_eq!(power(2.0, r, 1.5), ring::mul_residues(r, root));
        assert_eq!(
            ring::mul_residues(power(2.0, r, -2.0), ring::mul_residues(r, r)),
            1
        );
        assert_eq!(power(0.0, 0, -1.0), ring::POSITIVE_INFINITY);
        assert_eq!(power(-4.0, r, 0.5), ring::UNDEFINED);
    }

    #[test]
    fn other_exponents_keep_the_inverse() {
        assert_eq!(
            ring::mul_residues(power(2.0, 77, 0.3), power(2.0, 77, -0.3)),
            1
        );
        assert_ne!(power(2.0, 77, 0.3), power(2.0, 78, 0.3));
    }
}
