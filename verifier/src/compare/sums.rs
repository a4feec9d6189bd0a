//! A bound of a sum from its partial sums. Every addition errs by at most u times the partial sum it gives; errors of independent signs stay below
//! 8 u sqrt(sum of squares of the partial sums) but for one element in 10^13 (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", SISC
//! 41(5), 2019: probability 2 exp(-8^2 / 2)). Where terms of both signs cancel this is far below 8 sqrt(n) u sum|terms|.
//!
//! Holds for orders whose partial sums are no larger than the largest over neighbouring terms: from left to right, by blocks, by trees over blocks. Cannot
//! show that an element outside is wrong: the order may be another one, and roundings biased.

use tileproof_dialect::{
    bound::{subnormal_roundoff, unit_roundoff},
    hlo::reduction_bound,
    tensor::{Tensor, row_major_strides},
    types::ElementType,
};

/// Factor of the probabilistic bounds.
pub const LAMBDA: f64 = 8.0;

/// One element of a sum or product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likely {
    /// As f64 has it.
    pub value: f64,
    /// How far it lies from there in its own type in all likelihood.
    pub bound: f64,
}

/// A sum of `terms` along `dimensions`, started from `init`, by element of the result.
pub fn likely(terms: &Tensor, dimensions: &[i64], init: f64) -> Vec<Likely> {
    let ends = partial(terms, dimensions, init);
    let n = terms.len() as f64 / ends.len().max(1) as f64;
    let factor = LAMBDA * unit_roundoff(terms.element()) * n.sqrt();
    // A sum over neighbouring terms is the difference of two sums from the left.
    ends.iter()
        .map(|e| Likely {
            value: e.sum,
            bound: factor * (e.high - e.low),
        })
        .collect()
}

/// The partial sums from the left of each element of the result.
fn partial(terms: &Tensor, dimensions: &[i64], init: f64) -> Vec<Ends> {
    let dims = terms.dims();
    let kept: Vec<usize> = (0..dims.len())
        .filter(|d| !dimensions.contains(&(*d as i64)))
        .collect();
    let kept_dims: Vec<u64> = kept.iter().map(|d| dims[*d]).collect();
    let (strides, out_strides) = (row_major_strides(dims), row_major_strides(&kept_dims));
    let results = kept_dims.iter().product::<u64>() as usize;
    let start = Ends {
        sum: init,
        low: init.min(0.0),
        high: init.max(0.0),
    };
    let mut ends = vec![start; results];
    for (i, x) in terms.to_f64s().iter().enumerate() {
        let group: i64 = kept
            .iter()
            .zip(&out_strides)
            .map(|(d, s)| (i as i64 / strides[*d]) % dims[*d] as i64 * s)
            .sum();
        if let Some(e) = ends.get_mut(group as usize) {
            e.sum += x;
            (e.low, e.high) = (e.low.min(e.sum), e.high.max(e.sum));
        }
    }
    ends
}

/// Sums of `f(linear index)` along `dimensions`, by element of the result.
pub fn total(terms: &Tensor, dimensions: &[i64], f: impl Fn(usize) -> f64) -> Vec<f64> {
    reduction_bound::folded(terms, dimensions, f)
}

/// As [`likely`] of a product: each of its roundings errs u relative to what it gives, in any order. Infinite where a partial product over neighbouring factors
/// may leave the range of the type, or a factor is 0.
pub fn likely_product(factors: &Tensor, dimensions: &[i64], init: f64) -> Vec<Likely> {
    let over = |f: fn(&f64) -> f64| {
        let values: Vec<f64> = factors.to_f64s().iter().map(f).collect();
        Tensor::from_slice(factors.dims(), ElementType::F64, &values)
    };
    let (u, tiny) = (
        unit_roundoff(factors.element()),
        subnormal_roundoff(factors.element()),
    );
    let range = (u / tiny).log2();
    let ends = partial(&over(|x| x.abs().log2()), dimensions, init.abs().log2());
    let negative = |x: &f64| f64::from(u8::from(*x < 0.0));
    let signs = partial(&over(negative), dimensions, negative(&init));
    let n = factors.len() as f64 / ends.len().max(1) as f64;
    ends.iter()
        .zip(&signs)
        .map(|(e, s)| {
            let magnitude = e.sum.exp2();
            let bound = LAMBDA * u * n.sqrt() * magnitude;
            Likely {
                value: if s.sum % 2.0 == 0.0 {
                    magnitude
                } else {
                    -magnitude
                },
                bound: if e.high - e.low < range && bound.is_finite() {
                    bound
                } else {
                    f64::INFINITY
                },
            }
        })
        .collect()
}

/// A sum from the left, and between which it has been.
#[derive(Clone, Copy)]
struct Ends {
    sum: f64,
    low: f64,
    high: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_errs_relative_to_itself_while_it_stays_in_range() {
        let t = |x: &[f32]| Tensor::from_slice(&[x.len() as u64], ElementType::F32, x);
        let u = 2f64.powi(-24);
        let near = likely_product(&t(&[2.0, 4.0, 0.5, 2.0]), &[0], 1.0);
        assert!(
            (near[0].bound - 8.0 * u * 2.0 * 8.0).abs() < 1e-12,
            "{near:?}"
        );
        assert!((near[0].value - 8.0).abs() < 1e-12, "{near:?}");
        let negative = likely_product(&t(&[-2.0, 3.0]), &[0], 1.0);
        assert!((negative[0].value + 6.0).abs() < 1e-12, "{negative:?}");
        // 2^150 on the way; a factor 0.
        let far = t(&[2f32.powi(100), 2f32.powi(50), 2f32.powi(-100), 1.0]);
        assert_eq!(likely_product(&far, &[0], 1.0)[0].bound, f64::INFINITY);
        let zero = likely_product(&t(&[0.0, 1.0]), &[0], 1.0);
        assert_eq!(zero[0].bound, f64::INFINITY);
    }

    #[test]
    fn it_follows_the_partial_sums_and_not_the_terms() {
        let n = 1 << 12;
        let values: Vec<f32> = (0..n)
            .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let terms = Tensor::from_slice(&[n], ElementType::F32, &values);
        let u = 2f64.powi(-24);
        let (value, bound) = (0.0, 8.0 * u * 64.0);
        assert_eq!(likely(&terms, &[0], 0.0), [Likely { value, bound }]);
        let rows = Tensor::from_slice(&[2, n / 2], ElementType::F32, &values);
        assert_eq!(likely(&rows, &[1], 0.0).len(), 2);
        // Columns of ones, and of minus ones: nothing cancels.
        let columns = Tensor::from_slice(&[n / 2, 2], ElementType::F32, &values);
        let bounds = likely(&columns, &[0], 0.0).into_iter().map(|l| l.bound);
        let want = 8.0 * u * 2048f64.sqrt() * 2048.0;
        assert!(bounds.into_iter().all(|b| b == want));
    }
}
