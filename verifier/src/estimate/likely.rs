//! How far a run of a small program in its own types may lie from what it gives over f64 in all likelihood: eight times the farthest of eight runs with
//! disturbed roundings and orders of sums, and of the mean distance over the result.
//!
//! Proves nothing beyond all doubt, and is counted apart: a fault that stays within what disturbed roundings do is taken for one of them. What lies outside is
//! not wrong for that: roundings may be biased.

use super::{REACH, RUNS, run, variant, variant::Variant};
use crate::compare::bits;
use tileproof_dialect::{
    bound::unit_roundoff,
    error::Error,
    eval::Stop,
    planes::ring::Residue,
    program::Program,
    tensor::{Tensor, Value},
};
use tileproof_runtime::limits::Limits;

/// One result, by parts of its elements (complex numbers have two).
#[derive(Debug, Clone)]
pub struct Likely {
    /// Over f64.
    values: Vec<f64>,
    /// How far another rounding may lie from there.
    bounds: Vec<f64>,
    /// Farthest disturbed run beside the result, both in l2.
    noise: f64,
    /// Unit roundoff of the type.
    unit: f64,
}

/// What is known besides of two values that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Their residues are equal: over the reals they are one number.
    EqualResidues,
    /// Every element hangs on the same terms, as those of a Fourier transform do: a fault in a term shows in all of them.
    EachOfAllTerms,
    Nothing,
}

/// Largest share that eight times the noise may have of a result whose residues are known to be right.
const MOST_NOISE: f64 = 0.25;
/// Largest share that the bound of an element may have of it where nothing else is known of it, and of the root mean square where it cancels.
const NARROW: f64 = 1.0 / 16.0;
/// Units that a neighbour of the exact value is off by at most.
const FAITHFUL: f64 = 2.0;
/// Most elements that may cancel, and most that may stay open.
const MOST_CANCELLED: f64 = 0.25;
const MOST_OPEN: f64 = 0.01;

/// Runs the program over f64 and disturbed. None: it has no variants, or no results to compare.
pub fn of(
    program: &Program,
    arguments: &[Value],
    limits: &Limits,
) -> Result<Option<Vec<Likely>>, Stop> {
    match all(program, arguments, limits) {
        Ok(out) => Ok(out),
        Err(Stop::Failed(Error::Internal(what))) => Err(Stop::internal(what)),
        Err(Stop::Failed(_) | Stop::Trap(_)) => Ok(None),
        Err(Stop::Cancelled) => Err(Stop::Cancelled),
    }
}

fn all(
    program: &Program,
    arguments: &[Value],
    limits: &Limits,
) -> Result<Option<Vec<Likely>>, Stop> {
    let plain = run(program, arguments, limits)?;
    let units: Option<Vec<f64>> = plain.iter().map(unit).collect();
    let Some(units) = units else { return Ok(None) };
    let wide = variant::of(program, Variant::Wide)?;
    let wide_arguments: Vec<Value> = arguments.iter().map(variant::widened).collect();
    let want = run(&wide, &wide_arguments, limits)?;
    let mut runs = vec![plain];
    for seed in 0..RUNS {
        let disturbed = variant::of(program, Variant::Disturbed { seed })?;
        runs.push(run(&disturbed, arguments, limits)?);
    }
    let parts =
        |values: &[Value], i: usize| values.get(i).and_then(Value::as_tensor).map(bits::parts);
    let result = |(i, unit): (usize, f64)| {
        let others: Option<Vec<Vec<f64>>> = runs.iter().map(|r| parts(r, i)).collect();
        Some(Likely::new(parts(&want, i)?, &others?, unit))
    };
    Ok(units.into_iter().enumerate().map(result).collect())
}

/// Unit roundoff of a result, 0 of integers; none for what is no tensor.
fn unit(value: &Value) -> Option<f64> {
    let t = value.as_tensor()?;
    let part = t.element().complex_part();
    Some(unit_roundoff(part.as_ref().unwrap_or(t.element())))
}

impl Likely {
    fn new(values: Vec<f64>, others: &[Vec<f64>], unit: f64) -> Likely {
        let finite = |i: &usize| values[*i].is_finite() && others.iter().all(|o| o[*i].is_finite());
        let norm = |f: &dyn Fn(usize) -> f64| {
            let all = (0..values.len()).filter(finite);
            all.map(|i| f(i).powi(2)).sum::<f64>().sqrt()
        };
        let size = norm(&|i| values[i]);
        let farthest = others.iter().map(|o| norm(&|i| o[i] - values[i]));
        let farthest = farthest.fold(0.0, f64::max);
        let noise = if farthest == 0.0 {
            0.0
        } else {
            farthest / size
        };
        let bound = |i: usize| {
            let all = others.iter().map(|o| (o[i] - values[i]).abs());
            let own = all.fold(0.0, f64::max);
            REACH * own.max(unit.max(noise.min(1.0)) * values[i].abs())
        };
        let bounds = (0..values.len())
            .map(|i| if finite(&i) { bound(i) } else { f64::INFINITY })
            .collect();
        Likely {
            bounds,
            values,
            noise,
            unit,
        }
    }

    /// How many elements of `got` that are not those of `want` are decided: all but a few are within their bounds, and these say something. None: the result
    /// is not decided.
    pub fn decides(&self, want: &Tensor, got: &Tensor, known: Known) -> Option<u64> {
        let (w, g) = (bits::parts(want), bits::parts(got));
        let n = self.values.len();
        if w.len() != n || g.len() != n {
            return None;
        }
        let width = if want.element().is_complex() { 2 } else { 1 };
        // A complex number is as large as both its parts.
        let magnitude = |i: usize| {
            let first = i - i % width;
            let parts = first..first + width;
            parts.map(|k| self.values[k].powi(2)).sum::<f64>().sqrt()
        };
        let equal = |i: &usize| w[*i] == g[*i] || (w[*i].is_nan() && g[*i].is_nan());
        let differing: Vec<usize> = (0..n).filter(|i| !equal(i)).collect();
        let above = |count: usize, share: f64| count as f64 > n as f64 * share;
        let inside = |i: &usize| (g[*i] - self.values[*i]).abs() <= self.bounds[*i];
        // A neighbour of the exact value is right, however others err.
        let faithful = |i: &usize| {
            let exact = self.values[*i];
            exact.is_finite() && (g[*i] - exact).abs() <= FAITHFUL * self.unit * exact.abs()
        };
        let rounded: Vec<usize> = differing.iter().copied().filter(|i| !faithful(i)).collect();
        let (within, out): (Vec<usize>, Vec<usize>) = rounded
            .iter()
            .partition(|i| self.bounds[**i].is_finite() && inside(i));
        if above(out.len(), MOST_OPEN) {
            return None;
        }
        let says = match known {
            Known::EqualResidues => {
                REACH * self.noise <= MOST_NOISE || want.ring().is_some_and(all_zero)
            }
            Known::EachOfAllTerms | Known::Nothing => {
                let square = (0..n).map(|i| magnitude(i).powi(2)).sum::<f64>() / n as f64;
                let rms = NARROW * square.sqrt();
                let most = match known {
                    Known::EachOfAllTerms => 1.0,
                    Known::EqualResidues | Known::Nothing => MOST_CANCELLED,
                };
                let wide: Vec<&usize> = within
                    .iter()
                    .filter(|i| self.bounds[**i] > NARROW * magnitude(**i))
                    .collect();
                let beside = wide.iter().filter(|i| self.bounds[***i] > rms).count();
                !above(wide.len(), MOST_OPEN)
                    || !above(wide.len(), most) && !above(beside, MOST_OPEN)
            }
        };
        says.then_some(differing.len() as u64)
    }
}

fn all_zero(ring: &[Residue]) -> bool {
    ring.iter().all(|r| *r == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{buffer::Buffer, import::stablehlo, types::ElementType};

    /// The mean of squares less the square of the mean, over 16 numbers about 100: their roundings are about 1e-3 of it.
    const VARIANCE: &str = "func.func @main(%x: tensor<16xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<16.0> : tensor<f32>
  %q = stablehlo.multiply %x, %x : tensor<16xf32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %t = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %u = stablehlo.divide %s, %n : tensor<f32>
  %m = stablehlo.divide %t, %n : tensor<f32>
  %o = stablehlo.multiply %m, %m : tensor<f32>
  %v = stablehlo.subtract %u, %o : tensor<f32>
  return %v : tensor<f32>
}";

    fn scalar(x: f64) -> Tensor {
        Tensor::from_slice(&[], ElementType::F32, &[x as f32])
    }

    #[test]
    fn another_rounding_is_likely_and_another_number_is_not() {
        let program = stablehlo::parse(VARIANCE, "test").unwrap();
        let values: Vec<f32> = (0..16).map(|i| 100.0 + i as f32).collect();
        let x = Tensor::from_slice(&[16], ElementType::F32, &values);
        let found = of(&program, &[x.into()], &Limits::default()).unwrap();
        let found = found.expect("it has variants").swap_remove(0);
        // The variance of 0..16 is 21.25; u 10^4 is about 6e-4.
        assert!((found.values[0] - 21.25).abs() < 1e-9, "{found:?}");
        let decides = |x: f64, known| found.decides(&scalar(21.25), &scalar(x), known);
        assert_eq!(decides(21.2505, Known::Nothing), Some(1), "{found:?}");
        assert_eq!(decides(21.5, Known::Nothing), None, "{found:?}");
        assert_eq!(decides(21.5, Known::EqualResidues), None, "{found:?}");
    }

    #[test]
    fn a_neighbour_of_the_exact_value_is_decided_and_integers_are_exact() {
        let others = vec![vec![1.2, 0.8], vec![0.7, 1.1]];
        let noisy = Likely::new(vec![1.0, 1.0], &others, 2f64.powi(-24));
        let t = |x: &[f32]| Tensor::from_slice(&[2], ElementType::F32, x);
        let near = t(&[1.0 + f32::EPSILON, 1.0]);
        assert_eq!(
            noisy.decides(&t(&[1.0, 1.0]), &near, Known::Nothing),
            Some(1)
        );
        let counts = Likely::new(vec![3.0, 4.0], &[vec![3.0, 4.0]], 0.0);
        let i = |x: &[i32]| Tensor::from_slice(&[2], ElementType::I32, x);
        let (same, other) = (i(&[3, 4]), i(&[3, 5]));
        assert_eq!(counts.decides(&same, &same, Known::Nothing), Some(0));
        assert_eq!(counts.decides(&same, &other, Known::Nothing), None);
    }

    #[test]
    fn what_roundings_make_of_a_result_is_no_evidence_of_it() {
        let others = vec![vec![1.2, 0.8], vec![0.7, 1.1]];
        let noisy = Likely::new(vec![1.0, 1.0], &others, 2f64.powi(-24));
        let t = |x: &[f32], ring: [u32; 2]| {
            Tensor::from_slice(&[2], ElementType::F32, x).with_ring(Some(Buffer::from_slice(&ring)))
        };
        let got = t(&[1.1, 1.0], [5, 7]);
        for known in [Known::Nothing, Known::EqualResidues] {
            assert_eq!(noisy.decides(&t(&[1.0, 1.0], [5, 7]), &got, known), None);
        }
        let zero = noisy.decides(&t(&[1.0, 1.0], [0, 0]), &got, Known::EqualResidues);
        assert_eq!(zero, Some(1));
    }
}
