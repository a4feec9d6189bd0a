//! `abs`: elementwise magnitude.
//!
//! Meaning: result = |operand|; signed integers wrap (the smallest stays); complex: modulus, where an infinite part wins over NaN.
//! Inputs I1 operand. Constraints: C1 shape(result) = shape(operand); C2 the element type is operand's, for complex numbers that of their parts.
//! Kind: selection of operand or -operand on the IEEE plane; complex: sqrt(a^2 + b^2) in the ring.
//! Numerics: exact; complex within 1 ulp.
//! Example: `%1 = hlo.abs %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, complex},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::{Planes, ring},
    program::Program,
    tensor::{Tensor, Value, encode_f64s},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Abs;

impl OpDef for Abs {
    const NAME: &'static str = "abs";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Abs {
        Abs
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let same = shape::elementwise(cx, 1, elementwise::number, "a number")?; // C1
        Ok(same
            .iter()
            .filter_map(Type::as_tensor)
            .map(|t| {
                t.with_element(t.element.complex_part().unwrap_or(t.element.clone()))
                    .into()
            }) // C2
            .collect())
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        if let Some(part) = operand.element().complex_part() {
            return Ok(vec![modulus(operand, part, cx).into()]);
        }
        elementwise::unary(
            operands,
            cx,
            elementwise::Unary {
                real: f64::abs,
                complex: |z| z, // Handled above.
                integer: |x: i128| x.abs(),
                ring: |r, x, out| {
                    ring::function::each(r, x, out, |r, x| {
                        if x.is_sign_negative() && !x.is_nan() {
                            ring::neg(r)
                        } else {
                            r
                        }
                    })
                },
                ring_complex: |r, _, _, _| r,
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
        if operands[0]
            .value
            .as_tensor()
            .is_some_and(|t| t.element().is_complex())
        {
            return elementwise::bound_modulus(operands, values, 1.0, |_, e, _| e);
        }
        elementwise::bound_exact_op(values, |i| operands[0].error.at(i))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| *e != ElementType::I1));
        Sampler::single(Abs, &[ty], &[])
    }
}

fn modulus(operand: &Tensor, part: ElementType, cx: &mut EvalContext<'_>) -> Tensor {
    let values: Vec<f64> = elementwise::complexes(operand)
        .iter()
        .map(|z| complex::abs(*z))
        .collect();
    let ring = match (cx.planes, operand.ring()) {
        (Planes::IeeeAndRing, Some(r)) => Some(Buffer::build::<u32>(values.len(), |out| {
            let pairs = bytemuck::cast_slice::<u32, ring::complex::Pair>(r);
            for (o, (pair, value)) in out.iter_mut().zip(pairs.iter().zip(&values)) {
                *o = ring::complex::abs(*pair, *value, &mut cx.events.zero_divisors);
            }
        })),
        (Planes::IeeeAndRing | Planes::IeeeOnly, _) => None,
    };
    let ieee = encode_f64s(&part, &values);
    Tensor::new(operand.dims().to_vec(), part, ieee, ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn values() {
        testing::table(
            &Abs,
            0.0,
            &[
                (-3.5, 3.5),
                (-0.0, 0.0),
                (f64::NEG_INFINITY, f64::INFINITY),
                (f64::NAN, f64::NAN),
            ],
        );
        testing::integers(&Abs, ElementType::I8, &[&[-128, -5, 5]], &[-128, 5, 5]);
        let out = testing::residues(
            &Abs,
            &[-2.0, 2.0, f64::NEG_INFINITY],
            &[7, 7, ring::NEGATIVE_INFINITY],
        );
        assert_eq!(out, [ring::P - 7, 7, ring::POSITIVE_INFINITY]);
    }

    #[test]
    fn complex_modulus() {
        let z = Tensor::from_slice(
            &[3],
            ElementType::C64,
            &[[3f32, -4.0], [f32::NAN, f32::NEG_INFINITY], [0.0, 0.0]],
        )
        .with_embedded_ring();
        let (out, _) = testing::run(&Abs, &[z]);
        assert_eq!(out.as_slice::<f32>(), [5.0, f32::INFINITY, 0.0]);
        let r = out.ring().expect("a ring plane");
        assert_eq!(ring::mul_residues(r[0], r[0]), 25);
        assert_eq!(
            r[1..],
            [ring::UNDEFINED, 0].map(|c| if c == 0 { 0 } else { ring::POSITIVE_INFINITY })
        );
    }
}
