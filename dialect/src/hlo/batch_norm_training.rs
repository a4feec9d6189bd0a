//! `batch_norm_training`: normalizes with the batch's own mean and variance.
//!
//! Meaning: batch_mean = mean of operand over all dimensions but feature_index, batch_var = mean of (operand - batch_mean)^2, output =
//! batch_norm_inference(operand, scale, offset, batch_mean, batch_var).
//! Inputs I1 operand, I2 scale, I3 offset, I4 epsilon (f32), I5 feature_index. Constraints: C1 feature_index in range; C2 element types agree; C3, C4
//! scale, offset have one dimension of the feature's size; C5, C6 so do batch_mean, batch_var; C7 type(output) = type(operand); I1 float.
//! Kind: arithmetic: the formula in the field. Numerics: in f64, each result rounded once; the bound also covers E[x^2] - E[x]^2.
//! Example: `hlo.batch_norm_training %x, %s, %o {epsilon = 0.001 : f32, feature_index = 1 : i64} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        approximate::Approximate,
        batch_norm::{self, Features, PerFeature},
        batch_norm_inference::sample_types,
        number::{self, Number, Real},
        quantization, region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BatchNormTraining {
    /// Bits of an f64.
    pub epsilon: u64,
    pub feature_index: i64,
}

impl OpDef for BatchNormTraining {
    const NAME: &'static str = "batch_norm_training";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> BatchNormTraining {
        BatchNormTraining { epsilon: reader.float("epsilon").to_bits(), feature_index: reader.int("feature_index") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("epsilon", f64::from_bits(self.epsilon)).with("feature_index", self.feature_index)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let all = batch_norm::check(cx, self.feature_index, &[(1, "C3"), (2, "C4")], &[])?;
        Ok(batch_norm::result_types(cx, &[all[0], all[1], all[1]])) // C5..C7
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let f = Features::of(shape::operand(operands, 0)?, self.feature_index)?;
        let all = batch_norm::operands(operands, &f, &[1, 2], &[])?;
        let [x, scale, offset] = [0, 1, 2].map(|i| number::reals(all[i]));
        let epsilon = Real::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), all[0].element()));
        let (mean, variance) = batch_norm::moments(&f, &x);
        let mut divisors = 0;
        let p = PerFeature { scale, offset, mean, variance };
        let out = batch_norm::inference(&f, &x, &p, epsilon, &mut divisors);
        batch_norm::count_divisions(cx, divisors);
        let tensor = |like: usize, numbers: &[Real]| batch_norm::tensor(all[like], numbers, cx.planes);
        Ok(vec![tensor(0, &out), tensor(1, &p.mean), tensor(1, &p.variance)])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let (Some(t), 3) = (operands.first().and_then(|o| o.value.as_tensor()), operands.len()) else { return Ok(region_bound::undetermined(values)) };
        if !t.element().is_float() {
            return Ok(region_bound::undetermined(values));
        }
        let f = Features::of(t, self.feature_index)?;
        let [x, scale, offset] = [0, 1, 2].map(|i| batch_norm::approximate(&operands[i]));
        let (x, scale, offset) = (x?, scale?, offset?);
        let epsilon = Approximate::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), t.element()));
        let (mean, variance) = batch_norm::moments(&f, &x);
        let variance = batch_norm::widen_variance(&f, &x, variance, t.element());
        let p = PerFeature { scale, offset, mean, variance };
        let out = batch_norm::inference(&f, &x, &p, epsilon, &mut 0);
        Ok(vec![batch_norm::bound(&out), batch_norm::bound(&p.mean), batch_norm::bound(&p.variance)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (x, feature, feature_index) = sample_types(s);
        let op = BatchNormTraining { epsilon: 0.001f64.to_bits(), feature_index };
        Sampler::single(op, &[x, feature.clone(), feature], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::{Planes, ring},
        tensor::Tensor,
        types::ElementType,
    };

    #[test]
    fn the_example_of_the_specification_on_both_planes() {
        let x = Tensor::from_slice(&[2, 2, 2], ElementType::F64, &[1f64, 2., 3., 4., 3., 4., 1., 2.]);
        let one = Tensor::from_slice(&[2], ElementType::F64, &[1f64, 1.]);
        let operands: Vec<Value> = [x, one.clone(), one].map(|t| t.with_embedded_ring().into()).to_vec();
        let op = BatchNormTraining { epsilon: 0f64.to_bits(), feature_index: 2 };
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = op.eval(&operands, &[operands[0].ty(), operands[1].ty(), operands[1].ty()], &mut cx).unwrap();
        let all: Vec<&Tensor> = got.iter().filter_map(Value::as_tensor).collect();
        assert_eq!(all[0].as_slice::<f64>(), [0., 0., 2., 2., 2., 2., 0., 0.]);
        assert_eq!((all[1].as_slice::<f64>(), all[2].as_slice::<f64>()), (&[2., 3.][..], &[1., 1.][..]));
        assert_eq!((all[1].ring(), all[2].ring()), (Some(&[2, 3][..]), Some(&[1, 1][..])));
        let bounded: Vec<Bounded<'_>> = operands.iter().map(|value| Bounded { value, error: &Bound::Exact }).collect();
        let bound = op.bound(&bounded, &[], &got, &mut cx).unwrap();
        // The variance's bound covers E[x^2] - E[x]^2: at least 5 u.
        assert!(bound[2].at(0) > 5.0 * 2f64.powi(-53) && bound[2].at(0) < 1e-13);
    }

    #[test]
    fn the_variance_of_the_ring_is_that_of_exact_numbers() {
        // Of 0, 1: mean 1/2, variance 1/4.
        let x = Tensor::from_slice(&[2, 1], ElementType::BF16, &[half::bf16::ZERO, half::bf16::ONE]);
        let one = Tensor::splat_f64(&[1], &ElementType::BF16, 1.0);
        let operands: Vec<Value> = [x, one.clone(), one].map(|t| t.with_embedded_ring().into()).to_vec();
        let op = BatchNormTraining { epsilon: 0f64.to_bits(), feature_index: 1 };
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = op.eval(&operands, &[operands[0].ty(), operands[1].ty(), operands[1].ty()], &mut cx).unwrap();
        let all: Vec<&Tensor> = got.iter().filter_map(Value::as_tensor).collect();
        assert_eq!((all[1].ring(), all[2].ring()), (Some(&[ring::embed_f64(0.5)][..]), Some(&[ring::embed_f64(0.25)][..])));
        assert_eq!(all[0].to_f64s().as_ref(), [0.0, 2.0]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let infer = |feature_index: i64, types: [Type; 3]| BatchNormTraining { epsilon: 0, feature_index }.infer(&InferContext { operands: &types, declared: &[], regions: &[] });
        assert_eq!(infer(1, [f(&[4, 3]), f(&[3]), f(&[3])]), Ok(vec![f(&[4, 3]), f(&[3]), f(&[3])]));
        assert!(infer(-1, [f(&[4, 3]), f(&[3]), f(&[3])]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(1, [f(&[4, 3]), f(&[3]), Type::tensor([3], ElementType::F16)]).unwrap_err()[0].starts_with("C2"));
        assert!(infer(1, [f(&[4, 3]), f(&[4]), f(&[3])]).unwrap_err()[0].starts_with("C3"));
        assert!(infer(1, [f(&[4, 3]), f(&[3]), f(&[3, 1])]).unwrap_err()[0].starts_with("C4"));
    }
}
