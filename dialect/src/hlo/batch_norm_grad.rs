//! `batch_norm_grad`: gradients of batch_norm_training.
//!
//! Meaning, with sums over all dimensions but feature_index, n elements a feature, c = operand - mean, d = sqrt(variance + epsilon), g = grad_output:
//! grad_offset = sum g; grad_scale = sum (g * c / d); grad_operand = scale / d / n * (n * g - sum g - c * sum (g * c) / (variance + epsilon)).
//! Inputs I1 operand, I2 scale, I3 mean, I4 variance, I5 grad_output, I6 epsilon (f32), I7 feature_index. Constraints: C1 feature_index in range; C2
//! element types agree; C3 operand, grad_output, grad_operand have one shape; C4, C5 scale, mean, variance, grad_scale, grad_offset have one dimension
//! of the feature's size; I1 float.
//! Kind: arithmetic: the formula in the field. Numerics: in f64, each result rounded once.
//! Example: `hlo.batch_norm_grad %x, %s, %m, %v, %g {epsilon = 0.001 : f32, feature_index = 1 : i64} : ..`.

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
pub struct BatchNormGrad {
    /// Bits of an f64.
    pub epsilon: u64,
    pub feature_index: i64,
}

impl OpDef for BatchNormGrad {
    const NAME: &'static str = "batch_norm_grad";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> BatchNormGrad {
        BatchNormGrad { epsilon: reader.float("epsilon").to_bits(), feature_index: reader.int("feature_index") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("epsilon", f64::from_bits(self.epsilon)).with("feature_index", self.feature_index)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let all = batch_norm::check(cx, self.feature_index, &[(1, "C5"), (2, "C4"), (3, "C4")], &[(4, "C3")])?;
        Ok(batch_norm::result_types(cx, &[all[0], all[1], all[1]]))
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let f = Features::of(shape::operand(operands, 0)?, self.feature_index)?;
        let all = batch_norm::operands(operands, &f, &[1, 2, 3], &[4])?;
        let [x, scale, mean, variance, grad_output] = [0, 1, 2, 3, 4].map(|i| number::reals(all[i]));
        let epsilon = Real::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), all[0].element()));
        let mut divisors = 0;
        let p = PerFeature { scale, offset: vec![], mean, variance };
        let [operand, scale, offset] = batch_norm::gradients(&f, &x, &grad_output, &p, epsilon, &mut divisors);
        batch_norm::count_divisions(cx, divisors);
        let tensor = |like: usize, numbers: &[Real]| batch_norm::tensor(all[like], numbers, cx.planes);
        Ok(vec![tensor(0, &operand), tensor(1, &scale), tensor(1, &offset)])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let (Some(t), 5) = (operands.first().and_then(|o| o.value.as_tensor()), operands.len()) else { return Ok(region_bound::undetermined(values)) };
        if !t.element().is_float() {
            return Ok(region_bound::undetermined(values));
        }
        let f = Features::of(t, self.feature_index)?;
        let [x, scale, mean, variance, grad_output] = [0, 1, 2, 3, 4].map(|i| batch_norm::approximate(&operands[i]));
        let epsilon = Approximate::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), t.element()));
        let p = PerFeature { scale: scale?, offset: vec![], mean: mean?, variance: variance? };
        let all = batch_norm::gradients(&f, &x?, &grad_output?, &p, epsilon, &mut 0);
        Ok(all.iter().map(|numbers| batch_norm::bound(numbers)).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let (x, feature, feature_index) = sample_types(s);
        let op = BatchNormGrad { epsilon: 0.001f64.to_bits(), feature_index };
        Sampler::single(op, &[x.clone(), feature.clone(), feature.clone(), feature, x], &[])
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

    fn eval(x: &[f64], mean: f64, variance: f64, g: &[f64]) -> Vec<Tensor> {
        let n = x.len() as u64;
        let wide = |v: &[f64]| Tensor::from_slice(&[n, 1], ElementType::F64, v);
        let one = |v: f64| Tensor::from_slice(&[1], ElementType::F64, &[v]);
        let operands: Vec<Value> = [wide(x), one(2.0), one(mean), one(variance), wide(g)].map(|t| t.with_embedded_ring().into()).to_vec();
        let op = BatchNormGrad { epsilon: 0f64.to_bits(), feature_index: 1 };
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = op.eval(&operands, &[operands[0].ty(), operands[1].ty(), operands[1].ty()], &mut cx).unwrap();
        got.into_iter().filter_map(|v| v.as_tensor().cloned()).collect()
    }

    #[test]
    fn computed_by_hand() {
        // x = 0, 4: mean 2, variance 4, d = 2, c = -2, 2; g = 1, 3.
        // sum g = 4; sum g c / d = 2; sum g c = 4; grad_operand = 2 / 2 / 2 * (2 g - 4 - c * 4 / 4) = 0.5 * (2 - 4 + 2, 6 - 4 - 2).
        let all = eval(&[0., 4.], 2., 4., &[1., 3.]);
        assert_eq!(all[0].as_slice::<f64>(), [0., 0.]);
        assert_eq!((all[1].as_slice::<f64>(), all[2].as_slice::<f64>()), (&[2.][..], &[4.][..]));
        // Another mean: c = -1, 3; sum g c = 8: 0.5 * (2 - 4 + 2, 6 - 4 - 6).
        let all = eval(&[0., 4.], 1., 4., &[1., 3.]);
        assert_eq!(all[0].as_slice::<f64>(), [0., -2.]);
        assert_eq!(all[0].ring(), Some(&[0, ring::P - 2][..]));
        assert_eq!((all[1].ring(), all[2].ring()), (Some(&[4][..]), Some(&[4][..])));
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let infer = |feature_index: i64, types: [Type; 5]| BatchNormGrad { epsilon: 0, feature_index }.infer(&InferContext { operands: &types, declared: &[], regions: &[] });
        let types = || [f(&[4, 3]), f(&[3]), f(&[3]), f(&[3]), f(&[4, 3])];
        assert_eq!(infer(1, types()), Ok(vec![f(&[4, 3]), f(&[3]), f(&[3])]));
        assert!(infer(2, types()).unwrap_err()[0].starts_with("C1"));
        for (i, ty, tag) in [(4, Type::tensor([4, 3], ElementType::F64), "C2"), (4, f(&[3, 4]), "C3"), (2, f(&[4]), "C4"), (1, f(&[4]), "C5")] {
            let mut wrong = types();
            wrong[i] = ty;
            assert!(infer(1, wrong).unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
