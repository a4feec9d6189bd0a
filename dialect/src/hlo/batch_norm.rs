//! Batch normalization as the specification's formulas over single elements, shared by `batch_norm_inference`, `batch_norm_training` and
//! `batch_norm_grad`.

use crate::{
    bound::{Bound, Bounded, gamma, unit_roundoff},
    eval::{EvalContext, Stop, Trap},
    hlo::{
        approximate::Approximate,
        number::{self, Number, Real},
        quantization, shape,
    },
    op::InferContext,
    planes::Planes,
    tensor::{Tensor, Value},
    types::{ElementType, TensorType, Type},
};
use std::sync::Arc;

/// Position of the features among the elements: operand index = (outer * features + feature) * inner + i.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    outer: usize,
    pub features: usize,
    inner: usize,
}

impl Features {
    pub fn of(operand: &Tensor, feature_index: i64) -> Result<Features, Stop> {
        let d = operand.dims();
        let at = feature_index as usize;
        let size = |part: &[u64]| part.iter().product::<u64>() as usize;
        match d.get(at) {
            Some(n) => Ok(Features {
                outer: size(&d[..at]),
                features: *n as usize,
                inner: size(&d[at + 1..]),
            }),
            None => Err(Stop::internal(format!(
                "feature_index {feature_index} of {}",
                operand.ty()
            ))),
        }
    }

    /// Feature of an element.
    fn feature(&self, element: usize) -> usize {
        element / self.inner % self.features
    }

    /// Elements of one feature.
    pub fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// Sum of `f(element)` for every feature.
    fn sums<N: Number>(&self, f: impl Fn(usize) -> N) -> Vec<N> {
        let mut out = vec![N::exact(0.0); self.features];
        for element in 0..self.outer * self.features * self.inner {
            let at = self.feature(element);
            out[at] = out[at].add(f(element));
        }
        out
    }

    /// Sums divided by the number of elements.
    fn means<N: Number>(&self, f: impl Fn(usize) -> N) -> Vec<N> {
        let n = N::exact(self.count() as f64);
        let inverse = n.inverse(&mut 0);
        let sums = self.sums(f);
        sums.into_iter().map(|s| s.div(n, inverse)).collect()
    }
}

/// Operands after the first, one number a feature.
pub struct PerFeature<N> {
    pub scale: Vec<N>,
    pub offset: Vec<N>,
    pub mean: Vec<N>,
    pub variance: Vec<N>,
}

/// sqrt(variance + epsilon) with its inverse.
fn deviations<N: Number>(variance: &[N], epsilon: N, zero_divisors: &mut u64) -> Vec<(N, N)> {
    variance
        .iter()
        .map(|v| {
            let d = v.add(epsilon).sqrt();
            (d, d.inverse(zero_divisors))
        })
        .collect()
}

/// (x - mean) / sqrt(variance + epsilon) * scale + offset.
pub fn inference<N: Number>(
    f: &Features,
    x: &[N],
    p: &PerFeature<N>,
    epsilon: N,
    zero_divisors: &mut u64,
) -> Vec<N> {
    let deviation = deviations(&p.variance, epsilon, zero_divisors);
    let one = |(at, x): (usize, &N)| {
        let c = f.feature(at);
        let normalized = x.sub(p.mean[c]).div(deviation[c].0, deviation[c].1);
        p.scale[c].mul(normalized).add(p.offset[c])
    };
    x.iter().enumerate().map(one).collect()
}

/// Mean and variance of every feature.
pub fn moments<N: Number>(f: &Features, x: &[N]) -> (Vec<N>, Vec<N>) {
    let mean = f.means(|i| x[i]);
    let variance = f.means(|i| {
        let centered = x[i].sub(mean[f.feature(i)]);
        centered.mul(centered)
    });
    (mean, variance)
}

/// grad_operand, grad_scale, grad_offset. `p.offset` is not used.
pub fn gradients<N: Number>(
    f: &Features,
    x: &[N],
    grad_output: &[N],
    p: &PerFeature<N>,
    epsilon: N,
    zero_divisors: &mut u64,
) -> [Vec<N>; 3] {
    let deviation = deviations(&p.variance, epsilon, zero_divisors);
    let spread: Vec<(N, N)> = p
        .variance
        .iter()
        .map(|v| {
            let s = v.add(epsilon);
            (s, s.inverse(zero_divisors))
        })
        .collect();
    let count = N::exact(f.count() as f64);
    let per_count = count.inverse(&mut 0);
    let centered = |i: usize| x[i].sub(p.mean[f.feature(i)]);
    let grad_offset = f.sums(|i| grad_output[i]);
    let products = f.sums(|i| grad_output[i].mul(centered(i)));
    let grad_scale = f.sums(|i| {
        let (d, inverse) = deviation[f.feature(i)];
        grad_output[i].mul(centered(i).div(d, inverse))
    });
    let one = |i: usize| {
        let c = f.feature(i);
        let i1 = grad_output[i].mul(count);
        let i4 = products[c].mul(centered(i));
        let i6 = i1.sub(grad_offset[c]).sub(i4.div(spread[c].0, spread[c].1));
        let (d, inverse) = deviation[c];
        p.scale[c].div(d, inverse).div(count, per_count).mul(i6)
    };
    [(0..x.len()).map(one).collect(), grad_scale, grad_offset]
}

/// The constant epsilon in the element type: an f32 first.
pub fn epsilon_value(epsilon: f64, element: &ElementType) -> f64 {
    let as_f32 = f64::from(epsilon as f32);
    Tensor::splat_f64(&[], element, as_f32).to_f64s()[0]
}

/// Element type operands compute in.
fn baseline(t: &TensorType) -> ElementType {
    quantization::parameters(&t.element).map_or(t.element.clone(), |q| q.expressed.clone())
}

/// Operands with the violations all three ops share: C1, C2, and the sizes of the one-dimensional operands, each with its tag. `wide` numbers the
/// operands of the first one's shape, under tag `wide_tag`.
pub fn check<'a>(
    cx: &InferContext<'a>,
    feature_index: i64,
    tags: &[(usize, &str)],
    wide: &[(usize, &str)],
) -> Result<Vec<&'a Arc<TensorType>>, Vec<String>> {
    let all = shape::tensors(cx, 1 + tags.len() + wide.len())?;
    let operand = all[0];
    let mut wrong = vec![];
    let feature = usize::try_from(feature_index)
        .ok()
        .and_then(|i| operand.dims.get(i).copied());
    let element = baseline(operand);
    if !element.is_float() {
        wrong.push(format!(
            "I1: the operand must be of float type, got {operand}"
        ));
    }
    if all.iter().any(|t| baseline(t) != element) {
        let types: Vec<String> = all.iter().map(|t| t.element.to_string()).collect();
        wrong.push(format!("C2: element types differ: {}", types.join(", ")));
    }
    match feature {
        None => wrong.push(format!(
            "C1: feature_index {feature_index} reaches beyond {operand}"
        )),
        Some(size) => {
            for (i, tag) in tags {
                let fits = matches!(all[*i].dims[..], [n] if shape::join_dims(n, size).is_some());
                if !fits {
                    wrong.push(format!(
                        "{tag}: operand {i} must have one dimension of size {size}, got {}",
                        all[*i]
                    ));
                }
            }
        }
    }
    for (i, tag) in wide {
        if shape::same_dims(&[operand, all[*i]]).is_err() {
            wrong.push(format!(
                "{tag}: operand {i} must have the shape of {operand}, got {}",
                all[*i]
            ));
        }
    }
    if wrong.is_empty() {
        Ok(all)
    } else {
        Err(wrong)
    }
}

/// Declared types of the results where they are quantized, else those of the operands they follow.
pub fn result_types(cx: &InferContext<'_>, follow: &[&Arc<TensorType>]) -> Vec<Type> {
    let one = |(i, like): (usize, &&Arc<TensorType>)| match cx
        .declared
        .get(i)
        .and_then(Type::as_tensor)
    {
        Some(t) if quantization::parameters(&t.element).is_some() => {
            t.with_dims(like.dims.clone()).into()
        }
        Some(_) | None => like.with_element(baseline(like)).into(),
    };
    follow.iter().enumerate().map(one).collect()
}

/// Tensor operands, checked for sizes that only the run knows: `narrow` of them have one element a feature, `wide` the operand's shape.
pub fn operands<'a>(
    values: &'a [Value],
    f: &Features,
    narrow: &[usize],
    wide: &[usize],
) -> Result<Vec<&'a Tensor>, Stop> {
    let all: Vec<&Tensor> = (0..values.len())
        .map(|i| shape::operand(values, i))
        .collect::<Result<_, _>>()?;
    let fits = narrow
        .iter()
        .all(|i| all.get(*i).is_some_and(|t| t.len() == f.features))
        && wide
            .iter()
            .all(|i| all.get(*i).is_some_and(|t| t.dims() == all[0].dims()));
    if fits {
        Ok(all)
    } else {
        Err(Stop::Trap(Trap::ShapeMismatch(format!(
            "batch normalization of {}",
            all[0].ty()
        ))))
    }
}

/// A result tensor like `like`.
pub fn tensor(like: &Tensor, all: &[Real], planes: Planes) -> Value {
    number::real_tensor(like.dims(), like.element(), all, planes).into()
}

/// Counts divisions met in a run that has a ring plane.
pub fn count_divisions(cx: &mut EvalContext<'_>, zero_divisors: u64) {
    if cx.planes == Planes::IeeeAndRing {
        cx.events.zero_divisors += zero_divisors;
    }
}

/// An operand as numbers with their errors.
pub fn approximate(o: &Bounded<'_>) -> Result<Vec<Approximate>, Stop> {
    let t = o
        .value
        .as_tensor()
        .ok_or_else(|| Stop::internal("batch normalization of no tensor"))?;
    let values = t.to_f64s();
    let given = |i: usize| Approximate::given(values[i], o.error.at(i), t.element());
    Ok((0..t.len()).map(given).collect())
}

/// Widens variances to hold for E[x^2] - E[x]^2 too, which cancels: gamma_(n+4) (E[x^2] + E[|x|]^2).
pub fn widen_variance(
    f: &Features,
    x: &[Approximate],
    variance: Vec<Approximate>,
    element: &ElementType,
) -> Vec<Approximate> {
    let plain: Vec<Real> = x
        .iter()
        .map(|x| Real {
            value: x.value().abs() + x.error(),
            residue: 0,
        })
        .collect();
    let (mean, square) = (f.means(|i| plain[i]), f.means(|i| plain[i].mul(plain[i])));
    let g = gamma(f.count() as f64 + 4.0, unit_roundoff(element));
    variance
        .into_iter()
        .zip(mean.iter().zip(&square))
        .map(|(v, (m, s))| v.widened(g * (s.value + m.value * m.value)))
        .collect()
}

/// Errors as the bound of a result.
pub fn bound(all: &[Approximate]) -> Bound {
    Bound::absolute(all.iter().map(|x| x.error()).collect())
}
