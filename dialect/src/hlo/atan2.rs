//! `atan2`: elementwise angle of the point (rhs, lhs).
//!
//! Meaning: floats: atan2(lhs, rhs) of IEEE 754, in radians; complex: -i log((rhs + i lhs) / sqrt(rhs^2 + lhs^2)).
//! Inputs I1 lhs, I2 rhs (float or complex tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: opaque; in the ring odd in lhs, 0 at lhs = 0 < rhs.
//! Numerics: within 1 ulp; computed in double precision and rounded once below f64.
//! Example: `%2 = hlo.atan2 %0, %1 : tensor<2x3xf32>`.

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
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atan2;

impl OpDef for Atan2 {
    const NAME: &'static str = "atan2";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Atan2 {
        Atan2
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::float_or_complex, "float or complex") // C1
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
                f32: |y: f32, x: f32| f64::from(y).atan2(x.into()) as f32,
                f64: f64::atan2,
                complex: complex::atan2,
                integer: |a: i128, _| a, // C1 admits no integers.
                boolean: |a, _| a,
                ring: ring::function_of_two::atan2,
                ring_complex: |a, b, _, result, _| {
                    ring::complex::opaque_of_two("complex atan2", a, b, result)
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
        // A point off by r at distance d turns by at most asin(r / d); undetermined across the cut and where 0 is in reach.
        let complex = shape::operand(values, 0)?.element().is_complex();
        elementwise::bound_function_of_two(
            operands,
            values,
            if complex { 8.0 } else { 1.0 },
            |y, ey, x, ex| {
                let (reach, distance) = (ex.hypot(ey), x.hypot(y));
                if reach == 0.0 {
                    0.0
                } else if complex || reach >= distance || (x - ex < 0.0 && y.abs() <= ey) {
                    f64::INFINITY
                } else {
                    (reach / distance).asin()
                }
            },
        )
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Atan2, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        testing::table_of_two(
            &Atan2,
            1.0,
            &[
                (0.0, 1.0, 0.0),
                (-0.0, 1.0, -0.0),
                (0.0, -1.0, PI),
                (-0.0, -1.0, -PI),
                (1.0, 0.0, FRAC_PI_2),
                (1.0, 1.0, FRAC_PI_4),
                (f64::INFINITY, f64::INFINITY, FRAC_PI_4),
                (0.0, 0.0, 0.0),
                (f64::NAN, 1.0, f64::NAN),
            ],
        );
    }

    #[test]
    fn odd_in_the_first_operand() {
        let y = testing::with_given_residues(
            ElementType::F64,
            &[0.5, -0.5, 0.0],
            &[77, ring::neg(77), 0],
        );
        let x = testing::with_given_residues(ElementType::F64, &[2.0; 3], &[99; 3]);
        let (out, _) = testing::run(&Atan2, &[y, x]);
        let r = out.ring().expect("a ring plane");
        assert_eq!((ring::add(r[0], r[1]), r[2]), (0, 0));
    }
}
