//! `rng`: random numbers of a distribution; how they are made is left to the implementation.
//!
//! Meaning: result[i..] drawn from [a, b) uniformly, or from the normal distribution of mean a and standard deviation b. Here every draw is a hash of
//! its number in the run, so that a run repeats.
//! Inputs I1 a, I2 b (rank 0), I3 shape (integer vector), I4 rng_distribution. Constraints: C1 element types of a, b and result agree; C2 NORMAL is of
//! floats; C3 shape(result) = shape; I1 real or boolean types.
//! Kind: opaque: residues are hashes, each op counts as opaque random, so that nothing downstream is decisive. Numerics: none promised.
//! Example: `%3 = hlo.rng %a, %b, %shape {rng_distribution = "UNIFORM"} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{region_bound, shape},
    op::{InferContext, Kind, OpDef},
    planes::{Planes, ring},
    program::Program,
    tensor::{Tensor, Value},
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rng {
    pub rng_distribution: Distribution,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distribution {
    Uniform,
    Normal,
}

impl Distribution {
    const WORDS: [(Distribution, &'static str); 2] = [(Distribution::Uniform, "UNIFORM"), (Distribution::Normal, "NORMAL")];

    pub fn word(self) -> &'static str {
        Distribution::WORDS.iter().find(|(d, _)| *d == self).map_or("UNIFORM", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<Distribution> {
        Distribution::WORDS.iter().find(|(_, w)| *w == word).map(|(d, _)| *d)
    }
}

/// 53 bits of a hash as a number in [0, 1).
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 * 2f64.powi(-53)
}

impl OpDef for Rng {
    const NAME: &'static str = "rng";
    const KIND: Kind = Kind::Opaque;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Rng {
        let word = reader.str("rng_distribution");
        let rng_distribution = Distribution::from_word(&word).unwrap_or_else(|| {
            reader.reject(format!("I4: rng_distribution '{word}' must be UNIFORM or NORMAL"));
            Distribution::Uniform
        });
        Rng { rng_distribution }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("rng_distribution", self.rng_distribution.word())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [a, b, sizes] = shape::tensors(cx, 3)?[..] else { return Err(vec!["expected 3 operands".to_string()]) };
        let result = shape::declared(cx, 0)?;
        let mut wrong = vec![];
        if a.rank() != 0 || b.rank() != 0 || !(a.element.is_float() || a.element.is_integer()) {
            wrong.push(format!("I1: a and b must be scalars of a real type, got {a} and {b}"));
        }
        if a.element != b.element || a.element != result.element {
            wrong.push(format!("C1: element types differ: {a}, {b}, {result}"));
        }
        if self.rng_distribution == Distribution::Normal && !a.element.is_float() {
            wrong.push(format!("C2: NORMAL needs floats, got {a}"));
        }
        let rank_fits = match sizes.dims[..] {
            [Dim::Static(n)] => n == result.rank() as u64,
            [Dim::Dynamic { .. }] => true,
            _ => false,
        };
        if !rank_fits || !sizes.element.is_integer() {
            wrong.push(format!("C3: shape must be a vector of {} integers, got {sizes}", result.rank()));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(result.clone())]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let (a, b) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let sizes = shape::operand(operands, 2)?.to_i64s();
        let dims: Vec<u64> = sizes.iter().map(|n| (*n).max(0) as u64).collect();
        let count = dims.iter().try_fold(1u64, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 40);
        let count = count.ok_or(Stop::Trap(crate::eval::Trap::MemoryLimit(1 << 40)))?;
        cx.events.opaque_random += 1;
        let stream = ring::mix(ring::opaque_key("rng") ^ cx.events.opaque_random);
        let hash = |i: u64| ring::mix(stream.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let element = a.element();
        let result = if element.is_float() {
            let (low, high) = (a.to_f64s()[0], b.to_f64s()[0]);
            let draw = |i: u64| match self.rng_distribution {
                Distribution::Uniform => low + unit(hash(i)) * (high - low),
                Distribution::Normal => {
                    let radius = (-2.0 * (1.0 - unit(hash(2 * i))).ln()).sqrt();
                    low + high * radius * (std::f64::consts::TAU * unit(hash(2 * i + 1))).cos()
                }
            };
            Tensor::from_f64s(&dims, element, &(0..count).map(draw).collect::<Vec<_>>())
        } else {
            let (low, high) = (a.to_i64s()[0], b.to_i64s()[0]);
            let span = high.wrapping_sub(low) as u64;
            let draw = |i: u64| if span == 0 { low } else { low.wrapping_add((hash(i) % span) as i64) };
            Tensor::from_i64s(&dims, element, &(0..count).map(draw).collect::<Vec<_>>())
        };
        let residues = |n: u64| crate::buffer::Buffer::from_slice(&(0..n).map(|i| ring::from_hash(!hash(i))).collect::<Vec<u32>>());
        Ok(vec![match cx.planes {
            Planes::IeeeOnly => result.into(),
            Planes::IeeeAndRing => result.with_ring(Some(residues(count))).into(),
        }])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|e| matches!(e, ElementType::F32 | ElementType::F64 | ElementType::BF16));
        let dims = s.dims();
        let (scalar, sizes) = (Type::tensor([], element.clone()), Type::tensor([dims.len() as u64], ElementType::I64));
        Sampler::single(Rng { rng_distribution: s.pick(&Distribution::WORDS).0 }, &[scalar.clone(), scalar, sizes], &[Type::tensor(dims, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};

    fn draw(rng_distribution: Distribution, a: &Tensor, b: &Tensor, n: i64) -> (Tensor, Events) {
        let sizes = Tensor::from_i64s(&[1], &ElementType::I64, &[n]);
        let operands = [a, b, &sizes].map(|t| t.clone().with_embedded_ring().into());
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = Rng { rng_distribution }.eval(&operands, &[], &mut cx).unwrap();
        (got[0].as_tensor().unwrap().clone(), events)
    }

    #[test]
    fn draws_follow_the_distribution_and_mark_the_run() {
        let f = |v: f64| Tensor::splat_f64(&[], &ElementType::F64, v);
        let (t, events) = draw(Distribution::Uniform, &f(2.0), &f(6.0), 10000);
        let values = t.as_slice::<f64>();
        assert!(values.iter().all(|v| (2.0..6.0).contains(v)));
        assert!((values.iter().sum::<f64>() / 1e4 - 4.0).abs() < 0.05);
        assert_eq!(events.opaque_random, 1);
        let (t, _) = draw(Distribution::Normal, &f(1.0), &f(3.0), 10000);
        let mean = t.as_slice::<f64>().iter().sum::<f64>() / 1e4;
        let variance = t.as_slice::<f64>().iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((mean - 1.0).abs() < 0.1 && (variance - 9.0).abs() < 0.5, "{mean} {variance}");
        let i = |v: i64| Tensor::from_i64s(&[], &ElementType::I32, &[v]);
        let (t, _) = draw(Distribution::Uniform, &i(-2), &i(1), 100);
        assert!([-2, -1, 0].iter().all(|v| t.to_i64s().contains(v)) && t.to_i64s().iter().all(|v| (-2..1).contains(v)));
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        let infer = |rng_distribution, a: Type, b: Type, sizes: Type, result: Type| Rng { rng_distribution }.infer(&InferContext { operands: &[a, b, sizes], declared: &[result], regions: &[] });
        let (f, i) = (ElementType::F32, ElementType::I32);
        let (one, uniform) = (t(&[1], ElementType::I64), Distribution::Uniform);
        for (tag, got) in [
            ("I1", infer(uniform, t(&[1], f.clone()), t(&[], f.clone()), one.clone(), t(&[3], f.clone()))),
            ("C1", infer(uniform, t(&[], f.clone()), t(&[], f.clone()), one.clone(), t(&[3], i.clone()))),
            ("C2", infer(Distribution::Normal, t(&[], i.clone()), t(&[], i.clone()), one.clone(), t(&[3], i.clone()))),
            ("C3", infer(uniform, t(&[], f.clone()), t(&[], f.clone()), one, t(&[3, 3], f.clone()))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
