//! `batch_norm_inference`: normalizes with given mean and variance.
//!
//! Meaning: result = scale * (operand - mean) / sqrt(variance + epsilon) + offset, the last five taken along feature_index.
//! Inputs I1 operand, I2 scale, I3 offset, I4 mean, I5 variance, I6 epsilon (f32), I7 feature_index. Constraints: C1 feature_index in range; C2
//! element types agree; C3..C6 scale, offset, mean, variance have one dimension of the feature's size; C7 type(result) = type(operand); I1 float.
//! Kind: arithmetic: the formula in the field, the root as x^(2^29). Numerics: in f64, rounded once.
//! Example: `hlo.batch_norm_inference %x, %s, %o, %m, %v {epsilon = 0.001 : f32, feature_index = 1 : i64} : ..`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        approximate::Approximate,
        batch_norm::{self, Features, PerFeature},
        number::{self, Number, Real},
        quantization, region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BatchNormInference {
    /// Bits of an f64.
    pub epsilon: u64,
    pub feature_index: i64,
}

impl OpDef for BatchNormInference {
    const NAME: &'static str = "batch_norm_inference";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> BatchNormInference {
        BatchNormInference { epsilon: reader.float("epsilon").to_bits(), feature_index: reader.int("feature_index") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("epsilon", f64::from_bits(self.epsilon)).with("feature_index", self.feature_index)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let all = batch_norm::check(cx, self.feature_index, &[(1, "C3"), (2, "C4"), (3, "C5"), (4, "C6")], &[])?;
        Ok(batch_norm::result_types(cx, &all[..1])) // C7
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let f = Features::of(shape::operand(operands, 0)?, self.feature_index)?;
        let all = batch_norm::operands(operands, &f, &[1, 2, 3, 4], &[])?;
        let [scale, offset, mean, variance] = [1, 2, 3, 4].map(|i| number::reals(all[i]));
        let epsilon = Real::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), all[0].element()));
        let mut divisors = 0;
        let out = batch_norm::inference(&f, &number::reals(all[0]), &PerFeature { scale, offset, mean, variance }, epsilon, &mut divisors);
        batch_norm::count_divisions(cx, divisors);
        Ok(vec![batch_norm::tensor(all[0], &out, cx.planes)])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let (Some(x), 5) = (operands.first().and_then(|o| o.value.as_tensor()), operands.len()) else { return Ok(region_bound::undetermined(values)) };
        if !x.element().is_float() {
            return Ok(region_bound::undetermined(values));
        }
        let f = Features::of(x, self.feature_index)?;
        let [numbers, scale, offset, mean, variance] = [0, 1, 2, 3, 4].map(|i| batch_norm::approximate(&operands[i]));
        let epsilon = Approximate::exact(batch_norm::epsilon_value(f64::from_bits(self.epsilon), x.element()));
        let p = PerFeature { scale: scale?, offset: offset?, mean: mean?, variance: variance? };
        let out = batch_norm::inference(&f, &numbers?, &p, epsilon, &mut 0);
        Ok(vec![batch_norm::bound(&out)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (x, feature, feature_index) = sample_types(s);
        let op = BatchNormInference { epsilon: 0.001f64.to_bits(), feature_index };
        Sampler::single(op, &[x, feature.clone(), feature.clone(), feature.clone(), feature], &[])
    }
}

/// A random operand type, that of one number a feature, and the feature's dimension.
pub fn sample_types(s: &mut Sampler) -> (Type, Type, i64) {
    let dims: Vec<u64> = (0..s.range(1, 4)).map(|_| s.range(1, s.size.min(4))).collect();
    let at = s.range(0, dims.len() as u64 - 1);
    let element = s.element(|e| matches!(e, ElementType::F16 | ElementType::BF16 | ElementType::F32 | ElementType::F64));
    let size = dims[at as usize];
    (Type::tensor(dims, element.clone()), Type::tensor([size], element), at as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::{Planes, ring},
        tensor::Tensor,
    };

    #[test]
    fn the_example_of_the_specification_on_both_planes() {
        let x = Tensor::from_slice(&[2, 2, 2], ElementType::F64, &[1f64, 2., 3., 4., 3., 4., 1., 2.]);
        let per = |a: f64, b: f64| Tensor::from_slice(&[2], ElementType::F64, &[a, b]);
        let operands: Vec<Value> = [x, per(1., 1.), per(1., 1.), per(2., 3.), per(1., 4.)].map(|t| t.with_embedded_ring().into()).to_vec();
        let op = BatchNormInference { epsilon: 0f64.to_bits(), feature_index: 2 };
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = op.eval(&operands, &[operands[0].ty()], &mut cx).unwrap();
        let t = got[0].as_tensor().unwrap();
        // (4 - 3) / sqrt(4) + 1.
        assert_eq!(t.as_slice::<f64>(), [0., 0.5, 2., 1.5, 2., 1.5, 0., 0.5]);
        let half = ring::embed_f64(0.5);
        assert_eq!(t.ring().unwrap()[..4], [0, half, 2, ring::embed_f64(1.5)]);
        let bounded: Vec<Bounded<'_>> = operands.iter().map(|value| Bounded { value, error: &Bound::Exact }).collect();
        let bound = op.bound(&bounded, &[], &got, &mut cx).unwrap();
        assert!(bound[0].at(1) > 0.0 && bound[0].at(1) < 1e-14);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let infer = |feature_index: i64, types: [Type; 5]| BatchNormInference { epsilon: 0, feature_index }.infer(&InferContext { operands: &types, declared: &[], regions: &[] });
        let types = || [f(&[4, 3]), f(&[3]), f(&[3]), f(&[3]), f(&[3])];
        assert_eq!(infer(1, types()), Ok(vec![f(&[4, 3])]));
        assert!(infer(2, types()).unwrap_err()[0].starts_with("C1"));
        for (i, tag) in [(1, "C3"), (2, "C4"), (3, "C5"), (4, "C6")] {
            let mut wrong = types();
            wrong[i] = f(&[4]);
            assert!(infer(1, wrong).unwrap_err()[0].starts_with(tag));
        }
        let mut wrong = types();
        wrong[2] = Type::tensor([3], ElementType::F64);
        assert!(infer(1, wrong).unwrap_err()[0].starts_with("C2"));
        let ints = [4, 1, 1, 1, 1].map(|_| Type::tensor([3], ElementType::I32));
        assert!(infer(0, ints).unwrap_err()[0].starts_with("I1"));
    }
}
