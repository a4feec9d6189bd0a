//! `next_after`: elementwise neighbour of lhs in the direction of rhs.
//!
//! Meaning: nextafter(lhs, rhs) of C: rhs where the operands are equal, the smallest subnormal with the sign of rhs from zero. Source: chlo.
//! Inputs I1 lhs, I2 rhs (float tensors). Constraints: C1 lhs, rhs and result have one type.
//! Kind: selection; the neighbour is chosen on the IEEE plane and embedded. Numerics: exact, in the type's own precision.
//! Example: `%2 = hlo.next_after %0, %1 : tensor<2x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, zip},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NextAfter;

impl OpDef for NextAfter {
    const NAME: &'static str = "next_after";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> NextAfter {
        NextAfter
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
        let (a, b) = elementwise::same_shape(operands)?;
        let ieee = match a.element() {
            ElementType::F64 => zip(a.as_slice::<u64>(), b.as_slice::<u64>(), |x, y| {
                next(x, y, 63, 0x7ff << 52)
            }),
            ElementType::F32 => zip(a.as_slice::<u32>(), b.as_slice::<u32>(), |x, y| {
                next(x.into(), y.into(), 31, 0xff << 23) as u32
            }),
            ElementType::F16 => zip(a.as_slice::<u16>(), b.as_slice::<u16>(), |x, y| {
                next(x.into(), y.into(), 15, 0x1f << 10) as u16
            }),
            ElementType::BF16 => zip(a.as_slice::<u16>(), b.as_slice::<u16>(), |x, y| {
                next(x.into(), y.into(), 15, 0xff << 7) as u16
            }),
            other => return Err(Stop::unsupported(format!("next_after on {other}"))),
        };
        let out = Tensor::new(a.dims().to_vec(), a.element().clone(), ieee, None);
        Ok(vec![cx.embedded(out).into()])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The neighbour of a number off by e is off by e and one spacing.
        elementwise::bound_function_of_two(operands, values, 1.0, |_, ex, _, ey| {
            if ex == 0.0 && ey == 0.0 { 0.0 } else { ex }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let wide = [
            ElementType::F64,
            ElementType::F32,
            ElementType::F16,
            ElementType::BF16,
        ];
        let ty = Type::tensor(s.dims(), s.pick(&wide).clone());
        Sampler::single(NextAfter, &[ty.clone(), ty], &[])
    }
}

/// On the bits of IEEE numbers whose sign is bit `sign`; magnitudes above `infinity` are NaN.
fn next(x: u64, y: u64, sign: u32, infinity: u64) -> u64 {
    let top = 1 << sign;
    let (a, b) = (x & !top, y & !top);
    if a > infinity || b > infinity {
        infinity | infinity >> 1
    } else if x == y || (a == 0 && b == 0) {
        y
    } else if a == 0 {
        (y & top) | 1
    } else if (x ^ y) & top != 0 || a > b {
        x - 1
    } else {
        x + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        let next_up = f64::from_bits(1f64.to_bits() + 1);
        let (tiny, inf) = (f64::from_bits(1), f64::INFINITY);
        let x = testing::tensor(
            ElementType::F64,
            &[1.0, 1.0, 0.0, -0.0, 0.0, f64::MAX, tiny, f64::NAN, -1.0],
        );
        let y = testing::tensor(
            ElementType::F64,
            &[2.0, 1.0, -1.0, 0.0, 1.0, inf, -1.0, 1.0, -2.0],
        );
        let (out, _) = testing::run(&NextAfter, &[x, y]);
        let got: Vec<u64> = out.as_slice::<u64>().to_vec();
        let want = [next_up, 1.0, -tiny, 0.0, tiny, inf, 0.0, f64::NAN, -next_up].map(f64::to_bits);
        assert_eq!(got[..7], want[..7]);
        assert!(f64::from_bits(got[7]).is_nan());
        assert_eq!(got[8], want[8]);
        let half = testing::tensor(ElementType::BF16, &[1.0]);
        let (out, _) = testing::run(
            &NextAfter,
            &[half, testing::tensor(ElementType::BF16, &[0.0])],
        );
        assert_eq!(out.to_f64s().as_ref(), [1.0 - 2f64.powi(-8)]);
    }
}
