//! `remainder`: elementwise remainder of the truncated division.
//!
//! Meaning: result = lhs - rhs * trunc(lhs / rhs), with the sign of lhs; integers: by 0 gives lhs, the smallest signed number by -1 gives 0.
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: selection of the integer trunc(lhs / rhs) on the IEEE plane, then arithmetic. Numerics: exact (fmod).
//! Example: `%2 = hlo.remainder %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Remainder;

impl OpDef for Remainder {
    const NAME: &'static str = "remainder";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Remainder {
        Remainder
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(
            cx,
            2,
            |t| elementwise::number(t) && !t.element.is_complex(),
            "real",
        ) // C1
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
                f32: |a, b| a % b,
                f64: |a, b| a % b,
                complex: |a, _| a, // C1 admits no complex numbers.
                integer: |a: i128, b| if b == 0 { a } else { a.wrapping_rem(b) },
                boolean: |a, _| a,
                ring: ring::function_of_two::remainder,
                ring_complex: |a, _, _, _, _| a,
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
        // The integer trunc(a / b) must be the same on the whole interval; then the error is ea + |trunc| eb.
        elementwise::bound_binary(operands, values, |a, ea, b, eb| {
            if ea == 0.0 && eb == 0.0 {
                return 0.0;
            }
            let (a_low, b_high) = ((a.abs() - ea).max(0.0), b.abs() + eb);
            let (a_high, b_low) = (a.abs() + ea, b.abs() - eb);
            if b_low <= 0.0
                || (ea >= a.abs() && a_high >= b_low)
                || (a_low / b_high).trunc() != (a_high / b_low).trunc()
            {
                f64::INFINITY
            } else {
                ea + (a / b).trunc().abs() * eb
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(
            s.dims(),
            s.element(|e| *e != ElementType::I1 && !e.is_complex()),
        );
        Sampler::single(Remainder, &[ty.clone(), ty], &[])
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
            &Remainder,
            0.0,
            &[
                (5.5, 2.0, 1.5),
                (-5.5, 2.0, -1.5),
                (5.5, -2.0, 1.5),
                (1.0, 0.0, f64::NAN),
                (inf, 1.0, f64::NAN),
                (1.0, inf, 1.0),
                (-4.0, 2.0, -0.0),
            ],
        );
        testing::integers(
            &Remainder,
            ElementType::I32,
            &[&[7, -7, 5, i64::from(i32::MIN)], &[3, 3, 0, -1]],
            &[1, -1, 5, 0],
        );
    }

    #[test]
    fn the_integer_of_the_ieee_plane_applies_to_the_residues() {
        let (r, s) = (12345, 678);
        let a = testing::with_given_residues(ElementType::F64, &[-7.5, 1e300], &[r, r]);
        let b = testing::with_given_residues(ElementType::F64, &[2.0, 1.0], &[s, 1]);
        let (out, _) = testing::run(&Remainder, &[a, b]);
        let want = [
            ring::add(r, ring::mul_residues(3, s)),
            ring::sub(r, ring::embed_f64(1e300)),
        ];
        assert_eq!(out.ring(), Some(&want[..]));
    }
}
