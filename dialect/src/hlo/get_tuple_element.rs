//! `get_tuple_element`: one value of a tuple.
//!
//! Meaning: result = operand[index]. Inputs I1 operand (tuple), I2 index. Constraints: C1 0 <= index < size(operand); C2 type(result) =
//! type(operand[index]).
//! Kind: movement. Numerics: bits are kept.
//! Example: `%1 = hlo.get_tuple_element %0[1] : (tuple<tensor<2xf64>, tensor<i64>>) -> tensor<i64>`.

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
pub struct GetTupleElement {
    pub index: i64,
}

impl OpDef for GetTupleElement {
    const NAME: &'static str = "get_tuple_element";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> GetTupleElement {
        GetTupleElement { index: reader.int("index") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("index", self.index)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [Type::Tuple(parts)] = cx.operands else { return Err(vec!["I1: expected one tuple operand".to_string()]) };
        match usize::try_from(self.index).ok().and_then(|i| parts.get(i)) {
            Some(ty) => Ok(vec![ty.clone()]), // C2
            None => Err(vec![format!("C1: index {} of a tuple of {} values", self.index, parts.len())]),
        }
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        match operands {
            [Value::Tuple(parts)] => parts.get(self.index as usize).map(|v| vec![v.clone()]),
            _ => None,
        }
        .ok_or_else(|| Stop::internal("get_tuple_element of no such tuple"))
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let [Bounded { value: Value::Tuple(parts), error }] = operands else { return Ok(region_bound::undetermined(values)) };
        let before = parts.iter().take(self.index as usize).map(region_bound::elements).sum();
        Ok(values.iter().map(|v| region_bound::part(error, before, region_bound::elements(v))).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let types: Vec<Type> = (0..s.range(1, 3)).map(|_| Type::tensor(s.dims(), s.element(|_| true))).collect();
        let index = s.range(0, types.len() as u64 - 1) as i64;
        Sampler::single(GetTupleElement { index }, &[Type::tuple(types)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
        tensor::Tensor,
        types::ElementType,
    };

    #[test]
    fn values_and_errors_go_in_and_come_out() {
        let (a, b) = (Value::from(Tensor::from_slice(&[2], ElementType::F32, &[1f32, 2.])), Value::from(Tensor::from_slice(&[1], ElementType::F32, &[3f32])));
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let tuple = super::super::tuple::Tuple;
        let both = tuple.eval(&[a.clone(), b.clone()], &[], &mut cx).unwrap();
        let get = GetTupleElement { index: 1 };
        assert_eq!(get.eval(&both, &[], &mut cx).unwrap(), std::slice::from_ref(&b));
        let errors = [Bound::absolute(vec![0.1, 0.2]), Bound::absolute(vec![0.3])];
        let inputs = [Bounded { value: &a, error: &errors[0] }, Bounded { value: &b, error: &errors[1] }];
        let joined = tuple.bound(&inputs, &[], &both, &mut cx).unwrap();
        assert_eq!(joined[0], Bound::absolute(vec![0.1, 0.2, 0.3]));
        let out = get.bound(&[Bounded { value: &both[0], error: &joined[0] }], &[], std::slice::from_ref(&b), &mut cx).unwrap();
        assert_eq!(out, [Bound::absolute(vec![0.3])]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = Type::tensor([2], ElementType::F32);
        let infer = |index, operand: Type| GetTupleElement { index }.infer(&InferContext { operands: &[operand], declared: &[], regions: &[] });
        assert_eq!(infer(0, Type::tuple(vec![f.clone()])), Ok(vec![f.clone()]));
        assert!(infer(1, Type::tuple(vec![f.clone()])).unwrap_err()[0].starts_with("C1"));
        assert!(infer(-1, Type::tuple(vec![f.clone()])).unwrap_err()[0].starts_with("C1"));
        assert!(infer(0, f).unwrap_err()[0].starts_with("I1"));
    }
}
