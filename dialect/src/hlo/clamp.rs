//! `clamp`: elementwise restriction to an interval.
//!
//! Meaning: result = minimum(maximum(operand, min), max); a bound of rank 0 stands for all elements.
//! Inputs I1 min, I2 operand, I3 max. Constraints: C1 rank(min) = 0 or shape(min) = shape(operand); C2 the same for max; C3 element types agree;
//! C4 type(result) = type(operand).
//! Kind: selection on the IEEE plane. Numerics: bits are kept; NaN wins as in maximum and minimum.
//! Example: `%3 = hlo.clamp %0, %1, %2 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, maximum::Maximum, minimum::Minimum, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clamp;

impl OpDef for Clamp {
    const NAME: &'static str = "clamp";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Clamp {
        Clamp
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 3)?;
        let operand = operands[1];
        let mut wrong = vec![];
        for (tag, name, t) in [("C1", "min", operands[0]), ("C2", "max", operands[2])] {
            if t.rank() != 0 && shape::same_dims(&[t, operand]).is_err() {
                wrong.push(format!(
                    "{tag}: {name} {t} has neither rank 0 nor the shape of {operand}"
                ));
            }
            if t.element != operand.element {
                wrong.push(format!("C3: element types differ: {t} and {operand}"));
            }
        }
        if wrong.is_empty() {
            Ok(vec![Type::Tensor(operand.clone())])
        } else {
            Err(wrong)
        } // C4
    }

    fn eval(
        &self,
        operands: &[Value],
        results: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 1)?;
        let spread = |i: usize| -> Result<Value, Stop> {
            let t = shape::operand(operands, i)?;
            let strides = vec![0; operand.rank()];
            Ok(if t.rank() == 0 {
                t.strided(operand.dims(), 0, &strides)
            } else {
                t.clone()
            }
            .into())
        };
        let above = Maximum.eval(&[operand.clone().into(), spread(0)?], results, cx)?;
        let Some(above) = above.into_iter().next() else {
            return Err(Stop::internal("maximum gave no value"));
        };
        Minimum.eval(&[above, spread(2)?], results, cx)
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // As maximum and minimum: the largest of the errors.
        let result = shape::operand(values, 0)?;
        let error = |k: usize, i: usize| {
            let scalar = operands[k].value.as_tensor().is_some_and(|t| t.rank() == 0);
            operands[k].error.at(if scalar { 0 } else { i })
        };
        elementwise::bound_exact_op(values, |i| {
            let largest = (0..3).map(|k| error(k, i)).fold(0.0, f64::max);
            if largest > 0.0 && result.element().is_integer() {
                f64::INFINITY
            } else {
                largest
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let ty = Type::tensor(dims, element.clone());
        let mut bound = || {
            if s.range(0, 1) == 0 {
                Type::tensor([], element.clone())
            } else {
                ty.clone()
            }
        };
        let (min, max) = (bound(), bound());
        Sampler::single(Clamp, &[min, ty, max], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::types::ElementType;

    fn run(min: &[f64], x: &[f64], max: &[f64]) -> Vec<f64> {
        let t = |v: &[f64]| {
            let t = testing::tensor(ElementType::F32, v);
            if v.len() == 1 { t.reshaped(&[]) } else { t }
        };
        testing::run(
            &Clamp,
            &[t(min), testing::tensor(ElementType::F32, x), t(max)],
        )
        .0
        .to_f64s()
        .into_owned()
    }

    #[test]
    fn values() {
        assert_eq!(
            run(&[5.0, 10.0, 15.0], &[3.0, 13.0, 23.0], &[10.0, 15.0, 20.0]),
            [5.0, 13.0, 20.0]
        );
        assert_eq!(run(&[0.0], &[-1.0, 0.5, 7.0], &[1.0]), [0.0, 0.5, 1.0]);
        assert!(run(&[0.0], &[f64::NAN, 1.0], &[1.0])[0].is_nan());
        // min above max gives max.
        assert_eq!(run(&[2.0], &[0.0, 3.0], &[1.0]), [1.0, 1.0]);
    }

    #[test]
    fn the_chosen_residue_moves() {
        let min = testing::with_given_residues(ElementType::F32, &[0.0], &[5]).reshaped(&[]);
        let x = testing::with_given_residues(ElementType::F32, &[-1.0, 2.0], &[6, 7]);
        let max = testing::with_given_residues(ElementType::F32, &[9.0], &[8]).reshaped(&[]);
        assert_eq!(
            testing::run(&Clamp, &[min, x, max]).0.ring(),
            Some(&[5, 7][..])
        );
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        let x = || f(&[2], ElementType::F32);
        for (operands, tag) in [
            ([f(&[3], ElementType::F32), x(), x()], "C1"),
            ([x(), x(), f(&[3], ElementType::F32)], "C2"),
            ([x(), x(), f(&[], ElementType::F64)], "C3"),
        ] {
            let found = Clamp.infer(&InferContext {
                operands: &operands,
                declared: &[],
                regions: &[],
            });
            assert!(found.expect_err(tag)[0].starts_with(tag));
        }
    }
}
