//! `zeta`: elementwise Hurwitz zeta function.
//!
//! Meaning: result = sum over k >= 0 of (k + rhs)^-lhs; +inf at lhs = 1, NaN for lhs < 1; for rhs <= 0 an integer lhs is needed, and an integer rhs is a pole (+inf for even lhs, else NaN).
//! Source: chlo.
//! Inputs I1 lhs, I2 rhs (float tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: opaque; in the ring a hash of both operands. Numerics: within 8 ulp; computed in double precision and rounded once below f64.
//! Example: `%2 = hlo.zeta %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring::function_of_two,
    program::Program,
    special,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Zeta;

impl OpDef for Zeta {
    const NAME: &'static str = "zeta";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Zeta {
        Zeta
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, elementwise::float, "float") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::real_function_of_two(operands, cx, special::zeta, function_of_two::zeta)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // Exact operands only.
        elementwise::bound_function_of_two(operands, values, 8.0, |_, ex, _, eq| {
            if ex == 0.0 && eq == 0.0 {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.is_float()));
        Sampler::single(Zeta, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        testing::table_of_two(
            &Zeta,
            8.0,
            &[
                (2.0, 1.0, 1.6449340668482264),
                (1.0, 2.0, f64::INFINITY),
                (0.5, 1.0, f64::NAN),
                (2.0, 0.0, f64::INFINITY),
                (3.0, -1.0, f64::NAN),
                (2.5, -0.5, f64::NAN),
                (2.0, -0.5, 8.934802200544679),
            ],
        );
    }

    #[test]
    fn the_ring_hashes_both_operands() {
        let x = testing::with_given_residues(ElementType::F64, &[2.0; 3], &[5, 6, 5]);
        let y = testing::with_given_residues(ElementType::F64, &[1.5; 3], &[7, 7, 8]);
        let (out, _) = testing::run(&Zeta, &[x, y]);
        let r = out.ring().expect("a ring plane");
        assert!(r[0] != r[1] && r[0] != r[2]);
    }
}
