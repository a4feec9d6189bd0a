//! `tuple`: groups values.
//!
//! Meaning: result = (val[0], val[1], ..). Inputs I1 val (any values). Constraints: C1 type(result)[i] = type(val[i]).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%2 = hlo.tuple %0, %1 : tuple<tensor<2xf64>, tensor<i64>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::region_bound,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tuple;

impl OpDef for Tuple {
    const NAME: &'static str = "tuple";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Tuple {
        Tuple
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(vec![Type::tuple(cx.operands.to_vec())]) // C1
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![Value::Tuple(operands.to_vec())])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![region_bound::joined(operands)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let types: Vec<Type> = (0..s.range(0, 3)).map(|_| Type::tensor(s.dims(), s.element(|_| true))).collect();
        Sampler::single(Tuple, &types, &[])
    }
}
