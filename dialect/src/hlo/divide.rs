//! `divide`: elementwise quotient.
//!
//! Meaning: result = lhs / rhs. Integers discard the fraction; division by 0 gives all ones (-1), the smallest signed number by -1 gives itself.
//! Complex: quotient with the special values of C99 annex G.
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: arithmetic; the ring multiplies by the inverse. A divisor that is 0 in the ring and not in IEEE counts as a zero divisor.
//! Numerics: one rounding. The integer special cases are XLA's (the specification leaves them open).
//! Example: `%2 = hlo.divide %0, %1 : tensor<2x3xf32>`.

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
pub struct Divide;

impl OpDef for Divide {
    const NAME: &'static str = "divide";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Divide {
        Divide
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
                f32: |a, b| a / b,
                f64: |a, b| a / b,
                complex: complex::divide,
                integer: |a: i128, b| if b == 0 { -1 } else { a.wrapping_div(b) },
                boolean: |a, _| a,
                ring: ring::function_of_two::divide,
                ring_complex: |a, b, (_, y), result, zeros| {
                    ring::complex::div_pairs(a, b, y, result, zeros)
                },
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
        // |a'/b' - a/b| <= (ea + |a/b| eb) / (|b| - eb); undetermined where the divisor may be 0.
        let ulp = if shape::operand(values, 0)?.element().is_complex() {
            3.0
        } else {
            0.5
        };
        elementwise::bound_function_of_two(operands, values, ulp, |a, ea, b, eb| match (ea, eb) {
            (0.0, 0.0) => 0.0,
            _ if eb >= b.abs() => f64::INFINITY,
            _ => (ea + (a / b).abs() * eb) / (b.abs() - eb),
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Divide, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        let inf = f64::INFINITY;
        testing::table_of_two(
            &Divide,
            0.0,
            &[
                (1.0, 2.0, 0.5),
                (1.0, 0.0, inf),
                (1.0, -0.0, -inf),
                (0.0, 0.0, f64::NAN),
                (inf, inf, f64::NAN),
                (-3.0, inf, -0.0),
            ],
        );
        testing::integers(
            &Divide,
            ElementType::I32,
            &[&[7, -7, 7, 5, i64::from(i32::MIN)], &[2, 2, -2, 0, -1]],
            &[3, -3, -3, -1, i64::from(i32::MIN)],
        );
        testing::integers(&Divide, ElementType::U8, &[&[200, 9], &[7, 0]], &[28, 255]);
        testing::integers(&Divide, ElementType::I4, &[&[-8], &[-1]], &[-8]);
    }

    #[test]
    fn residues_divide() {
        let a = testing::with_residues(ElementType::F32, &[1.0; 600], 0);
        let b = testing::with_residues(ElementType::F32, &[2.0; 600], 1);
        let (quotient, events) = testing::run(&Divide, &[a.clone(), b.clone()]);
        let (back, _) = testing::run(&crate::hlo::multiply::Multiply, &[quotient, b]);
        assert_eq!((back.ring(), events.zero_divisors), (a.ring(), 0));
    }

    #[test]
    fn zero_divisors_are_counted_where_ieee_is_not_zero() {
        let a = testing::with_given_residues(ElementType::F64, &[1.0, 1.0, 0.0], &[5, 5, 0]);
        let b = testing::with_given_residues(ElementType::F64, &[1.0, 0.0, 0.0], &[0, 0, 0]);
        let (out, events) = testing::run(&Divide, &[a, b]);
        assert_eq!(events.zero_divisors, 1);
        assert_eq!(
            out.ring().map(|r| &r[1..]),
            Some(&[ring::POSITIVE_INFINITY, ring::UNDEFINED][..])
        );
    }
}
