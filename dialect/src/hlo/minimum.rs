//! `minimum`: elementwise smaller operand.
//!
//! Meaning: floats: minimum of IEEE 754 (NaN wins, -0 < +0); booleans: logical and; integers: minimum; complex: lexicographic on (real, imaginary).
//! Inputs I1 lhs, I2 rhs (tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: selection on the IEEE plane; of equal operands the smaller residue is taken, so that their order does not matter. Numerics: bits are kept.
//! Example: `%2 = hlo.minimum %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, choice, complex},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Minimum;

impl OpDef for Minimum {
    const NAME: &'static str = "minimum";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Minimum {
        Minimum
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 2, |_| true, "any") // C1
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
                f32: choice::minimum_f32,
                f64: choice::minimum,
                complex: |a, b| if complex::greater(b, a) { a } else { b },
                integer: |a: i128, b| a.min(b),
                boolean: |a, b| a & b,
                ring: |(r, x), (s, y), out| {
                    for ((o, a), b) in out.iter_mut().zip(r.iter().zip(x)).zip(s.iter().zip(y)) {
                        *o = choice::residue_of_larger((*a.0, -a.1), (*b.0, -b.1));
                    }
                    0
                },
                ring_complex: |a, b, (x, y), _, _| if complex::greater(y, x) { a } else { b },
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
        // min moves by at most the larger of the two errors. Chosen bits are not rounded.
        if shape::operand(values, 0)?.element().is_integer() {
            return Ok(vec![elementwise::exact_or_undetermined(
                operands,
                shape::operand(values, 0)?.len(),
            )]);
        }
        elementwise::bound_exact_op(values, |i| {
            operands.iter().map(|o| o.error.at(i)).fold(0.0, f64::max)
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(Minimum, &[ty.clone(), ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    #[test]
    fn values() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        testing::table_of_two(
            &Minimum,
            0.0,
            &[
                (1.0, 2.0, 1.0),
                (-0.0, 0.0, -0.0),
                (0.0, -0.0, -0.0),
                (nan, 1.0, nan),
                (1.0, nan, nan),
                (inf, -inf, -inf),
            ],
        );
        testing::integers(
            &Minimum,
            ElementType::U8,
            &[&[200, 3], &[100, 7]],
            &[100, 3],
        );
        testing::integers(&Minimum, ElementType::I8, &[&[-56], &[100]], &[-56]);
        testing::integers(&Minimum, ElementType::I1, &[&[0, 1], &[1, 1]], &[0, 1]);
    }

    #[test]
    fn the_ieee_plane_chooses_the_residue() {
        let a = testing::with_given_residues(ElementType::F16, &[1.0, -3.0, 2.0], &[10, 20, 40]);
        let b = testing::with_given_residues(ElementType::F16, &[2.0, -4.0, 2.0], &[5, 6, 30]);
        let want = [10, 6, 30];
        assert_eq!(
            testing::run(&Minimum, &[a.clone(), b.clone()]).0.ring(),
            Some(&want[..])
        );
        assert_eq!(testing::run(&Minimum, &[b, a]).0.ring(), Some(&want[..]));
    }
}
