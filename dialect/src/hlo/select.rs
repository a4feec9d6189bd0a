//! `select`: elementwise choice.
//!
//! Meaning: result[i] = pred[i] ? on_true[i] : on_false[i]; a pred of rank 0 stands for all elements.
//! Inputs I1 pred (i1 tensor), I2 on_true, I3 on_false. Constraints: C1 rank(pred) = 0 or shape(pred) = shape(on_true);
//! C2 on_true, on_false and result have one type; C3 pred is a tensor of i1.
//! Kind: selection; both planes move together. Numerics: bits are kept. Both outcomes are counted.
//! Example: `%3 = hlo.select %0, %1, %2 : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{elementwise::choice, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Select;

impl OpDef for Select {
    const NAME: &'static str = "select";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Select {
        Select
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 3)?;
        let (pred, on_true, on_false) = (operands[0], operands[1], operands[2]);
        let mut wrong = vec![];
        let dims = match shape::same_dims(&[on_true, on_false]) {
            Ok(dims) if on_true.element == on_false.element => dims,
            Ok(_) | Err(_) => {
                return Err(vec![format!("C2: types differ: {on_true} and {on_false}")]);
            }
        };
        if pred.rank() != 0 && shape::same_dims(&[pred, on_true]).is_err() {
            wrong.push(format!(
                "C1: pred {pred} has neither rank 0 nor the shape of {on_true}"
            ));
        }
        if pred.element != ElementType::I1 {
            wrong.push(format!("C3: pred must be a tensor of i1, got {pred}"));
        }
        if wrong.is_empty() {
            Ok(vec![on_true.with_dims(dims).into()])
        } else {
            Err(wrong)
        }
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let (pred, on_true, on_false) = (
            shape::operand(operands, 0)?,
            shape::operand(operands, 1)?,
            shape::operand(operands, 2)?,
        );
        if on_true.dims() != on_false.dims() || (pred.rank() > 0 && pred.dims() != on_true.dims()) {
            return Err(Stop::Trap(Trap::ShapeMismatch(format!(
                "{}, {} and {}",
                pred.ty(),
                on_true.ty(),
                on_false.ty()
            ))));
        }
        let [no, yes] = choice::count_outcomes(pred.as_slice());
        cx.events.predicates[0] += no;
        cx.events.predicates[1] += yes;
        let one_for_all = pred
            .as_slice()
            .first()
            .copied()
            .filter(|_| pred.rank() == 0);
        Ok(vec![
            choice::select(pred.as_slice(), one_for_all, on_true, on_false).into(),
        ])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // The error of the chosen side; undetermined where the predicate is.
        let (pred, n) = (
            shape::operand(std::slice::from_ref(operands[0].value), 0)?,
            shape::operand(values, 0)?.len(),
        );
        let chosen = pred.as_slice::<u8>();
        let errors = (0..n).map(|i| {
            let at = if pred.rank() == 0 { 0 } else { i };
            if operands[0].error.at(at) != 0.0 {
                f64::INFINITY
            } else {
                operands[if chosen[at] != 0 { 1 } else { 2 }].error.at(i)
            }
        });
        Ok(vec![Bound::absolute(errors.collect())])
    }

    fn sample(s: &mut Sampler) -> Program {
        let dims = s.dims();
        let pred = if s.range(0, 3) == 0 {
            vec![]
        } else {
            dims.clone()
        };
        let ty = Type::tensor(dims, s.element(|_| true));
        Sampler::single(
            Select,
            &[Type::tensor(pred, ElementType::I1), ty.clone(), ty],
            &[],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bound::Bound,
        eval::{Events, NoRegions},
        hlo::elementwise::testing,
        planes::Planes,
        tensor::Tensor,
    };

    fn pred(values: &[i64]) -> Tensor {
        Tensor::from_i64s(&[values.len() as u64], &ElementType::I1, values)
    }

    #[test]
    fn both_planes_move_and_outcomes_are_counted() {
        let a = testing::with_given_residues(ElementType::F32, &[1.0, 2.0, 3.0], &[10, 20, 30]);
        let b = testing::with_given_residues(ElementType::F32, &[4.0, 5.0, 6.0], &[40, 50, 60]);
        let (out, events) = testing::run(&Select, &[pred(&[0, 1, 1]), a.clone(), b.clone()]);
        assert_eq!(out.as_slice::<f32>(), [4.0, 2.0, 3.0]);
        assert_eq!(out.ring(), Some(&[40, 20, 30][..]));
        assert_eq!(events.predicates, [1, 2]);
        let scalar = Tensor::from_i64s(&[], &ElementType::I1, &[0]);
        assert_eq!(testing::run(&Select, &[scalar, a, b.clone()]).0, b);
    }

    #[test]
    fn an_undetermined_predicate_leaves_the_element_undetermined() {
        let (a, b) = (
            testing::tensor(ElementType::F32, &[1.0, 2.0]),
            testing::tensor(ElementType::F32, &[3.0, 4.0]),
        );
        let values: Vec<Value> = [pred(&[1, 0]), a, b].map(Value::Tensor).into();
        let errors = [
            Bound::absolute(vec![0.0, f64::INFINITY]),
            Bound::absolute(vec![0.25, 0.5]),
            Bound::Exact,
        ];
        let operands: Vec<Bounded<'_>> = values
            .iter()
            .zip(&errors)
            .map(|(value, error)| Bounded { value, error })
            .collect();
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext {
            planes: Planes::IeeeOnly,
            runner: &mut runner,
            events: &mut events,
        };
        let out = Select.eval(&values, &[], &mut cx).expect("evaluates");
        let bound = Select
            .bound(&operands, &[], &out, &mut cx)
            .expect("a bound");
        assert_eq!(bound, [Bound::absolute(vec![0.25, f64::INFINITY])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        for (operands, tag) in [
            (
                [
                    f(&[3], ElementType::I1),
                    f(&[2], ElementType::F32),
                    f(&[2], ElementType::F32),
                ],
                "C1",
            ),
            (
                [
                    f(&[2], ElementType::I1),
                    f(&[2], ElementType::F32),
                    f(&[3], ElementType::F32),
                ],
                "C2",
            ),
            (
                [
                    f(&[2], ElementType::I8),
                    f(&[2], ElementType::F32),
                    f(&[2], ElementType::F32),
                ],
                "C3",
            ),
        ] {
            let found = Select.infer(&InferContext {
                operands: &operands,
                declared: &[],
                regions: &[],
            });
            assert!(found.expect_err(tag)[0].starts_with(tag));
        }
    }
}
