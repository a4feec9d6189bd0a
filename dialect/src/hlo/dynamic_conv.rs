//! `dynamic_conv`: `convolution` with padding that is computed.
//!
//! Meaning: as `convolution`. Inputs I1 lhs, I2 rhs, I3 padding (low, high rows, one a spatial dimension), the rest as the attributes of `convolution`.
//! Constraints: C4 padding has a row of two integers for each spatial dimension; C25 the sizes of the result follow, which only the run knows: others
//! are a trap; all others as `convolution`.
//! Kind: arithmetic. Numerics: as `convolution`.
//! Example: `hlo.dynamic_conv %0, %1, %2 {window_strides = array<i64: 1>, ..} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi32>) -> tensor<1x?x4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{convolution::Convolution, movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DynamicConv {
    /// All but the padding, which is zero here.
    pub convolution: Convolution,
}

impl DynamicConv {
    /// The convolution with the padding that `operand` holds.
    fn padded(&self, padding: &Tensor) -> Convolution {
        Convolution { padding: movement::indices(padding), ..self.convolution.clone() }
    }

    /// The result's dimensions that padding decides.
    fn is_padded(&self, d: usize) -> bool {
        self.convolution.output_spatial_dimensions.contains(&(d as i64))
    }
}

impl OpDef for DynamicConv {
    const NAME: &'static str = "dynamic_conv";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DynamicConv {
        let convolution = Convolution::from_attributes(reader);
        let spatial = convolution.spatial_rank();
        DynamicConv { convolution: Convolution { padding: vec![0; 2 * spatial], ..convolution } }
    }

    fn to_attributes(&self) -> Attributes {
        let mut attributes = self.convolution.to_attributes();
        attributes.0.remove("padding");
        attributes
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let padding = shape::tensors(cx, 3)?[2];
        let spatial = self.convolution.spatial_rank();
        let mut wrong = vec![];
        if !padding.element.is_integer() || padding.dims[..] != [Dim::Static(spatial as u64), Dim::Static(2)] {
            wrong.push(format!("C4: padding {padding} must hold two integers for each of {spatial} spatial dimensions"));
        }
        match self.convolution.infer(&InferContext { operands: &cx.operands[..2], ..*cx }) {
            Ok(results) if wrong.is_empty() => match results.first().and_then(Type::as_tensor) {
                Some(t) => {
                    let unknown = |(d, size): (usize, &Dim)| if self.is_padded(d) { Dim::Dynamic { bound: None } } else { *size };
                    let dims = t.dims.iter().enumerate().map(unknown).collect();
                    Ok(vec![movement::or_declared(t.with_dims(dims), cx, 0)])
                }
                None => Err(vec!["a convolution without a result".to_string()]),
            },
            Ok(_) => Err(wrong),
            Err(more) => {
                wrong.extend(more);
                Err(wrong)
            }
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let convolution = self.padded(shape::operand(operands, 2)?);
        let out = convolution.eval(&operands[..2], results, cx)?;
        movement::check_declared(shape::operand(&out, 0)?.dims(), results, 0)?;
        Ok(out)
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let padding = operands.get(2).and_then(|o| o.value.as_tensor());
        let padding = padding.ok_or_else(|| Stop::internal("dynamic_conv without padding"))?;
        self.padded(padding).bound(&operands[..2], results, values, cx)
    }

    fn sample(s: &mut Sampler) -> Program {
        let plain = Convolution::sample(s);
        let types = plain.parameter_types();
        let convolution = plain.op_ids().find_map(|id| match &plain.op(id).op {
            crate::op::Op::Hlo(crate::hlo::Op::Convolution(c)) => Some(c.clone()),
            _ => None,
        });
        match convolution {
            Some(convolution) => {
                let spatial = convolution.spatial_rank();
                let op = DynamicConv { convolution: Convolution { padding: vec![0; 2 * spatial], ..convolution } };
                let padding = Type::tensor([spatial as u64, 2], ElementType::I32);
                Sampler::single(op, &types.into_iter().chain([padding]).collect::<Vec<_>>(), &[])
            }
            None => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    fn op() -> DynamicConv {
        let convolution = Convolution {
            window_strides: vec![1],
            padding: vec![0, 0],
            lhs_dilation: vec![1],
            rhs_dilation: vec![1],
            window_reversal: vec![false],
            input_batch_dimension: 0,
            input_feature_dimension: 2,
            input_spatial_dimensions: vec![1],
            kernel_input_feature_dimension: 1,
            kernel_output_feature_dimension: 2,
            kernel_spatial_dimensions: vec![0],
            output_batch_dimension: 0,
            output_feature_dimension: 2,
            output_spatial_dimensions: vec![1],
            feature_group_count: 1,
            batch_group_count: 1,
            precision_config: None,
        };
        DynamicConv { convolution }
    }

    #[test]
    fn the_padding_comes_from_an_operand() {
        let (x, kernel) = (floats(&[1, 3, 1], &[1., 2., 3.]), floats(&[2, 1, 1], &[1., 10.]));
        let dynamic = [Type::Tensor(std::sync::Arc::new(crate::types::TensorType {
            dims: vec![Dim::Static(1), Dim::Dynamic { bound: None }, Dim::Static(1)],
            element: ElementType::F32,
            layout: None,
        }))];
        let out = eval(op(), &[x.clone(), kernel.clone(), ints(&[1, 2], &[1, 0])], &dynamic).unwrap();
        assert_eq!((out[0].as_slice::<f32>(), out[0].ring()), (&[10f32, 21., 32.][..], Some(&[10, 21, 32][..])));
        let out = eval(op(), &[x.clone(), kernel.clone(), ints(&[1, 2], &[0, -1])], &dynamic).unwrap();
        assert_eq!(out[0].as_slice::<f32>(), [21.]);
        let declared = [f32s(&[1, 3, 1])];
        assert!(matches!(eval(op(), &[x, kernel, ints(&[1, 2], &[0, 0])], &declared), Err(Stop::Trap(_))));
    }

    #[test]
    fn each_constraint_is_checked() {
        let (x, kernel) = (f32s(&[1, 3, 1]), f32s(&[2, 1, 1]));
        assert_violates("C4", op(), &[x.clone(), kernel.clone(), i32s(&[2])], &[]);
        assert_violates("C4", op(), &[x.clone(), kernel, f32s(&[1, 2])], &[]);
        assert_violates("C14", op(), &[x, f32s(&[2, 2, 1]), i32s(&[1, 2])], &[]);
    }
}
