//! `async_done`: the results of an asynchronous computation.
//!
//! Meaning: results = what stands between the operands of the computation and its contexts among the values that `async_start` gave; the first context
//! says where (see `async_start`). Inputs I1 operands (flat). Constraints: C1 the declared results stand among the operands, followed by contexts only.
//! Kind: movement. Numerics: bits are kept.
//! Example: `%3 = hlo.async_done %2#0, %2#1, %2#2 : (tensor<2xf32>, tensor<2xf32>, tensor<ui32>) -> tensor<2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        async_start::is_context,
        if_::fits,
        region_bound::{scalar, undetermined},
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AsyncDone;

/// Places where results of these types may begin: only contexts follow them. Most contexts first.
pub fn places(operands: &[Type], results: &[Type]) -> Vec<usize> {
    let last = operands.len().saturating_sub(results.len());
    let contexts = operands.iter().rev().take_while(|t| is_context(t)).count().min(last);
    let fit = |p: &usize| operands.len() >= results.len() && fits(results, &operands[*p..*p + results.len()]);
    (last - contexts..=last).filter(fit).collect()
}

/// The place among `values` at which the results begin: the one the first context behind it names, else the last.
fn place(values: &[Value], results: &[Type]) -> Option<usize> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let all = places(&types, results);
    let named = |p: &&usize| scalar(values.get(**p + results.len())) == Some(**p as i64);
    all.iter().find(named).or(all.last()).copied()
}

impl OpDef for AsyncDone {
    const NAME: &'static str = "async_done";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(_: &mut AttributeReader<'_>) -> AsyncDone {
        AsyncDone
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if places(cx.operands, cx.declared).is_empty() {
            return Err(vec!["C1: the results must stand among the operands, followed by contexts only".to_string()]);
        }
        Ok(cx.declared.to_vec())
    }

    fn eval(&self, operands: &[Value], results: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let from = place(operands, results).ok_or_else(|| Stop::internal("async_done without results"))?;
        Ok(operands[from..from + results.len()].to_vec())
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let all: Vec<Value> = operands.iter().map(|o| o.value.clone()).collect();
        Ok(match place(&all, results) {
            Some(from) => operands[from..from + results.len()].iter().map(|o| o.error.clone()).collect(),
            None => undetermined(values),
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        Sampler::single(AsyncDone, &[ty.clone(), ty.clone(), Type::tensor([], ElementType::U32)], &[ty])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        hlo::async_start::context,
        planes::Planes,
        tensor::Tensor,
    };

    fn scalar_value(v: i64) -> Value {
        Tensor::from_i64s(&[], &ElementType::I32, &[v]).into()
    }

    fn eval(operands: &[Value], results: &[Type]) -> Vec<Value> {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        AsyncDone.eval(operands, results, &mut cx).unwrap()
    }

    #[test]
    fn results_are_found_before_their_contexts() {
        let x = Value::from(Tensor::from_i64s(&[2], &ElementType::I64, &[1, 2]));
        let y = Value::from(Tensor::from_i64s(&[2], &ElementType::I64, &[3, 4]));
        let u = Type::tensor([], ElementType::U32);
        assert_eq!(eval(&[x.clone(), y.clone(), context(&u, 1), context(&u, 1)], &[y.ty()]), std::slice::from_ref(&y));
        assert_eq!(eval(&[x, y.clone()], &[y.ty()]), [y]);
        // A result that looks like a context: operand 5, result 9, context 1.
        let i = Type::tensor([], ElementType::I32);
        assert_eq!(eval(&[scalar_value(5), scalar_value(9), context(&i, 1)], std::slice::from_ref(&i)), [scalar_value(9)]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let (f, u) = (Type::tensor([2], ElementType::F32), Type::tensor([], ElementType::U32));
        let infer = |operands: &[Type], declared: &[Type]| AsyncDone.infer(&InferContext { operands, declared, regions: &[] });
        assert!(infer(&[f.clone(), f.clone(), u.clone()], std::slice::from_ref(&f)).is_ok());
        assert!(infer(std::slice::from_ref(&u), std::slice::from_ref(&f)).unwrap_err()[0].starts_with("C1"));
        assert!(infer(&[f.clone(), f.clone()], &[f, u]).unwrap_err()[0].starts_with("C1"));
    }
}
