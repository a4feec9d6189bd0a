//! `dynamic_iota`: `iota` of a shape that is computed.
//!
//! Meaning: result[result_index] = result_index[iota_dimension]; shape(result) = output_shape. Inputs I1 output_shape, I2 iota_dimension.
//! Constraints: C1 iota_dimension is a dimension of the result; C2 size(output_shape) = rank(result).
//! Kind: movement. Numerics: as `iota`.
//! Example: `%1 = hlo.dynamic_iota %0 {iota_dimension = 0} : (tensor<2xi64>) -> tensor<?x5xi64>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{iota, movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicIota {
    pub iota_dimension: i64,
}

impl OpDef for DynamicIota {
    const NAME: &'static str = "dynamic_iota";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DynamicIota {
        DynamicIota { iota_dimension: reader.int("iota_dimension") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("iota_dimension", self.iota_dimension)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let sizes = shape::tensors(cx, 1)?[0];
        let declared = shape::declared(cx, 0)?;
        let result = movement::declared_or_unknown(cx, sizes, &declared.element, "C2")?;
        if !movement::in_rank(&[self.iota_dimension], result.rank()) {
            return Err(vec![format!("C1: iota_dimension {} is out of range of {result}", self.iota_dimension)]);
        }
        Ok(vec![result.into()])
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let declared = results.first().and_then(Type::as_tensor).ok_or_else(|| Stop::internal("dynamic_iota without a result type"))?;
        let dims = movement::computed_dims(operands, 0, &declared.element, results)?;
        Ok(vec![iota::along(&dims, self.iota_dimension as usize, &declared.element, cx.planes)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let t = shape::operand(values, 0)?;
        if operands.iter().all(|o| o.error.is_exact()) { Ok(vec![iota::rounding(t, self.iota_dimension as usize)?]) } else { Ok(vec![Bound::undetermined(t.len())]) }
    }

    fn sample(s: &mut Sampler) -> Program {
        let (mut dims, element) = (s.dims(), s.element(|e| *e != ElementType::I1));
        dims.push(s.range(0, s.size));
        let op = DynamicIota { iota_dimension: s.range(0, dims.len() as u64 - 1) as i64 };
        Sampler::single(op, &[Type::tensor([dims.len() as u64], ElementType::I64)], &[Type::tensor(dims, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn the_shape_comes_from_the_operand() {
        let out = eval(DynamicIota { iota_dimension: 1 }, &[ints(&[2], &[2, 3])], &[dynamic(2, ElementType::F32)]).unwrap();
        assert_eq!((out[0].dims(), out[0].as_slice::<f32>()), (&[2u64, 3][..], &[0f32, 1., 2., 0., 1., 2.][..]));
        assert_eq!(out[0].ring(), Some(&[0, 1, 2, 0, 1, 2][..]));
        assert!(eval(DynamicIota { iota_dimension: 0 }, &[ints(&[1], &[-1])], &[dynamic(1, ElementType::F32)]).is_err());
        assert!(eval(DynamicIota { iota_dimension: 0 }, &[ints(&[1], &[3])], &[i32s(&[4])]).is_err());
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", DynamicIota { iota_dimension: 2 }, &[i32s(&[2])], &[f32s(&[2, 3])]);
        assert_violates("C2", DynamicIota { iota_dimension: 0 }, &[i32s(&[3])], &[f32s(&[2, 3])]);
    }
}
